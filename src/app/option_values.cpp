#include "app/option_values.h"

#include <map>
#include <string_view>

#include "app/requests.h"
#include "device/catalogue.h"
#include "experiment/experiment.h"
#include "lesson/lesson.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using Kind = OptionValues::Kind;
using Words = std::vector<std::string>;

// The same on every machine: what is written here is also put into packages.
Words device_ids() {
  Words ids{"auto", "cuda:0"};
  for (const device::CatalogueEntry& entry : device::catalogue()) {
    if (!entry.id.starts_with("cuda")) ids.push_back(entry.id);
  }
  return ids;
}

Words experiment_ids() {
  Words ids;
  for (const experiment::Experiment& experiment : experiment::experiments()) ids.push_back(experiment.id);
  return ids;
}

Words lesson_names() {
  Words names;
  for (const lesson::Lesson& lesson : lesson::lessons()) names.push_back(lesson.name);
  return names;
}

// Lists of words by the option's name; a word that only one command has is refused by the others with a list.
const std::map<std::string_view, Words>& known_words() {
  static const std::map<std::string_view, Words> words{
      {"--theme", {"dark", "light", "high-contrast"}},
      {"--lang", {"en", "zh"}},
      {"--side", {"before", "after", "both"}},
      {"--level", {"waits", "acquire", "calls", "all"}},
      {"--capture", {"none", "kernels", "operations", "calls", "all"}},
      {"--completions", {"bash", "zsh", "fish"}},
      {"--workload", workload::workload_names()},
      {"--device", device_ids()},
      {"--experiment", experiment_ids()},
      {"--lesson", lesson_names()},
      {"what", {ListRequest::kNames.begin(), ListRequest::kNames.end()}},
      {"NAME", lesson_names()}};
  return words;
}

bool is_file(std::string_view name) {
  return name == "FILE" || name == "FILES" || name == "FIRST" || name == "SECOND" || name == "FILE|-";
}

}  // namespace

OptionValues option_values(const CLI::Option& option) {
  const std::string name = option.get_name();
  if (const auto known = known_words().find(name); known != known_words().end()) return {Kind::Words, known->second};
  const std::string what = option.get_positional() ? name : option.get_type_name();
  if (what == "COMMAND") return {Kind::Command, {}};
  if (what == "DIR" || what == "FOLDER") return {Kind::Folders, {}};
  return {is_file(what) ? Kind::Files : Kind::Anything, {}};
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return !option->get_positional() && !option->get_group().empty(); });
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  return all;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<const CLI::App*> commands_of(const CLI::App& root) {
  return root.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

}  // namespace lanescope::app
