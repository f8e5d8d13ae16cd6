// The bands of a job of three GPUs at known pixels.
#include "timeline/job_bands.h"

#include <gmock/gmock.h>

#include <limits>

#include "analysis/gpu_job.h"
#include "timeline/drawn.h"

namespace lanescope::ui {
namespace {

using analysis_test::GpuJob;
using analysis_test::kAllReduce;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// 1,000 pixels for 1,000 µs, from x = 100. Each GPU computes, then they reduce: GPU 1 comes at 400 µs, GPU 2 at 300 and
// GPU 0 at 200; all end at 500.
class Bands : public testing::Test {
 protected:
  Bands() {
    for (int gpu = 0; gpu < 3; ++gpu) {
      const Nanoseconds late = gpu == 1 ? 400 : gpu == 2 ? 300 : 200;
      job_.kernel(gpu, "gemm", 0, late);
      job_.kernel(gpu, kAllReduce, late, 500);
    }
    job_.copy(0, 600, 700);
    job_.trace.publish();
    found_ = analysis::collectives(job_.trace, 0, std::numeric_limits<Nanoseconds>::max());
    for (int gpu = 0; gpu < 3; ++gpu) {
      bands_.push_back({static_cast<trace::GpuNumber>(gpu), "rank " + std::to_string(gpu), "last in 0 %"});
    }
  }
  JobFrame frame() const { return {job_.trace, nullptr, owners_, found_, theme_, kAllKnown, 1, bands_, selected_}; }
  void prepare() { drawn_.prepare(frame(), axis_, {0, 10, 1100, 400}); }

