#include "model/model_snapshot.h"

#include <utility>

#include "model/model.h"

namespace lanescope::ui {
namespace {

constexpr double kFiguresSeconds = 3;  // for a live run: a loop that reads rarely needs more than one second

}  // namespace

analysis::Summary figures_of_now(const Model& model) { return model.recent_over(kFiguresSeconds); }

std::optional<SnapshotPlan> plan_snapshot(const Model& model, std::int64_t most_events) {
  std::optional<SnapshotPlan> plan;
  if (model.live()) {
    if (!model.recent_is_current()) return std::nullopt;
    plan.emplace();
    plan->source = &model.trace();
    plan->summary = figures_of_now(model);
    const analysis::Summary& recent = model.recent();
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
