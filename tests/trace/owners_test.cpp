#include "trace/owners.h"

#include <gtest/gtest.h>

namespace lanescope::trace {
namespace {

TEST(RankName, IsReadAsItWasWritten) {
  for (const int rank : {0, 7, 12345}) {
    EXPECT_EQ(rank_in(rank_name(rank, "train.py")), rank);
    EXPECT_EQ(rank_in(rank_name(rank, "")), rank);
  }
  EXPECT_EQ(rank_name(3, "train.py"), "rank 3 · train.py");
  EXPECT_EQ(rank_name(3, ""), "rank 3");
}

TEST(RankName, OtherNamesHaveNone) {
  for (const char* name :
       {"", "rank", "rank ", "rank x", "rank -1", "rank 3.py", "rank 99999999999", "train.py rank 3"}) {
    EXPECT_EQ(rank_in(name), std::nullopt) << name;
  }
}

TEST(Owners, KnowTheRankOfAProcess) {
  Trace trace;
  LaneInfo info;
  info.kind = LaneKind::Calls;
  info.name = "CUDA calls";
  info.pid = 5;
  info.rank = 1;
  trace.add_lane(info);
  info.pid = 6;
  info.rank.reset();
  trace.add_lane(info);
  const Owners owners(trace);
  EXPECT_EQ(owners.rank_of(0), 1);
  EXPECT_EQ(owners.rank_of(1), std::nullopt);
}

}  // namespace
}  // namespace lanescope::trace
