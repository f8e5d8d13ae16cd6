// The iterations of a watched program: which loop they are, and when each begins.
//
// While everything is recorded, an iteration begins with the first call after the loop has begun again. Between bursts
// only some calls are known. There, and then everywhere, an iteration begins where the loop's *anchor* returns: a call
// that the loop makes once in each iteration, or the same few times. Best is one that is always watched, such as the
// one of `loss.item()`; otherwise one of a kind that is rare enough to be watched all the time. Ranges that the program
// itself names "step" or "iteration" (NVTX, ProfilerStep#) come before both.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"

namespace lanescope::attach {

// --- loop finder -----------------------------------------------------------------------------------------------------
// Finds the loop that a program runs in, from the Python stacks of its calls, without asking the user.
//
// Two successive calls of a thread are compared from the outermost frame inwards. Where they first differ in the same
// function, at a place that is the same or earlier than before, a loop has begun again: by the source, the innermost
// one around both places. If there is none in this function, it was called again, and the loop is one in a function
// that calls it. (Where the source cannot be read, that is not known.) The iteration is the shallowest loop that keeps
// beginning again; those around it whose rounds are mostly rounds of one inner loop are epochs, deeper ones are layers.

using base::Nanoseconds;

/// A frame as loops are found by it.
struct FramePlace {
  std::uint32_t code = 0;    ///< the function; equal for equal functions
  std::uint32_t offset = 0;  ///< the place in its bytecode
  std::uint32_t frame = 0;   ///< the caller's number for file, function and line
  /// The lines of the loops around it in its function, outermost first; 0 where there is none, or the source is
  /// unknown.
  std::array<std::uint32_t, 4> loops{};
  bool own = false;         ///< in the user's own file, not a library's
  bool read = false;        ///< its source is known, and what it calls calls nothing back over and over
  std::uint8_t epochs = 0;  ///< a bit for each of the loops: its line says that its rounds are epochs

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
    bool complete_now = true, launched_now = false, own = false, epoch = false;
    std::uint32_t frame = 0, caller = 0, offset = 0;  // the earliest place in its body
  };
  std::optional<LoopKey> iteration(bool repeat) const;
  bool has_ended(const Loop& loop) const;
  bool is_epoch(const LoopKey& key, const Loop& loop) const;
  bool waits_in_vain(const LoopKey& key) const;

  static constexpr std::size_t kMostLoops = 1024;
  static constexpr std::size_t kRemembered = 32;  // rounds
  static constexpr std::uint64_t kEnough = 3;     // rounds
  static constexpr int kManyInner = 20, kInVain = 100;

  std::map<LoopKey, Loop> loops_;
  std::vector<FramePlace> last_;  // outermost first
  Nanoseconds now_ns_ = 0;
  std::optional<Nanoseconds> began_ns_;
};

// --- loop watch ------------------------------------------------------------------------------------------------------

/// One thread's calls, in the order in which they returned.
class LoopWatch {
 public:
  /// Iterations are counted once the same loop has kept beginning again for so long: at first, the layers of a network
  /// or a few reads while it is set up are all that comes again. Or for so many rounds, if it is in the user's own
  /// file: a short loop may be followed by a long wait. Then those from before are known, too, of the last kKept.
  static constexpr Nanoseconds kSettled = 500 * base::kMillisecond, kKept = 1500 * base::kMillisecond;
  static constexpr int kManyRounds = 100;
  /// Then it waits for an anchor, without which only iterations within bursts would be known, but not for ever.
  static constexpr int kRoundsWithoutAnchor = 12;
  static constexpr Nanoseconds kWithoutAnchor = 3 * base::kSecond;
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
    /// So many, by the pace of those before: for a moment no call was watched at all.
    std::uint32_t rounds = 1;
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
  /// It may yet become known which loop the calls so far are of.
  bool undecided() const { return keeps_ && !kept_.empty(); }
  /// Everything is recorded from now on, or no longer: without an anchor, the iteration in progress stays unknown.
  void recording_changed();

  /// For a moment no call was watched at all: the iterations until the next known one are counted by their pace.
  /// `held_up_ns`: of that the program could make no call.
  void calls_missed(Nanoseconds held_up_ns) {
    held_up_ns_ = held_up_ns + (missed_calls_ ? held_up_ns_ : 0);
    missed_calls_ = begun_ns_.has_value();
  }

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

  struct KeptCall {
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
  std::optional<std::vector<Iteration>> from_the_first(bool with_anchor);
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
  bool missed_calls_ = false;                                        // since then
  Nanoseconds held_up_ns_ = 0;                                       // of that time
  Nanoseconds usual_round_ns_ = 0;                                   // mean of the last ones
  std::map<std::pair<std::uint32_t, std::uint32_t>, Count> counts_;  // by api and site
  std::map<std::uint32_t, int> api_counts_;                          // calls in this round
  Nanoseconds round_since_ns_ = 0;
  int whole_rounds_ = 0;  // recorded as a whole
  int missed_ = 0;        // of these, the last ones without the anchor
  bool whole_ = false;    // this round so far
  bool began_ = false;    // the last call began a round
  std::uint64_t calls_ = 0;
  std::deque<KeptCall> kept_;  // until the first loop is settled, or has been looked for in vain
  std::optional<Nanoseconds> kept_from_ns_;
  std::optional<Nanoseconds> settled_at_ns_;  // since then an anchor is looked for
  int tries_ = 0;                             // so often
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
