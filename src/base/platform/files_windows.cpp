#include <windows.h>
// After windows.h, which declares what they need.
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>
#include <string>
#include <system_error>

#include "base/platform/files.h"
#include "base/platform/wide_windows.h"

namespace lanescope::base {

namespace fs = std::filesystem;

namespace {

// Others may read it meanwhile, rename it or remove it, as on other systems.
int open_number(const fs::path& path, bool write, bool create_new) {
  const DWORD how = create_new ? CREATE_NEW : write ? CREATE_ALWAYS : OPEN_EXISTING;
  HANDLE const handle = ::CreateFileW(path.c_str(), write ? GENERIC_WRITE | GENERIC_READ : GENERIC_READ,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, how,
                                      FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    const std::error_code error(static_cast<int>(::GetLastError()), std::system_category());
    const std::error_condition condition = error.default_error_condition();
    errno = condition.category() == std::generic_category() ? condition.value() : EIO;
    return -1;
  }
  const int number = ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), (write ? _O_RDWR : _O_RDONLY) | _O_BINARY);
  if (number < 0) ::CloseHandle(handle);
  return number;
}

std::FILE* stream_of(int number, const char* mode) {
  if (number < 0) return nullptr;
  std::FILE* const file = ::_fdopen(number, mode);
  if (file == nullptr) ::_close(number);
  return file;
}

}  // namespace

std::FILE* open_file(const fs::path& path, const char* mode) {
  const bool write = mode[0] == 'w';
  return stream_of(open_number(path, write, false), write ? "wb" : "rb");
}

std::FILE* create_file(const fs::path& path) { return stream_of(open_number(path, true, true), "wb"); }

bool sync_file(std::FILE* file) { return ::_commit(::_fileno(file)) == 0 || errno == EBADF; }

bool may_follow(const fs::path&) { return true; }  // folders that all may write in have no links of others

bool may_write(const fs::path& path) {
  constexpr int kWrite = 2;
  return ::_waccess(path.c_str(), kWrite) == 0;
}

std::optional<FileFacts> file_facts(const fs::path& path) {
  WIN32_FILE_ATTRIBUTE_DATA data{};
  if (::GetFileAttributesExW(path.c_str(), GetFileExInfoStandard, &data) == 0) {
    errno = ENOENT;
    return std::nullopt;
  }
  constexpr std::int64_t kTo1970 = 116'444'736'000'000'000;  // in steps of 100 ns, from 1601
  const auto whole = [](DWORD high, DWORD low) { return std::int64_t{high} << 32 | low; };
  return FileFacts{
      static_cast<std::uint64_t>(whole(data.nFileSizeHigh, data.nFileSizeLow)),
      (whole(data.ftLastWriteTime.dwHighDateTime, data.ftLastWriteTime.dwLowDateTime) - kTo1970) * 100,
      static_cast<std::uint64_t>(whole(data.ftCreationTime.dwHighDateTime, data.ftCreationTime.dwLowDateTime))};
}

// The folder for temporary files is the user's own here.
fs::path make_temporary_folder(std::string_view name) {
  static std::atomic<unsigned> serial{0};
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  constexpr int kTries = 100;
  for (int i = 0; !error && i < kTries; ++i) {
    const fs::path folder = parent / wide(std::string(name) + "-" + std::to_string(process_number()) + "-" +
                                          std::to_string(::GetTickCount64()) + "-" + std::to_string(serial++));
    if (fs::create_directory(folder, error)) return folder;
  }
  return {};
}

std::uint32_t process_number() { return ::GetCurrentProcessId(); }

PlainFile::PlainFile(const fs::path& path, For what) : file_(open_number(path, what == For::Writing, false)) {}

PlainFile::~PlainFile() {
  if (file_ >= 0) ::_close(file_);
}

std::optional<std::uint64_t> PlainFile::size() const {
  const std::int64_t bytes = ::_filelengthi64(file_);
  if (bytes < 0) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::optional<std::size_t> PlainFile::read(char* out, std::size_t count, std::uint64_t at) const {
  if (::_lseeki64(file_, static_cast<std::int64_t>(at), SEEK_SET) < 0) return std::nullopt;
  constexpr std::size_t kMost = 1 << 30;
  const int got = ::_read(file_, out, static_cast<unsigned>(std::min(count, kMost)));
  if (got < 0) return std::nullopt;
  return static_cast<std::size_t>(got);
}

bool PlainFile::append(std::string_view bytes) {
  constexpr std::size_t kMost = 1 << 30;
  while (!bytes.empty()) {
    const int done = ::_write(file_, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), kMost)));
    if (done < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

bool PlainFile::shorten(std::uint64_t bytes) { return ::_chsize_s(file_, static_cast<std::int64_t>(bytes)) == 0; }

bool PlainFile::sync() { return ::_commit(file_) == 0 || errno == EBADF; }

}  // namespace lanescope::base
