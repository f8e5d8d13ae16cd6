#include "render/shader_program.h"

#include <spdlog/spdlog.h>
#include "render/gl.h"

#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/translate.h"
#include "lanescope_shaders.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;

struct ShaderSource {
  fs::path folder;            // empty: the embedded shaders
  std::uint64_t setting = 1;  // number of calls of set_shader_directory()
};

ShaderSource& shader_source() {
  static ShaderSource source;
  return source;
}

/// The first line of the driver's message, for a one-line log entry.
std::string first_line(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \r\n\t\0");
  if (begin == std::string_view::npos) return "no message";
  return std::string(text.substr(begin, text.find_first_of("\r\n", begin) - begin));
}

/// The shaders are written for OpenGL 3.3, in what it shares with OpenGL ES 3.0, the browser's.
std::string for_this_opengl(std::string_view text) {
#ifdef __EMSCRIPTEN__
  constexpr std::string_view kVersion = "#version 330 core\n";
  if (text.starts_with(kVersion)) text.remove_prefix(kVersion.size());
  return "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n#line 2\n" +
         std::string(text);
#else
  return std::string(text);
#endif
}

/// Returns the shader, or 0 and an error that mentions `name`.
GLuint compile(GLenum stage, const std::string& name, std::string_view text, std::string& error) {
  const GLuint shader = glCreateShader(stage);
  const std::string source = for_this_opengl(text);
  const char* data = source.data();
  const auto length = static_cast<GLint>(source.size());
  glShaderSource(shader, 1, &data, &length);
  glCompileShader(shader);
  GLint ok = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok == GL_TRUE) return shader;
  std::string message(1024, '\0');
  GLsizei used = 0;
  glGetShaderInfoLog(shader, static_cast<GLsizei>(message.size()), &used, message.data());
  message.resize(static_cast<std::size_t>(used));
  error = name + ": " + first_line(message);
  glDeleteShader(shader);
  return 0;
}

GLuint link(const std::string& name, std::string_view vertex_text, std::string_view fragment_text, std::string& error) {
  const GLuint vertex = compile(GL_VERTEX_SHADER, name + ".vert", vertex_text, error);
  if (vertex == 0) return 0;
  const GLuint fragment = compile(GL_FRAGMENT_SHADER, name + ".frag", fragment_text, error);
  if (fragment == 0) {
    glDeleteShader(vertex);
    return 0;
  }
  const GLuint program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  GLint ok = GL_FALSE;
  glGetProgramiv(program, GL_LINK_STATUS, &ok);
  if (ok == GL_TRUE) return program;
  std::string message(1024, '\0');
  GLsizei used = 0;
  glGetProgramInfoLog(program, static_cast<GLsizei>(message.size()), &used, message.data());
  message.resize(static_cast<std::size_t>(used));
  error = name + ": " + first_line(message);
  glDeleteProgram(program);
  return 0;
}

std::string embedded(const std::string& file) {
  const shaders::File* found = shaders::find(file);
  if (found == nullptr) throw base::FileError(file + ": " + base::tr("no such shader in the program"));
  return std::string(found->text);
}

bool read_text(const fs::path& path, std::string& text) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return false;
  text.assign(std::istreambuf_iterator<char>(stream), {});
  return true;
}

}  // namespace

void set_shader_directory(fs::path folder) {
  shader_source().folder = std::move(folder);
  ++shader_source().setting;
}

ShaderProgram::ShaderProgram(std::string name) : name_(std::move(name)) {
  std::string error;
  program_ = link(name_, embedded(name_ + ".vert"), embedded(name_ + ".frag"), error);
  if (program_ == 0) throw base::FileError(base::tr("OpenGL rejects the shader {}", error));
  version_ = 1;
  if (shader_source().folder.empty()) seen_setting_ = shader_source().setting;
}

ShaderProgram::~ShaderProgram() { glDeleteProgram(program_); }

unsigned ShaderProgram::get() {
  reload_if_changed();
  return program_;
}

int ShaderProgram::uniform(const char* uniform_name) const { return glGetUniformLocation(program_, uniform_name); }

void ShaderProgram::reload_if_changed() {
  const ShaderSource& source = shader_source();
  const bool new_setting = seen_setting_ != source.setting;
  if (source.folder.empty() && !new_setting) return;

  std::string vertex_text, fragment_text, error;
  bool complete = true;
  if (source.folder.empty()) {
    vertex_text = embedded(name_ + ".vert");
    fragment_text = embedded(name_ + ".frag");
  } else {
    const fs::path vertex = source.folder / (name_ + ".vert"), fragment = source.folder / (name_ + ".frag");
    std::error_code ignored;  // a missing file has the minimum time
    const auto vertex_time = fs::last_write_time(vertex, ignored);
    const auto fragment_time = fs::last_write_time(fragment, ignored);
    if (!new_setting && vertex_time == seen_vertex_ && fragment_time == seen_fragment_) return;
    seen_vertex_ = vertex_time;
    seen_fragment_ = fragment_time;
    for (const auto& [path, text] : {std::pair{&vertex, &vertex_text}, std::pair{&fragment, &fragment_text}}) {
      if (complete && !read_text(*path, *text)) {
        complete = false;
        error = path->string() + ": " + base::tr("cannot be read");
      }
    }
  }
  seen_setting_ = source.setting;

  const GLuint linked = complete ? link(name_, vertex_text, fragment_text, error) : 0;
  if (linked == 0) {
    spdlog::error("shader {}; the last good one stays", error);
    return;
  }
  glDeleteProgram(program_);
  program_ = linked;
  ++version_;
}

}  // namespace lanescope::ui
