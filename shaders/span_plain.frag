#version 330 core
// Square spans, antialiased, solid or folded. The result is premultiplied.
flat in vec4 box;
flat in vec4 fill_colour;
flat in vec4 ink_colour;
flat in vec4 form;

uniform vec2 framebuffer;

out vec4 result;

const float kFoldedShade = 0.22;  // opacity of the idle part of a folded span

void main() {
  vec2 at = vec2(gl_FragCoord.x, framebuffer.y - gl_FragCoord.y);
  vec2 near = at - box.xy;
  vec2 far = box.zw - at;
  vec2 overlap = clamp(min(near, 0.5) + min(far, 0.5), 0.0, 1.0);

  // Ticks at fixed screen positions, so that those of neighbours align.
  float from_tick = abs(fract((at.x - 0.5) / form.w + 0.5) - 0.5) * form.w;
  float inked = clamp(form.z - from_tick + 0.5, 0.0, 1.0) * clamp(form.y - near.y + 0.5, 0.0, 1.0);

  float shade = mix(kFoldedShade, 1.0, clamp(form.x - far.y + 0.5, 0.0, 1.0));
  vec4 over = ink_colour * inked;
  result = (over + fill_colour * (shade * (1.0 - over.a))) * (overlap.x * overlap.y);
}
