// From a program's start to its end, and what the library does when something is missing, busy, forked or killed.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "inject/target.h"

namespace lanescope::inject_tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string state_text(Process& process) { return process.memory().status.state_text; }

TEST(Life, HelloSaysWhoItIs) {
  Viewer viewer;
  viewer.start("import fake_gpu as gpu\ngpu.init()\ninput()\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  EXPECT_EQ(process->hello.magic, wire::kMagic);
  EXPECT_EQ(process->hello.version, wire::kVersion);
  EXPECT_EQ(process->hello.pid, static_cast<std::uint32_t>(viewer.pid()));
  EXPECT_EQ(process->hello.parent, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(process->hello.bytes, process->memory().bytes);
  EXPECT_EQ(process->memory().slot_count, 262'144u);
  EXPECT_EQ(process->memory().magic, wire::kMagic);
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::Watching; }));
  EXPECT_EQ(process->memory().status.cupti_version.load(), 130001u);
  EXPECT_THAT(std::string(process->memory().status.cupti_path), HasSubstr("libcupti.so.13"));
  EXPECT_EQ(process->python(), wire::Python::Walking);
  EXPECT_EQ(process->memory().status.python_version.load() >> 8, 3u);
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0);
  EXPECT_TRUE(process->ended());
}

TEST(Life, WithoutTheVariableNothingHappens) {
  Viewer viewer;
  viewer.environment[wire::kSocketVariable] = "";
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
gpu.sync(gpu.STREAM)
print(gpu.callbacks_enabled(), gpu.flushes(), len(__import__('os').listdir('/proc/self/task')))
)");
  EXPECT_EQ(viewer.wait(), 0);
  EXPECT_EQ(viewer.output(), "0 0 1\n");
  EXPECT_EQ(viewer.process(0), nullptr);
}

TEST(Life, WithoutAViewerTheProgramRunsAndPrintsNothing) {
  Viewer viewer;
  viewer.environment[wire::kSocketVariable] = "/nowhere/at/all";
  viewer.start("import fake_gpu as gpu\ngpu.init()\ngpu.sync(gpu.STREAM)\nprint(gpu.callbacks_enabled())\n");
  EXPECT_EQ(viewer.wait(), 0);
  EXPECT_EQ(viewer.output(), "0\n");
}

// A viewer that stands still, and for which as many processes wait as its socket lets: the program does not wait, too.
TEST(Life, AViewerWhoseQueueIsFullHoldsNobodyUp) {
  Viewer viewer;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = viewer.folder() + "/full";
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const auto* at = reinterpret_cast<const sockaddr*>(&address);
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(listener, at, sizeof(address)), 0);
  ASSERT_EQ(listen(listener, 0), 0);
  std::vector<int> waiting;
  do {
    waiting.push_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  } while (connect(waiting.back(), at, sizeof(address)) == 0);
  viewer.environment[wire::kSocketVariable] = path;
  viewer.start("import fake_gpu as gpu\ngpu.init()\nprint('done', flush=True)\n");
  EXPECT_TRUE(viewer.until_printed("done"));
  close(listener);  // which lets go of who waits
  for (const int one : waiting) close(one);
  EXPECT_EQ(viewer.wait(), 0);
}

