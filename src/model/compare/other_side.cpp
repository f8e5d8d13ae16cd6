#include "model/compare/other_side.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "analysis/whole_iterations.h"
#include "base/error.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/measured_run.h"
#include "model/advice/advice.h"
#include "model/advice/try_it.h"
#include "model/experiment/screen_experiment.h"
#include "model/model.h"
#include "workload/common_settings.h"

namespace lanescope::ui {
namespace {

using experiment::Side;

constexpr std::size_t kMostKept = 12;
// A side that has not run yet is simulated for so many iterations, which fill the longest launch queue, or for so long.
constexpr std::uint64_t kIterations = 300;
constexpr std::chrono::milliseconds kLongestMeasuring{1500};
constexpr std::int64_t kMostGhostEvents = 50'000;

std::string key_of(const workload::Settings& settings, const std::string& device) {
  std::string key = device;
  for (const workload::SettingSpec& spec : settings.specs()) {
    key += '\n' + spec.key + '=' + workload::to_text(settings.value(spec.key));
  }
  return key;
}

std::vector<std::string> differing(const workload::Settings& to, const workload::Settings& from) {
  std::vector<std::string> assignments;
  for (const workload::SettingSpec& spec : to.specs()) {
    if (!from.spec(spec.key) || to.value(spec.key) == from.value(spec.key)) continue;
    assignments.push_back(spec.key + "=" + workload::to_text(to.value(spec.key)));
  }
  return assignments;
}

// Of the iterations in which the trigger fires, the one of median length; of all, if it never does.
SharedSnapshot chosen_by(const TriggerSettings& trigger, const SharedSnapshot& run) {
  if (!run || run->whole || trigger.source == TriggerSource::Iteration) return run;
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  const auto fired = newest_triggers(*run->trace, trigger, std::numeric_limits<Nanoseconds>::min(),
                                     run->trace->extent().second, kAll, kAll);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < run->iterations.size(); ++i) {
    const IterationSpan& one = run->iterations[i];
    const auto next = std::ranges::lower_bound(fired, one.start_ns);
    if (next != fired.end() && *next < one.end_ns) chosen.push_back(i);
  }
  if (chosen.empty()) return run;
  const auto middle = chosen.begin() + static_cast<std::ptrdiff_t>((chosen.size() - 1) / 2);
  std::ranges::nth_element(chosen, middle, {}, [&](std::size_t i) { return run->iterations[i].duration(); });
  auto own = std::make_shared<RunSnapshot>(*run);
  own->typical = *middle;
  return own;
}

SharedSnapshot simulate(session::SessionOptions options) {
  options.paced = false;
  options.iterations = kIterations;
  try {
    experiment::MeasuredRun run(options);
    const auto end = std::chrono::steady_clock::now() + kLongestMeasuring;
    run.run({}, [end] { return std::chrono::steady_clock::now() > end; });
    auto plan = plan_ended(run.trace(), run.analysis(), run.figures().summary, kMostGhostEvents);
    if (!plan || plan->whole) return nullptr;
    plan->facts = run.facts();
    return take_snapshot(std::move(*plan));
  } catch (const base::Error&) {
    return nullptr;  // then there is no other side to draw
  }
}

}  // namespace

