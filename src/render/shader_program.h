// A vertex and a fragment shader, embedded from shaders/, or read from a folder during development.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace lanescope::ui {

/// Reads shaders from this folder from now on, again whenever their files change. An empty path returns to the embedded
/// ones.
void set_shader_directory(std::filesystem::path folder);

/// A program linked from "<name>.vert" and "<name>.frag". If a shader of the folder does not compile, logs one line and
/// keeps the last working program.
class ShaderProgram {
 public:
  explicit ShaderProgram(std::string name);  ///< throws base::FileError if the embedded shaders do not compile
  ~ShaderProgram();
  ShaderProgram(const ShaderProgram&) = delete;
  ShaderProgram& operator=(const ShaderProgram&) = delete;

  /// The program's GL name. Rebuilds the program first if its files have changed.
  unsigned get();
  int uniform(const char* uniform_name) const;
  std::uint64_t version() const { return version_; }  ///< the number of programs linked so far

 private:
  void reload_if_changed();

  std::string name_;
  unsigned program_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t seen_setting_ = 0;
  std::filesystem::file_time_type seen_vertex_{}, seen_fragment_{};
};

}  // namespace lanescope::ui
