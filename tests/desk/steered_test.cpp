// A window on a recording that goes on, here and on another machine, changes how much is recorded.
#ifdef LANESCOPE_FAKES
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <vector>

#include "attach/recordings.h"
#include "attach/steering_link.h"
#include "desk/desk.h"
#include "model/followed_source.h"

namespace lanescope::ui_test {
namespace {

using testing::HasSubstr;
using trace::LaneKind;

constexpr const char* kTrain = LANESCOPE_SOURCE_DIR "/tests/inject/train.py";

std::map<std::string, std::string> on_fake_gpu() {
  return {{"FAKE_GPU_LIBRARIES", LANESCOPE_FAKES}, {"LANESCOPE_CUPTI", LANESCOPE_FAKES "/libcupti.so.13"}};
}
std::vector<std::string> endless() {
  return {LANESCOPE_PYTHON, kTrain, "--iterations", "1000000", "--loader-us", "500"};
}

class SteeredTest : public DeskTest {
 protected:
  void SetUp() override {
    desk().go_by_the_clock();
    DeskTest::SetUp();
    std::string pattern = (std::filesystem::temp_directory_path() / "lanescope-steered-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    end_program();
    if (child_ > 0) ::waitpid(child_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }
  /// The recorder ends when its program has ended.
  void end_program() {
    if (recorder_ > 0) ::kill(recorder_, SIGTERM);
    recorder_ = 0;
  }
  /// `lanescope attach --record` by somebody else.
  void start_recorder() {
    const std::string file = folder_ / "run.lanescope";
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      for (const auto& [name, value] : on_fake_gpu()) setenv(name.c_str(), value.c_str(), 1);
      std::vector<std::string> words{LANESCOPE_BINARY, "attach", "--record", file, "--level", "waits", "--"};
      for (const std::string& word : endless()) words.push_back(word);
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      ::dup2(::open("/dev/null", O_RDWR), 1);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
  }
  /// Figures that have just become known may push a control away while it is clicked: it is clicked again.
  void click_until(const std::vector<std::string>& names, const std::function<bool()>& done) {
    constexpr int kPatience = 50;
    int frame = 0;
    ASSERT_TRUE(desk().until([&] {
      if (done()) return true;
      if (frame++ % kPatience != 0) return false;
      for (const std::string& name : names) {
        if (desk().has_place(name)) desk().click(name);
      }
      return done();
    })) << names.front();
  }
  /// The recorder of a file in this folder, and that it listens.
  bool find_recorder(const std::filesystem::path& in) {
    for (const attach::Recording& recording : attach::recordings()) {
      if (recording.file.parent_path() == in && attach::steering_socket(recording.recorder)) {
        found_ = recording;
        recorder_ = recording.recorder;
      }
    }
    return recorder_ > 0;
  }
  void show(const ui::Followed& what) {
    const std::uint64_t before = model().generation();
    ui::Recipe recipe;
    recipe.make = [what] { return std::make_unique<ui::FollowedSource>(what); };
    state().requests.source = recipe;
    ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
  }
  /// On a machine "node", whose ssh only passes commands to a shell here.
  void show_from_node(const std::string& lanescope) {
    const std::filesystem::path home = folder_ / "there", ssh = folder_ / "ssh";
    std::filesystem::create_directories(home);
    std::ofstream(ssh) << "#!/bin/sh\n"
                          "while [ \"$1\" != \"${1#-}\" ]; do [ \"$1\" = -o ] && shift; shift; done\n"
                          "shift\n"
                          "export HOME=" +
                              home.string() + "\nexec sh -c \"$*\"\n";
    std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
    setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
    attach::RemoteOptions options;
    options.host = "node";
    options.lanescope = lanescope;
    options.command.words = endless();
    options.command.variables = on_fake_gpu();
    options.intensity.level = wire::Level::Waits;
    show(ui::followed(std::make_shared<attach::RemoteProgram>(std::move(options))));
    ASSERT_TRUE(desk().until([&] { return find_recorder(home / ".cache/lanescope"); }));
  }
  ui::Watching* watching() { return model().source().watching(); }
  /// What the recorder itself says.
  attach::SteeringState recorded() { return attach::SteeringSocket(recorder_).ask({}).state; }
  bool has_kernels() { return !events_since(LaneKind::Kernels, 0).empty(); }

  const std::string path_ = ::getenv("PATH");
  std::filesystem::path folder_;
  attach::Recording found_;
  pid_t child_ = -1, recorder_ = 0;
};

TEST_F(SteeredTest, ALevelChosenInTheWindowIsTheRecorders) {
  start_recorder();
  ASSERT_TRUE(desk().until([&] { return find_recorder(folder_); }));
  show(ui::followed(found_));
  ASSERT_TRUE(desk().until([&] { return watching() != nullptr && desk().has_place("attach.level.calls"); }));
  EXPECT_EQ(watching()->intensity().level, wire::Level::Waits);
  EXPECT_FALSE(has_kernels());
  EXPECT_FALSE(desk().has_place("attach.again")) << "it is somebody else's program";

  click_until({"attach.level.calls"}, [&] { return watching()->intensity().level == wire::Level::Calls; });
  EXPECT_EQ(recorded().intensity.level, wire::Level::Calls);
  ASSERT_TRUE(desk().until([&] { return has_kernels(); })) << "they are recorded, and shown";

  click_until({"attach.level.acquire"}, [&] { return desk().has_place("attach.share.25%"); });
  click_until({"attach.share.25%"}, [&] { return watching()->intensity().share == 0.25; });
  EXPECT_EQ(recorded().intensity, (attach::Intensity{wire::Level::Acquire, 0.25, true}));
  click_until({"attach.record"}, [&] { return watching()->boosted_ns() > 0; });

  // Another loop, and the one found by itself again.
  const auto process = [&] {
    const attach::AttachState state = watching()->watched();
    return state.first_with_gpu() ? *state.first_with_gpu() : attach::ProcessState{};
  };
  ASSERT_TRUE(desk().until([&] { return process().loops.size() > 1; }));
  click_until({"attach.loop", "attach.loop.0"}, [&] { return process().chosen.has_value(); });
  ASSERT_NE(recorded().program.first_with_gpu(), nullptr);
  EXPECT_TRUE(recorded().program.first_with_gpu()->chosen.has_value());
  EXPECT_EQ(watching()->controls().sentence, "");
}

TEST_F(SteeredTest, OnlyWhatIsAskedForChangesSomebodyElsesRecording) {
  start_recorder();
  ASSERT_TRUE(desk().until([&] { return find_recorder(folder_); }));
  show(ui::followed(found_));
  ASSERT_TRUE(desk().until([&] { return watching() != nullptr && desk().has_place("attach.level.acquire"); }));
  click_until({"attach.level.acquire"}, [&] { return watching()->intensity().level == wire::Level::Acquire; });
  ASSERT_TRUE(desk().until([&] { return has_kernels(); }));
  state().looking.asked = {};
  state().view.zoom(0.5, axis().left_px() + 100);
  desk().frames(3);
  EXPECT_FALSE(watching()->controls().changing);
  EXPECT_EQ(recorded().boosted_ns, 0);
}

TEST_F(SteeredTest, AfterItsEndNothingCanBeChanged) {
  start_recorder();
  ASSERT_TRUE(desk().until([&] { return find_recorder(folder_); }));
  show(ui::followed(found_));
  ASSERT_TRUE(desk().until([&] { return watching() != nullptr && desk().has_place("attach.level.calls"); }));
  end_program();
  ASSERT_TRUE(desk().until([&] { return !model().running(); }));
  desk().frames(3);
  EXPECT_FALSE(watching()->controls().reached);
  EXPECT_TRUE(watching()->watched().ended);
  EXPECT_FALSE(desk().has_place("attach.level.calls"));
}

TEST_F(SteeredTest, ALevelIsChangedOnAnotherMachine) {
  show_from_node(LANESCOPE_BINARY);
  ASSERT_TRUE(desk().until([&] { return watching() != nullptr && desk().has_place("attach.level.calls"); }));
  EXPECT_EQ(watching()->intensity().level, wire::Level::Waits);
  click_until({"attach.level.calls"}, [&] { return watching()->intensity().level == wire::Level::Calls; });
  EXPECT_EQ(recorded().intensity.level, wire::Level::Calls);
  ASSERT_TRUE(desk().until([&] { return has_kernels(); }));
}

TEST_F(SteeredTest, AnOlderLanescopeOnTheOtherMachineIsSaid) {
  const std::filesystem::path older = folder_ / "lanescope";
  std::ofstream(older) << "#!/bin/sh\n"
                          "case \"$*\" in *--steer*) echo \"unknown argument '--steer'\" >&2; exit 2;; esac\n"
                          "exec " LANESCOPE_BINARY " \"$@\"\n";
  std::filesystem::permissions(older, std::filesystem::perms::owner_all);
  show_from_node(older.string());
  ASSERT_TRUE(desk().until([&] { return model().source().words().sentence.find("--steer") != std::string::npos; }));
  EXPECT_THAT(model().source().words().sentence, HasSubstr("the Lanescope on node is older"));
  EXPECT_EQ(watching(), nullptr);
}

}  // namespace
}  // namespace lanescope::ui_test
#endif
