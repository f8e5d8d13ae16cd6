#version 330 core
// Like plot.vert, for the part of a plot that is completely below its line.
layout(location = 0) in vec4 run;  // first column, one past the last, top and bottom in pixels

uniform vec2 framebuffer;    // its size in pixels
uniform vec4 box;            // of the plot: left, top, right, bottom in pixels from the top left
uniform float column_width;  // in pixels

void main() {
  vec2 sides = floor(box.x + run.xy * column_width + 0.5);
  vec2 at = vec2((gl_VertexID & 1) == 0 ? sides.x : sides.y, (gl_VertexID >> 1) == 0 ? run.z : run.w);
  gl_Position = vec4(at.x / framebuffer.x * 2.0 - 1.0, 1.0 - at.y / framebuffer.y * 2.0, 0.0, 1.0);
}
