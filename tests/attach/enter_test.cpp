// Programs that run already: how they are entered, watched, left and entered again, and who is refused. The programs
// are real ones of this system, on the GPU of tests/inject_fakes.
#include "attach/enter.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "attach/attachment.h"
#include "base/error.h"
#include "until.h"

namespace lanescope::attach {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

TEST(HarmlessWaitTest, OnlyWhereNoLockOfTheCLibraryIsHeld) {
  EXPECT_FALSE(harmless_wait("running"));
  EXPECT_FALSE(harmless_wait(""));
  EXPECT_FALSE(harmless_wait("-1 0x7ffd 0x7f00"));
#if defined(__x86_64__)
  EXPECT_TRUE(harmless_wait("7 0x7ffc 0x1 0xffffffff 0x0 0x0 0x0 0x7ffc 0x7f12"));      // poll
  EXPECT_TRUE(harmless_wait("230 0x1 0x1 0x7ffc 0x0 0x0 0x0 0x7ffc 0x7f12"));           // clock_nanosleep
  EXPECT_FALSE(harmless_wait("12 0x55d0 0x0 0x0 0x0 0x0 0x0 0x7ffc 0x7f12"));           // brk, within malloc
  EXPECT_FALSE(harmless_wait("202 0x55d0 0x80 0x2 0x0 0x0 0x0 0x7ffc 0x7f12"));         // futex: a mutex
  EXPECT_TRUE(harmless_wait("202 0x55d0 0x189 0x0 0x0 0x0 0xffffffff 0x7ffc 0x7f12"));  // futex: a condition
  EXPECT_TRUE(harmless_wait("232 0x4 0x7ffc 0x40 0xffffffff 0x0 0x0 0x7ffc 0x7f12"));   // epoll_wait, for ever
  EXPECT_FALSE(harmless_wait("232 0x4 0x7ffc 0x40 0x3e8 0x0 0x0 0x7ffc 0x7f12"));       // epoll_wait, for a second
  EXPECT_LT(harmless_wait("7 0x7ffc 0x1 0xffffffff 0x0 0x0 0x0 0x7ffc 0x7f12"),
            harmless_wait("202 0x55d0 0x189 0x0 0x0 0x0 0xffffffff 0x7ffc 0x7f12"));
#endif
}

TEST(WhyNotPermittedTest, SaysWhatToDo) {
  EXPECT_THAT(why_not_permitted(1), HasSubstr("sysctl kernel.yama.ptrace_scope=0"));
  EXPECT_THAT(why_not_permitted(2), HasSubstr("only an administrator"));
  EXPECT_THAT(why_not_permitted(3), HasSubstr("nobody"));
  for (const std::optional<int> scope : {std::optional<int>(), std::optional<int>(0)}) {
    EXPECT_THAT(why_not_permitted(scope), HasSubstr("--cap-add=SYS_PTRACE"));
  }
  for (const int scope : {0, 1, 2, 3}) EXPECT_THAT(why_not_permitted(scope), HasSubstr("LANESCOPE_ATTACH=sleep"));
}

TEST(OtherToolTest, KnowsThoseWithALibraryOfTheirOwn) {
  EXPECT_EQ(other_tool("libToolsInjection64.so"), "Nsight Systems");
  EXPECT_EQ(other_tool("libcuda-injection.so"), "Nsight Compute");
  EXPECT_EQ(other_tool("libsanitizer-collection.so"), "compute-sanitizer");
  EXPECT_EQ(other_tool("libcupti.so.13"), "");
  EXPECT_EQ(other_tool("liblanescope_inject.so"), "");
}

#ifdef LANESCOPE_INJECT

std::string read_all(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// A child of this process, with its output in a file.
class Target {
 public:
  Target(std::vector<std::string> words, std::map<std::string, std::string> variables = {}) {
    std::string pattern = (fs::temp_directory_path() / "lanescope-enter-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no folder");
    folder_ = pattern;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setenv("FAKE_GPU_LIBRARIES", LANESCOPE_FAKES, 1);
      ::setenv("PYTHONPATH", LANESCOPE_SOURCE_DIR "/tests/inject", 1);
      ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
      for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
      ::dup2(ends[0], 0);
      const int out = ::open(output_file().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      ::dup2(out, 1);
      ::dup2(out, 2);
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(ends[0]);
    input_ = ends[1];
  }
  /// A Python program that has got so far.
  static std::unique_ptr<Target> python(const std::string& script,
                                        const std::map<std::string, std::string>& variables = {}) {
    auto target = std::make_unique<Target>(std::vector<std::string>{LANESCOPE_PYTHON, "-u", "-c", script}, variables);
    EXPECT_TRUE(until([&] { return target->output().find("ready\n") != std::string::npos; })) << target->output();
    return target;
  }
  ~Target() {
    if (status_ < 0) ::kill(pid_, SIGKILL);
    wait();
    ::close(input_);
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  pid_t pid() const { return pid_; }
  fs::path output_file() const { return folder_ / "output"; }
  std::string output() const { return read_all(output_file()); }
  /// It reads the end of its input, and ends.
  int end() {
    [[maybe_unused]] const ssize_t n = ::write(input_, "\n", 1);
    return wait();
  }
  int wait() {
    if (status_ < 0) ::waitpid(pid_, &status_, 0);
    return status_;
  }
  /// "S" or "R", of its main thread.
  bool waits() const {
    const std::string text = read_all("/proc/" + std::to_string(pid_) + "/stat");
    const std::size_t name_end = text.rfind(") ");
    return name_end != std::string::npos && text[name_end + 2] == 'S';
  }

 private:
  fs::path folder_;
  pid_t pid_ = -1;
  int input_ = -1, status_ = -1;
};

/// Whether this system lets us stop a thread of a child; containers may not.
bool may_enter() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const bool may = ::ptrace(PTRACE_SEIZE, child, 0, 0) == 0;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, __WALL);
  return may;
}

class EnterTest : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "only on x86-64";
#endif
    if (!may_enter()) GTEST_SKIP() << "this system does not permit ptrace";
    ::setenv("LANESCOPE_INJECT", LANESCOPE_INJECT, 1);
  }
  void TearDown() override { ::unsetenv("LANESCOPE_INJECT"); }
  static AttachOptions options_for(const Target& target) {
    AttachOptions options;
    options.pid = static_cast<std::uint32_t>(target.pid());
    return options;
  }
  /// Why it is refused; empty: it is not.
  static std::string refusal(pid_t pid) {
    try {
      AttachOptions options;
      options.pid = static_cast<std::uint32_t>(pid);
      Attachment attachment(options);
      attachment.start();
      return {};
    } catch (const base::Error& error) {
      return error.what();
    }
  }
};

