#include "shell/file_list.h"

#include <algorithm>

#include "base/platform/files.h"
#include "base/settings_folder.h"
#include "base/time.h"
#include "base/translate.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 50'000;

std::string file_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace

bool has_ending(std::string_view name, const std::vector<std::string>& endings) {
  const std::string small = file_lower(name);
  return endings.empty() || std::ranges::any_of(endings, [&](const std::string& e) { return small.ends_with(e); });
}

FolderContents read_folder(const fs::path& folder, const std::vector<std::string>& endings, const base::Stop* stop) {
  FolderContents contents{folder, {}, {}};
  std::error_code error;
  fs::directory_iterator at(folder, error);
  while (!error && at != fs::directory_iterator() && !(stop && *stop) && contents.entries.size() < kMostEntries) {
    FileEntry entry;
    entry.name = at->path().filename().string();
    const auto facts = entry.name.starts_with('.') ? std::nullopt : base::file_facts(at->path());
    if (facts) {
      entry.folder = facts->folder;
      entry.bytes = facts->bytes;
      entry.changed = static_cast<std::time_t>(facts->changed_ns / base::kSecond);
      if (entry.folder || has_ending(entry.name, endings)) contents.entries.push_back(std::move(entry));
    }
    at.increment(error);
  }
  if (error) contents.problem = folder.string() + ": " + base::system_error_text(error.value());
  sort_entries(contents.entries, FileColumn::Name, false);
  return contents;
}

void sort_entries(std::vector<FileEntry>& entries, FileColumn by, bool backwards) {
  const auto before = [&](const FileEntry& a, const FileEntry& b) {
    if (by == FileColumn::Size && a.bytes != b.bytes) return a.bytes > b.bytes;
    if (by == FileColumn::Changed && a.changed != b.changed) return a.changed > b.changed;
    return std::pair(file_lower(a.name), a.name) < std::pair(file_lower(b.name), b.name);
  };
  std::sort(entries.begin(), entries.end(), [&](const FileEntry& a, const FileEntry& b) {
    if (a.folder != b.folder) return a.folder;
    return backwards ? before(b, a) : before(a, b);
  });
}

std::vector<std::size_t> matching_entries(const std::vector<FileEntry>& entries, std::string_view typed) {
  const std::string wanted = file_lower(typed);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (file_lower(entries[i].name).find(wanted) != std::string::npos) found.push_back(i);
  }
  return found;
}

std::string completed(const std::vector<FileEntry>& entries, std::string_view typed) {
  const FileEntry* only = nullptr;
  std::string common;
  std::size_t count = 0;
  for (const FileEntry& entry : entries) {
    if (!entry.name.starts_with(typed)) continue;
    only = &entry;
    if (++count == 1) {
      common = entry.name;
      continue;
    }
    std::size_t same = 0;
    while (same < common.size() && same < entry.name.size() && common[same] == entry.name[same]) ++same;
    // Never half of a character of several bytes.
    while (same > 0 && same < common.size() && (static_cast<unsigned char>(common[same]) & 0xC0) == 0x80) --same;
    common.resize(same);
  }
  if (count == 0) return std::string(typed);
  return count == 1 && only->folder ? common + "/" : common;
}

fs::path typed_path(const fs::path& folder, std::string_view typed) {
  std::string text(typed);
  if (text == "~" || text.starts_with("~/")) text = base::home_folder().string() + text.substr(1);
  const fs::path path = text;
  return (path.is_absolute() ? path : folder / path).lexically_normal();
}

}  // namespace lanescope::ui
