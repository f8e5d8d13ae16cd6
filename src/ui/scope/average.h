// The last N pictures laid over each other, aligned at their triggers: the mean of every event, and behind it how often
// the lane was busy at each instant.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "trace/trace.h"
#include "ui/span_batch.h"
#include "ui/theme.h"
#include "ui/time_axis.h"

namespace lanescope::ui {

using base::Nanoseconds;

struct AverageSettings {
  static constexpr int kFewest = 2, kMost = 256;

  bool on = false;
  int count = 32;  ///< pictures, kFewest to kMost

  bool operator==(const AverageSettings&) const = default;
};

/// A mean and how far the values scatter about it.
struct Spread {
  double mean = 0, sum_of_squares = 0;  ///< the latter of the distances from the mean
  std::size_t count = 0;

  void add(double value) {
    ++count;
    const double distance = value - mean;
    mean += distance / static_cast<double>(count);
    sum_of_squares += distance * (value - mean);
  }
  /// The standard deviation as estimated from a sample (count - 1 in the denominator); 0 of a single value.
  double sd() const;
};

/// An event of the average: those events of all pictures that are the same one.
struct AverageEvent {
  trace::Event event;           ///< the one of the last trigger that has it
  trace::EventIndex index = 0;  ///< of that one, in its row
  std::string label;            ///< its name, as the lane writes it
  Colour colour = Colour::Phase;
  std::size_t row = 0;
  int ordinal = 0;      ///< among those of its row and name: 0 is the first that starts at the trigger or later
  Spread start, end;    ///< from the trigger
  Spread duration;      ///< its count: in how many of the pictures it is
  Spread own, waiting;  ///< of blocking calls
  Spread copying;       ///< the same
  Nanoseconds shortest = 0, longest = 0;
};

/// Where the GPU has nothing to run in at least nine of ten pictures.
struct AverageIdle {
  Nanoseconds from = 0, to = 0;  ///< from the trigger
  double share = 0;              ///< of the pictures, on the average over the stretch
};

class AveragePicture {
 public:
  /// A lane with more events than this in a picture has its occupancy only.
  static constexpr std::size_t kMostEvents = 300;

  /// Lays the windows [t - before, t + after) of all `triggers` over each other; what is the same event is told by the
  /// last of them. Times in the result count from the trigger. The occupancy is known for `columns` parts of the
  /// window. False when it was stopped; the picture is of no use then. Holds a ReadLock for a short time only, for a
  /// lane and a window each.
  bool compute(const trace::Trace& trace, std::span<const Nanoseconds> triggers, Nanoseconds before, Nanoseconds after,
               std::size_t columns = 1024, const std::stop_token& stop = {});
  /// The same for the bubbles that were found in the windows compute() was given. Those narrower than a column count
  /// only where they lie beside others.
  void add_bubbles(const std::deque<analysis::Bubble>& bubbles, std::span<const Nanoseconds> triggers);
  void clear() { *this = {}; }
  const std::vector<AverageIdle>& idle() const { return idle_; }  ///< in time order
  std::size_t count() const { return count_; }
  bool has(trace::LaneId lane) const { return of(lane) != nullptr; }
  /// In row order, then in time; those that are in less than half of the pictures too, though they are not drawn.
  std::span<const AverageEvent> events(trace::LaneId lane) const;
  bool occupancy_only(trace::LaneId lane) const;
  /// In which share of the pictures a sub-row was busy at an instant, counted from the trigger.
  double occupancy(trace::LaneId lane, std::size_t row, Nanoseconds t) const;
  /// Draws a lane's average into [y, y + height); instant 0 of the average stands at `trigger_ns` on the axis.
  void draw(trace::LaneId lane, const TimeAxis& axis, Nanoseconds trigger_ns, const Theme& theme, float y, float height,
            float scale, SpanBatch& out) const;
  /// The drawn event at (x, y), y counted from the lane's top; none beside them.
  const AverageEvent* hit(trace::LaneId lane, const TimeAxis& axis, Nanoseconds trigger_ns, float x, float y,
                          float height, float scale) const;
  /// occupancy() of the sub-row at y.
  double occupancy_at(trace::LaneId lane, Nanoseconds t, float y, float height, float scale) const;

 private:
  struct Column {
    float busy = 0, waiting = 0;  // shares, 0 to 1
  };
  struct RowAverage {
    Colour colour = Colour::Phase;
    bool hatched = false;  // it holds waits of the host
    std::vector<Column> columns;
  };
  struct LaneAverage {
    bool known = false;
    bool occupancy_only = false;
    std::vector<RowAverage> rows;
    std::vector<AverageEvent> events;
  };
  class Adder;

  const LaneAverage* of(trace::LaneId lane) const {
    return lane < lanes_.size() && lanes_[lane].known ? &lanes_[lane] : nullptr;
  }
  bool is_drawn(const AverageEvent& event) const { return 2 * event.duration.count >= count_; }
  void draw_occupancy(const RowAverage& row, const TimeAxis& axis, Nanoseconds trigger_ns, const Theme& theme, float y0,
                      float y1, SpanBatch& out) const;
  void draw_event(const AverageEvent& event, const TimeAxis& axis, Nanoseconds trigger_ns, const Theme& theme, float y0,
                  float y1, float scale, SpanBatch& out) const;

  std::size_t count_ = 0;
  Nanoseconds before_ = 0, after_ = 0;
  std::size_t columns_ = 0;
  std::vector<LaneAverage> lanes_;  // by lane
  std::vector<AverageIdle> idle_;
};

/// "82.1 ± 1.3 µs".
std::string mean_sd_text(const Spread& spread);

}  // namespace lanescope::ui
