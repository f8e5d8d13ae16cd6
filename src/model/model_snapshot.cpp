#include "model/model_snapshot.h"

#include <utility>

#include "model/model.h"

namespace lanescope::ui {
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
