// Records are dropped when there are too many; the longest iteration stays known.
#include <gtest/gtest.h>

#include "analysis/builders.h"

namespace lanescope::analysis {
namespace {

// 500 iterations of 100 ns, the 201st takes 5000; eight records are kept.
TEST(RecordExtremes, OutliveTheRecords) {
  trace::Trace trace;
  analysis_test::TraceBuilder build(trace);
  Nanoseconds now = 0;
  for (int i = 0; i < 500; ++i) {
    const Nanoseconds end = now + (i == 200 ? 5000 : 100);
    build.iteration(now, end);
    now = end;
  }
  build.publish();
  const analysis_test::Finished analysis(trace, 8);
  ASSERT_LE(analysis.records().size(), 8u);
  EXPECT_EQ(analysis.records().back().number, 500);
  int with_the_longest = 0;
  std::int64_t number = 0;
  for (const IterationRecord& r : analysis.records()) {
    EXPECT_EQ(r.shortest_ns, 100);
    if (r.longest_ns == 5000) {
      ++with_the_longest;
      EXPECT_LT(number, 201);
      EXPECT_GE(r.number, 201);
    } else {
      EXPECT_EQ(r.longest_ns, 100);
    }
    number = r.number;
  }
  EXPECT_EQ(with_the_longest, 1);
}

}  // namespace
}  // namespace lanescope::analysis
