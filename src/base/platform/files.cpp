#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/platform/files.h"

namespace lanescope::base {

namespace fs = std::filesystem;

std::FILE* open_file(const fs::path& path, const char* mode) {
  return std::fopen(path.c_str(), (std::string(mode) + "e").c_str());
}

std::FILE* create_file(const fs::path& path) { return std::fopen(path.c_str(), "wbxe"); }

bool sync_file(std::FILE* file) { return ::fsync(::fileno(file)) == 0 || errno == EINVAL; }

bool may_follow(const fs::path& link) {
  struct stat own {
  }, folder{};
  const fs::path parent = link.has_parent_path() ? link.parent_path() : fs::path(".");
  if (::lstat(link.c_str(), &own) != 0 || ::stat(parent.c_str(), &folder) != 0) return true;
  const bool shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return !shared || own.st_uid == ::geteuid() || own.st_uid == folder.st_uid;
}

bool may_write(const fs::path& path) { return ::access(path.c_str(), W_OK) == 0; }

std::optional<FileFacts> file_facts(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileFacts{static_cast<std::uint64_t>(status.st_size),
                   std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
                   static_cast<std::uint64_t>(status.st_ino)};
}

fs::path make_temporary_folder(std::string_view name) {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / name).string() + "-XXXXXX";
  if (error || ::mkdtemp(pattern.data()) == nullptr) return {};
  return pattern;
}

std::uint32_t process_number() { return static_cast<std::uint32_t>(::getpid()); }

PlainFile::PlainFile(const fs::path& path, For what)
    : file_(what == For::Reading ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC)
                                 : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {}

PlainFile::~PlainFile() {
  if (file_ >= 0) ::close(file_);
}

std::optional<std::uint64_t> PlainFile::size() const {
  struct stat now {};
  if (::fstat(file_, &now) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(now.st_size);
}

std::optional<std::size_t> PlainFile::read(char* out, std::size_t count, std::uint64_t at) const {
  for (;;) {
    const ssize_t got = ::pread(file_, out, count, static_cast<off_t>(at));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return std::nullopt;
  }
}

bool PlainFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file_, bytes.data(), bytes.size());
    if (done >= 0) bytes.remove_prefix(static_cast<std::size_t>(done));
    if (done < 0 && errno != EINTR) return false;
  }
  return true;
}

bool PlainFile::shorten(std::uint64_t bytes) { return ::ftruncate(file_, static_cast<off_t>(bytes)) == 0; }

bool PlainFile::sync() { return ::fsync(file_) == 0 || errno == EINVAL || errno == EROFS; }

}  // namespace lanescope::base
