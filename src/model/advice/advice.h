// The advisor's cards, computed in the background over the same time range as the verdict.
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

/// Identifies a card from one look to the next.
struct CardKey {
  analysis::Rule rule = analysis::Rule::GpuBound;
  std::string range, call;
  int nth = 0;  ///< separates keys that are otherwise equal: copies in both directions in one range

  bool operator==(const CardKey&) const = default;
};

struct AdviceCard {
  analysis::Card card;
  CardKey key;
  bool missed = false;  ///< the newest look did not find it; the next one drops or keeps it
};

/// How much shorter an iteration would be, and that share: "56 µs · 34 %"; empty if the card costs nothing.
std::string cost_text(const analysis::Card& card);

/// Keys for cards that are in the advisor's order.
std::vector<AdviceCard> keyed(std::vector<analysis::Card> cards);

/// `found`, kept in the order in which it was shown where possible: no card follows one of lower weight, or one that
/// costs less than four fifths of it.
std::vector<AdviceCard> in_shown_order(std::span<const AdviceCard> shown, std::vector<AdviceCard> found);
/// The same for a live run: a card that is no longer found stays for one more look.
std::vector<AdviceCard> next_cards(std::span<const AdviceCard> shown, std::vector<AdviceCard> found);

/// What the current cards examine: for a live run, the newest iterations of the verdict's time range, with at most
/// `most_live_events` events; for an opened trace, what its report examines.
std::optional<analysis::AdvicePlan> plan_of(const Model& model, std::int64_t most_live_events);

/// The event that a card gives as its example; empty if the event is no longer kept.
std::optional<EventRef> event_of(const trace::Trace& trace, const analysis::Place& place);

class AdviceState {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetweenLooks{500};  // while a run is in progress
  static constexpr std::int64_t kMostLiveEvents = 100'000;        // twice a second
  /// A run in progress is examined from this many iterations on: with fewer, warm-up cannot be recognised.
  static constexpr std::size_t kFewestIterations = 12;

  /// Takes finished results, and looks again if there is new data and the cards are visible.
  void update(const Model& model, bool seen, Clock::time_point now);
  /// The language has changed: computes the cards again.
  void say_again();
  bool busy() const { return job_.busy(); }
  /// Wrong results first, then the costliest.
  const std::vector<AdviceCard>& cards() const { return cards_; }

  // The user's choices.
  bool all = false;             ///< "N more" is unfolded
  std::optional<CardKey> open;  ///< the card whose full text is shown
  /// The most lines that a card's text has had, so that changing digits do not move things.
  std::vector<std::pair<CardKey, std::size_t>> most_lines;
  std::optional<EventRef> went_to;  ///< the example that a click selected

 private:
  struct Findings {
    std::vector<analysis::Card> cards;
    std::int64_t iterations = 0;
    std::size_t turns = 0;
  };
  std::optional<analysis::AdvicePlan> next_plan(const Model& model, Clock::time_point now);

  std::vector<AdviceCard> cards_;
  std::size_t turns_ = 0;  // number of knob turns when the time range of these cards was chosen
  std::uint64_t generation_ = 0;
  std::uint64_t looked_at_ = 0;  // the verdict's number
  bool looked_ = false;
  std::optional<std::pair<Nanoseconds, Nanoseconds>> stretch_;
  Clock::time_point started_{};
  base::BackgroundJob<Findings> job_;
};

}  // namespace lanescope::ui