// Daemons close all descriptors that they do not know. What the program opens then has the library's numbers: here
// files, into which nothing is written, and then pipes, from which nothing is read.
TEST(Life, AProgramMayCloseAllDescriptors) {
  for (const bool pipes : {false, true}) {
    SCOPED_TRACE(pipes ? "pipes" : "files");
    Viewer viewer;
    viewer.environment["PIPES"] = pipes ? "1" : "";
    viewer.start(R"(
import fcntl, os
import fake_gpu as gpu
gpu.init()
gpu.sync(gpu.STREAM)
input()
os.closerange(3, 256)
ends = []
for i in range(32):
  if 'PIPES' in os.environ:
    end, begin = os.pipe()
    fcntl.fcntl(begin, fcntl.F_DUPFD, 300)
    os.write(begin, b'x')
    os.close(begin)
    ends.append(end)
  else:
    os.open(os.path.dirname(os.path.abspath(__file__)) + '/file%d' % i, os.O_RDWR | os.O_CREAT)
gpu.sync(gpu.STREAM)
while len(os.listdir('/proc/self/task')) > 1: pass  # the library's thread notices
print('open', flush=True)
input()
for end in ends:
  os.set_blocking(end, False)
print(b''.join(os.read(end, 8) for end in ends), flush=True)
)");
    Process* process = viewer.process();
    ASSERT_NE(process, nullptr) << viewer.output();
    ASSERT_TRUE(process->until([&] { return process->state() == wire::State::Watching; }));
    viewer.say("");
    ASSERT_TRUE(viewer.until_printed("open")) << viewer.output();
    EXPECT_TRUE(process->until([&] { return process->ended(); }));
    const std::int64_t beat = process->memory().status.beat_ns.load();
    viewer.say("");
    EXPECT_EQ(viewer.wait(), 0);
    EXPECT_EQ(process->memory().status.beat_ns.load(), beat) << "the library has ended";
    EXPECT_THAT(viewer.output(), HasSubstr(pipes ? "b'" + std::string(32, 'x') + "'" : "b''"));
    for (int i = 0; i < 32 && !pipes; ++i) {
      EXPECT_EQ(std::filesystem::file_size(viewer.folder() + "/file" + std::to_string(i)), 0u);
    }
  }
}

TEST(Life, AProgramsOutputAndStatusAreItsOwn) {
  Viewer viewer;
  viewer.first_level = wire::Level::All;
  viewer.start("import sys\nimport fake_gpu as gpu\ngpu.init()\ngpu.sync(gpu.STREAM)\nprint('out')\nsys.exit(7)\n");
  ASSERT_NE(viewer.process(), nullptr);
  EXPECT_EQ(WEXITSTATUS(viewer.wait()), 7);
  EXPECT_EQ(viewer.output(), "out\n");
}

// What is switched on during cuInit by another thread has no effect: the library waits for its end.
TEST(Life, ALevelThatIsSetDuringCuInitIsKept) {
  Viewer viewer;
  viewer.environment["FAKE_CUDA_INIT_MS"] = "600";
  viewer.first_level = wire::Level::Off;
  viewer.start("import fake_gpu as gpu\ngpu.init()\ninput()\ngpu.sync(gpu.STREAM)\ninput()\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::Watching; }));
  const std::int64_t then = process->memory().status.beat_ns.load();
  const auto until_later = [&](std::int64_t ms) {
    return process->until([&] { return process->memory().status.beat_ns.load() > then + ms * 1'000'000; });
  };
  ASSERT_TRUE(until_later(100));  // the thread that is in cuInit has looked at the controls
  process->level(wire::Level::Waits);
  ASSERT_TRUE(until_later(900));  // cuInit has ended
  viewer.say("");
  EXPECT_TRUE(process->until([&] { return !process->messages.calls.empty(); }));
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0);
}

// The viewer of a busy machine: the program does not wait for it, and its first calls are watched nevertheless.
TEST(Life, CallsAreWatchedBeforeTheViewerAnswers) {
  Viewer viewer;
  viewer.start("import fake_gpu as gpu\ngpu.init()\ngpu.sync(gpu.STREAM)\nprint('done', flush=True)\ninput()\n");
  ASSERT_TRUE(viewer.until_printed("done"));
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  EXPECT_TRUE(process->until([&] { return !process->messages.calls.empty(); }));
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0);
}

TEST(Life, AThreadThatHasEndedIsSaid) {
  Viewer viewer;
  viewer.start(R"(
import threading
import fake_gpu as gpu
gpu.init()
gpu.sync(gpu.STREAM)
thread = threading.Thread(target=lambda: gpu.sync(gpu.STREAM))
thread.start()
thread.join()
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(process->until([&] { return !process->messages.ended.empty(); }));
  EXPECT_THAT(process->messages.ended, ElementsAre(testing::Ne(static_cast<std::uint32_t>(viewer.pid()))));
  EXPECT_EQ(process->messages.threads.count(process->messages.ended[0]), 1u);
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0);
}

