// A session file that something else writes, shown while it grows.
#include "model/source/followed_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "io/scratch.h"
#include "io/session_file.h"
#include "until.h"

namespace lanescope::ui {
namespace {

using testing::HasSubstr;

class FollowedSourceTest : public io::Scratch {
 protected:
  FollowedSourceTest() {
    writer_ = std::make_unique<io::SessionWriter>(file(), written_);
    trace::LaneInfo info;
    info.kind = trace::LaneKind::Calls;
    info.name = "calls";
    lane_ = written_.add_lane(info);
  }
  std::filesystem::path file() const { return folder_ / "run.lanescope"; }
  void record(Nanoseconds from, int calls) {
    for (int i = 0; i < calls; ++i) {
      const Nanoseconds at = from + i * 1000;
      written_.append({.start_ns = at,
                       .end_ns = at + 500,
                       .name = written_.names().intern("cudaLaunchKernel"),
                       .lane = lane_,
                       .kind = trace::EventKind::Call});
    }
    written_.publish();
    written_.set_complete_until(from + calls * 1000);
    trace::RunFacts facts;
    facts.device_name = "NVIDIA H100";
    facts.version = "";
    trace::CaptureHealth health;
    health.state = trace::CaptureState::Running;
    writer_->append(facts, &health);
  }
  Followed what(pid_t recorder) const {
    Followed what;
    what.file = file();
    what.title = "python train.py";
    what.recorder = recorder;
    return what;
  }
  /// A process that has ended.
  static pid_t ended_process() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    int status = 0;
    ::waitpid(child, &status, 0);
    return child;
  }

  trace::Trace written_;
  trace::LaneId lane_ = 0;
  std::unique_ptr<io::SessionWriter> writer_;
};

TEST_F(FollowedSourceTest, GrowsWithItsFileAndEndsWithIt) {
  record(0, 10);
  FollowedSource followed(what(::getpid()));
  Source& source = followed;
  EXPECT_EQ(source.title(), "python train.py");
  EXPECT_EQ(source.steering(), nullptr);
  EXPECT_EQ(source.watching(), nullptr);
  source.growth()->start();
  ASSERT_TRUE(until([&] { return source.growth()->live_edge_ns() == 10'000; }));
  EXPECT_EQ(source.device().name, "NVIDIA H100");
  EXPECT_EQ(source.capture_monitor()->health().state, trace::CaptureState::Running);
  EXPECT_GE(source.growth()->now_ns(), 10'000) << "time goes on while nothing arrives";
  record(10'000, 10);
  ASSERT_TRUE(until([&] { return source.growth()->live_edge_ns() == 20'000; }));
  EXPECT_EQ(source.trace().counts().recorded, 20u);
  EXPECT_TRUE(source.growth()->running());
  EXPECT_THAT(source.words().sentence, HasSubstr("process " + std::to_string(::getpid())));
  writer_->finish({});
  ASSERT_TRUE(until([&] { return !source.growth()->running(); }));
  EXPECT_EQ(source.growth()->now_ns(), source.growth()->live_edge_ns());
  EXPECT_THAT(source.words().sentence, HasSubstr("nothing is missing"));
}

TEST_F(FollowedSourceTest, ARecorderThatHasGoneIsSaid) {
  record(0, 10);
  FollowedSource followed(what(ended_process()));
  Source& source = followed;
  source.growth()->start();
  ASSERT_TRUE(until([&] { return !source.growth()->running(); }));
  EXPECT_EQ(source.trace().counts().recorded, 10u) << "what it has written is shown";
  EXPECT_EQ(source.capture_monitor()->health().state, trace::CaptureState::Lost);
  EXPECT_THAT(source.words().sentence, HasSubstr("may be missing"));
}

TEST_F(FollowedSourceTest, ADamagedFileIsShownUpToThereAndNamed) {
  record(0, 10);
  const auto whole = std::filesystem::file_size(file());
  record(10'000, 10);
  std::filesystem::resize_file(file(), whole);
  {
    std::ofstream damaged(file(), std::ios::binary | std::ios::app);
    damaged << std::string(100, 'x');
  }
  FollowedSource followed(what(::getpid()));
  Source& source = followed;
  source.growth()->start();
  ASSERT_TRUE(until([&] { return !source.growth()->running(); }));
  EXPECT_EQ(source.trace().counts().recorded, 10u);
  EXPECT_THAT(source.words().sentence, HasSubstr("run.lanescope: damaged: chunk "));
}

TEST(FollowedTest, IsNamedByItsCommandWithoutFolders) {
  attach::Recording recording;
  recording.words = {"/usr/bin/python3", "src/train.py", "--data", "/data/all"};
  EXPECT_EQ(followed(recording).title, "python3 train.py --data /data/all");
}

TEST_F(FollowedSourceTest, AMissingFileIsRefused) {
  Followed missing = what(::getpid());
  missing.file = folder_ / "none.lanescope";
  EXPECT_THROW(FollowedSource{missing}, base::FileError);
}

}  // namespace
}  // namespace lanescope::ui
