#version 330 core
// One instance is one span; its four corners are made here. Everything after this works in pixels of the framebuffer,
// counted from the top left.
layout(location = 0) in vec4 edges;  // left, top, right, bottom in logical pixels
layout(location = 1) in vec4 colour;
layout(location = 2) in vec4 ink;
layout(location = 3) in vec3 shape;  // rounding, busy, stroke
layout(location = 4) in uint style;

uniform vec2 framebuffer;  // its size in pixels
uniform float scale;       // pixels in a logical pixel

flat out vec4 box;
flat out vec4 fill_colour;
flat out vec4 ink_colour;
flat out vec3 form;  // radius, busy, stroke
flat out uint kind;

void main() {
  box = edges * scale;
  fill_colour = vec4(colour.rgb * colour.a, colour.a);
  ink_colour = vec4(ink.rgb * ink.a, ink.a);
  vec2 size = box.zw - box.xy;
  // Half a pixel of radius makes the corner formula right for square corners too.
  float radius = max(min(shape.x * scale, 0.5 * min(size.x, size.y)), 0.5);
  form = vec3(radius, shape.y, shape.z * scale);
  kind = style;

  // The quad ends on whole pixels around the span, so that partly covered ones are drawn and no others.
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  vec2 at = mix(floor(box.xy), ceil(box.zw), corner);
  if (!(size.x > 0.0 && size.y > 0.0)) at = vec2(-2.0);  // a NaN too
  gl_Position = vec4(at.x / framebuffer.x * 2.0 - 1.0, 1.0 - at.y / framebuffer.y * 2.0, 0.0, 1.0);
}
