#include "device/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "base/background_job.h"
#include "base/error.h"
#include "base/translate.h"
#include "device/cpu/cpu_device.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/find_backend.h"
#include "device/device.h"
#include "device/sim/profile.h"
#include "device/sim/sim_cpu_device.h"
#include "device/sim/sim_device.h"

namespace lanescope::device {
namespace {

using base::tr;

constexpr std::string_view kCuda = "cuda";
constexpr std::string_view kSim = "sim";
constexpr std::string_view kSimPrefix = "sim:";
constexpr std::string_view kCpu = "cpu";
constexpr std::string_view kCpuPrefix = "cpu:";
constexpr std::string_view kStandardProfile = "rtx4090";

constexpr char kCosts = '+';

/// "cuda:0+FILE.toml": a device of this machine, and the profile that says what the framework's statements cost.
struct WithCosts {
  std::string_view device, file;  ///< no file: the whole id is the device
};
WithCosts split(std::string_view id) {
  const std::size_t plus = id.find(kCosts);
  if (plus == std::string_view::npos) return {id, {}};
  const std::string_view device = id.substr(0, plus);
  const bool here = device == kCpu || device == kCuda || cuda::parse_gpu_id(device).has_value();
  return here ? WithCosts{device, id.substr(plus + 1)} : WithCosts{id, {}};
}

FrameworkCosts costs_in(std::string_view file, DeviceKind kind) {
  const sim::DeviceProfile profile = sim::load_profile(std::string(file));
  FrameworkCosts costs = kind == DeviceKind::Cpu ? profile.pytorch_cpu : profile.pytorch;
  if (!costs.known()) {
    throw base::FileError(tr("{}: has no table '{}'; `lanescope calibrate --torch` measures it", file,
                             kind == DeviceKind::Cpu ? "pytorch_cpu" : "pytorch"));
  }
  if (kind == DeviceKind::Gpu) sim::leave_out_library(costs, profile.cpu);
  return costs;
}

/// The simulated device that an id names: the GPU or the CPU of a built-in profile or of a file.
struct SimChoice {
  std::string id;
  sim::DeviceProfile profile;
  DeviceKind kind = DeviceKind::Gpu;
};
struct CpuChoice {};
using Choice = std::variant<cuda::GpuInfo, SimChoice, CpuChoice>;

bool names_a_file(std::string_view name) { return name.ends_with(".toml") || name.find('/') != std::string_view::npos; }

std::vector<cuda::GpuInfo> usable(const FoundGpus& found) {
  std::vector<cuda::GpuInfo> gpus = found.gpus;
  std::erase_if(gpus, [](const cuda::GpuInfo& gpu) { return !cuda::gpu_problem(gpu).empty(); });
  return gpus;
}

std::string allowed(const FoundGpus& found) {
  std::string all(kAutoDevice);
  const std::vector<cuda::GpuInfo> gpus = usable(found);
  if (!gpus.empty()) all += fmt::format(", {}", kCuda);
  for (const cuda::GpuInfo& gpu : gpus) all += fmt::format(", {}", cuda::gpu_id(gpu.index));
  all += fmt::format(", {}", kSim);
  for (const std::string& id : sim::embedded_profiles()) all += fmt::format(", {}{}", kSimPrefix, id);
  all += fmt::format(", {}FILE.toml", kSimPrefix);
  if (base::kThreads) all += fmt::format(", {}", kCpu);
  for (const std::string& id : sim::embedded_profiles()) all += fmt::format(", {}{}", kCpuPrefix, id);
  return all + fmt::format(", {}FILE.toml", kCpuPrefix);
}

[[noreturn]] void reject(const FoundGpus& found, std::string_view id) {
  throw base::UsageError(tr("device '{}' is unknown; allowed: {}", id, allowed(found)));
}

bool is_embedded(std::string_view name) {
  for (const std::string& id : sim::embedded_profiles()) {
    if (id == name) return true;
  }
  return false;
}

/// The profile that an id names, built in or from a file.
std::string_view profile_in(std::string_view id) {
  for (const std::string_view prefix : {kSimPrefix, kCpuPrefix}) {
    if (id.starts_with(prefix)) return id.substr(prefix.size());
  }
  return kStandardProfile;
}

SimChoice choose_sim(const FoundGpus& found, std::string_view id) {
  const DeviceKind kind = id.starts_with(kCpuPrefix) ? DeviceKind::Cpu : DeviceKind::Gpu;
  const std::string_view name = profile_in(id);
  if (names_a_file(name)) return {std::string(id), sim::load_profile(std::string(name)), kind};
  if (!is_embedded(name)) reject(found, id);
  const std::string_view prefix = kind == DeviceKind::Cpu ? kCpuPrefix : kSimPrefix;
  return {fmt::format("{}{}", prefix, name), sim::embedded_profile(name), kind};
}

cuda::GpuInfo choose_gpu(const FoundGpus& found, std::string_view id, int index) {
  const auto unusable = [&](const std::string& problem) {
    return base::Error(tr("{} cannot be used: {}", cuda::gpu_id(index), problem));
  };
  if (found.backend == nullptr) throw unusable(found.problem);
  const auto gpu = std::find_if(found.gpus.begin(), found.gpus.end(),
                                [&](const cuda::GpuInfo& each) { return each.index == index; });
  if (gpu == found.gpus.end()) reject(found, id);
  if (const std::string problem = cuda::gpu_problem(*gpu); !problem.empty()) throw unusable(problem);
  return *gpu;
}

Choice choose(const FoundGpus& found, std::string_view id) {
  if (const std::optional<int> index = cuda::parse_gpu_id(id)) return choose_gpu(found, id, *index);
  if (id == kAutoDevice && found.problem.empty()) {
    if (std::vector<cuda::GpuInfo> gpus = usable(found); !gpus.empty()) return std::move(gpus.front());
  }
  if (id == kCpu) {
    if (!base::kThreads)
      throw base::UsageError(tr("device 'cpu' needs threads, which a page does not have; allowed: {}", allowed(found)));
    return CpuChoice{};
  }
  if (id == kAutoDevice || id == kSim || id.starts_with(kSimPrefix) || id.starts_with(kCpuPrefix)) {
    return choose_sim(found, id);
  }
  reject(found, id);
}

std::string summary_of(const cuda::GpuInfo& gpu) {
  return tr("A GPU in this machine: {} multiprocessors, {}, compute capability {}.{}, driver for CUDA {}.",
            gpu.sm_count, base::format_bytes(static_cast<std::int64_t>(gpu.memory_bytes)), gpu.compute_major,
            gpu.compute_minor, cuda::version_text(gpu.driver_version));
}

std::string summary_of_cpu(const sim::DeviceProfile& profile) {
  return tr(
      "The same operations on the CPU beside that GPU: {:g} cores with {:g} GFLOP/s in "
      "all, {:g} GB/s for one thread.",
      profile.cpu.cores, profile.cpu.fp32_gflops, profile.cpu.memory_gb_per_s);
}

std::atomic<bool> looked_for{false};

/// The GPUs of this machine; searched for once.
const FoundGpus& of_this_machine() {
  static const FoundGpus found = found_gpus(cuda::load());
  looked_for = true;
  return found;
}

/// Does not touch the driver if the id names an existing simulated device.
const FoundGpus& needed_for(std::string_view id) {
  static const FoundGpus none;
  if (id == kSim || split(id).device == kCpu) return none;
  if (!id.starts_with(kSimPrefix) && !id.starts_with(kCpuPrefix)) return of_this_machine();
  const std::string_view name = profile_in(id);
  return names_a_file(name) || is_embedded(name) ? none : of_this_machine();
}

}  // namespace

FoundGpus found_gpus(const cuda::LoadResult& loaded) {
  FoundGpus found{loaded.backend, loaded.problem, {}};
  if (loaded.backend != nullptr) found.gpus = loaded.backend->gpus();
  return found;
}

std::vector<CatalogueEntry> catalogue_from(const FoundGpus& found) {
  std::vector<CatalogueEntry> entries;
  std::vector<CatalogueEntry> cpus;
  const auto simulated = [](const DeviceInfo& info, std::string summary) {
    return CatalogueEntry{info.id, tr("{} (simulated)", name_in_words(info.name)), std::move(summary), true, info.kind};
  };
  for (const std::string& id : sim::embedded_profiles()) {
    const sim::DeviceProfile profile = sim::embedded_profile(id);
    entries.push_back(simulated(sim::info_of(profile, {}), profile.summary));
    cpus.push_back(simulated(sim::cpu_info_of(profile), summary_of_cpu(profile)));
    if (id != kStandardProfile) continue;
    // The default comes first.
    std::rotate(entries.begin(), entries.end() - 1, entries.end());
    std::rotate(cpus.begin(), cpus.end() - 1, cpus.end());
  }
  if (base::kThreads) {
    const DeviceInfo cpu = cpu::cpu_info();
    cpus.insert(cpus.begin(),
                {cpu.id, cpu.name, tr("This machine's CPU: the same operations, computed by the calling thread."),
                 false, cpu.kind});
  }
  std::vector<CatalogueEntry> all;
  for (const cuda::GpuInfo& gpu : usable(found)) {
    all.push_back({cuda::gpu_id(gpu.index), gpu.name, summary_of(gpu), false, DeviceKind::Gpu});
  }
  // "auto" skips a GPU that cannot be recorded, so that GPU does not come first.
  all.insert(found.problem.empty() ? all.end() : all.begin(), entries.begin(), entries.end());
  all.insert(all.end(), cpus.begin(), cpus.end());
  return all;
}

std::unique_ptr<Device> make_device_from(const FoundGpus& found, std::string_view id, DeviceContext context) {
  if (const WithCosts parts = split(id); !parts.file.empty()) {
    context.id = id;
    context.framework = costs_in(parts.file, kind_named(id));
    return make_device_from(found, parts.device, std::move(context));
  }
  Choice choice = choose(found, id);
  if (const auto* gpu = std::get_if<cuda::GpuInfo>(&choice)) {
    return cuda::make_cuda_device(*found.backend, *gpu, std::move(context));
  }
  if (std::holds_alternative<CpuChoice>(choice)) return std::make_unique<cpu::CpuDevice>(std::move(context));
  auto& simulated = std::get<SimChoice>(choice);
  if (simulated.kind == DeviceKind::Cpu) {
    return std::make_unique<sim::SimCpuDevice>(simulated.profile, std::move(context), std::move(simulated.id));
  }
  return std::make_unique<sim::SimDevice>(simulated.profile, std::move(context), std::move(simulated.id));
}

void add_costs(DeviceInfo& info, const DeviceContext& context) {
  if (!context.framework.known()) return;
  info.id = context.id;
  info.framework = context.framework;
  info.dispatch_us = context.framework.of(FrameworkCall::Op);
}

DeviceInfo describe_device_from(const FoundGpus& found, std::string_view id) {
  if (const WithCosts parts = split(id); !parts.file.empty()) {
    DeviceInfo info = describe_device_from(found, parts.device);
    DeviceContext context;
    context.id = id;
    context.framework = costs_in(parts.file, info.kind);
    add_costs(info, context);
    return info;
  }
  Choice choice = choose(found, id);
  if (const auto* gpu = std::get_if<cuda::GpuInfo>(&choice)) return cuda::info_of(*gpu);
  if (std::holds_alternative<CpuChoice>(choice)) return cpu::cpu_info();
  auto& simulated = std::get<SimChoice>(choice);
  return (simulated.kind == DeviceKind::Cpu ? sim::cpu_info_of : sim::info_of)(simulated.profile,
                                                                               std::move(simulated.id));
}

DeviceKind kind_named(std::string_view id) {
  return split(id).device == kCpu || id.starts_with(kCpuPrefix) ? DeviceKind::Cpu : DeviceKind::Gpu;
}

std::string_view profile_named(std::string_view id) {
  const std::size_t colon = id.find(':');
  return colon == std::string_view::npos ? id : id.substr(colon + 1);
}

std::string cpu_beside(std::string_view id) {
  if (kind_named(id) == DeviceKind::Cpu) return std::string(id);
  if (const std::string_view file = split(id).file; !file.empty()) return fmt::format("{}{}{}", kCpu, kCosts, file);
  if (id != kSim && !id.starts_with(kSimPrefix)) return std::string(kCpu);
  return fmt::format("{}{}", kCpuPrefix, profile_in(id));
}

std::vector<CatalogueEntry> catalogue() { return catalogue_from(of_this_machine()); }

const std::string& why_no_gpu() {
  const FoundGpus& found = of_this_machine();
  if (found.backend != nullptr || found.problem.empty()) return found.problem;
  // Depends on the current language; determined once per language.
  static std::mutex mutex;
  static std::array<std::optional<std::string>, base::kLanguages> said;
  const std::lock_guard lock(mutex);
  std::optional<std::string>& problem = said[static_cast<std::size_t>(base::language())];
  if (!problem) problem = cuda::problem_again();
  return *problem;
}

bool has_looked_for_gpus() { return looked_for; }

std::unique_ptr<Device> make_device(std::string_view id, DeviceContext context) {
  return make_device_from(needed_for(id), id, std::move(context));
}

DeviceInfo describe_device(std::string_view id) { return describe_device_from(needed_for(id), id); }

bool assumes_pytorch(std::string_view id) {
  if (id != kSim && !id.starts_with(kSimPrefix) && !id.starts_with(kCpuPrefix)) return false;
  static std::mutex mutex;
  static std::map<std::string, bool, std::less<>> read;
  const std::lock_guard lock(mutex);
  if (const auto known = read.find(id); known != read.end()) return known->second;
  bool assumes = false;
  try {
    const SimChoice chosen = choose_sim({}, id);
    assumes = sim::assumes_pytorch(chosen.profile, chosen.kind == DeviceKind::Cpu ? "pytorch_cpu" : "pytorch");
  } catch (const base::Error&) {  // of a run on another machine
  }
  return read.emplace(id, assumes).first->second;
}

std::vector<FittedNumber> fitted_numbers(std::string_view id) {
  Choice choice = choose(needed_for(id), split(id).device);
  std::vector<FittedNumber> fitted;
  if (auto* simulated = std::get_if<SimChoice>(&choice)) {
    for (sim::DeviceProfile::Number& number : simulated->profile.numbers) {
      if (!number.from.empty()) fitted.push_back({std::move(number.key), std::move(number.from)});
    }
  }
  return fitted;
}

}  // namespace lanescope::device
