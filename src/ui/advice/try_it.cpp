#include "ui/advice/try_it.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/translate.h"
#include "ui/active_experiment.h"
#include "ui/model.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using base::tr;
using prediction::Prediction;

constexpr std::chrono::seconds kAgainAfter{4};  // what was refused: more is recorded by then
constexpr int kMostAgain = 4;
constexpr std::int64_t kMostEvents = 200'000;  // that a prediction is worked out from
constexpr double kMeasuredSeconds = 3;

bool is_workload(const std::string& name) {
  const auto names = workload::workload_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Of the run or the file on the screen; empty when it is none of this program's workloads.
std::optional<workload::Settings> settings_of(const Model& model) {
  if (model.live()) return model.session()->settings();
  const io::RunFacts facts = model.facts();
  if (!is_workload(facts.workload)) return std::nullopt;
  workload::Settings settings = workload::default_settings(facts.workload, model.shown_device());
  try {
    for (const auto& [key, value] : facts.settings) settings.set_text(key, value);
  } catch (const base::UsageError&) {
    return std::nullopt;  // a file of another version
  }
  return settings;
}

std::optional<prediction::Recorded> recorded_of(const Model& model, const workload::Settings& settings) {
  const auto records = model.analysis().records();
  if (records.empty()) return std::nullopt;
  auto [from, to] = std::pair{records.front().start_ns, records.back().end_ns};
  if (model.live()) {
    const analysis::Summary recent = model.recent_over(kMeasuredSeconds);
    std::tie(from, to) = std::pair{recent.from_ns, recent.to_ns};
  }
  const auto stretch = newest_stretch(model.trace(), records, from, to, kMostEvents);
  if (!stretch) return std::nullopt;
  return prediction::Recorded{&model.trace(),         stretch->first, stretch->second,
                              model.facts().workload, settings,       model.shown_device()};
}

}  // namespace

std::optional<double> Tried::error() const {
  if (state != State::Done || measured_ns <= 0 || !prediction || !prediction->refused.empty()) return std::nullopt;
  return (prediction->iteration_ns - measured_ns) / measured_ns;
}

bool Settling::look(double iteration_ns, std::int64_t iterations, Clock::time_point now) {
  if (!first_) first_ = now;
  const double before = std::exchange(last_ns_, iteration_ns);
  return now - *first_ >= kLeast && iterations >= kFewest && std::abs(iteration_ns - before) <= kStill * before;
}

void TryIt::forget_offers() {
  job_.supersede();
  offered_.clear();
  predictions_.clear();
  again_ = 0;
}

void TryIt::say_again() {
  forget_offers();
  for (Tried& tried : tried_) tried.text = turn_text(tried.before, tried.trial.assignments);
}

void TryIt::end() {
  job_.end();
  forget_offers();
  if (measuring()) tried_.back().state = Tried::State::Overtaken;
}

void TryIt::update(Model& model, std::span<const AdviceCard> cards, bool seen, Clock::time_point now) {
  take_prediction();
  if (generation_ != model.generation()) {
    end();
    generation_ = model.generation();
  }
  const auto settings = settings_of(model);
  if (!settings) return forget_offers();
  if (*settings != settings_) forget_offers();
  settings_ = *settings;
  const std::string workload = model.facts().workload;
  if (!tried_.empty() && (tried_.back().workload != workload || tried_.back().device != model.shown_device().id)) {
    tried_.clear();
  }
  if (measuring()) measure(model, now);

  offered_.clear();
  for (const AdviceCard& card : cards) {
    std::vector<Offer> offers;
    for (prediction::Trial& trial : prediction::trials_for(card.card, workload, settings_)) {
      Offer offer{std::move(trial), {}, std::nullopt};
      offer.text = trial_text(settings_, offer.trial.assignments);
      const auto known = predictions_.find(offer.trial.assignments);
      if (known != predictions_.end()) offer.prediction = known->second;
      offers.push_back(std::move(offer));
    }
    if (offers.empty()) continue;
    const auto gain = [](const Offer& o) { return o.prediction ? predicted_gain(*o.prediction, o.trial.work) : 0; };
    const auto best = std::max_element(offers.begin(), offers.end(),
                                       [&](const Offer& a, const Offer& b) { return gain(a) < gain(b); });
    const auto number = static_cast<std::size_t>(best - offers.begin());
    offered_.push_back({card.key, std::move(offers), number});
  }
  if (seen && !job_.busy()) predict_next(model, now);
}

