#include <fmt/format.h>
#include <toml++/toml.h>

#include <set>
#include <utility>

#include "analysis/summary.h"
#include "base/error.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/named_figure.h"
#include "experiment/own_experiments.h"
#include "experiment/published_numbers.h"
#include "experiment/toml_reader.h"
#include "lesson/lesson.h"
#include "workload/workload.h"

namespace lanescope::lesson {
namespace {

using base::tr;
using experiment::TomlPlace;

constexpr double kMost = 1e12;
constexpr std::int64_t kMostInOrder = 1'000'000;
constexpr double kMostMinutes = 600;  // of a lesson

constexpr std::array kVerdicts = {
    analysis::VerdictKind::SyncBound,   analysis::VerdictKind::LaunchBound, analysis::VerdictKind::CopyBound,
    analysis::VerdictKind::LoaderBound, analysis::VerdictKind::GpuBound,    analysis::VerdictKind::CpuOnly,
    analysis::VerdictKind::CpuBound,    analysis::VerdictKind::RankBound,   analysis::VerdictKind::Race};

constexpr auto kRootKeys = std::to_array<std::string_view>({"name", "order", "minutes", "title", "summary", "steps"});
constexpr auto kStepKeys =
    std::to_array<std::string_view>({"name", "title", "text", "reveal", "notes", "minutes", "experiment", "workload",
                                     "device", "before", "after", "side", "settings", "view", "question", "task"});
constexpr auto kQuestionKeys =
    std::to_array<std::string_view>({"text", "figure", "of", "choices", "least", "most", "unit", "tolerance"});
constexpr auto kChoiceKeys = std::to_array<std::string_view>({"text", "up_to", "verdict"});
constexpr auto kTaskKeys = std::to_array<std::string_view>({"text", "goals", "keep", "hints"});
constexpr auto kGoalKeys = std::to_array<std::string_view>({"figure", "least", "most", "text"});

class Reader : private experiment::TomlReader {
 public:
  Reader(std::string_view origin, const experiment::NameCheck& check) : TomlReader(origin), check_(check) {}

  Lesson read(std::string_view text_of_file) {
    const toml::table table = parse(text_of_file);
    const TomlPlace root{table};
    check_keys(root, kRootKeys);
    Lesson lesson;
    lesson.name = word(root, "name");
    if (check_) checked(needed(root, "name"), "name", [&] { check_(lesson.name); });
    lesson.order = static_cast<int>(integer(root, "order", kMostInOrder));
    lesson.title = text(root, "title");
    lesson.summary = text(root, "summary");
    needed(root, "steps");
    std::set<std::string> names;
    each_table(root, "steps", [&](const TomlPlace& place) {
      Step step = read_step(place);
      if (!names.insert(step.name).second) {
        fail(needed(place, "name"), place.key("name"),
             tr("'{}' appears twice; allowed: a different name for each", step.name));
      }
      lesson.steps.push_back(std::move(step));
    });
    if (lesson.steps.empty()) fail_allowed(needed(root, "steps"), "steps", "[[steps]]");
    if (root.has("minutes")) lesson.slot = number(root, "minutes", lesson.planned(), kMostMinutes);
    return lesson;
  }

 private:
  Step read_step(const TomlPlace& place) const {
    check_keys(place, kStepKeys);
    Step step;
    step.name = word(place, "name");
    step.title = text(place, "title");
    step.text = text(place, "text");
    step.reveal = optional_text(place, "reveal");
    step.notes = optional_text(place, "notes");
    step.minutes = number(place, "minutes", 0.5, 90);
    read_experiment(place, step);
    if (place.has("side")) {
      step.side = choice(place, "side", std::array{Side::Before, Side::After}, &experiment::side_key);
    }
    step.settings = strings(place, "settings");
    const Experiment experiment = experiment_of(step);
    for (const char* key : {"before", "after", "settings"}) check_settings(place, key, experiment);
    if (const toml::node* view = place.table.get("view")) {
      step.view = experiment.side(step.side).view;
      read_view(*view, place.key("view"), *step.view);
    }
    if (const toml::node* node = place.table.get("question")) {
      step.question = read_question({table_of(*node, place.key("question")), place.key("question")});
    }
    if (const toml::node* node = place.table.get("task")) {
      if (step.question) fail(*node, place.key("task"), tr("is beside a question; allowed: one of the two"));
      step.task = read_task({table_of(*node, place.key("task")), place.key("task")}, experiment);
    }
    return step;
  }

