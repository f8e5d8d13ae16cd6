#include "base/random.h"

#include <gtest/gtest.h>

namespace lanescope::base {
namespace {

// The published first numbers of SplitMix64 with seed 0.
TEST(Random, IsSplitMix64) {
  Random random(0);
  EXPECT_EQ(random.next(), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(random.next(), 0x6E789E6AA1B965F4u);
  EXPECT_EQ(random.next(), 0x06C45D188009454Fu);
}

TEST(Random, UniformStaysWithinItsBound) {
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const float value = random.uniform(0.5f);
    ASSERT_GE(value, -0.5f);
    ASSERT_LT(value, 0.5f);
  }
}

}  // namespace
}  // namespace lanescope::base
