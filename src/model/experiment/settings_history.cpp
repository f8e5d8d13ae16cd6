#include "model/experiment/settings_history.h"

#include "base/error.h"
#include "model/advice/try_it.h"
#include "model/model.h"

namespace lanescope::ui {

constexpr std::size_t kMostSteps = 1000;

void SettingsHistory::update(const Model& model, bool held) {
  const Steering* steering = model.steering();
  if (!steering) {
    undo_.clear();
    redo_.clear();
    generation_ = 0;
    return;
  }
  const workload::Settings settings = steering->settings();
  if (generation_ != model.generation()) {
    const std::string device = model.source().device().id;
    const bool same_run =
        generation_ != 0 && workload_ == steering->workload().name && device_ == device && now_ == settings;
    if (!same_run) {
      undo_.clear();
      redo_.clear();
    }
    generation_ = model.generation();
    workload_ = steering->workload().name;
    device_ = device;
    now_ = settings;
    in_drag_ = false;
    return;
  }
  if (settings != now_) {
    if (in_drag_ && held && !undo_.empty()) {
      undo_.back().after = settings;
    } else {
      undo_.push_back({now_, settings});
      if (undo_.size() > kMostSteps) undo_.erase(undo_.begin());
      in_drag_ = held;
    }
    redo_.clear();
    now_ = settings;
  }
  if (held || !in_drag_) return;
  in_drag_ = false;
  if (undo_.back().before == undo_.back().after) undo_.pop_back();  // dragged there and back
}

// All values at once, so that the run sees one turn.
std::string SettingsHistory::go(Model& model, const workload::Settings& to) {
  std::vector<std::string> assignments;
  for (const workload::SettingSpec& spec : to.specs()) {
    if (now_.value(spec.key) != to.value(spec.key)) {
      assignments.push_back(spec.key + "=" + workload::to_text(to.value(spec.key)));
    }
  }
  const std::string turned = turn_text(now_, assignments);
  if (const std::string refused = model.assign(assignments); !refused.empty()) throw base::UsageError(refused);
  now_ = model.steering()->settings();
  return turned;
}

std::string SettingsHistory::undo(Model& model) {
  update(model, false);
  if (undo_.empty()) return {};
  const Turn step = undo_.back();
  std::string turned = go(model, step.before);
  undo_.pop_back();
  redo_.push_back(step);
  return turned;
}

std::string SettingsHistory::redo(Model& model) {
  update(model, false);
  if (redo_.empty()) return {};
  const Turn step = redo_.back();
  std::string turned = go(model, step.after);
  redo_.pop_back();
  undo_.push_back(step);
  return turned;
}

}  // namespace lanescope::ui
