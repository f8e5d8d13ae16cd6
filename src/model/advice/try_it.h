// What a card's button would do, its predicted gain, and the result.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/translate.h"
#include "model/advice/advice.h"
#include "model/advice/trials.h"

namespace lanescope::ui {

/// A trial of a card, and what a replay of the run's recording says of it.
struct Offer {
  Trial trial;
  std::string text;                            ///< "log interval 100"
  bool own = false;                            ///< turns a knob of the experiment
  std::optional<analysis::WhatIf> prediction;  ///< empty: not computed yet
};

/// Only what is predicted to gain something looks like the thing to do.
inline bool is_primary(const Offer& offer) { return offer.prediction && outlook(*offer.prediction) == Outlook::Gain; }

/// "log interval 100", "pinned on, non-blocking on"
std::string trial_text(const workload::Settings& settings, const std::vector<std::string>& assignments,
                       base::Language language = base::language());
/// "log interval 1 → 100"
std::string turn_text(const workload::Settings& before, const std::vector<std::string>& assignments,
                      base::Language language = base::language());

/// A trial that was made: predicted next to measured.
struct Tried {
  enum class State : std::uint8_t {
    Measuring,  ///< measured_ns is the value so far; 0: nothing yet
    Done,
    Overtaken,  ///< something else changed before it was measured
  };
  State state = State::Measuring;
  std::string workload, device;
  std::string text;  ///< "log interval 1 → 100"
  Trial trial;
  std::uint64_t generation = 0;  ///< of the model
  std::uint32_t version = 0;     ///< of the settings `after`
  workload::Settings before, after;
  double before_ns = 0;  ///< measured, average per iteration
  std::optional<analysis::WhatIf> prediction;
  double measured_ns = 0;

  bool foretold() const { return prediction && prediction->refusal.empty(); }
  /// What was predicted; 0 if nothing was.
  double predicted_ns() const { return foretold() ? prediction->recorded_ns / predicted_gain(*prediction) : 0; }
  /// The prediction's error as a share of the measured time; empty while there is nothing to compare.
  std::optional<double> error() const;
};

/// The table as CSV (a header, then a line per trial), and as a Markdown table.
std::string tried_csv(std::span<const Tried> rows);
std::string tried_markdown(std::span<const Tried> rows);

/// Detects when the time per iteration has settled after a knob was turned.
class Settling {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kLeast{1500};
  static constexpr double kStill = 0.01;
  static constexpr std::int64_t kFewest = 12;

  /// Looks at the newest stretch: true if this look and the one before agree within kStill, at least kLeast after the
  /// first.
  bool look(double iteration_ns, std::int64_t iterations, Clock::time_point now);

 private:
  std::optional<Clock::time_point> first_;
  double last_ns_ = 0;
};

class TryIt {
 public:
  using Clock = std::chrono::steady_clock;

  /// `own_knobs` are the keys of the settings that the experiment is about.
  void update(Model& model, std::span<const AdviceCard> cards, std::span<const std::string> own_knobs, bool seen,
              Clock::time_point now);
  void end();  ///< forgets everything
  /// The language has changed: computes the offers again.
  void say_again();
  bool busy() const { return job_.busy(); }

  /// The offer on this card's button. Of those that gain something, or of which nothing is known, one that turns a knob
  /// of the experiment comes first, and then the one that gains most. Null: nothing that is worth trying, or nothing is
  /// predicted yet.
  const Offer* offer(const CardKey& card) const;
  /// It may get one: what its trials gain is being predicted.
  bool comparing(const CardKey& card) const;
  /// Turns the knobs of a card's offer. Returns the reason if that is not possible; empty on success.
  std::string press(Model& model, const CardKey& card);
  /// Turns the knobs back to what they were before a trial.
  std::string turn_back(Model& model, const Tried& tried);
  /// What was tried, one trial after the other, oldest first: none once the run or the settings are not those that the
  /// newest has left.
  const std::vector<Tried>& tried() const { return tried_; }
  bool measuring() const { return !tried_.empty() && tried_.back().state == Tried::State::Measuring; }

  bool all = false;  ///< the older ones are unfolded

 private:
  struct Offered {
    CardKey card;
    std::vector<Offer> offers;
    std::optional<std::size_t> best;  ///< empty: what they gain is being predicted
    bool hidden = false;              ///< behind a knob of the experiment
  };
  struct Answer {
    std::string at;  ///< key of the settings
    Predictions predictions;
  };
  void offer_again(std::span<const AdviceCard> cards, std::span<const std::string> own_knobs,
                   const std::string& workload);
  void predict(const Model& model);
  void forget_offers();
  void measure(const Model& model, Clock::time_point now);

  std::vector<Offered> offered_;
  /// By all values of the settings. Kept while the run lasts: turned back to them, the same predictions and buttons are
  /// there at once.
  std::map<std::string, Predictions> known_;
  std::string at_;  // the key of the settings now
  std::uint64_t generation_ = 0, looked_at_ = 0;
  workload::Settings settings_;
  base::BackgroundJob<Answer> job_;
  std::vector<Tried> tried_;
  Settling settling_;
};

}  // namespace lanescope::ui
