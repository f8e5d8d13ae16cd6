#include "desk/gpu_desk.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace lanescope::ui_test {
namespace {

// Before anything asks for a device: the program looks once. A driver that is loaded is found by its name.
[[gnu::constructor]] void bring_fakes() {
  setenv("LANESCOPE_CUDA", LANESCOPE_FAKE_GPUS, 1);
  dlopen(LANESCOPE_FAKE_DRIVER, RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

FakeGpus& fake_gpus() {
  void* library = dlopen(LANESCOPE_FAKE_GPUS, RTLD_NOW);
  void* function = library ? dlsym(library, "lanescope_fake_gpus") : nullptr;
  if (!function) throw std::runtime_error("the library of the made-up GPUs cannot be loaded");
  return *reinterpret_cast<FakeGpusFunction>(function)();
}

}  // namespace lanescope::ui_test