// Each is told to have ended before the next one comes, although nobody looks for that more than once a second.
TEST(Life, ThreadsOneAfterAnotherAreToldInOrder) {
  Viewer viewer;
  viewer.start(R"(
import threading
import fake_gpu as gpu
gpu.init()
gpu.sync(gpu.STREAM)
for _ in range(100):
    thread = threading.Thread(target=lambda: gpu.sync(gpu.STREAM))
    thread.start()
    thread.join()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  EXPECT_EQ(viewer.wait(), 0);
  process->read();
  EXPECT_GE(process->messages.ended.size(), 50u);  // join() may return a little before the thread is gone
  EXPECT_EQ(process->memory().status.threads_lost.load(), 0u);
}

TEST(Life, ErrnoIsNotTouched) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import ctypes, errno
import fake_gpu as gpu
gpu.init()
library = ctypes.CDLL(gpu._cupti._name, use_errno=True)
ctypes.set_errno(errno.EXDEV)
library.fake_free()
print(ctypes.get_errno() == errno.EXDEV)
)");
  ASSERT_NE(viewer.process(), nullptr);
  viewer.wait();
  EXPECT_EQ(viewer.output(), "True\n");
}

TEST(Life, CuptiHeldBySomebodyElseIsSaid) {
  Viewer viewer;
  viewer.environment["FAKE_CUPTI_RESULT"] = "39";
  viewer.environment["FAKE_CUPTI_HOLDER"] = "Nsight Systems";
  viewer.start("import fake_gpu as gpu\ngpu.init()\ngpu.sync(gpu.STREAM)\nprint('ran', flush=True)\ninput()\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::CuptiBusy; }));
  EXPECT_THAT(state_text(*process), HasSubstr("Nsight Systems"));
  ASSERT_TRUE(viewer.until_printed("ran"));
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0);
}

TEST(Life, ADriverTooOldIsSaid) {
  Viewer viewer;
  viewer.environment["FAKE_CUPTI_RESULT"] = "15";
  viewer.start("import fake_gpu as gpu\ngpu.init()\ninput()\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::DriverTooOld; }));
  EXPECT_THAT(state_text(*process), HasSubstr("LANESCOPE_CUPTI"));
}

TEST(Life, CuptiThatIsMissingIsSaidAndRangesStillCome) {
  Viewer viewer;
  viewer.environment["FAKE_GPU_NO_CUPTI"] = "1";
  viewer.environment["LANESCOPE_CUPTI"] = "/nowhere/libcupti.so.13";
  viewer.start(R"(
import ctypes, os
import fake_gpu as gpu
gpu.init()
ranges = ctypes.CDLL(os.environ['FAKE_GPU_LIBRARIES'] + '/libranges.so')
ranges.ranges_push(b'still here')
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::NoCupti; }));
  EXPECT_THAT(state_text(*process), HasSubstr("/nowhere/libcupti.so.13"));
  ASSERT_TRUE(process->until([&] { return !process->messages.ranges.empty(); })) << viewer.output();
  EXPECT_EQ(process->messages.ranges[0].text, "still here");
}

