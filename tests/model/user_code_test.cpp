// The code beside a program of the user's: its file, what its lines cost, which line an event is of.
#include <gmock/gmock.h>

#include <thread>

#include "inspect/event_ref.h"
#include "io/session_file.h"
#include "model/code/call_stack.h"
#include "model/code/code_state.h"
#include "model/details/event_facts.h"
#include "model/model.h"
#include "model/watched_program.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using ui_test::WatchedProgram;

class UserCodeTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    situation_.seen = true;
    situation_.animation = false;
    show(false);
  }
  void show(bool elsewhere) {
    auto program = std::make_unique<WatchedProgram>(folder_, elsewhere);
    program_ = program.get();
    model_.show(std::move(program));
    code_.files.set_folders({folder_});
    program_->play(40);
    now_ = CodeState::Clock::now();
  }
  void update() {
    now_ += std::chrono::seconds(1);
    model_.update();
    code_.update(model_, situation_, now_);
    code_.went_to.reset();
  }
  bool until(const std::function<bool()>& done) {
    for (int i = 0; i < 5000 && !done(); ++i) {
      update();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done();
  }
  bool until_costs() {
    return until([&] { return code_.cost(7) != nullptr && !code_.busy(); });
  }
  EventRef event(trace::LaneId lane, trace::EventIndex i) {
    return event_ref(lane, 0, model_.trace().lane(lane).row(0), i);
  }
  void expect_cost(std::size_t line, double cpu, double wait, double gpu) {
    SCOPED_TRACE(line + 1);
    const LineCost* cost = code_.cost(line);
    ASSERT_NE(cost, nullptr);
    EXPECT_NEAR(cost->ns[0], cpu * 1e3, 1);
    EXPECT_NEAR(cost->ns[1], wait * 1e3, 1);
    EXPECT_NEAR(cost->ns[2], gpu * 1e3, 1);
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "user_code";
  Model model_;
  CodeState code_;
  WatchedProgram* program_ = nullptr;  // the model's
  CodeState::Situation situation_;
  CodeState::Clock::time_point now_;
};

// As in WatchedProgram, in µs: line 2 issues for 10 and its kernel runs for 300; line 7 for 20 and 100; line 8 has 10
// of its own and waits for 230.
TEST_F(UserCodeTest, TheFileThatWaitsMostWithTheCostsOfItsLines) {
  ASSERT_TRUE(until_costs());
  EXPECT_TRUE(code_.of_user());
  EXPECT_EQ(code_.file(), "train.py");
  EXPECT_FALSE(code_.per_second());
  ASSERT_EQ(code_.code().size(), 9u);
  EXPECT_EQ(code_.code()[7].text, "print(loss.item())");
  EXPECT_EQ(code_.code()[7].indent, 2);
  expect_cost(1, 10, 0, 300);
  expect_cost(6, 20, 0, 100);
  expect_cost(7, 10, 230, 0);
  EXPECT_EQ(code_.cost(5), nullptr) << "line 6 only calls line 2";
  // The other file is a library.
  ASSERT_EQ(code_.user_files().size(), 2u);
  EXPECT_EQ(code_.user_files()[0].path, "train.py");
  EXPECT_TRUE(code_.user_files()[1].library);
  // 300 of 10 + 20 + 240 is what the longest bar is of; the line that waits has 240 of the 270 on the CPU.
  EXPECT_NEAR(code_.share(7), 240.0 / 270, 1e-6);
  EXPECT_FLOAT_EQ(code_.bar(1, CodeFigure::Gpu), 1);
}

// A session file has the stacks of the calls: the code view shows the same as while the program ran.
TEST_F(UserCodeTest, ARecordingHasTheProgramsCodeToo) {
  ASSERT_TRUE(until_costs());
  const std::size_t lines = code_.code().size();
  const fs::path file = folder_ / "run.lanescope";
  io::write_session(file, model_.trace(), {});
  model_.open_file(file);
  ASSERT_EQ(model_.source().watching(), nullptr);
  ASSERT_TRUE(until_costs());
  EXPECT_EQ(code_.code().size(), lines);
}

TEST_F(UserCodeTest, AnEventHasItsLine) {
  ASSERT_TRUE(until_costs());
  situation_.selected = event(program_->kernels_lane(), 1);  // of line 7
  update();
  EXPECT_EQ(code_.pointed_to(), 6u);
  EXPECT_EQ(code_.light().basis, CodeLight::Basis::Instant);
  EXPECT_EQ(code_.light().lines[6], 1);
  situation_.selected.reset();
  situation_.instant = 5 * WatchedProgram::kMs + 400 * WatchedProgram::kUs;  // in the wait
  update();
  EXPECT_EQ(code_.light().lines[7], 1);
  EXPECT_EQ(code_.light().lines[6], 0);
}

TEST_F(UserCodeTest, ACallThatDoesNotReturnLightsItsLine) {
  ASSERT_TRUE(until_costs());
  EXPECT_EQ(code_.light().basis, CodeLight::Basis::Share);
  program_->hang();
  update();
  EXPECT_EQ(code_.light().basis, CodeLight::Basis::Running);
  EXPECT_EQ(code_.light().lines[7], 1);
}

TEST_F(UserCodeTest, AnotherFileIsShownWhenItIsChosenUntilAnEventIsSelected) {
  ASSERT_TRUE(until_costs());
  code_.show_file(code_.user_files()[1].path, 99);
  update();
  EXPECT_TRUE(code_.code().empty()) << "it is not there";
  situation_.selected = event(program_->calls_lane(), 0);
  update();
  EXPECT_EQ(code_.file(), "train.py");
  EXPECT_EQ(code_.pointed_to(), 1u);
}

TEST_F(UserCodeTest, AFileThatIsElsewhereIsShownWhenItWasFound) {
  fs::remove_all(folder_);
  show(true);
  ASSERT_TRUE(until([&] { return !code_.file().empty(); }));
  EXPECT_TRUE(code_.code().empty());
  const fs::path other = fs::path(testing::TempDir()) / "user_code_moved";
  fs::create_directories(other);
  std::ofstream(other / "train.py") << WatchedProgram::kText;
  const MovedSources moved = moved_with(code_.files.absolute("train.py"), other / "train.py");
  EXPECT_EQ(moved, (MovedSources{folder_.string(), other.string()}));
  code_.files.set_moved({moved});
  ASSERT_TRUE(until_costs());
  EXPECT_EQ(code_.code().size(), 9u);
}

TEST(UserFilesTest, ATraceDoesNotLeadToTheKernelsFiles) {
  UserFiles files;
  EXPECT_TRUE(files.find(__FILE__));
  EXPECT_TRUE(files.find("/proc/self/status"));
  EXPECT_EQ(files.lines("/proc/self/status"), nullptr) << "reading such a file may never end";
}

TEST(MovedSourcesTest, WhatThePathsHaveInCommonHasMoved) {
  EXPECT_EQ(moved_with("/a/b/src/x.py", "/c/src/x.py"), (MovedSources{"/a/b", "/c"}));
  EXPECT_EQ(moved_with("/a/x.py", "/c/y.py"), (MovedSources{"/a/x.py", "/c/y.py"}));
}

TEST_F(UserCodeTest, TheDetailsOfACallHaveItsStack) {
  ASSERT_TRUE(until_costs());
  const trace::Links& links = model_.analysis().links();
  const EventFacts facts = event_facts(links, event(program_->kernels_lane(), 0), std::nullopt, 0, 0, &code_.files);
  ASSERT_EQ(facts.stack.lines.size(), 4u);
  ASSERT_NE(facts.stack.own_line(), nullptr);
  EXPECT_EQ(facts.stack.own_line()->sentence(), "train.py:2 in forward()");
  EXPECT_EQ(facts.stack.own_line()->source, "return gemm(x)");
  EXPECT_TRUE(facts.stack.lines[0].library);
  EXPECT_THAT(facts_text(model_.trace(), facts), HasSubstr("called from, innermost first:\n"
                                                           "  nn.py:99 in linear()\n"
                                                           "  train.py:2 in forward()  return gemm(x)\n"
                                                           "  train.py:6 in main()  out = forward(batch)\n"
                                                           "  train.py:9 in <module>  main()\n"));
}

}  // namespace
}  // namespace lanescope::ui
