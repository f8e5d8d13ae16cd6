// Finds the API call that issued an operation, by process and correlation, and counts the operations issued and not
// finished.
//
// trace::Links answers the same question from the trace. Here the question comes up for every event in order, and a
// ring buffer of the newest calls answers it in nanoseconds.
//
// Whether a call has an operation is known only when the operation arrives, so the curve is settled only up to the
// oldest call still waiting for one. Some calls never get one (a memset of size 0, a lost event); they are given up
// after kReach further calls.
//
// The launch of a CUDA graph counts as one operation, until the last of the graph's nodes has ended.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/in_flight.h"
#include "trace/event.h"

namespace lanescope::analysis {

using base::Nanoseconds;

/// Why a call blocked the CPU, besides its own cost.
enum class Hold : std::uint8_t { None, Staging, Pinning, Allocation };

struct IssuingCall {
  Nanoseconds start_ns = 0, end_ns = 0;
  trace::CallKey key;
  trace::NameId name = 0;
  trace::LaneId lane = 0;
  Hold holds = Hold::None;
  bool blocking = false;
  trace::EventPlace place;  ///< for the curve; not set without one
};

class RunAhead {
 public:
  /// More than any launch queue holds, over several streams and devices.
  static constexpr std::size_t kReach = 8192;

  struct Value {
    std::uint64_t cut = 0;         ///< its index, from 0
    std::int64_t integral_ns = 0;  ///< up to `at`
    std::int64_t maximum = 0;      ///< since the previous cut
    std::int64_t depth = 0;        ///< at the cut
  };

  /// `curve` (may be null) receives which operations are counted by their calls.
  explicit RunAhead(InFlight* curve = nullptr);

  // To be called in start order:
  /// The caller fills in the rest of the call, in place: a copy of what has just been written would stall.
  IssuingCall& call(const trace::CallKey& key, Nanoseconds start, bool issues_work, const trace::EventPlace& place);
  /// Returns the call that issued it, or null if unknown. Valid until the next call of a function.
  const IssuingCall* operation(const trace::CallKey& key, Nanoseconds start, Nanoseconds end,
                               const trace::EventPlace& place = {});
  /// Requests the curve's value at `t`. Cuts must ascend. Everything that starts before t must have been passed, and
  /// nothing that starts later.
  void cut(Nanoseconds t);

  /// Passes an operation that starts after the window, only to mark its call as having one. Returns that call, or null
  /// if unknown; valid until the next call of a function.
  const IssuingCall* later_operation(const trace::CallKey& key, Nanoseconds end);
  /// The call's operation runs on a GPU that is not of interest, so the curve leaves it out. Returns that call, or null
  /// if unknown; valid until the next call of a function.
  const IssuingCall* operation_elsewhere(const trace::CallKey& key);
  /// Calls without an operation by now will not get one; only those issued before `until`.
  void give_up_waiting(Nanoseconds until = std::numeric_limits<Nanoseconds>::max());
  /// From `t` on, nothing is recorded, and the integral stands still until resume(). In time order.
  void pause(Nanoseconds t) { pauses_.push_back({t, std::numeric_limits<Nanoseconds>::max()}); }
  void resume(Nanoseconds t) {
    if (!pauses_.empty()) pauses_.back().to = t;
  }

  /// Everything that starts before `until` has been passed. Returns the newly settled cuts, each once.
  std::vector<Value> settle(Nanoseconds until);
  /// The cuts not settled yet, and finally `until` itself, as if every call still waiting for its operation had one.
  std::vector<Value> provisional(Nanoseconds until) const;

