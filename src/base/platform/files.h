// Files beyond what std::filesystem does. Where a function fails, errno says why.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

namespace lanescope::base {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// fopen(); programs that this one starts do not inherit it. The bytes are those of the file on every system.
std::FILE* open_file(const std::filesystem::path& path, const char* mode);
/// A new file, to be written; null with EEXIST if there is one.
std::FILE* create_file(const std::filesystem::path& path);
/// What was written is on the disk, as far as the system can tell.
bool sync_file(std::FILE* file);
/// False for a symbolic link that another user has put into a folder where everybody may write, such as /tmp: nobody
/// knows where it leads. Linux's protected_symlinks does the same for open(), but not for who reads the link himself.
bool may_follow(const std::filesystem::path& link);
/// Its permissions allow it to be written.
bool may_write(const std::filesystem::path& path);

struct FileFacts {
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;  ///< since 1970
  std::uint64_t id = 0;         ///< differs for another file of the same name, where the system numbers files
};
/// Of what a link leads to.
std::optional<FileFacts> file_facts(const std::filesystem::path& path);

/// A new folder of this name and a number, for temporary files, that only this user can enter; empty if there is none.
std::filesystem::path make_temporary_folder(std::string_view name);

std::uint32_t process_number();

/// A file that is read at any place, or written at its end while others read it.
class PlainFile {
 public:
  enum class For : std::uint8_t { Reading, Writing };  ///< Writing: a new file, or one that is emptied
  PlainFile(const std::filesystem::path& path, For what);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  explicit operator bool() const { return file_ >= 0; }
  std::optional<std::uint64_t> size() const;
  /// How many bytes were read; 0: the file's end. Empty: it failed.
  std::optional<std::size_t> read(char* out, std::size_t count, std::uint64_t at) const;
  bool append(std::string_view bytes);
  /// Leaves the first bytes.
  bool shorten(std::uint64_t bytes);
  /// As sync_file(); true for what cannot be synchronised, such as a pipe.
  bool sync();

 private:
  int file_ = -1;
};

}  // namespace lanescope::base
