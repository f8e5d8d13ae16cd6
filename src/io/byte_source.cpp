#include "io/byte_source.h"

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/platform/files.h"
#include "base/time.h"
#include "base/translate.h"

namespace lanescope::io {
namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr std::size_t kLeast = 8;
constexpr std::uint64_t kRatioMatters = 64u << 20;
constexpr int kSourceGzipWindow = 15 + 16;  // zlib's code for a gzip header only

std::string cannot_read(int error) {
  return std::string(base::tr("cannot read")) + ": " + base::system_error_text(error);
}

}  // namespace

ByteSource::ByteSource(std::filesystem::path path, ByteLimits limits)
    : path_(std::move(path)), limits_(limits), file_(nullptr, std::fclose), input_(kPiece), output_() {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) fail(cannot_read(EISDIR));
  file_.reset(base::open_file(path_, "rb"));
  if (!file_) fail(cannot_read(errno));
  const std::uintmax_t size = std::filesystem::file_size(path_, ignored);
  if (!ignored) total_ = size;
  begin();
}

ByteSource::ByteSource(std::string_view bytes, std::filesystem::path name, ByteLimits limits)
    : path_(std::move(name)), limits_(limits), file_(nullptr, std::fclose), input_(kPiece), output_() {
  memory_ = bytes;
  total_ = bytes.size();
  begin();
}

void ByteSource::report_to(ReadProgress& progress) {
  progress_ = &progress;
  progress.stage.store(ReadStage::Reading, std::memory_order_relaxed);
  progress.total.store(total_, std::memory_order_relaxed);
}

void ByteSource::begin() {
  if (file_) std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  if (!refill()) fail(base::tr("the file is empty"));
  if (std::string_view(input_.data(), end_).starts_with("\x28\xB5\x2F\xFD")) {
    constexpr int kLargestWindow = 27;  // 128 MB, as the program zstd allows
    zstd_.reset(ZSTD_createDCtx());
    if (!zstd_) fail(base::tr("cannot read: out of memory"));
    ZSTD_DCtx_setParameter(zstd_.get(), ZSTD_d_windowLogMax, kLargestWindow);
    in_member_ = true;
    return;
  }
  gzip_ = end_ >= 2 && input_[0] == '\x1f' && input_[1] == '\x8b';
  if (!gzip_) return;
  if (inflateInit2(&stream_, kSourceGzipWindow) != Z_OK) fail(base::tr("cannot read: out of memory"));
  in_member_ = true;
}

ByteSource::~ByteSource() {
  if (gzip_) inflateEnd(&stream_);
}

// 0: the end.
std::size_t ByteSource::read_some(char* to, std::size_t size) {
  if (!file_) {
    const std::size_t taken = memory_.copy(to, size);
    memory_.remove_prefix(taken);
    return taken;
  }
  errno = 0;
  const std::size_t got = std::fread(to, 1, size, file_.get());
  if (got == 0 && std::ferror(file_.get())) fail(cannot_read(errno));
  return got;
}

bool ByteSource::refill() {
  begin_ = 0;
  end_ = 0;
  // A pipe may return less than requested, but the format check needs some bytes.
  while (end_ < kLeast) {
    const std::size_t got = read_some(input_.data() + end_, input_.size() - end_);
    if (got == 0) break;
    end_ += got;
  }
  read_ += end_;
  return end_ > 0;
}

std::string_view ByteSource::peek() {
  if (peeked_.empty()) peeked_ = next();
  return peeked_;
}

std::string_view ByteSource::next() {
  if (!peeked_.empty()) return std::exchange(peeked_, {});
  check_progress();
  std::string_view piece;
  if (compressed()) {
    output_.resize(kPiece);
    piece = std::string_view(output_.data(), inflate_some(output_.data(), output_.size()));
  } else if (begin_ < end_ || refill()) {
    piece = std::string_view(input_.data() + begin_, end_ - begin_);
    begin_ = end_;
  }
  count_delivered(piece.size());
  return piece;
}

