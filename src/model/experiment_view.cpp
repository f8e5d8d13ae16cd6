#include "model/experiment_view.h"

namespace lanescope::ui {

ViewGoal view_goal(const experiment::View& view) {
  ViewGoal goal;
  goal.iterations = view.iterations;
  goal.span_ns = view.span_ns;
  goal.trigger.pre_trigger = view.before;
  goal.trigger.hold_off_ns = view.hold_off_ns;
  if (view.trigger == "iteration") {
    goal.trigger.source = TriggerSource::Iteration;
  } else if (view.trigger == "wait") {
    goal.trigger.source = TriggerSource::LongWait;
    goal.trigger.wait_over_ns = view.wait_over_ns;
  } else {
    goal.trigger.source = TriggerSource::Name;
    goal.trigger.name = view.trigger;
  }
  return goal;
}

}  // namespace lanescope::ui
