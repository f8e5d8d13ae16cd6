// Where the GPU idles, in an opened trace: rows that add up, and a click that shows the longest gap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_THAT(state().selection.caption, HasSubstr("longest of the 8 gaps of aten::cudnn_convolution"));
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
  EXPECT_THAT(state().selection.caption, HasSubstr(" of 8 of aten::cudnn_convolution"));
  for (int i = 0; i < 7; ++i) desk().key(key::Period, kShift);
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
