#include "model/code/user_files.h"

#include <algorithm>
#include <fstream>

#include "base/plain_text.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 8 << 20;
constexpr std::size_t kMostLines = 1 << 17;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && !error;
}

bool begins_with(const std::string& path, const std::string& folder) {
  if (!path.starts_with(folder)) return false;
  return folder.ends_with('/') || path.size() == folder.size() || path[folder.size()] == '/';
}

std::optional<std::vector<std::string>> read_lines(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  std::ifstream stream(path);
  if (error || bytes == 0 || bytes > kLargestFile || !stream) return std::nullopt;  // in /proc all seem empty
  std::vector<std::string> lines;
  for (std::string line; lines.size() < kMostLines && std::getline(stream, line);) {
    if (line.find('\0') != std::string::npos) return std::nullopt;
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(base::valid_utf8(line));
  }
  return lines;
}

}  // namespace

MovedSources moved_with(const fs::path& recorded, const fs::path& found) {
  fs::path from = recorded.lexically_normal(), to = found.lexically_normal();
  while (from.has_relative_path() && to.has_relative_path() && from.filename() == to.filename()) {
    from = from.parent_path();
    to = to.parent_path();
  }
  return {from.string(), to.string()};
}

void UserFiles::set_folders(std::vector<fs::path> folders) {
  if (folders == folders_) return;
  folders_ = std::move(folders);
  files_.clear();
}

void UserFiles::set_moved(std::vector<MovedSources> moved) {
  if (moved == moved_) return;
  moved_ = std::move(moved);
  files_.clear();
}

fs::path UserFiles::absolute(std::string_view recorded) const {
  const fs::path path = recorded;
  if (path.is_absolute() || folders_.empty()) return path.lexically_normal();
  for (const fs::path& folder : folders_) {
    if (is_file(folder / path)) return (folder / path).lexically_normal();
  }
  return (folders_.front() / path).lexically_normal();
}

std::optional<fs::path> UserFiles::find(std::string_view recorded) const {
  if (recorded.empty() || recorded.front() == '<') return std::nullopt;  // "<string>"
  const fs::path path = absolute(recorded);
  const std::string text = path.string();
  // What the user has chosen comes first: there may be another file where the program had its own.
  for (const MovedSources& moved : moved_) {
    if (!begins_with(text, moved.from)) continue;
    std::string rest = text.substr(moved.from.size());
    if (rest.starts_with('/')) rest.erase(0, 1);
    const fs::path there = rest.empty() ? fs::path(moved.to) : fs::path(moved.to) / rest;
    if (is_file(there)) return there;
  }
  return is_file(path) ? std::optional(path) : std::nullopt;
}

const std::vector<std::string>* UserFiles::lines(std::string_view recorded) const {
  auto known = files_.find(recorded);
  if (known == files_.end()) {
    const auto path = find(recorded);
    known = files_.emplace(std::string(recorded), path ? read_lines(*path) : std::nullopt).first;
  }
  return known->second ? &*known->second : nullptr;
}

std::string UserFiles::line(std::string_view recorded, std::uint32_t number) const {
  const std::vector<std::string>* all = lines(recorded);
  if (!all || number == 0 || number > all->size()) return {};
  const std::string& text = (*all)[number - 1];
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace lanescope::ui
