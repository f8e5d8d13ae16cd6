#include "app/read_figures.h"

#include <limits>
#include <optional>
#include <utility>

#include "analysis/run_figures.h"
#include "analysis/stragglers.h"
#include "app/run_prediction.h"

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

FileFigures read_figures(const std::vector<std::filesystem::path>& files, bool in_detail) {
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
  figures.advice = analysis::advice_of(trace, *file.analysis, figures);
  analysis::Collectives collectives =
      analysis::collectives(trace, figures.summary.from_ns, figures.summary.to_ns, opened.facts.clock_error_ns);
  if (!collectives.gpus.empty()) {
    figures.lateness = analysis::lateness_of_worst(trace, collectives);
    collectives.sentence = analysis::collectives_text(trace, collectives, figures.lateness);
    figures.collectives = std::move(collectives);
  }
  if (in_detail) {
    figures.breakdown = analysis::breakdown_of(trace, *file.analysis, figures);
    if (auto recorded = recorded_of(trace, opened.facts)) {
      recorded->gpu = figures.summary.verdict_gpu;
      figures.trials = trials_of(*recorded, *figures.advice);
    }
  }
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

}  // namespace lanescope::app
