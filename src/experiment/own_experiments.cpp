#include "experiment/own_experiments.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <ranges>
#include <system_error>

#include "base/error.h"
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

// --- own experiments -------------------------------------------------------------------------------------------------

namespace {

using Files = OwnFiles<Experiment>;

Files& own() {
  static Files files;
  return files;
}

bool is_called(const Experiment& experiment, const std::string& wanted) {
  return in_lower_case(experiment.id) == wanted || in_lower_case(experiment.name) == wanted;
}

void check_name(std::string_view name, const std::filesystem::path& path) {
  const std::string wanted = in_lower_case(name);
  for (const Experiment& embedded : experiments()) {
    if (is_called(embedded, wanted)) {
      throw base::UsageError(
          tr("is '{}', which is one of the program's own experiments; allowed: one that `lanescope list experiments` "
             "does not show",
             name));
    }
  }
  const std::filesystem::path key = own_file_key(path);
  for (const Files::File& file : own().files()) {
    const std::filesystem::path other = own_file_key(file.path);
    const bool beside = file.listed && file.newest && file.error.empty() && other != key;
    if (beside && other.parent_path() == key.parent_path() && is_called(*file.newest, wanted)) {
      throw base::UsageError(
          tr("is '{}', as in {}; allowed: another one in every file", name, file.path.filename().string()));
    }
  }
}

// The file added last has precedence: it was named by the user, or stands beside one that was.
const Experiment* find_own_experiment(const std::string& wanted) {
  const std::vector<Files::File> files = own().files();
  for (const Files::File& file : files | std::views::reverse) {
    if (file.listed && file.newest && is_called(*file.newest, wanted)) return file.newest;
  }
  return nullptr;
}

const Experiment* find(const std::string& wanted) {
  if (const Experiment* found = find_own_experiment(wanted)) return found;
  const auto embedded = experiments();
  const auto found = std::ranges::find_if(embedded, [&](const Experiment& e) { return is_called(e, wanted); });
  return found == embedded.end() ? nullptr : &*found;
}

[[noreturn]] void fail_unknown(std::string_view id_or_name) {
  const std::string wanted = in_lower_case(id_or_name);
  for (const Files::File& file : own().files()) {
    if (file.listed && !file.error.empty() && std::ranges::find(file.names, wanted) != file.names.end()) {
      throw base::FileError(file.error);
    }
  }
  for (const std::string& error : experiment_errors()) {
    if (!wanted.empty() && in_lower_case(error).starts_with(fmt::format("experiments/{}-", wanted))) {
      throw base::FileError(error);
    }
  }
  std::vector<std::string_view> ids;
  for (const Experiment* experiment : all_experiments()) ids.emplace_back(experiment->id);
  throw base::UsageError(tr("experiment '{}' is unknown; allowed: {}", id_or_name, fmt::join(ids, ", ")));
}

}  // namespace

const Experiment& add_file(const std::filesystem::path& path) {
  return own().add(path, [&](const std::string& text, const std::string& origin) {
    return parse_experiment(text, origin, [&](std::string_view name) { check_name(name, path); });
  });
}

void forget_file(const std::filesystem::path& path) { own().forget(path); }

std::vector<const Experiment*> own_experiments() { return own().all(); }

std::vector<const Experiment*> all_experiments() {
  std::vector<const Experiment*> all = own_experiments();
  for (const Experiment& experiment : experiments()) all.push_back(&experiment);
  return all;
}

std::vector<std::string> own_experiment_errors() { return own().errors(); }

std::vector<std::filesystem::path> own_experiment_files() {
  std::vector<std::filesystem::path> paths;
  for (const Files::File& file : own().files()) paths.push_back(file.path);
  return paths;
}

std::uint64_t own_experiments_version() { return own().version(); }

std::filesystem::path file_of(const Experiment& experiment) { return own().file_of(experiment).path; }

const Experiment& newest_version(const Experiment& experiment) {
  const Files::File file = own().file_of(experiment);
  return file.newest ? *file.newest : experiment;
}

const Experiment& listed_experiment(std::string_view id_or_name) {
  if (const Experiment* found = find(in_lower_case(id_or_name))) return *found;
  fail_unknown(id_or_name);
}

const Experiment& experiment_named(std::string_view id_or_name) {
  const std::string wanted = in_lower_case(id_or_name);
  if (const Experiment* found = find(wanted)) return *found;
  const auto is_wanted = [&](const Experiment& experiment) { return is_called(experiment, wanted); };
  if (const Experiment* old = own().old_version(is_wanted)) return *old;
  fail_unknown(id_or_name);
}

const Experiment& experiment_from_argument(std::string_view argument) {
  return is_file_argument(argument) ? add_file(argument) : experiment_named(argument);
}

}  // namespace lanescope::experiment