// A loop on the GPU. Its other thread waits, as the driver's do.
constexpr const char* kTraining = R"(
import sys, threading
import fake_gpu as gpu
gpu.init()
end = threading.Event()
def wait_for_the_end():
    sys.stdin.readline()
    end.set()
threading.Thread(target=wait_for_the_end).start()
print('ready', flush=True)
n = 0
while not end.is_set():
    for _ in range(3): gpu.launch('gemm', 50, gpu.STREAM)
    gpu.sync(gpu.STREAM)
    n += 1
print('done', flush=True)
)";

TEST_F(EnterTest, ARunningLoopIsWatchedAndLeftAndWatchedAgain) {
  const auto target = Target::python(kTraining);
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    Attachment attachment(options_for(*target));
    attachment.start();
    ASSERT_TRUE(until([&] {
      const AttachState state = attachment.state();
      return state.first_with_gpu() != nullptr && state.first_with_gpu()->state == wire::State::Watching;
    })) << attachment.state().remarks.size();
    ASSERT_TRUE(until([&] { return attachment.trace().counts().recorded > 100; }));
    const AttachState state = attachment.state();
    EXPECT_EQ(state.processes.front().pid, static_cast<std::uint32_t>(target->pid()));
    EXPECT_FALSE(state.ended);
    std::size_t said = 0;
    for (const Remark& remark : state.remarks) {
      EXPECT_FALSE(remark.problem) << remark.sentence;
      said += remark.sentence.find("Attached while it ran") == 0 ? 1 : 0;
    }
    EXPECT_EQ(said, 1u);
    attachment.leave();
    EXPECT_EQ(attachment.wait(), 0);
  }
  EXPECT_EQ(target->end(), 0);
  EXPECT_EQ(target->output(), "ready\ndone\n");
}

