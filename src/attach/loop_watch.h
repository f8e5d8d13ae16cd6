// The iterations of a watched program: which loop they are, and when each begins.
//
// While everything is recorded, an iteration begins with the first call after the loop has begun again. Between bursts
// only some calls are known. There, and then everywhere, an iteration begins where the loop's *anchor* returns: a call
// that the loop makes once in each iteration, or the same few times. Best is one that is always watched, such as the
// one of `loss.item()`; otherwise one of a kind that is rare enough to be watched all the time. Ranges that the program
// itself names "step" or "iteration" (NVTX, ProfilerStep#) come before both.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attach/loop_finder.h"

namespace lanescope::attach {

/// One thread's calls, in the order in which they returned.
class LoopWatch {
 public:
  /// Iterations are counted once the same loop has kept beginning again for so long: at first, the layers of a network
  /// or a few reads while it is set up are all that comes again. Or for so many rounds, if it is in the user's own
  /// file: a short loop may be followed by a long wait. Then those from before are known, too, of the last kKept.
  static constexpr Nanoseconds kSettled = 500 * base::kMillisecond, kKept = 1500 * base::kMillisecond;
  static constexpr int kManyRounds = 100;
  /// A loop that launches nothing, as when a library sets up its buffers, is the iteration only after so long; and so
  /// is one place that makes calls again and again, if all calls are seen: a statement may compile kernel after kernel.
  static constexpr Nanoseconds kSettledIfDoubtful = 5 * base::kSecond;
  /// `from_the_first`: keeps calls until then, which takes memory.
  explicit LoopWatch(Nanoseconds settled_ns = kSettled, bool from_the_first = true)
      : settled_ns_(settled_ns), keeps_(from_the_first) {}

  struct Call {
    Nanoseconds start_ns = 0, end_ns = 0;
    std::uint32_t api = 0, site = 0;  ///< which call, from where; site 0: unknown
    bool always_watched = false;      ///< also between bursts
    bool recorded = false;            ///< made while everything is recorded
    bool alone = false;               ///< its statement makes no other call: the launch of a graph
    bool launches = false;            ///< kernels
  };
  struct Iteration {
    Nanoseconds start_ns = 0, end_ns = 0;
  };
  struct Anchor {
    std::uint32_t api = 0, site = 0;
    bool always_watched = false;
    int times = 1;  ///< in each round: the last of them counts
    bool operator==(const Anchor&) const = default;
  };

  /// `stack` as for LoopFinder. Returns the iteration that ended with this call, if one did; or those that ended until
  /// now, once it is known which loop they are.
  std::vector<Iteration> add(const Call& call, std::span<const FramePlace> stack);
  /// The program has ended: the iterations of a loop that ran for too short a time to be settled.
  std::vector<Iteration> finish();
  /// Iterations from then on may still be returned; empty: only the one in progress.
  std::optional<Nanoseconds> undecided_since(Nanoseconds now_ns);
  /// Everything is recorded from now on, or no longer: without an anchor, the iteration in progress stays unknown.
  void recording_changed();

  /// Empty: found by itself.
  void choose(std::optional<LoopKey> loop);
  std::optional<LoopKey> loop() const { return chosen_ ? chosen_ : finder_.iteration(); }
  /// The loop that the iterations are those of: the last one that was settled, if any was.
  std::optional<LoopKey> counted() const { return chosen_ || !counted_ ? loop() : counted_; }
  const LoopFinder& finder() const { return finder_; }
  std::optional<Anchor> anchor() const { return anchor_; }
  std::uint64_t calls() const { return calls_; }

 private:
  static constexpr int kRoundsForAnchor = 3, kMostTimes = 4;
  static constexpr std::size_t kMostCandidates = 4096, kMostKept = 1 << 15;
  static constexpr Nanoseconds kLongestSearch = 30 * base::kSecond;

  struct Kept {
    Call call;
    std::vector<FramePlace> stack;
    bool recording_changes = false;  // nothing else
  };
  struct Count {
    int now = 0, each = 0, rounds = 0;  // calls in this round; in each of the last so many rounds
    bool always_watched = false;
  };

  std::optional<Iteration> follow(const Call& call, std::span<const FramePlace> stack);
  bool settled() const;
  std::vector<Iteration> from_the_first();
  void forget_kept(Nanoseconds now);
  void look_for_anchor(Nanoseconds now);
  void drop_anchor();

  LoopFinder finder_;
  Nanoseconds settled_ns_;
  // Loops are looked for among calls that are recorded without a gap. The time between such stretches is left out.
  bool in_gap_ = false, ever_recorded_ = false;
  Nanoseconds left_out_ns_ = 0, last_start_ns_ = 0;
  std::optional<LoopKey> chosen_, loop_, counted_;
  Nanoseconds loop_since_ns_ = 0, last_round_ns_ = 0;
  int rounds_ = 0;        // of loop_
  int anchor_calls_ = 0;  // in this round
  bool past_ = false;     // what had happened before there was an anchor: only what is always watched was watched
  std::optional<Anchor> anchor_;
  bool anchor_is_new_ = false;  // found since recording last changed, so it may not be watched yet
  std::optional<Nanoseconds> begun_ns_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Count> counts_;  // by api and site
  std::map<std::uint32_t, int> api_counts_;                          // calls in this round
  Nanoseconds round_since_ns_ = 0;
  int whole_rounds_ = 0;  // recorded as a whole, in a row
  int missed_ = 0;        // of these, the last ones without the anchor
  bool whole_ = false;    // this round so far
  std::uint64_t calls_ = 0;
  std::deque<Kept> kept_;  // until the first loop is settled, or has been looked for in vain
  std::optional<Nanoseconds> kept_from_ns_;
  bool keeps_;
};

/// Iterations by the program's own ranges. Digits do not distinguish names: "ProfilerStep#12" is "ProfilerStep#".
class StepRanges {
 public:
  /// A range has ended. Returns whether it is an iteration.
  bool add(std::string_view name, std::uint32_t thread);
  bool found() const { return !chosen_.first.empty(); }
  const std::string& name() const { return chosen_.first; }
  static std::string without_digits(std::string_view name);

 private:
  std::pair<std::string, std::uint32_t> chosen_;
  std::map<std::pair<std::string, std::uint32_t>, int> counts_;
};

}  // namespace lanescope::attach
