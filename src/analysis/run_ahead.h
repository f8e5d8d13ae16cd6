// The API calls that issued operations, found again by correlation, and how many operations were issued and not
// finished.
//
// Whether a call has an operation is known only when the operation comes, so the curve is settled up to the oldest call
// that still waits for one; some calls never get one (a memset of no bytes, an event that was lost) and are given up
// when kReach further calls have come.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "trace/event.h"

namespace lanescope::analysis {

using base::Nanoseconds;

/// Why a call blocked the CPU, besides its own cost.
enum class Hold : std::uint8_t { None, Staging, Pinning, Allocation };

struct IssuingCall {
  Nanoseconds start_ns = 0, end_ns = 0;
  std::uint32_t correlation = 0;
  trace::NameId name = 0;
  trace::LaneId lane = 0;
  Hold holds = Hold::None;
};

class RunAhead {
 public:
  /// More than any launch queue holds, several streams and devices together.
  static constexpr std::size_t kReach = 8192;

  struct Value {
    std::uint64_t cut = 0;         ///< its number, from 0
    std::int64_t integral_ns = 0;  ///< up to `at`
    std::int64_t maximum = 0;      ///< since the cut before
    std::int64_t depth = 0;        ///< at the cut itself
  };

  RunAhead();

  // In the order in which they start:
  void call(const IssuingCall& call, bool issues_work);
  /// Returns the call that issued it, until the next call of a function; null if it is not known.
  const IssuingCall* operation(std::uint32_t correlation, Nanoseconds start, Nanoseconds end);
  /// The curve's value at `t` is wanted; cuts come in ascending order. Everything that starts before t has been told,
  /// nothing that starts later.
  void cut(Nanoseconds t);

  /// The operation starts after everything that is of interest; its call has one, that is all.
  void later_operation(std::uint32_t correlation);
  /// Calls that have no operation by now will get none.
  void give_up_waiting();

  /// Everything that starts before `until` has been told. Returns the cuts that are settled by now, each once.
  std::vector<Value> settle(Nanoseconds until);
  /// The cuts that are not settled yet, and last `until` itself, as if every call that waits for its operation had one.
  std::vector<Value> provisional(Nanoseconds until) const;

 private:
  struct Entry {
    IssuingCall call;
    Nanoseconds issued_ns = 0;
    std::uint64_t older = 0;  ///< the call before it with the same hash
    bool counted = false;     ///< part of the curve
    bool started = false;     ///< its operation is known
  };
  struct Position {  ///< how far the curve has been followed
    Nanoseconds now = 0;
    std::int64_t depth = 0, integral_ns = 0, maximum = 0;
    std::uint64_t call = 1;
    std::size_t finish = 0, cut = 0;
  };
  static constexpr unsigned kHashBits = 13;

  static std::size_t hash(std::uint32_t correlation) { return (correlation * 2654435761u) >> (32 - kHashBits); }
  Entry& entry(std::uint64_t number) { return ring_[number % kReach]; }
  const Entry& entry(std::uint64_t number) const { return ring_[number % kReach]; }
  Entry& add(Nanoseconds at);
  Entry* find(std::uint32_t correlation);
  void finishes_at(Nanoseconds end);
  void follow(Position& p, Nanoseconds until, bool wait_for_operations, std::vector<Value>& values) const;
  void move_to(Position& p, Nanoseconds t, std::vector<Value>& values) const;
  void settle_some(Nanoseconds until);

  std::vector<Entry> ring_;           // calls (and operations without one) are numbered from 1
  std::vector<std::uint64_t> heads_;  // the newest call of each hash; 0 is none
  std::uint64_t newest_ = 0;
  Nanoseconds newest_at_;
  std::deque<Nanoseconds> finishes_;  // ends of operations, ascending
  std::deque<Nanoseconds> cuts_;      // ascending
  std::uint64_t cuts_gone_ = 0;       // from the front of cuts_
  Position settled_;
  IssuingCall found_;
  std::vector<Value> settled_values_;
};

}  // namespace lanescope::analysis
