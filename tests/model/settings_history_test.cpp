#include "model/experiment/settings_history.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace lanescope::ui {
namespace {

/// A run that is looked at once after every change, as in a frame.
class SettingsHistoryTest : public testing::Test {
 protected:
  void SetUp() override { start("linear-mse"); }
  void start(const std::string& workload) {
    session::SessionOptions options;
    options.device = "sim:rtx4090";
    options.workload = workload;
    model_.start_run(options);
    model_.set_paused(true);
    frame();
  }
  void frame(bool held = false) { history_.update(model_, held); }
  void turn(const std::vector<std::string>& assignments, bool held = false) {
    ASSERT_EQ(model_.assign(assignments), "");
    frame(held);
  }
  std::int64_t interval() { return model_.steering()->settings().integer("log_interval"); }
  bool pinned() { return model_.steering()->settings().boolean("pinned"); }

  Model model_;
  SettingsHistory history_;
};

TEST_F(SettingsHistoryTest, GoesBackAndForthStepByStep) {
  EXPECT_FALSE(history_.can_undo());
  EXPECT_EQ(history_.undo(model_), "");
  turn({"log_interval=10"});
  turn({"log_interval=100"});
  EXPECT_EQ(history_.undo(model_), "log interval 100 → 10");
  frame();
  EXPECT_EQ(interval(), 10);
  EXPECT_EQ(history_.undo(model_), "log interval 10 → 1");
  frame();
  EXPECT_EQ(interval(), 1);
  EXPECT_FALSE(history_.can_undo()) << "undoing is no step of its own";
  EXPECT_EQ(history_.redo(model_), "log interval 1 → 10");
  frame();
  EXPECT_EQ(history_.redo(model_), "log interval 10 → 100");
  frame();
  EXPECT_EQ(interval(), 100);
  EXPECT_FALSE(history_.can_redo());
  EXPECT_TRUE(history_.can_undo());
}

// The other side of an experiment, or a card, turns several knobs at once.
TEST_F(SettingsHistoryTest, AStepIsAllThatTurnedAtOnce) {
  turn({"log_interval=100", "pinned=true"});
  EXPECT_EQ(history_.undo(model_), "log interval 100 → 1, pinned memory on → off");
  EXPECT_EQ(interval(), 1);
  EXPECT_FALSE(pinned());
}

TEST_F(SettingsHistoryTest, ADragIsOneStep) {
  turn({"pinned=true"});
  for (const char* on_the_way : {"log_interval=2", "log_interval=10", "log_interval=50"}) turn({on_the_way}, true);
  frame(false);
  turn({"log_interval=100"}, true);  // the next drag
  frame(false);
  EXPECT_EQ(history_.undo(model_), "log interval 100 → 50");
  EXPECT_EQ(history_.undo(model_), "log interval 50 → 1");
  EXPECT_TRUE(pinned());
  EXPECT_EQ(history_.undo(model_), "pinned memory on → off");
}

TEST_F(SettingsHistoryTest, ADragThereAndBackIsNone) {
  turn({"log_interval=10"}, true);
  turn({"log_interval=1"}, true);
  frame(false);
  EXPECT_FALSE(history_.can_undo());
}

TEST_F(SettingsHistoryTest, ANewChangeDropsWhatWasUndone) {
  turn({"log_interval=10"});
  history_.undo(model_);
  frame();
  EXPECT_TRUE(history_.can_redo());
  turn({"pinned=true"});
  EXPECT_FALSE(history_.can_redo());
  EXPECT_EQ(history_.undo(model_), "pinned memory on → off");
}

TEST_F(SettingsHistoryTest, BelongsToItsRun) {
  turn({"log_interval=10"});
  model_.start(*model_.restart());  // the same run once more
  frame();
  EXPECT_EQ(interval(), 10);
  EXPECT_TRUE(history_.can_undo());
  start("transfer-loop");
  EXPECT_FALSE(history_.can_undo());
}

}  // namespace
}  // namespace lanescope::ui
