#include "attach/source_lines.h"

#include <algorithm>
#include <fstream>

#include "base/plain_text.h"

namespace lanescope::attach {
namespace {

constexpr std::uintmax_t kLargestFile = 4 << 20;
constexpr std::size_t kMostLines = 1 << 17;

std::size_t indent_of(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? line.size() : first;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '#') {
      return trimmed(line.substr(0, i));
    }
  }
  return line;
}

bool is_loop(std::string_view line) {
  return line.starts_with("for ") || line.starts_with("while ") || line.starts_with("while(") ||
         line.starts_with("async for ");
}

}  // namespace

std::optional<std::filesystem::path> SourceLines::find(std::string_view file) const {
  if (file.empty() || file.front() == '<') return std::nullopt;
  const std::filesystem::path path = folder_ / std::filesystem::path(file);  // an absolute path stays as it is
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || error) return std::nullopt;
  return path;
}

const std::vector<std::string>& SourceLines::lines(std::string_view file) {
  const auto known = files_.find(file);
  if (known != files_.end()) return known->second;
  std::vector<std::string>& lines = files_[std::string(file)];
  const auto path = find(file);
  if (!path) return lines;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(*path, error);
  if (error || bytes == 0 || bytes > kLargestFile) return lines;  // in /proc all seem empty
  std::ifstream stream(*path);
  for (std::string line; lines.size() < kMostLines && std::getline(stream, line);) {
    lines.push_back(base::without_controls(line));
  }
  return lines;
}

std::string SourceLines::line(std::string_view file, std::uint32_t number, std::size_t most) {
  const std::vector<std::string>& all = lines(file);
  if (number == 0 || number > all.size()) return {};
  const std::string_view text = without_comment(trimmed(all[number - 1]));
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole characters
  return std::string(text.substr(0, end)) + "...";
}

std::vector<std::uint32_t> SourceLines::loops_around(std::string_view file, std::uint32_t number) {
  std::vector<std::uint32_t> loops;
  const std::vector<std::string>& all = lines(file);
  if (number == 0 || number > all.size()) return loops;
  if (is_loop(trimmed(all[number - 1]))) loops.push_back(number);
  std::size_t indent = indent_of(all[number - 1]);
  for (std::uint32_t i = number - 1; i > 0 && indent > 0; --i) {
    const std::string_view line = trimmed(all[i - 1]);
    if (line.empty() || line.front() == '#' || indent_of(all[i - 1]) >= indent) continue;
    if (is_loop(line)) loops.push_back(i);
    if (line.starts_with("def ") || line.starts_with("class ") || line.starts_with("async def ")) break;
    indent = indent_of(all[i - 1]);
  }
  std::reverse(loops.begin(), loops.end());
  return loops;
}

}  // namespace lanescope::attach
