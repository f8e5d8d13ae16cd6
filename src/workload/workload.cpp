#include "workload/workload.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/program.h"
#include "workload/workloads.h"

namespace lanescope::workload {
namespace {

struct Registration {
  std::string_view name;
  WorkloadInfo (*info)();
  Settings (*settings)(const device::DeviceInfo&);
  std::unique_ptr<Workload> (*make)(device::Device&);
  void (*write)(CodeWriter&);
  void (*check)(const Settings&) = nullptr;
  std::int64_t (*period)(const Settings&) = reads_period;
};

// In teaching order.
constexpr std::array kWorkloads{
    Registration{"linear-mse", linear_mse_info, linear_mse_settings, make_linear_mse, write_linear_mse},
    Registration{"iris-mlp", iris_mlp_info, iris_mlp_settings, make_iris_mlp, write_iris_mlp},
    Registration{"transfer-loop", transfer_loop_info, transfer_loop_settings, make_transfer_loop, write_transfer_loop,
                 check_transfer_loop},
    Registration{"control-flow", control_flow_info, control_flow_settings, make_control_flow, write_control_flow},
    Registration{"bandwidth", bandwidth_info, bandwidth_settings, make_bandwidth, write_bandwidth},
    Registration{"dataloader", dataloader_info, dataloader_settings, make_dataloader, write_dataloader,
                 check_dataloader, dataloader_period},
    Registration{"readback", readback_info, readback_settings, make_readback, write_readback, nullptr, readback_period},
    Registration{"plot-transfer", plot_transfer_info, plot_transfer_settings, make_plot_transfer, write_plot_transfer,
                 check_plot_transfer, plot_transfer_period},
    Registration{"raw-cuda", raw_cuda_info, raw_cuda_settings, make_raw_cuda, write_raw_cuda},
    Registration{"break-even", break_even_info, break_even_settings, make_break_even, write_break_even},
};

const Registration& registration(std::string_view name) {
  std::string names;
  for (const Registration& r : kWorkloads) {
    if (r.name == name) return r;
    names += (names.empty() ? "" : ", ") + std::string(r.name);
  }
  throw base::UsageError(base::tr("unknown workload '{}'; allowed: {}", name, names));
}

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  names.reserve(kWorkloads.size());
  for (const Registration& r : kWorkloads) names.emplace_back(r.name);
  return names;
}

WorkloadInfo workload_info(std::string_view name) { return registration(name).info(); }

Settings default_settings(std::string_view workload, const device::DeviceInfo& device) {
  return registration(workload).settings(device);
}

void check_settings(std::string_view workload, const Settings& settings) {
  if (const Registration& r = registration(workload); r.check != nullptr) r.check(settings);
}

std::int64_t period_of(std::string_view workload, const Settings& settings) {
  return registration(workload).period(settings);
}

Program workload_program(std::string_view workload, const Settings& settings, bool on_cpu) {
  CodeWriter code(settings, on_cpu);
  registration(workload).write(code);
  return code.take();
}

Code workload_code(std::string_view workload, const Settings& settings, bool on_cpu) {
  return shown(workload_program(workload, settings, on_cpu).code);
}

std::unique_ptr<Workload> make_workload(std::string_view name, device::Device& device) {
  return registration(name).make(device);
}

}  // namespace lanescope::workload
