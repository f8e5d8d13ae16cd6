#include "timeline/minimap_bins.h"

#include "timeline/drawn.h"

namespace lanescope::ui {
namespace {

std::int64_t events_in(const MinimapBins& bins) {
  std::int64_t count = 0;
  for (const MinimapBin& bin : bins.bins()) count += bin.events;
  return count;
}

// Bins of 1,024 ns. A kernel from 512 to 2,560 fills half of the first, all of the second, half of the third. A sync
// from 1,024 to 2,048 waits in all but its first 256 ns: three quarters of the second bin.
TEST(MinimapBins, OfATraceWithoutIterations) {
  trace::Trace trace;
  TraceBuilder build(trace);
  build.kernel(512, 2'560);
  build.sync(1'024, 2'048, 256, 100);
  build.publish();
  MinimapBins bins;
  bins.update(trace, {}, 0, 4'096, false);
  ASSERT_TRUE(bins.complete());
  EXPECT_EQ(bins.bin_ns(), 1'024);
  ASSERT_EQ(bins.bins().size(), 4u);
  EXPECT_EQ(bins.bins()[0], (MinimapBin{1, 0.5f, 0}));
  EXPECT_EQ(bins.bins()[1], (MinimapBin{1, 1, 0.75f}));
  EXPECT_EQ(bins.bins()[2], (MinimapBin{0, 0.5f, 0}));
  EXPECT_EQ(bins.bins()[3], (MinimapBin{0, 0, 0}));
  EXPECT_EQ(bins.most_events(), 1);
}

// The totals of the records say how busy a bin of several iterations is: 40 ns of each 100 until 1,000, then 90. The
// bin from 0 to 1,024 has 400 + 24 * 0.9 = 421.6 ns of 1,024: 0.41172.
TEST(MinimapBins, OfIterationsTheirRecords) {
  trace::Trace trace;
  TraceBuilder build(trace);
  build.kernel(0, 10);
  build.publish();
  std::vector<analysis::IterationRecord> records(31);
  for (std::size_t i = 1; i < records.size(); ++i) {
    records[i].end_ns = static_cast<Nanoseconds>(i) * 100;
    records[i].busy_ns = records[i - 1].busy_ns + (i <= 10 ? 40 : 90);
  }
  MinimapBins bins;
  bins.update(trace, records, 0, 3'000, false);
  EXPECT_NEAR(bins.bins()[0].busy, 0.41172, 1e-4);
  EXPECT_NEAR(bins.bins()[1].busy, 0.9, 1e-4);
}

// Equal iterations look equal from the first to the last, also where a bin is shorter than one: kernels of 2,048 ns at
// the start of each 4,096 ns fill two bins of 1,024 and leave two empty. The records begin with the first iteration's
// end and stop before the last iteration's.
TEST(MinimapBins, EqualIterationsLookEqual) {
  trace::Trace trace;
  TraceBuilder build(trace);
  std::vector<analysis::IterationRecord> records;
  for (int i = 0; i < 10; ++i) {
    build.kernel(i * 4'096, i * 4'096 + 2'048);
    if (i == 9) continue;
    analysis::IterationRecord& record = records.emplace_back();
    record.end_ns = (i + 1) * 4'096;
    record.busy_ns = (i + 1) * 2'048;
  }
  build.publish();
  MinimapBins bins;
  bins.update(trace, records, 0, 40'960, false);
  ASSERT_EQ(bins.bins().size(), 40u);
  for (std::size_t b = 0; b < 40; ++b) EXPECT_EQ(bins.bins()[b].busy, b % 4 < 2 ? 1 : 0) << b;
}

// A growing run: finished bins do not change until there are too many, which are then merged in pairs; no event is lost
// or counted twice.
TEST(MinimapBins, GrowWithTheRun) {
  trace::Trace trace;
  TraceBuilder build(trace);
  MinimapBins bins;
  int count = 0;
  for (Nanoseconds edge = 50'000; edge <= 5'000'000; edge += 50'000) {
    for (; count * 700 < edge; ++count) build.kernel(count * 700, count * 700 + 350);
    build.publish_until(edge);
    const std::vector<MinimapBin> before = bins.bins();
    const Nanoseconds length = bins.bin_ns();
    bins.update(trace, {}, 0, edge, true);
    ASSERT_TRUE(bins.complete());
    ASSERT_EQ(events_in(bins), count);
    ASSERT_LE(bins.bins().size(), MinimapBins::kMost);
    if (bins.bin_ns() != length || before.empty()) continue;
    for (std::size_t i = 0; i + 1 < before.size(); ++i) ASSERT_EQ(bins.bins()[i], before[i]) << edge << " " << i;
  }
  EXPECT_EQ(bins.bin_ns(), 8'192);  // 5,000,000 / 1,024 is between 4,096 and 8,192
  for (std::size_t i = 1; i + 1 < bins.bins().size(); ++i) EXPECT_NEAR(bins.bins()[i].busy, 0.5, 0.05);
}

// A frame does no more than its budget; the next ones continue.
TEST(MinimapBins, WorkInPieces) {
  trace::Trace trace;
  TraceBuilder build(trace);
  for (int i = 0; i < 2'000; ++i) build.kernel(i * 500, i * 500 + 100, 0, i % 4);  // 4 lanes
  build.publish();
  MinimapBins bins;
  int frames = 0;
  do {
    bins.update(trace, {}, 0, 1'000'000, false, 500);  // 5 for each bin: 100 bins a frame
    ++frames;
  } while (!bins.complete() && frames < 100);
  EXPECT_EQ(bins.bins().size(), 977u);  // of 1,024 ns
  EXPECT_EQ(frames, 10);
  EXPECT_EQ(events_in(bins), 2'000);
}

// Evicted events disappear from the strip.
TEST(MinimapBins, ForgetWhatIsGone) {
  trace::Trace trace;
  TraceBuilder build(trace);
  for (int i = 0; i < 100; ++i) build.kernel(i * 1'024, i * 1'024 + 512);
  build.publish();
  MinimapBins bins;
  bins.update(trace, {}, 0, 102'400, false);
  ASSERT_EQ(bins.bins().size(), 100u);
  bins.update(trace, {}, 40 * 1'024 + 5, 102'400, false);
  EXPECT_EQ(bins.from(), 40 * 1'024);
  EXPECT_EQ(bins.bins().size(), 60u);
  EXPECT_EQ(events_in(bins), 60);
}

}  // namespace
}  // namespace lanescope::ui
