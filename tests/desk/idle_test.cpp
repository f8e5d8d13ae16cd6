// Where the GPU idles, in an opened trace: rows that add up, and a click that shows the longest gap.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

using analysis::IdleLedger;
using ::testing::HasSubstr;

class IdleTest : public DeskTest {
 protected:
  void open(const char* file) {
    state().requests.files = {std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests/data" / file};
    ASSERT_TRUE(desk().until([&] { return desk().has_place("idle.sum"); }));
    ASSERT_TRUE(desk().until([&] { return !state().idle.busy() && !state().view.moving(); }));
  }
  const IdleLedger& ledger() { return state().idle.ledger(); }
  bool in_view(const analysis::Bubble& gap) { return axis().begin_ns() < gap.start_ns && gap.end_ns < axis().end_ns(); }
};

// The trace's own numbers: 79 kernels on an A100 in 12.9 s. Its idle time is counted by the tests of the analysis.
TEST_F(IdleTest, ARowShowsItsLongestGapAndThenTheOthers) {
  open("pytorch-alexnet.json.gz");
  ASSERT_EQ(ledger().rows.size(), analysis::kIdleRows);
  Nanoseconds sum = ledger().other.idle_ns;
  for (const analysis::IdleRow& row : ledger().rows) sum += row.idle_ns;
  EXPECT_EQ(sum, model().recent().judged.span_ns() - model().recent().judged.busy_ns);
  EXPECT_LT(desk().place("idle.title").y, desk().place("verdict").y) << "first of all";

  desk().click("idle.0");
  ASSERT_TRUE(state().selection.bubble);
  EXPECT_EQ(state().selection.bubble->start_ns, ledger().rows[0].longest.start_ns);
  EXPECT_THAT(state().selection.caption, HasSubstr("longest of the 15 gaps of aten::cudnn_convolution"));
  ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  EXPECT_TRUE(in_view(*state().selection.bubble));
  // The gap has the middle third.
  EXPECT_NEAR(axis().to_px(state().selection.bubble->end_ns) - axis().to_px(state().selection.bubble->start_ns),
              axis().width_px() / (3 * 1.25f), 2);
  EXPECT_TRUE(desk().has_place("idle.0")) << "the row stays where it was clicked";
  EXPECT_LT(desk().place("idle.0").y, desk().place("verdict").y);

  const Nanoseconds longest = state().selection.bubble->start_ns;
  desk().key(key::Period, kShift);
  EXPECT_NE(state().selection.bubble->start_ns, longest);
  EXPECT_THAT(state().selection.caption, HasSubstr(" of 15 of aten::cudnn_convolution"));
  for (int i = 0; i < 14; ++i) desk().key(key::Period, kShift);
  EXPECT_EQ(state().selection.bubble->start_ns, longest) << "after the last comes the first";
  desk().key(key::Comma, kShift);
  desk().key(key::Period, kShift);
  EXPECT_EQ(state().selection.bubble->start_ns, longest);

  desk().key(key::Digit2);
  EXPECT_EQ(state().idle.chosen(), 1u);
  EXPECT_EQ(state().selection.bubble->start_ns, ledger().rows[1].longest.start_ns);
  desk().click("idle.5");
  EXPECT_EQ(state().selection.bubble->start_ns, ledger().other.longest.start_ns);
}

// 60 steps of 1 ms, the 31st with 50 ms more: a row below the others, whose click shows it.
TEST_F(IdleTest, WhatHappensOnceIsARowOfItsOwn) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "once.json";
  {
    std::ofstream out(file);
    out << R"({"schemaVersion":1,"traceEvents":[)";
    int now = 0;
    for (int i = 0; i < 60; ++i) {
      const int takes = i == 30 ? 51'000 : 1'000;
      const char* const format =
          R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})";
      out << (i > 0 ? "," : "")
          << fmt::format(fmt::runtime(format), "user_annotation", fmt::format("ProfilerStep#{}", i), 100, 100, now,
                         takes, "")
          << ','
          << fmt::format(fmt::runtime(format), "cuda_runtime", "cudaLaunchKernel", 100, 100, now + 10, 5,
                         fmt::format("\"correlation\":{}", i + 1))
          << ','
          << fmt::format(fmt::runtime(format), "kernel", "gemm", 0, 7, now + 20, 500,
                         fmt::format("\"correlation\":{},\"device\":0,\"stream\":7", i + 1));
      now += takes;
    }
    out << "]}";
  }
  state().requests.files = {file};
  ASSERT_TRUE(desk().until([&] { return desk().has_place("rare.0"); }));
  EXPECT_GT(desk().place("rare.0").y, desk().place("idle.sum").y);
  ASSERT_TRUE(desk().until([&] { return !state().idle.busy() && !state().view.moving(); }));
  desk().click("rare.0");
  const analysis::TimeSpan longest = model().once()->rows[0].longest;
  EXPECT_EQ(longest.length(), 51'000'000);
  EXPECT_EQ(state().selection.range, std::pair(longest.from, longest.to));
  ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  EXPECT_LT(axis().begin_ns(), longest.from);
  EXPECT_GT(axis().end_ns(), longest.to);
  std::filesystem::remove(file);
}

TEST_F(IdleTest, AnOwnRunKeepsItsPanelAndItsView) {
  wait_for_iterations(20);
  EXPECT_FALSE(desk().has_place("idle.title"));
  const ui::ViewMode mode = state().view.mode();
  desk().key(key::Digit1);
  desk().key(key::Digit3);
  EXPECT_EQ(state().view.mode(), mode);
  EXPECT_FALSE(state().selection.bubble);
  EXPECT_TRUE(state().toast) << "and says why";
}

}  // namespace
}  // namespace lanescope::ui_test
