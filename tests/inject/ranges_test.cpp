// NVTX ranges, names of threads, and samples of threads that make no calls.
#include <gmock/gmock.h>

#include "inject/target.h"

namespace lanescope::inject_tests {
namespace {

using testing::IsEmpty;

std::string acts(const Messages& m) {
  std::string text;
  for (const Range& r : m.ranges) {
    static constexpr const char* kNames[] = {"push", "pop", "start", "end", "mark"};
    text += std::string(kNames[static_cast<int>(r.act)]) + "(" + r.domain_text + "|" + r.text + ") ";
  }
  return text;
}

constexpr const char* kOpen = R"(
import ctypes, os, threading
ranges = ctypes.CDLL(os.environ['FAKE_GPU_LIBRARIES'] + '/libranges.so')
ranges.ranges_start.restype = ctypes.c_ulong
ranges.ranges_end.argtypes = [ctypes.c_ulong]
)";

TEST(Ranges, ComeAtOnceAndInOrder) {
  Viewer viewer;
  viewer.start(std::string(kOpen) + R"(
levels = [ranges.ranges_push(b'step'), ranges.ranges_push(b'forward'), ranges.ranges_pop()]
ranges.ranges_mark(b'here')
print(levels, flush=True)
input()
levels = [ranges.ranges_pop(), ranges.ranges_pop()]
a = ranges.ranges_start(b'one, op_id = 314290')
b = ranges.ranges_start(b'two')
ranges.ranges_end(a)
ranges.ranges_end(b)
ranges.ranges_in_domain(b'NCCL', b'ncclAllReduce')
ranges.ranges_wide(ctypes.c_wchar_p('größer \U0001F600'))
print(levels, flush=True)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  Messages& m = process->messages;
  // NVTX came first: there is no CUDA yet, and an open range is known while it lasts.
  ASSERT_TRUE(process->until([&] { return m.ranges.size() == 4; })) << viewer.output();
  EXPECT_EQ(process->state(), wire::State::Starting);
  EXPECT_EQ(acts(m), "push(|step) push(|forward) pop(|) mark(|here) ");
  EXPECT_EQ(m.ranges[0].range, 1u) << "how deep it is";
  EXPECT_EQ(m.ranges[1].range, 2u);
  EXPECT_EQ(m.ranges[2].range, 2u);
  ASSERT_TRUE(viewer.until_printed("[0, 1, 1]")) << viewer.output();
  viewer.say("");
  ASSERT_TRUE(viewer.until_printed("[0, -1]")) << viewer.output();
  ASSERT_TRUE(process->until([&] { return m.ranges.size() >= 14; })) << acts(m);
  EXPECT_EQ(m.ranges[4].range, 1u);
  EXPECT_EQ(m.ranges[5].range, 0u) << "a pop without a push";
  m.ranges.erase(m.ranges.begin(), m.ranges.begin() + 6);
  EXPECT_EQ(
      acts(m),
      "start(|one) start(|two) end(|) end(|) push(NCCL|ncclAllReduce) pop(NCCL|) push(|größer \U0001F600) pop(|) ");
  EXPECT_EQ(m.ranges[0].range, m.ranges[2].range);
  EXPECT_EQ(m.ranges[1].range, m.ranges[3].range);
  EXPECT_NE(m.ranges[0].range, m.ranges[1].range);
  EXPECT_EQ(m.ranges[4].color, 0xFF8800CC);
  EXPECT_EQ(m.ranges[4].thread, static_cast<std::uint32_t>(viewer.pid()));
  for (std::size_t i = 1; i < m.ranges.size(); ++i) EXPECT_GE(m.ranges[i].time_ns, m.ranges[i - 1].time_ns);
  EXPECT_THAT(m.problems, IsEmpty());
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0) << viewer.output();
}

// XLA makes many as soon as somebody listens. Those of the rest of the program are wanted.
TEST(Ranges, OfJaxAreNotListenedTo) {
  Viewer viewer;
  viewer.start(std::string(kOpen) + R"(
import shutil, tempfile
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(folder + '/jaxlib')
    shutil.copy(ranges._name, folder + '/jaxlib/libjax_common.so')
    xla = ctypes.CDLL(folder + '/jaxlib/libjax_common.so')
    print([xla.ranges_push(b'Thunk'), ranges.ranges_push(b'mine'), ranges.ranges_pop(), xla.ranges_pop()], flush=True)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(viewer.until_printed("[-2, 0, 0, -2]")) << viewer.output();  // NVTX_NO_PUSH_POP_TRACKING
  ASSERT_TRUE(process->until([&] { return process->messages.ranges.size() >= 2; }));
  EXPECT_EQ(acts(process->messages), "push(|mine) pop(|) ");
  viewer.say("");
  EXPECT_EQ(viewer.wait(), 0) << viewer.output();
}

TEST(Ranges, CudaMayComeAfterwards) {
  Viewer viewer;
  viewer.start(std::string(kOpen) + R"(
ranges.ranges_push(b'outer')
import fake_gpu as gpu
gpu.init()
gpu.sync(gpu.STREAM)
ranges.ranges_pop()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(process->until([&] { return process->messages.calls.size() == 1; })) << viewer.output();
  ASSERT_TRUE(process->until([&] { return process->messages.ranges.size() == 2; })) << viewer.output();
  EXPECT_EQ(process->state(), wire::State::Watching);
  EXPECT_EQ(viewer.process(0), nullptr) << "one process says Hello once";
  EXPECT_EQ(viewer.wait(), 0);
}

TEST(Ranges, AThreadIsNamedByTheProgramOrTheSystem) {
  Viewer viewer;
  viewer.start(std::string(kOpen) + R"(
import ctypes
import fake_gpu as gpu
gpu.init()
gpu.sync(gpu.STREAM)
ids = {}
def work(name):
    ids[name] = threading.get_native_id()
    gpu.sync(13)
    if name == 'nvtx': ranges.ranges_name_thread(b'the feeder')
    else: ctypes.CDLL(None).prctl(15, b'renamed', 0, 0, 0)
    done.wait()
done = threading.Event()
threads = [threading.Thread(target=work, args=(name,), daemon=True) for name in ('nvtx', 'comm')]
for t in threads: t.start()
while len(ids) < 2: pass
print('ids', ids['nvtx'], ids['comm'], flush=True)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  ASSERT_TRUE(viewer.until_printed("ids")) << viewer.output();
  unsigned nvtx = 0, comm = 0;
  ASSERT_EQ(std::sscanf(viewer.output().c_str(), "ids %u %u", &nvtx, &comm), 2);
  Messages& m = process->messages;
  ASSERT_TRUE(process->until([&] { return m.threads[nvtx] == "the feeder" && m.threads[comm] == "renamed"; }))
      << m.threads[nvtx] << ", " << m.threads[comm];
  EXPECT_THAT(m.threads[static_cast<std::uint32_t>(viewer.pid())], testing::StartsWith("python"));
}

TEST(Samples, SayWhereAThreadIsThatMakesNoCalls) {
  Viewer viewer;
  viewer.start(R"(
import time
import fake_gpu as gpu
gpu.init()
gpu.sync(gpu.STREAM)
input()
def compute(until):
    x = 0
    while time.monotonic() < until:
        x += 1
    return x
def load():
    time.sleep(0.3)
compute(time.monotonic() + 0.3)
gpu.sync(gpu.STREAM)
load()
gpu.sync(gpu.STREAM)
print('done', flush=True)
input()
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  process->memory().controls.sample_us = 5'000;
  process->wake();
  Messages& m = process->messages;
  viewer.say("");
  ASSERT_TRUE(viewer.until_printed("done")) << viewer.output();
  process->read();
  const auto in = [&](const std::string& function, std::uint32_t runs) {
    return std::count_if(m.samples.begin(), m.samples.end(), [&](const wire::SampleMessage& s) {
      return s.runs == runs && m.place(s.stack, viewer.script()).function == function;
    });
  };
  // 0.3 s at a sample every 5 ms, from 5 ms after the call before: 59; a busy machine takes fewer.
  EXPECT_GT(in("compute", 1), 5) << viewer.output();
  EXPECT_GT(in("load", 0), 5);
  EXPECT_LE(m.samples.size(), 300u);
  for (const wire::SampleMessage& s : m.samples) {
    EXPECT_GE(s.time_ns, s.since_ns + 5'000'000);
    EXPECT_EQ(s.thread, static_cast<std::uint32_t>(viewer.pid()));
  }
  EXPECT_THAT(m.problems, IsEmpty());
}

TEST(Samples, AreNotTakenUnasked) {
  Viewer viewer;
  viewer.start("import time\nimport fake_gpu as gpu\ngpu.init()\ngpu.sync(7)\ntime.sleep(0.2)\ngpu.sync(7)\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr);
  viewer.wait();
  EXPECT_THAT(process->messages.samples, IsEmpty());
  EXPECT_EQ(process->messages.calls.size(), 2u);
}

}  // namespace
}  // namespace lanescope::inject_tests
