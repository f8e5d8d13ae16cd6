#include "inspect/outlier.h"

#include <gtest/gtest.h>

#include "analysis/builders.h"

namespace lanescope::ui {
namespace {

class OutlierTest : public analysis_test::TraceTest {
 protected:
  // Ten iterations of 100, each with a kernel of 60. The first one sets up and takes 900; the eighth allocates for 150
  // of its 250.
  void loop(bool allocates) {
    base::Nanoseconds at = 0;
    for (int i = 0; i < 10; ++i) {
      const base::Nanoseconds length = i == 0 ? 900 : i == 7 ? 250 : 100;
      t.iteration(at, at + length);
      t.events.back().a = static_cast<std::uint32_t>(i);
      t.call("cudaLaunchKernel", at + 10, at + 15);
      t.kernel(at + 20, at + 80);
      if (i == 7 && allocates) t.call("cudaHostAlloc", at + 85, at + 235);
      at += length;
    }
    t.publish();
  }
};

TEST_F(OutlierTest, IsTheLongestAndSaysWhatItDidLonger) {
  loop(true);
  const auto worst = worst_iteration(trace, 0, 10'000);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->number, 8);
  EXPECT_EQ(worst->of, 9) << "without the first one";
  EXPECT_EQ(worst->start_ns, 900 + 6 * 100);
  EXPECT_EQ(worst->excess_ns, 150);
  EXPECT_EQ(worst->cause, "cudaHostAlloc");
  ASSERT_TRUE(worst->event);
  EXPECT_EQ(worst->event->event.start_ns, worst->start_ns + 85);
  EXPECT_EQ(outlier_text(*worst), "worst of 9 iterations: 8, +150 ns, because of cudaHostAlloc");
}

TEST_F(OutlierTest, WithoutACauseIsForAnUnknownReason) {
  loop(false);
  const auto worst = worst_iteration(trace, 0, 10'000);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->cause, "");
  EXPECT_FALSE(worst->event);
  EXPECT_EQ(outlier_text(*worst), "worst of 9 iterations: 8, +150 ns, for an unknown reason");
}

// Since the last knob: of the iterations 3 to 6, the first is left out.
TEST_F(OutlierTest, LooksOnlyWhereItIsAsked) {
  loop(true);
  const auto worst = worst_iteration(trace, 1100, 1500);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->of, 3);
  EXPECT_EQ(worst->excess_ns, 0);
  EXPECT_FALSE(worst_iteration(trace, 1100, 1300)) << "too few to compare";
}

}  // namespace
}  // namespace lanescope::ui