TEST_F(EnterTest, TheEndOfTheProgramEndsTheWaiting) {
  const auto target = Target::python(kTraining);
  Attachment attachment(options_for(*target));
  attachment.start();
  ASSERT_TRUE(until([&] { return attachment.state().first_with_gpu() != nullptr; }));
  EXPECT_EQ(target->end(), 0);
  EXPECT_EQ(attachment.wait(), 0);
  EXPECT_TRUE(attachment.state().ended);
  EXPECT_FALSE(attachment.state().processes.front().cut_off);
}

TEST_F(EnterTest, TwoCannotWatchTheSame) {
  const auto target = Target::python(kTraining);
  Attachment first(options_for(*target));
  first.start();
  ASSERT_TRUE(until([&] { return !first.state().processes.empty(); }));
  EXPECT_THAT(refusal(target->pid()), HasSubstr("another Lanescope watches it"));
  first.detach();
  EXPECT_EQ(refusal(target->pid()), "");
}

// It has not come to cuInit when it is entered: CUPTI begins when it has.
TEST_F(EnterTest, AProgramThatHasNotBegunWithTheGpuYet) {
  const auto target = Target::python(R"(
import sys
import fake_gpu as gpu
print('ready', flush=True)
sys.stdin.readline()
gpu.init()
print('begun', flush=True)
for _ in range(100000): gpu.sync(gpu.STREAM)
)");
  Attachment attachment(options_for(*target));
  attachment.start();
  ASSERT_TRUE(until([&] { return !attachment.state().processes.empty(); }));
  EXPECT_EQ(attachment.state().processes.front().state, wire::State::Starting);
  EXPECT_EQ(target->end(), 0);
  attachment.wait();
  EXPECT_EQ(attachment.state().processes.front().state, wire::State::Watching);
}

// The wait that was interrupted lasts as long as it would have.
TEST_F(EnterTest, ASleepLastsAsLongAsBefore) {
  const auto target = Target::python(R"(
import time
print('ready', flush=True)
began = time.monotonic()
time.sleep(1.5)
print('slept' if 1.5 <= time.monotonic() - began < 2.5 else 'no', flush=True)
)");
  ASSERT_TRUE(until([&] { return target->waits(); }));
  EXPECT_EQ(refusal(target->pid()), "");
  EXPECT_EQ(target->wait(), 0);
  EXPECT_EQ(target->output(), "ready\nslept\n");
}

TEST_F(EnterTest, AnyProgramThatWaitsCanBeEntered) {
  Target target({"sleep", "1000"});
  ASSERT_TRUE(until([&] { return target.waits(); }));
  for (int round = 0; round < 3; ++round) EXPECT_EQ(refusal(target.pid()), "");
  EXPECT_TRUE(target.waits());
}

// It needs no rights but its user's, and its NVTX ranges and first contexts are seen.
TEST_F(EnterTest, ALibraryThatSleepsIsWoken) {
  const std::string folder = testing::TempDir() + "/runtime";
  fs::create_directories(folder);
  const auto target = Target::python(
      kTraining,
      {{"CUDA_INJECTION64_PATH", LANESCOPE_INJECT}, {"LANESCOPE_ATTACH", "sleep"}, {"XDG_RUNTIME_DIR", folder}});
  const std::string fifo =
      folder + "/lanescope-sleep-" + std::to_string(::geteuid()) + "/" + std::to_string(target->pid());
  ASSERT_TRUE(fs::is_fifo(fifo));
  const RunningProcess process(target->pid());
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    Attachment attachment(options_for(*target));
    ASSERT_TRUE(until([&] {  // the last round's thread sleeps again
      const int end = ::open(fifo.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      if (end >= 0) ::close(end);
      return end >= 0;
    }));
    attachment.start();
    ASSERT_TRUE(until([&] { return attachment.trace().counts().recorded > 100; }));
    for (const Remark& remark : attachment.state().remarks) EXPECT_THAT(remark.sentence, Not(HasSubstr("NVTX")));
    EXPECT_THAT(refusal(target->pid()), HasSubstr("another Lanescope watches it"));
  }
  EXPECT_EQ(target->end(), 0);
  EXPECT_EQ(target->output(), "ready\ndone\n");
  EXPECT_FALSE(fs::exists(fifo));
}

