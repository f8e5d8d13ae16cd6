// `lanescope reduce` and `lanescope join`: from the recordings of a job's ranks to who is late, and why.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Join : public ProgramTest {
 protected:
  // 20 times, a kernel from 0 to `work_us` of each millisecond, and a collective until 850 µs: on all ranks it ends
  // when the last of them, which works 800 µs, has transferred for 50.
  void write_rank(int rank, int work_us) const {
    std::string text = fmt::format(R"({{"distributedInfo":{{"rank":{},"world_size":3}},"traceEvents":[)", rank);
    const auto kernel = [&](const std::string& name, int start_us, int end_us, const std::string& more) {
      text += fmt::format(
          R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":0,"stream":7{}}}}},)",
          name, start_us, end_us - start_us, more);
    };
    for (int i = 0; i < 20; ++i) {
      const int start = 1'000'000 + i * 1'000;
      kernel("gemm", start, start + work_us, "");
      kernel(
          "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", start + work_us, start + 850,
          fmt::format(
              R"(,"Collective name":"allreduce","Process Group Name":"0","Process Group Ranks":"[0, 1, 2]","Seq":{},"In msg nelems":8,"dtype":"Float")",
              i));
    }
    text.back() = ']';
    std::ofstream(folder_ / fmt::format("rank{}.json", rank)) << text << '}';
  }
};

// Rank 2 works 300 µs longer than the other two. From the end of a collective to the next one there are 150 µs more of
// idle time on every rank, so the time of the job is 1 ms an iteration, of which 30 % is waiting for it.
TEST_F(Join, SaysWhoIsLate) {
  write_rank(0, 500);
  write_rank(1, 500);
  write_rank(2, 800);
  const Outcome reduced = run({"reduce", "."});
  ASSERT_EQ(reduced.status, 0) << reduced.err;
  EXPECT_THAT(files(),
              ElementsAre("rank0.json", "rank0.summary", "rank1.json", "rank1.summary", "rank2.json", "rank2.summary"));
  const Outcome joined = run({"join", ".", "--json", "-", "--html", "job.html"});
  ASSERT_EQ(joined.status, 0) << joined.err;
  const auto json = nlohmann::json::parse(joined.out);
  ASSERT_EQ(json["findings"].size(), 1u) << joined.out;
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding["reason"], "slower-kernels");
  EXPECT_EQ(finding["ranks"], nlohmann::json::array({2}));
  EXPECT_EQ(finding["later_ns"], 300'000);
  EXPECT_NEAR(finding["share_of_job"].get<double>(), 0.3, 0.005);
  EXPECT_EQ(json["ranks"][0]["arrived_last"], 0);
  const std::string page = text_of(folder_ / "job.html");
  EXPECT_THAT(page, HasSubstr("its kernels are slower (gemm). In 100 % of its collectives it comes 300 µs later"));
  EXPECT_THAT(page, Not(HasSubstr("://")));
}

// Parts of a folder leave the same summaries as the whole, each its own.
TEST_F(Join, ReducesInParts) {
  for (int rank = 0; rank < 3; ++rank) write_rank(rank, 500);
  ASSERT_EQ(run({"reduce", ".", "--part", "1/2"}).status, 0);
  EXPECT_THAT(files(), ElementsAre("rank0.json", "rank1.json", "rank1.summary", "rank2.json"));
  ASSERT_EQ(run({"reduce", ".", "--part", "0/2"}).status, 0);
  const Outcome joined = run({"join", "."});
  EXPECT_EQ(joined.status, 0) << joined.err;
  EXPECT_THAT(joined.out, HasSubstr("3 of 3 ranks, 20 collectives"));
  EXPECT_THAT(joined.out, HasSubstr("3 of 3 ranks are alike"));
}

TEST_F(Join, NamesWhatIsWrong) {
  expect_complaint(run({"join", "."}), 1, {"lanescope reduce makes them"});
  expect_complaint(run({"reduce", ".", "--part", "2/2"}), 2, {"--part", "allowed"});
  std::ofstream(folder_ / "rank0.summary") << "something else";
  expect_complaint(run({"join", "."}), 1, {"rank0.summary", "not a summary of Lanescope"});
  write_rank(1, 500);
  std::ofstream(folder_ / "rank2.json") << "{\"traceEvents\":[";
  const Outcome some = run({"reduce", "rank1.json", "rank2.json"});
  EXPECT_EQ(some.status, 1);
  EXPECT_THAT(some.err, HasSubstr("rank2.json"));
  EXPECT_THAT(files(), testing::Contains("rank1.summary")) << "the others are reduced";
  EXPECT_THAT(files(), Not(testing::Contains("rank2.summary")));
}

}  // namespace
}  // namespace lanescope::app::test
