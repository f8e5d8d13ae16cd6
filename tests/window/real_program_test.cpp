// A real Python process on a GPU that is not there (tests/inject), watched in the window: its lanes, lines, file and
// iterations, started again, and either side killed.
#ifdef LANESCOPE_FAKES
#include <X11/keysym.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "model/source/attached_source.h"
#include "window/desk.h"

namespace lanescope::ui_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsSupersetOf;
using trace::LaneKind;

constexpr const char* kTrain = LANESCOPE_SOURCE_DIR "/tests/inject/train.py";
constexpr const char* kWaits = "return gpu.sync(gpu.STREAM)";  // train.py's only line that waits

/// Its number, counted from 0.
std::size_t waiting_line() {
  std::ifstream file(kTrain);
  std::size_t number = 0;
  for (std::string line; std::getline(file, line) && !line.ends_with(kWaits);) ++number;
  return number;
}

std::map<std::string, std::string> on_fake_gpu() {
  return {{"FAKE_GPU_LIBRARIES", LANESCOPE_FAKES}, {"LANESCOPE_CUPTI", LANESCOPE_FAKES "/libcupti.so.13"}};
}

class RealProgramTest : public WindowTest {
 protected:
  void SetUp() override {
    setenv("LANESCOPE_INJECT", LANESCOPE_INJECT, 1);
    WindowTest::SetUp();
  }
  void TearDown() override {
    if (program() > 0) ::kill(program(), SIGKILL);
    unsetenv("LANESCOPE_INJECT");
  }
  void attach() {
    const std::uint64_t before = model().generation();
    attach::AttachOptions options;
    options.command.words = {LANESCOPE_PYTHON, kTrain, "--iterations", "1000000", "--loader-us", "300"};
    options.command.variables = on_fake_gpu();
    state().requests.source = ui::attach_recipe(options);
    ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
  }
  attach::AttachState watched() {
    ui::Watching* watching = model().source().watching();
    return watching ? watching->watched() : attach::AttachState{};
  }
  pid_t program() {
    const attach::AttachState state = watched();
    return state.ended || state.processes.empty() ? 0 : static_cast<pid_t>(state.processes[0].pid);
  }
  std::set<std::string> line_names() {
    std::set<std::string> names;
    for (const trace::Event& e : events_since(LaneKind::Phases, 0)) {
      names.emplace(model().trace().names().text(e.name));
    }
    return names;
  }
};

TEST_F(RealProgramTest, ItsLanesLinesFileAndIterationsAreThereAndStayWhenItIsKilled) {
  attach();
  wait_for_iterations(300);
  EXPECT_FALSE(events_since(LaneKind::Kernels, 0).empty());
  EXPECT_FALSE(events_since(LaneKind::CopyH2D, 0).empty());
  EXPECT_LT(model().trace().lane_count(), 20u)
      << "each backward pass has a thread of its own, which goes on in one lane";
  EXPECT_THAT(line_names(), IsSupersetOf({"train.py:" + std::to_string(waiting_line() + 1) + "  " + kWaits}));
  const attach::AttachState running = watched();
  ASSERT_NE(running.first_with_gpu(), nullptr);
  EXPECT_THAT(running.first_with_gpu()->iterations, HasSubstr("for number, _ in enumerate(Loader("));
  ui::CodeState& code = state().code;
  state().drawer = ui::DrawerTab::Code;
  ASSERT_TRUE(desk().until([&] { return code.cost(waiting_line()) != nullptr; }));
  EXPECT_THAT(code.file(), EndsWith("train.py"));

  ASSERT_GT(program(), 0);
  ::kill(program(), SIGKILL);
  ASSERT_TRUE(desk().until([&] { return watched().end == "ended by signal 9 (Killed)" && !model().running(); }));
  EXPECT_GE(model().analysis().records().size(), 300u) << "what was delivered stays";
  // How many of the last iterations lie wholly in bursts depends on the machine; from three on they have figures.
  EXPECT_TRUE(desk().until([&] { return model().recent().recorded_iterations >= 3; }))
      << "with its figures: " << model().recent().recorded_iterations << " of " << model().recent().iteration.count;
  hold_still();
  // Only one line makes this call. A copy can also wait, and where the machine is busy it is the longest wait at times.
  const trace::NameId sync = model().trace().names().find("cudaStreamSynchronize");
  const auto main_wait = [&](const trace::Event& e) {
    const bool main = model().trace().lane(e.lane).info().tid == 0;
    return main && e.name == sync && trace::is_sync(e) ? e.duration() : 0;
  };
  const auto calls = events_since(LaneKind::Calls, 0);
  const auto wait = std::ranges::max_element(calls, {}, main_wait);
  ASSERT_TRUE(wait != calls.end() && main_wait(*wait) > 0);
  state().view.show(wait->start_ns, wait->end_ns);
  ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  desk().frames(3);
  const auto row = state().timeline.lane_rect(wait->lane);
  ASSERT_TRUE(row.has_value());
  desk().click(Point{point_of(LaneKind::Calls, *wait).x, row->y + 10});
  ASSERT_TRUE(state().selection.event.has_value());
  EXPECT_TRUE(trace::is_sync(state().selection.event->event));
  EXPECT_TRUE(desk().until([&] { return code.pointed_to() == waiting_line(); }));
}

