#include "device/cuda/find_backend.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/crash_reports.h"
#include "base/platform/page.h"
#include "base/platform/paths.h"
#include "base/platform/system.h"
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

// --- loader ----------------------------------------------------------------------------------------------------------

namespace {

using base::tr;
namespace fs = std::filesystem;

constexpr const char* kVariable = "LANESCOPE_CUDA";
constexpr const char* kDriver = "libcuda.so.1";
constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE

struct Opened {
  Backend* backend = nullptr;
  std::string problem;
};

// Libraries stay open until the process ends, because CUDA and CUPTI run threads in them.
Opened open_backend(const std::string& file) {
  if (base::kInPage) return {nullptr, tr("a page in a browser cannot use CUDA")};
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {nullptr, tr("this build has no CUDA back end: {} does not exist", file)};
  std::string why;
  void* library = base::open_library(file, why);
  if (library == nullptr) return {nullptr, tr("the CUDA back end {} cannot be opened: {}", file, why)};
  const auto function = base::find_function<BackendFunction>(library, kBackendSymbol);
  if (function == nullptr)
    return {nullptr, tr("{} is not a CUDA back end: it has no function {}", file, kBackendSymbol)};
  Backend* backend = function(kBackendAbi);
  if (backend == nullptr) return {nullptr, tr("the CUDA back end {} belongs to another version of this program", file)};
  return {backend, {}};
}

/// Calls the driver library directly: only the driver can distinguish its own absence from that of a GPU.
class Driver {
 public:
  Driver() : library_(base::open_library(kDriver, open_error_)) {}
  std::string problem() const;

 private:
  std::string describe(int code) const;

  std::string open_error_;
  void* library_;
};

std::string Driver::describe(int code) const {
  using Text = int (*)(int, const char**);
  const auto text_of = [&](const char* function) -> std::string {
    const auto call = base::find_function<Text>(library_, function);
    const char* found = nullptr;
    return call != nullptr && call(code, &found) == 0 && found != nullptr ? found : "";
  };
  const std::string name = text_of("cuGetErrorName"), meaning = text_of("cuGetErrorString");
  if (name.empty()) return tr("error {}", code);
  return meaning.empty() ? fmt::format("{} ({})", name, code) : fmt::format("{} ({}): {}", name, code, meaning);
}

std::string no_gpu() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr) return tr("the driver finds no GPU (CUDA_VISIBLE_DEVICES is '{}')", visible);
  return tr("the driver finds no GPU");
}

std::string Driver::problem() const {
  if (library_ == nullptr) return tr("no NVIDIA driver here: {}: {}", kDriver, open_error_);
  using Init = int (*)(unsigned);
  using Number = int (*)(int*);
  const auto init = base::find_function<Init>(library_, "cuInit");
  const auto count_devices = base::find_function<Number>(library_, "cuDeviceGetCount");
  const auto get_version = base::find_function<Number>(library_, "cuDriverGetVersion");
  if (init == nullptr || count_devices == nullptr || get_version == nullptr) {
    return tr("{} is not a CUDA driver: it lacks functions", kDriver);
  }
  if (const int code = init(0); code == kNoDevice) {
    return no_gpu();
  } else if (code != 0) {
    return tr("the driver cannot be started: {}", describe(code));
  }
  int devices = 0;
  if (const int code = count_devices(&devices); code != 0 && code != kNoDevice) {
    return tr("the driver cannot list the GPUs: {}", describe(code));
  }
  if (devices == 0) return no_gpu();
  int version = 0;
  if (const int code = get_version(&version); code != 0) {
    return tr("the driver does not report its version: {}", describe(code));
  }
  if (version < kNeededCudaVersion) {
    return tr("the driver supports CUDA {}; this build needs {} or newer", version_text(version),
              version_text(kNeededCudaVersion));
  }
  return {};
}

/// Why none of the back end's GPUs can be used; empty if one can.
std::string gpus_problem(Backend& backend) {
  const std::vector<GpuInfo> gpus = backend.gpus();
  std::string problem = gpus.empty() ? no_gpu() : std::string();
  for (const GpuInfo& gpu : gpus) {
    const std::string of_this = gpu_problem(gpu);
    if (of_this.empty()) return {};
    if (problem.empty()) problem = of_this;
  }
  return problem;
}

// A crash on a GPU is often its driver's.
void note_for_crash_reports(Backend& backend) {
  std::string text;
  for (const GpuInfo& gpu : backend.gpus()) {
    text +=
        fmt::format("{}{}, driver for CUDA {}", text.empty() ? "" : "; ", gpu.name, version_text(gpu.driver_version));
  }
  base::note_crash_fact(base::CrashFact::Gpu, text);
}

LoadResult look(const std::string& directory) {
  const char* chosen = std::getenv(kVariable);
  if (chosen != nullptr && std::string_view(chosen) == "off") {
    return {nullptr, tr("the CUDA back end is switched off ({}=off)", kVariable)};
  }
  const bool named = chosen != nullptr && *chosen != '\0';
  const std::string file = named ? std::string(chosen) : (fs::path(directory) / kBackendFile).string();
  // dlopen would search its own path for a name without a '/'.
  const Opened opened = open_backend(file.find('/') == std::string::npos ? "./" + file : file);
  if (opened.backend == nullptr) return {nullptr, opened.problem};
  static const Driver driver;
  if (std::string problem = driver.problem(); !problem.empty()) return {nullptr, std::move(problem)};
  if (std::string problem = gpus_problem(*opened.backend); !problem.empty()) return {nullptr, std::move(problem)};
  note_for_crash_reports(*opened.backend);
  return {opened.backend, opened.backend->capture_problem()};
}

std::string own_directory() {
  const std::string folder = base::own_library(kBackendFile).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

LoadResult look_for_backend(const std::string& directory) {
  try {
    return look(directory);
  } catch (const std::exception& error) {
    return {nullptr, error.what()};
  }
}

std::string problem_again() { return look_for_backend(own_directory()).problem; }

const LoadResult& load() {
  static const LoadResult result = look_for_backend(own_directory());
  return result;
}

}  // namespace lanescope::device::cuda
