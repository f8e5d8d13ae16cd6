// The CUDA back end of tests: a GPU in host memory, in a separate library. Configured by variables:
//   LANESCOPE_FAKE_GPUS     the compute capabilities of its GPUs: "9.0,6.1"; empty: there are none
//   LANESCOPE_FAKE_CAPTURE  why nothing can be recorded; not set: the capture reports that it is running
//   LANESCOPE_FAKE_FAIL     a call of GPU 0 that fails: "launch:100:700" is the 100th launch, with error 700
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "cuda/fake_api.h"

#ifndef FAKE_NO_FUNCTION
namespace {

using namespace lanescope;
using namespace lanescope::device::cuda;

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

class TaughtBackend final : public Backend {
 public:
  TaughtBackend() {
    fake_.infos.clear();
    std::istringstream list(variable("LANESCOPE_FAKE_GPUS", "9.0"));
    for (std::string each; std::getline(list, each, ',');) {
      int major = 0, minor = 0;
      if (std::sscanf(each.c_str(), "%d.%d", &major, &minor) == 2) {
        fake_.infos.push_back(fake_gpu_info(static_cast<int>(fake_.infos.size()), major, minor));
      }
    }
    fake_.problem = variable("LANESCOPE_FAKE_CAPTURE", "");
    fake_.recording->health.state =
        fake_.problem.empty() ? trace::CaptureState::Running : trace::CaptureState::Unavailable;
    fake_.recording->health.reason = fake_.problem;
    fake_.recording->health.library = "fake CUPTI";
    const std::string failure = variable("LANESCOPE_FAKE_FAIL", "");
    char call[64];
    int nth = 0, status = 0;
    if (std::sscanf(failure.c_str(), "%63[a-z_]:%d:%d", call, &nth, &status) == 3)
      fake_.gpu(0)->fail(call, nth, status);
    fake_.gpu(0)->keep_log = false;
  }

  std::vector<GpuInfo> gpus() noexcept override { return fake_.gpus(); }
  std::string capture_problem() noexcept override { return fake_.capture_problem(); }
  std::unique_ptr<Api> open(int gpu) noexcept override { return fake_.open(gpu); }
  std::unique_ptr<Capture> capture(const CaptureRequest& request) noexcept override { return fake_.capture(request); }

 private:
  FakeBackend fake_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Backend* lanescope_cuda_backend(int abi);
extern "C" __attribute__((visibility("default"))) Backend* lanescope_cuda_backend(int abi) {
#ifdef FAKE_OTHER_ABI
  if (abi == kBackendAbi) return nullptr;
#endif
  static TaughtBackend backend;
  return abi == kBackendAbi ? &backend : nullptr;
}
#endif
