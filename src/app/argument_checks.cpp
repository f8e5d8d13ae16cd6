#include "app/argument_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/from_chars.h"
#include "base/translate.h"
#include "io/atomic_file.h"

namespace lanescope::app {
namespace {

using base::tr;
using base::UsageError;

// "run: ", or empty for the window's own options.
std::string command_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? std::string() : app.get_name() + ": ";
}

[[noreturn]] void miss_value(const CLI::Option& option) {
  throw UsageError(tr("{} needs a value: {}", option.get_name(), option.get_type_name()));
}

}  // namespace

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional() && !option->get_group().empty()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

const CLI::App& given_command(const CLI::App& root) {
  const auto selected = root.get_subcommands();
  return selected.empty() ? root : *selected.front();
}

base::Language requested_language(int argc, const char* const* argv) {
  constexpr std::string_view kOption = "--lang", kWithValue = "--lang=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    std::string_view key;
    if (word.starts_with(kWithValue)) key = word.substr(kWithValue.size());
    if (word == kOption && i + 1 < argc) key = argv[i + 1];
    if (key == base::language_key(base::Language::English)) return base::Language::English;
    if (key == base::language_key(base::Language::Chinese)) return base::Language::Chinese;
  }
  return base::preferred_language();
}

void add_language(CLI::App& app) {
  const std::string help = tr("language of all texts: en or zh; default: the system's");
  app.add_option("--lang", help)->type_name("LANG");
}

void check_language(const CLI::App& app) {
  const CLI::Option* language = app.get_option_no_throw("--lang");  // what only developers run has none
  if (language != nullptr && language->count() != 0) base::parse_language(language->as<std::string>());
}

attach::JobRank parse_job_rank(const std::string& text) {
  attach::JobRank job;
  job.job = text;
  if (const std::size_t path = text.find(":/"); path != std::string::npos) {
    job.lanescope = text.substr(path + 1);
    job.job.resize(path);
  }
  bool right = true;
  if (const std::size_t dot = job.job.find('.'); dot != std::string::npos) {
    const std::string rank = job.job.substr(dot + 1);
    const auto [end, error] = std::from_chars(rank.data(), rank.data() + rank.size(), job.rank);
    right = error == std::errc() && end == rank.data() + rank.size() && job.rank >= 0;
    job.job.resize(dot);
  }
  // An element of an array is 1234_5, a part of a heterogeneous job 1234+1.
  right = right && !job.job.empty() && job.job.front() >= '0' && job.job.front() <= '9' &&
          job.job.find_first_not_of("0123456789_+") == std::string::npos;
  if (!right) {
    throw UsageError(tr("--job '{}' is no job; allowed: Slurm's number of it, and a rank: 1234 or 1234.3", text));
  }
  return job;
}

std::uint64_t whole_number(std::string_view option, const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = base::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    throw UsageError(tr("{} is '{}'; allowed: a whole number from {} to {}", option, text, least, most));
  }
  return number;
}

void refuse_options(const CLI::App& app, const std::vector<const char*>& options, Refusal why) {
  for (const char* option : options) {
    if (app.count(option) != 0) throw UsageError(base::format_translated(why.english(), fmt::make_format_args(option)));
  }
}

void refuse_two_on_standard_output(const std::string& json, const std::string& html) {
  if (json == "-" && html == "-") {
    throw UsageError(tr("--json and --html both write to standard output; give one of them a file"));
  }
}

void check_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->count() > 0; })) {
    if (option->get_items_expected_max() == 0 || option->get_positional()) continue;
    for (const std::string& value : option->results()) {
      if (value.empty() || value.rfind("--", 0) == 0) miss_value(*option);
    }
  }
}

void reject_leftover(const CLI::App& root) {
  const CLI::App& app = given_command(root);
  check_values(app);
  const std::vector<std::string> leftover = root.remaining(true);
  const std::string what = leftover.empty() ? std::string() : leftover.front();
  if (&app == &root && what.rfind('-', 0) != 0) {
    std::vector<std::string> commands;
    for (const CLI::App* command : root.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); })) {
      commands.push_back(command->get_name());
    }
    throw UsageError(tr("unknown command '{}'; allowed: {}", what, joined(commands)));
  }
  throw UsageError(tr("{}unknown argument '{}'; allowed: {}", command_of(app), what, joined(option_names(app))));
}

void reject_count(const CLI::App& root, const std::string& message) {
  for (const CLI::Option* option : given_command(root).get_options()) {
    if (message.rfind(option->get_name() + ":", 0) != 0) continue;
    if (option->count() <= 1) miss_value(*option);
    throw UsageError(tr("{} is given {} times; allowed: once", option->get_name(), option->count()));
  }
  throw UsageError(tr("{}; see: lanescope --help", message));
}

// --- outputs ---------------------------------------------------------------------------------------------------------

namespace fs = std::filesystem;

void check_outputs(const std::vector<OutputPath>& paths) {
  std::set<fs::path> seen;
  for (const OutputPath& output : paths) {
    const fs::path& path = output.path;
    if (path.empty() || path == "-") continue;
    std::error_code unknown;
    const fs::file_status status = fs::status(path, unknown);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
      continue;  // a device or a pipe
    if (!seen.insert(fs::absolute(path, unknown).lexically_normal()).second) {
      throw base::UsageError(base::tr("{} is named for two outputs; give each its own file", path.string()));
    }
    const io::AtomicFile writable(path);
  }
}

void check_not_input(const std::vector<OutputPath>& paths, const std::vector<fs::path>& inputs) {
  for (const OutputPath& output : paths) {
    const fs::path& path = output.path;
    const bool read = std::ranges::any_of(inputs, [&](const fs::path& input) {
      std::error_code unknown;
      return !path.empty() && fs::equivalent(path, input, unknown);
    });
    if (read) {
      throw base::UsageError(base::tr("{} is the trace that is read; give the output another name", path.string()));
    }
  }
}

fs::path comparison_path(const fs::path& path) {
  if (path.empty()) return path;
  fs::path extension = path.extension();
  fs::path stem = path.stem();
  if (extension == ".gz" && stem.has_extension()) {
    fs::path both = stem.extension();
    both += extension;
    extension = both;
    stem = stem.stem();
  }
  stem += "-compare";
  return path.parent_path() / (stem += extension);
}

}  // namespace lanescope::app
