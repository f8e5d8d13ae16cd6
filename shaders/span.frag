#version 330 core
// Rounded, antialiased spans in the styles of SpanStyle, without a branch. The result is premultiplied.
flat in vec4 box;
flat in vec4 fill_colour;
flat in vec4 ink_colour;
flat in vec4 form;
flat in vec4 pattern;

uniform vec2 framebuffer;

out vec4 result;

const float kFoldedShade = 0.22;  // opacity of the idle part of a folded span

void main() {
  vec2 at = vec2(gl_FragCoord.x, framebuffer.y - gl_FragCoord.y);
  vec2 near = at - box.xy;
  vec2 far = box.zw - at;
  vec2 inside = min(near, far);

  // The part of the pixel between the edges and within the rounded corner.
  vec2 overlap = clamp(min(near, 0.5) + min(far, 0.5), 0.0, 1.0);
  vec2 to_corner = max(form.x - inside, 0.0);
  float from_curve = form.x - length(to_corner);
  float cover = min(overlap.x * overlap.y, clamp(from_curve + 0.5, 0.0, 1.0));

  // Ink: slanted stripes over the whole span, or along its edges (with an outline, only within it); or ticks along the
  // upper edge.
  bool ticks = pattern.w > 1.5;
  float depth = ticks ? near.y : min(to_corner.x, to_corner.y) > 0.0 ? from_curve : min(inside.x, inside.y);
  bool at_side = inside.x < inside.y && !ticks;
  bool slanting = pattern.w > 0.5 && !ticks;
  float along = slanting ? near.x + near.y + pattern.z : (at_side ? near.y : near.x + pattern.z);
  float period = at_side ? pattern.y : pattern.x;
  float from_stripe = abs(fract(along / period + 0.5) - 0.5) * period;
  float into_stripe = (form.z - from_stripe) * (slanting ? 0.7071 : 1.0);
  float inked = clamp(into_stripe + 0.5, 0.0, 1.0) * clamp(form.y - depth + 0.5, 0.0, 1.0);

  float shade = mix(kFoldedShade, 1.0, clamp(form.w - far.y + 0.5, 0.0, 1.0));
  vec4 over = ink_colour * inked;
  result = (over + fill_colour * (shade * (1.0 - over.a))) * cover;
}
