// Remembers the state of a WebGL context. The program and Dear ImGui ask for what they change, to restore it afterwards,
// and a browser answers many of these questions only after the GPU has drawn everything before.
'use strict';

const rememberState = (gl) => {
  const known = new Map();
  const units = new Map();  // of textures: what is bound to TEXTURE_2D
  const box = (values) => new Int32Array(values);
  const size = [gl.drawingBufferWidth, gl.drawingBufferHeight];
  known.set(gl.VIEWPORT, box([0, 0, ...size])).set(gl.SCISSOR_BOX, box([0, 0, ...size]));
  known.set(gl.ACTIVE_TEXTURE, gl.TEXTURE0);
  for (const name of [gl.CURRENT_PROGRAM, gl.VERTEX_ARRAY_BINDING, gl.ARRAY_BUFFER_BINDING, gl.PIXEL_PACK_BUFFER_BINDING,
    gl.DRAW_FRAMEBUFFER_BINDING, gl.READ_FRAMEBUFFER_BINDING, gl.RENDERBUFFER_BINDING]) known.set(name, null);
  const blend = (...values) => [gl.BLEND_SRC_RGB, gl.BLEND_DST_RGB, gl.BLEND_SRC_ALPHA, gl.BLEND_DST_ALPHA]
    .forEach((name, i) => known.set(name, values[i]));
  const equation = (rgb, alpha) => known.set(gl.BLEND_EQUATION_RGB, rgb).set(gl.BLEND_EQUATION_ALPHA, alpha);
  blend(gl.ONE, gl.ZERO, gl.ONE, gl.ZERO);
  equation(gl.FUNC_ADD, gl.FUNC_ADD);
  const on = new Map([gl.BLEND, gl.CULL_FACE, gl.DEPTH_TEST, gl.STENCIL_TEST, gl.SCISSOR_TEST].map((cap) => [cap, false]));
  on.set(gl.DITHER, true);

  const after = (name, note) => {
    const original = gl[name].bind(gl);
    gl[name] = (...values) => {
      const result = original(...values);
      note(...values);
      return result;
    };
  };
  after('viewport', (...values) => known.set(gl.VIEWPORT, box(values)));
  after('scissor', (...values) => known.set(gl.SCISSOR_BOX, box(values)));
  after('activeTexture', (unit) => known.set(gl.ACTIVE_TEXTURE, unit));
  after('useProgram', (program) => known.set(gl.CURRENT_PROGRAM, program || null));
  after('bindVertexArray', (array) => known.set(gl.VERTEX_ARRAY_BINDING, array || null));
  after('bindRenderbuffer', (_, buffer) => known.set(gl.RENDERBUFFER_BINDING, buffer || null));
  after('bindBuffer', (target, buffer) => {
    if (target === gl.ARRAY_BUFFER) known.set(gl.ARRAY_BUFFER_BINDING, buffer || null);
    if (target === gl.PIXEL_PACK_BUFFER) known.set(gl.PIXEL_PACK_BUFFER_BINDING, buffer || null);
  });
  after('bindFramebuffer', (target, framebuffer) => {
    if (target !== gl.READ_FRAMEBUFFER) known.set(gl.DRAW_FRAMEBUFFER_BINDING, framebuffer || null);
    if (target !== gl.DRAW_FRAMEBUFFER) known.set(gl.READ_FRAMEBUFFER_BINDING, framebuffer || null);
  });
  after('bindTexture', (target, texture) => {
    if (target === gl.TEXTURE_2D) units.set(known.get(gl.ACTIVE_TEXTURE), texture || null);
  });
  after('blendFunc', (source, destination) => blend(source, destination, source, destination));
  after('blendFuncSeparate', blend);
  after('blendEquation', (both) => equation(both, both));
  after('blendEquationSeparate', equation);
  after('enable', (cap) => on.set(cap, true));
  after('disable', (cap) => on.set(cap, false));

  const getParameter = gl.getParameter.bind(gl), isEnabled = gl.isEnabled.bind(gl);
  gl.getParameter = (name) => {
    if (name === gl.TEXTURE_BINDING_2D) return units.get(known.get(gl.ACTIVE_TEXTURE)) || null;
    return known.has(name) ? known.get(name) : getParameter(name);
  };
  gl.isEnabled = (cap) => (on.has(cap) ? on.get(cap) : isEnabled(cap));
  return gl;
};
