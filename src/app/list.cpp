#include "app/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <variant>
#include <vector>

#include "app/reports.h"
#include "app/table.h"
#include "app/terminal_output.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/experiment.h"
#include "experiment/named_figure.h"
#include "experiment/own_experiments.h"
#include "experiment/published_numbers.h"
#include "experiment/sweep.h"
#include "lesson/lesson.h"
#include "lesson/own_lessons.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using base::tr;
using experiment::Language;

constexpr std::size_t kListWidth = 100;

Json to_json(const workload::Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

// Of an own experiment or lesson.
Json file_json(const std::filesystem::path& file) { return file.empty() ? Json(nullptr) : Json(file.string()); }

// One setting, listed for all workloads; the defaults may differ.
struct ListedSetting {
  workload::SettingSpec spec;
  std::vector<std::pair<std::string, workload::Value>> defaults;  // by workload
  std::vector<std::pair<std::string, workload::SettingSpec>> specs;
};

std::vector<ListedSetting> all_settings() {
  const device::DeviceInfo device = device::describe_device(device::kAutoDevice);
  std::vector<ListedSetting> listed;
  for (const std::string& name : workload::workload_names()) {
    const workload::Settings settings = workload::default_settings(name, device);
    for (const workload::SettingSpec& spec : settings.specs()) {
      auto found =
          std::find_if(listed.begin(), listed.end(), [&](const ListedSetting& s) { return s.spec.key == spec.key; });
      if (found == listed.end()) found = listed.insert(listed.end(), {spec, {}, {}});
      found->defaults.emplace_back(name, spec.standard);
      found->specs.emplace_back(name, spec);
    }
  }
  return listed;
}

const char* type_name(workload::SettingType type) {
  switch (type) {
    case workload::SettingType::Bool:
      return "bool";
    case workload::SettingType::Integer:
      return "integer";
    case workload::SettingType::Real:
      return "real";
    case workload::SettingType::Choice:
      return "choice";
  }
  return "";
}

Json choices_json(const workload::SettingSpec& spec) {
  return spec.type == workload::SettingType::Choice ? Json(spec.choices) : Json(nullptr);
}

Json limit_json(const workload::SettingSpec& spec, double limit) {
  if (spec.type == workload::SettingType::Integer) return static_cast<std::int64_t>(limit);
  if (spec.type == workload::SettingType::Real) return limit;
  return nullptr;
}

std::string allowed(const workload::SettingSpec& spec) {
  if (spec.type == workload::SettingType::Bool) return "true, false";
  if (spec.type == workload::SettingType::Choice) return fmt::format("{}", fmt::join(spec.choices, ", "));
  const std::string unit = spec.unit.empty() ? std::string() : " " + spec.unit;
  return tr("{} to {}{}", spec.minimum, spec.maximum, unit);
}

std::string defaults_text(const ListedSetting& setting) {
  const auto same = [&](const auto& entry) { return entry.second == setting.defaults.front().second; };
  if (std::all_of(setting.defaults.begin(), setting.defaults.end(), same)) {
    return workload::to_text(setting.defaults.front().second);
  }
  std::vector<std::pair<std::string, std::string>> workloads;  // by the default, in its first one's order
  for (const auto& [name, value] : setting.defaults) {
    const std::string text = workload::to_text(value);
    const auto known = std::ranges::find(workloads, text, &std::pair<std::string, std::string>::first);
    if (known == workloads.end()) {
      workloads.emplace_back(text, name);
    } else {
      known->second += ", " + name;
    }
  }
  std::string text;
  for (const auto& [value, names] : workloads) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", value, names);
  return text;
}

Json workloads_json() {
  Json list = Json::array();
  for (const std::string& name : workload::workload_names()) {
    const workload::WorkloadInfo info = workload::workload_info(name);
    list.push_back({{"name", info.name},
                    {"title", info.title},
                    {"summary", info.summary},
                    {"experiments", info.experiments},
                    {"computes_values", info.computes_values}});
  }
  return list;
}

Json devices_json() {
  Json list = Json::array();
  for (const device::CatalogueEntry& entry : device::catalogue()) {
    list.push_back(
        {{"id", entry.id}, {"name", entry.name}, {"summary", entry.summary}, {"simulated", entry.simulated}});
  }
  return list;
}

Json settings_json() {
  Json list = Json::array();
  for (const ListedSetting& setting : all_settings()) {
    const workload::SettingSpec& spec = setting.spec;
    Json json{{"key", spec.key}, {"label", spec.label}, {"help", spec.help}, {"type", type_name(spec.type)}};
    json["unit"] = spec.unit.empty() ? Json(nullptr) : Json(spec.unit);
    json["minimum"] = limit_json(spec, spec.minimum);
    json["maximum"] = limit_json(spec, spec.maximum);
    json["choices"] = choices_json(spec);
    for (const auto& [name, value] : setting.defaults) json["defaults"][name] = to_json(value);
    for (const auto& [name, own] : setting.specs) {
      json["of"][name] = {{"minimum", limit_json(own, own.minimum)},
                          {"maximum", limit_json(own, own.maximum)},
                          {"stops", own.stops.empty() ? Json(nullptr) : Json(own.stops)},
                          {"choices", choices_json(own)}};
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json figures_json() {
  Json list = Json::array();
  for (const experiment::FigureInfo& figure : experiment::standard_figures()) {
    list.push_back({{"name", figure.key}, {"label", figure.label}, {"unit", figure.unit}});
  }
  return list;
}

Json variant_json(const experiment::Experiment& experiment, experiment::Side side) {
  const experiment::Variant& variant = experiment.side(side);
  return {{"label", variant.label[Language::English]},
          {"label_zh", variant.label[Language::Chinese]},
          {"settings", experiment.assignments(side)},
          {"device", experiment.device_of(side)}};
}

Json list_published_json(const experiment::Experiment& experiment, const experiment::Published& p,
                         const experiment::FittedSides& machines) {
  const experiment::Checking checking = check_of(experiment, p, machines);
  return {{"name", p.name},
          {"label", p.label[Language::English]},
          {"label_zh", p.label[Language::Chinese]},
          {"value", p.value},
          {"unit", p.unit},
          {"quality", quality_key(p.quality)},
          {"environment", p.environment[Language::English]},
          {"environment_zh", p.environment[Language::Chinese]},
          {"source", p.source},
          {"of", of_key(p.of)},
          {"figure", p.figure.empty() ? Json(nullptr) : Json(p.figure)},
          {"settings", p.settings},
          {"follows", p.follows},
          {"check", check_key(checking.check)},
          {"fitted", checking.fitted},
          {"unchecked", p.unchecked.empty() ? Json(nullptr) : Json(p.unchecked[Language::English])},
          {"unchecked_zh", p.unchecked.empty() ? Json(nullptr) : Json(p.unchecked[Language::Chinese])}};
}

Json sweep_json(const experiment::Experiment& experiment) {
  if (!experiment.sweep) return nullptr;
  const experiment::ReadySweep& sweep = *experiment.sweep;
  return {{"over", sweep.over},
          {"figure", sweep.figure},
          {"against", sweep.against.empty() ? Json(nullptr) : Json(sweep.against)},
          {"settings", sweep.settings},
          {"iterations", ready_sweep(experiment).iterations}};
}

Json experiments_json() {
  Json list = Json::array();
  for (const experiment::Experiment* each : experiment::all_experiments()) {
    const experiment::Experiment& experiment = *each;
    Json json{{"id", experiment.id}, {"name", experiment.name}, {"file", file_json(file_of(experiment))}};
    const auto text = [&](const char* key, const experiment::Text& said) {
      json[key] = said.empty() ? Json(nullptr) : Json(said[Language::English]);
      json[std::string(key) + "_zh"] = said.empty() ? Json(nullptr) : Json(said[Language::Chinese]);
    };
    text("title", experiment.title);
    json["workload"] = experiment.workload;
    json["device"] = experiment.device;
    json["iterations"] = experiment.iterations;
    json["order"] = experiment.order;
    text("shows", experiment.shows);
    text("watch", experiment.watch);
    text("knob", experiment.knob);
    text("correction", experiment.correction);
    json["turned_knob"] = experiment.turned_knob.empty() ? Json(nullptr) : Json(experiment.turned_knob);
    json["before"] = variant_json(experiment, experiment::Side::Before);
    json["after"] = variant_json(experiment, experiment::Side::After);
    json["published"] = Json::array();
    const experiment::FittedSides machines = fitted_sides(experiment, {});
    for (const experiment::Published& p : experiment.published) {
      json["published"].push_back(list_published_json(experiment, p, machines));
    }
    json["sweep"] = sweep_json(experiment);
    list.push_back(std::move(json));
  }
  return list;
}

// One line each: the user's own first, the others below their workload's title, which is printed once.
std::string experiments_text(const Style& style) {
  const Language language = base::language();
  std::size_t ids = 0, titles = 0;
  for (const experiment::Experiment* experiment : experiment::all_experiments()) {
    ids = std::max(ids, display_width(experiment->id));
    titles = std::max(titles, display_width(experiment->title[language]));
  }
  const auto padded = [](const std::string& text, std::size_t width) {
    return text + std::string(width - display_width(text), ' ');
  };
  std::string text, heading;
  for (const experiment::Experiment* experiment : experiment::all_experiments()) {
    const std::string above = file_of(*experiment).empty() ? experiment->workload : tr("Your own");
    if (above != heading) {
      text += fmt::format("{}{}{}{}\n", text.empty() ? "" : "\n", style.dim, above, style.off);
      heading = above;
    }
    text += fmt::format("  {}{}{}  {}  {}{}{}\n", style.bold, padded(experiment->id, ids), style.off,
                        padded(experiment->title[language], titles), style.dim, experiment->name, style.off);
  }
  return text;
}

Json lessons_json() {
  Json list = Json::array();
  for (const lesson::Lesson* each : lesson::all_lessons()) {
    const lesson::Lesson& lesson = *each;
    Json steps = Json::array();
    for (const lesson::Step& step : lesson.steps) {
      const char* asks = step.question ? "question" : step.task ? "task" : nullptr;
      steps.push_back({{"name", step.name},
                       {"title", step.title[Language::English]},
                       {"title_zh", step.title[Language::Chinese]},
                       {"minutes", step.minutes},
                       {"experiment", lesson::experiment_of(step).id},
                       {"side", side_key(step.side)},
                       {"asks", asks ? Json(asks) : Json(nullptr)}});
    }
    list.push_back({{"name", lesson.name},
                    {"file", file_json(file_of(lesson))},
                    {"title", lesson.title[Language::English]},
                    {"title_zh", lesson.title[Language::Chinese]},
                    {"summary", lesson.summary[Language::English]},
                    {"summary_zh", lesson.summary[Language::Chinese]},
                    {"minutes", lesson.minutes()},
                    {"steps", std::move(steps)}});
  }
  return list;
}

// Each with its steps and the experiments that they are about.
std::string lessons_text(const Style& style) {
  const Language language = base::language();
  std::string text;
  for (const lesson::Lesson* each : lesson::all_lessons()) {
    const lesson::Lesson& lesson = *each;
    text += fmt::format("{}{}{}{}  {}  {}{}{}\n", text.empty() ? "" : "\n", style.bold, lesson.name, style.off,
                        lesson.title[language], style.dim, tr("{:g} min", lesson.minutes()), style.off);
    for (const lesson::Step& step : lesson.steps) {
      text += fmt::format("  {:>4}  {}  {}{}{}\n", tr("{:g} min", step.minutes), step.title[language], style.dim,
                          lesson::experiment_of(step).id, style.off);
    }
  }
  return text;
}

std::vector<Definition> definitions_of(const ListRequest& request) {
  std::vector<Definition> list;
  switch (request.what) {
    case ListRequest::What::Experiments:  // these have their own format
    case ListRequest::What::Lessons:
      break;
    case ListRequest::What::Workloads:
      for (const std::string& name : workload::workload_names()) {
        const workload::WorkloadInfo info = workload::workload_info(name);
        list.push_back(
            {info.name,
             {fmt::format("{} ({})", tr(info.title.c_str()), tr(info.experiments.c_str())), tr(info.summary.c_str())}});
      }
      break;
    case ListRequest::What::Devices:
      for (const device::CatalogueEntry& entry : device::catalogue()) {
        list.push_back({entry.id, {entry.name, tr(entry.summary.c_str())}});
      }
      if (!device::why_no_gpu().empty()) {
        list.push_back({"cuda", {tr("no GPU: {}", device::why_no_gpu())}});
      }
      break;
    case ListRequest::What::Settings:
      for (const ListedSetting& setting : all_settings()) {
        list.push_back(
            {setting.spec.key,
             {tr("{}; default {}", allowed(setting.spec), defaults_text(setting)), tr(setting.spec.help.c_str())}});
      }
      break;
    case ListRequest::What::Figures:
      for (const experiment::FigureInfo& figure : experiment::standard_figures()) {
        list.push_back(
            {figure.key, {figure.unit.empty() ? figure.label : fmt::format("{}, {}", figure.label, figure.unit)}});
      }
      list.push_back({"own.NAME", {tr("a figure of the workload itself, its mean; own.NAME.total: its sum")}});
      break;
  }
  return list;
}

}  // namespace

std::string list_text(const ListRequest& request) {
  if (!request.json && request.what == ListRequest::What::Experiments) {
    return experiments_text(style_for(stdout));
  }
  if (!request.json && request.what == ListRequest::What::Lessons) return lessons_text(style_for(stdout));
  if (!request.json) return definition_list(definitions_of(request), kListWidth, style_for(stdout));
  Json json;
  switch (request.what) {
    case ListRequest::What::Workloads:
      json = workloads_json();
      break;
    case ListRequest::What::Devices:
      json = devices_json();
      break;
    case ListRequest::What::Settings:
      json = settings_json();
      break;
    case ListRequest::What::Figures:
      json = figures_json();
      break;
    case ListRequest::What::Experiments:
      json = experiments_json();
      break;
    case ListRequest::What::Lessons:
      json = lessons_json();
      break;
  }
  return written(json);
}

}  // namespace lanescope::app
