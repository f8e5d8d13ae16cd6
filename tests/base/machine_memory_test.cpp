#include "base/platform/system.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace lanescope::base {
namespace {

TEST(MachineMemory, IsNotMoreThanTheMachineHasAndNotNothing) {
  const auto physical =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  EXPECT_LE(machine_memory_bytes(), physical);
  EXPECT_GT(machine_memory_bytes(), 100'000'000u);
}

}  // namespace
}  // namespace lanescope::base