TEST(Life, CuptiThatFailsIsSaid) {
  Viewer viewer;
  viewer.start(
      "import fake_gpu as gpu\ngpu.init()\ngpu.fatal('out of everything')\nprint('on', flush=True)\ninput()\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::Failed; })) << viewer.output();
  EXPECT_THAT(state_text(*process), HasSubstr("out of everything"));
}

TEST(Life, AViewerThatDiesLeavesNothingBehind) {
  Viewer viewer;
  viewer.first_level = wire::Level::All;
  viewer.start(R"(
import os, time
import fake_gpu as gpu
gpu.init()
input()
copies_and_waits = 4  # what stays switched on
while gpu.callbacks_enabled() or gpu.kinds_enabled() > copies_and_waits or len(os.listdir('/proc/self/task')) > 1: gpu.launch('k', 1, 7)
flushes = gpu.flushes()
gpu.sync(7)
print('free', gpu.flushes() - flushes, any('socket' in os.readlink(f'/proc/self/fd/{f}') for f in range(3, 100) if os.path.exists(f'/proc/self/fd/{f}')), flush=True)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(process->until([&] { return process->memory().status.recording.load() == 1; }));
  process->hang_up();
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0);
  EXPECT_EQ(viewer.output(), "free 0 False\n");
}

// Of two threads one may be switching on, within cuInit, while the other one is to switch off what there is.
TEST(Life, AViewerThatDiesDuringCuInitLeavesNothingBehind) {
  for (int ms = 0; ms < 20; ms += 2) {
    SCOPED_TRACE(ms);
    Viewer viewer;
    viewer.environment["FAKE_CUDA_INIT_MS"] = "10";
    viewer.first_level = wire::Level::All;
    viewer.start(R"(
import os
import fake_gpu as gpu
gpu.init()
while len(os.listdir('/proc/self/task')) > 1: pass
copies_and_waits = 4  # what stays switched on
gpu.launch('k', 1, 7)
print(gpu.callbacks_enabled(), gpu.kinds_enabled() <= copies_and_waits)
)");
    Process* process = viewer.process();
    ASSERT_NE(process, nullptr) << viewer.output();
    usleep(static_cast<useconds_t>(ms) * 1000);
    process->hang_up();
    EXPECT_EQ(viewer.wait(), 0);
    EXPECT_EQ(viewer.output(), "0 True\n");
  }
}

// Of the memory that both share, the library takes nothing but the controls, which it clamps, and no index or length.
TEST(Life, AViewerThatWritesNonsenseDoesNotDisturbTheProgram) {
  Viewer viewer;
  viewer.first_level = wire::Level::All;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
input()
for i in range(2000): gpu.launch('k', 1, 7)
gpu.sync(7)
print('done', flush=True)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  std::atomic<bool> stop{false};
  std::thread nonsense([&] {
    std::mt19937_64 random(1);
    wire::Memory& memory = process->memory();
    while (!stop) {
      memory.controls.level.store(static_cast<std::uint32_t>(random() % 7), std::memory_order_relaxed);
      memory.controls.walk_launches.store(static_cast<std::uint32_t>(random()));
      memory.controls.burst_us.store(static_cast<std::uint32_t>(random()));
      memory.controls.period_us.store(static_cast<std::uint32_t>(random()));
      memory.controls.boost_until_ns.store(static_cast<std::int64_t>(random()));
      memory.controls.anchor.store(static_cast<std::uint32_t>(random()));
      memory.controls.sample_us.store(static_cast<std::uint32_t>(random()));
      memory.slot_count = static_cast<std::uint32_t>(random());
      memory.bytes = static_cast<std::uint32_t>(random());
      memory.open[random() % wire::kOpenCalls].turn.store(static_cast<std::uint32_t>(random()));
      for (int i = 0; i < 100; ++i) {
        memory.slots[random() % 1000].turn.store(random() % 1000);
        memory.head.store(random() % 2 == 0 ? random() : random() % 1000);
      }
    }
  });
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0);
  EXPECT_EQ(viewer.output(), "done\n");
  stop = true;
  nonsense.join();
}

TEST(Life, AForkedChildDoesNothingAndIsNamed) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import os, sys, warnings
import fake_gpu as gpu
warnings.simplefilter('ignore', DeprecationWarning)  # of fork() in a process with threads, from Python 3.12 on
gpu.init()
a = gpu.sync(gpu.STREAM)
child = os.fork()
if child == 0:
    for i in range(100): gpu.get_device()
    gpu.sync(gpu.STREAM)
    sys.exit(5)    # with its exit handlers
print('child', child, os.WEXITSTATUS(os.waitpid(child, 0)[1]), flush=True)
b = gpu.sync(gpu.STREAM)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(viewer.until_printed("child")) << viewer.output();
  unsigned child = 0, status = 0;
  ASSERT_EQ(std::sscanf(viewer.output().c_str(), "child %u %u", &child, &status), 2) << viewer.output();
  EXPECT_EQ(status, 5u);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return m.calls.size() == 2; }));
  EXPECT_THAT(m.forked, ElementsAre(child));
  for (const Call& call : m.calls) EXPECT_EQ(call.thread, static_cast<std::uint32_t>(viewer.pid()));
  EXPECT_FALSE(process->ended());
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0);
}

TEST(Life, AChildThatIsAProgramOfItsOwnSaysHello) {
  Viewer viewer;
  viewer.start(R"(
import subprocess, sys
import fake_gpu as gpu
gpu.init()
gpu.sync(gpu.STREAM)
subprocess.run([sys.executable, '-c', 'import fake_gpu as gpu\ngpu.init()\ngpu.sync(gpu.STREAM)'], check=True)
)");
  Process* parent = viewer.process();
  ASSERT_NE(parent, nullptr);
  Process* child = viewer.process();
  ASSERT_NE(child, nullptr) << viewer.output();
  EXPECT_EQ(child->hello.parent, parent->hello.pid);
  EXPECT_EQ(viewer.wait(), 0) << viewer.output();
  EXPECT_EQ(parent->messages.calls.size(), 1u);
  EXPECT_EQ(child->messages.calls.size(), 1u);
  EXPECT_THAT(parent->messages.forked, IsEmpty());
}

