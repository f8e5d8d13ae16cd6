#include "inspect/range_figures.h"

#include <gtest/gtest.h>

#include <thread>

#include "analysis/trace_builder.h"

namespace lanescope::ui {
namespace {

class RangeFiguresTest : public testing::Test {
 protected:
  const std::shared_ptr<trace::Trace> shared = std::make_shared<trace::Trace>();
  trace::Trace& trace = *shared;
  analysis_test::TraceBuilder build{trace};
};

// The figures of a stretch that extends beyond the live edge follow the run; a new stretch replaces the old one.
TEST_F(RangeFiguresTest, FiguresFollowTheRangeAndTheRun) {
  for (int i = 0; i < 10; ++i) build.kernel(i * 100, i * 100 + 50);
  build.publish();
  RangeFigures figures;
  RangeFigures::Clock::time_point now = RangeFigures::Clock::now();
  using Range = std::pair<base::Nanoseconds, base::Nanoseconds>;
  figures.update(shared, Range{0, 10'000}, {}, now);
  ASSERT_TRUE(figures.job.answer.has_value());
  EXPECT_EQ(figures.job.answer->events.all.count, 10);
  build.kernel(5000, 5050);
  build.publish();
  figures.update(shared, Range{0, 10'000}, {}, now + std::chrono::milliseconds(20));
  EXPECT_EQ(figures.job.answer->events.all.count, 10) << "not more often than one can read";
  figures.update(shared, Range{0, 10'000}, {}, now + std::chrono::milliseconds(120));
  EXPECT_EQ(figures.job.answer->events.all.count, 11);
  figures.update(shared, Range{0, 300}, {}, now + std::chrono::milliseconds(121));
  EXPECT_EQ(figures.job.answer->events.all.count, 3);
  EXPECT_TRUE(figures.shows({0, 300}));
  figures.update(shared, std::nullopt, {}, now);
  EXPECT_FALSE(figures.job.answer.has_value());
  EXPECT_FALSE(figures.job.busy());
}

TEST_F(RangeFiguresTest, ManyEventsAreWorkedOutBesideTheDrawing) {
  for (int i = 0; i < 20'000; ++i) build.kernel(i * 100, i * 100 + 50);
  build.publish();
  RangeFigures figures;
  const auto now = RangeFigures::Clock::now();
  const std::pair<base::Nanoseconds, base::Nanoseconds> range{0, 2'000'000};
  figures.update(shared, range, {}, now);
  EXPECT_TRUE(figures.job.busy());
  EXPECT_FALSE(figures.job.answer.has_value());
  while (!figures.job.answer) {
    figures.update(shared, range, {}, now);
    std::this_thread::yield();
  }
  EXPECT_EQ(figures.job.answer->events.all.count, 20'000);
  EXPECT_EQ(figures.job.answer->summary.gpu_op_count, 20'000);
  EXPECT_FALSE(figures.job.busy());
}

}  // namespace
}  // namespace lanescope::ui
