// `lanescope run --experiment`.
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

class RunExperiment : public ProgramTest {
 protected:
  Outcome done(std::vector<std::string> more) const {
    more.insert(more.begin(), {"run", "--experiment"});
    const Outcome outcome = run(more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome;
  }
  Json json_of(std::vector<std::string> more) const {
    more.insert(more.end(), {"--json", "-"});
    return Json::parse(done(more).out);
  }
};

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST_F(RunExperiment, BothSidesAreRunAndSetBesideWhatWasPublished) {
  Json json = json_of({"P09", "--iterations", "100", "--lang", "en"});
  EXPECT_THAT(keys(json), ElementsAre("experiment", "runs", "ratio", "gain", "in_pytorch", "published"));
  EXPECT_EQ(json["experiment"],
            (Json{{"id", "P09"}, {"name", "item-each-iteration"}, {"title", "Reading the loss every iteration"}}));
  ASSERT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][0]["side"], "before");
  EXPECT_EQ(json["runs"][1]["side"], "after");
  EXPECT_EQ(json["runs"][0]["settings"]["log_interval"], 1);
  EXPECT_EQ(json["runs"][1]["settings"]["log_interval"], 0);
  EXPECT_EQ(json["runs"][1]["iterations"], 100);
  EXPECT_LT(json["ratio"]["elapsed_ns"], 1);
  ASSERT_EQ(json["published"].size(), 3u);
  EXPECT_THAT(keys(json["published"][0]),
              ElementsAre("name", "value", "unit", "quality", "label", "environment", "of", "here", "in_pytorch"));
  const auto ours = [&](std::size_t i) -> const Json& { return json["published"][i]["here"]; };
  EXPECT_THAT(keys(ours(0)), ElementsAre("value", "ratio", "source", "check", "fitted", "unchecked"));
  EXPECT_EQ(ours(0)["check"], "differs");
  // 1,000 iterations, of which 100 were run.
  EXPECT_NEAR(ours(0)["value"].get<double>(), json["runs"][0]["elapsed_ns"].get<double>() * 10 / 1e9, 1e-9);
  EXPECT_NEAR(ours(0)["ratio"].get<double>(), ours(0)["value"].get<double>() / 3.4, 1e-12);
  EXPECT_EQ(ours(0)["source"], "simulated");
  EXPECT_GT(ours(2)["value"], 1) << "before / after";
}

// Nothing was measured in PyTorch with other settings than the experiment's.
TEST_F(RunExperiment, ASettingOfOnesOwnWasNotMeasuredInPytorch) {
  EXPECT_FALSE(json_of({"P09", "--iterations", "20"})["in_pytorch"].is_null());
  EXPECT_TRUE(json_of({"P09", "--iterations", "20", "--set", "batch_size=64"})["in_pytorch"].is_null());
}

TEST_F(RunExperiment, OneSideIsARunWithWhatIsKnownOfIt) {
  Json json = json_of({"p09", "--side", "after", "--iterations", "20", "--lang", "zh", "--device", "sim:teaching"});
  EXPECT_EQ(json["side"], "after");
  EXPECT_EQ(json["workload"], "linear-mse");
  EXPECT_EQ(json["device"], "sim:teaching");
  EXPECT_EQ(json["iterations"], 20);
  EXPECT_EQ(json["experiment"]["title"], "每次迭代都读取损失");
  EXPECT_TRUE(json["published"][0]["here"]["value"].is_null()) << "of the other side";
  EXPECT_TRUE(json["published"][1]["here"]["value"].is_number());
  EXPECT_TRUE(json["published"][2]["here"]["value"].is_null()) << "it takes both";
}

TEST_F(RunExperiment, TheTableTellsTheStoryAndCompares) {
  const std::string out = done({"P09", "--iterations", "20", "--lang", "en", "--set", "seed=3"}).out;
  for (const char* part :
       {"P09 Reading the loss every iteration\n", "what it shows  ", "what to watch  ", "what to turn  ",
        "before: a read every iteration", "after: no read", "seed=3", "published", "simulated here", "3.4 s",
        "estimate", "a GPU that is not named", "where the tutorial errs  "}) {
    EXPECT_THAT(out, HasSubstr(part));
  }
  EXPECT_THAT(done({"P09", "--iterations", "20", "--lang", "zh"}).out, HasSubstr("每次都读"));
}

// The link of rtx4090 is P20's, that of teaching is not.
TEST_F(RunExperiment, SaysWhatTheMachineIsFittedTo) {
  const auto first_of = [&](const char* device) {
    return json_of({"P20", "--side", "before", "--iterations", "2", "--device", device})["published"];
  };
  Json fitted = first_of("sim:rtx4090"), other = first_of("sim:teaching");
  EXPECT_EQ(fitted[0]["here"]["check"], "fitted");
  EXPECT_EQ(fitted[0]["here"]["fitted"], Json::array({"link.h2d_pageable_gb_per_s"}));
  EXPECT_EQ(fitted[1]["here"]["check"], "fitted") << "of the side that was not run, too";
  EXPECT_EQ(other[0]["here"]["check"], "checked");
  EXPECT_EQ(other[1]["here"]["check"], "missing") << "of the other side";
  const std::string out = done({"P17", "--iterations", "2", "--lang", "en"}).out;
  EXPECT_THAT(out, HasSubstr("cannot be checked"));
  EXPECT_THAT(out, HasSubstr("The tutorial’s run also allocates"));
  EXPECT_THAT(done({"P20", "--iterations", "2", "--lang", "en"}).out, HasSubstr("fitted to this"));
}

// P26's rows are runs of their own.
TEST_F(RunExperiment, NumbersWithSettingsOfTheirOwnAreRun) {
  std::size_t count = 0;
  const Json json = json_of({"P26", "--iterations", "100"});
  for (const Json& each : json["published"]) count += each["here"]["value"].is_number() ? 1 : 0;
  EXPECT_GE(count, 4u);
}

TEST_F(RunExperiment, WritesBothTraces) {
  done({"P09", "--iterations", "5", "--json", "a.json", "--trace", "t.json.gz"});
  EXPECT_THAT(files(), ElementsAre("a.json", "t-compare.json.gz", "t.json.gz"));
}

TEST_F(RunExperiment, EndedEarlyReportsWhatItHas) {
  Surroundings impatient;
  bool sent = false;
  impatient.watch = [&sent](pid_t process, const Outcome&) {
    if (!sent && handles_signal(process, SIGINT)) sent = kill(process, SIGINT) == 0;
  };
  const Outcome outcome = run({"run", "--experiment", "P09", "--iterations", "1000000000", "--json", "-"}, impatient);
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.err, HasSubstr("ended early"));
  Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["runs"].size(), 1u);
  EXPECT_TRUE(json["ratio"].is_null());
  EXPECT_EQ(json["published"].size(), 3u);
}

}  // namespace
}  // namespace lanescope::app::test
