// Tests in a process that has two GPUs, made up (tests/desk_fakes).
#pragma once

#include "desk/desk.h"
#include "desk_fakes/fake_gpus.h"

namespace lanescope::ui_test {

/// The made-up GPUs; found by the program as real ones are.
FakeGpus& fake_gpus();

}  // namespace lanescope::ui_test
