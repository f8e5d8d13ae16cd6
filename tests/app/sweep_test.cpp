// `lanescope sweep`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class Sweep : public ProgramTest {
 protected:
  Outcome swept(std::vector<std::string> more, int status = 0) const {
    more.insert(more.begin(), {"sweep", "--workload", "linear-mse", "--device", "sim", "--iterations", "10"});
    Outcome outcome = run(more);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return outcome;
  }
};

// 1.1 and 0.2 synchronisations per iteration: 40 signs for the larger, 40 * 0.2 / 1.1 = 7.3 for the other.
TEST_F(Sweep, OverOneSettingIsALineWithABarEach) {
  const std::string out = swept({"--over", "log_interval=1,10", "--figure", "syncs_per_iteration"}).out;
  EXPECT_THAT(out, HasSubstr("\n             1   1.1  " + std::string(40, '#') + "\n            10   0.2  #######\n"));
  EXPECT_THAT(out, HasSubstr("(simulated)"));
  EXPECT_THAT(out, HasSubstr("syncs per iteration; 10 iterations each"));
}

TEST_F(Sweep, OverTwoSettingsIsAMatrix) {
  const std::string out =
      swept({"--over", "log_interval=1,10", "--over", "seed=1,2,3", "--figure", "syncs_per_iteration"}).out;
  EXPECT_THAT(out, HasSubstr("  log_interval \\ seed     1     2     3\n"
                             "                    1   1.1   1.1   1.1\n"
                             "                   10   0.2   0.2   0.2\n"));
}

TEST_F(Sweep, WritesCsvAndJson) {
  const Outcome outcome =
      swept({"--over", "log_interval=1,10", "--against", "log_interval=1", "--csv", "a.csv", "--json", "-"});
  Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["workload"], "linear-mse");
  EXPECT_EQ(json["device"], "sim:rtx4090");
  EXPECT_EQ(json["unit"], "x");
  EXPECT_EQ(json["axes"], Json::array({{{"key", "log_interval"}, {"values", {"1", "10"}}}}));
  ASSERT_EQ(json["points"].size(), 2u);
  EXPECT_EQ(json["points"][0]["value"], 1.0);
  EXPECT_GT(json["points"][1]["value"], 1.0);
  EXPECT_EQ(json["points"][1]["at"]["log_interval"], "10");
  EXPECT_EQ(json["points"][1]["figures"]["syncs_per_iteration"], 0.2);
  EXPECT_TRUE(json["points"][1]["error"].is_null());
  EXPECT_THAT(files(), ElementsAre("a.csv"));
  EXPECT_THAT(text_of(folder_ / "a.csv"), StartsWith("log_interval,value,iteration_us,"));
  EXPECT_THAT(swept({"--over", "seed=1", "--csv", "-"}).out, StartsWith("seed,value,"));
}

TEST_F(Sweep, PointsThatFailAreNamedAndTheOthersKept) {
  const Outcome outcome = swept({"--over", "log_interval=0,1", "--figure", "d2h_ms"}, 1);
  EXPECT_THAT(outcome.err, HasSubstr("lanescope: log_interval=0: this run has no value for d2h_ms\n"));
  EXPECT_THAT(outcome.out, HasSubstr("failed"));
  EXPECT_THAT(outcome.out, HasSubstr("####"));
}

TEST_F(Sweep, AnExperimentsOwnNeedsNoAxes) {
  const Outcome outcome = run({"sweep", "--experiment", "P05", "--iterations", "5", "--json", "-"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["workload"], "break-even");
  EXPECT_EQ(json["points"].size(), 12u);
}

TEST_F(Sweep, AnExperimentWithoutASweepIsNamed) {
  const Outcome outcome = run({"sweep", "--experiment", "P09"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "lanescope: experiment P09 has no sweep of its own; give --over KEY=VALUE,VALUE,...\n");
}

// The second point would take hours.
TEST_F(Sweep, EndedEarlyKeepsWhatThereIs) {
  Surroundings impatient;
  impatient.err_terminal = true;
  bool sent = false;
  impatient.watch = [&sent](pid_t process, const Outcome& so_far) {
    if (sent || so_far.err.find("1 of 2 points") == std::string::npos) return;
    sent = kill(process, SIGINT) == 0;
  };
  const Outcome outcome = run({"sweep", "--workload", "linear-mse", "--device", "sim", "--over",
                               "iterations=10,1000000000", "--json", "a.json"},
                              impatient);
  EXPECT_TRUE(sent);
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.err, HasSubstr("ended early"));
  EXPECT_EQ(Json::parse(text_of(folder_ / "a.json"))["points"].size(), 1u);
}

}  // namespace
}  // namespace lanescope::app::test
