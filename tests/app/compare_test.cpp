// `lanescope compare` and `lanescope export`: two saved traces, and one as tables.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Compare : public ProgramTest {
 protected:
  // The same loop, which reads its loss in each iteration, and in none of 50.
  void record() const {
    for (const std::string interval : {"1", "50"}) {
      ASSERT_EQ(run({"run", "--workload", "linear-mse", "--iterations", "200", "--set", "log_interval=" + interval,
                     "--trace", "every-" + interval + ".lanescope"})
                    .status,
                0);
    }
  }
};

TEST_F(Compare, SaysWhatChangedAndByHowMuch) {
  record();
  const Outcome table = run({"compare", "every-1.lanescope", "every-50.lanescope"});
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("What changed, per iteration"));
  EXPECT_THAT(table.out, HasSubstr("every-50.lanescope"));
  EXPECT_THAT(table.out, HasSubstr("idle time  after a sync"));

  const Outcome outcome = run({"compare", "every-1.lanescope", "every-50.lanescope", "--json", "-", "--csv", "d.csv",
                               "--markdown", "d.md", "--html", "d.html"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["differences"]["per"], "iteration");
  std::vector<std::string> waits;
  double kernels = 0;
  for (const auto& row : json["differences"]["rows"]) {
    if (row["kind"] == "wait" && row["change_ns"] < -1000) waits.push_back(row["name"]);
    if (row["kind"] == "kernel") kernels += row["change_ns"].get<double>() / row["first"]["ns"].get<double>();
  }
  EXPECT_THAT(waits, Contains("cudaStreamSynchronize"));
  EXPECT_LT(kernels, 0.05) << "the same kernels";
  // What the page and the reports of each say is the same.
  const auto alone = nlohmann::json::parse(run({"report", "every-1.lanescope", "--json", "-"}).out);
  EXPECT_EQ(json["runs"][0]["verdict"], alone["verdict"]);
  EXPECT_THAT(text_of(folder_ / "d.csv"),
              HasSubstr("kind,name,first_count,second_count,first_ns,second_ns,change_ns,per\r\n"));
  EXPECT_THAT(text_of(folder_ / "d.md"), HasSubstr("| | | `every-1.lanescope` | `every-50.lanescope` | change | |"));
  const std::string page = text_of(folder_ / "d.html");
  EXPECT_THAT(page, HasSubstr("id=\"differences\""));
  EXPECT_THAT(page, HasSubstr("every-1.lanescope → every-50.lanescope"));
}

TEST_F(Compare, ATraceDoesNotDifferFromItself) {
  record();
  const Outcome table = run({"compare", "every-1.lanescope", "every-1.lanescope"});
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("nothing that matters"));
}

TEST_F(Compare, MistakesAreOneLine) {
  record();
  expect_complaint(run({"compare", "every-1.lanescope"}), 2, {"compare needs two trace files"});
  expect_complaint(run({"compare", "every-1.lanescope", "gone.json"}), 1, {"gone.json"});
  expect_complaint(run({"compare", "every-1.lanescope", "every-50.lanescope", "--json", "-", "--csv", "-"}), 2,
                   {"only one output can go to standard output"});
  expect_complaint(run({"compare", "every-1.lanescope", "every-50.lanescope", "--csv", "every-50.lanescope"}), 2,
                   {"every-50.lanescope is the trace that is read"});
  EXPECT_THAT(files(), ElementsAre("every-1.lanescope", "every-50.lanescope"));
}

TEST_F(Compare, ATraceBecomesTables) {
  record();
  const Outcome outcome =
      run({"export", "every-1.lanescope", "--csv", "tables", "--sqlite", "t.db", "--chrome", "t.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(text_of(folder_ / "tables" / "bubbles.csv"), HasSubstr(",after_sync,cudaStreamSynchronize,item(),"));
  EXPECT_EQ(text_of(folder_ / "t.db").substr(0, 15), "SQLite format 3");
  // A row for each event, and its heading.
  const auto report = nlohmann::json::parse(run({"report", "t.json", "--json", "-"}).out);
  const std::string events = text_of(folder_ / "tables" / "events.csv");
  EXPECT_EQ(std::ranges::count(events, '\n'), report["events"]["recorded"].get<int>() + 1);

  expect_complaint(run({"export", "every-1.lanescope"}), 2, {"export needs to know what to write"});
  expect_complaint(run({"export", "--csv", "tables"}), 2, {"export needs a trace file"});
  expect_complaint(run({"export", "every-1.lanescope", "--csv", "t.db"}), 1, {"t.db"});
  expect_complaint(run({"export", "every-1.lanescope", "--chrome", "every-1.lanescope"}), 2,
                   {"is the trace that is read"});
}

// Two processes with a GPU each, as the PyTorch profiler writes them. Every millisecond, 12 times, both all-reduce: GPU
// 0 begins at once, GPU 1 after 90 µs, and both end after 100: 90 of 110 µs are waiting, 82 %.
TEST_F(Compare, AReportSaysWhoArrivesLastInCollectives) {
  std::string events;
  for (int k = 0; k < 24; ++k) {
    const int gpu = k % 2, start = k / 2 * 1000 + 90 * gpu, duration = 100 - 90 * gpu;
    events += fmt::format(R"({}{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": {}, "tid": 1,)",
                          k > 0 ? "," : "", 100 + gpu);
    events += fmt::format(R"("ts": {}, "dur": 5, "args": {{"correlation": {}}}}},)", start - 5, k + 1);
    events += fmt::format(R"({{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL",)");
    events += fmt::format(R"("pid": {}, "tid": 7, "ts": {}, "dur": {},)", gpu, start, duration);
    events += fmt::format(R"("args": {{"device": {}, "stream": 7, "correlation": {}}}}})", gpu, k + 1);
  }
  std::ofstream(folder_ / "job.json") << R"({"traceEvents":[)" << events << "]}";
  const Outcome table = run({"report", "job.json", "--html", "job.html", "--json", "figures.json"});
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("Arrival-skew-dominated: 82 % of the time in collectives is waiting for the last "
                                   "GPU, which is GPU 1 in 100 % of them."));
  const auto json = nlohmann::json::parse(text_of(folder_ / "figures.json"))["collectives"];
  EXPECT_EQ(json["verdict"], "arrival-skew-dominated");
  EXPECT_EQ(json["count"], 12);
  EXPECT_EQ(json["gpus"][0]["wait_ns"], 12 * 90'000);
  EXPECT_EQ(json["gpus"][1]["arrived_last"], 12);
  const std::string page = text_of(folder_ / "job.html");
  EXPECT_THAT(page, HasSubstr("id=\"collectives\""));
  EXPECT_THAT(page, HasSubstr("82 % of the time in collectives"));
}

}  // namespace
}  // namespace lanescope::app::test
