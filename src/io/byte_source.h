// Reads the bytes of a file or of memory in pieces, decompressing gzip, Zstandard and a ZIP archive of one file on the
// way. Never holds the whole file.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/reading.h"

namespace lanescope::io {

struct ByteLimits {
  std::uint64_t decompressed = std::uint64_t{256} << 30;  ///< the memory needed for its events is limited elsewhere
  /// Traces compress to about a twentieth. Beyond this ratio (checked after the first 64 MB), a file counts as a
  /// decompression bomb.
  std::uint64_t ratio = 250;
};

class ByteSource {
 public:
  /// Throws base::FileError with the path and the reason (missing, a directory, empty, no permission).
  explicit ByteSource(std::filesystem::path path, ByteLimits limits = {});
  /// The same for memory, which must outlive this object; `name` replaces the path in messages.
  ByteSource(std::string_view bytes, std::filesystem::path name, ByteLimits limits = {});
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The next piece, valid until the next call; empty at the end. Throws base::FileError (read error, over the limits),
  /// which is Damaged after the last of the bytes that a corrupt or truncated gzip has.
  std::string_view next();
  /// The same into `to`: how many of at most `size` bytes were read.
  std::size_t read(char* to, std::size_t size);
  /// What next() will return: at least eight bytes, unless there are fewer.
  std::string_view peek();
  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return total_; }  ///< of the file; 0: unknown, as of a pipe
  /// From now on, `progress` receives the number of bytes read, and next() throws Cancelled if it requests a stop.
  void report_to(ReadProgress& progress);

  [[noreturn]] void fail(std::string_view why) const;
  std::string named(std::string_view why) const;  ///< with the path before it

 private:
  void begin();
  void open_zip();
  void start_inflating(int window);
  bool refill();
  bool seek(std::uint64_t at);
  std::size_t copy_out(char* to, std::size_t size);
  std::size_t read_some(char* to, std::size_t size);
  void check_progress();
  void count_delivered(std::size_t bytes);
  std::size_t inflate_some(char* to, std::size_t size);
  std::size_t unpack_zstd(char* to, std::size_t size);
  std::size_t unpack(char* to, std::size_t size);
  void break_off(const std::string& why, bool delivered);

  const std::filesystem::path path_;
  const ByteLimits limits_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;  // null: memory_
  std::string_view whole_, memory_;                       // all of it, and what is left
  std::vector<char> input_, output_;
  std::string_view peeked_;
  std::size_t begin_ = 0, end_ = 0;  // the unused part of input_
  std::uint64_t read_ = 0, delivered_ = 0;
  std::uint64_t total_ = 0;  // size of the file; 0: unknown
  ReadProgress* progress_ = nullptr;
  enum class Packing : std::uint8_t { None, Gzip, Zstandard, Zip, ZipStored } packing_ = Packing::None;
  bool in_member_ = false;
  std::uint64_t stored_left_ = 0;  // of a file that is only stored in a ZIP archive
  std::string broken_;             // why the packed data ends here; empty: it does not
  z_stream stream_{};
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> zstd_{nullptr, ZSTD_freeDCtx};
};

}  // namespace lanescope::io
