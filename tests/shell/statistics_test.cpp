#include "shell/statistics.h"

#include <gtest/gtest.h>

#include "analysis/trace_builder.h"

namespace lanescope::ui {
namespace {

// Names with commas and quotes are quoted, and none is a formula. 2 kernels of 30 and 10 ns in a stretch of 100: a
// share of 0.4.
TEST(Statistics, CsvIsWhatASpreadsheetReads) {
  trace::Trace trace;
  analysis_test::TraceBuilder build{trace};
  for (const auto& [start, end] : {std::pair<base::Nanoseconds, base::Nanoseconds>{0, 30}, {50, 60}}) {
    build.add(build.lane(trace::LaneKind::Kernels), trace::EventKind::Kernel, "=gemm<4, \"x\">", start, end);
  }
  build.publish();
  const analysis::EventGroups s =
      analysis::event_groups(trace, {.from = 0, .to = 100, .group = analysis::GroupBy::NameAndKind});
  EXPECT_EQ(groups_csv(s.groups, s.elapsed_ns(), trace.names()),
            "name,kind,count,sum_ns,mean_ns,p50_ns,p99_ns,max_ns,min_ns,share\r\n"
            "\"'=gemm<4, \"\"x\"\">\",kernel,2,40,20.0,10,30,30,10,0.400000\r\n");
}

}  // namespace
}  // namespace lanescope::ui
