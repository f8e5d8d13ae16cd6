#include "experiment/loop_script.h"

#include <fmt/format.h>

#include "base/translate.h"
#include "base/version.h"
#include "workload/workload.h"

namespace lanescope::experiment {

workload::Settings start_settings(const Experiment& experiment, Side side, const device::DeviceInfo& device) {
  workload::Settings settings = workload::default_settings(experiment.workload, device);
  for (const std::string& assignment : experiment.assignments(side)) settings.assign(assignment);
  return settings;
}

workload::Script loop_script(const LoopOfScript& loop) {
  const base::Language language = base::language();
  workload::ScriptFacts facts;
  facts.iterations = static_cast<std::int64_t>(loop.iterations);
  facts.about.emplace_back("workload", loop.workload);
  if (const Experiment* e = loop.experiment) {
    facts.title.push_back(fmt::format("{} {}: {}", e->id, e->title[language], e->side(loop.side).label[language]));
    facts.about.emplace_back("experiment", e->id);
    facts.about.emplace_back("side", side_key(loop.side));
  } else {
    facts.title.push_back(base::tr(workload::workload_info(loop.workload).title.c_str()));
  }
  std::string settings;
  for (const workload::SettingSpec& spec : loop.settings.specs()) {
    if (spec.of_device) continue;  // what the framework costs here, the script will find out
    settings += (settings.empty() ? "" : " ") + spec.key + "=" + workload::to_text(loop.settings.value(spec.key));
  }
  facts.about.emplace_back("settings", settings);
  facts.title.push_back("");
  facts.title.push_back(
      base::tr("Written by Lanescope {}. Its last line of output is the result, as JSON.", base::kVersion));
  return workload::workload_script(loop.workload, loop.settings, loop.on_cpu, facts);
}

}  // namespace lanescope::experiment
