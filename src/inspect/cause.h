// Cause and effect: the path from a wait to the bubble it causes, and the events related to the one under the mouse.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/live_analysis.h"
#include "inspect/event_ref.h"
#include "trace/links.h"

namespace lanescope::ui {

using base::Nanoseconds;

/// 1 the wait, 2 the last operation that it waited for, 3 that operation's launch, 4 the bubble that follows, 5 the
/// launch that ends the bubble. Members that are unknown (not captured, evicted, no bubble) are empty.
struct CausePath {
  std::optional<EventRef> wait;  ///< the call that blocked the CPU; for a loader's bubble, the wait for data
  std::optional<EventRef> last_operation, its_launch, next_launch, next_operation;
  std::optional<analysis::Bubble> bubble;

  /// Only a wait or a bubble makes a path.
  bool empty() const { return !wait && !bubble; }
};

/// The path that contains an event: a blocking call, the operation that ended a wait, or the one that ended a bubble.
/// Empty for any other event.
CausePath cause_path(const analysis::LiveAnalysis& analysis, const EventRef& event);
/// The path of a bubble.
CausePath cause_path(const trace::Links& links, const analysis::Bubble& bubble);

/// A gap that a GPU leaves between two kernels even when its queue is full: 0.8 to 2 us, up to 4 us with an event
/// between them. It explains nothing.
inline constexpr Nanoseconds kOrdinaryGap = 5'000;
/// A bubble or wait shorter than this share of an iteration does not change the loop's time noticeably.
inline constexpr double kShareThatMatters = 0.01;
/// The shortest bubble or wait whose path is drawn. `iteration_ns`: 0 if the loop's time is not known.
Nanoseconds least_that_matters(double iteration_ns);
/// True if the path's bubble, or what its call waited, is at least this long.
bool matters(const CausePath& path, Nanoseconds least);

/// How often bubbles of the same kind occur: same cause, same call name, start in [from, to).
struct Repeats {
  std::int64_t count = 0;
  Nanoseconds total_ns = 0;
  Nanoseconds over_ns = 0;  ///< length of the interval examined: to - from
};
Repeats repeats_of(const analysis::LiveAnalysis& analysis, const analysis::Bubble& bubble, Nanoseconds from,
                   Nanoseconds to);

using trace::EventRun;

/// What is highlighted with an event. For a call: its GPU work. For GPU work: its call. For a wait: everything that ran
/// during it. For any other range: the GPU work issued in it.
struct Highlight {
  std::vector<EventRun> runs;
  bool waited_for = false;  ///< the runs are what a wait waits for
};
Highlight highlight_of(const trace::Links& links, const EventRef& event);
/// For a bubble: the call that caused it and the one that ended it.
Highlight highlight_of(const trace::Links& links, const analysis::Bubble& bubble);

/// A call and the GPU operation it issued.
struct Launch {
  EventRef call, operation;
};
/// The launches that start in [from, to), oldest first; if there are more than `most`, an even sample of them.
std::vector<Launch> launches_in(const trace::Links& links, Nanoseconds from, Nanoseconds to, std::size_t most);

/// The nodes of a CUDA graph, in the order in which they ran: of the launch `event`, or of the launch that ran the
/// operation `event`. Empty for any other event.
std::vector<EventRef> graph_nodes(const trace::Links& links, const EventRef& event);

/// The current state, for the selection and for the item under the mouse.
struct CauseState {
  CausePath path;
  Repeats repeats;
  Nanoseconds ordinary_gap = 0;  ///< of the selection's bubble, if that is too short for a path; 0: none
  std::vector<Launch> launches;  ///< for a selected range, stretch or graph launch: one arrow each
  std::vector<EventRun> graph;   ///< the nodes of the selected launch or node
  Highlight highlight;
  // The inputs of the members above.
  std::uint64_t generation = 0;
  std::optional<EventRef> lit_event, path_event;
  std::optional<Nanoseconds> lit_bubble, path_bubble;  ///< identified by start
  std::optional<std::pair<Nanoseconds, Nanoseconds>> launches_of;
  std::optional<EventRef> launches_event;
};

}  // namespace lanescope::ui
