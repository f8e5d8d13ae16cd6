// The advisor's cards, worked out beside the drawing, of the same stretch as the verdict.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/advice.h"
#include "ui/event_ref.h"
#include "ui/find/background_job.h"

namespace lanescope::ui {

using base::Nanoseconds;

class Model;
struct ShellState;

/// What a card is about, by which it is known from one look to the next.
struct CardKey {
  analysis::Rule rule = analysis::Rule::GpuBound;
  std::string range, call;
  int nth = 0;  ///< of those that are the same otherwise: copies in both directions in one range

  bool operator==(const CardKey&) const = default;
};

struct AdviceCard {
  analysis::Card card;
  CardKey key;
  bool missed = false;  ///< the newest look did not have it; the next one decides
};

/// Keys for cards that are in the advisor's order.
std::vector<AdviceCard> keyed(std::vector<analysis::Card> cards);

/// `found` in the order in which it was shown, as far as that goes: none stands behind one that costs less than four
/// fifths of it, or weighs less.
std::vector<AdviceCard> in_shown_order(std::span<const AdviceCard> shown, std::vector<AdviceCard> found);
/// The same of a stretch that goes on: a card that is not found any more stays for one more look.
std::vector<AdviceCard> next_cards(std::span<const AdviceCard> shown, std::vector<AdviceCard> found);

/// Of [from, to) the newest iterations that hold at most `most_events` events, one at least, without the run's warm-up;
/// empty when there is none.
std::optional<std::pair<Nanoseconds, Nanoseconds>> newest_stretch(const trace::Trace& trace,
                                                                  std::span<const analysis::IterationRecord> records,
                                                                  Nanoseconds from, Nanoseconds to,
                                                                  std::int64_t most_events);

/// The event that a card has as its example; empty when it is not kept any more.
std::optional<EventRef> event_of(const trace::Trace& trace, const analysis::Place& place);

class AdviceState {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetweenLooks{500};  // at a run that goes on
  static constexpr std::int64_t kMostLiveEvents = 100'000;        // twice a second
  static constexpr std::int64_t kMostEvents = 2'000'000;          // once, of an opened trace
  /// A run in progress is examined from this number on: with fewer iterations, warm-up cannot be recognised.
  static constexpr std::size_t kFewestIterations = 12;

  /// Takes what is ready, and looks again when there is something new and a person can see it.
  void update(const Model& model, bool seen, Clock::time_point now);
  /// Nothing is under way afterwards, and nothing is shown: call it before the trace goes.
  void end();
  /// The language has changed: the cards are worked out again.
  void say_again();
  bool busy() const { return job_.busy(); }
  /// Wrong results first, then the costliest.
  const std::vector<AdviceCard>& cards() const { return cards_; }

  // What a person did.
  bool all = false;                 ///< "N more" is unfolded
  std::optional<CardKey> open;      ///< all of its text is shown
  std::size_t open_lines = 0;       ///< the most lines that text has had, so that digits move nothing
  std::optional<EventRef> went_to;  ///< the example that a click has selected

 private:
  struct Look {
    std::vector<analysis::Card> cards;
    std::int64_t iterations = 0;
    std::size_t turns = 0;
  };
  std::optional<std::pair<Nanoseconds, Nanoseconds>> next_stretch(const Model& model, Clock::time_point now);

  std::vector<AdviceCard> cards_;
  std::size_t turns_ = 0;  // of knobs, when the stretch of these cards was chosen
  std::uint64_t generation_ = 0;
  std::uint64_t looked_at_ = 0;  // the verdict's number
  bool looked_ = false;
  std::optional<std::pair<Nanoseconds, Nanoseconds>> stretch_;
  Clock::time_point started_{};
  BackgroundJob<Look> job_;
};

/// Once per frame.
void update_advice(ShellState& state);

}  // namespace lanescope::ui
