#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/argument_checks.h"
#include "app/commands.h"
#include "app/graphics.h"
#include "app/html_page.h"
#include "app/reports.h"
#include "app/table.h"
#include "app/terminal_output.h"
#include "base/platform/terminal.h"
#include "base/time.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/named_figure.h"
#include "io/trace_file.h"

namespace lanescope::app {
namespace {

using base::tr;
using experiment::MeasuredRun;
using experiment::Side;

session::SessionOptions options_of(const ExperimentRequest& request, Side side) {
  session::SessionOptions options = side_options(*request.experiment, side, request.choice);
  options.memory_cap_bytes = request.memory_cap_bytes;
  options.capture = request.capture;
  return options;
}

// A side's device is created just before its run, but its settings are checked earlier.
void check(const session::SessionOptions& options) {
  workload::Settings settings = workload::default_settings(options.workload, device::describe_device(options.device));
  for (const std::string& assignment : options.assignments) settings.assign(assignment);
  workload::check_settings(options.workload, settings);
}

Painter::Part part_of(const ExperimentRequest& request, Side side, const MeasuredRun& run) {
  const experiment::Experiment& experiment = *request.experiment;
  return {
      &run, fmt::format("{} {}", experiment.id, experiment.title[base::language()]),
      fmt::format("{}: {}", tr(std::string(side_key(side)).c_str()), experiment.side(side).label[base::language()])};
}

using Runs = std::array<std::unique_ptr<MeasuredRun>, 2>;

// On a real device, without a number of iterations that was asked for, an experiment ends within 20 seconds.
constexpr std::chrono::seconds kSideTakes{5}, kAllTake{16}, kFurtherTakes{1};

bool is_limited(const ExperimentRequest& request, Side side) {
  return request.choice.iterations == 0 && !device::describe_device(options_of(request, side).device).simulated;
}

// As many as take kFurtherTakes on the slower side.
std::uint64_t further_iterations(const Runs& runs) {
  double ns = 1;
  for (const auto& run : runs) ns = run ? std::max(ns, run->measured().summary.pace.ns) : ns;
  constexpr std::uint64_t kFewest = 20;
  return std::max(
      kFewest, static_cast<std::uint64_t>(static_cast<double>(std::chrono::nanoseconds(kFurtherTakes).count()) / ns));
}

std::vector<PublishedRow> published_rows(const ExperimentRequest& request, const Runs& runs,
                                         const base::Interrupt& interrupt,
                                         std::chrono::steady_clock::time_point began) {
  const experiment::Experiment& experiment = *request.experiment;
  std::array<std::optional<experiment::Measured>, 2> measured;
  std::array<const experiment::Measured*, 2> sides{};
  for (std::size_t s = 0; s < runs.size(); ++s) {
    if (runs[s]) sides[s] = &measured[s].emplace(runs[s]->measured());
  }
  const bool limited = is_limited(request, Side::Before) || is_limited(request, Side::After);
  experiment::RunChoice choice = request.choice;
  if (limited) choice.iterations = std::min(experiment.iterations, further_iterations(runs));
  experiment::PublishedRuns further(experiment, choice);
  const experiment::FittedSides machines = fitted_sides(experiment, request.choice.device);
  std::vector<PublishedRow> rows;
  for (experiment::Compared compared : compare(experiment, sides[0], sides[1])) {
    const experiment::Published& published = *compared.published;
    const bool wanted =
        !request.side || (published.of != experiment::About::Ratio && is_about(published.of, *request.side));
    const bool in_time = !limited || base::now() - began < kAllTake;
    if (!published.settings.empty() && wanted && in_time && !interrupt.asked()) {
      Progress progress(published.name, options_of(request, Side::Before).iterations);
      compared = further.compare(
          published, [&](std::uint64_t done) { progress.update(done); }, [&] { return interrupt.asked(); });
    }
    rows.push_back(
        {compared, is_simulated(experiment, published, request.choice), check_of(experiment, compared, machines)});
  }
  return rows;
}

html::Page page_of(const ExperimentRequest& request, const ExperimentReport& report, const Runs& runs,
                   const base::Interrupt& interrupt) {
  const experiment::Experiment& experiment = *request.experiment;
  html::Page page{.title = fmt::format("{} {}", experiment.id, experiment.title[base::language()]),
                  .command = request.command,
                  .runs = {},
                  .experiment = &report,
                  .ended_early = interrupt.asked()};
  for (const Side side : {Side::Before, Side::After}) {
    const auto s = static_cast<std::size_t>(side);
    if (!runs[s] || !report.runs[s]) continue;
    page.runs.push_back(html::page_run(
        *runs[s], *report.runs[s],
        fmt::format("{}: {}", tr(std::string(side_key(side)).c_str()), experiment.side(side).label[base::language()])));
  }
  if (request.side && !page.runs.empty()) page.title += ", " + page.runs.front().title;
  return page;
}

}  // namespace

int run_experiment(const ExperimentRequest& request) {
  const std::vector<Side> sides = request.side ? std::vector{*request.side} : std::vector{Side::Before, Side::After};
  for (const Side side : sides) check(options_of(request, side));
  check_outputs({request.json, request.html, request.trace, request.side ? "" : comparison_path(request.trace),
                 request.screenshot.file});
  std::optional<Painter> painter;
  if (!request.screenshot.file.empty()) painter.emplace(request.screenshot);
  explain_device_choice(request.choice.device);

  ExperimentReport report{.experiment = *request.experiment, .side = request.side, .runs = {}, .rows = {}};
  if (request.choice.assignments.empty()) report.in_pytorch = experiment::in_pytorch(*request.experiment);

  const base::Interrupt interrupt;
  const auto began = base::now();
  Runs runs;
  for (const Side side : sides) {
    if (side != sides.front() && interrupt.asked()) break;  // as without an experiment, what had run by then is told
    const auto s = static_cast<std::size_t>(side);
    const session::SessionOptions options = options_of(request, side);
    const bool drawn = !request.html.empty() || !request.screenshot.file.empty();
    using Detail = analysis::LiveAnalysis::Detail;
    runs[s] = std::make_unique<MeasuredRun>(options, drawn ? Detail::Timeline : Detail::Figures);
    Progress progress(fmt::format("{} {}", request.experiment->id, tr(std::string(side_key(side)).c_str())),
                      options.iterations);
    const bool limited = is_limited(request, side);
    const auto since = base::now();
    runs[s]->run([&](std::uint64_t done) { progress.update(done); },
                 [&] { return interrupt.asked() || (limited && base::now() - since > kSideTakes); });
    RunFigures& figures = report.runs[s].emplace(runs[s]->figures());
    figures.advice = runs[s]->advice(figures);
    if (!request.json.empty() || !request.html.empty()) {
      figures.idle = analysis::idle_ledger(runs[s]->trace(), runs[s]->analysis(), figures.summary);
      figures.breakdown = runs[s]->breakdown(figures);
    }
    figures.what_if = analysis::what_if_of(runs[s]->trace(), runs[s]->analysis(), figures, request.what_if);
  }
  report.rows = published_rows(request, runs, interrupt, began);
  if (report.in_pytorch != nullptr && runs[0] && runs[1])
    report.disagreement = experiment::disagreement(*report.in_pytorch, runs[0]->measured(), runs[1]->measured());
  if (interrupt.asked()) say(tr("ended early; the figures cover what had run by then"));

  std::vector<Painter::Part> parts;
  for (const Side side : sides) {
    if (const auto& run = runs[static_cast<std::size_t>(side)]) parts.push_back(part_of(request, side, *run));
  }
  if (!request.trace.empty()) {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const trace::CaptureHealth health = parts[p].run->capture_health();
      io::write_trace(p == 0 ? request.trace : comparison_path(request.trace), parts[p].run->trace(),
                      parts[p].run->facts(), &health);
    }
  }
  if (!request.screenshot.file.empty()) painter->write(parts);
  if (!request.json.empty()) {
    write_json(request.json, written(experiment_json(report)));
  }
  if (!request.html.empty() && !parts.empty())
    html::write_page(request.html, page_of(request, report, runs, interrupt));
  if (request.json != "-" && request.html != "-") {
    const Style style = style_for(stdout);
    write_words(experiment_table(report, style));
  }
  return interrupt.asked() ? kEndedEarly : kDone;
}

