// The three figures of the verdict: there, large, and in their place whatever the verdict.
#include <gmock/gmock.h>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

using analysis::VerdictKind;

class VerdictFiguresTest : public DeskTest {
 protected:
  bool judged(VerdictKind kind) {
    return desk().until([&] { return model().recent().verdict.kind == kind && desk().has_place("verdict.figures"); });
  }
};

TEST_F(VerdictFiguresTest, StayWhereTheyAreWhenTheVerdictChanges) {
  ASSERT_TRUE(judged(VerdictKind::SyncBound));
  const auto& figures = model().recent().verdict.figures;
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[0].label, "idle");
  EXPECT_EQ(figures[2].label, "syncs");
  EXPECT_NEAR(figures[2].value, 1, 0.2);
  // item() is written when it has ended, and known nevertheless.
  ASSERT_TRUE(desk().until([&] { return model().recent().judged.sync_place == "item()"; }));
  const Rect before = desk().place("verdict.figures");
  EXPECT_GT(before.height, 50);

  for (int i = 0; i < 20 && settings().integer("log_interval") < 100; ++i) desk().key(key::RightBracket);
  ASSERT_TRUE(judged(VerdictKind::LaunchBound));
  const Rect after = desk().place("verdict.figures");
  EXPECT_EQ(after.x, before.x);
  EXPECT_EQ(after.y, before.y);
  EXPECT_EQ(after.width, before.width);
  EXPECT_EQ(after.height, before.height);
}

// It reads the loss every 100 iterations: less than that is only a part of a period.
TEST_F(VerdictFiguresTest, SayThatTheyAreOfAPartOfAPeriod) {
  state().requests.experiment = {&experiment::experiment_named("R3"), experiment::Side::Before};
  ASSERT_TRUE(desk().until([&] { return desk().has_place("verdict.so_far"); }));
  EXPECT_EQ(model().recent().pace.basis, analysis::PaceBasis::NoPeriod);
  const float y = desk().place("verdict").y;
  ASSERT_TRUE(desk().until([&] { return model().recent().pace.known(); }));
  desk().frames(2);
  EXPECT_FALSE(desk().has_place("verdict.so_far"));
  EXPECT_EQ(desk().place("verdict").y, y);
}

}  // namespace
}  // namespace lanescope::ui_test
