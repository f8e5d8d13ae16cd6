// A file is read beside the drawing: the window goes on, says how far it is, and can be told to stop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <vector>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

constexpr char kBegin[] = R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"pid":0,"tid":7})";

// The file is a pipe: it gives what the test writes into it, when the test writes it.
class OpeningTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    wait_for_iterations(5);
    path = desk().home() / "slow.json";
    std::filesystem::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    generation = model().generation();
    state().requests.files = {path};
    desk().frames(2);
    ASSERT_TRUE(state().opening.running());
    into.open(path);
    into << kBegin << std::flush;
  }
  void TearDown() override {
    into.close();
    state().opening.cancel();
  }
  void wait_for_the_bar() {
    ASSERT_TRUE(desk().until([&] { return desk().has_place("opening"); }));
  }

  std::filesystem::path path;
  std::ofstream into;
  std::uint64_t generation = 0;
};

TEST_F(OpeningTest, TheRunGoesOnUntilAllOfTheFileIsThere) {
  ASSERT_NO_FATAL_FAILURE(wait_for_the_bar());
  wait_for_iterations(model().analysis().records().size() + 10);
  EXPECT_EQ(model().generation(), generation) << "nothing half-read is shown";
  EXPECT_TRUE(model().live());
  into << "]}" << std::flush;
  into.close();
  ASSERT_TRUE(desk().until([&] { return !model().live(); }));
  desk().frames(2);
  EXPECT_EQ(model().source().file(), path);
  EXPECT_EQ(model().trace().counts().recorded, 1u);
  EXPECT_FALSE(state().opening.running());
  EXPECT_FALSE(desk().has_place("opening"));
}

TEST_F(OpeningTest, WhatHasComeIsShownMeanwhile) {
  ASSERT_NO_FATAL_FAILURE(wait_for_the_bar());
  EXPECT_FALSE(desk().has_place("opening.picture"));
  for (int i = 1; i < 20'000; ++i) {
    into << R"(,{"ph":"X","cat":"kernel","name":"k","ts":)" << 10 * i << R"(,"dur":5,"pid":0,"tid":7})";
  }
  into << std::flush;
  ASSERT_TRUE(desk().until([&] { return desk().has_place("opening.picture"); }));
  EXPECT_TRUE(state().opening.running());
  desk().click("opening.cancel");
  EXPECT_TRUE(desk().until([&] { return !state().opening.running(); }));
  desk().frames(2);
  EXPECT_FALSE(desk().has_place("opening.picture"));
}

TEST_F(OpeningTest, EscapeStopsIt) {
  ASSERT_NO_FATAL_FAILURE(wait_for_the_bar());
  desk().key(key::Escape);
  EXPECT_TRUE(desk().until([&] { return !state().opening.running(); }));
  into << "]}" << std::flush;
  into.close();
  wait_for_iterations(model().analysis().records().size() + 10);
  EXPECT_EQ(model().generation(), generation);
  EXPECT_FALSE(state().toast && state().toast->error) << "it was no mistake";
}

TEST_F(OpeningTest, TheButtonStopsIt) {
  ASSERT_NO_FATAL_FAILURE(wait_for_the_bar());
  desk().click("opening.cancel");
  EXPECT_TRUE(desk().until([&] { return !state().opening.running(); }));
  EXPECT_EQ(model().generation(), generation);
}

TEST_F(OpeningTest, SeveralDroppedFilesAreOneJob) {
  const std::filesystem::path first = LANESCOPE_SOURCE_DIR "/tests/data/ddp-rank0.json.gz";
  const std::filesystem::path second = LANESCOPE_SOURCE_DIR "/tests/data/ddp-rank1.json.gz";
  state().requests.files = {first, second};
  ASSERT_TRUE(desk().until([&] { return model().generation() != generation && !state().opening.running(); }));
  EXPECT_FALSE(model().live());
  EXPECT_EQ(model().analysis().links().owners().gpus().size(), 2u);
  EXPECT_TRUE(desk().until([&] { return state().job.bands().size() == 2u && desk().has_place("job"); }));

  // One that is no trace: it is named, and the two stay.
  const std::filesystem::path bad = desk().home() / "notes.txt";
  std::ofstream(bad) << "remember the milk";
  const std::uint64_t shown = model().generation();
  state().requests.files = {first, bad};
  ASSERT_TRUE(desk().until([&] { return state().toast && state().toast->error; }));
  EXPECT_THAT(state().toast->text, testing::HasSubstr("notes.txt"));
  EXPECT_EQ(model().generation(), shown);
  EXPECT_FALSE(state().opening.running());
}

TEST_F(OpeningTest, ANewRunStopsIt) {
  run({"log_interval=3"});
  EXPECT_FALSE(state().opening.running());
  EXPECT_TRUE(model().live());
}

}  // namespace
}  // namespace lanescope::ui_test
