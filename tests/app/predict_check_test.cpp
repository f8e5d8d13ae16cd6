// `lanescope predict-check`, which also shows here, in virtual time, that the ranges hold what they promise.
#include "app/run_prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "app/program.h"
#include "workload/workload.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

TEST(ChangesToCheck, AreMoreThanFortyOfAllWorkloads) {
  std::set<std::string> workloads;
  for (const CheckedChange& change : changes_to_check()) workloads.insert(change.workload);
  const std::vector<std::string> all = workload::workload_names();
  EXPECT_EQ(workloads, std::set<std::string>(all.begin(), all.end()));
  EXPECT_GE(changes_to_check().size(), 45u);
}

struct Where {
  const char* name;
  const char* device;
  std::uint64_t seed;
};
class Coverage : public testing::TestWithParam<Where> {};

// Recorded with one seed, run with another: nine of ten at least fall within the range, and the range is worth saying.
TEST_P(Coverage, NineOfTenFallWithinTheRange) {
#ifdef LANESCOPE_SANITIZED
  GTEST_SKIP() << "a hundred runs; the same code runs elsewhere";
#endif
  const PredictCheckRequest request{GetParam().device, {}, {}, GetParam().seed, 60};
  const PredictCheck check = check_predictions(request, [] { return false; });
  for (const CheckedPrediction& c : check.checked) {
    EXPECT_EQ(c.failed, "") << c.change.workload << ' ' << testing::PrintToString(c.change.change);
  }
  EXPECT_EQ(check.left_out, 0u);
  EXPECT_GE(check.verified(), 40u);
  EXPECT_GE(static_cast<double>(check.in_range()), kPromisedCoverage * static_cast<double>(check.verified()))
      << predict_check_text(check, Style{});
  EXPECT_LT(check.median_width(), 0.1);
}
INSTANTIATE_TEST_SUITE_P(Devices, Coverage,
                         testing::Values(Where{"Desktop", "sim:rtx4090", 1}, Where{"OtherSeed", "sim:rtx4090", 2},
                                         Where{"Server", "sim:h200", 3}, Where{"Laptop", "sim:rtx4070-laptop-wsl2", 4}),
                         [](const auto& which) { return std::string(which.param.name); });

class PredictCheckRun : public ProgramTest {};

TEST_F(PredictCheckRun, TheTableAndTheJsonAgree) {
  const std::string file = (folder_ / "check.json").string();
  const Outcome outcome =
      run({"predict-check", "--device", "sim:rtx4090", "--workload", "control-flow", "--json", file});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("checking control-flow: branch=fixed"));
  const Json json = Json::parse(text_of(file));
  EXPECT_EQ(json["device"], "sim:rtx4090");
  EXPECT_EQ(json["changes"].size(), 4u);
  EXPECT_EQ(json["verified"], 4);
  std::size_t in_range = 0;
  for (const Json& change : json["changes"]) {
    const Json& p = change["prediction"];
    const double mean = p["verified"]["iteration_ns"]["mean"];
    const bool in = p["iteration_ns"]["low"] <= mean && mean <= p["iteration_ns"]["high"];
    EXPECT_EQ(p["verified"]["in_range"], in);
    in_range += in;
  }
  EXPECT_EQ(json["in_range"], in_range);
  EXPECT_THAT(outcome.out, HasSubstr(std::to_string(in_range) + " of 4 predictions are in their range, 0 refused"));
}

TEST_F(PredictCheckRun, TheProbeIsPrinted) {
  const Outcome outcome = run({"probe", "sim:teaching", "fill,1000,1000,1,0"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::StartsWith("device sim:teaching\nnumber cpu.launch_us 10 0\n"));
  EXPECT_THAT(outcome.out, HasSubstr("number link.h2d_pinned_gb_per_s 10 0\n"));
  EXPECT_THAT(outcome.out, HasSubstr("op fill 1000 1000 1 0 "));
  expect_complaint(run({"probe", "cpu"}), 2, {"cpu", "GPUs"});
  expect_complaint(run({"probe", "sim", "fill,1"}), 2, {"'fill,1'", "linear_forward"});
}

// Widths of 2 %, 10 % and 40 % of the prediction, errors of 1 %, 5 % and 50 %.
TEST(PredictCheckFigures, AreWorkedOutByHand) {
  const auto checked = [](double predicted, double low, double high, double measured) {
    CheckedPrediction c;
    c.report.prediction.iteration_ns = predicted;
    c.report.prediction.low_ns = low;
    c.report.prediction.high_ns = high;
    c.report.verified_ns = {measured};
    return c;
  };
  PredictCheck check;
  check.checked = {checked(101, 99.99, 102.01, 100), checked(105, 99.75, 110.25, 100), checked(150, 120, 180, 100)};
  check.checked.emplace_back().report.prediction.refused = "no";
  check.checked.emplace_back().failed = "broken";
  EXPECT_EQ(check.verified(), 3u);
  EXPECT_EQ(check.refused(), 1u);
  EXPECT_EQ(check.in_range(), 2u);
  EXPECT_NEAR(check.median_width(), 0.1, 1e-9);
  EXPECT_NEAR(check.median_error(), 0.05, 1e-9);
  EXPECT_NEAR(check.worst_error(), 0.5, 1e-9);
}

}  // namespace
}  // namespace lanescope::app::test
