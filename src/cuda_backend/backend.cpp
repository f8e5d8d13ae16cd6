// The back end's implementation.
#include "device/cuda/backend.h"

#include <cuda_runtime_api.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/translate.h"
#include "capture/cupti/cupti_capture.h"
#include "capture/cupti/cupti_table.h"
#include "cuda_backend/real_api.h"

namespace lanescope::cuda_backend {
namespace {

namespace cupti = capture::cupti;
using base::tr;
using device::cuda::Backend;
using device::cuda::Capture;
using device::cuda::CaptureRequest;
using device::cuda::GpuInfo;
using trace::CaptureHealth;
using trace::CaptureLevel;
using trace::CaptureState;

/// Searches once per process, because CUPTI stays loaded.
const cupti::CuptiSearch& found_cupti() {
  static const cupti::CuptiSearch search = cupti::find_cupti();
  return search;
}

std::string why_not_found(const cupti::CuptiSearch& search) {
  return search.problem.empty() ? std::string(tr("CUPTI was not found")) : search.problem;
}

/// A capture that captures nothing and gives the reason.
class NoCapture final : public Capture {
 public:
  NoCapture(CaptureState state, std::string reason) noexcept {
    health_.state = state;
    health_.reason = std::move(reason);
  }
  CaptureHealth health() const noexcept override {
    try {
      return health_;
    } catch (const std::exception&) {  // out of memory
      CaptureHealth bare;
      bare.state = health_.state;
      return bare;
    }
  }
  std::vector<trace::OpenCall> open_calls() const noexcept override { return {}; }
  void set_main_thread(std::uint32_t) noexcept override {}
  void flush() noexcept override {}

 private:
  CaptureHealth health_;
};

class RunningCapture final : public Capture {
 public:
  RunningCapture(const cupti::CuptiTable& table, const CaptureRequest& request)
      : capture_(table, *request.sink, options_for(request)) {}

  CaptureHealth health() const noexcept override {
    try {
      return capture_.health();
    } catch (const std::exception&) {
      CaptureHealth unknown;
      unknown.state = CaptureState::Degraded;
      return unknown;
    }
  }
  std::vector<trace::OpenCall> open_calls() const noexcept override {
    try {
      return capture_.open_calls();
    } catch (const std::exception&) {
      return {};
    }
  }
  void set_main_thread(std::uint32_t thread) noexcept override { capture_.set_main_thread(thread); }
  void flush() noexcept override {
    try {
      capture_.flush();
    } catch (const std::exception&) {  // health() says what is missing
    }
  }

 private:
  static cupti::CaptureOptions options_for(const CaptureRequest& request) {
    cupti::CaptureOptions options;
    options.level = request.level;
    options.origin_ns = request.origin_ns;
    return options;
  }
  cupti::CuptiCapture capture_;
};

/// The number of GPUs; 0 if there is no driver. Clears the error.
int count_gpus() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

class CudaBackend final : public Backend {
 public:
  std::vector<GpuInfo> gpus() noexcept override try {
    std::vector<GpuInfo> found;
    int driver = 0, runtime = 0;
    const int count = count_gpus();
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    for (int i = 0; i < count; ++i) {
      cudaDeviceProp properties;
      if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) {
        cudaGetLastError();
        continue;
      }
      found.push_back({i, properties.name, properties.major, properties.minor, properties.multiProcessorCount,
                       properties.totalGlobalMem, driver, runtime});
    }
    return found;
  } catch (const std::exception&) {
    return {};
  }

  std::string capture_problem() noexcept override try {
    const cupti::CuptiSearch& search = found_cupti();
    return search.table.complete() ? cupti::subscription_problem(search.table) : why_not_found(search);
  } catch (const std::exception& error) {
    return text_of(error);
  }

  std::unique_ptr<device::cuda::Api> open(int gpu) noexcept override try {
    if (gpu < 0 || gpu >= count_gpus()) return nullptr;
    return std::make_unique<RealApi>(gpu);
  } catch (const std::exception&) {
    return nullptr;
  }

  std::unique_ptr<Capture> capture(const CaptureRequest& request) noexcept override {
    try {
      if (request.level == CaptureLevel::None) return no_capture(CaptureState::Off, {});
      if (!request.sink) return no_capture(CaptureState::Unavailable, tr("the capture has nowhere to write to"));
      const cupti::CuptiSearch& search = found_cupti();
      if (!search.table.complete()) return no_capture(CaptureState::Unavailable, why_not_found(search));
      return std::make_unique<RunningCapture>(search.table, request);
    } catch (const std::exception& error) {
      return no_capture(CaptureState::Unavailable, text_of(error));
    }
  }

 private:
  static std::unique_ptr<Capture> no_capture(CaptureState state, std::string reason) {
    return std::make_unique<NoCapture>(state, std::move(reason));
  }
  static std::string text_of(const std::exception& error) noexcept try { return error.what(); } catch (...) {
    return {};
  }
};

}  // namespace
}  // namespace lanescope::cuda_backend

extern "C" __attribute__((visibility("default"))) lanescope::device::cuda::Backend* lanescope_cuda_backend(int abi) {
  static lanescope::cuda_backend::CudaBackend backend;
  return abi == lanescope::device::cuda::kBackendAbi ? &backend : nullptr;
}
