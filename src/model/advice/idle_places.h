// Where the GPU idles, as the panel shows it: computed in the background, over the stretch of the verdict.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "analysis/idle_ledger.h"
#include "base/background_job.h"
#include "inspect/neighbours.h"

namespace lanescope::ui {

using base::Nanoseconds;

class Model;

/// The shown values change only where this matters to a reader: a place goes or comes, or a value changes by more than
/// a twentieth of itself and a hundredth of all idle time.
bool worth_showing(const analysis::IdleLedger& shown, const analysis::IdleLedger& found);

class IdlePlaces {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kBetweenLooks{1};  // while the trace grows

  /// Once per frame: takes a finished result, and looks again if there is new data and the rows are visible.
  void update(const Model& model, bool seen, Clock::time_point now);
  bool busy() const { return job_.busy(); }
  const analysis::IdleLedger& ledger() const { return ledger_; }
  /// One of the ledger's rows; its number of rows is that of `other`. Null: there is none.
  const analysis::IdleRow* row(std::size_t number) const;

  // The chosen row and the gap of it that is shown.
  /// Chooses a row, and its longest gap. False if there is none.
  bool choose(std::size_t number);
  /// The row's next gap, or the one before; after the last comes the first.
  bool step(const Model& model, Along along);
  std::optional<std::size_t> chosen() const { return chosen_; }
  /// The gap to show; empty: none.
  const std::optional<analysis::Bubble>& gap() const { return gap_; }
  /// "longest of the 20 gaps of train.py:87", "gap 3 of 20 of train.py:87"
  std::string gap_text() const;

 private:
  void take(analysis::IdleLedger found);

  analysis::IdleLedger ledger_;
  base::BackgroundJob<analysis::IdleLedger> job_;
  std::uint64_t generation_ = 0, looked_at_ = 0;
  bool looked_ = false;
  Clock::time_point started_{};
  std::optional<std::size_t> chosen_;
  std::optional<analysis::Bubble> gap_;
};

}  // namespace lanescope::ui
