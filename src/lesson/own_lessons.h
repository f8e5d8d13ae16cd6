// Lessons from the user's own files, and the folders that such files are in. As experiment/own_experiments.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lesson/lesson.h"

namespace lanescope::lesson {

/// Reads a file, or reads it again, and before it the experiments that stand beside it: in the folder "experiments"
/// next to the folder that the file is in, as in the settings folder. Throws base::FileError with file, line, key and
/// what is allowed; look-ups then find what it said before. Refuses names of embedded lessons, and those of another
/// file in its folder.
const Lesson& add_file(const std::filesystem::path& path);
/// The file has gone: its lesson is no longer listed.
void forget_file(const std::filesystem::path& path);

/// Those listed, by their `order`.
std::vector<const Lesson*> own_lessons();
/// The user's own, then the embedded ones.
std::vector<const Lesson*> all_lessons();
/// The file that a lesson comes from; empty for an embedded one.
std::filesystem::path file_of(const Lesson& lesson);
/// What the file of an own lesson says now; the lesson itself if that cannot be used, or if it is embedded.
const Lesson& newest_version(const Lesson& lesson);
/// As given at the command line: a file (it ends in ".toml" or has a '/') or a name.
const Lesson& lesson_from_argument(std::string_view argument);

/// "experiments" and "lessons" in the settings folder. They need not exist.
std::filesystem::path own_experiments_folder();
std::filesystem::path own_lessons_folder();
/// Why files of own experiments and lessons cannot be used: one line each.
std::vector<std::string> own_file_errors();
/// Changes with every change of own experiments, own lessons and their errors.
std::uint64_t own_files_version();

/// Keeps own experiments and lessons up to date with their files: all in the two folders whose names end in ".toml",
/// and those added otherwise.
class OwnFolders {
 public:
  /// Cheap if no file has changed: names, sizes and times only. Reads what is new or has changed, and forgets what has
  /// gone. True if that changed anything, errors included.
  bool look();

 private:
  using Stamp = std::tuple<std::uintmax_t, std::int64_t, std::uint64_t>;  // size, time of change, inode
  std::map<std::filesystem::path, Stamp> experiments_, lessons_;
  bool looked_ = false;
};

}  // namespace lanescope::lesson
