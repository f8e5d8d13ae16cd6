#include "io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::io {
namespace {

namespace fs = std::filesystem;

/// The final target of a chain of symbolic links, which need not exist. Renaming onto a link would replace the link.
fs::path follow_links(fs::path path) {
  std::error_code ignored;
  for (int hops = 0; hops < 32 && fs::is_symlink(path, ignored); ++hops) {
    const fs::path next = fs::read_symlink(path, ignored);
    if (ignored) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

int create_beside(const fs::path& target, fs::path& temporary, mode_t mode) {
  static std::atomic<unsigned> serial{0};
  for (;;) {
    // Not derived from the target's name, which may already have the maximum length.
    const std::string name = ".lanescope-" + std::to_string(getpid()) + "-" + std::to_string(serial++) + ".tmp";
    temporary = target.parent_path() / name;
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), target_(follow_links(path_)) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (path_.empty()) fail(base::tr("cannot write"), ENOENT);
  if (exists && S_ISDIR(status.st_mode)) fail(base::tr("cannot write"), EISDIR);
  // Renaming needs only the folder's permission, but a read-only file must not be replaced.
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(base::tr("cannot write"), errno);

  int descriptor = -1;
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    descriptor = create_beside(target_, temporary_, 0666);
    if (descriptor >= 0 && exists) (void)::fchmod(descriptor, status.st_mode & 07777);
  }
  const int error = errno;
  if (descriptor >= 0) file_ = ::fdopen(descriptor, "wb");
  if (file_ == nullptr) {
    if (descriptor >= 0) ::close(descriptor);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());  // no destructor runs if the constructor throws
    fail(base::tr("cannot write"), error);
  }
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
  if (!temporary_.empty() && ::fsync(::fileno(file_)) != 0 && errno != EINVAL) fail(base::tr("cannot write"), errno);
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

}  // namespace lanescope::io
