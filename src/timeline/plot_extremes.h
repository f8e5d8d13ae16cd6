// The exact minimum and maximum over any stretch of iterations, at a cost independent of their number. Kept up to date
// as records are added, change at the newest end, and are thinned out.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "timeline/block_tree.h"
#include "timeline/plot_kind.h"

namespace lanescope::ui {

class PlotExtremes {
 public:
  /// Reads new records. Extremes are kept when records are dropped: the remaining record then has the extremes of all
  /// iterations it covers. A new `generation` means different records. Returns false if nothing changed.
  bool sync(std::span<const analysis::IterationRecord> records, PlotKinds kinds, std::uint64_t generation);
  /// Over the values of records [begin, end), each relative to the one before.
  Extremes over(PlotKind kind, std::size_t begin, std::size_t end) const {
    return trees_[static_cast<std::size_t>(kind)].over(begin, end);
  }
  /// Of the records at the last sync(): searching the records themselves reads memory that is far apart.
  std::span<const base::Nanoseconds> ends() const { return ends_; }

 private:
  void clear();
  void note(const analysis::IterationRecord& record);
  std::size_t first_complete(std::span<const analysis::IterationRecord> records) const;
  void merge(std::span<const analysis::IterationRecord> records);
  bool forget_changed(std::span<const analysis::IterationRecord> records);

  std::uint64_t generation_ = 0;
  PlotKinds kinds_;
  std::vector<std::int64_t> numbers_;       // of the records at the last sync()
  std::vector<base::Nanoseconds> ends_;     // likewise
  std::vector<std::uint64_t> late_values_;  // a hash of their values that may still change
  std::array<BlockTree<Extremes>, kPlotKinds> trees_;
};

}  // namespace lanescope::ui