// --- experiment report -----------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kExperimentWidth = 100;
constexpr std::size_t kQualityWidth = 12;  // at least
constexpr std::size_t kCheckWidth = 26;

Json number_or_null(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json here_json(const PublishedRow& row) {
  const std::string& why = row.compared.published->unchecked[base::language()];
  return {{"value", number_or_null(row.compared.ours)},
          {"ratio", number_or_null(row.compared.ratio)},
          {"source", row.simulated ? "simulated" : "measured"},
          {"check", check_key(row.checking.check)},
          {"fitted", row.checking.fitted},
          {"unchecked", why.empty() ? Json(nullptr) : Json(why)}};
}

Json pytorch_json(const experiment::InPytorch* measured) {
  if (measured == nullptr) return nullptr;
  Json json{{"machine", measured->machine()}};
  for (const Side side : {Side::Before, Side::After}) {
    const experiment::PytorchSide& s = measured->sides[static_cast<std::size_t>(side)];
    json[std::string(side_key(side))] = {{"us", s.us}, {"least_us", s.least_us}, {"most_us", s.most_us}};
  }
  const analysis::Gain gain = measured->gain();
  json["factor"] = gain.known() ? Json(gain.factor) : Json(nullptr);
  return json;
}

Json published_json(const ExperimentReport& report) {
  Json list = Json::array();
  const auto in_pytorch = published_in_pytorch(report.experiment, report.in_pytorch);
  for (std::size_t i = 0; i < report.experiment.published.size(); ++i) {
    const experiment::Published& p = report.experiment.published[i];
    const bool ran = i < report.rows.size();
    list.push_back({{"name", p.name},
                    {"value", p.value},
                    {"unit", p.unit},
                    {"quality", quality_key(p.quality)},
                    {"label", p.label[base::language()]},
                    {"environment", p.environment[base::language()]},
                    {"of", of_key(p.of)},
                    {"here", ran ? here_json(report.rows[i]) : Json(nullptr)},
                    {"in_pytorch", number_or_null(in_pytorch[i])}});
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
  if (!report.disagreement.empty())
    text += definition_list({{tr("in PyTorch"), {report.disagreement}}}, kExperimentWidth, style);
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
std::string remark(const std::string& quality, std::size_t quality_width, const std::string& check,
                   const std::string& environment) {
  const auto padded = [](const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, display_width(text)), ' ');
  };
  return padded(quality, quality_width) + padded(check, kCheckWidth) + environment;
}

std::string quality_text(const PublishedRow& row) {
  return tr(std::string(quality_key(row.compared.published->quality)).c_str());
}

std::string published(const ExperimentReport& report, const Style& style) {
  Table table;
  std::vector<Definition> reasons;
  const bool simulated =
      std::all_of(report.rows.begin(), report.rows.end(), [](const PublishedRow& r) { return r.simulated; });
  std::size_t quality_width = kQualityWidth;
  for (const PublishedRow& row : report.rows) {
    quality_width = std::max(quality_width, display_width(quality_text(row)) + 2);
  }
  const experiment::InPytorch* measured = report.in_pytorch;
  const auto in_pytorch = published_in_pytorch(report.experiment, report.in_pytorch);
  table.titles({tr("published"), simulated ? tr("simulated here") : tr("measured here"), tr("in PyTorch"),
                remark(tr("quality"), quality_width, tr("check"), tr("environment"))});
  const Cell none{"–", {}, {}};
  for (const Side side : {Side::Before, Side::After}) {
    const auto s = static_cast<std::size_t>(side);
    const auto time = [&](double us) { return us > 0 ? Cell{figure_number(us), "µs", {}} : none; };
    if (!report.runs[s]) continue;
    table.row(
        tr("{}, an iteration", tr(std::string(side_key(side)).c_str())),
        {none, time(report.runs[s]->summary.pace.ns / 1e3), time(measured != nullptr ? measured->sides[s].us : 0)},
        measured == nullptr ? std::string()
                            : tr("in PyTorch {} to {} µs", figure_number(measured->sides[s].least_us),
                                 figure_number(measured->sides[s].most_us)));
  }
  if (report.runs[0] && report.runs[1]) {
    const auto factor = [&](const analysis::Gain& gain) {
      return gain.known() ? Cell{figure_number(gain.factor), "×", {}} : none;
    };
    const analysis::Gain here = analysis::gain_between(*report.runs[0], *report.runs[1]);
    table.row(tr("how many times as fast"),
              {none, factor(here), measured != nullptr && here.known() ? factor(measured->gain()) : none}, {});
  }
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const PublishedRow& row = report.rows[i];
    const experiment::Published& p = *row.compared.published;
    const std::string unit = experiment::unit_in_words(p.unit);
    const auto cell = [&](std::optional<double> value) {
      return value ? Cell{figure_number(*value), unit, {}} : Cell{"–", {}, {}};
    };
    table.row(
        p.label[base::language()], {cell(p.value), cell(row.compared.ours), cell(in_pytorch[i])},
        remark(quality_text(row), quality_width, tr(checking_text(row.checking)), p.environment[base::language()]));
    if (row.checking.check == experiment::Check::Unchecked) {
      reasons.push_back({p.label[base::language()], {p.unchecked[base::language()]}});
    }
  }
  std::string text = table.text(style);
  text +=
      '\n' + (measured != nullptr ? tr("In PyTorch: {}.", measured->machine()) : tr("Not measured in PyTorch.")) + '\n';
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
  json["in_pytorch"] = pytorch_json(report.in_pytorch);
  json["published"] = published_json(report);
  return json;
}

std::string experiment_table(const ExperimentReport& report, const Style& style) {
  std::string text = story(report, style) + '\n' + figures(report, style);
  text += '\n' + published(report, style);
  const std::string& correction = report.experiment.correction[base::language()];
  if (!correction.empty()) {
    text += '\n' + definition_list({{tr("where the tutorial errs"), {correction}}}, kExperimentWidth, style);
  }
  return text;
}

}  // namespace lanescope::app
