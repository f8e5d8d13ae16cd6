#include "analysis/pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/time.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;

/// A few operations are in flight even in a healthy loop; in a short stretch, they are a large share of all.
constexpr std::int64_t kAlwaysInFlight = 8;
/// The queue may gain or lose one in this many operations over a stretch; the pace may be off by the same share.
constexpr std::int64_t kLevel = 50;
/// Up to this share of the operations, what the queue gains or loses is taken into account: the GPU has finished that
/// much less or more than was issued. Beyond it, the loop has not settled.
constexpr double kMostMoved = 0.1;
/// An iteration that takes more than this many times the median has waited for the work of others.
constexpr Nanoseconds kBurst = 4;

using Special = std::function<bool(std::size_t)>;  // takes the index of a step that has a predecessor

/// If iterations have two different counts, those with the rarer one; if more, those with any, if some have none.
Special special_by(std::span<const LoopStep> steps, std::int64_t LoopStep::*total) {
  const auto of = [steps, total](std::size_t i) {
    return (steps[i].*total - steps[i - 1].*total) / (steps[i].number - steps[i - 1].number);
  };
  constexpr std::size_t kKinds = 16;
  std::map<std::int64_t, std::size_t> kinds;
  for (std::size_t i = 1; i < steps.size() && kinds.size() < kKinds; ++i) ++kinds[of(i)];
  if (kinds.size() < 2) return {};
  if (kinds.size() > 2) {
    if (kinds.begin()->first != 0) return {};
    return [of](std::size_t i) { return of(i) > 0; };
  }
  const auto [less, more] = std::pair{*kinds.begin(), *kinds.rbegin()};
  const std::int64_t rare = more.second <= less.second ? more.first : less.first;
  return [of, rare](std::size_t i) { return of(i) == rare; };
}

Special special_iterations(std::span<const LoopStep> steps) {
  if (Special waits = special_by(steps, &LoopStep::sync_count)) return waits;
  if (steps.back().in_parts) return {};  // an iteration without launches may just not have been recorded
  return special_by(steps, &LoopStep::launch_count);
}

Nanoseconds median_of(std::span<const LoopStep> iterations) {
  std::vector<Nanoseconds> durations;
  for (const LoopStep& step : iterations) durations.push_back(step.duration());
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>((durations.size() - 1) / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  return *middle;
}

bool has_burst(std::span<const LoopStep> iterations) {
  const Nanoseconds median = median_of(iterations);
  return std::any_of(iterations.begin(), iterations.end(),
                     [median](const LoopStep& step) { return step.duration() > kBurst * median; });
}

/// The time between the ends of the first and the last of at least two steps in which iterations are known.
Nanoseconds known_ns(std::span<const LoopStep> steps) {
  Nanoseconds known = steps.back().end_ns - steps.front().end_ns;
  if (!steps.back().in_parts) return known;
  const Nanoseconds median = median_of(steps.subspan(1));
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const Nanoseconds apart = steps[i].start_ns - steps[i - 1].end_ns;
    if (steps[i].number == steps[i - 1].number + 1 && apart > median) known -= apart;
  }
  return known;
}

struct Ends {
  std::size_t first, last;
};

/// From the end of one special iteration to the end of another: the first and last in the stretch. If it has only one,
/// or they are too rare for it, from the last one before.
std::optional<Ends> periods_in(std::span<const LoopStep> steps, std::size_t base, const Special& special) {
  std::size_t last = steps.size();
  while (--last > 0 && !special(last)) {
  }
  if (last == 0) return std::nullopt;
  std::size_t first = last;
  for (std::size_t i = std::max<std::size_t>(base, 1); i < last && first == last; ++i) {
    if (special(i)) first = i;
  }
  for (std::size_t i = std::min(base, last); first == last && i-- > 1;) {
    if (special(i)) first = i;
  }
  if (first == last) return std::nullopt;
  // They have not come for far longer than from the one to the other: the loop does something else now.
  constexpr std::int64_t kOverdue = 2;
  const std::int64_t since = steps.back().number - steps[last].number;
  if (last <= base && since > kOverdue * (steps[last].number - steps[first].number)) return std::nullopt;
  return Ends{first, last};
}

