#include "app/report_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
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
#include "io/chrome_trace.h"

namespace lanescope::app {
namespace {

using base::Nanoseconds;
using trace::LaneId;
using trace::LaneKind;

// What only the trace itself can say: when the run began and ended, and the losses that it sampled.
void read_lanes(const trace::Trace& trace, RunFigures& figures) {
  const trace::Trace::ReadLock lock(trace);
  auto [from, to] = trace.extent();
  bool iterations = false;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      if (row.first() == row.last()) continue;
      if (lane.info().kind == LaneKind::Iterations) {
        from = iterations ? std::min(from, row.start(row.first())) : row.start(row.first());
        iterations = true;
        figures.iterations += row.last() - row.first();
      }
      if (lane.info().kind == LaneKind::Counter && lane.info().name == "loss" && !figures.loss) {
        figures.loss = {trace::value_of(row.event(row.first())), trace::value_of(row.event(row.last() - 1))};
      }
    }
  }
  figures.elapsed_ns = to - from;
}

}  // namespace

void report_file(const ReportRequest& request) {
  check_outputs({request.json, request.html});
  for (const std::string& output : {request.json, request.html}) {
    std::error_code unknown;
    if (!output.empty() && std::filesystem::equivalent(output, request.file, unknown)) {
      throw base::UsageError(
          fmt::format(fmt::runtime(base::tr("{} is the trace that is read; give the report another file")), output));
    }
  }
  const io::OpenedTrace opened = io::read_chrome_trace(request.file);
  RunFigures figures;
  figures.facts = opened.facts;
  figures.events = opened.trace->counts();
  if (!request.html.empty() && figures.events.recorded == 0) {
    throw base::FileError(
        fmt::format(fmt::runtime(base::tr("{}: it has no events to show on a page")), request.file.string()));
  }
  read_lanes(*opened.trace, figures);
  analysis::LiveAnalysis analysis(*opened.trace);
  analysis.update(std::numeric_limits<Nanoseconds>::max());
  analysis.finish();
  figures.summary = figures.iterations > 0 ? analysis.since_first_iteration() : analysis.total();
  figures.advice = analysis::advice_for(*opened.trace, analysis.records(), opened.trace->complete_until());

  if (!request.json.empty() || !request.html.empty()) {
    figures.breakdown =
        analysis::break_down(*opened.trace, analysis.records(), figures.summary, opened.trace->complete_until());
    if (const auto recorded = recorded_of(*opened.trace, opened.facts)) {
      figures.trials = trials_of(*recorded, *figures.advice);
    }
  }

  const FileFacts source{.path = request.file.string(),
                         .own = opened.own,
                         .events_read = opened.events_read,
                         .events_skipped = opened.events_skipped,
                         .events_malformed = opened.events_malformed,
                         .read_by_category = opened.read_by_category,
                         .skipped_by_category = opened.skipped_by_category};
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
