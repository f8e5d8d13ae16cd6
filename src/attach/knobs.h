// The knobs of a watched Python program, and trials of them. The file inject/knobs.py runs inside the program; it finds
// the knobs, turns them, and times blocks of iterations. Here is what it reports, and what a trial has measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace lanescope::attach {

using base::Nanoseconds;

enum class KnobKind : std::uint8_t {
  NonBlocking,    ///< copies to the GPU are asynchronous
  Pinned,         ///< what is copied to the GPU is copied to pinned memory first
  Prefetch,       ///< the DataLoader's iterator pins the next batch on a thread of its own
  ReadEvery,      ///< only each N-th time the GPU's value is read; in between it is the last one
  ReadLate,       ///< the value is that of the time before, so the loop need not wait
  NoSynchronize,  ///< torch.cuda.synchronize() returns at once
  Variable,       ///< a variable of the program that decides how often it reads
  Own,            ///< lanescope.knob() in the program
};
/// "non_blocking", "pinned", "prefetch", "read-every", "read-late", "no-synchronize", "variable", "own": in the
/// protocol and on the command line.
std::string_view to_text(KnobKind kind);
std::optional<KnobKind> parse_knob_kind(std::string_view text);  ///< also with "-" for "_", as in --what-if

/// Something in the program that can be turned while it runs.
struct Knob {
  KnobKind kind = KnobKind::NonBlocking;
  std::string file;                   ///< its place; empty: everywhere in the program where it is possible
  std::uint32_t line = 0;             ///< 0: everywhere
  std::string name;                   ///< Variable, Own: the variable's; else the call: "item", "to"
  std::string value;                  ///< Variable, Own: now, as Python writes it
  std::vector<std::string> choices;   ///< Own: all values it may have; empty: any
  std::optional<double> least, most;  ///< Own: of a number
  double calls = 0;                   ///< of the place in an iteration
  std::string refused;                ///< why it cannot be turned; empty: it can
  std::string warning;                ///< what else it changes, such as stale values in the log; may be empty

  /// "non_blocking train.py:31", "log_interval"
  std::string id() const;
  std::string place() const;  ///< "train.py:31"; empty: everywhere
};

/// What one trial compares: the program as it is with the program with one knob turned.
struct TrialPlan {
  Knob knob;
  std::string value;  ///< ReadEvery: "10"; Variable, Own: the other value; else empty
  std::uint32_t blocks = 64, iterations = 25, skipped = 3;  ///< a multiple of 4; of a block; of these, not counted
};

struct TrialBlock {
  bool turned = false;
  std::uint32_t iterations = 0;  ///< counted
  Nanoseconds duration_ns = 0;   ///< of them
};

/// How many times as fast the program is with the knob turned: with 95 % confidence between `least` and `most`.
struct TrialResult {
  double least = 0, middle = 0, most = 0;
  Nanoseconds before_ns = 0, after_ns = 0;  ///< per iteration, medians of the blocks
  std::uint64_t iterations = 0;             ///< counted, of both sides
  /// False: 1 is inside. Then the difference is no larger than `resolved` (0.02: 2 %).
  bool differs = false;
  double resolved = 0;
};
/// From blocks in the order A B B A ...: the mean over pairs of ln(A / B), with Student's t at 95 % and pairs - 1
/// degrees of freedom (a block is the sample, not an iteration: they depend on each other). Empty: fewer than two
/// pairs.
std::optional<TrialResult> trial_result(std::span<const TrialBlock> blocks);
/// The ends as text, rounded outwards, so that no more is claimed than was measured, and with enough digits that they
/// differ from 1.
std::pair<std::string, std::string> interval_ends(const TrialResult& result);
/// TrialResult::resolved in percent, rounded up: "2", "0.1".
std::string resolved_percent(const TrialResult& result);

struct ProgramTrial {
  enum class State : std::uint8_t { Asked, Running, Done, Failed };
  std::uint32_t number = 0;  ///< the process's trials count from 1
  State state = State::Asked;
  TrialPlan plan;
  std::vector<TrialBlock> blocks;
  std::optional<TrialResult> result;  ///< of the blocks so far
  std::string ended;                  ///< Done, Failed: why, in a sentence
  std::uint64_t deferred = 0;         ///< values that the program got late or not anew

  bool over() const { return state == State::Done || state == State::Failed; }
};

/// A plan for a program whose iterations take so long (0: unknown): 64 blocks of 25, fewer if they would take more than
/// a minute, longer ones for iterations of microseconds and for what is read only every N-th time.
TrialPlan plan_for(const Knob& knob, std::string value, Nanoseconds iteration_ns);

/// In words for a person: "1.21 to 1.27 times as fast, 1,408 iterations", "no difference above 2 %, 1,408 iterations";
/// before that how far it is, and why it failed.
std::string result_text(const ProgramTrial& trial);
/// "96 values in the log are those of the iteration before"; empty: there are none. It is part of result_text().
std::string deferred_text(const ProgramTrial& trial);

// --- on the command line ---------------------------------------------------------------------------------------------
// "KIND[=VALUE][:PLACE]", as changes are written for --what-if: "pinned", "read-every=10:train.py:58",
// "variable=100:log_interval"; or, of a variable or a lanescope.knob(), "log_interval=100".

struct KnobWish {
  std::optional<KnobKind> kind;  ///< none: a variable, or one of the program's own
  std::string value, place;      ///< place: "train.py:58", or the variable; may be empty

  bool operator==(const KnobWish&) const = default;
};
/// Throws base::UsageError, which says what is allowed.
KnobWish parse_knob_wish(std::string_view text);
/// What to write for this knob: "read-every=N:train.py:58", "log_interval=VALUE".
std::string wish_for(const Knob& knob);
/// The knob that is meant. Throws base::UsageError, which names those that there are.
const Knob& find_knob(std::span<const Knob> knobs, const KnobWish& wish);

// ---------------------------------------------------------------------------------------------------------------------

/// What is known of a process's knobs.
struct ProgramKnobs {
  enum class State : std::uint8_t {
    Off,      ///< not asked for (--knobs)
    Waiting,  ///< for the interpreter, PyTorch, and a loop
    Looking,  ///< the calls of some iterations are being looked at
    Ready,
    Refused,  ///< `why`
  };
  State state = State::Off;
  std::string why;
  std::vector<Knob> knobs;
  std::string counted_by;  ///< an iteration is from one call of this place to the next: "backward train.py:40"
  std::vector<ProgramTrial> trials;  ///< oldest first; at most the last is not over
};

}  // namespace lanescope::attach
