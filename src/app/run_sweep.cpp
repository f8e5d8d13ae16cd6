#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/argument_checks.h"
#include "app/commands.h"
#include "app/graphics.h"
#include "app/reports.h"
#include "app/table.h"
#include "app/terminal_output.h"
#include "base/platform/terminal.h"
#include "base/translate.h"
#include "base/version.h"
#include "device/catalogue.h"
#include "device/device.h"
#include "experiment/named_figure.h"

namespace lanescope::app {
namespace {

constexpr std::chrono::milliseconds kSweepLook{5};

}  // namespace

int run_sweep(const SweepRequest& request) {
  experiment::Sweep sweep(request.spec);
  check_outputs({request.csv, request.json, request.screenshot.file});
  std::optional<SweepPainter> painter;
  if (!request.screenshot.file.empty()) painter.emplace(request.screenshot);
  explain_device_choice(request.spec.device);

  const base::Interrupt interrupt;
  {
    Progress progress(request.spec.workload, request.spec.points(), base::tr("points"));
    sweep.start();
    while (sweep.running()) {
      sweep.advance();
      progress.update(sweep.done());
      if (interrupt.asked()) sweep.cancel();
      std::this_thread::sleep_for(kSweepLook);
    }
    sweep.wait();
  }

  const std::vector<experiment::SweepPoint> points = sweep.points();
  const SweepReport report{.spec = sweep.spec(), .points = points, .unit = sweep.unit(), .title = request.title};
  const bool whole = std::all_of(points.begin(), points.end(), [](const auto& point) { return point.done; });
  if (!whole) say(base::tr("ended early; the points that have run are kept"));
  if (!request.csv.empty()) write_json(request.csv, experiment::sweep_csv(sweep.spec(), points));
  if (!request.json.empty()) write_json(request.json, sweep_json(report));
  if (!request.screenshot.file.empty()) painter->write(sweep.spec(), points, report.unit, request.title);
  if (request.csv != "-" && request.json != "-") write_words(sweep_table(report, style_for(stdout)));
  for (const std::string& failure : failures(report)) say(failure);
  if (!whole) return kEndedEarly;
  return std::any_of(points.begin(), points.end(), [](const auto& point) { return !point.error.empty(); }) ? kFailed
                                                                                                           : kDone;
}

// --- sweep report ----------------------------------------------------------------------------------------------------

namespace {

using base::tr;
using experiment::SweepPoint;

constexpr double kBarWidth = 40;

Json sweep_number_or_null(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json point_json(const SweepReport& report, const SweepPoint& point) {
  Json json;
  for (std::size_t a = 0; a < point.at.size(); ++a) json["at"][report.spec.axes[a].key] = point.at[a];
  json["value"] = sweep_number_or_null(point.value);
  json["error"] = text_or_null(point.error);
  json["simulated"] = point.simulated;
  const std::uint64_t iterations = iterations_at(report.spec, point.at);
  json["figures"] = Json::object();
  for (const experiment::FigureInfo& figure : experiment::standard_figures()) {
    json["figures"][figure.key] = sweep_number_or_null(figure_value(figure.key, point.measured, iterations));
  }
  for (const workload::Figure& figure : point.measured.figures) {
    const std::string key = "own." + figure.key;
    json["figures"][key] = sweep_number_or_null(figure_value(key, point.measured));
  }
  return json;
}

std::string cell_of(const SweepPoint& point) {
  if (point.value) return figure_number(*point.value);
  return point.done ? tr("failed") : "–";
}

// Not a Table: all columns have the same unit and are as narrow as possible.
std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ') + text;
}

std::string sweep_heading(const SweepReport& report, const Style& style) {
  const experiment::SweepSpec& spec = report.spec;
  const device::DeviceInfo device = device::describe_device(spec.device);
  std::string text = fmt::format("{}{}{}", style.bold, report.title.empty() ? spec.workload : report.title, style.off);
  text += tr(" on {}", device::name_in_words(device.name));
  if (device.simulated) text += tr(" (simulated)");
  std::string figure = experiment::figure_info(spec.figure, report.points.front().measured.figures).label;
  if (!spec.against.empty()) figure = tr("{}, with {} / without", figure, spec.against);
  text += fmt::format("\n{}{}", figure,
                      report.unit.empty() || report.unit == "x" ? "" : ", " + experiment::unit_in_words(report.unit));
  const bool swept = std::any_of(spec.axes.begin(), spec.axes.end(), [](const experiment::Axis& axis) {
    return experiment::axis_kind(axis.key) == experiment::AxisKind::Iterations;
  });
  text += swept ? "\n" : tr("; {} iterations each\n", spec.iterations);
  for (const std::string& assignment : spec.assignments) {
    text += fmt::format("{}{}", &assignment == &spec.assignments.front() ? "" : "  ", one_line(assignment));
  }
  return text + (spec.assignments.empty() ? "\n" : "\n\n");
}

std::string bars(const SweepReport& report, const Style& style) {
  const experiment::Axis& axis = report.spec.axes[0];
  double most = 0;
  const std::string unit = report.unit == "x" ? report.unit : experiment::unit_in_words(report.unit);
  std::size_t width = display_width(axis.key), values = display_width(unit);
  for (const SweepPoint& point : report.points) {
    most = std::max(most, point.value.value_or(0));
    width = std::max(width, display_width(point.at[0]));
    values = std::max(values, display_width(cell_of(point)));
  }
  std::string text = fmt::format("  {}{}   {}{}\n", style.bold, right(axis.key, width), right(unit, values), style.off);
  for (const SweepPoint& point : report.points) {
    text += fmt::format("  {}   {}", right(point.at[0], width), right(cell_of(point), values));
    const auto length = most > 0 ? std::lround(std::max(0.0, point.value.value_or(0)) / most * kBarWidth) : 0;
    if (length > 0)
      text += fmt::format("  {}{}{}", style.accent, std::string(static_cast<std::size_t>(length), '#'), style.off);
    text += '\n';
  }
  return text;
}

std::string matrix(const SweepReport& report, const Style& style) {
  const experiment::Axis &rows = report.spec.axes[0], &columns = report.spec.axes[1];
  const std::string corner = fmt::format("{} \\ {}", rows.key, columns.key);
  std::size_t labels = display_width(corner), width = 0;
  for (const std::string& value : rows.values) labels = std::max(labels, display_width(value));
  for (const std::string& value : columns.values) width = std::max(width, display_width(value));
  for (const SweepPoint& point : report.points) width = std::max(width, display_width(cell_of(point)));

  std::string text = fmt::format("  {}{}", style.bold, right(corner, labels));
  for (const std::string& value : columns.values) text += "   " + right(value, width);
  text += fmt::format("{}\n", style.off);
  for (std::size_t r = 0; r < rows.values.size(); ++r) {
    text += "  " + right(rows.values[r], labels);
    for (std::size_t c = 0; c < columns.values.size(); ++c) {
      text += "   " + right(cell_of(report.points[r * columns.values.size() + c]), width);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string sweep_json(const SweepReport& report) {
  const experiment::SweepSpec& spec = report.spec;
  Json json{{"lanescope", base::kVersion},
            {"workload", spec.workload},
            {"device", device::describe_device(spec.device).id},
            {"settings", spec.assignments},
            {"iterations", spec.iterations},
            {"figure", spec.figure},
            {"unit", report.unit},
            {"against", text_or_null(spec.against)}};
  json["axes"] = Json::array();
  for (const experiment::Axis& axis : spec.axes) json["axes"].push_back({{"key", axis.key}, {"values", axis.values}});
  json["points"] = Json::array();
  for (const SweepPoint& point : report.points) {
    if (point.done) json["points"].push_back(point_json(report, point));
  }
  return written(json);
}

std::string sweep_table(const SweepReport& report, const Style& style) {
  return sweep_heading(report, style) + (report.spec.axes.size() == 1 ? bars(report, style) : matrix(report, style));
}

std::vector<std::string> failures(const SweepReport& report) {
  std::vector<std::string> lines;
  for (const SweepPoint& point : report.points) {
    if (point.error.empty()) continue;
    std::string at;
    for (std::size_t a = 0; a < point.at.size(); ++a) {
      at += fmt::format("{}{}={}", a == 0 ? "" : " ", report.spec.axes[a].key, point.at[a]);
    }
    lines.push_back(fmt::format("{}: {}", at, point.error));
  }
  return lines;
}

}  // namespace lanescope::app