std::size_t ByteSource::read(char* to, std::size_t size) {
  if (!peeked_.empty()) {
    const std::size_t n = peeked_.copy(to, size);
    peeked_.remove_prefix(n);
    return n;
  }
  check_progress();
  std::size_t n = 0;
  if (compressed()) {
    n = inflate_some(to, size);
  } else if (begin_ < end_) {
    n = std::string_view(input_.data() + begin_, end_ - begin_).copy(to, size);
    begin_ += n;
  } else {
    n = read_some(to, size);
    read_ += n;
  }
  count_delivered(n);
  return n;
}

void ByteSource::check_progress() {
  if (!progress_) return;
  if (progress_->cancelled.load(std::memory_order_relaxed)) throw Cancelled(path_.string());
  progress_->done.store(read_ - (end_ - begin_), std::memory_order_relaxed);
}

void ByteSource::count_delivered(std::size_t bytes) {
  delivered_ += bytes;
  if (delivered_ > limits_.decompressed) {
    fail(base::tr("too large; at most {} are read",
                  base::format_bytes(static_cast<std::int64_t>(limits_.decompressed))));
  }
  if (compressed() && delivered_ > kRatioMatters && delivered_ / limits_.ratio > read_) {
    fail(base::tr("not a trace: it decompresses to far more than any trace does"));
  }
}

// What could be decompressed before is delivered first.
void ByteSource::break_off(const std::string& why, bool delivered) {
  broken_ = why;
  if (delivered) return;
  throw Damaged(named(why),
                begin_ == end_ ? base::tr("The file is cut off: its compressed data ends too early.")
                               : base::tr("The file is damaged: its compressed data cannot be read to the end."),
                true);
}

std::size_t ByteSource::unpack_zstd(char* to, std::size_t size) {
  ZSTD_outBuffer out{to, size, 0};
  while (out.pos < out.size) {
    if (!broken_.empty()) {
      break_off(broken_, out.pos > 0);
      break;
    }
    if (begin_ == end_ && !refill()) {
      if (!in_member_) break;
      broken_ = base::tr("the file is truncated: its Zstandard data ends too early");
      continue;
    }
    ZSTD_inBuffer in{input_.data() + begin_, end_ - begin_, 0};
    const std::size_t left = ZSTD_decompressStream(zstd_.get(), &out, &in);
    begin_ += in.pos;
    if (ZSTD_isError(left)) {
      broken_ = std::string(base::tr("broken Zstandard data")) + ": " + ZSTD_getErrorName(left);
    } else {
      in_member_ = left != 0;  // another frame may follow
    }
  }
  return out.pos;
}

std::size_t ByteSource::inflate_some(char* to, std::size_t size) {
  if (zstd_) return unpack_zstd(to, size);
  stream_.next_out = reinterpret_cast<Bytef*>(to);
  stream_.avail_out = static_cast<uInt>(size);
  const auto broken = [&](const std::string& why) { break_off(why, stream_.avail_out < size); };
  while (stream_.avail_out > 0) {
    if (!broken_.empty()) {
      broken(broken_);
      break;
    }
    if (begin_ == end_ && !refill()) {
      if (in_member_) {
        broken(base::tr("the file is truncated: its gzip data ends too early"));
        continue;
      }
      break;
    }
    if (!in_member_) {
      // A gzip file may have several members in sequence; other bytes after the last are padding.
      if (input_[begin_] != '\x1f' || inflateReset(&stream_) != Z_OK) {
        begin_ = end_;
        break;
      }
      in_member_ = true;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data() + begin_);
    stream_.avail_in = static_cast<uInt>(end_ - begin_);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    begin_ = end_ - stream_.avail_in;
    if (result == Z_STREAM_END) {
      in_member_ = false;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      broken(std::string(base::tr("broken gzip data")) +
             (stream_.msg ? std::string(": ") + stream_.msg : std::string()));
    }
  }
  return size - stream_.avail_out;
}

std::string ByteSource::named(std::string_view why) const { return path_.string() + ": " + std::string(why); }
void ByteSource::fail(std::string_view why) const { throw base::FileError(named(why)); }

}  // namespace lanescope::io