// How a program can end; whether its exit handlers run.
struct End {
  const char* name;
  const char* code;
  bool handlers;
  int status;  // as of waitpid
};
class Ends : public testing::TestWithParam<End> {};

TEST_P(Ends, WhatWasSentIsThere) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(std::string(R"(
import os, sys
import fake_gpu as gpu
gpu.init()
gpu.launch('first', 10, gpu.STREAM)
gpu.sync(gpu.STREAM)
input()
gpu.launch('last', 10, gpu.STREAM)
gpu.sync(gpu.STREAM)
)") + GetParam().code +
               "\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return m.kernels.size() == 1; })) << viewer.output();
  viewer.say("");
  const int status = viewer.wait();
  EXPECT_EQ(status, GetParam().status) << viewer.output();
  EXPECT_EQ(m.calls.size(), 4u);  // calls are sent as they end
  EXPECT_TRUE(process->ended());
  EXPECT_EQ(process->memory().end.load(),
            static_cast<std::uint32_t>(GetParam().handlers ? wire::End::Regular : wire::End::None));
  if (!GetParam().handlers) return;
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.recordings.back().act, wire::RecordingAct::Delivered);
  EXPECT_GT(m.recordings.back().time_ns, m.kernels[1].end_ns);
}
INSTANTIATE_TEST_SUITE_P(All, Ends,
                         testing::Values(End{"itself", "", true, 0}, End{"exit", "sys.exit(3)", true, 3 << 8},
                                         End{"exception", "raise ValueError('no')", true, 1 << 8},
                                         End{"underscore", "os._exit(4)", false, 4 << 8},
                                         End{"kill", "os.kill(os.getpid(), 9)", false, SIGKILL},
                                         End{"abort", "os.abort()", false, SIGABRT}),
                         [](const auto& test) { return test.param.name; });

TEST(Life, AnEndIsNotHeldUpByAKernelThatRunsOn) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import time
import fake_gpu as gpu
gpu.init()
gpu.launch('endless', 1e9, gpu.STREAM)
print(time.clock_gettime_ns(time.CLOCK_MONOTONIC), flush=True)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  EXPECT_EQ(viewer.wait(), 0);
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  const double since_ms =
      static_cast<double>(t.tv_sec * 1'000'000'000L + t.tv_nsec - std::stol(viewer.output())) * 1e-6;
  EXPECT_LT(since_ms, 2000) << "the library waits 200 ms at most; the rest is Python's own end on a busy machine";
}

TEST(Life, ASignalIsTheProgramsOwn) {
  Viewer viewer;
  viewer.start(R"(
import os, signal, threading
import fake_gpu as gpu
gpu.init()
def tasks():
    return {open(f'/proc/self/task/{t}/comm').read().strip(): t for t in os.listdir('/proc/self/task')}
while 'lanescope' not in tasks(): pass
for name, task in sorted(tasks().items(), reverse=True):
    blocked = [l for l in open(f'/proc/self/task/{task}/status') if l.startswith('SigBlk')][0].split()[1]
    print(name, blocked, flush=True)
input()
)");
  ASSERT_NE(viewer.process(), nullptr);
  ASSERT_TRUE(viewer.until_printed("lanescope ")) << viewer.output();
  // The program's thread blocks nothing, the library's all that can be blocked: not SIGKILL, SIGSTOP, and glibc's own.
  std::istringstream lines(viewer.output());
  std::string name, blocked;
  lines >> name >> blocked;
  EXPECT_EQ(blocked, "0000000000000000");
  lines >> name >> blocked;
  EXPECT_EQ(name, "lanescope");
  EXPECT_THAT(blocked, testing::AnyOf("fffffffffffbfeff", "fffffffe7ffbfeff"));
}