void OtherSide::update(const Model& model, const ActiveExperiment* experiment, const TriggerSettings& trigger) {
  if (auto taken = job_.take()) {
    kept_[taken->key] = taken->run;
    const auto on_lanes = [&](const std::string& key) {
      return std::ranges::any_of(pair_, [&](const auto& side) { return side && side->key == key; });
    };
    if (kept_.size() > kMostKept) std::erase_if(kept_, [&](const auto& one) { return !on_lanes(one.first); });
  }
  if (auto replayed = replaying_.take()) {
    refused_ = replayed->refusal;
    replayed_ = replayed->run != nullptr;
    if (replayed_) earlier_ = replayed->run;
    if (replayed_) just_replayed_ = replayed->recorded;
  }
  const bool anew = std::exchange(generation_, model.generation()) != model.generation();
  if (anew) put(nullptr);
  if (anew) asked_.clear();
  const Steering* steering = model.steering();
  if (!steering) {
    now_.reset();
    pair_ = {};
    opened_ = nullptr;
    candidate_.reset();
    return;
  }
  const workload::Settings settings = steering->settings();
  const std::string device = model.source().device().id;
  Settled now{settings, device, key_of(settings, device), trigger};
  const experiment::Experiment* running = experiment ? &experiment->experiment() : nullptr;
  const bool same_workload = now_ && now_->settings.specs().size() == settings.specs().size();
  // A flip may go to another device; the device menu compares nothing.
  const bool flipped = experiment && pair_[1 - shown_] && pair_[1 - shown_]->key == now.key;
  const bool other_device = now_ && now_->device != device && !flipped;
  if (running && (running != opened_ || other_device)) {
    open(model, *experiment, now);
  } else if (!same_workload || (!running && std::exchange(opened_, nullptr))) {
    pair_ = {};
  } else if (now.key != now_->key) {
    turn(now, experiment);
  }
  now_ = std::move(now);
  settle(model);
  if (!job_.busy() && waiting_) keep(*std::exchange(waiting_, std::nullopt));
  if (!job_.busy()) measure(model);
}

// The newest stretch that is steady: it becomes the other side if the settings change.
void OtherSide::settle(const Model& model) {
  if (!model.recent_is_current() || looked_at_ == model.recent_number()) return;
  looked_at_ = model.recent_number();
  const analysis::Summary& recent = model.recent();
  if (recent.iteration.count < 2 || !recent.pace.known()) return;
  SnapshotPlan plan;
  plan.source = &model.trace();
  plan.summary = recent;
  plan.from_ns = recent.from_ns;
  plan.to_ns = recent.to_ns;
  cut_to_newest(plan, model.analysis(), kMostGhostEvents);
  plan.facts = model.facts();
  plan.facts.marks.clear();
  candidate_ = Candidate{*now_, model.shared_trace(), std::move(plan)};
}

bool OtherSide::are_sides(const ActiveExperiment* experiment) const {
  if (!experiment || !has_two()) return false;
  if (!flips_in_place(experiment->experiment())) return pair_[0]->device != pair_[1]->device;
  return experiment->side_of(pair_[0]->settings) == Side::Before &&
         experiment->side_of(pair_[1]->settings) == Side::After;
}

void OtherSide::turn(const Settled& next, const ActiveExperiment* experiment) {
  const std::optional<Settled> last = candidate_ ? std::optional(candidate_->side) : std::nullopt;
  if (candidate_) {
    if (!job_.busy()) {
      keep(*std::exchange(candidate_, std::nullopt));
    } else {
      waiting_ = std::exchange(candidate_, std::nullopt);
    }
  }
  const auto is = [&](std::size_t side, const Settled& what) { return pair_[side] && pair_[side]->key == what.key; };
  if (is(0, next) || is(1, next)) {
    shown_ = is(0, next) ? 0 : 1;
  } else {
    // While a slider is dragged, nothing settles: what ran before it stays the old one.
    const std::optional<Settled> old = last ? last : pair_[1 - shown_] ? pair_[0] : now_;
    pair_ = {old, next};
    shown_ = 1;
    const auto side = experiment ? experiment->side_of(next.settings) : std::nullopt;
    const bool back = side == Side::Before && old && experiment->side_of(old->settings) == Side::After;
    if (back) {
      std::swap(pair_[0], pair_[1]);
      shown_ = 0;
    }
  }
  of_experiment_ = are_sides(experiment);
}

void OtherSide::open(const Model& model, const ActiveExperiment& experiment, const Settled& now) {
  opened_ = &experiment.experiment();
  candidate_.reset();
  pair_ = {};
  auto shown = experiment.side_of(now.settings);
  if (shown && !flips_in_place(*opened_)) shown = experiment.side();  // its settings may be those of both
  shown_ = shown == Side::After ? 1 : 0;
  pair_[shown_] = now;
  of_experiment_ = shown.has_value();
  if (!shown) return;
  const Side other = *shown == Side::Before ? Side::After : Side::Before;
  Settled side = now;
  if (!flips_in_place(*opened_)) {
    side.device = experiment::chosen_device(*opened_, other, model.simulated() ? "" : now.device);
    side.settings = workload::default_settings(opened_->workload, device::describe_device(side.device));
  }
  for (const auto& [key, value] : side_settings(*opened_, other, side.settings)) side.settings.set(key, value);
  side.key = key_of(side.settings, side.device);
  side.trigger = view_goal(opened_->side(other).view).trigger;
  pair_[1 - shown_] = std::move(side);
}

