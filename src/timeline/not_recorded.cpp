#include "timeline/not_recorded.h"

#include <algorithm>
#include <cmath>

#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::Coverage;

/// What is at t, and until when it stays so.
struct State {
  bool recorded;
  Nanoseconds until;
};

class OfOne {
 public:
  OfOne(const Coverage& coverage, bool calls) : coverage_(coverage), calls_(calls) {}

  State at(Nanoseconds t) {
    near_ = coverage_.first_ending_after(t, near_);
    if (near_ >= coverage_.last()) return {false, Coverage::kNever};
    const Coverage::Interval interval = coverage_.interval(near_);
    const Nanoseconds begin = calls_ ? interval.calls_from : interval.begin;
    return begin <= t ? State{true, interval.end} : State{false, begin};
  }
  Nanoseconds recorded_ns(Nanoseconds from, Nanoseconds to) const { return coverage_.recorded_ns(from, to); }

 private:
  const Coverage& coverage_;
  const bool calls_;
  Coverage::Index near_ = 0;
};

// Where any of several is recorded. In a cell, the one that is recorded most counts.
class OfAll {
 public:
  explicit OfAll(const trace::Trace& trace) {
    for (std::size_t c = 0; c < trace.coverage_count(); ++c) {
      const Coverage& coverage = trace.coverage(trace.covered_pid(c));
      if (!coverage.complete()) each_.emplace_back(coverage, false);
    }
  }

  State at(Nanoseconds t) {
    State all{false, Coverage::kNever};
    for (OfOne& one : each_) {
      const State state = one.at(t);
      if (state.recorded && !all.recorded) {
        all = state;
      } else if (state.recorded == all.recorded) {
        all.until = all.recorded ? std::max(all.until, state.until) : std::min(all.until, state.until);
      }
    }
    return all;
  }
  Nanoseconds recorded_ns(Nanoseconds from, Nanoseconds to) const {
    Nanoseconds most = 0;
    for (const OfOne& one : each_) most = std::max(most, one.recorded_ns(from, to));
    return most;
  }

 private:
  std::vector<OfOne> each_;
};

template <class Of>
std::vector<MissingStretch> stretches(Of&& of, const TimeAxis& axis, Nanoseconds from, Nanoseconds to) {
  std::vector<MissingStretch> result;
  const auto add = [&](Nanoseconds begin, Nanoseconds end, float share) {
    if (share <= 0 || end <= begin) return;
    if (!result.empty() && result.back().to == begin && result.back().share == share) {
      result.back().to = end;
    } else {
      result.push_back({begin, end, share});
    }
  };
  const Nanoseconds cell = std::max<Nanoseconds>(1, axis.length_ns(kMissingCellPx));
  for (Nanoseconds at = from; at < to;) {
    const State here = of.at(at);
    // It ends here, or is followed by something wide: then its edge is where it is.
    const bool wide = here.until >= to || here.until - at >= cell || of.at(here.until).until - here.until >= cell;
    if (wide) {
      add(at, std::min(here.until, to), here.recorded ? 0.0f : 1.0f);
      at = here.until;
      continue;
    }
    // The grid stands still while the view moves.
    const Nanoseconds end = std::min(to, (at / cell + (at < 0 && at % cell != 0 ? 0 : 1)) * cell);
    const double missing = 1 - static_cast<double>(of.recorded_ns(at, end)) / static_cast<double>(end - at);
    add(at, end, static_cast<float>(std::ceil(missing * kMissingSteps - 1e-9) / kMissingSteps));
    at = end;
  }
  return result;
}

}  // namespace

const trace::Coverage* coverage_of(const trace::Trace& trace, const trace::Owners& owners, trace::LaneId lane) {
  const trace::LaneKind kind = trace.lane(lane).info().kind;
  if (kind != trace::LaneKind::Calls && !trace::is_gpu_lane(kind)) return nullptr;
  const trace::ProcessNumber process = owners.process_of(lane);
  if (process >= owners.processes().size()) return nullptr;
  const Coverage& coverage = trace.coverage(owners.processes()[process].pid);
  return coverage.complete() ? nullptr : &coverage;
}

std::vector<MissingStretch> missing_stretches(const trace::Coverage& coverage, const TimeAxis& axis, Nanoseconds from,
                                              Nanoseconds to, bool calls) {
  if (coverage.complete()) return {};
  return stretches(OfOne(coverage, calls), axis, from, to);
}

std::vector<MissingStretch> missing_stretches(const trace::Trace& trace, const TimeAxis& axis, Nanoseconds from,
                                              Nanoseconds to) {
  if (!trace.recorded_in_parts()) return {};
  return stretches(OfAll(trace), axis, from, to);
}

bool any_recorded(const trace::Trace& trace, Nanoseconds t) {
  return !trace.recorded_in_parts() || OfAll(trace).at(t).recorded;
}

std::string not_recorded_text(const trace::Bursts& bursts) {
  if (bursts.burst_ns <= 0 || bursts.period_ns <= 0) return tr("Not recorded: here only what blocks the CPU is known");
  return tr("Not recorded: recorded in bursts of {} every {}", base::format_duration(bursts.burst_ns),
            base::format_duration(bursts.period_ns));
}

}  // namespace lanescope::ui
