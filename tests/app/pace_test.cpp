// The speed-ups the program prints: the table, the JSON and the page, compared with a stopwatch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

// "1.25" from the first match of `pattern` in `text`.
double number_in(const std::string& text, const std::string& pattern) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(text, found, std::regex(pattern))) << pattern;
  return found.empty() ? 0 : std::stod(found[1]);
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  EXPECT_NE(begin, std::string::npos) << from;
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find(to, begin) - begin);
}

class PacePrinted : public ProgramTest {
 protected:
  struct Printed {
    std::string table, page;
    Json json;
    double elapsed_factor = 0;  // of the elapsed times, before / after
  };
  Printed of(const std::string& id, std::vector<std::string> more = {}) const {
    more.insert(more.begin(),
                {"run", "--experiment", id, "--lang", "en", "--no-extra", "--json", "run.json", "--html", "run.html"});
    const Outcome outcome = run(more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    Printed printed{outcome.out, text_of(folder_ / "run.html"), Json::parse(text_of(folder_ / "run.json")), 0};
    const Json &before = printed.json["runs"][0], &after = printed.json["runs"][1];
    printed.elapsed_factor = before["elapsed_ns"].get<double>() / after["elapsed_ns"].get<double>();
    return printed;
  }
};

void expect_by_elapsed(const std::string& id, const auto& printed) {
  const double factor = printed.elapsed_factor;
  EXPECT_THAT(printed.table, HasSubstr("per iteration, by elapsed time")) << id;
  for (const char* cpu_times : {"iteration, mean", "CPU's iteration, mean"}) {
    EXPECT_THAT(printed.table, Not(HasSubstr(cpu_times))) << id;
  }
  // The table and the JSON have after / before, in two digits and in all.
  // If the batches differ, the factor is per sample: in a row of its own.
  const bool per_sample = printed.json["gain"]["per"] == "sample";
  const double gain = printed.json["gain"]["factor"].template get<double>();
  const auto samples = [&](int side) {
    return per_sample ? printed.json["runs"][side]["settings"]["batch_size"].template get<double>() : 1;
  };
  EXPECT_NEAR(gain / (factor * samples(1) / samples(0)), 1, 0.01) << id;
  const std::string per = per_sample ? "per sample" : "per iteration, by elapsed time";
  const double row = number_in(between(printed.table, per, "\n"), " ([0-9.]+) ×");
  EXPECT_NEAR(row, 1 / gain, 0.006) << id;
  EXPECT_NEAR(printed.json["ratio"]["pace"].template get<double>() * factor, 1, 0.01) << id;
  for (const Json& side : printed.json["runs"]) {
    EXPECT_EQ(side["pace"]["basis"], "elapsed") << id;
    const double each = side["elapsed_ns"].template get<double>() / side["iterations"].template get<double>();
    EXPECT_NEAR(side["pace"]["ns"].template get<double>() / each, 1, 0.01) << id;
  }
  // The page's headline, in either direction: "1.25 × faster per iteration, by elapsed time".
  const std::string tiles = between(printed.page, "class=\"tiles three\"", "</div></div>");
  const std::string basis = per_sample ? "per sample, by elapsed time" : "per iteration, by elapsed time";
  EXPECT_THAT(tiles, HasSubstr("<em>" + basis + "</em>")) << id;
  EXPECT_THAT(tiles, HasSubstr(gain >= 1 ? "<span>faster</span>" : "<span>slower</span>")) << id;
  const double headline = number_in(tiles, "<b>([0-9.]+)<small>×</small></b>");
  EXPECT_NEAR(headline / std::max(gain, 1 / gain), 1, 0.01) << id;
  const std::string beside = between(printed.page, "<td>" + basis + "</td>", "</tr>");
  EXPECT_NEAR(number_in(beside, "([0-9.]+)\u202f×</td>"), 1 / gain, 0.006) << id;
  // A row that neither side has a number for is left out.
  for (const char* of_issuing : {"iteration, median</td>", "iteration, 99th percentile</td>"}) {
    if (printed.page.find(of_issuing) == std::string::npos) continue;
    EXPECT_THAT(between(printed.page, of_issuing, "</tr>"), Not(HasSubstr("×"))) << id;
  }
}

// By elapsed time 1.25, 1.08, 1.08 and 6.0 times as fast; by CPU iterations it was 14.95, 1.98, 6.66 and 11.05.
TEST_F(PacePrinted, IsTheStopwatchsWhereTheQueueFills) {
  for (const auto& [id, factor] :
       {std::pair{"P01", 1.25}, std::pair{"P02", 1.08}, std::pair{"P21", 1.08}, std::pair{"S0-plot", 6.0}}) {
    const Printed printed = of(id);
    EXPECT_NEAR(printed.elapsed_factor, factor, 0.02 * factor) << id;
    expect_by_elapsed(id, printed);
    EXPECT_TRUE(printed.json["runs"][1]["iteration_ns"]["mean"].is_null()) << id;
    EXPECT_THAT(printed.page, HasSubstr("an iteration of the CPU takes as long as issuing it does")) << id;
  }
}

TEST_F(PacePrinted, IsTheStopwatchsInAllExperiments) {
  const Outcome listed = run({"list", "experiments", "--json"});
  ASSERT_EQ(listed.status, 0);
  const Json experiments = Json::parse(listed.out);
  ASSERT_GT(experiments.size(), 30u);
  for (const Json& experiment : experiments) {
    const std::string id = experiment["id"];
    expect_by_elapsed(id, of(id, {"--iterations", "40"}));
  }
}

}  // namespace
}  // namespace lanescope::app::test
