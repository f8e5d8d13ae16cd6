#include "model/source/live_source.h"

#include <algorithm>

#include "device/catalogue.h"
#include "experiment/session.h"

namespace lanescope::ui {

io::RunFacts LiveSource::facts() const { return experiment::facts_of(session_); }

std::optional<RunNotice> LiveSource::notice() const {
  return run_notice(session_.device_lost(), session_.runner().error());
}

session::SessionOptions LiveSource::options() const {
  session::SessionOptions options = session_.options();
  options.speed = session_.pacer().speed();
  const workload::Settings standard = workload::default_settings(options.workload, session_.device());
  const workload::Settings settings = session_.settings();
  const auto asked_for = [&](const std::string& key) {
    return std::any_of(session_.options().assignments.begin(), session_.options().assignments.end(),
                       [&](const std::string& assignment) { return assignment.starts_with(key + "="); });
  };
  options.assignments.clear();
  for (const workload::SettingSpec& spec : settings.specs()) {
    if (settings.value(spec.key) == standard.value(spec.key) && !asked_for(spec.key)) continue;
    options.assignments.push_back(spec.key + "=" + workload::to_text(settings.value(spec.key)));
  }
  return options;
}

std::string LiveSource::no_gpu() const {
  // An experiment names the device that it is designed for, after a GPU has been looked for.
  const bool wanted = session_.options().device == device::kAutoDevice || device::has_looked_for_gpus();
  return wanted && session_.device().simulated ? device::why_no_gpu() : std::string();
}

Recipe LiveSource::recipe() const { return run_recipe(options()); }

Recipe run_recipe(const session::SessionOptions& options) {
  Recipe recipe;
  recipe.make = [options] { return std::make_unique<LiveSource>(options); };
  recipe.check = [options] {
    workload::Settings settings = workload::default_settings(options.workload, device::describe_device(options.device));
    for (const std::string& assignment : options.assignments) settings.assign(assignment);
  };
  recipe.exclusive = !device::describe_device(options.device).simulated;
  return recipe;
}

}  // namespace lanescope::ui
