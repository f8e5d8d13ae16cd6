// The text of source files of the watched program, for names like "train.py:57 loss.item()".
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::attach {

class SourceLines {
 public:
  /// Relative paths are relative to this folder, the program's working directory.
  explicit SourceLines(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The file as a path on this machine, if it is there.
  std::optional<std::filesystem::path> find(std::string_view file) const;
  /// The line without the white space around it and a comment at its end, at most `most` characters; empty if the file
  /// cannot be read. Lines count from 1.
  std::string line(std::string_view file, std::uint32_t line, std::size_t most = 48);
  /// The lines of the loops (`for`, `while`) around this line in the same function, outermost first: those above that
  /// are indented less, and the line itself if it is one. Empty if there are none, or the file cannot be read.
  std::vector<std::uint32_t> loops_around(std::string_view file, std::uint32_t line);

 private:
  const std::vector<std::string>& lines(std::string_view file);

  std::filesystem::path folder_;
  std::map<std::string, std::vector<std::string>, std::less<>> files_;
};

}  // namespace lanescope::attach
