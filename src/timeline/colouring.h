// What the fill colour of an event says: its kind, name, duration, stream or thread. Hatching, dashes, the tint of
// statements that cost time, iterations and reads that came too early mean the same in every mode. And the colours of
// verdicts and causes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/summary.h"
#include "timeline/theme.h"
#include "trace/trace.h"

namespace lanescope::ui {

using base::Nanoseconds;

enum class ColourBy : std::uint8_t { Kind, Name, Duration, Stream, Thread };
inline constexpr std::array<ColourBy, 5> kColourings{ColourBy::Kind, ColourBy::Name, ColourBy::Duration,
                                                     ColourBy::Stream, ColourBy::Thread};

/// "kind", "name", ..., for the settings file.
std::string_view colour_by_key(ColourBy by);
/// Empty if there is no such colouring.
std::optional<ColourBy> parse_colour_by(std::string_view text);
/// The same for the screen, translated.
const char* colour_by_title(ColourBy by);
/// The next one, cyclically.
ColourBy next_colour_by(ColourBy by);

/// Events whose durations are compared with each other.
enum class DurationGroup : std::uint8_t { Kernels, Copies, Calls, Ranges };
inline constexpr std::size_t kDurationGroups = 4;
DurationGroup duration_group(const trace::Event& event);
const char* duration_group_title(DurationGroup group);

/// The durations at both ends of the ramp; the steps between them grow by a constant factor.
struct DurationScale {
  Nanoseconds from = 0, to = 0;
  bool known() const { return to > from; }
  /// The step of a duration; those beyond the ends have the first and the last one.
  std::size_t step(Nanoseconds duration) const;
  bool operator==(const DurationScale&) const = default;
};
using DurationScales = std::array<DurationScale, kDurationGroups>;

/// Scales from the 1st to the 99th percentile of each group, rounded outwards to 1 or 3 times a power of ten, so that
/// they rarely change; at least one decade. Reads a sample: the cost does not depend on the number of events.
DurationScales sampled_scales(const trace::Trace& trace);
/// Includes both: while a run goes on, a scale only grows.
DurationScales joined(const DurationScales& a, const DurationScales& b);

/// The user's choice, with what it needs: a value that a picture can keep.
struct Colouring {
  ColourBy by = ColourBy::Kind;
  DurationScales scales{};

  bool operator==(const Colouring&) const = default;
};

/// One line for a picture's caption: "colours: by name"; empty for kinds.
std::string colouring_text(const Colouring& colouring);

/// The place of a name's colour among the categories: the same in every run. A number after "#" does not count.
std::size_t category_of_name(std::string_view name);

/// A fill and the text on it.
struct Paint {
  std::uint32_t fill = 0, ink = 0;
  bool operator==(const Paint&) const = default;
};

/// The colour of what a verdict, or a group of causes, is about: that of the same thing on the lanes.
Colour colour_of(analysis::VerdictKind verdict);
Colour colour_of(analysis::CauseGroup causes);

/// The colour of a kind, as in ColourBy::Kind.
Paint kind_paint(const Theme& theme, trace::LaneKind lane, const trace::Event& event);

/// The colours of one trace's events during a frame. Remembers what it has looked up.
class EventColours {
 public:
  /// At most this many events of a fold are read to find the name that fills most of it.
  static constexpr trace::EventIndex kMostRead = 8;

  /// Call once per frame, before the others. The trace must be the same until clear().
  void begin(const trace::Trace& trace, const Theme& theme, const Colouring& colouring);
  void clear() { *this = {}; }

  ColourBy by() const { return colouring_.by; }
  /// Empty if the event has the colour of its kind.
  std::optional<Paint> own_paint(trace::LaneId lane, const trace::Event& event);
  Paint paint(trace::LaneId lane, const trace::Event& event);
  /// For the events [first, fold.last) of a row. By name: the name that fills most of it or, with more than kMostRead
  /// events, their kind. By duration: their mean.
  Paint paint_fold(trace::LaneId lane, const trace::Row& row, trace::EventIndex first, const trace::Fold& fold);

  /// By stream or thread: the lanes that share a colour of their own, in order, and their place among the categories.
  struct Owner {
    trace::LaneId lane = 0;  ///< the first of its lanes
    std::size_t category = 0;
  };
  const std::vector<Owner>& owners() const { return owners_; }
  /// By name: the names that fill most of the last frame, at most `most`, in alphabetical order.
  std::vector<trace::NameId> names_drawn(std::size_t most) const;

 private:
  static constexpr std::size_t kNone = kCategories;

  bool keeps_kind(trace::LaneId lane, const trace::Event& event) const;
  Paint category(std::size_t place) const;
  std::size_t category_of(trace::NameId name);
  void find_owners();

  const trace::Trace* trace_ = nullptr;
  const Theme* theme_ = nullptr;
  Colouring colouring_;
  std::vector<std::uint8_t> by_name_;  // kNone: not looked up yet
  std::vector<std::uint8_t> by_lane_;  // kNone: has no stream or thread
  std::vector<Owner> owners_;
  ColourBy owners_by_ = ColourBy::Kind;
  std::vector<float> drawn_, drawing_;  // by name: the time drawn in the last frame and in this one
};

}  // namespace lanescope::ui
