// Writes the bytes of a file to an AtomicFile, through gzip if requested.
#pragma once

#include <zlib.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "io/atomic_file.h"

namespace lanescope::io {

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
