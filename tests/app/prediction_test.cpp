// `lanescope run --predict` and `--verify`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/program.h"
#include "app/run_prediction.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

class PredictionRun : public ProgramTest {
 protected:
  Json prediction(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return Json::parse(outcome.out).at("prediction");
  }
};

const std::vector<std::string> kLoop{"--workload", "linear-mse", "--device", "sim:rtx4090", "--iterations", "100"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(PredictionRun, TheJsonHasThePredictionAndWhatWasMeasuredThen) {
  const Json json = prediction(with(kLoop, {"--predict", "log_interval=0", "--verify"}));
  EXPECT_EQ(json["settings"], (Json{{"log_interval", 0}}));
  EXPECT_TRUE(json["refused"].is_null());
  const double mean = json["iteration_ns"]["mean"];
  EXPECT_GT(mean, 50e3);
  EXPECT_LT(mean, json["measured_ns"]);
  EXPECT_LE(json["iteration_ns"]["low"], mean);
  EXPECT_GE(json["iteration_ns"]["high"], mean);
  EXPECT_LT(json["fidelity_error"], 0.05);
  EXPECT_EQ(json["stalls"][0]["range"], "item()");
  EXPECT_THAT(json["sentence"], HasSubstr("item()"));
  EXPECT_LT(json["idle"]["then"], json["idle"]["now"]);
  const double verified = json["verified"]["iteration_ns"]["mean"], error = json["verified"]["error"];
  EXPECT_NEAR(error, mean / verified - 1, 1e-9);
  EXPECT_LT(std::abs(error), 0.03);
}

TEST_F(PredictionRun, SeveralChangesAreMadeAtOnce) {
  const Json json = prediction(with(kLoop, {"--predict", "log_interval=0", "--predict", "feed=per-iteration"}));
  EXPECT_EQ(json["settings"], (Json{{"log_interval", 0}, {"feed", "per-iteration"}}));
  EXPECT_FALSE(json.contains("verified"));
}

TEST_F(PredictionRun, WhatAProbeMeasuredIsSaid) {
  const std::vector<std::string> pageable{"--experiment", "P20", "--side", "before"};
  const Json json = prediction(with(pageable, {"--predict", "pinned=true", "--verify"}));
  EXPECT_TRUE(json["refused"].is_null());
  EXPECT_TRUE(json["assumed"].empty());
  const Json& probed = json["probed"].at(0);
  EXPECT_EQ(probed["what"], "how fast pinned memory is copied to the GPU");
  EXPECT_EQ(probed["key"], "link.h2d_pinned_gb_per_s");
  EXPECT_LT(probed["low"], 13.454);
  EXPECT_GT(probed["high"], 13.3);
  EXPECT_TRUE(json["verified"]["in_range"]);
  const Outcome told = run(with({"run"}, with(pageable, {"--predict", "pinned=true"})));
  EXPECT_EQ(told.status, 0);
  EXPECT_THAT(told.out, HasSubstr("\n  probed            how fast pinned memory is copied to the GPU: 13."));
}

// The same run, saved and opened: a simulated device is still here, and the answers are the same. If the file says that
// it was a real one, there is nothing to ask: the answer is a range, and assumed.
TEST_F(PredictionRun, OfAnOpenedTraceOfARealDeviceTheAnswerIsAnAssumedRange) {
  const Outcome recorded = run({"run", "--workload", "bandwidth", "--device", "sim:rtx4090", "--iterations", "40",
                                "--trace", "simulated.json", "--json", "-"});
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  const auto trial_of = [](const std::string& text) {
    const Json all = Json::parse(text);
    for (const Json& card : all["advice"]["cards"]) {
      if (card.contains("trial") && !card["trial"].is_null() && card["trial"]["settings"].contains("pinned")) {
        return card["trial"];
      }
    }
    return Json();
  };
  const Json live = trial_of(recorded.out);
  ASSERT_TRUE(live.is_object());
  EXPECT_TRUE(live["assumed"].empty());
  EXPECT_THAT(live["probed"].at(0).get<std::string>(), HasSubstr("how fast pinned memory is copied to the GPU: 13."));
  EXPECT_EQ(trial_of(run({"report", "simulated.json", "--json", "-"}).out), live);

  std::string text = text_of(folder_ / "simulated.json");
  const std::string says = "\"simulated\":true";
  const std::size_t at = text.find(says);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, says.size(), "\"simulated\":false");
  std::ofstream(folder_ / "real.json") << text;
  const Outcome opened = run({"report", "real.json", "--json", "-", "--html", "page.html"});
  ASSERT_EQ(opened.status, 0) << opened.err;
  const Json later = trial_of(opened.out);
  ASSERT_TRUE(later.is_object());
  EXPECT_TRUE(later["probed"].empty());
  EXPECT_THAT(later["assumed"].at(0).get<std::string>(),
              HasSubstr("how fast pinned memory is copied to the GPU: 13.4 to 36."));
  EXPECT_LT(later["range_ns"]["low"], 0.6e6);
  EXPECT_GT(later["range_ns"]["high"], 1.25e6);
  EXPECT_THAT(text_of(folder_ / "page.html"), HasSubstr("per iteration, assumed, instead of"));
}

