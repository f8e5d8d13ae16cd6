// Two GPUs in host memory behind a loadable back end, for tests of the window: what they report and how they fail is
// set by the test, which reaches into the library.
#pragma once

#include "cuda/fake_api.h"

namespace lanescope::ui_test {

struct FakeGpus {
  device::cuda::FakeBackend backend;
  int captures_too_many = 0;  ///< times a second capture was wanted while one ran
};

/// The library's own; the symbol is "lanescope_fake_gpus".
using FakeGpusFunction = FakeGpus* (*)();

}  // namespace lanescope::ui_test
