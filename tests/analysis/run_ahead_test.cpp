// The curve of operations issued and not finished, by itself.
#include "analysis/run_ahead.h"

#include <gtest/gtest.h>

namespace lanescope::analysis {
namespace {

constexpr Nanoseconds kMost = std::numeric_limits<std::int64_t>::max();

trace::CallKey key(std::uint32_t correlation) { return trace::CallKey{0, correlation}; }

// Four calls at 0, whose operations end at `end`: at a cut there, the integral is 4 * end.
std::int64_t integral_of_four(Nanoseconds end) {
  RunAhead curve;
  curve.cut(0);
  for (std::uint32_t i = 1; i <= 4; ++i) curve.call(key(i), 0, true, {});
  for (std::uint32_t i = 1; i <= 4; ++i) curve.operation(key(i), 0, end);
  curve.cut(end);
  return curve.provisional(end).back().integral_ns;
}

TEST(RunAheadCurve, IsIntegratedOverTime) { EXPECT_EQ(integral_of_four(1000), 4000); }

// A file may have times that lie decades apart.
TEST(RunAheadCurve, StaysAtTheMostThatItCanBe) { EXPECT_EQ(integral_of_four(kMost / 3), kMost); }

}  // namespace
}  // namespace lanescope::analysis
