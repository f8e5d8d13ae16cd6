// A sampled value of the trace (a Counter lane) as a plot: a sample holds until the next one. Every column's least and
// greatest are exact; what was read once is kept in summaries, so that a frame costs its columns.
#pragma once

#include <optional>
#include <vector>

#include "trace/trace.h"
#include "ui/block_tree.h"
#include "ui/gl/plot_renderer.h"
#include "ui/plot_kind.h"
#include "ui/time_axis.h"

namespace lanescope::ui {

class CounterPlot {
 public:
  static constexpr std::size_t kLeaf = 32;             ///< samples
  static constexpr std::size_t kReadAtOnce = 200'000;  ///< samples, of one prepare()

  /// Takes what is new in the lane, at most kReadAtOnce samples, and fills the columns. `edge`: the last sample holds
  /// until then.
  void prepare(const trace::Trace& trace, trace::LaneId lane, std::uint64_t generation, const TimeAxis& axis,
               base::Nanoseconds edge);
  const std::vector<PlotColumn>& columns() const { return columns_; }
  /// There is more to read: columns with too many unread samples are unknown until then.
  bool behind() const { return behind_; }

 private:
  struct Node : Extremes {
    double area = 0;  // each sample times how long it held
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
  std::vector<Tree> trees_;  // by row: samples that came too late for the first are in others
  std::vector<PlotColumn> columns_;
  bool behind_ = false;
};

/// The lane's newest sample.
std::optional<double> newest_sample(const trace::Trace& trace, trace::LaneId lane);

}  // namespace lanescope::ui
