// The figures of a run in progress: of the newest stretch, and of the one before the last turn of a knob. Everything
// that the window says of a run is of these stretches: verdict, figures, cards, factors and copies.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "analysis/account.h"

namespace lanescope::ui {

using base::Nanoseconds;

class RecentFigures {
 public:
  using Clock = std::chrono::steady_clock;
  /// The length of the stretch, on screen: since the last turn of a knob (leaving out the first iteration after it),
  /// and at most about this long, in whole periods.
  static constexpr double kSeconds = 4;
  /// Dragging a slider turns the knob many times: turns that follow each other within this time are one.
  static constexpr std::chrono::milliseconds kOneTurn{1500};

  struct Sight {
    const analysis::LiveAnalysis& analysis;
    Nanoseconds edge_ns = 0, span_ns = 0;
    std::int64_t period = 1;  ///< of the loop with the settings now
    double batch = 0;         ///< the batch size now; 0: there is none
  };
  /// False if there is nothing new: no iteration has ended yet.
  bool look(const Sight& sight, Clock::time_point now);
  /// The figures of a trace that does not grow.
  void show(analysis::Summary whole);
  void forget() { *this = {}; }
  void say_again();  ///< the language has changed

  const analysis::Summary& recent() const { return recent_.summary; }
  /// recent() is of the settings now, and of whole periods.
  bool current(const analysis::LiveAnalysis& analysis) const;
  std::uint64_t number() const { return number_; }  ///< changes with every new recent()
  /// Of the stretch before the last turn; an empty window if no knob was turned.
  const analysis::Summary& before_turn() const { return before_turn_; }
  double batch_before() const { return batch_before_; }  ///< the batch size of before_turn()
  double batch_now() const { return batch_now_; }        ///< that of recent()
  std::size_t markers_seen() const { return markers_seen_; }
  /// The markers of the last turn; empty if no knob was turned.
  std::span<const trace::Event> turn(const analysis::LiveAnalysis& analysis) const;

 private:
  analysis::Recent recent_;
  analysis::Summary before_turn_;
  double batch_now_ = 0, batch_before_ = 0;
  std::uint64_t number_ = 0;
  std::size_t markers_seen_ = 0, turn_begins_ = 0;  // turn_begins_: the index of the turn's first marker
  Clock::time_point turned_{};
};

}  // namespace lanescope::ui
