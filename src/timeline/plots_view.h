// The view state of the plots: which are shown, on what scale, and what is under the mouse.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "timeline/block_tree.h"
#include "timeline/plot_set.h"
#include "timeline/span_batch.h"
#include "timeline/time_axis.h"
#include "trace/trace.h"

namespace lanescope::ui {

// --- counter plot ----------------------------------------------------------------------------------------------------
// A plot of a Counter lane, in which a sample holds until the next one. The minimum and maximum of every column are
// exact. Samples are summarised once, so that a frame costs only its columns.

class CounterPlot {
 public:
  static constexpr std::size_t kLeaf = 32;             ///< samples
  static constexpr std::size_t kReadAtOnce = 200'000;  ///< samples per prepare()

  /// Reads up to kReadAtOnce new samples of the lane, and fills the columns. The last sample holds until `edge`.
  void prepare(const trace::Trace& trace, trace::LaneId lane, std::uint64_t generation, const TimeAxis& axis,
               base::Nanoseconds edge);
  const std::vector<PlotColumn>& columns() const { return columns_; }
  /// True if there is more to read; columns with too many unread samples are unknown until then.
  bool behind() const { return behind_; }

 private:
  struct Node : Extremes {
    double area = 0;  // sum of each sample times its duration
    void join(const Node& other) {
      Extremes::join(other);
      area += other.area;
    }
  };
  using Tree = BlockTree<Node>;

  void read(const trace::Row& row, Tree& tree, std::size_t& budget);
  std::optional<Node> over(const trace::Row& row, const Tree& tree, trace::EventIndex from, trace::EventIndex to) const;

  std::uint64_t generation_ = 0;
  trace::LaneId lane_ = 0;
  std::vector<Tree> trees_;  // one per row; samples too late for the first row are in others
  std::vector<PlotColumn> columns_;
  bool behind_ = false;
};

/// The lane's newest sample.
std::optional<double> newest_sample(const trace::Trace& trace, trace::LaneId lane);

// --- plot choice -----------------------------------------------------------------------------------------------------
// The user's choice of plots, with their order and heights.

struct ChosenPlot {
  std::string key;          ///< PlotInfo::key
  float height = 1;         ///< share of the total height
  bool by_default = false;  ///< nobody asked for it: shown only if it has data

  bool operator==(const ChosenPlot&) const = default;
};

class PlotChoice {
 public:
  static constexpr float kLeastHeight = 0.25f, kMostHeight = 8;

  PlotChoice() { reset(); }
  const std::vector<ChosenPlot>& plots() const { return plots_; }
  bool has(const std::string& key) const;
  /// Appends it, or keeps one of the default's even without data.
  void add(const std::string& key);
  void remove(const std::string& key);
  /// Moves it before `before`, or to the end if that is empty.
  void move(const std::string& key, const std::string& before);
  /// Moves the divider between two plots: the upper one gets `share` of their combined height.
  void divide(const std::string& upper, const std::string& lower, float share);
  void reset();
  /// What reset() chooses; empty: the usual ones. Applies at once if nothing else was chosen.
  void set_default(std::vector<std::string> keys);

  /// For preferences: the key, followed by a tab and the height unless that is 1, and by a tab and "default"; and back.
  /// Invalid entries are skipped; without any valid one, the default.
  std::vector<std::string> texts() const;
  void set_texts(const std::vector<std::string>& texts);

  bool operator==(const PlotChoice&) const = default;

 private:
  std::vector<ChosenPlot> plots_;
  std::vector<std::string> default_;
};

// --- plot scale ------------------------------------------------------------------------------------------------------
// The vertical scale of a plot: 1-2-5 ticks, linear or logarithmic, and a range that grows at once and shrinks slowly.

/// Values for grid lines and labels, ascending, including `low` and `high` if they are round. At most `most`; at least
/// one if any fits.
std::vector<double> plot_ticks(double low, double high, std::size_t most, bool logarithmic);

/// The range to show for values from `low` to `high`: both ends are round and readable.
std::pair<double, double> round_range(double low, double high, bool logarithmic);

class ShownRange {
 public:
  /// Moves towards a range: expands at once; shrinks slowly, after the extra space has not been needed for a while.
  /// Without `eased`, moves in one step. `seconds`: since the last frame.
  void update(double low, double high, bool logarithmic, double seconds, bool eased = true);
  double low() const { return low_; }
  double high() const { return high_; }
  bool moving() const { return moving_; }

 private:
  double low_ = 0, high_ = 0;
  double wanted_low_ = 0, wanted_high_ = 0;
  double waited_ = 0;  // seconds for which the range has been larger than needed
  bool logarithmic_ = false;
  bool moving_ = false;
};

/// The position of a value between bottom (0) and top (1) of the scale. Not clamped, except for values without a
/// logarithm.
double plot_position(double value, double low, double high, bool logarithmic);
/// Converts the columns to a linear plot from 0 to 1.
std::vector<PlotColumn> in_scale(std::span<const PlotColumn> columns, double low, double high, bool logarithmic);
/// True if a logarithmic scale is possible: no value is negative and some are positive.
inline bool can_be_logarithmic(double low, double high) { return low >= 0 && high > 0; }
/// The smallest positive value, where a logarithmic scale begins; 0 if there is none.
double least_positive(std::span<const PlotColumn> columns);

// --- plots view ------------------------------------------------------------------------------------------------------

enum class PlotPart : std::uint8_t { None, Name, Close, Divider, Curves };

/// A part of the plots that the mouse can grab.
struct PlotGrip {
  PlotPart part = PlotPart::None;
  std::string key;    ///< key of the plot; for a divider, the upper one
  std::string lower;  ///< for a divider, the lower one
  bool moved = false;
};

struct PlotsView {
  PlotChoice choice;
  bool chosen = false;       ///< the preferences have been read
  bool logarithmic = false;  ///< for plots whose values allow it
  bool menu_open = false, toggle_menu = false;
  std::map<std::string, ShownRange> ranges;     ///< vertical scales, by PlotInfo::key
  std::map<std::string, CounterPlot> counters;  ///< by PlotInfo::key
  std::optional<float> pointed_px;              ///< x of the mouse over curves that share the timeline's axis
  std::uint64_t ranges_of = 0;                  ///< the run of the scales
  bool ranges_same_axis = false;                ///< and whether they are for the timeline's axis
  PlotGrip grip;                                ///< what the mouse has grabbed
  std::size_t first = 0;                        ///< the topmost plot, if not all fit
  bool moving = false;                          ///< a scale is easing, or a counter is being read
};

}  // namespace lanescope::ui
