#version 330 core
// One instance is one column of a plot with its neighbours: the line at a pixel depends on the pieces to both sides.
layout(location = 0) in vec3 column0;  // min, max, mean in pixels from the top; mean < min: nothing is known
layout(location = 1) in vec3 column1;
layout(location = 2) in vec3 column2;  // the column that is drawn
layout(location = 3) in vec3 column3;
layout(location = 4) in vec3 column4;

uniform vec2 framebuffer;
uniform vec4 box;           // left, top, right, bottom in pixels
uniform float column_width;  // in pixels
uniform float half_width;    // of the line, in pixels

flat out vec3 p0;  // middle of a column and the mean there; z: 1 when known
flat out vec3 p1;
flat out vec3 p2;
flat out vec3 p3;
flat out vec3 p4;
flat out vec2 range;

vec3 point(vec3 column, float offset) {
  float x = box.x + (float(gl_InstanceID) + offset + 0.5) * column_width;
  return vec3(x, column.z, column.z >= column.x ? 1.0 : 0.0);
}

void main() {
  p0 = point(column0, -2.0);
  p1 = point(column1, -1.0);
  p2 = point(column2, 0.0);
  p3 = point(column3, 1.0);
  p4 = point(column4, 2.0);
  range = column2.xy;

  // Neighbouring quads must not share a pixel, or it would be blended twice.
  float left = floor(box.x + float(gl_InstanceID) * column_width + 0.5);
  float right = floor(box.x + float(gl_InstanceID + 1) * column_width + 0.5);
  // Nothing is drawn above the line.
  float margin = half_width + 1.0;
  float top = min(column2.x, p2.y);
  if (p1.z > 0.5) top = min(top, p1.y);
  if (p3.z > 0.5) top = min(top, p3.y);
  top = max(floor(top - margin), floor(box.y - margin));

  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  vec2 at = vec2(mix(left, right, corner.x), mix(top, ceil(box.w + margin), corner.y));
  if (p2.z < 0.5) at = vec2(-2.0);
  gl_Position = vec4(at.x / framebuffer.x * 2.0 - 1.0, 1.0 - at.y / framebuffer.y * 2.0, 0.0, 1.0);
}
