// A figure that is described once is on every surface.
#include "analysis/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "app/html_page.h"
#include "app/reports.h"
#include "experiment/named_figure.h"
#include "inspect/difference.h"
#include "window/panels/details/details_panels.h"

namespace lanescope::app::test {
namespace {

using namespace analysis;
using testing::AllOf;
using testing::HasSubstr;

// Eight seconds with four iterations, of which a quarter is spent napping.
TEST(AFigure, ThatIsAddedInOnePlaceIsEverywhere) {
  const AddedFigure added(
      {.key = "napping_ns",
       .name = "napping_percent",
       .label = "napping",
       .of = FigureOf::Cpu,
       .group = FigureGroup::Cpu,
       .total = [](const Summary& s) { return std::optional(static_cast<double>(s.window_ns()) / 4); }});
  RunFigures run;
  Summary& summary = run.summary;
  summary.to_ns = 8 * base::kSecond;
  summary.iteration.count = 4;
  summary.pace = {PaceBasis::Elapsed, 2e9, 4};
  summary.verdict.kind = VerdictKind::GpuBound;

  EXPECT_THAT(run_table(run, Style{}), testing::ContainsRegex("napping +2 +s +25 %"));
  EXPECT_EQ(summary_json(run)["napping_ns"], 2'000'000'000);
  EXPECT_EQ(comparison_json(run, run)["ratio"]["napping_ns"], 1);
  html::Page page{.title = {}, .command = {}, .runs = {}, .experiment = nullptr, .ended_early = false};
  const trace::Trace trace;
  const analysis::LiveAnalysis analysis(trace);
  for (html::PageRun& one : page.runs = std::vector<html::PageRun>(2)) {
    one.figures = run;
    one.trace = &trace;
    one.analysis = &analysis;
  }
  EXPECT_THAT(html::page_text(page), AllOf(HasSubstr("<td>napping</td>"), HasSubstr("25\u202f%")));
  const std::vector<ui::FigureLine> lines = ui::figure_lines(std::array<const Summary*, 1>{&summary});
  EXPECT_THAT(lines, testing::Contains(ui::FigureLine{"napping", {"25 %"}}));
  ui::RunSnapshot snapshot;
  snapshot.summary = summary;
  const auto rows = ui::difference_rows(snapshot, nullptr);
  EXPECT_TRUE(
      std::ranges::any_of(rows, [](const ui::DifferenceRow& r) { return r.name == "napping" && r.a == 0.5e9; }));
  EXPECT_EQ(experiment::figure_info("napping_percent").unit, "%");
  EXPECT_EQ(experiment::figure_value("napping_percent", {summary, {}, 0}), 25);
}

}  // namespace
}  // namespace lanescope::app::test
