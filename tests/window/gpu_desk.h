// Tests in a process that has two GPUs, made up (tests/window_fakes).
#pragma once

#include "window/desk.h"
#include "window_fakes/fake_gpus.h"

namespace lanescope::ui_test {

/// The made-up GPUs; found by the program as real ones are.
FakeGpus& fake_gpus();

}  // namespace lanescope::ui_test
