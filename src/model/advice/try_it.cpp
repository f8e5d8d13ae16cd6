#include "model/advice/try_it.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.h"
#include "base/translate.h"
#include "experiment/session.h"
#include "model/advice/probe_process.h"
#include "model/experiment/active_experiment.h"
#include "model/model.h"
#include "prediction/device_probe.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using base::tr;
using prediction::Prediction;

constexpr std::chrono::seconds kAgainAfter{4};  // retry refused trials: more is recorded by then
constexpr int kMostAgain = 4;
constexpr std::chrono::seconds kMostComparing{3};  // then a card's first trial is chosen, predicted or not
constexpr std::int64_t kMostEvents = 200'000;      // used for a prediction

// The run or file on the screen; empty if it is not one of this program's workloads.
std::optional<prediction::Recorded> recorded_of(const Model& model) {
  const Steering* steering = model.steering();
  if (!steering) {
    const io::RunFacts facts = model.facts();
    auto recorded =
        prediction::recorded_of(model.trace(), facts.workload, facts.settings, experiment::device_of(facts));
    if (recorded) recorded->gpu = model.recent().verdict_gpu;
    return recorded;
  }
  prediction::Recorded recorded;
  recorded.trace = &model.trace();
  recorded.workload = steering->workload().name;
  recorded.settings = steering->settings();
  recorded.device = model.source().device();
  recorded.gpu = model.recent().verdict_gpu;
  return recorded;
}

// A live run's device can be asked for what the run does not show; that of an opened trace only if it is simulated.
std::shared_ptr<prediction::DeviceProbe> probe_of(const Model& model, const device::DeviceInfo& device) {
  if (!model.steering()) return prediction::probe_of_simulated(device);
  if (device.kind != device::DeviceKind::Gpu) return nullptr;
  const auto probe = device.simulated ? prediction::probe_here : probe_in_a_process;
  return prediction::probe_of(device.id,
                              [id = device.id, probe](std::span<const ops::Op> ops) { return probe(id, ops); });
}

// Limits the data used for a prediction: for an opened trace, all of it, as in its report; for a live run, the stretch
// that the user has just seen.
bool cut_to_seen(prediction::Recorded& recorded, const Model& model) {
  const auto records = model.analysis().records(recorded.gpu);
  if (records.empty()) return false;
  if (!model.live()) return true;
  const analysis::Summary& recent = model.recent();
  const auto newest = analysis::steady_stretch(
      model.trace(), records, {.from_ns = recent.from_ns, .to_ns = recent.to_ns, .most_events = kMostEvents});
  if (!newest) return false;
  std::tie(recorded.from_ns, recorded.to_ns) = *newest;
  return true;
}

std::string key_of(const workload::Settings& settings) {
  std::string key;
  for (const workload::SettingSpec& spec : settings.specs()) {
    key += workload::to_text(settings.value(spec.key)) + '\n';
  }
  return key;
}

}  // namespace

Outlook outlook(const prediction::Prediction& prediction) {
  constexpr double kSame = 1.03;
  const double gain = predicted_gain(prediction);
  if (gain <= 0) return Outlook::Unknown;
  return gain >= kSame ? Outlook::Gain : gain > 1 / kSame ? Outlook::NoGain : Outlook::Loss;
}

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
  known_.clear();
  at_.clear();
  again_ = 0;
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
  take_prediction();
  if (generation_ != model.generation()) {
    end();
    generation_ = model.generation();
  }
  const std::optional<prediction::Recorded> recorded = recorded_of(model);
  if (!tried_.empty() && (!recorded || recorded->settings != tried_.back().after)) tried_.clear();
  if (!recorded) return forget_offers();
  if (at_.empty() || recorded->settings != settings_) {
    job_.supersede();  // it is about other settings
    settings_ = recorded->settings;
    at_ = key_of(settings_);
    again_ = 0;
  }
  if (measuring()) measure(model, now);
  offer_again(cards, own_knobs, model.facts().workload, now);
  if (seen && !job_.busy()) predict_next(model, now);
}