TEST_F(PredictionRun, ARefusalSaysWhyAndIsNoError) {
  const std::vector<std::string> few{"--workload", "linear-mse", "--device", "sim:rtx4090", "--iterations", "5"};
  const Json json = prediction(with(few, {"--predict", "log_interval=0", "--verify"}));
  EXPECT_TRUE(json["iteration_ns"].is_null());
  EXPECT_EQ(json["refused"], "only 5 iterations are recorded; at least 8 are needed");
  EXPECT_TRUE(json["verified"].is_null());
  const Outcome told = run(with({"run"}, with(few, {"--predict", "log_interval=0"})));
  EXPECT_EQ(told.status, 0);
  EXPECT_THAT(told.out, HasSubstr("Prediction for log_interval=0\n  no prediction  only 5 iterations"));
}

TEST_F(PredictionRun, ThePrintedBlockStandsBelowTheTable) {
  const Outcome outcome = run(with({"run"}, with(kLoop, {"--predict", "log_interval=0", "--verify"})));
  EXPECT_EQ(outcome.status, 0);
  const std::size_t table = outcome.out.find("per iteration, by elapsed time"),
                    block = outcome.out.find("Prediction for log_interval=0");
  ASSERT_NE(block, std::string::npos);
  EXPECT_LT(table, block);
  for (const char* part : {"an iteration now", "predicted ", "times as fast", "measured ", " % off", "GPU idle",
                           "of waiting at item() disappear", "fitted machine"}) {
    EXPECT_THAT(outcome.out.substr(block), HasSubstr(part));
  }
  EXPECT_THAT(run(with({"run"}, kLoop)).out, Not(HasSubstr("Prediction")));
}

TEST_F(PredictionRun, WhatDoesNotGoTogetherIsSaid) {
  const auto refused = [&](std::vector<std::string> arguments, const std::vector<std::string>& parts) {
    expect_complaint(run(with({"run"}, arguments)), 2, parts);
  };
  refused(with(kLoop, {"--predict", "log_interval=-1"}), {"log_interval", "'-1'", "0 to"});
  refused(with(kLoop, {"--predict", "foo=1"}), {"'foo'", "log_interval"});
  refused(with(kLoop, {"--predict", "log_interval"}), {"log_interval"});
  refused(with(kLoop, {"--verify"}), {"--verify", "--predict"});
  refused(with(kLoop, {"--predict", "seed=2", "--compare", "seed=2"}), {"--compare", "--predict", "--verify"});
  refused({"--experiment", "P09", "--predict", "seed=2"}, {"--predict", "--side before", "--side after"});
  refused({"--experiment", "P09", "--side", "before", "--predict", "foo=2"}, {"'foo'", "log_interval"});
}

// 54 / 60 - 1 = -10 %.
TEST(PredictionText, OfSeveralRunsTheMedianCountsAndTheirRangeIsSaid) {
  PredictionReport report;
  report.prediction.settings = {"log_interval=100"};
  report.prediction.measured_ns = 81e3;
  report.prediction.iteration_ns = report.prediction.low_ns = report.prediction.high_ns = 54e3;
  report.verified_ns = {57e3, 60e3, 72e3};
  EXPECT_THAT(prediction_text(report, Style{}),
              HasSubstr("60 µs, median of 3 runs, 57 µs to 72 µs; the prediction is -10.0 % off"));
  report.verified_ns = {54.01e3};
  EXPECT_THAT(prediction_text(report, Style{}), HasSubstr("54.01 µs; the prediction is less than 0.1 % off"));
}

// Recorded at 100 us, the loop without the change now takes 120 us: the machine is 1.2 times as slow. The changed loop
// takes 72 us now, so at the recording's speed between 72 / 1.2 = 60 us and 72 us.
TEST(PredictionReport, AMachineThatIsSlowerByNowIsNotThePredictionsFault) {
  PredictionReport report;
  report.prediction.measured_ns = 100e3;
  report.prediction.iteration_ns = 58e3;
  report.prediction.low_ns = 55e3;
  report.prediction.high_ns = 61e3;
  report.verified_ns = {71e3, 72e3, 73e3};
  EXPECT_FALSE(report.in_range());
  report.unchanged_ns = {118e3, 120e3, 121e3};
  EXPECT_DOUBLE_EQ(report.slower(), 1.2);
  EXPECT_TRUE(report.in_range());
  report.prediction.high_ns = 59.9e3;
  EXPECT_FALSE(report.in_range());
  report.prediction.low_ns = 72.1e3;
  report.prediction.high_ns = 75e3;
  EXPECT_FALSE(report.in_range());
  EXPECT_THAT(prediction_text(report, Style{}), HasSubstr("the change it now takes 120 µs, and the range is missed"));
}

// In turns: with the change, without it, three times each.
TEST(PredictionReport, OnARealDeviceTheUnchangedLoopRunsInBetween) {
  PredictionReport report;
  std::string order;
  const auto time = [&](bool changed) {
    order += changed ? 'c' : 'u';
    return 100.0 - static_cast<double>(order.size());
  };
  verify_in_turns(report, false, time, [] { return false; });
  EXPECT_EQ(order, "cucucu");
  EXPECT_THAT(report.verified_ns, testing::ElementsAre(95, 97, 99));
  EXPECT_THAT(report.unchanged_ns, testing::ElementsAre(94, 96, 98));
  report = {};
  order.clear();
  verify_in_turns(report, true, time, [] { return false; });
  EXPECT_EQ(order, "c");
}

}  // namespace
}  // namespace lanescope::app::test