void TryIt::take_prediction() {
  if (std::optional<Prediction> prediction = job_.take()) predictions_[under_way_] = std::move(*prediction);
}

void TryIt::predict_next(const Model& model, Clock::time_point now) {
  const bool steady = !model.live() || (model.recent_is_current() && model.recent().pace.known() &&
                                        model.recent().iteration.count >= Settling::kFewest);
  if (!steady) return;
  const std::vector<std::string>* next = nullptr;
  const std::vector<std::string>* refused = nullptr;
  for (const Offered& offered : offered_) {
    for (const Offer& offer : offered.offers) {
      if (!offer.prediction && !next) next = &offer.trial.assignments;
      if (offer.prediction && !offer.prediction->refused.empty() && !refused) refused = &offer.trial.assignments;
    }
  }
  if (!next && refused && model.live() && !model.paused() && again_ < kMostAgain && now - refused_at_ > kAgainAfter) {
    next = refused;
    ++again_;
  }
  if (!next) return;
  refused_at_ = now;
  std::optional<prediction::Recorded> recorded = recorded_of(model, settings_);
  if (!recorded) return;
  under_way_ = *next;
  job_.start([recorded = std::move(*recorded), assignments = under_way_](const Stop& stop) {
    try {
      return prediction::predict(recorded, assignments, &stop);
    } catch (const base::Error& error) {
      Prediction refused_with;
      refused_with.settings = assignments;
      refused_with.refused = error.what();
      return refused_with;
    }
  });
}

const Offer* TryIt::offer(const CardKey& card) const {
  const auto found =
      std::find_if(offered_.begin(), offered_.end(), [&](const Offered& offered) { return offered.card == card; });
  return found != offered_.end() ? &found->offers[found->best] : nullptr;
}

std::string TryIt::press(Model& model, const CardKey& card) {
  const Offer* chosen = offer(card);
  if (!chosen || !model.live()) return tr("Nothing to try here");
  const Offer offer = *chosen;
  Tried tried;
  tried.workload = model.facts().workload;
  tried.device = model.shown_device().id;
  tried.before = model.session()->settings();
  tried.text = turn_text(tried.before, offer.trial.assignments);
  tried.trial = offer.trial;
  tried.prediction = offer.prediction;
  tried.before_ns =
      offer.prediction && offer.prediction->measured_ns > 0 ? offer.prediction->measured_ns : model.recent().pace.ns;
  if (std::string problem = model.assign(offer.trial.assignments); !problem.empty()) return problem;
  tried.after = model.session()->settings();
  model.set_paused(false);
  if (measuring()) tried_.back().state = Tried::State::Overtaken;
  tried_.push_back(std::move(tried));
  settling_ = {};
  return {};
}

std::string TryIt::turn_back(Model& model, const Tried& tried) {
  std::vector<std::string> assignments;
  for (const workload::SettingSpec& spec : tried.before.specs()) {
    if (tried.before.value(spec.key) == tried.after.value(spec.key)) continue;
    assignments.push_back(spec.key + "=" + workload::to_text(tried.before.value(spec.key)));
  }
  return model.assign(assignments);
}

void TryIt::measure(const Model& model, Clock::time_point now) {
  Tried& tried = tried_.back();
  if (settings_ != tried.after) {
    tried.state = Tried::State::Overtaken;
    return;
  }
  if (!model.recent_is_current() || looked_at_ == model.recent_number()) return;
  looked_at_ = model.recent_number();
  const analysis::Summary recent = model.recent_over(kMeasuredSeconds);
  if (!recent.pace.known()) return;  // the launch queue still fills
  tried.measured_ns = recent.pace.ns;
  if (settling_.look(tried.measured_ns, recent.iteration.count, now)) tried.state = Tried::State::Done;
}

}  // namespace lanescope::ui