void TryIt::offer_again(std::span<const AdviceCard> cards, std::span<const std::string> own_knobs,
                        const std::string& workload, Clock::time_point now) {
  offered_.clear();
  Known& known = known_[at_];
  for (const AdviceCard& card : cards) {
    const std::vector<prediction::Trial> trials = prediction::trials_for(card.card, workload, settings_);
    if (trials.empty()) continue;
    std::vector<Offer> offers;
    for (const prediction::Trial& trial : trials) {
      Offer offer;
      offer.trial = trial;
      offer.text = trial_text(settings_, offer.trial.assignments);
      offer.own = std::ranges::any_of(trial.assignments, [&](const std::string& assignment) {
        return std::ranges::find(own_knobs, assignment.substr(0, assignment.find('='))) != own_knobs.end();
      });
      const auto found = known.predictions.find(offer.trial.assignments);
      if (found != known.predictions.end()) offer.prediction = found->second;
      offers.push_back(std::move(offer));
    }
    offered_.push_back({card.key, std::move(offers)});
    choose(offered_.back(), known, now);
  }
  // No other knob comes before the experiment's own, if that gains something or may do so.
  const auto own = std::ranges::find_if(offered_, [](const Offered& offered) {
    const Offer& best = offered.offers[offered.best];
    return best.chosen ? best.own && is_primary(best) : std::ranges::any_of(offered.offers, &Offer::own);
  });
  if (own == offered_.end()) return;
  for (auto before = offered_.begin(); before != own; ++before) before->hidden = true;
}

// Once, when the outcome of every trial is known: from then on the button keeps its label.
void TryIt::choose(Offered& offered, Known& known, Clock::time_point now) {
  auto choice = std::ranges::find(known.choices, offered.card, &Choice::card);
  if (choice == known.choices.end()) choice = known.choices.insert(choice, {offered.card, now, std::nullopt});
  if (!choice->best) {
    const auto open = [](const Offer& offer) { return !offer.prediction; };
    if (std::ranges::any_of(offered.offers, open) && now - choice->since < kMostComparing) return;
    const bool own_gains =
        std::ranges::any_of(offered.offers, [](const Offer& offer) { return offer.own && is_primary(offer); });
    std::vector<prediction::Trial> trials;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < offered.offers.size(); ++i) {
      if (own_gains && !offered.offers[i].own) continue;
      trials.push_back(offered.offers[i].trial);
      places.push_back(i);
    }
    choice->best = places[prediction::best_of(trials, known.predictions)];
  }
  offered.best = std::min(*choice->best, offered.offers.size() - 1);
  offered.offers[offered.best].chosen = true;
}

void TryIt::take_prediction() {
  std::optional<Prediction> prediction = job_.take();
  if (!prediction) return;
  prediction::KnownPredictions& known = known_[under_way_at_].predictions;
  // A prediction stays until there is a better one: a refusal is none.
  const auto before = known.find(under_way_);
  if (before != known.end() && before->second.refused.empty() && !prediction->refused.empty()) return;
  known[under_way_] = std::move(*prediction);
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
  std::optional<prediction::Recorded> recorded = recorded_of(model);
  if (!recorded || !cut_to_seen(*recorded, model)) return;
  recorded->probe = probe_of(model, recorded->device);
  under_way_ = *next;
  under_way_at_ = at_;
  job_.start([trace = model.shared_trace(), recorded = std::move(*recorded),
              assignments = under_way_](const base::Stop& stop) {
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
  const auto found = std::ranges::find(offered_, card, &Offered::card);
  if (found == offered_.end() || found->hidden) return nullptr;
  const Offer& best = found->offers[found->best];
  if (!best.chosen || !best.prediction) return nullptr;
  const Outlook looks = outlook(*best.prediction);
  return looks == Outlook::Gain || looks == Outlook::Unknown ? &best : nullptr;
}

bool TryIt::comparing(const CardKey& card) const {
  const auto found = std::ranges::find(offered_, card, &Offered::card);
  return found != offered_.end() && !found->hidden && !found->offers[found->best].chosen;
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
  tried.before_ns =
      offer.prediction && offer.prediction->measured_ns > 0 ? offer.prediction->measured_ns : model.recent().pace.ns;
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
