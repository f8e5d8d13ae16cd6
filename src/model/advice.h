// The advisor's cards, worked out beside the drawing, of the same stretch as the verdict.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/account.h"
#include "base/background_job.h"
#include "inspect/event_ref.h"

namespace lanescope::ui {

using base::Nanoseconds;

class Model;

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

/// What an iteration would be shorter by, and its share: "56 µs · 34 %"; empty for what costs nothing.
std::string cost_text(const analysis::Card& card);

/// Keys for cards that are in the advisor's order.
std::vector<AdviceCard> keyed(std::vector<analysis::Card> cards);

/// `found` in the order in which it was shown, as far as that goes: none stands behind one that costs less than four
/// fifths of it, or weighs less.
std::vector<AdviceCard> in_shown_order(std::span<const AdviceCard> shown, std::vector<AdviceCard> found);
/// The same of a stretch that goes on: a card that is not found any more stays for one more look.
std::vector<AdviceCard> next_cards(std::span<const AdviceCard> shown, std::vector<AdviceCard> found);

/// What the cards of now are about: of a live run the stretch of the verdict, of which the newest iterations with at
/// most so many events; of an opened trace what a report of it is about.
std::optional<analysis::AdvicePlan> plan_of(const Model& model, std::int64_t most_live_events);

/// The event that a card has as its example; empty when it is not kept any more.
std::optional<EventRef> event_of(const trace::Trace& trace, const analysis::Place& place);

class AdviceState {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetweenLooks{500};  // at a run that goes on
  static constexpr std::int64_t kMostLiveEvents = 100'000;        // twice a second
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
  std::optional<analysis::AdvicePlan> next_plan(const Model& model, Clock::time_point now);

  std::vector<AdviceCard> cards_;
  std::size_t turns_ = 0;  // of knobs, when the stretch of these cards was chosen
  std::uint64_t generation_ = 0;
  std::uint64_t looked_at_ = 0;  // the verdict's number
  bool looked_ = false;
  std::optional<std::pair<Nanoseconds, Nanoseconds>> stretch_;
  Clock::time_point started_{};
  base::BackgroundJob<Look> job_;
};

}  // namespace lanescope::ui
