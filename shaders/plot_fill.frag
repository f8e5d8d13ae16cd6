#version 330 core
// The fill below the line, which fades towards the bottom. Premultiplied.
uniform vec2 framebuffer;
uniform vec4 box;
uniform vec4 fill_colour;

out vec4 result;

void main() {
  float above = box.w - (framebuffer.y - gl_FragCoord.y);
  float fade = clamp(above / (box.w - box.y), 0.0, 1.0) * clamp(above + 0.5, 0.0, 1.0);
  result = vec4(fill_colour.rgb, 1.0) * (fill_colour.a * fade);
}
