#include "app/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "app/argument_checks.h"
#include "app/graphics.h"
#include "app/html_page.h"
#include "app/reports.h"
#include "app/terminal_output.h"
#include "base/error.h"
#include "base/platform/terminal.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "io/trace_file.h"
#include "render/draw_pictures.h"

namespace lanescope::app {
namespace {

using experiment::MeasuredRun;

// "Log interval 1, Pinned true": the settings that differ between the two runs, or those that were given.
std::string part_title(const workload::Settings& settings, const std::vector<std::string>& assignments) {
  std::string title;
  std::set<std::string> named;
  for (const std::string& assignment : assignments) {
    const std::string key = assignment.substr(0, assignment.find('='));
    const workload::SettingSpec* spec = settings.spec(key);
    if (spec == nullptr || !named.insert(key).second) continue;
    if (!title.empty()) title += ", ";
    title += fmt::format("{} {}", base::tr(spec->label.c_str()), workload::to_text(settings.value(key)));
    if (!spec->unit.empty()) title += ' ' + spec->unit;
  }
  return title;
}

void write_trace(const std::filesystem::path& path, const MeasuredRun& run) {
  const trace::CaptureHealth health = run.capture_health();
  io::write_trace(path, run.trace(), run.facts(), &health);
}

void write_picture(const RunRequest& request, Painter& painter, const MeasuredRun& first, const MeasuredRun* second) {
  if (second == nullptr) {
    const Painter::Part part{&first, part_title(first.settings(), request.session.assignments), ""};
    return painter.write({&part, 1});
  }
  const std::vector<Painter::Part> parts{{&first, "", ""}, {second, "", ""}};
  painter.write(parts);
}

void say_ended_early(const RunRequest& request, const RunFigures& first, const std::optional<RunFigures>& second) {
  const std::string done = base::format_count(static_cast<std::int64_t>((second ? *second : first).iterations));
  const std::string asked = base::format_count(static_cast<std::int64_t>(request.session.iterations));
  if (request.compare.empty()) {
    say(base::tr("ended early, after {} of {} iterations; the figures cover only these", done, asked));
  } else if (second) {
    say(base::tr("ended early, after {} of {} iterations of the second run; the figures cover only these", done,
                 asked));
  } else {
    say(base::tr("ended early, after {} of {} iterations of the first run; the figures cover only these", done, asked));
  }
}

}  // namespace

void explain_device_choice(const std::string& asked) {
  if (asked != device::kAutoDevice || device::why_no_gpu().empty()) return;
  say(base::tr("no GPU: {}; simulating {}", device::why_no_gpu(), device::describe_device(asked).name));
}

int run_headless(const RunRequest& request) {
  const bool drawn = !request.html.empty() || !request.screenshot.file.empty();
  const auto detail = drawn ? analysis::LiveAnalysis::Detail::Timeline : analysis::LiveAnalysis::Detail::Figures;
  MeasuredRun first(request.session, detail);
  session::SessionOptions changed = request.session;
  changed.assignments.insert(changed.assignments.end(), request.compare.begin(), request.compare.end());
  first.check(changed.assignments);
  check_outputs({request.json, request.html, request.trace,
                 request.compare.empty() ? "" : comparison_path(request.trace), request.screenshot.file});
  std::optional<Painter> painter;
  if (!request.screenshot.file.empty()) painter.emplace(request.screenshot);

  explain_device_choice(request.session.device);
  const base::Interrupt interrupt;
  const auto run = [&](MeasuredRun& measured) {
    Progress progress(request.session.workload, request.session.iterations);
    measured.run([&](std::uint64_t done) { progress.update(done); }, [&] { return interrupt.asked(); });
  };
  run(first);
  std::unique_ptr<MeasuredRun> second;  // only one run at a time can use a GPU
  if (!request.compare.empty() && !interrupt.asked()) {
    second = std::make_unique<MeasuredRun>(changed, detail);
    run(*second);
  }

  const bool tables = !request.json.empty() || !request.html.empty();
  const auto figures_of = [&](const MeasuredRun& measured) {
    RunFigures figures = measured.figures();
    figures.advice = measured.advice(figures);
    if (tables) {
      figures.idle = analysis::idle_ledger(measured.trace(), measured.analysis(), figures.summary);
      figures.breakdown = measured.breakdown(figures);
    }
    figures.what_if = analysis::what_if_of(measured.trace(), measured.analysis(), figures, request.what_if);
    return figures;
  };
  const RunFigures figures = figures_of(first);
  const std::optional<RunFigures> other = second ? std::optional(figures_of(*second)) : std::nullopt;
  if (interrupt.asked()) say_ended_early(request, figures, other);
  if (!request.trace.empty()) {
    write_trace(request.trace, first);
    if (second) write_trace(comparison_path(request.trace), *second);
  }
  if (!request.screenshot.file.empty()) write_picture(request, *painter, first, second.get());
  if (!request.json.empty()) {
    write_json(request.json,
               written(request.compare.empty() ? summary_json(figures) : comparison_json(figures, other)));
  }
  if (!request.html.empty()) {
    html::Page page{.title = {}, .command = request.command, .runs = {}, .experiment = nullptr, .ended_early = false};
    page.ended_early = interrupt.asked();
    const std::string title = other ? part_title(first.settings(), request.compare) : std::string();
    page.runs.push_back(html::page_run(first, figures, title));
    if (other) page.runs.push_back(html::page_run(*second, *other, part_title(second->settings(), request.compare)));
    html::write_page(request.html, page);
  }
  if (request.json != "-" && request.html != "-") {
    const Style style = style_for(stdout);
    write_words(other ? comparison_table(figures, *other, style) : run_table(figures, style));
  }
  return interrupt.asked() ? kEndedEarly : kDone;
}

}  // namespace lanescope::app
