#include "io/byte_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
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
constexpr int kSourceGzipWindow = 15 + 16, kRawWindow = -15;  // zlib's codes for a gzip header only, and for none

std::string cannot_read(int error) {
  return std::string(base::tr("cannot read")) + ": " + base::system_error_text(error);
}

std::uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
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
  whole_ = memory_ = bytes;
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
    packing_ = Packing::Zstandard;
  } else if (end_ >= 2 && input_[0] == '\x1f' && input_[1] == '\x8b') {
    packing_ = Packing::Gzip;
    start_inflating(kSourceGzipWindow);
  } else if (std::string_view(input_.data(), end_).starts_with("PK\x03\x04")) {
    open_zip();
  }
}

void ByteSource::start_inflating(int window) {
  if (inflateInit2(&stream_, window) != Z_OK) fail(base::tr("cannot read: out of memory"));
  in_member_ = true;
}

// APPNOTE.TXT of PKWARE, 4.3: each file has a header before its data, and a directory at the end says which there are.
// Where there is none, in a pipe or a file that is cut off, the first file is taken.
void ByteSource::open_zip() {
  constexpr std::size_t kEnd = 22, kEntry = 46, kHeader = 30, kMostDirectory = 16u << 20;
  std::uint64_t at = 0;
  std::string tail(static_cast<std::size_t>(std::min<std::uint64_t>(total_, kEnd + 0xffff)), '\0');
  if (total_ > 0 && seek(total_ - tail.size()) && copy_out(tail.data(), tail.size()) == tail.size()) {
    const std::size_t end = tail.rfind("PK\x05\x06");
    std::string directory;
    if (end != std::string::npos && tail.size() - end >= kEnd && seek(little_endian(tail, end + 16, 4))) {
      directory.resize(std::min<std::size_t>(little_endian(tail, end + 12, 4), kMostDirectory));
      directory.resize(copy_out(directory.data(), directory.size()));
    }
    int files = 0;
    for (std::size_t e = 0; directory.compare(e, 4, "PK\x01\x02") == 0 && e + kEntry <= directory.size();) {
      const std::string name = directory.substr(e + kEntry, little_endian(directory, e + 28, 2));
      const bool folder = name.ends_with('/') || name.starts_with("__MACOSX/");
      if (!folder && files++ == 0) at = little_endian(directory, e + 42, 4);
      e += kEntry + name.size() + little_endian(directory, e + 30, 2) + little_endian(directory, e + 32, 2);
      if (e >= directory.size()) break;
    }
    if (files > 1 || (files == 0 && !directory.empty()))
      fail(base::tr("a ZIP archive of {} files; unpack it, and open them", files));
    if (!seek(at)) fail(cannot_read(errno));
    refill();
  }
  const std::string_view header(input_.data(), end_);
  if (header.size() < kHeader || !header.starts_with("PK\x03\x04")) fail(base::tr("the ZIP archive is damaged"));
  const std::uint32_t flags = little_endian(header, 6, 2), method = little_endian(header, 8, 2);
  begin_ = std::min<std::size_t>(end_, kHeader + little_endian(header, 26, 2) + little_endian(header, 28, 2));
  stored_left_ = little_endian(header, 18, 4);
  constexpr std::uint32_t kEncrypted = 1, kSizeFollows = 8, kDeflated = 8;
  if ((flags & kEncrypted) != 0 || (method != kDeflated && (method != 0 || (flags & kSizeFollows) != 0))) {
    fail(base::tr("a ZIP archive that is encrypted or packed in an unusual way; unpack it"));
  }
  packing_ = method == 0 ? Packing::ZipStored : Packing::Zip;
  if (method != 0) start_inflating(kRawWindow);
}

ByteSource::~ByteSource() {
  if (packing_ == Packing::Gzip || packing_ == Packing::Zip) inflateEnd(&stream_);
}

/// From there on, without what was read ahead. False: it cannot.
bool ByteSource::seek(std::uint64_t at) {
  begin_ = end_ = 0;
  if (file_) return at <= LONG_MAX && std::fseek(file_.get(), static_cast<long>(at), SEEK_SET) == 0;
  memory_ = whole_.substr(std::min<std::uint64_t>(at, whole_.size()));
  return true;
}

std::size_t ByteSource::copy_out(char* to, std::size_t size) {
  std::size_t n = 0;
  while (n < size) {
    const std::size_t got = read_some(to + n, size - n);
    if (got == 0) break;
    n += got;
  }
  return n;
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
  if (packing_ != Packing::None) {
    output_.resize(kPiece);
    piece = std::string_view(output_.data(), unpack(output_.data(), output_.size()));
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
  if (packing_ != Packing::None) {
    n = unpack(to, size);
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
  if (packing_ != Packing::None && delivered_ > kRatioMatters && delivered_ / limits_.ratio > read_) {
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

std::size_t ByteSource::unpack(char* to, std::size_t size) {
  if (packing_ == Packing::Zstandard) return unpack_zstd(to, size);
  if (packing_ != Packing::ZipStored) return inflate_some(to, size);
  if (begin_ == end_ && stored_left_ > 0 && !refill()) {
    broken_ = base::tr("the file is truncated: its ZIP data ends too early");
    break_off(broken_, false);
  }
  const std::string_view left(input_.data() + begin_, end_ - begin_);
  const std::size_t n = left.copy(to, static_cast<std::size_t>(std::min<std::uint64_t>(size, stored_left_)));
  begin_ += n;
  stored_left_ -= n;
  return n;
}

std::size_t ByteSource::inflate_some(char* to, std::size_t size) {
  stream_.next_out = reinterpret_cast<Bytef*>(to);
  stream_.avail_out = static_cast<uInt>(size);
  const auto broken = [&](const std::string& why) { break_off(why, stream_.avail_out < size); };
  while (stream_.avail_out > 0) {
    if (!broken_.empty()) {
      broken(broken_);
      break;
    }
    if (!in_member_ && packing_ == Packing::Zip) break;  // what follows is not its data
    if (begin_ == end_ && !refill()) {
      if (in_member_) {
        broken(packing_ == Packing::Zip ? base::tr("the file is truncated: its ZIP data ends too early")
                                        : base::tr("the file is truncated: its gzip data ends too early"));
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
      broken(std::string(packing_ == Packing::Zip ? base::tr("broken ZIP data") : base::tr("broken gzip data")) +
             (stream_.msg ? std::string(": ") + stream_.msg : std::string()));
    }
  }
  return size - stream_.avail_out;
}

std::string ByteSource::named(std::string_view why) const { return path_.string() + ": " + std::string(why); }
void ByteSource::fail(std::string_view why) const { throw base::FileError(named(why)); }

}  // namespace lanescope::io
