#include "app/report_file.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <system_error>

#include "analysis/live_analysis.h"
#include "app/html_page.h"
#include "app/outputs.h"
#include "app/run_prediction.h"
#include "app/run_report.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/translate.h"
#include "io/run_figures.h"
#include "io/trace_file.h"

namespace lanescope::app {
namespace {

using base::Nanoseconds;
using trace::LaneId;
using trace::LaneKind;

// Derived from the sampled losses, with the same result as in the run.
std::optional<RunFigures::Loss> loss_of(const trace::Trace& trace) {
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    if (lane.info().role != trace::LaneRole::Loss || lane.row_count() == 0) continue;
    const trace::Row& row = lane.row(0);
    if (row.first() == row.last()) continue;
    return RunFigures::Loss{trace::value_of(row.event(row.first())), trace::value_of(row.event(row.last() - 1))};
  }
  return std::nullopt;
}

}  // namespace

void report_file(const ReportRequest& request) {
  check_outputs({request.json, request.html, request.trace});
  for (const std::string& output : {request.json, request.html, request.trace.string()}) {
    std::error_code unknown;
    if (!output.empty() && std::filesystem::equivalent(output, request.file, unknown)) {
      throw base::UsageError(base::tr("{} is the trace that is read; give the report another file", output));
    }
  }
  const io::OpenedTrace opened = io::read_trace(request.file);
  if (!request.html.empty() && opened.trace->counts().recorded == 0) {
    throw base::FileError(base::tr("{}: it has no events to show on a page", request.file.string()));
  }
  analysis::LiveAnalysis analysis(*opened.trace);
  analysis.update(std::numeric_limits<Nanoseconds>::max());
  analysis.finish();
  RunFigures figures = io::figures_of(*opened.trace, analysis, opened.facts);
  figures.loss = loss_of(*opened.trace);
  if (opened.health && opened.health->state != trace::CaptureState::None) figures.capture = opened.health;
  figures.advice = io::advice_of(*opened.trace, analysis, figures);
  if (!request.json.empty() || !request.html.empty()) {
    figures.breakdown = io::breakdown_of(*opened.trace, analysis, figures);
    if (auto recorded = recorded_of(*opened.trace, opened.facts)) {
      recorded->gpu = figures.summary.verdict_gpu;
      figures.trials = trials_of(*recorded, *figures.advice);
    }
  }

  const FileFacts source{.path = request.file.string(),
                         .own = opened.own,
                         .incomplete = opened.incomplete,
                         .events_read = opened.events_read,
                         .events_skipped = opened.events_skipped,
                         .events_malformed = opened.events_malformed,
                         .read_by_category = opened.read_by_category,
                         .skipped_by_category = opened.skipped_by_category};
  if (!request.trace.empty()) {
    io::write_trace(request.trace, *opened.trace, opened.facts, opened.health ? &*opened.health : nullptr);
  }
  write_json(request.json, request.json.empty() ? std::string() : file_json(figures, source));
  if (!request.html.empty()) {
    html::Page page{.title = {}, .command = request.command, .runs = {}, .experiment = nullptr, .ended_early = false};
    html::PageRun& run = page.runs.emplace_back();
    run.figures = figures;
    run.trace = opened.trace.get();
    run.analysis = &analysis;
    run.source = source;
    html::write_page(request.html, page);
  }
  if (request.json != "-" && request.html != "-") write_out(file_table(figures, source, style_for(stdout)));
}

}  // namespace lanescope::app
