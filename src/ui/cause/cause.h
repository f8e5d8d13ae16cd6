// What caused what: the path from a wait to the bubble it leaves, and what belongs together under the mouse.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/live_analysis.h"
#include "ui/links.h"

namespace lanescope::ui {

using base::Nanoseconds;

/// 1 the wait, 2 the last operation that it waited for, 3 that operation's launch, 4 the bubble that follows, 5 the
/// launch that ends it. What is not known (not captured, no longer kept, no bubble) is empty.
struct CausePath {
  std::optional<EventRef> wait;  ///< the call that held the CPU; of a loader's bubble the wait for data
  std::optional<EventRef> last_operation, its_launch, next_launch, next_operation;
  std::optional<analysis::Bubble> bubble;

  /// Only a wait or a bubble makes a path.
  bool empty() const { return !wait && !bubble; }
};

/// The path that an event is on: a blocking call, the operation that a wait ended with, or the one that ended a bubble.
/// Empty for any other.
CausePath cause_path(const trace::Trace& trace, const analysis::LiveAnalysis& analysis, const EventRef& event);
/// The path of a bubble.
CausePath cause_path(const trace::Trace& trace, const analysis::Bubble& bubble);

/// How often the like of a bubble happens: of its cause, by a call of its name, starting in [from, to).
struct Repeats {
  std::int64_t count = 0;
  Nanoseconds total_ns = 0;
  Nanoseconds over_ns = 0;  ///< the stretch that was looked at: to - from
};
Repeats repeats_of(const analysis::LiveAnalysis& analysis, const analysis::Bubble& bubble, Nanoseconds from,
                   Nanoseconds to);

/// Events of one sub-row, [first, last), that light up together.
struct LitRun {
  trace::LaneId lane = 0;
  std::size_t row = 0;
  trace::EventIndex first = 0, last = 0;

  bool operator==(const LitRun&) const = default;
};

/// What lights up with an event: of a call its GPU work, of GPU work its call, of a wait everything that ran while it
/// lasted, of any other range the GPU work that was issued in it. A range's work is told by correlation numbers, which
/// count up over a run.
struct Lit {
  std::vector<LitRun> runs;
  bool waited_for = false;  ///< the runs are what a wait waits for
};
Lit lit_with(const trace::Trace& trace, const EventRef& event);
/// With a bubble: the call that caused it and the one that ended it.
Lit lit_with(const trace::Trace& trace, const analysis::Bubble& bubble);

/// A call and the GPU operation that it issued.
struct Launch {
  EventRef call, operation;
};
/// The launches that start in [from, to), oldest first: at most `most`, evenly thinned.
std::vector<Launch> launches_in(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, std::size_t most);

/// What the shell keeps: of the selection and of what the mouse points at.
struct CauseState {
  CausePath path;
  Repeats repeats;
  std::vector<Launch> launches;  ///< of a selected range or stretch: an arrow each
  Lit lit;
  // What these were worked out for.
  std::uint64_t generation = 0;
  std::optional<EventRef> lit_event, path_event;
  std::optional<Nanoseconds> lit_bubble, path_bubble;  ///< their starts
  std::optional<std::pair<Nanoseconds, Nanoseconds>> launches_of;
};

}  // namespace lanescope::ui
