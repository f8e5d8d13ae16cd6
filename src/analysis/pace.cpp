#include "analysis/pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;

/// A few operations are in flight even in a healthy loop; in a short stretch, they are a large share of all.
constexpr std::int64_t kAlwaysInFlight = 8;
/// The queue may gain or lose one in this many operations over a stretch; the pace may be off by the same share.
constexpr std::int64_t kLevel = 50;
/// An iteration that takes more than this many times the median has waited for the work of others.
constexpr Nanoseconds kBurst = 4;

using Special = std::function<bool(std::size_t)>;  // takes the index of a step that has a predecessor

/// If iterations have two different counts, those with the rarer one; if more, those with any, if some have none.
Special special_by(std::span<const LoopStep> steps, std::size_t base, std::int64_t LoopStep::*total) {
  const auto of = [steps, total](std::size_t i) {
    return (steps[i].*total - steps[i - 1].*total) / (steps[i].number - steps[i - 1].number);
  };
  constexpr std::size_t kKinds = 16;
  std::map<std::int64_t, std::size_t> kinds;
  for (std::size_t i = base + 1; i < steps.size() && kinds.size() < kKinds; ++i) ++kinds[of(i)];
  if (kinds.size() < 2) return {};
  if (kinds.size() > 2) {
    if (kinds.begin()->first != 0) return {};
    return [of](std::size_t i) { return of(i) > 0; };
  }
  const auto [less, more] = std::pair{*kinds.begin(), *kinds.rbegin()};
  const std::int64_t rare = more.second <= less.second ? more.first : less.first;
  return [of, rare](std::size_t i) { return of(i) == rare; };
}

Special special_iterations(std::span<const LoopStep> steps, std::size_t base) {
  if (Special waits = special_by(steps, base, &LoopStep::sync_count)) return waits;
  return special_by(steps, base, &LoopStep::launch_count);
}

bool has_burst(std::span<const LoopStep> iterations) {
  std::vector<Nanoseconds> durations;
  for (const LoopStep& step : iterations) durations.push_back(step.duration());
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>((durations.size() - 1) / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  const Nanoseconds median = *middle;
  return *std::max_element(durations.begin(), durations.end()) > kBurst * median;
}

struct Ends {
  std::size_t first, last;
};

/// From the end of one special iteration to the end of another: the first and last in the stretch, or if it has only
/// one, from the last one before the stretch.
std::optional<Ends> periods_in(std::size_t steps, std::size_t base, const Special& special) {
  std::size_t last = steps;
  while (--last > base && !special(last)) {
  }
  if (last == base) return std::nullopt;
  for (std::size_t first = std::max<std::size_t>(base, 1); first < last; ++first) {
    if (special(first)) return Ends{first, last};
  }
  for (std::size_t first = base; first-- > 1;) {
    if (special(first)) return Ends{first, last};
  }
  return std::nullopt;
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

double factor_between(const Pace& first, const Pace& second) {
  return first.known() && second.known() ? first.ns / second.ns : 0;
}

std::string factor_basis(const Pace& first, const Pace& second) {
  if (!first.known() || !second.known()) return {};
  if (first.basis == second.basis) return basis_text(first.basis);
  return tr("the first {}, the second {}", basis_text(first.basis), basis_text(second.basis));
}

Pace steady_pace(std::span<const LoopStep> steps, std::size_t base) {
  Pace pace;
  if (base + 1 >= steps.size()) return pace;
  const std::span<const LoopStep> asked = steps.subspan(base);
  pace.queue_moved = queue_moved(asked);
  Ends ends{base, steps.size() - 1};
  if (const Special special = special_iterations(steps, base)) {
    if (const auto whole = periods_in(steps.size(), base, special)) {
      ends = *whole;
    } else if (has_burst(asked.subspan(1))) {
      pace.basis = PaceBasis::NoPeriod;
    }
  }
  const LoopStep &from = steps[ends.first], &to = steps[ends.last];
  pace.from_ns = from.end_ns;
  pace.to_ns = to.end_ns;
  pace.iterations = to.number - from.number;
  if (!is_few(std::abs(to.in_flight - from.in_flight), operations_between(from, to))) {
    pace.basis = PaceBasis::QueueMoves;
  }
  if (pace.basis == PaceBasis::None && to.end_ns > from.end_ns) {
    pace.basis = PaceBasis::Steady;
    pace.ns = static_cast<double>(to.end_ns - from.end_ns) / static_cast<double>(pace.iterations);
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
  pace.ns = static_cast<double>(end_ns - from.end_ns) / static_cast<double>(pace.iterations);
  return pace;
}

Stretch whole_periods(std::size_t n, std::size_t period) {
  if (n < 2) return {0, 0};
  period = std::max<std::size_t>(period, 1);
  std::size_t beginning = std::max<std::size_t>(1, n / 4);
  if (n - beginning < period && n - 1 >= period) beginning = n - period;
  const std::size_t periods = (n - beginning) / period;
  return {periods > 0 ? n - periods * period : beginning, n};
}

}  // namespace lanescope::analysis
