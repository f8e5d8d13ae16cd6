#include "inspect/outlier.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::Nanoseconds;
using trace::EventIndex;
using trace::LaneId;
using trace::LaneKind;

struct Iteration {
  Nanoseconds start_ns = 0, end_ns = 0;
  std::uint32_t number = 0;

  Nanoseconds duration() const { return end_ns - start_ns; }
};

std::vector<Iteration> whole_iterations(const trace::Trace& trace, Nanoseconds since, Nanoseconds until) {
  std::vector<Iteration> all;
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    if (lane.info().kind != LaneKind::Iterations || lane.row_count() == 0) continue;
    const trace::Row& row = lane.row(0);
    const EventIndex last = row.last();
    for (EventIndex i = row.first_starting_at_or_after(since, row.first(), last); i < last; ++i) {
      if (row.end(i) > until) break;
      all.push_back({row.start(i), row.end(i), trace::index_of(row.untimed_event(i))});
    }
    if (!all.empty()) break;  // of one loop: iterations of others are not like these
  }
  if (!all.empty()) all.erase(all.begin());  // it sets up what the others use
  return all;
}

// What was done, in the order in which it explains: a wait is explained by what it waited for.
enum class Did : std::uint8_t { GpuWork, Call, Range };
using Times = std::map<std::pair<Did, trace::NameId>, Nanoseconds>;

std::optional<Did> did(LaneKind kind) {
  if (trace::is_gpu_work_lane(kind)) return Did::GpuWork;
  if (kind == LaneKind::Calls) return Did::Call;
  if (kind == LaneKind::Phases) return Did::Range;
  return std::nullopt;
}

void for_each_event(const trace::Trace& trace, const Iteration& in, const auto& look) {
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    const auto what = did(lane.info().kind);
    if (!what || lane.info().role == trace::LaneRole::Helper) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const EventIndex last = row.last();
      for (EventIndex i = row.first_ending_after(in.start_ns, row.first(), last); i < last; ++i) {
        if (row.start(i) >= in.end_ns) break;
        look(*what, static_cast<LaneId>(l), r, row, i,
             std::min(row.end(i), in.end_ns) - std::max(row.start(i), in.start_ns));
      }
    }
  }
}

Times times_of(const trace::Trace& trace, const Iteration& in) {
  Times times;
  for_each_event(trace, in, [&](Did what, LaneId, std::size_t, const trace::Row& row, EventIndex i, Nanoseconds took) {
    times[{what, row.untimed_event(i).name}] += took;
  });
  return times;
}

void explain(const trace::Trace& trace, const Iteration& worst, const Iteration& usual, Outlier& outlier) {
  const Times longer = times_of(trace, worst), others = times_of(trace, usual);
  std::optional<std::pair<Did, trace::NameId>> cause;
  Nanoseconds most = 0;
  for (const auto& [what, took] : longer) {
    const auto before = others.find(what);
    const Nanoseconds more = took - (before == others.end() ? 0 : before->second);
    if (2 * more < outlier.excess_ns) continue;
    // The first kind that explains it; of a kind, what explains most.
    if (cause && (cause->first != what.first || more <= most)) continue;
    cause = what;
    most = more;
  }
  if (!cause) return;
  outlier.cause = trace.names().text(cause->second);
  Nanoseconds longest = -1;
  for_each_event(trace, worst,
                 [&](Did what, LaneId lane, std::size_t r, const trace::Row& row, EventIndex i, Nanoseconds took) {
                   if (what != cause->first || row.untimed_event(i).name != cause->second || took <= longest) return;
                   longest = took;
                   outlier.event = event_ref(lane, r, row, i);
                 });
}

}  // namespace

std::optional<Outlier> worst_iteration(const trace::Trace& trace, Nanoseconds since, Nanoseconds until,
                                       const base::Stop* stop) {
  const std::vector<Iteration> all = whole_iterations(trace, since, until);
  if (all.size() < 3 || (stop && *stop)) return std::nullopt;
  std::vector<Nanoseconds> lengths;
  for (const Iteration& one : all) lengths.push_back(one.duration());
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  const Iteration& worst = *std::ranges::max_element(all, {}, &Iteration::duration);
  const Iteration& usual =
      *std::ranges::min_element(all, {}, [&](const Iteration& one) { return std::abs(one.duration() - *middle); });
  Outlier outlier{worst.number + 1,
                  static_cast<std::int64_t>(all.size()),
                  worst.start_ns,
                  worst.end_ns,
                  worst.duration() - *middle,
                  {},
                  {}};
  if (outlier.excess_ns > 0) explain(trace, worst, usual, outlier);
  return outlier;
}

std::string outlier_text(const Outlier& outlier) {
  using base::tr;
  const std::string of = base::format_count(outlier.of), number = base::format_count(outlier.number),
                    more = base::format_duration(outlier.excess_ns, 3);
  return outlier.cause.empty() ? tr("worst of {} iterations: {}, +{}, for an unknown reason", of, number, more)
                               : tr("worst of {} iterations: {}, +{}, because of {}", of, number, more, outlier.cause);
}

}  // namespace lanescope::ui
