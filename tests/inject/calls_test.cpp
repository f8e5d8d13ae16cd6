// Calls, their results and their Python lines, at the level "waits".
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <filesystem>
#include <sstream>

#include "inject/target.h"

namespace lanescope::inject_tests {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A script says where each of its calls stands: CORRELATION LINE FUNCTION.
constexpr const char* kSay = R"(
import sys
import fake_gpu as gpu
said = []
def at(correlation):
    frame = sys._getframe(1)
    code = frame.f_code
    said.append((correlation, frame.f_lineno, getattr(code, 'co_qualname', code.co_name)))
    return correlation
def tell():
    for correlation, line, function in said:
        print('call', correlation, line, function)
    print('told')
gpu.init()
)";

struct Said {
  std::uint32_t correlation, line;
  std::string function;
};
std::vector<Said> said(const std::string& output) {
  std::vector<Said> all;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    Said s;
    if (words >> word && word == "call" && words >> s.correlation >> s.line &&
        std::getline(words >> std::ws, s.function)) {
      all.push_back(s);
    }
  }
  return all;
}

// Runs a script to its end; every call that it has told of must have come, with its line and function.
void expect_lines(Viewer& viewer, const std::string& script, std::size_t least) {
  viewer.start(kSay + script + "\ntell()\ninput()\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(viewer.until_printed("told")) << viewer.output();
  const std::vector<Said> calls = said(viewer.output());
  EXPECT_GE(calls.size(), least);
  for (const Said& s : calls) {
    ASSERT_TRUE(process->until([&] { return process->messages.call(s.correlation) != nullptr; }))
        << "no call " << s.correlation << " of line " << s.line;
    const Call& call = *process->messages.call(s.correlation);
    const Place place = process->messages.place(call.stack, viewer.script());
    EXPECT_EQ(place.line, s.line) << process->messages.lines(call.stack);
    EXPECT_EQ(place.function, s.function) << process->messages.lines(call.stack);
    EXPECT_LE(call.start_ns, call.end_ns);
  }
  EXPECT_THAT(process->messages.problems, IsEmpty());
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0) << viewer.output();
  EXPECT_EQ(process->memory().status.dropped.load(), 0u);
  EXPECT_EQ(process->memory().status.walks_failed.load(), 0u) << process->memory().status.python_text;
}

constexpr const char* kPlaces = R"(
S = gpu.STREAM
for i in range(3):
    gpu.launch('k', 50, S)
    at(gpu.sync(S))

def nested(n):
    def inner():
        return at(gpu.sync(S))
    return inner() if n == 0 else nested(n - 1)
nested(0)
nested(5)

def numbers():
    for i in range(2):
        yield at(gpu.sync(S))
list(numbers())
sum(x for x in (at(gpu.sync(S)), 0))

class Model:
    def __getattr__(self, name):
        at(gpu.sync(S))
        return 1
    def __call__(self):
        return at(gpu.device_sync())
Model().weight
Model()()
max([1, 2], key=lambda x: at(gpu.sync(S)))

def through_an_exception():
    try:
        raise ValueError(at(gpu.sync(S)))
    except ValueError:
        at(gpu.sync(S))
    finally:
        at(gpu.sync(S))
through_an_exception()

def far_down():
    a = 1
    if a:

        b = (
            2,
            3)
        at(gpu.sync(S))
    at(gpu.memcpy(gpu.D2H, 4, 10, S, 1))
far_down()
at(gpu.malloc(100)); at(gpu.free())
event = gpu.event_record(S)
at(gpu.event_sync(event))
exec(compile('at(gpu.sync(S))', __file__, 'exec'))
)";

class Lines : public testing::TestWithParam<std::string> {};

TEST_P(Lines, EveryCallHasItsLine) {
  Viewer viewer;
  viewer.python = GetParam();
  expect_lines(viewer, kPlaces, 20);
}