void OtherSide::keep(Candidate candidate) {
  job_.start([candidate = std::move(candidate)]() mutable {
    return Taken{candidate.side.key, chosen_by(candidate.side.trigger, take_snapshot(std::move(candidate.plan)))};
  });
}

void OtherSide::measure(const Model& model) {
  if (!has_two()) return;
  const Settled& other = *pair_[1 - shown_];
  if (kept_.contains(other.key) || !model.virtual_time()) return;
  session::SessionOptions options = model.options_now();
  options.device = other.device;
  options.assignments.clear();
  for (const workload::SettingSpec& spec : other.settings.specs())
    options.assignments.push_back(spec.key + "=" + workload::to_text(other.settings.value(spec.key)));
  job_.start([options = std::move(options), key = other.key, trigger = other.trigger] {
    return Taken{key, chosen_by(trigger, simulate(options))};
  });
}

std::array<std::string, 2> OtherSide::labels(const ActiveExperiment* experiment, base::Language language) const {
  std::array<std::string, 2> labels;
  for (std::size_t i = 0; i < 2 && has_two(); ++i) {
    if (of_experiment_ && experiment) {
      labels[i] = experiment->experiment().side(static_cast<Side>(i)).label[language];
    } else {
      labels[i] = trial_text(pair_[1 - i]->settings, differing(pair_[i]->settings, pair_[1 - i]->settings), language);
    }
  }
  return labels;
}

void OtherSide::put(SharedSnapshot earlier) {
  replaying_.supersede();
  replayed_ = false;
  earlier_ = std::move(earlier);
}

void OtherSide::put_replayed(SharedSnapshot replayed) {
  put(std::move(replayed));
  asked_.clear();
  replayed_ = earlier_ != nullptr;
}

void OtherSide::ask(const Model& model, std::span<const analysis::Edit> edits) {
  if (std::ranges::equal(edits, asked_)) return;
  replaying_.supersede();
  if (replayed_ || !edits.empty()) put(nullptr);  // a run that the user has put there outlives the card
  asked_.assign(edits.begin(), edits.end());
  refused_.clear();
  const auto plan = edits.empty() ? std::nullopt : plan_of(model, kMostGhostEvents);
  if (!plan && !edits.empty())
    refused_ = base::tr("fewer than {} iterations were recorded as a whole", analysis::kFewestWhole);
  if (!plan) return;
  replaying_.start([trace = model.shared_trace(), plan = *plan, edits = asked_](const base::Stop& stop) -> Replayed {
    const analysis::Replay replay(*trace, plan.from_ns, plan.to_ns, plan.gpu, &stop, plan.rare);
    const auto iteration = replay.iteration(edits, plan.run.link);
    if (!iteration) return {{}, nullptr, replay.with(edits, plan.run.link).refusal};
    return {iteration->recorded, replayed_snapshot(*trace, *iteration, analysis::texts_of(edits)), {}};
  });
}

SharedSnapshot OtherSide::run() const {
  if (earlier_) return earlier_;
  if (!has_two()) return nullptr;
  const auto found = kept_.find(pair_[1 - shown_]->key);
  return found == kept_.end() ? nullptr : found->second;
}

// A replay has the batches of what runs.
double OtherSide::batch_size() const {
  return has_two() && !is_replayed() ? workload::batch_size_of(pair_[1 - shown_]->settings) : 0;
}

std::string OtherSide::swap(Model& model) const {
  if (!has_two()) return {};
  return model.assign(differing(pair_[1 - shown_]->settings, pair_[shown_]->settings));
}

}  // namespace lanescope::ui
