// The parts of the headless program that do not need a separate process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "app/argument_checks.h"
#include "app/reports.h"
#include "app/table.h"
#include "app/terminal_output.h"
#include "base/platform/terminal.h"

namespace lanescope::app {
namespace {

TEST(Table, AlignsNumbersAtTheirPointsAndUnitsBehindThem) {
  Table table;
  table.row("elapsed", {measured("162.2 ms")});
  table.row("busy", {measured("94.61 µs", "58 %")});
  table.row("iterations", {{"1,000", {}, {}}});
  EXPECT_EQ(table.text({}),
            "  elapsed        162.2  ms\n"
            "  busy            94.61 µs  58 %\n"
            "  iterations   1,000\n");
}

TEST(Table, TitlesStandOverTheirColumnsAndWidenThem) {
  Table table;
  table.titles({"log_interval=1", "ratio"});
  table.row("a", {measured("1 s"), {"0.5", "×", {}}});
  table.gap();
  table.row("bb", {measured("10 s"), {"12.25", "×", {}}});
  EXPECT_EQ(table.text({}),
            "       log_interval=1   ratio\n"
            "  a     1 s              0.5  ×\n"
            "\n"
            "  bb   10 s             12.25 ×\n");
}

TEST(Table, ColoursTakeNoRoom) {
  Table table;
  table.row("a", {measured("1 s")});
  EXPECT_EQ(table.text({"<b>", "<d>", "<a>", "</>"}), "  <d>a</>   1 s\n");
}

TEST(DefinitionList, WrapsUnderItself) {
  EXPECT_EQ(definition_list({{"pinned", {"true, false", "page-locked host memory is quick"}}, {"x", {"y"}}}, 26, {}),
            "  pinned  true, false\n"
            "          page-locked host\n"
            "          memory is quick\n"
            "  x       y\n");
}

TEST(DisplayWidth, CountsLettersAndNotBytes) { EXPECT_EQ(display_width("12 µs ×"), 7u); }

TEST(DisplayWidth, AChineseCharacterTakesTwoColumns) { EXPECT_EQ(display_width("损失 ab，"), 9u); }

// Of 10 columns: three characters and their comma are 8, a fourth with its own comma would make 12.
TEST(Wrapped, BreaksBetweenWordsAndBetweenChineseCharacters) {
  using testing::ElementsAre;
  EXPECT_THAT(wrapped("a read each  iteration", 7), ElementsAre("a read", "each", "iteration"));
  EXPECT_THAT(wrapped("每次读，取，损失 loss 的值", 10), ElementsAre("每次读，", "取，损失", "loss 的值"));
  EXPECT_THAT(wrapped("", 10), ElementsAre(""));
}

TEST(FigureNumber, HasUpToFourDigits) {
  EXPECT_EQ(figure_number(3.4), "3.4");
  EXPECT_EQ(figure_number(0.000412), "0.000412");
  EXPECT_EQ(figure_number(16.1543), "16.15");
  EXPECT_EQ(figure_number(1600.4), "1,600");
}

TEST(Table, ARemarkStandsBehindTheLastColumn) {
  Table table;
  table.titles({"ours", "quality"});
  table.row("a", {measured("1 s")}, "estimate");
  EXPECT_EQ(table.text({}),
            "      ours   quality\n"
            "  a   1 s    estimate\n");
}

TEST(OneLine, HasNoControlCharacters) { EXPECT_EQ(one_line("a\nb\t\x1b[31mc\x7f\u00b5"), "a b  [31mc \u00b5"); }

TEST(ForTerminal, NamesDoNotSteerIt) {
  EXPECT_EQ(for_terminal("\033[1mtitle\033[0m\n"), "\033[1mtitle\033[0m\n") << "what a Style has";
  EXPECT_EQ(for_terminal("a\033]52;c;x\007\u009b2J\tb\n"), "a ]52;c;x  2J b\n");
  EXPECT_EQ(for_terminal("gemm\u202e5\u2066"), "gemm 5 ") << "the direction of writing";
  EXPECT_EQ(for_terminal("a\x9b"
                         "2Jb\xff"),
            "a 2Jb\xff")
      << "for terminals without UTF-8";
  EXPECT_EQ(one_line("a\u202e\x9b\u2029z"), "a   z");
  for (const char* text : {"损失 ✓", "µs ×", "🙂"}) {
    EXPECT_EQ(for_terminal(text), text);
    EXPECT_EQ(one_line(text), text);
  }
}

// A quarter of the work took 2 s, so three quarters take 6 s more; 24 columns hold 6 signs for a quarter.
TEST(ProgressLine, SaysHowMuchIsDoneAndLeft) {
  EXPECT_EQ(progress_line("loop", 500'000, 2'000'000, 2.0),
            "loop  [######..................]  25 %  500,000 of 2,000,000 iterations, 6 s left");
  EXPECT_EQ(progress_line("loop", 0, 10, 2.0), "loop  [........................]   0 %  0 of 10 iterations");
  EXPECT_EQ(progress_line("loop", 10, 10, 2.0),
            "loop  [########################] 100 %  10 of 10 iterations, 0 s left");
  EXPECT_EQ(progress_line("loop", 0, 12, 2.0, "points"), "loop  [........................]   0 %  0 of 12 points");
}

TEST(ComparisonPath, StandsBeforeTheWholeExtension) {
  EXPECT_EQ(comparison_path("loop.json.gz"), "loop-compare.json.gz");
  EXPECT_EQ(comparison_path("out/loop.json"), "out/loop-compare.json");
  EXPECT_EQ(comparison_path("a.b/loop"), "a.b/loop-compare");
  EXPECT_EQ(comparison_path("x.gz"), "x-compare.gz");
  EXPECT_EQ(comparison_path(""), "");
}

TEST(Interrupt, NotesTheFirstSignalAndLeavesTheSecondToTheSystem) {
  struct sigaction before = {}, during = {};
  sigaction(SIGINT, nullptr, &before);
  {
    const base::Interrupt interrupt;
    EXPECT_FALSE(interrupt.asked());
    raise(SIGINT);
    EXPECT_TRUE(interrupt.asked());
    sigaction(SIGINT, nullptr, &during);
    EXPECT_EQ(during.sa_handler, SIG_DFL);
  }
  const base::Interrupt again;
  EXPECT_FALSE(again.asked());
}

TEST(Interrupt, AnIgnoredSignalStaysIgnored) {
  std::signal(SIGINT, SIG_IGN);
  {
    const base::Interrupt interrupt;
    raise(SIGINT);
    EXPECT_FALSE(interrupt.asked());
  }
  EXPECT_EQ(std::signal(SIGINT, SIG_DFL), SIG_IGN);
}

}  // namespace
}  // namespace lanescope::app