TEST(Life, AtRestItWakesAtMostTwentyTimesASecond) {
  Viewer viewer;
  viewer.start(R"(
import glob, time
import fake_gpu as gpu
gpu.init()
gpu.sync(gpu.STREAM)
time.sleep(0.2)
def switches():
    for status in glob.glob('/proc/self/task/*/status'):
        lines = open(status).read().splitlines()
        if lines[0].split()[1] == 'lanescope':
            return sum(int(l.split()[1]) for l in lines if 'voluntary_ctxt_switches' in l and 'non' not in l)
before, start = switches(), time.monotonic()
time.sleep(1.5)
print('rate', (switches() - before) / (time.monotonic() - start), flush=True)
)");
  ASSERT_NE(viewer.process(), nullptr);
  viewer.wait();
  double rate = 0;
  ASSERT_EQ(std::sscanf(viewer.output().c_str(), "rate %lf", &rate), 1) << viewer.output();
  EXPECT_GT(rate, 1);
  EXPECT_LE(rate, 22);
}

// --- entered while the program runs ----------------------------------------------------------------------------------

constexpr const char* kEnter = R"(
import ctypes, os, sys, threading
import fake_gpu as gpu
library = ctypes.CDLL(os.environ['LIBRARY'])
def enter(): return library.lanescope_enter(os.environ['SOCKET'].encode())
)";

void start_unwatched(Viewer& viewer, const std::string& script) {
  viewer.environment["CUDA_INJECTION64_PATH"] = viewer.environment["NVTX_INJECTION64_PATH"] = "";
  viewer.environment[wire::kSocketVariable] = "";
  viewer.environment["LIBRARY"] = LANESCOPE_INJECT;
  viewer.environment["SOCKET"] = viewer.socket_path();
  viewer.start(kEnter + script);
}

// The second viewer knows nothing of what the first one was told, and hears of all of it again.
TEST(Life, EnteredLateOneViewerAfterTheOther) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  start_unwatched(viewer, R"(
gpu.init()
threading.current_thread().name
while True:
  line = sys.stdin.readline()
  if line == 'enter\n': print('entered', enter(), flush=True)
  elif line == 'work\n':
    for _ in range(20): gpu.launch('gemm', 50, gpu.STREAM)
    gpu.sync(gpu.STREAM)
  else: break
print(gpu.callbacks_enabled(), gpu.kinds_enabled(), flush=True)
)");
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    viewer.say("enter");
    Process* process = viewer.process();
    ASSERT_NE(process, nullptr) << viewer.output();
    ASSERT_TRUE(process->until([&] { return process->state() == wire::State::Watching; }));
    EXPECT_EQ(process->python(), wire::Python::Walking);
    EXPECT_THAT(std::string(process->memory().status.cupti_path), HasSubstr("libcupti.so.13"));
    EXPECT_EQ(process->memory().status.cupti_version.load(), 130001u);
    viewer.say("enter");  // while it is watched
    const std::string refused = "entered 1\n";
    ASSERT_TRUE(process->until([&] {
      const std::string out = viewer.output();
      std::size_t n = 0;
      for (std::size_t at = out.find(refused); at != std::string::npos; at = out.find(refused, at + 1)) ++n;
      return n == static_cast<std::size_t>(round) + 1;
    })) << viewer.output();
    ASSERT_TRUE(process->until([&] { return process->memory().status.recording.load() != 0; }));
    viewer.say("work");
    Messages& m = process->messages;
    EXPECT_TRUE(process->until([&] { return m.kernels.size() >= 20; })) << m.kernels.size();
    EXPECT_THAT(m.problems, IsEmpty());
    EXPECT_EQ(m.kernels.back().text, "gemm");
    EXPECT_THAT(m.devices, Contains("Fake GPU")) << "also what was there before";
    EXPECT_TRUE(m.place(m.calls.back().stack, viewer.script()).line > 0);
    const std::string gone = "/proc/" + std::to_string(viewer.pid()) + "/task";
    process->hang_up();
    ASSERT_TRUE(process->until([&] {
      return std::distance(std::filesystem::directory_iterator(gone), std::filesystem::directory_iterator()) == 1;
    })) << "the library's thread ends";
  }
  viewer.say("end");
  EXPECT_EQ(viewer.wait(), 0);
  EXPECT_THAT(viewer.output(), HasSubstr("0 0\n")) << "nothing is left on";
}

