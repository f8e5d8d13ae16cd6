#include "app/saved_trace.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/live_analysis.h"
#include "analysis/run_figures.h"
#include "analysis/stragglers.h"
#include "analysis/whole_iterations.h"
#include "app/argument_checks.h"
#include "app/commands.h"
#include "app/html_page.h"
#include "app/reports.h"
#include "app/terminal_output.h"
#include "base/error.h"
#include "base/translate.h"
#include "io/tables.h"
#include "io/trace_file.h"

namespace lanescope::app {
namespace {

using base::Nanoseconds;

// Derived from the sampled losses, with the same result as in the run.
std::optional<RunFigures::Loss> loss_of(const trace::Trace& trace) {
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
    if (lane.info().role != trace::LaneRole::Loss || lane.row_count() == 0) continue;
    const trace::Row& row = lane.row(0);
    if (row.first() == row.last()) continue;
    return RunFigures::Loss{trace::value_of(row.event(row.first())), trace::value_of(row.event(row.last() - 1))};
  }
  return std::nullopt;
}

std::string listed_figures(const std::vector<std::filesystem::path>& files) {
  std::string list;
  for (const std::filesystem::path& file : files) list += (list.empty() ? "" : ", ") + file.string();
  return list;
}

}  // namespace

FileFigures read_figures(const std::vector<std::filesystem::path>& files, bool in_detail,
                         const std::vector<analysis::Edit>& what_if) {
  FileFigures file{io::read_traces(files), nullptr, {}, {}};
  const io::OpenedTrace& opened = file.opened;
  const trace::Trace& trace = *opened.trace;
  file.analysis = std::make_unique<analysis::LiveAnalysis>(trace);
  file.analysis->update(std::numeric_limits<Nanoseconds>::max());
  file.analysis->finish();
  RunFigures& figures = file.figures;
  figures = analysis::figures_of(trace, *file.analysis, opened.facts);
  figures.loss = loss_of(trace);
  if (opened.health && opened.health->state != trace::CaptureState::None) figures.capture = opened.health;
  figures.idle = analysis::idle_ledger(trace, *file.analysis, figures.summary);
  figures.advice = analysis::advice_of(trace, *file.analysis, figures);
  const analysis::Summary& summary = figures.summary;
  analysis::Collectives collectives = analysis::collectives(
      trace, analysis::without({{summary.from_ns, summary.to_ns}}, summary.judged.rare), opened.facts.clock_error_ns);
  if (!collectives.gpus.empty()) {
    figures.lateness = analysis::lateness_of_worst(trace, collectives);
    collectives.sentence = analysis::collectives_text(trace, collectives, figures.lateness);
    figures.collectives = std::move(collectives);
  }
  if (in_detail) {
    figures.breakdown = analysis::breakdown_of(trace, *file.analysis, figures);
  }
  figures.what_if = analysis::what_if_of(trace, *file.analysis, figures, what_if);
  file.source = {.path = listed_figures(files),
                 .own = opened.own,
                 .incomplete = opened.incomplete,
                 .events_read = opened.events_read,
                 .events_skipped = opened.events_skipped,
                 .events_malformed = opened.events_malformed,
                 .read_by_category = opened.read_by_category,
                 .skipped_by_category = opened.skipped_by_category};
  return file;
}

// --- report file -----------------------------------------------------------------------------------------------------

void report_file(const ReportRequest& request) {
  check_outputs({request.json, request.html, request.trace});
  check_not_input({request.json, request.html, request.trace}, request.files);
  const FileFigures file = read_figures(request.files, !request.json.empty() || !request.html.empty(), request.what_if);
  const io::OpenedTrace& opened = file.opened;
  if (!request.html.empty() && opened.trace->counts().recorded == 0) {
    throw base::FileError(base::tr("{}: it has no events to show on a page", file.source.path));
  }
  if (!request.trace.empty()) {
    io::write_trace(request.trace, *opened.trace, opened.facts, opened.health ? &*opened.health : nullptr);
  }
  write_json(request.json, request.json.empty() ? std::string() : written(file_json(file.figures, file.source)));
  if (!request.html.empty()) {
    html::Page page{.title = {}, .command = request.command, .runs = {}, .experiment = nullptr, .ended_early = false};
    page.runs.push_back(html::page_run(file, {}));
    html::write_page(request.html, page);
  }
  if (request.json != "-" && request.html != "-") {
    write_words(file_table(file.figures, file.source, style_for(stdout)));
  }
}

// --- export file -----------------------------------------------------------------------------------------------------

void export_file(const ExportRequest& request) {
  check_outputs({request.sqlite, request.chrome});
  check_not_input({request.sqlite, request.chrome}, request.files);
  const io::OpenedTrace opened = io::read_traces(request.files);
  std::vector<std::unique_ptr<io::TableSink>> sinks;
  if (!request.csv.empty()) sinks.push_back(io::csv_tables(request.csv));
  if (!request.sqlite.empty()) sinks.push_back(io::sqlite_tables(request.sqlite));
  if (!sinks.empty()) {
    // With all bubbles, of which there are fewer than events.
    analysis::LiveAnalysis analysis(*opened.trace, analysis::LiveAnalysis::kMaxRecords,
                                    opened.trace->counts().recorded);
    analysis.update(std::numeric_limits<base::Nanoseconds>::max());
    analysis.finish();
    for (const auto& sink : sinks) io::write_tables(*sink, *opened.trace, analysis, opened.facts);
  }
  if (!request.chrome.empty()) io::write_chrome_trace(request.chrome, *opened.trace, opened.facts);
  for (const auto& sink : sinks) sink->commit();
}

}  // namespace lanescope::app