// No thread of it waits, and it is never stopped.
TEST_F(EnterTest, PythonIsAskedFrom314On) {
  const char* python = std::getenv("LANESCOPE_PYTHON_314");
  if (!python) GTEST_SKIP() << "LANESCOPE_PYTHON_314 names no Python 3.14";
  Target target({python, "-u", "-c", "print('ready', flush=True)\nwhile True: pass\n"});
  ASSERT_TRUE(until([&] { return target.output() == "ready\n"; })) << target.output();
  const RunningProcess process(target.pid());
  for (int round = 0; round < 5; ++round) {
    Meeting meeting;
    std::optional<Arrival> arrival;
    const auto has_arrived = [&] { return arrival || (arrival = meeting.next()); };
    const Entry entry = enter(process, injection_library(), {meeting.socket_path(), has_arrived});
    EXPECT_EQ(entry.way, Entry::Way::Python);
    ASSERT_TRUE(arrival);
    ::close(arrival->memory);
    ::close(arrival->socket);
  }
  EXPECT_EQ(target.output(), "ready\n");
}

// It sees neither our files nor our temporary folder.
TEST_F(EnterTest, AProgramInAContainer) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root for a container";
  const std::string build = fs::path(LANESCOPE_INJECT).parent_path().string();
  Target target({"unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
                 "mount -t tmpfs none " + build + " && mount -t tmpfs none /tmp && echo ready && exec sleep 1000"});
  if (!until([&] { return target.output() == "ready\n" || !target.output().empty(); })) FAIL();
  if (target.output() != "ready\n") GTEST_SKIP() << target.output();
  pid_t inside = 0;
  ASSERT_TRUE(until([&] {
    const std::string children =
        read_all("/proc/" + std::to_string(target.pid()) + "/task/" + std::to_string(target.pid()) + "/children");
    inside = std::atoi(children.c_str());
    return inside > 0 && read_all("/proc/" + std::to_string(inside) + "/comm") == "sleep\n";
  }));
  AttachOptions options;
  options.pid = static_cast<std::uint32_t>(inside);
  Attachment attachment(options);
  attachment.start();
  ASSERT_TRUE(until([&] { return !attachment.state().processes.empty(); }));
  EXPECT_EQ(attachment.state().processes.front().pid, static_cast<std::uint32_t>(inside));
}

// --- refused ---------------------------------------------------------------------------------------------------------

TEST_F(EnterTest, ProcessesThatAreNotThere) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_THAT(refusal(child), HasSubstr("it has ended"));
  ::waitpid(child, nullptr, 0);
  EXPECT_THAT(refusal(child), HasSubstr("there is no process"));
  EXPECT_THAT(refusal(::getpid()), HasSubstr("it is this program"));
}

TEST_F(EnterTest, OfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(65534) != 0) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  const std::string folder = "/proc/" + std::to_string(child);
  ASSERT_TRUE(until([&] { return read_all(folder + "/status").find("Uid:\t65534") != std::string::npos; }));
  EXPECT_THAT(refusal(child), HasSubstr("belongs to another user"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(EnterTest, UnderADebugger) {
  Target target({"sleep", "1000"});
  ASSERT_TRUE(until([&] { return target.waits(); }));
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, target.pid(), 0, 0), 0);
  EXPECT_THAT(refusal(target.pid()), HasSubstr("a debugger or strace is attached to it"));
}

TEST_F(EnterTest, WithAToolThatWatchesItAlready) {
  const fs::path copy = fs::path(testing::TempDir()) / "libToolsInjection64.so";
  fs::copy_file(LANESCOPE_FAKES "/libcuda.so.1", copy, fs::copy_options::overwrite_existing);
  const auto target = Target::python("import ctypes, sys\nctypes.CDLL('" + copy.string() +
                                     "')\nprint('ready', flush=True)\nsys.stdin.readline()\n");
  EXPECT_THAT(refusal(target->pid()), HasSubstr("Nsight Systems watches it already"));
  EXPECT_EQ(target->end(), 0);
}

