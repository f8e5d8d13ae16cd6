// The contents of a folder for our own file dialog, and what a typed path means there.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/background_job.h"

namespace lanescope::ui {

struct FileEntry {
  std::string name;
  bool folder = false;
  std::uint64_t bytes = 0;
  std::time_t changed = 0;

  bool operator==(const FileEntry&) const = default;
};

struct FolderContents {
  std::filesystem::path folder;
  std::vector<FileEntry> entries;  ///< folders first, each by name; hidden ones are left out
  std::string problem;             ///< why it could not be read
};

enum class FileColumn : std::uint8_t { Name, Size, Changed };

/// Folders, and the files with one of these endings (empty: all). Symbolic links count as what they lead to.
FolderContents read_folder(const std::filesystem::path& folder, const std::vector<std::string>& endings,
                           const base::Stop* stop = nullptr);
/// Folders first; names ignoring case, the largest and the newest first; reversed if `backwards`.
void sort_entries(std::vector<FileEntry>& entries, FileColumn by, bool backwards);
/// The indices of the entries whose names contain `typed`, ignoring case.
std::vector<std::size_t> matching_entries(const std::vector<FileEntry>& entries, std::string_view typed);
/// `typed` continued as far as all names agree that begin with it; a folder that is the only one gets its "/".
std::string completed(const std::vector<FileEntry>& entries, std::string_view typed);
/// A typed path: "~/a" is in the home folder, "a" in `folder`; without ".." where possible.
std::filesystem::path typed_path(const std::filesystem::path& folder, std::string_view typed);
/// True if the name ends with one of these, ignoring case; any name if there are none.
bool has_ending(std::string_view name, const std::vector<std::string>& endings);

}  // namespace lanescope::ui
