// The least and the greatest value of any stretch of iterations, exactly, at a cost that does not depend on how many
// there are: kept up to date as the records grow, change at their newest end, and are thinned out.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ui/block_tree.h"
#include "ui/plot_kind.h"

namespace lanescope::ui {

class PlotExtremes {
 public:
  /// Reads what is new. What was seen stays in the extremes when its record is dropped: of the iterations that a record
  /// then stands for, the extremes are kept. `generation`: another one means other records. False: all is as it was.
  bool sync(std::span<const analysis::IterationRecord> records, PlotKinds kinds, std::uint64_t generation);
  /// Of the values of records [begin, end), each counted from the one before it.
  Extremes over(PlotKind kind, std::size_t begin, std::size_t end) const {
    return trees_[static_cast<std::size_t>(kind)].over(begin, end);
  }

 private:
  void merge(std::span<const analysis::IterationRecord> records);
  bool forget_changed(std::span<const analysis::IterationRecord> records);

  std::uint64_t generation_ = 0;
  PlotKinds kinds_;
  std::vector<std::int64_t> numbers_;       // of the records as they were
  std::vector<std::uint64_t> late_values_;  // what may still change in them, as one number
  std::array<BlockTree<Extremes>, kPlotKinds> trees_;
};

}  // namespace lanescope::ui
