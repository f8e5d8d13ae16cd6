#include "io/byte_sink.h"

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::io {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's code for a gzip header
constexpr int kMemoryLevel = 8;       // zlib's default
constexpr int kLevel = 4;             // for a trace's JSON: within a few per cent of level 6's size, in half the time

}  // namespace

ByteSink::ByteSink(const std::filesystem::path& path, bool gzip) : file_(path), gzip_(gzip) {
  if (!gzip_) return;
  output_.resize(256 * 1024);
  if (deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw base::FileError(path.string() + ": " + base::tr("cannot write: out of memory"));
  }
}

ByteSink::~ByteSink() {
  if (gzip_) deflateEnd(&stream_);
}

void ByteSink::write(std::string_view bytes) {
  if (gzip_) {
    deflate_some(bytes, Z_NO_FLUSH);
  } else {
    file_.write(bytes);
  }
}

void ByteSink::commit() {
  if (gzip_) deflate_some({}, Z_FINISH);
  file_.commit();
}

void ByteSink::deflate_some(std::string_view bytes, int flush) {
  // zlib does not modify its input, but declares that only in some builds.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
    stream_.avail_out = static_cast<uInt>(output_.size());
    deflate(&stream_, flush);
    file_.write({output_.data(), output_.size() - stream_.avail_out});
  } while (stream_.avail_out == 0);
}

}  // namespace lanescope::io