// By these the viewer finds the loop. Two statements of a function, gone through three times, and one of another.
TEST_P(Lines, AFrameHasItsCodeAndItsPlaceInIt) {
  Viewer viewer;
  viewer.python = GetParam();
  viewer.start(std::string(kSay) + R"(
def loop():
    for i in range(3):
        at(gpu.sync(gpu.STREAM))
        at(gpu.device_sync())
def other():
    at(gpu.sync(gpu.STREAM))
loop()
other()
tell()
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(viewer.until_printed("told")) << viewer.output();
  std::vector<Place> places;
  for (const Said& s : said(viewer.output())) {
    ASSERT_TRUE(process->until([&] { return process->messages.call(s.correlation) != nullptr; }));
    places.push_back(process->messages.place(process->messages.call(s.correlation)->stack, viewer.script()));
  }
  ASSERT_EQ(places.size(), 7u);
  for (std::size_t round = 0; round < 3; ++round) {
    const Place &first = places[2 * round], &second = places[2 * round + 1];
    EXPECT_EQ(first.code, places[0].code);
    EXPECT_EQ(second.code, places[0].code);
    EXPECT_EQ(first.offset, places[0].offset);
    EXPECT_EQ(second.offset, places[1].offset);
  }
  EXPECT_GT(places[0].offset, 0u);
  EXPECT_GT(places[1].offset, places[0].offset);
  EXPECT_NE(places[0].code, 0u);
  EXPECT_NE(places[6].code, places[0].code);
}

// The interpreters of this machine whose frames can be walked.
std::vector<std::string> interpreters() {
  std::vector<std::string> found = {LANESCOPE_PYTHON};
  const char* home = std::getenv("HOME");
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(home ? home : "") + "/.pyenv/versions", error)) {
    const std::string name = entry.path().filename().string();
    const auto python = entry.path() / "bin" / "python3";
    int minor = 0;
    if (std::sscanf(name.c_str(), "3.%d", &minor) == 1 && minor >= 10 && minor <= 14 &&
        std::filesystem::exists(python)) {
      found.push_back(python.string());
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}
INSTANTIATE_TEST_SUITE_P(Interpreters, Lines, testing::ValuesIn(interpreters()), [](const auto& test) {
  std::string name;
  for (const char c : test.param) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(Calls, AThreadsCallsHaveItsOwnLinesAndName) {
  Viewer viewer;
  expect_lines(viewer, R"(
import threading
def work():
    for i in range(5):
        gpu.launch('k', 20, 13)
        at(gpu.sync(13))
threads = [threading.Thread(target=work) for i in range(4)]
for t in threads: t.start()
at(gpu.sync(gpu.STREAM))
for t in threads: t.join()
)",
               21);
}

TEST(Calls, AFunctionWithANameOfManyCharactersAndAFileOfAny) {
  Viewer viewer;
  viewer.start(std::string(kSay) + R"(
source = 'def größe_数():\n    return at(gpu.sync(7))\n'
names = {'at': at, 'gpu': gpu}
exec(compile(source, '/tmp/Übung/数据\U0001F600.py', 'exec'), names)
names['größe_数']()
tell()
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(viewer.until_printed("told")) << viewer.output();
  const std::uint32_t correlation = said(viewer.output()).at(0).correlation;
  ASSERT_TRUE(process->until([&] { return process->messages.call(correlation) != nullptr; }));
  const Place place =
      process->messages.place(process->messages.call(correlation)->stack, "/tmp/Übung/数据\U0001F600.py");
  EXPECT_EQ(place.line, 2u);
  EXPECT_EQ(place.function, "größe_数");
}

TEST(Calls, OnlyTheOuterOfTwoCallsIsSentAndADriverCallByItselfIs) {
  Viewer viewer;
  viewer.first_level = wire::Level::Calls;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
while gpu.kinds_enabled() == 0: pass
a = gpu.launch('runtime', 10, gpu.STREAM)
b = gpu.driver_launch('driver', 10, gpu.STREAM)
print('done', a, b)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(viewer.until_printed("done")) << viewer.output();
  unsigned a = 0, b = 0;
  ASSERT_EQ(std::sscanf(viewer.output().c_str(), "done %u %u", &a, &b), 2);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return m.call(a) && m.call(b); }));
  EXPECT_EQ(m.call(a)->text, "cudaLaunchKernel_v7000");
  EXPECT_EQ(m.call(b)->text, "cuLaunchKernel");
  EXPECT_EQ(std::count_if(m.calls.begin(), m.calls.end(), [&](const Call& c) { return c.correlation == a; }), 1);
  EXPECT_NE(m.call(a)->stack, 0u);
}

