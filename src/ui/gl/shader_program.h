// A vertex and a fragment shader of shaders/, embedded in the program, or read from a folder while developing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace lanescope::ui {

/// From now on shaders come from this folder and are read again when their files change; an empty path goes back to the
/// embedded ones.
void set_shader_directory(std::filesystem::path folder);

/// Linked from "<name>.vert" and "<name>.frag". A shader of the folder that does not compile is reported in one line of
/// the log and the last good program stays.
class ShaderProgram {
 public:
  explicit ShaderProgram(std::string name);  ///< throws base::FileError when the embedded shaders do not compile
  ~ShaderProgram();
  ShaderProgram(const ShaderProgram&) = delete;
  ShaderProgram& operator=(const ShaderProgram&) = delete;

  /// The GL name of the program, rebuilt first where its files have changed.
  unsigned get();
  int uniform(const char* uniform_name) const;
  std::uint64_t version() const { return version_; }  ///< counts the programs that were linked

 private:
  void reload_if_changed();

  std::string name_;
  unsigned program_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t seen_setting_ = 0;
  std::filesystem::file_time_type seen_vertex_{}, seen_fragment_{};
};

}  // namespace lanescope::ui
