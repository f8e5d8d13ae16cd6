// What a card's button would do, what that is predicted to gain, and what came of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/advice.h"
#include "prediction/predict.h"
#include "prediction/trials.h"

namespace lanescope::ui {

/// The trial that a card's button shows: the one with the largest predicted gain, otherwise the first.
struct Offer {
  prediction::Trial trial;
  std::string text;                                  ///< "log interval 100"
  std::optional<prediction::Prediction> prediction;  ///< empty: not worked out yet
};

/// "log interval 100", "pinned on, non-blocking on"
std::string trial_text(const workload::Settings& settings, const std::vector<std::string>& assignments);
/// "log interval 1 → 100"
std::string turn_text(const workload::Settings& before, const std::vector<std::string>& assignments);

/// What was tried, predicted beside measured.
struct Tried {
  enum class State : std::uint8_t {
    Measuring,  ///< measured_ns is what it looks like so far; 0: nothing yet
    Done,
    Overtaken,  ///< something else changed before it was measured
  };
  State state = State::Measuring;
  std::string workload, device;
  std::string text;  ///< "log interval 1 → 100"
  prediction::Trial trial;
  std::uint64_t generation = 0;  ///< of the model
  std::uint32_t version = 0;     ///< of the settings `after`
  workload::Settings before, after;
  double before_ns = 0;  ///< measured, an iteration on average
  std::optional<prediction::Prediction> prediction;
  double measured_ns = 0;

  /// Of the prediction, as a share of what was measured; empty while there is nothing to compare.
  std::optional<double> error() const;
};

/// The table as CSV (a header, a line each), and as a Markdown table.
std::string tried_csv(std::span<const Tried> rows);
std::string tried_markdown(std::span<const Tried> rows);

/// Stands still long enough to be told: what a run takes after a knob was turned.
class Settling {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kLeast{1500};
  static constexpr double kStill = 0.01;
  static constexpr std::int64_t kFewest = 12;

  /// A look at the newest stretch: true when it and the look before it agree within kStill, kLeast after the first.
  bool look(double iteration_ns, std::int64_t iterations, Clock::time_point now);

 private:
  std::optional<Clock::time_point> first_;
  double last_ns_ = 0;
};

class TryIt {
 public:
  using Clock = std::chrono::steady_clock;

  void update(Model& model, std::span<const AdviceCard> cards, bool seen, Clock::time_point now);
  /// Nothing is under way afterwards; what was tried stays. Call it before the trace goes.
  void end();
  /// The language has changed: what is offered is worked out again.
  void say_again();
  bool busy() const { return job_.busy(); }

  /// What the button of this card is about; null: nothing to try.
  const Offer* offer(const CardKey& card) const;
  /// Turns the knobs of a card's offer. Returns why that cannot be; empty: it is done.
  std::string press(Model& model, const CardKey& card);
  /// Turns the knobs back to what they were before a trial.
  std::string turn_back(Model& model, const Tried& tried);
  /// Of this workload on this device, the oldest first.
  const std::vector<Tried>& tried() const { return tried_; }
  bool measuring() const { return !tried_.empty() && tried_.back().state == Tried::State::Measuring; }

  bool all = false;  ///< the older ones are unfolded

 private:
  struct Offered {
    CardKey card;
    std::vector<Offer> offers;
    std::size_t best = 0;
  };

  void forget_offers();
  void take_prediction();
  void predict_next(const Model& model, Clock::time_point now);
  void measure(const Model& model, Clock::time_point now);

  std::vector<Offered> offered_;
  prediction::KnownPredictions predictions_;
  std::uint64_t generation_ = 0, looked_at_ = 0;
  workload::Settings settings_;
  Clock::time_point refused_at_{};
  int again_ = 0;  // how often what was refused has been worked out once more
  base::BackgroundJob<prediction::Prediction> job_;
  std::vector<std::string> under_way_;
  std::vector<Tried> tried_;
  Settling settling_;
};

}  // namespace lanescope::ui
