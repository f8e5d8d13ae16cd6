#include "app/commands.h"

#include "app/terminal_output.h"
#include "base/error.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "experiment/loop_script.h"
#include "io/atomic_file.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

// A script for a GPU may be written on a machine that has none.
bool is_cpu(const std::string& device) {
  if (device == "auto" || device.starts_with("cuda")) return false;
  return device::describe_device(device).kind == device::DeviceKind::Cpu;
}

}  // namespace

void write_script(const ScriptRequest& request) {
  const experiment::Experiment* e = request.experiment;
  const std::string workload = e ? e->workload : request.workload;
  const std::string device = !request.device.empty() ? request.device : e ? e->device_of(request.side) : "cuda";
  workload::Settings settings =
      e ? experiment::start_settings(*e, request.side, {}) : workload::default_settings(workload, {});
  for (const std::string& assignment : request.assignments) settings.assign(assignment);
  workload::check_settings(workload, settings);
  const std::uint64_t iterations = request.iterations ? *request.iterations : e ? e->iterations : 1000;
  const workload::Script script =
      experiment::loop_script({workload, settings, is_cpu(device), iterations, e, request.side});
  if (request.out == "-") return write_out(script.text);
  if (const std::string suffix = std::filesystem::path(request.out).extension().string(); suffix != script.suffix) {
    throw base::UsageError(base::tr("--out is '{}'; this program is a file of type {}", request.out, script.suffix));
  }
  io::write_text_file(request.out, script.text);
}

}  // namespace lanescope::app
