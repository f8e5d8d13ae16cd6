#include "attach/recorded_bursts.h"

#include <algorithm>

namespace lanescope::attach {
namespace {

using Change = trace::RecordingChange;

/// How long operations of a burst may arrive after it.
constexpr Nanoseconds kAfterBurst = 2 * base::kSecond;

constexpr Nanoseconds kShortestPeriod = 2 * base::kSecond, kNextPeriod = 4, kLongestPeriod = 128 * base::kSecond;
/// How often a job's ranks decide, and how long before a period's end: a burst begun then would not be everybody's.
constexpr Nanoseconds kTurn = 8 * base::kSecond, kBeforeTurn = base::kSecond;
/// What a burst costs differs between ranks, and from one burst to the next, most of all on a busy machine.
constexpr double kTurnsKept = 4;

}  // namespace

trace::Bursts JobBursts::at(Nanoseconds time_of_day_ns, const Wanted& wanted) {
  const Nanoseconds turn = (time_of_day_ns + kBeforeTurn) / kTurn;
  if (turn == turn_ && wanted.share == share_ && wanted.most_cost == most_cost_) return bursts_;
  turn_ = turn, share_ = wanted.share, most_cost_ = wanted.most_cost;
  slower_ += (wanted.slower - slower_) / kTurnsKept;
  const auto recorded = [&](Nanoseconds period) {
    return static_cast<Nanoseconds>(share_ * static_cast<double>(period));
  };
  Nanoseconds period = kShortestPeriod;
  while (period < kLongestPeriod && recorded(period) < wanted.burst_ns) period *= kNextPeriod;
  const Nanoseconds burst = std::max(recorded(period), std::min(wanted.burst_ns, period));
  const double cost = slower_ * static_cast<double>(burst);
  while (period < kLongestPeriod && cost > most_cost_ * static_cast<double>(period)) period *= kNextPeriod;
  return bursts_ = {burst, period};
}

RecordedBursts::RecordedBursts(std::int64_t pid, std::function<void(const Change&)> said)
    : pid_(pid), said_(std::move(said)) {}

bool RecordedBursts::take(wire::RecordingAct act, Nanoseconds t) {
  switch (act) {
    case wire::RecordingAct::On:
      if (on_) return false;
      on_ = true;
      on_ns_ = t;
      off_ns_ = 0;
      delivered_ns_ = std::max(delivered_ns_, t);
      awaits_since_ = t;
      first_operation_ns_ = std::numeric_limits<Nanoseconds>::max();
      return true;
    case wire::RecordingAct::Off:
      if (!on_) return false;
      on_ = false;
      off_ns_ = t;
      if (!awaits_since_) said_({Change::Act::End, pid_, t, 0});
      return true;
    case wire::RecordingAct::Delivered:
      delivered_ns_ = std::max(delivered_ns_, t);
      if (first_operation_ns_ < t) {
        gpu_known();
      } else if (!on_ && t >= off_ns_) {
        awaits_since_.reset();  // nothing ran in this burst
      }
      return false;
    case wire::RecordingAct::Away:
      return false;
  }
  return false;
}

void RecordedBursts::gpu_known() {
  if (!awaits_since_) return;
  const Nanoseconds calls_from = *std::exchange(awaits_since_, std::nullopt);
  const Nanoseconds from = std::max(first_operation_ns_, calls_from);
  if (!on_ && from >= off_ns_) return;
  said_({Change::Act::Begin, pid_, from, calls_from});
  if (!on_) said_({Change::Act::End, pid_, off_ns_, 0});
}

void RecordedBursts::operation(Nanoseconds start_ns, Nanoseconds end_ns) {
  if (end_ns > on_ns_) first_operation_ns_ = std::min(first_operation_ns_, start_ns);
}

void RecordedBursts::nothing_ran(Nanoseconds start_ns, Nanoseconds end_ns) {
  if (awaits_since_ && start_ns >= *awaits_since_) first_operation_ns_ = std::min(first_operation_ns_, end_ns);
}

void RecordedBursts::set(Nanoseconds burst_ns, Nanoseconds period_ns) {
  if (wanted_ == std::pair{burst_ns, period_ns}) return;
  wanted_ = {burst_ns, period_ns};
  said_({Change::Act::Bursts, pid_, burst_ns, period_ns});
}

void RecordedBursts::finish() {
  if (on_ && !awaits_since_) said_({Change::Act::End, pid_, std::max(delivered_ns_, on_ns_ + 1), 0});
  on_ = false;
}

Nanoseconds RecordedBursts::complete_until(Nanoseconds now_ns) {
  const bool tail = !on_ && off_ns_ != 0 && now_ns - off_ns_ < kAfterBurst;
  if (!on_ && !tail) awaits_since_.reset();  // nothing is known of the GPU in the last burst
  Nanoseconds until = now_ns;
  if (on_ || (tail && delivered_ns_ < off_ns_)) until = std::min(until, delivered_ns_);
  return awaits_since_ ? std::min(until, *awaits_since_) : until;
}

}  // namespace lanescope::attach