TEST(Life, AForkedChildCanBeEnteredByAViewerOfItsOwn) {
  Viewer viewer;
  start_unwatched(viewer, R"(
enter()
sys.stdin.readline()
child = os.fork()
if child == 0:
  entered = enter()
  print('child', entered, flush=True)
  if entered: sys.exit(1)
  gpu.init()
  while not gpu.callbacks_enabled(): pass
  gpu.sync(gpu.STREAM)
  sys.exit(0)
print('ended', os.waitpid(child, 0)[1], flush=True)
)");
  Process* parent = viewer.process();
  ASSERT_NE(parent, nullptr) << viewer.output();
  viewer.say("");
  Process* child = viewer.process();
  ASSERT_NE(child, nullptr) << viewer.output();
  EXPECT_NE(child->hello.pid, parent->hello.pid);
  EXPECT_TRUE(child->until([&] { return !child->messages.calls.empty(); }));
  EXPECT_TRUE(viewer.until_printed("ended 0")) << viewer.output();
  EXPECT_TRUE(parent->until([&] { return parent->messages.forked.size() == 1; }));
  EXPECT_EQ(viewer.wait(), 0);
}

// Asleep it has a thread, no CUPTI, and nothing that could be connected to.
TEST(Life, AsleepUntilSomebodyWritesWhereHeIs) {
  Viewer viewer;
  viewer.environment[wire::kSocketVariable] = "sleep";
  viewer.environment["XDG_RUNTIME_DIR"] = viewer.folder();
  viewer.start(R"(
import ctypes, os, sys
import fake_gpu as gpu
ranges = ctypes.CDLL(os.environ['FAKE_GPU_LIBRARIES'] + '/libranges.so')
ranges.ranges_push(b'before')
ranges.ranges_pop()
gpu.init()
gpu.sync(gpu.STREAM)
print(len(os.listdir('/proc/self/task')), gpu.callbacks_enabled(), gpu.kinds_enabled(),
      [x for x in map(os.readlink, ['/proc/self/fd/%s' % i for i in os.listdir('/proc/self/fd') if int(i) > 2 and
       os.path.exists('/proc/self/fd/%s' % i)]) if 'socket' in x or 'lanescope-sleep' in x], flush=True)
sys.stdin.readline()
ranges.ranges_push(b'after')
gpu.sync(gpu.STREAM)
sys.stdin.readline()
)");
  ASSERT_TRUE(viewer.until_printed("2 0 0 []")) << viewer.output();
  const std::string folder = viewer.folder() + "/lanescope-sleep-" + std::to_string(geteuid());
  const std::string fifo = folder + "/" + std::to_string(viewer.pid());
  ASSERT_TRUE(std::filesystem::is_fifo(fifo));
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
  // What is no path, or leads nowhere, does not wake it for long. While it looks, nobody waits at the other end.
  ::signal(SIGPIPE, SIG_IGN);
  const auto tell = [&](const std::string& line) {
    for (int i = 0; i < kPatience_ms; ++i) {
      const int end = open(fifo.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      const bool told = end >= 0 && write(end, line.data(), line.size()) == static_cast<ssize_t>(line.size());
      if (end >= 0) close(end);
      if (told) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  };
  ASSERT_TRUE(tell("/nowhere/at/all\n"));
  ASSERT_TRUE(tell(std::string(500, 'x') + "\n"));
  Process* process = nullptr;
  for (int i = 0; i < 100 && !process; ++i) {  // it may be closing its end just now
    ASSERT_TRUE(tell(viewer.socket_path() + "\n"));
    process = viewer.process(300);
  }
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(process->until([&] { return process->state() == wire::State::Watching; }));
  viewer.say("");
  EXPECT_TRUE(process->until([&] { return !process->messages.calls.empty() && !process->messages.ranges.empty(); }));
  EXPECT_EQ(process->messages.ranges.front().text, "after") << "NVTX was not refused";
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(fifo));
}

TEST(Life, ItDoesNotSleepInAFolderThatOthersCanEnter) {
  Viewer viewer;
  viewer.environment[wire::kSocketVariable] = "sleep";
  viewer.environment["XDG_RUNTIME_DIR"] = viewer.folder();
  const std::string folder = viewer.folder() + "/lanescope-sleep-" + std::to_string(geteuid());
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  viewer.start("import os\nimport fake_gpu as gpu\ngpu.init()\nprint(len(os.listdir('/proc/self/task')))\n");
  EXPECT_EQ(viewer.wait(), 0);
  EXPECT_EQ(viewer.output(), "1\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace lanescope::inject_tests
