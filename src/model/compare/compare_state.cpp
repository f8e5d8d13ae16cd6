#include "model/compare/compare_state.h"

#include <utility>

#include "base/time.h"
#include "model/model.h"

namespace lanescope::ui {

namespace {

FollowB::Sight sight_of(const Model& model) {
  FollowB::Sight sight;
  sight.generation = model.generation();
  sight.settings = model.facts().settings;
  sight.live = model.live();
  sight.current = !model.nothing() && (!model.live() || model.recent_is_current());
  sight.iterations = model.recent().iteration.count;
  sight.paced = model.recent().pace.known();
  return sight;
}

}  // namespace

void FollowB::taken(const Sight& sight) {
  generation_ = sight.generation;
  settings_ = sight.settings;
  waiting_for_.reset();
  once_more_ = sight.live;
}

bool FollowB::wants_figures(const Sight& sight, Clock::time_point shown_at, Clock::time_point now) {
  if (!once_more_ || changed(sight) || !sight.current || !sight.paced || now - shown_at < kOnceMore) return false;
  once_more_ = false;
  return true;
}

bool FollowB::changed(const Sight& sight) const {
  return sight.generation != generation_ || sight.settings != settings_;
}

bool FollowB::wants(const Sight& sight, Clock::time_point now) {
  if (!changed(sight)) {
    waiting_for_.reset();
    return false;
  }
  const bool same =
      waiting_for_ && waiting_for_->generation == sight.generation && waiting_for_->settings == sight.settings;
  const bool settled = sight.current && (!sight.live || sight.iterations >= kFewest);
  if (!same || !settled) {
    since_ = now;
    waiting_for_ = sight;
  }
  return settled && (!sight.live || now - since_ >= kCalm);
}

void CompareState::unpin() {
  a_.reset();
  b_.reset();
  follow_.reset();
  wanted_ = Wanted::None;
  measuring_ = just_pinned_ = false;
  job_.leave();
  open = false;
  ++version_;
}

void CompareState::put(SharedSnapshot a, SharedSnapshot b) {
  a_ = std::move(a);
  b_ = std::move(b);
  ++version_;
}

void CompareState::start(trace::SharedTrace trace, SnapshotPlan plan, bool is_a, const FollowB::Sight& sight) {
  follow_.taken(sight);
  job_is_a_ = is_a;
  wanted_ = Wanted::None;
  job_.start([trace = std::move(trace), plan = std::move(plan)]() mutable { return take_snapshot(std::move(plan)); });
}

void CompareState::take(SharedSnapshot snapshot, Clock::time_point now) {
  if (job_is_a_) {
    a_ = std::move(snapshot);
    b_.reset();
    just_pinned_ = true;
  } else {
    b_ = std::move(snapshot);
    b_since_ = now;
  }
  ++version_;
}

void CompareState::update(const Model& model, Clock::time_point now) {
  if (auto snapshot = job_.take()) take(std::move(*snapshot), now);
  if (job_.busy()) return;
  if (!pinned() && wanted_ != Wanted::A) {
    wanted_ = Wanted::None;
    return;
  }
  const FollowB::Sight sight = sight_of(model);
  const bool due = pinned() && follow_.wants(sight, now);
  measuring_ = pinned() && wanted_ != Wanted::A && follow_.changed(sight) && !model.nothing();
  if (b_ && follow_.wants_figures(sight, b_since_, now)) {
    b_ = with_figures(*b_, model.recent());
    ++version_;
  }
  const bool asked = wanted_ != Wanted::None;
  const bool may_come = model.running() && !model.paused();
  if (due || (asked && sight.current)) {
    if (auto plan = plan_snapshot(model))
      return start(model.shared_trace(), std::move(*plan), wanted_ == Wanted::A, sight);
  }
  if (!asked || (may_come && !sight.current)) return;
  wanted_ = Wanted::None;
  just_refused_ = true;
}

std::optional<SnapshotPlan> plan_snapshot(const Model& model, std::int64_t most_events) {
  std::optional<SnapshotPlan> plan;
  if (model.live()) {
    if (!model.recent_is_current()) return std::nullopt;
    plan.emplace();
    plan->source = &model.trace();
    const analysis::Summary& recent = model.recent();
    plan->summary = recent;
    plan->from_ns = recent.from_ns;
    plan->to_ns = recent.to_ns;
    cut_to_newest(*plan, model.analysis(), most_events);
  } else {
    plan = plan_ended(model.trace(), model.analysis(), model.recent(), most_events);
    if (!plan) return std::nullopt;
  }
  plan->title = model.title();
  plan->facts = model.facts();
  plan->facts.marks.clear();
  return plan;
}

}  // namespace lanescope::ui