 private:
  struct alignas(64) Entry {  // a cache line
    IssuingCall call;
    Nanoseconds issued_ns = 0;
    std::uint16_t back = 0;  ///< how many entries before it the previous call with the same hash is; 0: out of reach
    bool counted = false;    ///< part of the curve
    bool started = false;    ///< its operation is known
  };
  static_assert(sizeof(Entry) == 64 && kReach <= std::numeric_limits<std::uint16_t>::max());
  /// Of the calls whose operations started last, the operation that ends last.
  struct LastOf {
    trace::CallKey key;
    Nanoseconds end = 0;
    trace::EventPlace place;
  };
  static constexpr std::size_t kLasts = 32;  // more calls than start work between two nodes of a graph
  struct Position {                          ///< how far the curve has been followed
    Nanoseconds now = 0;
    std::int64_t depth = 0, integral_ns = 0, maximum = 0;
    std::uint64_t call = 1;
    std::size_t finish = 0, cut = 0, pause = 0;
  };
  struct Pause {
    Nanoseconds from, to;
  };
  static constexpr unsigned kHashBits = 13;

  /// Neighbouring numbers, as a program's calls have, get neighbouring places, which share cache lines.
  static std::size_t hash(const trace::CallKey& key) {
    const std::uint32_t number = key.correlation + std::uint32_t{key.process} * 2654435761u;
    return (number ^ number >> kHashBits) & ((1u << kHashBits) - 1);
  }
  Entry& entry(std::uint64_t number) { return ring_[number % kReach]; }
  const Entry& entry(std::uint64_t number) const { return ring_[number % kReach]; }
  Entry& add(Nanoseconds at) {
    newest_at_ = std::max(newest_at_, at);
    if (newest_ - settled_.call + 1 == kReach) make_room();
    Entry& e = entry(++newest_);
    e.issued_ns = newest_at_;
    e.counted = e.started = false;
    return e;
  }
  void make_room();
  Entry* find(const trace::CallKey& key);
  void leave_out(Entry& e);
  /// A further operation of a call, of which `last` ended last so far.
  LastOf* last_of(const trace::CallKey& key);
  void go_on(LastOf& last, Nanoseconds end, const trace::EventPlace& place);
  void count_alone(Nanoseconds from, Nanoseconds end);
  void finishes_at(Nanoseconds end) {
    if (finishes_.size() == settled_.finish || finishes_.back() <= end) {
      finishes_.push_back(end);
    } else {
      finishes_early(end);
    }
  }
  void finishes_early(Nanoseconds end);
  Nanoseconds recorded_between(Nanoseconds from, Nanoseconds to, std::size_t& next) const;
  void follow(Position& position, Nanoseconds until, bool wait_for_operations, std::vector<Value>& values) const;
  void settle_some(Nanoseconds until);

  InFlight* curve_;
  std::vector<Entry> ring_;           // calls (and operations without one), numbered from 1
  std::vector<std::uint64_t> heads_;  // the newest call of each hash; 0: none
  std::uint64_t newest_ = 0;
  Nanoseconds newest_at_;
  // Settled ones are removed from the front of these now and then.
  std::vector<Nanoseconds> finishes_;  // ends of operations, ascending
  std::vector<Nanoseconds> cuts_;      // ascending
  std::uint64_t cuts_gone_ = 0;        // removed from the front of cuts_
  std::vector<Pause> pauses_;          // ascending
  Position settled_;
  IssuingCall found_;
  std::array<LastOf, kLasts> lasts_;
  std::size_t newest_last_ = 0;
  std::vector<Value> settled_values_;
};

inline IssuingCall& RunAhead::call(const trace::CallKey& key, Nanoseconds start, bool issues_work,
                                   const trace::EventPlace& place) {
  Entry& e = add(start);
  e.call.key = key;
  e.call.start_ns = start;
  e.counted = issues_work;
  if (curve_) {
    e.call.place = place;
    curve_->call(place, issues_work);
  }
  std::uint64_t& head = heads_[hash(key)];
  e.back = newest_ - head < kReach ? static_cast<std::uint16_t>(newest_ - head) : 0;
  head = newest_;
  return e.call;
}

}  // namespace lanescope::analysis
