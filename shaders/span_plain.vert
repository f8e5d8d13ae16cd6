#version 330 core
// Like span.vert, for spans with square corners and without stripes (solid and folded): most of a full timeline. Much
// cheaper per pixel with software rendering.
layout(location = 0) in vec4 edges;  // left, top, right, bottom in logical pixels
layout(location = 1) in vec4 colour;
layout(location = 2) in vec4 ink;
layout(location = 3) in vec3 shape;  // rounding (none), busy, density
layout(location = 4) in uint style;

uniform vec2 framebuffer;  // its size in pixels
uniform float scale;       // pixels per logical pixel

flat out vec4 box;
flat out vec4 fill_colour;  // these two premultiplied
flat out vec4 ink_colour;
flat out vec4 form;  // height of the opaque part; height of the ticks, half width of one, their period

const uint kFolded = 3u;
const float kEverything = 1e4;

void main() {
  box = edges * scale;
  fill_colour = vec4(colour.rgb * colour.a, colour.a);
  ink_colour = vec4(ink.rgb * ink.a, ink.a);
  vec2 size = box.zw - box.xy;
  form = vec4(kEverything, 0.0, -1.0, 8.0);
  if (style == kFolded) {
    float density = floor(shape.z + 0.5);
    float period = floor((density > 2.5 ? 2.0 : density > 1.5 ? 4.0 : 8.0) * scale + 0.5);
    form = vec4(shape.y * size.y, min((density + 1.0) * scale, 0.3 * size.y),
                density > 0.5 ? max(0.5, 0.5 * scale) : -1.0, period);
  }
  vec2 at = vec2((gl_VertexID & 1) == 0 ? floor(box.x) : ceil(box.z),
                 (gl_VertexID >> 1) == 0 ? floor(box.y) : ceil(box.w));
  if (!(size.x > 0.0 && size.y > 0.0)) at = vec2(-2.0);  // also handles NaN
  gl_Position = vec4(at.x / framebuffer.x * 2.0 - 1.0, 1.0 - at.y / framebuffer.y * 2.0, 0.0, 1.0);
}
