// The back end as the program sees it.
#include "device/cuda/backend.h"

#include <cuda_runtime_api.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/translate.h"
#include "capture/cupti/cupti_table.h"
#include "capture/cupti/session.h"
#include "cuda_backend/real_api.h"

namespace lanescope::cuda_backend {
namespace {

namespace cupti = capture::cupti;
using base::tr;
using device::CaptureLevel;
using device::cuda::Backend;
using device::cuda::Capture;
using device::cuda::CaptureRequest;
using device::cuda::GpuInfo;
using trace::CaptureHealth;
using trace::CaptureState;

constexpr bool same(CaptureLevel a, cupti::Level b) { return static_cast<int>(a) == static_cast<int>(b); }
static_assert(same(CaptureLevel::None, cupti::Level::None) && same(CaptureLevel::Subscribed, cupti::Level::Subscribed));
static_assert(same(CaptureLevel::Kernels, cupti::Level::Kernels));
static_assert(same(CaptureLevel::Operations, cupti::Level::Operations));
static_assert(same(CaptureLevel::Calls, cupti::Level::Calls) && same(CaptureLevel::All, cupti::Level::All));

/// Looks once per process: CUPTI stays loaded.
const cupti::CuptiSearch& the_cupti() {
  static const cupti::CuptiSearch search = cupti::find_cupti();
  return search;
}

std::string why_not_found(const cupti::CuptiSearch& search) {
  return search.problem.empty() ? std::string(tr("CUPTI was not found")) : search.problem;
}

/// A capture that captures nothing, and says why.
class NoCapture final : public Capture {
 public:
  NoCapture(CaptureState state, std::string reason) noexcept {
    health_.state = state;
    health_.reason = std::move(reason);
  }
  CaptureHealth health() const noexcept override {
    try {
      return health_;
    } catch (const std::exception&) {  // no memory for the reason
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

class CuptiCapture final : public Capture {
 public:
  CuptiCapture(const cupti::CuptiTable& table, const CaptureRequest& request)
      : session_(table, *request.sink, options_for(request)) {}

  CaptureHealth health() const noexcept override {
    try {
      return session_.health();
    } catch (const std::exception&) {
      CaptureHealth unknown;
      unknown.state = CaptureState::Degraded;
      return unknown;
    }
  }
  std::vector<trace::OpenCall> open_calls() const noexcept override {
    try {
      return session_.open_calls();
    } catch (const std::exception&) {
      return {};
    }
  }
  void set_main_thread(std::uint32_t thread) noexcept override { session_.set_main_thread(thread); }
  void flush() noexcept override {
    try {
      session_.flush();
    } catch (const std::exception&) {  // health() tells what is missing
    }
  }

 private:
  static cupti::SessionOptions options_for(const CaptureRequest& request) {
    cupti::SessionOptions options;
    options.level = static_cast<cupti::Level>(request.level);
    options.origin_ns = request.origin_ns;
    return options;
  }
  cupti::Session session_;
};

/// The number of GPUs; 0 if there is no driver. Leaves no error behind.
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
    const cupti::CuptiSearch& search = the_cupti();
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
      const cupti::CuptiSearch& search = the_cupti();
      if (!search.table.complete()) return no_capture(CaptureState::Unavailable, why_not_found(search));
      return std::make_unique<CuptiCapture>(search.table, request);
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