TEST(Calls, AFailedCallHasItsResult) {
  Viewer viewer;
  viewer.start("import fake_gpu as gpu\ngpu.init()\nprint('done', gpu.failing_sync(719))\ninput()\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(process->until([&] { return !process->messages.calls.empty(); })) << viewer.output();
  EXPECT_EQ(process->messages.calls[0].result, 719);
  EXPECT_EQ(process->messages.calls[0].text, "cudaStreamSynchronize_v3020");
}

TEST(Calls, WaitsAreWatchedAndLaunchesAreNot) {
  Viewer viewer;
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
for i in range(10):
    gpu.launch('k', 1, gpu.STREAM)
    gpu.get_device()
    gpu.memset(4, 1, gpu.STREAM)
gpu.memcpy(gpu.H2D, 4, 1, gpu.STREAM, 0)
gpu.graph_launch('g', 2, 1, gpu.STREAM)
gpu.sync(gpu.STREAM)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  // Two copies' worth of calls before the level is known may be missed, so only what must not come is counted.
  ASSERT_TRUE(process->until([&] { return !process->messages.calls.empty(); })) << viewer.output();
  ASSERT_TRUE(process->until([&] { return process->messages.calls.back().text == "cudaStreamSynchronize_v3020"; }));
  for (const Call& call : process->messages.calls) {
    EXPECT_THAT(call.text,
                testing::AnyOf("cudaMemcpyAsync_v3020", "cudaGraphLaunch_v10000", "cudaStreamSynchronize_v3020"));
  }
  EXPECT_THAT(process->messages.kernels, IsEmpty());
}

TEST(Calls, AnOpenCallIsShownWhileItLasts) {
  Viewer viewer;
  viewer.start("import fake_gpu as gpu\ngpu.init()\ngpu.sync(7)\ngpu.launch('long', 20_000_000, 7)\ngpu.sync(7)\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  const auto open = [&]() -> const wire::OpenCall* {
    for (const wire::OpenCall& o : process->memory().open) {
      if (o.thread.load() != 0) return &o;
    }
    return nullptr;
  };
  ASSERT_TRUE(process->until([&] {
    return open() && process->messages.place(open()->stack, viewer.script()).line == 5;
  })) << viewer.output();
  EXPECT_EQ(open()->turn.load() % 2, 0u);
  EXPECT_EQ(open()->thread.load(), static_cast<std::uint32_t>(viewer.pid()));
  EXPECT_EQ(process->messages.texts[open()->name], "cudaStreamSynchronize_v3020");
  viewer.kill(SIGKILL);
}

TEST(Calls, OfAThreadWithoutPythonTheLineThatWaitsForItIsTold) {
  Viewer viewer;
  const std::string folder = viewer.folder() + "/torch/autograd";
  std::filesystem::create_directories(folder);
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
source = 'def run_backward(gpu):\n    return gpu.backward("grad", 3, 20)\n'
names = {}
exec(compile(source, '/site-packages/torch/autograd/graph.py', 'exec'), names)
gpu.sync(gpu.STREAM)
def train():
    return names['run_backward'](gpu)
print('done', train())
other = gpu.backward('not PyTorch', 1, 1)
print('other', other)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(viewer.until_printed("other")) << viewer.output();
  unsigned backward = 0, other = 0;
  ASSERT_EQ(std::sscanf(viewer.output().c_str(), "done %u\nother %u", &backward, &other), 2) << viewer.output();
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return m.call(backward) && m.call(other); }));
  EXPECT_TRUE(m.call(backward)->lent);
  EXPECT_EQ(m.place(m.call(backward)->stack, viewer.script()).line, 9u) << m.lines(m.call(backward)->stack);
  EXPECT_EQ(m.threads[m.call(backward)->thread], "pt_autograd_0");
  EXPECT_FALSE(m.call(other)->lent);
  EXPECT_EQ(m.call(other)->stack, 0u);
}

TEST(Calls, ACallbackNeitherAllocatesNorLocks) {
  Viewer viewer;
  viewer.first_level = wire::Level::All;
  viewer.environment["LD_PRELOAD"] = LANESCOPE_FAKES "/libcount_calls.so";
  viewer.start(R"(
import ctypes, threading
import fake_gpu as gpu
count = ctypes.CDLL(None)
gpu.init()
while gpu.kinds_enabled() == 0: pass
def work(n, stream):
    for i in range(n):
        gpu.launch('k', 1, stream)
        gpu.memcpy(gpu.H2D, 4, 1, stream, 0)
        if i % 8 == 0: gpu.sync(stream)
# What is to be counted is counted.
mutex = ctypes.create_string_buffer(64)
count.count_begin()
count.malloc(100)
count.pthread_mutex_lock(mutex)
count.count_end()
print('control', count.count_allocations() > 0 and count.count_locks() > 0)
count.count_reset()
threads = [threading.Thread(target=work, args=(500, 20 + i)) for i in range(3)]
for t in threads: t.start()
work(500, 7)
for t in threads: t.join()
print('callbacks', count.count_callbacks(), 'allocations', count.count_allocations(), 'locks', count.count_locks())
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(viewer.until_printed("callbacks ")) << viewer.output();
  unsigned callbacks = 0, allocations = 0, locks = 0;
  ASSERT_EQ(std::sscanf(viewer.output().c_str(), "control True\ncallbacks %u allocations %u locks %u", &callbacks,
                        &allocations, &locks),
            3)
      << viewer.output();
  EXPECT_GT(callbacks, 4000u);
  EXPECT_EQ(allocations, 0u);
  EXPECT_EQ(locks, 0u);
}

}  // namespace
}  // namespace lanescope::inject_tests
