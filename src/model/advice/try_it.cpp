#include "model/advice/try_it.h"

#include <algorithm>
#include <cmath>

#include "analysis/replay.h"
#include "base/error.h"
#include "base/translate.h"
#include "experiment/session.h"
#include "model/experiment/active_experiment.h"
#include "model/model.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr std::int64_t kMostEvents = 200'000;  // of a run in progress

// Of the run or file on the screen; empty if it is not one of this program's workloads, or of another version of one.
std::optional<workload::Settings> settings_of(const Model& model, const io::RunFacts& facts) {
  if (const Steering* steering = model.steering()) return steering->settings();
  if (facts.workload.empty()) return std::nullopt;
  try {
    workload::Settings settings = workload::default_settings(facts.workload, experiment::device_of(facts));
    for (const auto& [key, value] : facts.settings) settings.set_text(key, value);
    workload::check_settings(facts.workload, settings);
    return settings;
  } catch (const base::UsageError&) {
    return std::nullopt;
  }
}

std::string key_of(const workload::Settings& settings) {
  std::string key;
  for (const workload::SettingSpec& spec : settings.specs()) {
    key += workload::to_text(settings.value(spec.key)) + '\n';
  }
  return key;
}

// Nothing says that it does not.
bool may_gain(const Offer& offer) {
  const Outlook looks = outlook(*offer.prediction);
  return looks == Outlook::Gain || looks == Outlook::Unknown;
}
bool own_may_gain(const Offer& offer) { return offer.own && may_gain(offer); }

std::size_t best_offer(const std::vector<Offer>& offers) {
  const bool own_comes_first = std::ranges::any_of(offers, own_may_gain);
  std::vector<Trial> trials;
  std::vector<std::size_t> places;
  Predictions known;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (own_comes_first && !offers[i].own) continue;
    trials.push_back(offers[i].trial);
    places.push_back(i);
    known[offers[i].trial.assignments] = *offers[i].prediction;
  }
  return places[best_of(trials, known)];
}

}  // namespace

std::optional<double> Tried::error() const {
  if (state != State::Done || measured_ns <= 0 || !foretold()) return std::nullopt;
  return (predicted_ns() - measured_ns) / measured_ns;
}

bool Settling::look(double iteration_ns, std::int64_t iterations, Clock::time_point now) {
  if (!first_) first_ = now;
  const double before = std::exchange(last_ns_, iteration_ns);
  return now - *first_ >= kLeast && iterations >= kFewest && std::abs(iteration_ns - before) <= kStill * before;
}

void TryIt::forget_offers() {
  job_.supersede();
  offered_.clear();
  known_.clear();
  at_.clear();
}

void TryIt::say_again() {
  forget_offers();
  for (Tried& tried : tried_) tried.text = turn_text(tried.before, tried.trial.assignments);
}

void TryIt::end() {
  job_.leave();
  forget_offers();
  tried_.clear();
}

void TryIt::update(Model& model, std::span<const AdviceCard> cards, std::span<const std::string> own_knobs, bool seen,
                   Clock::time_point now) {
  if (std::optional<Answer> answer = job_.take()) known_[answer->at].merge(answer->predictions);
  if (generation_ != model.generation()) {
    end();
    generation_ = model.generation();
  }
  const io::RunFacts facts = model.facts();
  const std::optional<workload::Settings> settings = settings_of(model, facts);
  if (!tried_.empty() && (!settings || *settings != tried_.back().after)) tried_.clear();
  if (!settings) return forget_offers();
  if (at_.empty() || *settings != settings_) {
    job_.supersede();  // it is about other settings
    settings_ = *settings;
    at_ = key_of(settings_);
  }
  if (measuring()) measure(model, now);
  offer_again(cards, own_knobs, facts.workload);
  if (seen && !job_.busy()) predict(model);
}