TEST_F(RealProgramTest, ItRunsAgainByAKey) {
  attach();
  wait_for_iterations(20);
  const pid_t first = program();
  ASSERT_GT(first, 0);
  ::kill(first, SIGTERM);
  ASSERT_TRUE(desk().until([&] { return watched().ended; }));
  const std::uint64_t before = model().generation();
  desk().key(XK_r);
  ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
  wait_for_iterations(20);
  EXPECT_NE(program(), first);
}

// --- The window's own process is killed ------------------------------------------------------------------------------

class ViewerTest : public testing::Test {
 protected:
  ViewerTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lanescope-viewer-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(folder_ / "lanescope");
    std::ofstream(folder_ / "lanescope" / "settings.toml") << "tour_done = true\n";
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that the program can be waited for when its window has gone
  }
  ~ViewerTest() override {
    for (const pid_t process : {viewer_, program_}) {
      if (process > 0) ::kill(process, SIGKILL);
    }
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    std::filesystem::remove_all(folder_);
  }
  void start(const std::vector<std::string>& options) {
    viewer_ = ::fork();
    ASSERT_GE(viewer_, 0);
    if (viewer_ > 0) return;
    for (const auto& [name, value] : on_fake_gpu()) setenv(name.c_str(), value.c_str(), 1);
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME"}) setenv(name, folder_.c_str(), 1);
    setenv("LANESCOPE_CUDA", "off", 1);
    ::dup2(::open((folder_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    std::vector<std::string> words{LANESCOPE_BINARY, "attach", "--", LANESCOPE_PYTHON, kTrain};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  std::string out() const {
    std::ifstream file(folder_ / "out");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static bool until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  /// The child of the viewer that has loaded the library.
  bool find_program() {
    std::ifstream children("/proc/" + std::to_string(viewer_) + "/task/" + std::to_string(viewer_) + "/children");
    for (pid_t child = 0; children >> child;) {
      std::ostringstream text;  // an iterator over the file would throw if the process ends meanwhile
      text << std::ifstream("/proc/" + std::to_string(child) + "/maps").rdbuf();
      if (text.str().find("liblanescope_inject") != std::string::npos) program_ = child;
    }
    return program_ > 0;
  }
  static int status_of(pid_t process) {
    int status = -1;
    EXPECT_EQ(::waitpid(process, &status, 0), process);
    return status;
  }

  std::filesystem::path folder_;
  pid_t viewer_ = -1, program_ = -1;
};

TEST_F(ViewerTest, AProgramWhoseWindowIsKilledRunsToItsEnd) {
  start({"--iterations", "400", "--epochs", "3"});
  ASSERT_TRUE(until([&] { return find_program() && out() == "epoch 0 done\n"; })) << out();
  ::kill(viewer_, SIGKILL);
  EXPECT_EQ(status_of(viewer_), SIGKILL);
  EXPECT_EQ(status_of(program_), 0) << out();
  EXPECT_EQ(out(), "epoch 0 done\nepoch 1 done\nepoch 2 done\n");
  viewer_ = program_ = -1;
}

// A laptop's lid, or Ctrl-Z: the library does not wait for a viewer that does not read.
TEST_F(ViewerTest, AProgramWhoseWindowIsSuspendedRunsToItsEnd) {
  start({"--iterations", "400", "--epochs", "3"});
  ASSERT_TRUE(until([&] { return find_program() && out() == "epoch 0 done\n"; })) << out();
  ::kill(viewer_, SIGSTOP);
  ASSERT_TRUE(until([&] { return out() == "epoch 0 done\nepoch 1 done\nepoch 2 done\n"; })) << out();
  ::kill(viewer_, SIGCONT);
  ASSERT_TRUE(until([&] { return ::kill(program_, 0) != 0; })) << "nobody has waited for the program";
  program_ = -1;
  EXPECT_EQ(::waitpid(viewer_, nullptr, WNOHANG), 0) << "the window is there";
}

// A signal is the program's while it runs; then it is the window's.
TEST_F(ViewerTest, ASignalEndsTheProgramAndTheNextOneTheWindow) {
  start({"--iterations", "1000000"});
  ASSERT_TRUE(until([&] { return find_program(); }));
  ::kill(viewer_, SIGTERM);
  ASSERT_TRUE(until([&] { return ::kill(program_, 0) != 0; })) << "the program has not ended";
  program_ = -1;
  EXPECT_EQ(::waitpid(viewer_, nullptr, WNOHANG), 0) << "the window is there";
  ::kill(viewer_, SIGTERM);
  const int status = status_of(viewer_);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  viewer_ = -1;
}

}  // namespace
}  // namespace lanescope::ui_test
#endif
