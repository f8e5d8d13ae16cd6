// Tests in a process that has two GPUs, made up (tests/ui_fakes).
#pragma once

#include "ui/desk.h"
#include "ui_fakes/fake_gpus.h"

namespace lanescope::ui_test {

/// The made-up GPUs; found by the program as real ones are.
FakeGpus& fake_gpus();

}  // namespace lanescope::ui_test
