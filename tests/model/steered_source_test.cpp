// A followed recording whose recorder can be steered: this process, which listens as one does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "attach/steered.h"
#include "io/scratch.h"
#include "io/session_file.h"
#include "model/followed_source.h"
#include "until.h"

namespace lanescope::ui {
namespace {

using testing::HasSubstr;

attach::AttachState of_one_loop() {
  attach::ProcessState process;
  process.pid = 4711;
  process.uses_gpu = true;
  process.folder = "/project";
  process.loops = {{{2, 7, false, 41}, "train.py:41 for batch in loader", base::kMillisecond, 3000, 12}};
  attach::AttachState state;
  state.processes = {process};
  return state;
}

class SteeredSourceTest : public io::Scratch {
 protected:
  SteeredSourceTest() {
    writer_ = std::make_unique<io::SessionWriter>(file("run.lanescope"), written_);
    server_ = std::make_unique<attach::SteeringServer>(program_, folder_ / attach::kSteeringSocket);
    Followed what;
    what.file = file("run.lanescope");
    what.command.words = {"python", "train.py"};
    what.recorder = ::getpid();
    source_ = std::make_unique<FollowedSource>(what);
  }
  Source& source() { return *source_; }
  void start() {
    source().growth()->start();
    ASSERT_TRUE(until([&] { return source().watching() != nullptr; }));
  }

  trace::Trace written_;
  attach::Steered program_{of_one_loop()};
  std::unique_ptr<io::SessionWriter> writer_;
  std::unique_ptr<attach::SteeringServer> server_;
  std::unique_ptr<Source> source_;
};

TEST_F(SteeredSourceTest, IsWatchedFromTheFirstAnswerOnAndPassesChangesOn) {
  EXPECT_EQ(source().watching(), nullptr) << "nobody has asked yet";
  start();
  Watching& watching = *source().watching();
  EXPECT_TRUE(watching.controls().reached);
  EXPECT_TRUE(watching.controls().only_if_asked);
  EXPECT_EQ(watching.command().words, (std::vector<std::string>{"python", "train.py"}));
  ASSERT_EQ(watching.watched().processes.size(), 1u);
  EXPECT_EQ(watching.watched().processes[0].folder, "/project");

  // Somebody else changes the share: it is shown, and stays.
  program_.set_intensity({wire::Level::Acquire, 0.5, true});
  ASSERT_TRUE(until([&] { return watching.intensity().share == 0.5; }));
  attach::Intensity wanted = watching.intensity();
  wanted.launch_lines = false;
  watching.set_intensity(wanted);
  ASSERT_TRUE(until([&] { return !program_.intensity().launch_lines; }));
  EXPECT_EQ(program_.intensity(), (attach::Intensity{wire::Level::Acquire, 0.5, false}));

  watching.record_for(5 * base::kSecond);
  watching.choose_loop(4711, attach::LoopKey{2, 7, false, 41});
  ASSERT_TRUE(until([&] { return program_.state().processes[0].chosen.has_value(); }));
  EXPECT_EQ(program_.boosted_ns(), 5 * base::kSecond);
  ASSERT_TRUE(until([&] { return watching.watched().processes[0].chosen.has_value(); }));
  EXPECT_EQ(watching.boosted_ns(), 5 * base::kSecond);
  EXPECT_EQ(watching.controls().sentence, "");
}

TEST_F(SteeredSourceTest, AChangeThatIsNotMadeIsASentence) {
  start();
  Watching& watching = *source().watching();
  watching.choose_loop(4711, attach::LoopKey{9, 9, false, 9});
  ASSERT_TRUE(until([&] { return watching.controls().sentence.find("was not made") != std::string::npos; }));
  EXPECT_THAT(watching.controls().sentence, HasSubstr("That loop is not known"));
  EXPECT_TRUE(watching.controls().reached);
}

TEST_F(SteeredSourceTest, ARecorderThatNoLongerAnswersCannotBeSteered) {
  start();
  server_.reset();
  ASSERT_TRUE(until([&] { return !source().watching()->controls().reached; }));
  EXPECT_THAT(source().watching()->controls().sentence, HasSubstr("cannot be steered"));
}

TEST_F(SteeredSourceTest, AfterTheEndNothingIsChanged) {
  start();
  writer_->finish({});
  ASSERT_TRUE(until([&] { return !source().growth()->running(); }));
  Watching& watching = *source().watching();
  EXPECT_FALSE(watching.controls().reached);
  EXPECT_EQ(watching.controls().sentence, "");
  EXPECT_TRUE(watching.watched().ended);
  watching.record_for(base::kSecond);
  EXPECT_FALSE(watching.controls().changing);
  EXPECT_EQ(program_.boosted_ns(), 0);
}

}  // namespace
}  // namespace lanescope::ui