  GpuJob job_{3};
  trace::Owners owners_{job_.trace};
  analysis::Collectives found_;
  std::vector<JobBand> bands_;
  std::optional<std::size_t> selected_;
  const Theme& theme_ = theme(ThemeName::Dark);
  TimeAxis axis_{0, 1000, 100, 1000};
  JobBands drawn_;
};

// The strip is 12 high, from 10; bands begin at 27, 83 and 139, and their second part 20 below that, 13 high.
TEST_F(Bands, ACollectiveIsHatchedUntilTheLastHasArrivedAndSolidFromThenOn) {
  prepare();
  ASSERT_THAT(drawn_.places(), SizeIs(3));
  EXPECT_FLOAT_EQ(drawn_.places()[1].y, 83);
  const auto hatched = spans_of(drawn_.rows(), SpanStyle::Hatched);
  ASSERT_THAT(hatched, SizeIs(2)) << "GPU 1 does not wait";
  EXPECT_FLOAT_EQ(hatched[0].x0, 300);
  EXPECT_FLOAT_EQ(hatched[0].x1, 500);
  EXPECT_FLOAT_EQ(hatched[0].y0, 47);
  EXPECT_FLOAT_EQ(hatched[0].y1, 60);
  EXPECT_FLOAT_EQ(hatched[1].x0, 400);
  EXPECT_FLOAT_EQ(hatched[1].x1, 500);
  std::size_t transfers = 0;
  for (const Span& span : spans_filled(drawn_.rows(), theme_[Colour::CopyOther])) {
    if (span.x0 == 500 && span.x1 == 600) ++transfers;
  }
  EXPECT_EQ(transfers, 3u);
}

TEST_F(Bands, KernelsAreAboveAndCopiesBelow) {
  prepare();
  const auto kernels = spans_filled(drawn_.rows(), theme_[Colour::Kernel]);
  ASSERT_THAT(kernels, SizeIs(3));
  EXPECT_FLOAT_EQ(kernels[2].y0, 139);
  EXPECT_FLOAT_EQ(kernels[2].x1, 399) << "neighbours do not touch";
  const auto copies = spans_filled(drawn_.rows(), theme_[Colour::CopyH2D]);
  ASSERT_THAT(copies, SizeIs(1));
  EXPECT_FLOAT_EQ(copies[0].y0, 27 + 34);
  EXPECT_FLOAT_EQ(copies[0].x0, 700);
}

TEST_F(Bands, TheStripHasTheColourOfTheOneThatArrivedLast) {
  prepare();
  const auto strip = spans_filled(drawn_.rows(), gpu_colour(theme_, 1));
  ASSERT_THAT(strip, SizeIs(1));
  EXPECT_FLOAT_EQ(strip[0].x0, 300);
  EXPECT_FLOAT_EQ(strip[0].x1, 600);
  EXPECT_FLOAT_EQ(strip[0].y0, 10);
  const auto chips = spans_filled(drawn_.names(), gpu_colour(theme_, 1));
  ASSERT_THAT(chips, SizeIs(1));
  EXPECT_GE(chips[0].y0, 83);
}

TEST_F(Bands, RibbonsJoinThePartsOfNeighbours) {
  prepare();
  ASSERT_THAT(drawn_.ribbons(), SizeIs(2));
  const JobRibbon& first = drawn_.ribbons()[0];
  EXPECT_FLOAT_EQ(first.top, 60);
  EXPECT_FLOAT_EQ(first.bottom, 103);
  EXPECT_FLOAT_EQ(first.top_left, 300);
  EXPECT_FLOAT_EQ(first.bottom_left, 500);
  EXPECT_FLOAT_EQ(first.top_right, 600);
  EXPECT_FLOAT_EQ(drawn_.ribbons()[1].bottom_left, 400);
  bands_.erase(bands_.begin() + 1);
  prepare();
  ASSERT_THAT(drawn_.ribbons(), SizeIs(1)) << "those that are shown";
  EXPECT_FLOAT_EQ(drawn_.ribbons()[0].bottom_left, 400);
}

TEST_F(Bands, TheMouseFindsACollectiveInTheStripAndOnItsParts) {
  prepare();
  const auto at = [&](float x, float y) { return drawn_.collective_at(frame(), axis_, x, y); };
  EXPECT_EQ(at(310, 15), 0u);
  EXPECT_EQ(at(310, 50), 0u) << "waiting, on GPU 0";
  EXPECT_EQ(at(310, 110), std::nullopt) << "GPU 1 still computes";
  EXPECT_EQ(at(550, 110), 0u);
  EXPECT_EQ(at(310, 30), std::nullopt) << "a kernel";
  EXPECT_EQ(drawn_.band_at(90), 1u);
  EXPECT_EQ(drawn_.band_at(78), std::nullopt) << "between two";
}

// Very many collectives cost what the screen has; each column has the colour of the most frequent last one.
TEST(ManyCollectives, CostNoMoreThanTheScreenHas) {
  GpuJob job(2);
  analysis::Collectives many;
  for (Nanoseconds i = 0; i < 200'000; ++i) {
    analysis::Collective one;
    one.operation = "AllReduce";
    const Nanoseconds t = i * 1000;
    const bool second = i % 4 != 0;  // GPU 1 is last in three of four
    one.parts = {{0, {job.lane(0, 1), 0, 0}, t + (second ? 0 : 100), t + 500},
                 {1, {job.lane(1, 1), 0, 0}, t + (second ? 100 : 0), t + 500}};
    one.last = second ? 1 : 0;
    one.last_start_ns = t + 100;
    many.all.push_back(std::move(one));
  }
  job.trace.publish();
  const trace::Owners owners(job.trace);
  const std::vector<JobBand> bands{{0, "rank 0", ""}, {1, "rank 1", ""}};
  const Theme& dark = theme(ThemeName::Dark);
  JobBands drawn;
  drawn.prepare({job.trace, nullptr, owners, many, dark, kAllKnown, 1, bands, std::nullopt},
                TimeAxis(0, 2e5, 100, 1000), {0, 0, 1100, 200});
  EXPECT_LT(drawn.rows().spans.size(), 1000u);
  EXPECT_THAT(drawn.ribbons(), IsEmpty());
  EXPECT_GT(spans_filled(drawn.rows(), gpu_colour(dark, 1)).size(), 250u);
  EXPECT_LT(spans_filled(drawn.rows(), gpu_colour(dark, 0)).size(), 20u);
}

}  // namespace
}  // namespace lanescope::ui
