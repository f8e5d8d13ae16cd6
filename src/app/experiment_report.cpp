#include "app/experiment_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/summary_json.h"
#include "app/table.h"
#include "base/translate.h"
#include "experiment/unit.h"

namespace lanescope::app {
namespace {

using base::tr;
using experiment::Side;

constexpr std::size_t kExperimentWidth = 100;
constexpr std::size_t kQualityWidth = 12;
constexpr std::size_t kCheckWidth = 22;

Json number_or_null(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json published_json(const ExperimentReport& report) {
  Json list = Json::array();
  for (const experiment::Published& p : report.experiment.published) {
    list.push_back({{"name", p.name},
                    {"value", p.value},
                    {"unit", p.unit},
                    {"quality", quality_key(p.quality)},
                    {"label", p.label[base::language()]},
                    {"environment", p.environment[base::language()]},
                    {"of", of_key(p.of)}});
  }
  return list;
}

Json ours_json(const ExperimentReport& report) {
  Json list = Json::array();
  for (const PublishedRow& row : report.rows) {
    const std::string& why = row.compared.published->unchecked[base::language()];
    list.push_back({{"name", row.compared.published->name},
                    {"value", number_or_null(row.compared.ours)},
                    {"unit", row.compared.published->unit},
                    {"ratio", number_or_null(row.compared.ratio)},
                    {"source", row.simulated ? "simulated" : "measured"},
                    {"check", check_key(row.checking.check)},
                    {"fitted", row.checking.fitted},
                    {"unchecked", why.empty() ? Json(nullptr) : Json(why)}});
  }
  return list;
}

Json runs_json(const ExperimentReport& report) {
  const auto& [before, after] = report.runs;
  const std::optional<RunFigures>& first = before ? before : after;
  if (!first) return Json::object();
  if (report.side) return summary_json(*first);
  Json json = comparison_json(*first, before ? after : std::nullopt);
  for (std::size_t i = 0; i < json["runs"].size(); ++i) {
    json["runs"][i]["side"] = side_key(before && i == 0 ? Side::Before : Side::After);
  }
  return json;
}

std::string side_name(const ExperimentReport& report, Side side) {
  return fmt::format("{}: {}", tr(std::string(side_key(side)).c_str()),
                     report.experiment.side(side).label[base::language()]);
}

std::string story(const ExperimentReport& report, const Style& style) {
  const experiment::Experiment& experiment = report.experiment;
  std::string text =
      fmt::format("{}{} {}{}\n\n", style.bold, experiment.id, experiment.title[base::language()], style.off);
  return text + definition_list({{tr("what it shows"), {experiment.shows[base::language()]}},
                                 {tr("what to watch"), {experiment.watch[base::language()]}},
                                 {tr("what to turn"), {experiment.knob[base::language()]}}},
                                kExperimentWidth, style);
}

std::string figures(const ExperimentReport& report, const Style& style) {
  const auto& [before, after] = report.runs;
  const std::string names[] = {side_name(report, Side::Before), side_name(report, Side::After)};
  if (before && after) return comparison_table(*before, *after, style, {names[0], names[1]});
  if (!before && !after) return {};
  return fmt::format("{}{}{}\n{}", style.bold, names[before ? 0 : 1], style.off,
                     run_table(before ? *before : *after, style));
}

// The quality of a number, whether the run checks it, and its machine: three columns after the last.
std::string remark(const std::string& quality, const std::string& check, const std::string& environment) {
  const auto padded = [](const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, display_width(text)), ' ');
  };
  return padded(quality, kQualityWidth) + padded(check, kCheckWidth) + environment;
}

std::string published(const ExperimentReport& report, const Style& style) {
  Table table;
  std::vector<Definition> reasons;
  const bool simulated =
      std::all_of(report.rows.begin(), report.rows.end(), [](const PublishedRow& r) { return r.simulated; });
  table.titles({tr("published"), simulated ? tr("simulated here") : tr("measured here"), tr("ratio"),
                remark(tr("quality"), tr("check"), tr("environment"))});
  for (const PublishedRow& row : report.rows) {
    const experiment::Published& p = *row.compared.published;
    const std::string unit = experiment::unit_in_words(p.unit);
    const auto cell = [&](std::optional<double> value) {
      return value ? Cell{figure_number(*value), unit, {}} : Cell{"–", {}, {}};
    };
    table.row(p.label[base::language()],
              {cell(p.value), cell(row.compared.ours),
               row.compared.ratio ? Cell{figure_number(*row.compared.ratio), "×", {}} : Cell{"–", {}, {}}},
              remark(tr(std::string(quality_key(p.quality)).c_str()), tr(checking_text(row.checking)),
                     p.environment[base::language()]));
    if (row.checking.check == experiment::Check::Unchecked) {
      reasons.push_back({p.label[base::language()], {p.unchecked[base::language()]}});
    }
  }
  std::string text = table.text(style);
  if (reasons.empty()) return text;
  text += fmt::format("\n{}{}{}\n", style.bold, tr("cannot be checked"), style.off);
  return text + definition_list(reasons, kExperimentWidth, style);
}

}  // namespace

Json experiment_json(const ExperimentReport& report) {
  const experiment::Experiment& experiment = report.experiment;
  Json json;
  if (report.side) json = runs_json(report);
  json["experiment"] = {
      {"id", experiment.id}, {"name", experiment.name}, {"title", experiment.title[base::language()]}};
  if (report.side) {
    json["side"] = side_key(*report.side);
  } else {
    json.update(runs_json(report));
  }
  json["published"] = published_json(report);
  json["simulated_or_measured"] = ours_json(report);
  return json;
}

std::string experiment_table(const ExperimentReport& report, const Style& style) {
  std::string text = story(report, style) + '\n' + figures(report, style);
  if (!report.rows.empty()) text += '\n' + published(report, style);
  const std::string& correction = report.experiment.correction[base::language()];
  if (!correction.empty()) {
    text += '\n' + definition_list({{tr("where the tutorial errs"), {correction}}}, kExperimentWidth, style);
  }
  return text;
}

}  // namespace lanescope::app
