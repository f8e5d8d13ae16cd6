// One trace, one answer: the window, the table, the JSON and the page agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "app/html_page.h"
#include "app/html_text.h"
#include "app/program.h"
#include "app/reports.h"
#include "experiment/measured_run.h"
#include "experiment/published_numbers.h"
#include "inspect/difference.h"
#include "io/trace_file.h"
#include "model/advice/advice.h"
#include "model/compare/compare_state.h"
#include "model/model.h"

namespace lanescope::app::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kData = std::string(LANESCOPE_SOURCE_DIR) + "/tests/data/";
const std::string kCaptures = std::string(LANESCOPE_SOURCE_DIR) + "/assets/captures/";

// The window on a trace, without pixels: these objects hold what it shows.
struct Window {
  explicit Window(const std::filesystem::path& file) {
    model.open_file(file);
    const auto deadline = ui::AdviceState::Clock::now() + std::chrono::seconds(60);
    do {
      model.update();
      advice.update(model, true, ui::AdviceState::Clock::now());
    } while (advice.busy() && ui::AdviceState::Clock::now() < deadline);
    advice.update(model, true, ui::AdviceState::Clock::now());
  }

  // As the JSON would have it.
  Json json() const {
    analysis::RunFigures figures;
    figures.facts = model.facts();
    figures.summary = model.recent();
    figures.events = model.trace().counts();
    figures.idle = idle_ledger(model.trace(), model.analysis(), model.recent());
    figures.once = model.once();
    analysis::Advice& shown = figures.advice.emplace();
    for (const ui::AdviceCard& card : advice.cards()) shown.cards.push_back(card.card);
    return summary_json(figures);
  }

  ui::Model model;
  ui::AdviceState advice;
};

struct Told {
  std::string table, page;
  Json json;
};

class OneAnswer : public ProgramTest {
 protected:
  Told told(std::vector<std::string> command) const {
    for (const char* word : {"--lang", "en", "--json", "r.json", "--html", "r.html"}) command.emplace_back(word);
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return {outcome.out, text_of(folder_ / "r.html"), Json::parse(text_of(folder_ / "r.json"))};
  }
  Told report(const std::string& file) const { return told({"report", file}); }
};

