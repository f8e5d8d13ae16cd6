// Files appear whole or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace lanescope::io {

/// A temporary file beside `path` that commit() renames to it; destroyed without commit() it is removed. Where `path`
/// is no regular file (a pipe, /dev/null), it is written to directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);  ///< throws base::FileError: path and why
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::FILE* stream() { return file_; }
  void write(std::string_view bytes);  ///< throws base::FileError
  void commit();                       ///< flushes, closes, renames; throws base::FileError

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;       // as the person wrote it
  std::filesystem::path target_;     // with symbolic links followed
  std::filesystem::path temporary_;  // empty when the target is written to directly
  std::FILE* file_ = nullptr;
};

/// Writes a whole text file this way.
void write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace lanescope::io
