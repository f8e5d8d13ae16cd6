#include "analysis/call_names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lanescope::analysis {
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
  return CallRole::Other;
}

}  // namespace

void CallNames::learn(base::NameId up_to) {
  for (auto id = static_cast<base::NameId>(roles_.size()); id <= up_to; ++id)
    roles_.push_back(role_of(names_.text(id)));
}

}  // namespace lanescope::analysis