// What only a run or a command knows, and what is below each card in addition to its text.
Json without(Json json, std::initializer_list<const char*> keys) {
  for (const char* key : keys) json.erase(key);
  return json;
}
void expect_equal(const Json& one, const Json& other) { EXPECT_EQ(Json::diff(one, other).dump(1), "[]"); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The table of a comparison has no cards.
void expect_in_table(const std::string& table, const Json& json, bool with_cards = true) {
  EXPECT_TRUE(has(table, json["verdict_sentence"]));
  if (json["verdict_note"].is_string()) {
    EXPECT_TRUE(has(table, json["verdict_note"]));
  }
  if (!with_cards) return;
  for (const Json& card : json["advice"]["cards"]) EXPECT_TRUE(has(table, card["title"])) << card["title"];
}
void expect_on_page(const std::string& page, const Json& json) {
  const auto shown = [&](const std::string& text) { return has(page, html::escaped(text, 1500)); };
  EXPECT_TRUE(shown(json["verdict_sentence"]));
  if (json["verdict_note"].is_string()) {
    EXPECT_TRUE(shown(json["verdict_note"]));
  }
  for (const Json& card : json["advice"]["cards"]) EXPECT_TRUE(shown(card["title"])) << card["title"];
}

// Everything the window says is in the report.
void expect_same(const Window& window, const Json& reported) {
  const auto of_the_trace = [](const Json& json) {
    return without(
        json, {"source", "iterations", "elapsed_ns", "warm_up_ns", "loss", "own", "capture", "advice", "breakdown"});
  };
  const Json shown = window.json();
  expect_equal(of_the_trace(shown), of_the_trace(reported));
  expect_equal(shown["advice"]["cards"], reported["advice"]["cards"]);
}

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

// Of the elapsed times, before / after.
double elapsed_factor(const Json& json) {
  return json["runs"][0]["elapsed_ns"].get<double>() / json["runs"][1]["elapsed_ns"].get<double>();
}

// The speed-up is a stopwatch's, in the table, the JSON and the page.
void expect_by_elapsed(const Told& printed) {
  const double factor = elapsed_factor(printed.json);
  EXPECT_THAT(printed.table, HasSubstr("per iteration, by elapsed time"));
  for (const char* cpu_times : {"iteration, mean", "CPU's iteration, mean"}) {
    EXPECT_THAT(printed.table, Not(HasSubstr(cpu_times)));
  }
  // The table and the JSON have after / before, in two digits and in all.
  // If the batches differ, the factor is per sample: in a row of its own.
  const bool per_sample = printed.json["gain"]["per"] == "sample";
  const double gain = printed.json["gain"]["factor"].get<double>();
  const auto samples = [&](int side) {
    return per_sample ? printed.json["runs"][side]["settings"]["batch_size"].get<double>() : 1;
  };
  EXPECT_NEAR(gain / (factor * samples(1) / samples(0)), 1, 0.01);
  const std::string per = per_sample ? "per sample" : "per iteration, by elapsed time";
  const double row = number_in(between(printed.table, "  " + per, "\n"), " ([0-9.]+) ×");
  EXPECT_NEAR(row, 1 / gain, 0.006);
  EXPECT_NEAR(printed.json["ratio"]["pace"].get<double>() * factor, 1, 0.01);
  for (const Json& side : printed.json["runs"]) {
    EXPECT_EQ(side["pace"]["basis"], "elapsed");
    const double each = side["elapsed_ns"].get<double>() / side["iterations"].get<double>();
    EXPECT_NEAR(side["pace"]["ns"].get<double>() / each, 1, 0.01);
  }
  // The page's headline, in either direction: "1.25 × faster per iteration, by elapsed time".
  const std::string tiles = between(printed.page, "class=\"tiles three\"", "</div></div>");
  const std::string basis = per_sample ? "per sample, by elapsed time" : "per iteration, by elapsed time";
  EXPECT_THAT(tiles, HasSubstr("<em>" + basis + "</em>"));
  EXPECT_THAT(tiles, HasSubstr(gain >= 1 ? "<span>faster</span>" : "<span>slower</span>"));
  const double headline = number_in(tiles, "<b>([0-9.]+)<small>×</small></b>");
  EXPECT_NEAR(headline / std::max(gain, 1 / gain), 1, 0.01);
  const std::string beside = between(printed.page, "<td>" + basis + "</td>", "</tr>");
  EXPECT_NEAR(number_in(beside, "([0-9.]+)\u202f×</td>"), 1 / gain, 0.006);
  // A row that neither side has a number for is left out.
  for (const char* of_issuing : {"iteration, median</td>", "iteration, 99th percentile</td>"}) {
    if (printed.page.find(of_issuing) == std::string::npos) continue;
    EXPECT_THAT(between(printed.page, of_issuing, "</tr>"), Not(HasSubstr("×")));
  }
}

// A run of one side, and all its outputs: what `run --experiment` prints, except predictions, which take long.
struct RunSide {
  RunSide(const experiment::Experiment& experiment, experiment::Side side)
      : run(side_options(experiment, side, {.device = {}, .iterations = 40, .assignments = {}})) {
    run.run();
    figures = run.figures();
    figures.advice = run.advice(figures);
    figures.breakdown = run.breakdown(figures);
    figures.idle = idle_ledger(run.trace(), run.analysis(), figures.summary);
  }
  experiment::MeasuredRun run;
  RunFigures figures;
};

// By elapsed time 1.25, 1.08, 1.08 and 6.0 times as fast; by CPU iterations it was 14.95, 1.98, 6.66 and 11.05.
TEST_F(OneAnswer, IsTheStopwatchsWhereTheQueueFills) {
  for (const auto& [id, factor] :
       {std::pair{"P01", 1.25}, std::pair{"P02", 1.08}, std::pair{"P21", 1.08}, std::pair{"S0-plot", 6.0}}) {
    SCOPED_TRACE(id);
    const Told printed = told({"run", "--experiment", id});
    EXPECT_NEAR(elapsed_factor(printed.json), factor, 0.02 * factor);
    expect_by_elapsed(printed);
    EXPECT_TRUE(printed.json["runs"][1]["iteration_ns"]["mean"].is_null());
    EXPECT_THAT(printed.page, HasSubstr("an iteration of the CPU takes as long as issuing it does"));
  }
}

TEST_F(OneAnswer, OfAllExperiments) {
  ASSERT_GT(experiment::experiments().size(), 30u);
  std::size_t cards = 0;
  for (const experiment::Experiment& experiment : experiment::experiments()) {
    SCOPED_TRACE(experiment.id);
    std::array<std::unique_ptr<RunSide>, 2> runs;
    for (const auto side : {experiment::Side::Before, experiment::Side::After})
      runs[static_cast<std::size_t>(side)] = std::make_unique<RunSide>(experiment, side);
    const std::string table = comparison_table(runs[0]->figures, runs[1]->figures, Style{});
    const Json json = comparison_json(runs[0]->figures, runs[1]->figures);
    html::Page page{.title = {}, .command = {}, .runs = {}, .experiment = nullptr, .ended_early = false};
    for (const auto& side : runs) page.runs.push_back(html::page_run(side->run, side->figures, "a side"));
    const std::string page_text = html::page_text(page);
    const bool comparable = json["gain"]["factor"].is_number();  // the sides do the same work
    if (comparable) expect_by_elapsed({table, page_text, json});
    std::array<ui::SharedSnapshot, 2> snapshots;
    for (std::size_t s = 0; s < 2; ++s) {
      SCOPED_TRACE(s == 0 ? "before" : "after");
      const Json& side = json["runs"][s];
      expect_in_table(table, side, false);
      expect_on_page(page_text, side);
      const std::filesystem::path file = folder_ / "t.json";
      io::write_chrome_trace(file, runs[s]->run.trace(), runs[s]->run.facts());
      const Outcome reported = run({"report", "t.json", "--lang", "en"});
      ASSERT_EQ(reported.status, 0) << reported.err;
      expect_in_table(reported.out, side);
      const Window window(file);
      expect_same(window, side);
      cards += window.advice.cards().size();
      const auto plan = ui::plan_snapshot(window.model);
      ASSERT_TRUE(plan.has_value());
      snapshots[s] = ui::take_snapshot(*plan);
    }
    const auto& [before, after] = snapshots;
    ASSERT_TRUE(json["ratio"]["pace"].is_number());
    EXPECT_EQ(gain_between(*before, *after).comparable, comparable);
    if (!comparable) {
      EXPECT_THAT(page_text, Not(HasSubstr("class=\"tiles three\"")));
      continue;
    }
    EXPECT_DOUBLE_EQ(after->mean_ns() / before->mean_ns(), json["ratio"]["pace"].get<double>());
    const std::string basis = factor_basis(before->summary.pace, after->summary.pace);
    EXPECT_TRUE(has(table, "per iteration, " + basis));
    const std::string per = json["gain"]["per"].get<std::string>();
    EXPECT_TRUE(has(page_text, "per " + per + ", " + basis));
    const analysis::Gain gain = gain_between(*before, *after);
    EXPECT_DOUBLE_EQ(gain.factor, json["gain"]["factor"].get<double>());
    EXPECT_EQ(gain.per_sample, per == "sample");
    EXPECT_THAT(headline(*before, *after), HasSubstr(", " + basis));
    if (HasFailure()) return;
  }
  EXPECT_GT(cards, 50u) << "there is something to compare";
}

// Nothing is lost in a file, except what only the workload knows; even the predicted gain of a trial is the same. P14's
// stopwatch times the warm-up, P20's copies are far below the rate of its link.
TEST_F(OneAnswer, OfAReportOfTheSameTrace) {
  for (const std::string id : {"P09", "P14", "P20"}) {
    SCOPED_TRACE(id);
    const Outcome outcome = run({"run", "--experiment", id, "--side", "before", "--lang", "en", "--iterations", "40",
                                 "--json", "run.json", "--trace", "t.json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Json ran = Json::parse(text_of(folder_ / "run.json"));
    const Told told = report("t.json");
    expect_in_table(told.table, told.json);
    expect_on_page(told.page, told.json);
    const auto compared = [](const Json& json) {
      return without(json, {"source", "own", "loss", "experiment", "side", "published", "in_pytorch"});
    };
    expect_equal(compared(told.json), compared(ran));
    EXPECT_FALSE(told.json["advice"]["cards"].empty());
  }
}

// Other programs' traces, and the included traces of a real GPU.
TEST_F(OneAnswer, OfTracesFromElsewhere) {
  for (const std::string& file : {kData + "pytorch-alexnet.json.gz", kData + "pytorch-event-sync.json.gz",
                                  kData + "pytorch-ns-resolution.json.gz", kCaptures + "h200--iris-mlp--log-1.json.gz",
                                  kCaptures + "h200--linear-mse--log-100.json.gz"}) {
    SCOPED_TRACE(file);
    const Told told = report(file);
    expect_in_table(told.table, told.json);
    expect_on_page(told.page, told.json);
    const Window window(file);
    expect_same(window, told.json);
  }
}

}  // namespace
}  // namespace lanescope::app::test