// One thread that never waits: it is not stopped just anywhere.
TEST_F(EnterTest, WithoutAThreadThatWaits) {
  const auto target = Target::python("print('ready', flush=True)\nwhile True: pass\n");
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(refusal(target->pid()), HasSubstr("none of its threads waits"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

TEST_F(EnterTest, ALibraryThatCannotBeLoaded) {
  const fs::path broken = fs::path(testing::TempDir()) / "broken.so";
  std::ofstream(broken) << "no library";
  ::setenv("LANESCOPE_INJECT", broken.c_str(), 1);
  Target target({"sleep", "1000"});
  ASSERT_TRUE(until([&] { return target.waits(); }));
  EXPECT_THAT(refusal(target.pid()), AllOf(HasSubstr("its loader says"), HasSubstr("broken.so")));
  EXPECT_TRUE(target.waits());
}

// --- many times ------------------------------------------------------------------------------------------------------
// LANESCOPE_ENTER_ROUNDS=50 prints the table of docs/measurements.md.

struct Kind {
  const char* name;
  const char* script;
};
constexpr Kind kKinds[] = {{"sleeps", R"(
import sys, threading, time
threading.Thread(target=lambda: (sys.stdin.readline(), end.set())).start()
end = threading.Event()
print('ready', flush=True)
while not end.is_set(): time.sleep(0.001)
)"},
                           {"busy", R"(
import sys, threading
end = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), end.set())).start()
print('ready', flush=True)
while not end.is_set(): sum(range(1000))
)"},
                           {"allocates", R"(
import sys, threading
end = threading.Event()
def work():
    while not end.is_set():
        kept = [bytearray(90_000) for _ in range(200)]
        del kept[::2]
for _ in range(3): threading.Thread(target=work).start()
print('ready', flush=True)
threading.Thread(target=lambda: (sys.stdin.readline(), end.set())).start()
work()
)"},
                           {"forks loaders", R"(
import multiprocessing, os, threading
end = threading.Event()
threading.Thread(target=lambda: (os.read(0, 1), end.set())).start()
def load(pipe):
    for i in range(20): pipe.send(bytes(10_000))
    pipe.close()
context = multiprocessing.get_context('fork')
print('ready', flush=True)
while not end.is_set():
    reader, writer = context.Pipe(False)
    worker = context.Process(target=load, args=(writer,))
    worker.start()
    writer.close()
    try:
        while len(reader.recv()) == 10_000: pass
    except EOFError: pass
    worker.join()
    assert worker.exitcode == 0
)"},
                           {"keeps the GIL", R"(
import re, sys, threading
end = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), end.set())).start()
print('ready', flush=True)
while not end.is_set(): re.match('(a*)*b', 'a' * 20)
)"},
                           {"trains", kTraining}};

class EnterOftenTest : public EnterTest, public testing::WithParamInterface<Kind> {};

TEST_P(EnterOftenTest, NothingBreaks) {
  const char* wanted = std::getenv("LANESCOPE_ENTER_ROUNDS");
  const int rounds = wanted ? std::atoi(wanted) : 5;
  const auto target = Target::python(GetParam().script);
  const RunningProcess process(target->pid());
  std::vector<double> held_ms;
  for (int round = 0; round < rounds; ++round) {
    Meeting meeting;
    const Entry entry = enter(process, injection_library(), {meeting.socket_path(), [] { return false; }});
    held_ms.push_back(static_cast<double>(entry.held_ns) / 1e6);
    std::optional<Arrival> arrival;
    ASSERT_TRUE(until([&] { return (arrival = meeting.next()).has_value(); })) << round;
    EXPECT_EQ(arrival->hello.pid, static_cast<std::uint32_t>(target->pid()));
    ::close(arrival->memory);
    // Its thread watches for a moment, and ends with the connection.
    ASSERT_EQ(::write(arrival->socket, "!", 1), 1);
    ::close(arrival->socket);
  }
  EXPECT_EQ(target->end(), 0);
  EXPECT_THAT(target->output(), AnyOf("ready\n", "ready\ndone\n"));
  std::ranges::sort(held_ms);
  const auto at = [&](double share) {
    return held_ms[std::min(held_ms.size() - 1, static_cast<std::size_t>(share * static_cast<double>(held_ms.size())))];
  };
  if (wanted) std::printf("| %s | %d | %.2f | %.2f |\n", GetParam().name, rounds, at(0.5), at(0.99));
  EXPECT_LT(at(0.5), 5);
}
INSTANTIATE_TEST_SUITE_P(Kinds, EnterOftenTest, testing::ValuesIn(kKinds), [](const auto& of) {
  std::string name = of.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

#endif

}  // namespace
}  // namespace lanescope::attach
