#include "io/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/platform/files.h"
#include "base/translate.h"

namespace lanescope::io {
namespace {

namespace fs = std::filesystem;

/// The final target of a chain of symbolic links, which need not exist. Renaming onto a link would replace the link.
fs::path follow_links(fs::path path) {
  std::error_code ignored;
  for (int hops = 0; hops < 32 && fs::is_symlink(path, ignored); ++hops) {
    if (!base::may_follow(path)) {
      throw base::FileError(path.string() + ": " + base::tr("cannot write") + ": " +
                            base::tr("a link of somebody else, in a folder where everybody may write"));
    }
    const fs::path next = fs::read_symlink(path, ignored);
    if (ignored) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

std::FILE* create_beside(const fs::path& target, fs::path& temporary) {
  static std::atomic<unsigned> serial{0};
  for (;;) {
    // Not derived from the target's name, which may already have the maximum length.
    const std::string name =
        ".lanescope-" + std::to_string(base::process_number()) + "-" + std::to_string(serial++) + ".tmp";
    temporary = target.parent_path() / name;
    std::FILE* const file = base::create_file(temporary);
    if (file != nullptr || errno != EEXIST) return file;
  }
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), target_(follow_links(path_)) {
  std::error_code ignored;
  const fs::file_status status = fs::status(target_, ignored);
  const bool exists = fs::exists(status);
  if (path_.empty()) fail(base::tr("cannot write"), ENOENT);
  if (fs::is_directory(status)) fail(base::tr("cannot write"), EISDIR);
  // Renaming needs only the folder's permission, but a read-only file must not be replaced.
  if (exists && !base::may_write(target_)) fail(base::tr("cannot write"), errno);

  if (exists && !fs::is_regular_file(status)) {
    file_ = base::open_file(target_, "wb");
    if (file_ == nullptr) fail(base::tr("cannot write"), errno);
    return;
  }
  file_ = create_beside(target_, temporary_);
  if (file_ == nullptr) fail(base::tr("cannot write"), errno);
  if (exists) fs::permissions(temporary_, status.permissions(), ignored);
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void AtomicFile::write(std::string_view bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    fail(base::tr("cannot write"), errno);
  }
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0) fail(base::tr("cannot write"), errno);
  // Without this, a power failure after the rename could leave an empty file under the final name.
  if (!temporary_.empty() && !base::sync_file(file_)) fail(base::tr("cannot write"), errno);
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(base::tr("cannot write"), errno);
  if (temporary_.empty()) return;
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) fail(base::tr("cannot write"), error.value());
  temporary_.clear();
}

void AtomicFile::fail(const char* what, int error) const {
  throw base::FileError(path_.string() + ": " + what + ": " + base::system_error_text(error));
}

void write_text_file(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

// --- byte sink -------------------------------------------------------------------------------------------------------

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
