#include "experiment/own_files.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/translate.h"

namespace lanescope::experiment {
namespace {

namespace fs = std::filesystem;
using base::tr;

constexpr std::uintmax_t kMostBytes = 1 << 20;

}  // namespace

std::string own_file_text(const fs::path& path) {
  std::error_code error;
  const bool regular = fs::is_regular_file(path, error);
  if (!regular && !error && fs::exists(path, error)) {
    throw base::FileError(tr("{}: is not a file; allowed: a .toml file", path.string()));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw base::FileError(fmt::format("{}: {}: {}", path.string(), tr("cannot read"), base::system_error_text(errno)));
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw base::FileError(fmt::format("{}: {}", path.string(), tr("cannot read")));
  if (text.size() > kMostBytes) {
    throw base::FileError(tr("{}: is too large; allowed: at most {} bytes", path.string(), kMostBytes));
  }
  return text;
}

fs::path own_file_key(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored);
  return (whole.empty() ? path : whole).lexically_normal();
}

bool is_file_argument(std::string_view argument) {
  return argument.ends_with(".toml") || fs::path(argument).has_parent_path();
}

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::vector<std::string> names_in(const std::string& text, const fs::path& path) {
  const std::string stem = in_lower_case(path.stem().string());
  std::vector<std::string> names{stem, stem.substr(0, stem.find('-'))};
  try {
    const toml::table table = toml::parse(text);
    for (const char* key : {"id", "name"}) {
      if (const auto name = table[key].value<std::string>()) names.push_back(in_lower_case(*name));
    }
  } catch (const toml::parse_error&) {  // then by the file's name only
  }
  return names;
}

}  // namespace lanescope::experiment