void TryIt::offer_again(std::span<const AdviceCard> cards, std::span<const std::string> own_knobs,
                        const std::string& workload) {
  offered_.clear();
  const Predictions& known = known_[at_];
  for (const AdviceCard& card : cards) {
    Offered offered{card.key, {}, std::nullopt, false};
    for (Trial& trial : trials_for(card.card, workload, settings_)) {
      Offer offer;
      offer.text = trial_text(settings_, trial.assignments);
      offer.own = std::ranges::any_of(trial.assignments, [&](const std::string& assignment) {
        return std::ranges::find(own_knobs, assignment.substr(0, assignment.find('='))) != own_knobs.end();
      });
      if (const auto found = known.find(trial.assignments); found != known.end()) offer.prediction = found->second;
      offer.trial = std::move(trial);
      offered.offers.push_back(std::move(offer));
    }
    if (offered.offers.empty()) continue;
    if (std::ranges::all_of(offered.offers, [](const Offer& o) { return o.prediction.has_value(); }))
      offered.best = best_offer(offered.offers);
    offered_.push_back(std::move(offered));
  }
  // No other knob comes before the experiment's own, if that gains something or may do so.
  const auto own = std::ranges::find_if(offered_, [](const Offered& offered) {
    return offered.best ? own_may_gain(offered.offers[*offered.best])
                        : std::ranges::any_of(offered.offers, &Offer::own);
  });
  if (own == offered_.end()) return;
  for (auto before = offered_.begin(); before != own; ++before) before->hidden = true;
}

// All trials that are new, by one replay of what the user has just seen. Of a run that has ended there will be no more.
void TryIt::predict(const Model& model) {
  const bool steady = model.recent().pace.known() && model.recent().iteration.count >= Settling::kFewest;
  if (model.live() && (!model.recent_is_current() || (model.running() && !steady))) return;
  std::vector<Trial> trials;
  for (const Offered& offered : offered_) {
    for (const Offer& offer : offered.offers) {
      if (!offer.prediction) trials.push_back(offer.trial);
    }
  }
  if (trials.empty()) return;
  const std::optional<analysis::AdvicePlan> plan = plan_of(model, kMostEvents);
  if (!plan) return;
  job_.start([trace = model.shared_trace(), plan = *plan, at = at_,
              trials = std::move(trials)](const base::Stop& stop) -> Answer {
    const analysis::Replay replay(*trace, plan.from_ns, plan.to_ns, plan.gpu, &stop);
    Answer answer{at, {}};
    for (const Trial& trial : trials)
      answer.predictions[trial.assignments] = prediction_of(trial, replay, plan.run.link);
    return answer;
  });
}

const Offer* TryIt::offer(const CardKey& card) const {
  const auto found = std::ranges::find(offered_, card, &Offered::card);
  if (found == offered_.end() || found->hidden || !found->best) return nullptr;
  const Offer& best = found->offers[*found->best];
  return may_gain(best) ? &best : nullptr;
}

bool TryIt::comparing(const CardKey& card) const {
  const auto found = std::ranges::find(offered_, card, &Offered::card);
  return found != offered_.end() && !found->hidden && !found->best;
}

std::string TryIt::press(Model& model, const CardKey& card) {
  const Offer* chosen = offer(card);
  const Steering* steering = model.steering();
  if (!chosen || !steering) return tr("Nothing to try here");
  const Offer offer = *chosen;
  Tried tried;
  tried.workload = model.facts().workload;
  tried.device = model.source().device().id;
  tried.before = steering->settings();
  tried.text = turn_text(tried.before, offer.trial.assignments);
  tried.trial = offer.trial;
  tried.prediction = offer.prediction;
  tried.before_ns = tried.foretold() ? tried.prediction->recorded_ns : model.recent().pace.ns;
  if (std::string problem = model.assign(offer.trial.assignments); !problem.empty()) return problem;
  tried.after = steering->settings();
  tried.generation = model.generation();
  tried.version = steering->settings_version();
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
  const analysis::Summary& recent = model.recent();
  if (!recent.pace.known()) return;  // the launch queue is still filling
  tried.measured_ns = recent.pace.ns;
  if (settling_.look(tried.measured_ns, recent.iteration.count, now)) tried.state = Tried::State::Done;
}

}  // namespace lanescope::ui