  // Of the tutorials' experiments or one of the user's own, or the step's.
  void read_experiment(const TomlPlace& place, Step& step) const {
    step.experiment = optional_string(place, "experiment");
    step.workload = optional_string(place, "workload");
    step.device = optional_string(place, "device");
    step.before = strings(place, "before");
    step.after = strings(place, "after");
    if (step.experiment.empty() && step.workload.empty()) {
      fail(place.table, place.key("experiment"), tr("is missing; without it, workload is needed"));
    }
    if (!step.experiment.empty()) {
      for (const char* key : {"workload", "before", "after"}) {
        if (place.has(key))
          fail(needed(place, key), place.key(key), tr("is beside experiment; allowed: one of the two"));
      }
      checked(needed(place, "experiment"), place.key("experiment"),
              [&] { experiment::listed_experiment(step.experiment); });
    } else {
      checked(needed(place, "workload"), place.key("workload"), [&] { workload::workload_info(step.workload); });
    }
    if (!step.device.empty()) {
      checked(needed(place, "device"), place.key("device"), [&] { device::describe_device(step.device); });
    }
  }

  void check_settings(const TomlPlace& place, std::string_view key, const Experiment& e) const {
    if (!place.has(key)) return;
    checked(needed(place, key), place.key(key), [&] {
      for (const Side side : {Side::Before, Side::After}) {
        workload::Settings settings =
            workload::default_settings(e.workload, device::describe_device(e.device_of(side)));
        for (const std::string& assignment : e.assignments(side)) settings.assign(assignment);
        workload::check_settings(e.workload, settings);
      }
    });
  }

  Question read_question(const TomlPlace& place) const {
    check_keys(place, kQuestionKeys);
    Question question;
    question.text = text(place, "text");
    if (place.has("figure")) question.measure.figure = string(place, "figure");
    if (place.has("of")) {
      question.measure.of = choice(place, "of", std::array{Side::Before, Side::After}, &experiment::side_key);
    }
    const std::string& figure = question.measure.figure;
    const bool of_verdict = figure == "verdict";
    std::string unit = figure == "factor" ? "x" : "";
    if (!of_verdict && figure != "factor") {
      checked(needed(place, "figure"), place.key("figure"), [&] { unit = experiment::figure_info(figure).unit; });
    }
    question.unit = place.has("unit") ? string(place, "unit") : unit;
    if (!of_verdict && !figure.starts_with("own.") && !experiment::convert(1, unit, question.unit)) {
      fail(needed(place, "unit"), place.key("unit"),
           tr("is '{}', but {} is in {}; allowed: a unit that it can be converted to", question.unit, figure,
              unit.empty() ? tr("plain numbers") : unit.c_str()));
    }
    read_choices(place, question, of_verdict);
    if (!question.choices.empty()) return question;
    if (of_verdict) fail(place.table, place.key("choices"), tr("is missing"));
    question.least = number(place, "least", 0, kMost);
    question.most = number(place, "most", question.least, kMost);
    if (place.has("tolerance")) question.tolerance = number(place, "tolerance", 0.01, 1);
    return question;
  }

