#include "analysis/lane_facts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/collectives.h"

namespace lanescope::analysis {

void LaneFacts::look() {
  known_ = trace_.lane_count();
  owners_.refresh();
  lanes_.clear();
  for (std::size_t l = 0; l < known_; ++l) {
    const auto lane = static_cast<trace::LaneId>(l);
    const trace::LaneInfo& info = trace_.lane(lane).info();
    const auto next = static_cast<std::uint32_t>(threads_.size());
    const auto thread = threads_.try_emplace({trace::Process{info.host, info.pid}, info.tid}, next).first;
    const trace::GpuNumber gpu = owners_.gpu_of(lane);
    lanes_.push_back({std::int64_t{gpu} << 32 | static_cast<std::uint32_t>(info.stream), thread->second,
                      owners_.process_of(lane), gpu});
  }
}

// --- call names ------------------------------------------------------------------------------------------------------

namespace {

template <std::size_t N>
bool begins_with_any(std::string_view text, const std::array<std::string_view, N>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return text.starts_with(p); });
}

CallRole role_of(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kLaunches{
      "cudaLaunchKernel", "cuLaunchKernel",      "cudaGraphLaunch",       "cuGraphLaunch",
      "hipLaunchKernel",  "hipExtLaunchKernel",  "hipModuleLaunchKernel", "hipExtModuleLaunchKernel",
      "hipGraphLaunch",   "hipLaunchCooperative"};
  static constexpr std::array<std::string_view, 3> kCopies{"cudaMemcpy", "cuMemcpy", "hipMemcpy"};
  static constexpr std::array<std::string_view, 10> kPinning{
      "cudaHostAlloc",     "cudaMallocHost", "cudaHostRegister", "cuMemHostAlloc", "cuMemAllocHost",
      "cuMemHostRegister", "hipHostMalloc",  "hipHostAlloc",     "hipMallocHost",  "hipHostRegister"};
  static constexpr std::array<std::string_view, 9> kAllocation{"cudaMalloc", "cudaFree",    "cudaHostUnregister",
                                                               "cuMemAlloc", "cuMemFree",   "hipMalloc",
                                                               "hipFree",    "hipHostFree", "hipHostUnregister"};
  if (begins_with_any(name, kLaunches)) return CallRole::KernelLaunch;
  if (begins_with_any(name, kCopies)) return CallRole::MemoryCopy;
  if (begins_with_any(name, kPinning)) return CallRole::Pinning;
  // cudaMallocAsync and cudaFreeAsync only enqueue the request on a stream.
  if (begins_with_any(name, kAllocation) && name.find("Async") == std::string_view::npos) return CallRole::Allocation;
  return collective_operation(name).empty() ? CallRole::Other : CallRole::Collective;
}

}  // namespace

void CallNames::learn(base::NameId up_to) {
  for (auto id = static_cast<base::NameId>(roles_.size()); id <= up_to; ++id)
    roles_.push_back(role_of(names_.text(id)));
}

}  // namespace lanescope::analysis
