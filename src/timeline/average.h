// Overlays the last N pictures of a live view, aligned at their triggers: the mean of every event and, behind it, how
// often the lane was busy at each time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "base/background_job.h"
#include "timeline/lane_layout.h"
#include "timeline/span_batch.h"
#include "timeline/theme.h"
#include "timeline/time_axis.h"
#include "trace/trace.h"

namespace lanescope::ui {

class EventColours;

using base::Nanoseconds;

struct AverageSettings {
  static constexpr int kFewest = 2, kMost = 256;

  bool on = false;
  int count = 32;  ///< number of pictures, kFewest to kMost

  bool operator==(const AverageSettings&) const = default;
};

/// A mean and the scatter of the values.
struct Spread {
  double mean = 0, sum_of_squares = 0;  ///< sum_of_squares: of the distances from the mean
  std::size_t count = 0;

  void add(double value) {
    ++count;
    const double distance = value - mean;
    mean += distance / static_cast<double>(count);
    sum_of_squares += distance * (value - mean);
  }
  /// The sample standard deviation (count - 1 in the denominator); 0 for a single value.
  double sd() const;
};

/// An averaged event: the corresponding events of all pictures.
struct AverageEvent {
  trace::Event event;           ///< the event at the last trigger that has it
  trace::EventIndex index = 0;  ///< of that event, in its row
  std::string label;            ///< its name, as displayed on the lane
  Colour colour = Colour::Phase;
  std::size_t row = 0;
  int ordinal = 0;      ///< number among the events of its row and name; 0 is the first that starts at or after the
                        ///< trigger
  Spread start, end;    ///< relative to the trigger
  Spread duration;      ///< its count is the number of pictures with this event
  Spread own, waiting;  ///< of blocking calls
  Spread block;         ///< of blocking calls: waiting, copying and returning
  double lost = 0;      ///< how long a GPU idled because of it, on average; known after add_bubbles()
  Nanoseconds shortest = 0, longest = 0;
};

/// A gap of the GPU that at least nine of ten pictures have.
struct AverageIdle {
  Nanoseconds from = 0, to = 0;  ///< its mean start and its mean end, relative to the trigger
  double share = 0;              ///< share of the pictures, averaged over the stretch
};

/// The triggers of which the whole picture, from `before` the trigger to `after` it, was recorded: only these can be
/// averaged.
std::vector<Nanoseconds> recorded_whole(const trace::Trace& trace, std::span<const Nanoseconds> triggers,
                                        Nanoseconds before, Nanoseconds after);

class AveragePicture {
 public:
  /// Above this number of events in a picture, a lane shows its occupancy only.
  static constexpr std::size_t kMostEvents = 300;

  /// Overlays the windows [t - before, t + after) of all `triggers`; the last of them represents corresponding events.
  /// Times in the result are relative to the trigger. The occupancy has `columns` values per window. Returns false if
  /// stopped; the picture is then unusable. Holds a ReadLock only briefly, per lane and window.
  bool compute(const trace::Trace& trace, std::span<const Nanoseconds> triggers, Nanoseconds before, Nanoseconds after,
               std::size_t columns = 1024, const base::Stop* stop = nullptr);
  /// The same for the bubbles of a GPU that were found in the windows compute() was given. Those narrower than a column
  /// count only where they lie beside others.
  void add_bubbles(const analysis::Bubbles& bubbles, std::span<const Nanoseconds> triggers, trace::GpuNumber gpu = 0);
  void clear() { *this = {}; }
  /// In time order; none of a GPU whose bubbles are not added.
  std::span<const AverageIdle> idle(trace::GpuNumber gpu = 0) const;
  std::size_t count() const { return count_; }
  bool has(trace::LaneId lane) const { return of(lane) != nullptr; }
  /// Ordered by row and time. Includes events in less than half of the pictures, which are not drawn.
  std::span<const AverageEvent> events(trace::LaneId lane) const;
  bool occupancy_only(trace::LaneId lane) const;
  /// The share of the pictures in which a sub-row was busy at time t, relative to the trigger.
  double occupancy(trace::LaneId lane, std::size_t row, Nanoseconds t) const;
  /// Draws a lane's average into [y, y + height), with time 0 of the average at `trigger_ns` on the axis.
  void draw(trace::LaneId lane, const TimeAxis& axis, Nanoseconds trigger_ns, const Theme& theme, float y, float height,
            float scale, SpanBatch& out, EventColours* colours = nullptr) const;
  /// The drawn event at (x, y), with y relative to the lane's top; null if there is none.
  const AverageEvent* hit(trace::LaneId lane, const TimeAxis& axis, Nanoseconds trigger_ns, float x, float y,
                          float height, float scale) const;
  /// The occupancy() of the sub-row at y.
  double occupancy_at(trace::LaneId lane, Nanoseconds t, float y, float height, float scale) const;

 private:
  struct Column {
    float busy = 0, waiting = 0;  // shares, 0 to 1
  };
  struct RowAverage {
    Colour colour = Colour::Phase;
    bool hatched = false;  // contains host waits
    std::vector<Column> columns;
  };
  struct LaneAverage {
    Owner thread;
    bool known = false;
    bool occupancy_only = false;
    std::vector<RowAverage> rows;
    std::vector<AverageEvent> events;
  };
  class Adder;

  void add_stall(const analysis::Bubble& gap, Nanoseconds trigger, double part);
  std::optional<AverageIdle> mean_gap(const analysis::Bubbles& bubbles, std::span<const Nanoseconds> triggers,
                                      Nanoseconds at) const;

  const LaneAverage* of(trace::LaneId lane) const {
    return lane < lanes_.size() && lanes_[lane].known ? &lanes_[lane] : nullptr;
  }
  bool is_drawn(const AverageEvent& event) const { return 2 * event.duration.count >= count_; }
  void draw_occupancy(const RowAverage& row, const TimeAxis& axis, Nanoseconds trigger_ns, const Theme& theme, float y0,
                      float y1, SpanBatch& out) const;
  void draw_event(const AverageEvent& event, const TimeAxis& axis, Nanoseconds trigger_ns, const Theme& theme, float y0,
                  float y1, float scale, SpanBatch& out, trace::LaneId lane, EventColours* colours) const;

  std::size_t count_ = 0;
  Nanoseconds before_ = 0, after_ = 0;
  std::size_t columns_ = 0;
  std::vector<LaneAverage> lanes_;              // by lane
  std::vector<std::vector<AverageIdle>> idle_;  // by GPU
};

/// "82.1 ± 1.3 µs".
std::string mean_sd_text(const Spread& spread);

}  // namespace lanescope::ui