  void read_choices(const TomlPlace& place, Question& question, bool of_verdict) const {
    double above = -std::numeric_limits<double>::infinity();
    std::set<std::string> verdicts;
    each_table(place, "choices", [&](const TomlPlace& each) {
      check_keys(each, kChoiceKeys);
      if (!question.choices.empty() && limit_is_open(question.choices.back(), of_verdict)) {
        fail(each.table, each.name,
             tr("follows a choice that is right for all the rest; allowed: '{}' in all but the last",
                of_verdict ? "verdict" : "up_to"));
      }
      Choice choice;
      choice.text = text(each, "text");
      if (of_verdict && each.has("verdict")) {
        choice.verdict = string(each, "verdict");
        checked(needed(each, "verdict"), each.key("verdict"), [&] { check_verdict(choice.verdict); });
        if (!verdicts.insert(choice.verdict).second) {
          fail(needed(each, "verdict"), each.key("verdict"),
               tr("'{}' appears twice; allowed: a different name for each", choice.verdict));
        }
      }
      if (!of_verdict && each.has("up_to")) {
        choice.up_to = number(each, "up_to", -kMost, kMost);
        if (choice.up_to <= above) fail_allowed(needed(each, "up_to"), each.key("up_to"), tr("more than {}", above));
        above = choice.up_to;
      }
      question.choices.push_back(std::move(choice));
    });
    if (question.choices.size() == 1 ||
        (!question.choices.empty() && !limit_is_open(question.choices.back(), of_verdict))) {
      fail(needed(place, "choices"), place.key("choices"),
           tr("leave values without an answer; allowed: two or more, the last without '{}'",
              of_verdict ? "verdict" : "up_to"));
    }
  }

  static bool limit_is_open(const Choice& choice, bool of_verdict) {
    return of_verdict ? choice.verdict.empty() : choice.up_to == std::numeric_limits<double>::infinity();
  }

  static void check_verdict(const std::string& key) {
    std::vector<std::string_view> keys;
    for (const analysis::VerdictKind kind : kVerdicts) {
      if (analysis::verdict_key(kind) == key) return;
      keys.push_back(analysis::verdict_key(kind));
    }
    throw base::UsageError(tr("is {}; allowed: {}", fmt::format("'{}'", key), fmt::join(keys, ", ")));
  }

  Task read_task(const TomlPlace& place, const Experiment& experiment) const {
    check_keys(place, kTaskKeys);
    Task task;
    task.text = text(place, "text");
    needed(place, "goals");
    each_table(place, "goals", [&](const TomlPlace& each) {
      check_keys(each, kGoalKeys);
      Goal goal;
      goal.figure = string(each, "figure");
      checked(needed(each, "figure"), each.key("figure"), [&] { experiment::figure_info(goal.figure); });
      if (each.has("least")) goal.least = number(each, "least", -kMost, kMost);
      if (each.has("most")) goal.most = number(each, "most", std::max(goal.least, -kMost), kMost);
      if (!each.has("least") && !each.has("most")) fail(each.table, each.key("least"), tr("is missing"));
      goal.text = optional_text(each, "text");
      task.goals.push_back(std::move(goal));
    });
    task.keep = strings(place, "keep");
    const workload::Settings settings =
        workload::default_settings(experiment.workload, device::describe_device(experiment.device_of(Side::Before)));
    for (const std::string& key : task.keep) {
      checked(needed(place, "keep"), place.key("keep"), [&] { settings.value(key); });
    }
    if (const toml::node* node = place.table.get("hints")) {
      const toml::array* array = node->as_array();
      if (array == nullptr) fail_allowed(*node, place.key("hints"), tr("an array of texts"));
      for (const toml::node& hint : *array) task.hints.push_back(text_of(hint, place.key("hints")));
    }
    return task;
  }

  const experiment::NameCheck& check_;
};

}  // namespace

Lesson parse_lesson(std::string_view text, std::string_view origin, const experiment::NameCheck& check) {
  return Reader(origin, check).read(text);
}

}  // namespace lanescope::lesson
