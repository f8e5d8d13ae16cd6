#include "shell/job.h"

#include <algorithm>
#include <utility>

#include "analysis/stragglers.h"
#include "base/guess_search.h"
#include "base/translate.h"
#include "inspect/neighbours.h"
#include "shell/finding.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

// The longest idle time of the GPU that touches the gap.
std::optional<analysis::Bubble> bubble_in(const Model& model, trace::GpuNumber gpu, const analysis::Place& gap) {
  std::optional<analysis::Bubble> longest;
  if (gpu >= model.analysis().gpu_count()) return longest;
  const auto& bubbles = model.analysis().bubbles(gpu);
  const auto end_of = [&](std::size_t i) { return bubbles[i].end_ns; };
  for (std::size_t i = base::first_above(0, bubbles.size(), gap.start_ns, end_of);
       i < bubbles.size() && bubbles[i].start_ns < gap.end_ns; ++i) {
    if (!longest || bubbles[i].duration() > longest->duration()) longest = bubbles[i];
  }
  return longest;
}

}  // namespace

bool shows_job_map(const ShellState& state) { return state.job_folder.on() && state.model.nothing(); }

void open_rank(ShellState& state, std::size_t row, std::uint64_t iteration) {
  const std::shared_ptr<const JobLook>& look = state.job_folder.look();
  if (!look || row >= look->map.rows.size()) return;
  state.job_map.row = row;
  const std::filesystem::path& recording = look->recordings[look->map.rows[row]];
  if (recording.empty()) {
    return state.show_toast(
        tr("{}: only its summary is here, not its recording", analysis::rank_text(look->report, look->map.rows[row])),
        true);
  }
  state.requests.files = {recording};
  state.job_map.iteration = iteration;
}

void show_asked_iteration(ShellState& state) {
  if (state.job_map.iteration == 0 || state.model.nothing()) return;
  const std::uint64_t number = std::exchange(state.job_map.iteration, 0);
  if (!state.job_folder.on()) return;
  const auto found =
      iteration_numbered(state.model.trace(), static_cast<std::uint32_t>(number - 1), state.model.live_edge());
  if (found) state.view.show_iteration(found->event.start_ns, found->event.end_ns);
}

const std::string& why_late(ShellState& state, std::size_t collective) {
  JobHover& hover = state.job_hover;
  if (hover.collective != collective || hover.found != state.job.found()) {
    const trace::Trace& trace = state.model.trace();
    hover = {collective, state.job.found(),
             lateness_text(trace, analysis::lateness_of(trace, state.job.collectives(), collective))};
  }
  return hover.why;
}

void go_to_late(ShellState& state, std::size_t collective) {
  const analysis::Collectives& all = state.job.collectives();
  if (collective >= all.all.size()) return;
  state.job.selected = collective;
  const trace::Trace& trace = state.model.trace();
  const analysis::Lateness late = analysis::lateness_of(trace, all, collective);
  if (late.collectives == 0) return state.show_toast(tr("Nothing is known of what came before it"));
  if (late.by == analysis::LateBy::Idle) {
    if (const auto bubble = bubble_in(state.model, late.gpu, late.place)) {
      state.selection.clear();
      state.selection.bubble = bubble;
      const TimeAxis& axis = state.view.axis();
      if (bubble->start_ns < axis.begin_ns() || bubble->end_ns > axis.end_ns()) {
        const analysis::Collective& one = all.all[collective];
        state.view.show(bubble->start_ns, std::max(bubble->end_ns, one.parts.front().end_ns));
      } else {
        state.view.pan(0);
      }
      return;
    }
  } else if (const std::optional<EventRef> event = event_of(trace, late.place)) {
    return show_example(state, *event);
  }
  state.show_toast(tr("The example is no longer in memory"));
}

void reveal_gpu(ShellState& state, trace::GpuNumber gpu) {
  const trace::Owners& owners = state.model.analysis().links().owners();
  const TimeAxis& axis = state.view.axis();
  for (std::size_t l = 0; l < state.model.trace().lane_count(); ++l) {
    const auto lane = static_cast<trace::LaneId>(l);
    if (owners.gpu_of(lane) != gpu) continue;
    EventRef place;
    place.lane = lane;
    place.event.lane = lane;
    place.event.start_ns = axis.begin_ns();
    place.event.end_ns = axis.end_ns();
    return reveal(state, place);
  }
}

}  // namespace lanescope::ui
