// `--what-if`: on the command line, in words and in JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

class WhatIfOption : public ProgramTest {
 protected:
  const std::vector<std::string> loop_{"run", "--workload", "linear-mse", "--iterations", "200"};

  Outcome with(std::vector<std::string> more) const {
    std::vector<std::string> command = loop_;
    command.insert(command.end(), more.begin(), more.end());
    return run(command);
  }
};

TEST_F(WhatIfOption, ARunAndItsFileSayTheSame) {
  const Outcome ran =
      with({"--what-if", "graph", "--what-if", "no-wait:item()", "--json", "-", "--trace", "run.lanescope"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const Json answer = Json::parse(ran.out).at("prediction");
  EXPECT_EQ(answer["changes"], (Json{"graph", "no-wait:item()"}));
  EXPECT_TRUE(answer["refused"].is_null());
  EXPECT_GT(answer["least_factor"], 1.5);
  EXPECT_GT(answer["most_factor"], answer["least_factor"]);
  const Outcome opened =
      run({"report", "run.lanescope", "--what-if", "graph", "--what-if", "no-wait:item()", "--json", "-"});
  ASSERT_EQ(opened.status, 0) << opened.err;
  EXPECT_EQ(Json::parse(opened.out).at("prediction"), answer);
  EXPECT_THAT(run({"report", "run.lanescope", "--what-if", "read-every=10:item()"}).out,
              HasSubstr("What if read-every=10:item()\n  1."));
}

TEST_F(WhatIfOption, WithoutAnAnswerSaysWhy) {
  const Outcome outcome = with({"--what-if", "no-wait:train.py:41"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out,
              HasSubstr("What if no-wait:train.py:41\n  No answer: no-wait:train.py:41: there is no wait"));
}

TEST_F(WhatIfOption, RefusesWhatItDoesNotKnow) {
  const auto refused = [&](std::vector<std::string> more, const std::string& why) {
    const Outcome outcome = with(std::move(more));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(why));
  };
  refused({"--what-if", "faster"}, "'faster' must be of the form faster=TIMES:PLACE");
  refused({"--what-if", "log_interval=0"}, "unknown change 'log_interval=0'; allowed: no-wait[:PLACE], ");
  refused({"--what-if", "graph", "--compare", "seed=2"}, "--compare cannot be combined with --what-if");
  const Outcome both = run({"run", "--experiment", "P09", "--what-if", "graph"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("--side before"));
}

}  // namespace
}  // namespace lanescope::app::test
