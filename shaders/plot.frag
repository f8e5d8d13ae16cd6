#version 330 core
// A line through the means, a lighter band from min to max, and a fill that fades to the bottom. Premultiplied.
flat in vec3 p0;
flat in vec3 p1;
flat in vec3 p2;
flat in vec3 p3;
flat in vec3 p4;
flat in vec2 range;

uniform vec2 framebuffer;
uniform vec4 box;
uniform float half_width;
uniform vec4 line_colour;
uniform vec4 fill_colour;

out vec4 result;

float to_piece(vec2 at, vec3 a, vec3 b) {
  vec2 along = b.xy - a.xy;
  float part = clamp(dot(at - a.xy, along) / dot(along, along), 0.0, 1.0);
  float away = length(at - a.xy - along * part);
  return a.z * b.z > 0.5 ? away : 1e6;
}

void main() {
  vec2 at = vec2(gl_FragCoord.x, framebuffer.y - gl_FragCoord.y);

  float away = min(min(to_piece(at, p0, p1), to_piece(at, p1, p2)), min(to_piece(at, p2, p3), to_piece(at, p3, p4)));
  // A column alone between gaps is a dot.
  if (p1.z + p3.z < 0.5) away = length(at - p2.xy);
  float on_line = clamp(half_width - away + 0.5, 0.0, 1.0);

  float outside = max(range.x - at.y, at.y - range.y);
  float on_band = 0.4 * clamp(half_width - outside + 0.5, 0.0, 1.0);

  // The height of the line in this column of pixels.
  bool to_right = at.x > p2.x;
  vec3 next = to_right ? p3 : p1;
  float part = next.z > 0.5 ? clamp((at.x - p2.x) / (next.x - p2.x), 0.0, 1.0) : 0.0;
  float line_y = mix(p2.y, next.y, part);
  float below = clamp(at.y - line_y + 0.5, 0.0, 1.0) * clamp(box.w - at.y + 0.5, 0.0, 1.0);
  float fade = clamp((box.w - at.y) / (box.w - box.y), 0.0, 1.0);

  float line_alpha = line_colour.a * max(on_line, on_band);
  float fill_alpha = fill_colour.a * below * fade * (1.0 - line_alpha);
  result = vec4(line_colour.rgb * line_alpha + fill_colour.rgb * fill_alpha, line_alpha + fill_alpha);
}
