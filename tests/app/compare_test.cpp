// `lanescope compare` and `lanescope export`: two saved traces, and one as tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lanescope::app::test
