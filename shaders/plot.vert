#version 330 core
// One instance is a run of neighbouring columns; nothing is drawn above the highest point of their line.
layout(location = 0) in vec3 run;  // first column, one past the last, top in pixels

uniform vec2 framebuffer;    // its size in pixels
uniform vec4 box;            // of the plot: left, top, right, bottom in pixels from the top left
uniform float column_width;  // in pixels
uniform float half_width;    // of the line, in pixels

void main() {
  // Runs meet on whole pixels, so that none is blended twice.
  vec2 sides = floor(box.x + run.xy * column_width + 0.5);
  vec2 heights = vec2(floor(run.z), ceil(box.w + half_width + 1.0));
  vec2 at = vec2((gl_VertexID & 1) == 0 ? sides.x : sides.y, (gl_VertexID >> 1) == 0 ? heights.x : heights.y);
  gl_Position = vec4(at.x / framebuffer.x * 2.0 - 1.0, 1.0 - at.y / framebuffer.y * 2.0, 0.0, 1.0);
}
