#version 330 core
// A line through the means, a lighter band from min to max, and a fill that fades to the bottom. Premultiplied.
uniform sampler2D columns;  // min, max, mean in pixels from the top, 1 if known; two empty ones at each end
uniform vec2 framebuffer;
uniform vec4 box;
uniform float column_width;
uniform float half_width;
uniform vec4 line_colour;
uniform vec4 fill_colour;
uniform bool stepped;
uniform vec2 dash;  // length in pixels (0: solid line), and where a dash begins

out vec4 result;

const int kTextureWidth = 1024;  // columns in a row of the texture

vec4 column_at(int index) { return texelFetch(columns, ivec2(index % kTextureWidth, index / kTextureWidth), 0); }

// Distance from `at` to the line segment between two points; very large if one of them is unknown.
float to_piece(vec2 at, vec3 a, vec3 b) {
  vec2 along = b.xy - a.xy;
  float part = clamp(dot(at - a.xy, along) / dot(along, along), 0.0, 1.0);
  return a.z * b.z > 0.5 ? length(at - a.xy - along * part) : 1e6;
}

// The same for the vertical segment at `x` between two heights.
float to_upright(vec2 at, float x, vec3 a, vec3 b) {
  float beyond = max(max(min(a.y, b.y) - at.y, at.y - max(a.y, b.y)), 0.0);
  return a.z * b.z > 0.5 ? length(vec2(at.x - x, beyond)) : 1e6;
}

void main() {
  vec2 at = vec2(gl_FragCoord.x, framebuffer.y - gl_FragCoord.y);
  float column = floor((at.x - box.x) / column_width);
  float middle = box.x + (column + 0.5) * column_width;
  int index = int(column) + 2;
  vec4 here = column_at(index);
  vec4 left = column_at(index - 1), right = column_at(index + 1);
  vec3 p1 = vec3(middle - column_width, left.zw);
  vec3 p2 = vec3(middle, here.zw);
  vec3 p3 = vec3(middle + column_width, right.zw);

  float away, line_y;
  if (stepped) {
    away = p2.z > 0.5 ? abs(at.y - p2.y) : 1e6;
    away = min(away, to_upright(at, middle - 0.5 * column_width, p1, p2));
    away = min(away, to_upright(at, middle + 0.5 * column_width, p2, p3));
    line_y = p2.y;
  } else {
    vec3 p0 = vec3(p1.x - column_width, column_at(index - 2).zw);
    vec3 p4 = vec3(p3.x + column_width, column_at(index + 2).zw);
    away = min(min(to_piece(at, p0, p1), to_piece(at, p1, p2)), min(to_piece(at, p2, p3), to_piece(at, p3, p4)));
    vec3 next = at.x > middle ? p3 : p1;
    if (next.z < 0.5) away = min(away, abs(at.y - p2.y));  // horizontal to the end of its column
    line_y = next.z > 0.5 ? mix(p2.y, next.y, abs(at.x - middle) / column_width) : p2.y;
  }
  float on_line = clamp(half_width - away + 0.5, 0.0, 1.0);
  float on_band = 0.4 * clamp(half_width + 0.5 - max(here.x - at.y, at.y - here.y), 0.0, 1.0);
  if (dash.x > 0.0) {
    float along = mod(at.x - dash.y, dash.x * 1.6);
    float lit = clamp(along + 0.5, 0.0, 1.0) * clamp(dash.x - along + 0.5, 0.0, 1.0);
    on_line *= lit;
    on_band *= lit;
  }

  float below = clamp(at.y - line_y + 0.5, 0.0, 1.0) * clamp(box.w - at.y + 0.5, 0.0, 1.0);
  float fade = clamp((box.w - at.y) / (box.w - box.y), 0.0, 1.0);

  float line_alpha = line_colour.a * max(on_line, on_band) * here.w;
  float fill_alpha = fill_colour.a * below * fade * here.w * (1.0 - line_alpha);
  result = vec4(line_colour.rgb * line_alpha + fill_colour.rgb * fill_alpha, line_alpha + fill_alpha);
}
