#version 330 core
// One instance is one span, whose four corners are generated here. Everything after this is in framebuffer pixels from
// the top left. Differences between styles become numbers here, so that the fragment shader needs no branches: a
// software renderer computes both sides of a branch anyway.
layout(location = 0) in vec4 edges;  // left, top, right, bottom in logical pixels
layout(location = 1) in vec4 colour;
layout(location = 2) in vec4 ink;
layout(location = 3) in vec3 shape;  // rounding, busy, stroke
layout(location = 4) in uint style;

uniform vec2 framebuffer;  // its size in pixels
uniform float scale;       // pixels per logical pixel

flat out vec4 box;
flat out vec4 fill_colour;  // these two premultiplied
flat out vec4 ink_colour;
flat out vec4 form;     // radius; width of the outline; half width of a stripe; height of the opaque part
flat out vec4 pattern;  // period of the stripes at the upper and lower edge, and at the sides; phase; 1: slanting,
                        // 2: ticks along the upper edge

const uint kSolid = 0u, kHatched = 1u, kDashed = 2u, kFolded = 3u, kUnknown = 4u, kOutline = 5u;
const float kEverything = 1e4;

// Each side has a whole number of dashes, with half a dash at each end, so that the corners are always drawn.
float dash_period(float side) { return side / max(1.0, floor(side / (7.0 * scale) + 0.5)); }

void main() {
  box = edges * scale;
  fill_colour = vec4(colour.rgb * colour.a, colour.a);
  ink_colour = vec4(ink.rgb * ink.a, ink.a);
  vec2 size = box.zw - box.xy;

  // A radius of half a pixel makes the corner formula correct for square corners, too.
  float radius = max(min(shape.x * scale, 0.5 * min(size.x, size.y)), 0.5);
  float outline = kEverything;
  float half_stripe = -1.0;  // no ink
  float shaded = kEverything;
  pattern = vec4(1.0, 1.0, 0.0, 0.0);
  if (style == kHatched) {
    half_stripe = 1.9 * scale;
    pattern = vec4(vec2(9.0 * scale), 0.0, 1.0);
  } else if (style == kUnknown) {
    half_stripe = 0.75 * scale;
    pattern = vec4(vec2(12.0 * scale), box.x + box.y, 1.0);  // the phase undoes the span's own position
  } else if (style == kDashed) {
    outline = shape.z * scale;
    half_stripe = 2.0 * scale;
    pattern = vec4(dash_period(size.x), dash_period(size.y), 0.0, 0.0);
  } else if (style == kOutline) {
    outline = shape.z * scale;
    half_stripe = kEverything;
  } else if (style == kFolded) {
    shaded = shape.y * size.y;
    // The density as ticks at fixed screen positions, so that those of neighbours align: coarse, finer, finest.
    float density = floor(shape.z + 0.5);
    float period = floor((density > 2.5 ? 2.0 : density > 1.5 ? 4.0 : 8.0) * scale + 0.5);
    outline = min((density + 1.0) * scale, 0.3 * size.y);
    half_stripe = density > 0.5 ? max(0.5, 0.5 * scale) : -1.0;
    pattern = vec4(period, period, box.x - 0.5, 2.0);
  }
  form = vec4(radius, outline, half_stripe, shaded);

  // The quad extends to whole pixels around the span, so that partially covered ones are drawn, and no others.
  vec2 at = vec2((gl_VertexID & 1) == 0 ? floor(box.x) : ceil(box.z),
                 (gl_VertexID >> 1) == 0 ? floor(box.y) : ceil(box.w));
  if (!(size.x > 0.0 && size.y > 0.0)) at = vec2(-2.0);  // also handles NaN
  gl_Position = vec4(at.x / framebuffer.x * 2.0 - 1.0, 1.0 - at.y / framebuffer.y * 2.0, 0.0, 1.0);
}
