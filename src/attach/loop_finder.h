// Finds the loop that a program runs in, from the Python stacks of its calls, without asking the user.
//
// Two successive calls of a thread are compared from the outermost frame inwards. Where they first differ in the same
// function, at a place that is the same or earlier than before, a loop has begun again. (Or the function was called
// again from the same place, which the loop around it did.) Loops within each other in one function are told apart by
// the source, where it can be read: it was the innermost one around both places. The iteration is the shallowest loop
// that keeps beginning again; shallower ones that do so rarely are epochs, deeper ones are layers.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/time.h"

namespace lanescope::attach {

using base::Nanoseconds;

/// A frame as loops are found by it.
struct FramePlace {
  std::uint32_t code = 0;    ///< the function; equal for equal functions
  std::uint32_t offset = 0;  ///< the place in its bytecode
  std::uint32_t frame = 0;   ///< the caller's number for file, function and line
  /// The lines of the loops around it in its function, outermost first; 0 where there is none, or the source is
  /// unknown.
  std::array<std::uint32_t, 4> loops{};
  bool own = false;  ///< in the user's own file, not a library's

  bool same_place(const FramePlace& other) const { return code == other.code && offset == other.offset; }
};

/// A loop: in which function, how deep in the stack, and at which line.
struct LoopKey {
  std::uint32_t depth = 0, code = 0;
  /// Successive calls came from the very same place. Most often that is one statement that makes several calls, so such
  /// a loop counts only where there is no other.
  bool repeat = false;
  std::uint32_t head = 0;  ///< the line of its `for` or `while`; 0: unknown, or in the function that calls this one
  auto operator<=>(const LoopKey&) const = default;
};

struct FoundLoop {
  LoopKey key;
  std::uint32_t frame = 0;   ///< of the first statement with a call in its body
  std::uint32_t caller = 0;  ///< the frame around it; 0: there is none
  std::uint64_t rounds = 0;  ///< how often it has begun again
  Nanoseconds round_ns = 0;  ///< mean of the last rounds
  std::uint32_t calls = 0;   ///< median number of calls per round
};

/// For the calls of one thread.
class LoopFinder {
 public:
  /// `stack` is innermost first, as walked. Calls are added in the order in which they were made. `complete`: no call
  /// was left out since the last one, so the number of calls per round is known. `alone`: its statement makes no other
  /// call, so the same place again means another round of the loop around it. `launches`: it launches kernels. Returns
  /// the loop that began again with this call: the shallowest that did; deeper ones are then left and entered anew.
  std::optional<LoopKey> add(Nanoseconds start_ns, std::span<const FramePlace> stack, bool complete, bool alone,
                             bool launches);

  /// Calls are left out before the next one, which therefore tells nothing in comparison with the last.
  void forget_last() { last_.clear(); }

  /// The loops seen, shallowest first.
  std::vector<FoundLoop> loops() const;
  /// Its body is in the user's own file.
  bool own(const LoopKey& key) const;
  /// Kernels are launched in most of its rounds.
  bool launches(const LoopKey& key) const;
  /// The one that is the iteration, if there is any yet.
  std::optional<LoopKey> iteration() const;

 private:
  struct Loop {
    std::uint64_t rounds = 0, rounds_with_launches = 0;
    Nanoseconds first_ns = 0, last_ns = 0;
    Nanoseconds longest_pause_ns = 0;   // between two calls, in this round
    std::deque<Nanoseconds> durations;  // of the last rounds
    std::deque<std::uint32_t> calls;    // of the last complete rounds
    std::uint32_t calls_now = 0;
    bool complete_now = true, launched_now = false, own = false;
    std::uint32_t frame = 0, caller = 0, offset = 0;  // the earliest place in its body
  };
  std::optional<LoopKey> iteration(bool repeat) const;

  static constexpr std::size_t kMostLoops = 1024;
  static constexpr std::size_t kRemembered = 32;  // rounds
  static constexpr std::uint64_t kEnough = 3;     // rounds

  std::map<LoopKey, Loop> loops_;
  std::vector<FramePlace> last_;  // outermost first
  Nanoseconds now_ns_ = 0;
  std::optional<Nanoseconds> began_ns_;
};

}  // namespace lanescope::attach