/// As many whole periods of a known length as the stretch has, or a few if there are earlier ones. They end after the
/// iteration of the newest period that waits most: nothing is in flight then.
std::optional<Ends> whole_periods_in(std::span<const LoopStep> steps, std::size_t base, std::int64_t period) {
  const auto at = [&](std::int64_t number) -> std::optional<std::size_t> {
    const auto found = std::ranges::lower_bound(steps, number, {}, &LoopStep::number);
    if (found == steps.end() || found->number != number) return std::nullopt;
    return static_cast<std::size_t>(found - steps.begin());
  };
  const auto ending_with = [&](std::size_t last) -> std::optional<Ends> {
    // One period may differ from the next, so a few are better.
    constexpr std::int64_t kFew = 3;
    for (std::int64_t n = std::max(kFew, (steps[last].number - steps[base].number) / period); n > 0; --n) {
      if (const auto first = at(steps[last].number - n * period)) return Ends{*first, last};
    }
    return std::nullopt;
  };
  const auto waits = [&](std::size_t i) {
    return std::pair(steps[i].sync_count - steps[i - 1].sync_count, steps[i].launch_count - steps[i - 1].launch_count);
  };
  std::size_t most = steps.size() - 1;
  for (std::size_t i = most; i > 1 && steps[i - 1].number > steps.back().number - period; --i) {
    if (waits(i - 1) > waits(most)) most = i - 1;
  }
  if (const auto ends = ending_with(most)) return ends;
  return ending_with(steps.size() - 1);
}

// Also counts launches whose operations the GPU has not begun, operations other than kernels, and operations of a
// foreign trace without calls.
std::int64_t operations_between(const LoopStep& from, const LoopStep& to) {
  return std::max(to.gpu_op_count - from.gpu_op_count, to.launch_count - from.launch_count);
}

bool is_few(std::int64_t in_flight, std::int64_t operations) {
  return in_flight <= std::max(operations / kLevel, std::min(kAlwaysInFlight, operations / 10));
}

// How far the queue filled and drained, relative to the number of operations.
double queue_moved(std::span<const LoopStep> steps) {
  std::int64_t moved = 0, at = steps.front().in_flight;
  for (const LoopStep& step : steps) {
    if (std::abs(step.in_flight - at) <= kAlwaysInFlight) continue;
    moved += std::abs(step.in_flight - at);
    at = step.in_flight;
  }
  const std::int64_t operations = operations_between(steps.front(), steps.back());
  return operations > 0 ? static_cast<double>(moved) / static_cast<double>(operations) : 0;
}

}  // namespace

std::string_view basis_key(PaceBasis basis) {
  switch (basis) {
    case PaceBasis::Elapsed:
      return "elapsed";
    case PaceBasis::Steady:
      return "steady";
    case PaceBasis::QueueMoves:
      return "queue-fills";
    case PaceBasis::NoPeriod:
      return "no-period-yet";
    case PaceBasis::None:
      break;
  }
  return "none";
}

std::string basis_text(PaceBasis basis) {
  switch (basis) {
    case PaceBasis::Elapsed:
      return tr("by elapsed time");
    case PaceBasis::Steady:
      return tr("over whole steady periods");
    case PaceBasis::QueueMoves:
      return tr("the launch queue still fills or drains");
    case PaceBasis::NoPeriod:
      return tr("no steady period yet");
    case PaceBasis::None:
      break;
  }
  return tr("no iterations to tell from");
}

std::string why_unknown(const Pace& pace) {
  if (pace.basis != PaceBasis::NoPeriod || pace.period <= 1) return basis_text(pace.basis);
  return tr("a whole period takes {} iterations; {} so far", base::format_count(pace.period),
            base::format_count(pace.iterations));
}

double work_between(double first_samples, double second_samples) {
  if (first_samples == 0 || second_samples == 0 || std::abs(first_samples) == std::abs(second_samples)) return 1;
  return first_samples > 0 && second_samples > 0 ? second_samples / first_samples : 0;
}

double factor_between(double first_ns, double second_ns, double work) {
  return first_ns > 0 && second_ns > 0 ? first_ns * work / second_ns : 0;
}

Gain gain_between(const Pace& first, double first_samples, const Pace& second, double second_samples) {
  const double work = work_between(first_samples, second_samples);
  return {factor_between(first.known() ? first.ns : 0, second.known() ? second.ns : 0, work), work > 0 && work != 1,
          work > 0};
}

std::string_view of_what(const Gain& gain) { return gain.per_sample ? tr("per sample") : tr("per iteration"); }

std::string factor_basis(const Pace& first, const Pace& second) {
  if (!first.known() || !second.known()) return {};
  if (first.basis == second.basis) return basis_text(first.basis);
  return tr("the first {}, the second {}", basis_text(first.basis), basis_text(second.basis));
}

