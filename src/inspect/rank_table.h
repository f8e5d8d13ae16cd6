// The table of ranks: what each GPU of a job did in one stretch, sorted by any column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/stragglers.h"

namespace lanescope::ui {

using base::Nanoseconds;

struct RankLine {
  analysis::GpuCollectives of;  ///< its count is 0 if it took part in none
  Nanoseconds busy_ns = 0;      ///< with at least one kernel or copy
  Nanoseconds recorded_ns = 0;  ///< of the stretch
};

struct RankTable {
  Nanoseconds elapsed_ns = 0;             ///< the stretch
  std::vector<RankLine> lines;            ///< all GPUs, by rank and number
  std::optional<trace::GpuNumber> worst;  ///< analysis::most_often_last()
  std::string why;                        ///< analysis::lateness_text() of that one
};

/// For [from, to), from which the collectives are; `worst`: analysis::lateness_of_worst(). Empty without collectives of
/// several GPUs, and soon after `stop` was set.
RankTable rank_table(const trace::Trace& trace, const analysis::Collectives& collectives,
                     const std::optional<analysis::Lateness>& worst, Nanoseconds from, Nanoseconds to,
                     const base::Stop* stop = nullptr);

enum class RankColumn : std::uint8_t {
  Name,
  Last,      ///< how often it arrived last
  WaitEach,  ///< for the last one, in each collective
  Wait,      ///< in all
  Transfer,
  Alone,  ///< communication that is not overlapped
  Busy,
  Idle,
};

struct RankOrder {
  RankColumn by = RankColumn::Last;
  bool ascending = false;
};

/// The lines' indices, in order; equal ones by rank and number.
std::vector<std::size_t> arranged_ranks(const RankTable& table, RankOrder order);
/// "12 · 60 %", "310 µs"; "–" if nothing is known.
std::string rank_cell(const RankLine& line, RankColumn column);

}  // namespace lanescope::ui
