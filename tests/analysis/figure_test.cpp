#include "analysis/figure.h"

#include <gtest/gtest.h>

#include <array>

namespace lanescope::analysis {
namespace {

// Without a GPU, a row of zeros about it says nothing; with one, that there were no copies does.
TEST(IsShown, ARowThatIsZeroAndCannotBeOtherwiseIsNot) {
  Summary cpu, gpu;
  cpu.verdict.kind = VerdictKind::CpuOnly;
  gpu.verdict.kind = VerdictKind::SyncBound;
  const Figure& busy = figure("gpu_busy_ns");
  ASSERT_EQ(busy.shown, FigureShown::Always);
  EXPECT_FALSE(is_shown(busy, std::array<const Summary*, 1>{&cpu}));
  EXPECT_TRUE(is_shown(busy, std::array<const Summary*, 1>{&gpu}));
  EXPECT_TRUE(is_shown(busy, std::array<const Summary*, 2>{&cpu, &gpu})) << "beside one that has a GPU";
  cpu.gpu_busy_ns = 5;
  EXPECT_TRUE(is_shown(busy, std::array<const Summary*, 1>{&cpu})) << "nothing that was measured is hidden";
}

}  // namespace
}  // namespace lanescope::analysis
