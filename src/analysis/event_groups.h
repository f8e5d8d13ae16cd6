// The events that a query is about, by name: how many there are and how long they take, in the order that was asked
// for. The statistics of a whole trace, of a stretch, of one name, and the tables of a report are all made by it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/duration_sample.h"
#include "analysis/event_query.h"

namespace lanescope::analysis {

enum class GroupKind : std::uint8_t {
  Kernels,
  Copies,  ///< and memsets
  Calls,
  Waits,  ///< the waiting part of each blocking call, and waits for data
  Ranges,
  Python,  ///< operators of the framework, and Python functions
};
inline constexpr std::size_t kGroupKinds = 6;
/// "kernels", translated; and "kernel", as in CSV.
const char* group_kind_title(GroupKind kind);
std::string_view group_kind_key(GroupKind kind);

struct EventGroup {
  trace::NameId name = 0;
  GroupKind kind = GroupKind::Ranges;                   ///< if grouped by it
  trace::LaneKind lane_kind = trace::LaneKind::Phases;  ///< of the first of its events
  trace::LaneId lane = 0;                               ///< of the first of its events
  trace::Event example;                                 ///< the first of its events
  Nanoseconds sum_ns = 0;
  DurationStats durations;
};

struct EventGroups {
  Nanoseconds from = 0, to = 0;  ///< of a query about the whole trace: its extent
  std::vector<EventGroup> groups;
  std::size_t left_out = 0;  ///< groups beyond the limit
  std::int64_t events = 0;
  Nanoseconds sum_ns = 0;  ///< of all groups; iterations and phases contain other events, so sums of names overlap
  bool exact = true;       ///< false: too many events to keep their durations, so percentiles are accurate to 1 %
  // With GroupDetail::Distribution: of all events together.
  DurationStats all;
  DurationBins bins;

  Nanoseconds elapsed_ns() const { return to - from; }
};

/// Cost grows with the number of events. Empty if it is stopped.
EventGroups event_groups(const trace::Trace& trace, const EventQuery& query, const Watch& watch = {});

/// Which groups are shown, in which order.
struct GroupWish {
  std::optional<GroupKind> kind{};  ///< empty: all
  std::string name{};               ///< see NameQuery
  GroupOrder order{};
  bool operator==(const GroupWish&) const = default;
};
/// The wanted groups, in order. With the groups shown before, a group keeps its place among them until it has overtaken
/// another by a twentieth, so that a table of a live run can be read.
std::vector<EventGroup> arranged(std::span<const EventGroup> groups, const base::NameTable& names,
                                 const GroupWish& wish, std::span<const EventGroup> before = {});

}  // namespace lanescope::analysis