Pace steady_pace(std::span<const LoopStep> steps, std::size_t base, std::int64_t period) {
  Pace pace;
  pace.period = std::max<std::int64_t>(1, period);
  if (base + 1 >= steps.size()) return pace;
  const std::span<const LoopStep> asked = steps.subspan(base);
  pace.queue_moved = queue_moved(asked);
  Ends ends{base, steps.size() - 1};
  if (period > 1) {
    if (const auto whole = whole_periods_in(steps, base, period)) {
      ends = *whole;
    } else {
      pace.basis = PaceBasis::NoPeriod;
      ends.first = 0;
    }
  } else if (const Special special = special_iterations(steps)) {
    if (const auto whole = periods_in(steps, base, special)) {
      ends = *whole;
    } else if (has_burst(asked.subspan(1))) {
      pace.basis = PaceBasis::NoPeriod;
    }
  }
  const LoopStep &from = steps[ends.first], &to = steps[ends.last];
  pace.from_ns = from.end_ns;
  pace.to_ns = to.end_ns;
  pace.iterations = to.number - from.number;
  const std::int64_t operations = operations_between(from, to), gained = to.in_flight - from.in_flight;
  double finished = static_cast<double>(pace.iterations);
  if (!is_few(std::abs(gained), operations)) {
    const double moved = static_cast<double>(gained) / static_cast<double>(operations);
    if (pace.basis == PaceBasis::None && std::abs(moved) > kMostMoved) pace.basis = PaceBasis::QueueMoves;
    finished *= 1 - moved;
  }
  if (pace.basis == PaceBasis::None && to.end_ns > from.end_ns) {
    pace.basis = PaceBasis::Steady;
    pace.ns = static_cast<double>(known_ns(steps.subspan(ends.first, ends.last - ends.first + 1))) / finished;
  }
  return pace;
}

std::optional<Pace> elapsed_pace(std::span<const LoopStep> steps, Nanoseconds end_ns, std::int64_t outstanding) {
  if (steps.size() < 2) return std::nullopt;
  const LoopStep &from = steps.front(), &to = steps.back();
  const std::int64_t operations = operations_between(from, to);
  if (end_ns <= from.end_ns || !is_few(from.in_flight, operations) || !is_few(outstanding, operations)) {
    return std::nullopt;
  }
  Pace pace{PaceBasis::Elapsed, 0, to.number - from.number, from.end_ns, end_ns, queue_moved(steps)};
  pace.ns = static_cast<double>(known_ns(steps) + end_ns - to.end_ns) / static_cast<double>(pace.iterations);
  return pace;
}

Splice::Splice(std::vector<LoopStep>& steps, std::span<const TimeSpan> without)
    : without_(without.begin(), without.end()) {
  if (without_.empty()) return;
  std::vector<LoopStep> left;
  LoopStep cut;                      // what all that is left out adds to the totals
  const LoopStep* before = nullptr;  // the last step that was not left out
  auto span = without_.begin();
  for (const LoopStep& step : steps) {
    while (span != without_.end() && span->to < step.end_ns) ++span;
    if (span != without_.end() && before && step.end_ns > span->from) {
      const LoopStep& last = (&step)[-1];
      cut.end_ns += step.end_ns - last.end_ns;
      cut.number += step.number - last.number;
      cut.sync_count += step.sync_count - last.sync_count;
      cut.launch_count += step.launch_count - last.launch_count;
      cut.gpu_op_count += step.gpu_op_count - last.gpu_op_count;
      cut.in_flight += step.in_flight - last.in_flight;
      continue;
    }
    left.push_back(step);
    before = &step;
    LoopStep& now = left.back();
    now.start_ns -= cut.end_ns;
    now.end_ns -= cut.end_ns;
    now.number -= cut.number;
    now.sync_count -= cut.sync_count;
    now.launch_count -= cut.launch_count;
    now.gpu_op_count -= cut.gpu_op_count;
    now.in_flight -= cut.in_flight;
  }
  gained_ = cut.in_flight;
  steps = std::move(left);
}

Nanoseconds Splice::within(Nanoseconds t) const {
  Nanoseconds left_out = 0;
  for (const TimeSpan& span : without_) left_out += std::clamp(t, span.from, span.to) - span.from;
  return t - left_out;
}

Pace Splice::back(Pace pace) const {
  for (const TimeSpan& span : without_) {
    if (span.from <= pace.from_ns) pace.from_ns += span.length();
    if (span.from < pace.to_ns) pace.to_ns += span.length();
  }
  return pace;
}

}  // namespace lanescope::analysis
