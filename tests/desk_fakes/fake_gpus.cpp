#include "desk_fakes/fake_gpus.h"

namespace {

using namespace lanescope;
using namespace lanescope::device::cuda;

ui_test::FakeGpus& gpus_of_this_library() {
  static ui_test::FakeGpus gpus;
  return gpus;
}

class WindowBackend final : public Backend {
 public:
  WindowBackend() {
    FakeBackend& fake = gpus_of_this_library().backend;
    fake.infos = {fake_gpu_info(0), fake_gpu_info(1)};
    for (int i = 0; i < 2; ++i) {
      fake.gpu(i)->keep_log = false;
      fake.gpu(i)->compute = false;
    }
  }
  std::vector<GpuInfo> gpus() noexcept override { return gpus_of_this_library().backend.gpus(); }
  std::string capture_problem() noexcept override { return {}; }
  std::unique_ptr<Api> open(int gpu) noexcept override { return gpus_of_this_library().backend.open(gpu); }
  std::unique_ptr<Capture> capture(const CaptureRequest& request) noexcept override {
    ui_test::FakeGpus& gpus = gpus_of_this_library();
    gpus.captures_too_many += gpus.backend.recording->alive ? 1 : 0;
    return gpus.backend.capture(request);
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Backend* lanescope_cuda_backend(int abi);
extern "C" __attribute__((visibility("default"))) Backend* lanescope_cuda_backend(int abi) {
  static WindowBackend backend;
  return abi == kBackendAbi ? &backend : nullptr;
}

extern "C" __attribute__((visibility("default"))) lanescope::ui_test::FakeGpus* lanescope_fake_gpus();
extern "C" __attribute__((visibility("default"))) lanescope::ui_test::FakeGpus* lanescope_fake_gpus() {
  return &gpus_of_this_library();
}
