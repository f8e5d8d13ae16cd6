#include "device/cuda/gpu_id.h"

#include <fmt/format.h>

#include <charconv>

#include "base/translate.h"

namespace lanescope::device::cuda {
namespace {

constexpr std::string_view kGpuCuda = "cuda";

}  // namespace

std::string gpu_id(int index) { return fmt::format("{}:{}", kGpuCuda, index); }

std::optional<int> parse_gpu_id(std::string_view id) {
  if (id == kGpuCuda) return 0;
  int index = 0;
  constexpr std::size_t kDigits = kGpuCuda.size() + 1;
  if (id.size() <= kDigits) return std::nullopt;
  const auto [end, error] = std::from_chars(id.data() + kDigits, id.data() + id.size(), index);
  if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
  // Only the canonical spelling counts: "cuda:07" and "cuda:-1" name nothing.
  return index >= 0 && id == gpu_id(index) ? std::optional(index) : std::nullopt;
}

std::string version_text(int cuda_version) {
  return fmt::format("{}.{}", cuda_version / 1000, cuda_version % 1000 / 10);
}

std::string gpu_problem(const GpuInfo& gpu) {
  if (gpu.compute_major > kNeededComputeMajor ||
      (gpu.compute_major == kNeededComputeMajor && gpu.compute_minor >= kNeededComputeMinor)) {
    return {};
  }
  return base::tr("{} has compute capability {}.{}; {}.{} or newer is needed", gpu.name, gpu.compute_major,
                  gpu.compute_minor, kNeededComputeMajor, kNeededComputeMinor);
}

}  // namespace lanescope::device::cuda
