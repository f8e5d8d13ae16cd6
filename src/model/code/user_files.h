// The source files of the user's own program, found by the paths that the program knows them by.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::ui {

/// A folder of the program that is elsewhere on this machine: what begins with `from` begins with `to`.
struct MovedSources {
  std::string from, to;
  bool operator==(const MovedSources&) const = default;
};
inline constexpr std::size_t kMovedSources = 16;

/// What a file has moved with: `found` is the file that the program knows as `recorded`. The folders above what the two
/// paths have in common; for a file of another name, the whole paths.
MovedSources moved_with(const std::filesystem::path& recorded, const std::filesystem::path& found);

/// Reads each file once, when it is first asked for. The window's thread only.
class UserFiles {
 public:
  /// Relative paths are relative to the first of these folders that has the file: the processes' working directories.
  void set_folders(std::vector<std::filesystem::path> folders);
  void set_moved(std::vector<MovedSources> moved);
  /// What was read may have changed since.
  void forget() { files_.clear(); }

  /// The path with the program's folder before it, whether the file is there or not.
  std::filesystem::path absolute(std::string_view recorded) const;
  std::optional<std::filesystem::path> find(std::string_view recorded) const;
  /// Null if the file is not there, or cannot be read as text.
  const std::vector<std::string>* lines(std::string_view recorded) const;
  /// Without the white space around it; empty if it is not known. Lines count from 1.
  std::string line(std::string_view recorded, std::uint32_t line) const;

 private:
  std::vector<std::filesystem::path> folders_;
  std::vector<MovedSources> moved_;
  mutable std::map<std::string, std::optional<std::vector<std::string>>, std::less<>> files_;
};

}  // namespace lanescope::ui
