// A plot of a Counter lane, in which a sample holds until the next one. The minimum and maximum of every column are
// exact. Samples are summarised once, so that a frame costs only its columns.
#pragma once

#include <optional>
#include <vector>

#include "timeline/block_tree.h"
#include "timeline/plot_set.h"
#include "timeline/span_batch.h"
#include "timeline/time_axis.h"
#include "trace/trace.h"

namespace lanescope::ui {

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

}  // namespace lanescope::ui
