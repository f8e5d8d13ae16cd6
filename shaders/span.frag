#version 330 core
// Rounded, antialiased spans in the styles of SpanStyle. Colours are premultiplied.
flat in vec4 box;
flat in vec4 fill_colour;
flat in vec4 ink_colour;
flat in vec3 form;
flat in uint kind;

uniform vec2 framebuffer;
uniform float scale;

out vec4 result;

const uint kSolid = 0u, kHatched = 1u, kDashed = 2u, kFolded = 3u, kUnknown = 4u, kOutline = 5u;

// How much of the pixel at `at` a stripe covers. Stripes rise to the right; `period` is along x, `share` is theirs of it.
float stripes(vec2 at, float period, float share) {
  float from_middle = abs(fract((at.x + at.y) / period) - 0.5) * period;
  return clamp((0.5 * share * period - from_middle) * 0.7071 + 0.5, 0.0, 1.0);
}

// A whole number of dashes on each side, half of one at each end, so that corners are always drawn.
float dashes(float at, float side) {
  float period = side / max(1.0, floor(side / (7.0 * scale) + 0.5));
  float phase = at / period;
  float from_middle = abs(fract(phase + 0.5) - 0.5) * period;
  return clamp(0.29 * period - from_middle + 0.5, 0.0, 1.0);
}

void main() {
  vec2 at = vec2(gl_FragCoord.x, framebuffer.y - gl_FragCoord.y);
  vec2 near = at - box.xy;
  vec2 far = box.zw - at;
  vec2 inside = min(near, far);

  // What of the pixel lies between the edges, and within the rounded corner.
  vec2 overlap = clamp(min(near, 0.5) + min(far, 0.5), 0.0, 1.0);
  vec2 to_corner = max(form.x - inside, 0.0);
  float cover = min(overlap.x * overlap.y, clamp(form.x - length(to_corner) + 0.5, 0.0, 1.0));

  vec4 fill = fill_colour;
  if (kind != kSolid) {
    float inked = 0.0;
    if (kind == kHatched) {
      inked = stripes(near, 9.0 * scale, 0.42);
    } else if (kind == kUnknown) {
      inked = stripes(at, 12.0 * scale, 0.12);
    } else if (kind == kFolded) {
      float busy_px = form.y * (box.w - box.y);
      fill *= mix(0.22, 1.0, clamp(busy_px - far.y + 0.5, 0.0, 1.0));
    } else {
      float depth = to_corner.x > 0.0 && to_corner.y > 0.0 ? form.x - length(to_corner) : min(inside.x, inside.y);
      inked = clamp(form.z - depth + 0.5, 0.0, 1.0);
      if (kind == kDashed) {
        vec2 size = box.zw - box.xy;
        inked *= inside.y < inside.x ? dashes(near.x, size.x) : dashes(near.y, size.y);
      }
    }
    vec4 over = ink_colour * inked;
    fill = over + fill * (1.0 - over.a);
  }
  result = fill * cover;
}
