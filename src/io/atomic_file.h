// Writes files atomically: a file is either complete or unchanged. As it is, or through gzip.
#pragma once

#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <vector>

namespace lanescope::io {

/// Writes to a temporary file beside `path`; commit() renames it, the destructor removes it. If `path` is not a regular
/// file (a pipe, /dev/null), writes to it directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);  ///< throws base::FileError with the path and the reason
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::FILE* stream() { return file_; }
  void write(std::string_view bytes);  ///< throws base::FileError
  void commit();                       ///< flushes, closes, renames; throws base::FileError

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;       // as given by the user
  std::filesystem::path target_;     // with symbolic links resolved
  std::filesystem::path temporary_;  // empty if the target is written to directly
  std::FILE* file_ = nullptr;
};

/// Writes a whole text file atomically. Throws base::FileError.
void write_text_file(const std::filesystem::path& path, std::string_view text);

// --- byte sink -------------------------------------------------------------------------------------------------------
// Writes the bytes of a file to an AtomicFile, through gzip if requested.

/// All functions throw base::FileError. Equal input gives equal output: the gzip header has no time and no name.
class ByteSink {
 public:
  ByteSink(const std::filesystem::path& path, bool gzip);
  ~ByteSink();
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  void deflate_some(std::string_view bytes, int flush);

  AtomicFile file_;
  const bool gzip_;
  std::vector<char> output_;
  z_stream stream_{};
};

}  // namespace lanescope::io
