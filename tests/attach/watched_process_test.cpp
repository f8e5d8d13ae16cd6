#include "attach/watched_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "capture/recorder.h"
#include "capture/ring_writer.h"
#include "until.h"

namespace lanescope::attach {
namespace {

using capture::RingWriter;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr std::uint32_t kPid = 100, kWorker = 101;
constexpr int kToHost = 2, kBetweenDevices = 8, kPageable = 1, kPinned = 2, kDevice = 3;  // CUPTI's numbers
constexpr std::uint32_t kRuntime = 2 << 16, kDriver = 1 << 16;                            // CUPTI's domains
constexpr base::Nanoseconds kOrigin = 1'000'000;
constexpr std::uint32_t kNccl = 50;  // the text's number
constexpr base::Nanoseconds kUs = base::kMicrosecond;

// A program whose library sends what the test says, and the trace it gives.
class Rig {
 public:
  explicit Rig(std::optional<int> rank = {}) : folder_(std::filesystem::path(testing::TempDir()) / "watched_process") {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "train.py") << "def train(loader):\n"
                                           "    for batch in loader:\n"
                                           "        out = model(batch)\n"
                                           "        loss = criterion(out)\n"
                                           "        print(loss.item())\n";
    std::string problem;
    process.emplace(WatchedProcess::Identity{kPid, 1, "train.py", folder_, 0, rank, 2},
                    *RingReader::open(&writer.memory(), writer.bytes(), problem), trace, recorder, kOrigin);
    text(1, "cudaLaunchKernel_v7000");
    text(2, "cudaStreamSynchronize_v3020");
    text(3, "train.py");
    text(4, "train");
    text(5, "/usr/lib/python3/dist-packages/torch/nn.py");
    text(6, "forward");
    text(7, "_Z6kernelPf");
    text(8, "cudaMemcpyAsync_v3020");
    frame(1, 3, 4, 3, 30);   // train.py:3
    frame(2, 3, 4, 5, 50);   // train.py:5
    frame(3, 5, 6, 99, 10);  // torch/nn.py:99
    writer.stack(1, {3, 1});
    writer.stack(2, {2});
  }

  void text(std::uint32_t id, const char* text) { ASSERT_TRUE(writer.text(id, text)); }
  void frame(std::uint32_t id, std::uint32_t file, std::uint32_t function, std::uint32_t line, std::uint32_t offset) {
    ASSERT_TRUE(writer.send(wire::MessageKind::Frame, wire::FrameMessage{file, function, line, function, offset}, id));
  }
  void call(base::Nanoseconds start, base::Nanoseconds end, std::uint32_t name, std::uint32_t stack,
            std::uint32_t thread = kPid) {
    wire::CallMessage message{};
    message.start_ns = start + kOrigin;
    message.end_ns = end + kOrigin;
    message.correlation = ++correlation;
    message.thread = thread;
    message.api = kRuntime | name;
    message.name = name;
    message.stack = stack;
    ASSERT_TRUE(writer.send(wire::MessageKind::Call, message));
  }
  static wire::OperationMessage operation(base::Nanoseconds start, base::Nanoseconds end, std::uint32_t correlation) {
    wire::OperationMessage message{};
    message.start_ns = start + kOrigin;
    message.end_ns = end + kOrigin;
    message.correlation = correlation;
    message.context = 1;
    message.stream = 7;
    return message;
  }
  /// Of the last call.
  void kernel(base::Nanoseconds start, base::Nanoseconds end) { kernel(start, end, correlation); }
  void kernel(base::Nanoseconds start, base::Nanoseconds end, std::uint32_t launch) {
    wire::OperationMessage message = operation(start, end, launch);
    message.kernel.name = 7;
    ASSERT_TRUE(writer.send(wire::MessageKind::Kernel, message));
  }
  /// Of the last call, to or from this kind of memory of the host.
  void copy(base::Nanoseconds start, base::Nanoseconds end, int kind, int destination) {
    wire::OperationMessage message = operation(start, end, correlation);
    message.bytes = 4096;
    message.copy_kind = static_cast<std::uint8_t>(kind);
    message.source = kDevice;
    message.destination = static_cast<unsigned>(destination) & 15u;
    message.asynchronous = 1;
    ASSERT_TRUE(writer.send(wire::MessageKind::Copy, message));
  }
  void recording(wire::RecordingAct act, base::Nanoseconds t, bool kernels_before = false) {
    ASSERT_TRUE(
        writer.send(wire::MessageKind::Recording, wire::RecordingMessage{t + kOrigin, act, 2, 0, kernels_before}));
  }
  void range(wire::RangeAct act, base::Nanoseconds t, std::uint32_t name, std::uint32_t thread = kPid,
             std::uint64_t depth = 0) {
    wire::RangeMessage message{};
    message.range = depth;
    message.time_ns = t + kOrigin;
    message.act = act;
    message.thread = thread;
    message.name = name;
    ASSERT_TRUE(writer.send(wire::MessageKind::Range, message));
  }
  /// In NCCL's domain, with a payload if it names bytes.
  void nccl(wire::RangeAct act, base::Nanoseconds t, std::uint32_t name, std::uint64_t bytes = 0) {
    struct {
      wire::RangeMessage range;
      wire::CollectivePayload payload;
    } message{};
    message.range.time_ns = t + kOrigin;
    message.range.act = act;
    message.range.thread = kPid;
    message.range.name = name;
    message.range.domain = kNccl;
    if (bytes == 0) {
      ASSERT_TRUE(writer.send(wire::MessageKind::Range, message.range));
      return;
    }
    message.range.payload = sizeof(message.payload);
    message.payload.has = wire::CollectivePayload::kCommunicator | wire::CollectivePayload::kBytes;
    message.payload.communicator = 0xAB;
    message.payload.bytes = bytes;
    ASSERT_TRUE(writer.send(wire::MessageKind::Range, message));
  }
  void read(base::Nanoseconds now) {
    process->read(1 << 20, now);
    recorder.flush();
  }
  void finish(base::Nanoseconds now) {
    process->finish(now);
    recorder.flush();
  }
  void flush_until(base::Nanoseconds complete) {
    until([&] { return trace.complete_until() >= complete; }, [&] { recorder.flush(); });
  }

  struct Seen {
    std::string name;
    base::Nanoseconds start, end;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> lane(trace::LaneKind kind, const std::string& name) const {
    std::vector<Seen> seen;
    for_each(kind, name, [&](trace::LaneId, const trace::Event& event) {
      seen.push_back({std::string(trace.names().text(event.name)), event.start_ns, event.end_ns});
    });
    return seen;
  }
  template <typename Visit>
  void for_each(trace::LaneKind kind, const std::string& name, Visit&& visit) const {
    const trace::Trace::ReadLock lock(trace);
    for (trace::LaneId id = 0; id < trace.lane_count(); ++id) {
      const trace::Lane& lane = trace.lane(id);
      if (lane.info().kind != kind || lane.info().name != name) continue;
      for (std::size_t r = 0; r < lane.row_count(); ++r) {
        const trace::Row& row = lane.row(r);
        for (auto i = row.first(); i < row.last(); ++i) visit(id, row.event(i));
      }
    }
  }

  std::filesystem::path folder_;
  RingWriter writer{1 << 14};
  trace::Trace trace;
  capture::Recorder recorder{trace, capture::WhenFull::Wait};
  std::optional<WatchedProcess> process;
  std::uint32_t correlation = 0;
};

std::ostream& operator<<(std::ostream& out, const Rig::Seen& seen) {
  return out << seen.name << " [" << seen.start << ", " << seen.end << ")";
}

TEST(WatchedProcess, ABlockingCallHasItsLineAndAllOfItIsAWaitWhileTheGpuIsNotRecorded) {
  Rig rig;
  rig.call(100 * kUs, 350 * kUs, 2, 2);
  rig.read(10'000 * kUs);
  int calls = 0;
  rig.for_each(trace::LaneKind::Calls, "CUDA calls", [&](trace::LaneId lane, const trace::Event& call) {
    ++calls;
    EXPECT_EQ(rig.trace.names().text(call.name), "cudaStreamSynchronize");
    EXPECT_TRUE(trace::is_blocking(call));
    EXPECT_EQ(trace::parts_of(call).waiting, 250 * kUs);
    const auto stack = rig.trace.sites().stack(rig.trace.sites().at(lane, call.start_ns));
    ASSERT_NE(stack.own_frame(), nullptr);
    EXPECT_EQ(rig.trace.names().text(stack.own_frame()->file), "train.py");
    EXPECT_EQ(stack.own_frame()->line, 5u);
  });
  EXPECT_EQ(calls, 1);
}

// A call through a wrapper of inject/knobs.py is at the same place as one without it.
TEST(WatchedProcess, AWrapperOfTheKnobsIsNoFrame) {
  Rig rig;
  rig.text(20, "<lanescope>");
  rig.text(21, "call");
  rig.frame(20, 20, 21, 500, 10);
  ASSERT_TRUE(rig.writer.stack(20, {20, 3, 20, 1}));
  rig.recording(wire::RecordingAct::On, 0);
  rig.call(10 * kUs, 12 * kUs, 1, 1);
  rig.call(20 * kUs, 22 * kUs, 1, 20);
  rig.finish(1000 * kUs);
  std::vector<std::uint32_t> sites;
  rig.for_each(trace::LaneKind::Calls, "CUDA calls", [&](trace::LaneId lane, const trace::Event& call) {
    sites.push_back(rig.trace.sites().at(lane, call.start_ns));
  });
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_NE(sites[0], 0u);
  EXPECT_EQ(sites[0], sites[1]);
}

TEST(WatchedProcess, TheUsersFrameIsTheFirstThatIsNotALibrarys) {
  Rig rig;
  rig.recording(wire::RecordingAct::On, 0);
  rig.call(10 * kUs, 12 * kUs, 1, 1);
  rig.finish(1000 * kUs);
  rig.for_each(trace::LaneKind::Calls, "CUDA calls", [&](trace::LaneId lane, const trace::Event& call) {
    const auto stack = rig.trace.sites().stack(rig.trace.sites().at(lane, call.start_ns));
    ASSERT_EQ(stack.frames.size(), 2u);
    EXPECT_EQ(stack.own, 1u);
    EXPECT_EQ(stack.own_frame()->line, 3u);
  });
}

// In a burst: kernel [20, 320) us, synchronise [30, 330): the call waits until 320 and returns at 330.
TEST(WatchedProcess, InABurstACallsPartsAreWorkedOut) {
  Rig rig;
  rig.recording(wire::RecordingAct::On, 0);
  rig.call(10 * kUs, 15 * kUs, 1, 1);
  rig.kernel(20 * kUs, 320 * kUs);
  rig.call(30 * kUs, 330 * kUs, 2, 2);
  rig.recording(wire::RecordingAct::Delivered, 1000 * kUs);
  rig.recording(wire::RecordingAct::Off, 1000 * kUs);
  rig.finish(2000 * kUs);
  EXPECT_THAT(rig.lane(trace::LaneKind::Kernels, "kernels"), ElementsAre(Rig::Seen{"kernel", 20 * kUs, 320 * kUs}));
  rig.for_each(trace::LaneKind::Calls, "CUDA calls", [&](trace::LaneId, const trace::Event& call) {
    if (!trace::is_sync(call)) return;
    EXPECT_EQ(trace::parts_of(call).waiting, 290 * kUs);
    EXPECT_EQ(trace::parts_of(call).returning, 10 * kUs);
  });
  // The GPU is known from the first recorded operation on, its calls from the switching on.
  const trace::Coverage& coverage = rig.trace.coverage(kPid);
  ASSERT_EQ(coverage.last() - coverage.first(), 1u);
  EXPECT_EQ(coverage.interval(coverage.first()), (trace::Coverage::Interval{0, 20 * kUs, 1000 * kUs}));
}

// In a burst, copies of one line return at once, one between devices waits 200 us for a place in the queue, and copies
// of another line into pageable memory wait. After it, none of them is recorded: a copy of 300 us is a wait only where
// such a copy was one.
TEST(WatchedProcess, BetweenBurstsACopyWaitsIfThoseOfItsLineDid) {
  Rig rig;
  constexpr std::uint32_t kNoStack = 0;
  rig.recording(wire::RecordingAct::On, 0);
  rig.call(10 * kUs, 15 * kUs, 8, 1);
  rig.copy(20 * kUs, 40 * kUs, kToHost, kPinned);
  rig.call(100 * kUs, 300 * kUs, 8, 2);
  rig.copy(110 * kUs, 290 * kUs, kToHost, kPageable);
  rig.call(400 * kUs, 600 * kUs, 8, kNoStack, kWorker);
  rig.copy(800 * kUs, 810 * kUs, kBetweenDevices, kDevice);
  rig.recording(wire::RecordingAct::Delivered, 1000 * kUs);
  rig.recording(wire::RecordingAct::Off, 1000 * kUs);
  rig.read(5000 * kUs);
  rig.call(6000 * kUs, 6300 * kUs, 8, 1);
  rig.call(7000 * kUs, 7300 * kUs, 8, 2);
  rig.call(8000 * kUs, 8300 * kUs, 8, kNoStack, kWorker);
  rig.finish(9000 * kUs);
  std::vector<base::Nanoseconds> waits;
  for (const char* name : {"CUDA calls", "CUDA calls, thread 101"}) {
    rig.for_each(trace::LaneKind::Calls, name, [&](trace::LaneId, const trace::Event& call) {
      if (trace::is_sync(call)) waits.push_back(call.start_ns);
    });
  }
  EXPECT_THAT(waits, ElementsAre(100 * kUs, 7000 * kUs));
}

// A kernel that was launched before the burst, and runs from 1050 to 1100 us in it: if such kernels are recorded, the
// GPU is known from then on; if only some of what was launched before is, it is not, but from 1300 us on. Its launch is
// not missing.
TEST(WatchedProcess, WhatWasLaunchedBeforeABurstMayBeOnlyAPartOfWhatTheGpuDoes) {
  for (const bool all : {false, true}) {
    Rig rig;
    rig.recording(wire::RecordingAct::On, 1000 * kUs, all);
    ++rig.correlation;
    rig.call(1200 * kUs, 1205 * kUs, 1, 1);
    rig.kernel(1050 * kUs, 1100 * kUs, rig.correlation - 1);
    rig.kernel(1300 * kUs, 1320 * kUs, rig.correlation);
    rig.recording(wire::RecordingAct::Delivered, 2000 * kUs);
    rig.recording(wire::RecordingAct::Off, 3000 * kUs);
    rig.recording(wire::RecordingAct::Delivered, 4000 * kUs);
    rig.finish(5000 * kUs);
    EXPECT_EQ(rig.lane(trace::LaneKind::Kernels, "kernels").size(), 2u);
    const trace::Coverage& coverage = rig.trace.coverage(kPid);
    ASSERT_EQ(coverage.last() - coverage.first(), 1u);
    EXPECT_EQ(coverage.interval(coverage.first()),
              (trace::Coverage::Interval{1000 * kUs, (all ? 1050 : 1300) * kUs, 3000 * kUs}));
    EXPECT_EQ(rig.process->counts().operations_unmatched, 0u);
    EXPECT_EQ(rig.process->counts().launches_unmatched, 0u);
  }
}

// Between 1000 us, up to which all has come, and 2500 us, when the loss is seen, a kernel may be missing: that time is
// not recorded, rather than idle.
TEST(WatchedProcess, AMessageThatWasDroppedCutsTheRecordedTime) {
  Rig rig;
  rig.recording(wire::RecordingAct::On, 0);
  rig.call(10 * kUs, 15 * kUs, 1, 1);
  rig.kernel(20 * kUs, 40 * kUs);
  rig.recording(wire::RecordingAct::Delivered, 1000 * kUs);
  rig.read(1100 * kUs);
  rig.writer.memory().status.dropped = 1;
  rig.recording(wire::RecordingAct::Delivered, 2000 * kUs);
  rig.read(2500 * kUs);
  rig.call(2600 * kUs, 2605 * kUs, 1, 1);
  rig.kernel(2610 * kUs, 2700 * kUs);
  rig.recording(wire::RecordingAct::Delivered, 3000 * kUs);
  rig.read(3500 * kUs);
  rig.recording(wire::RecordingAct::Off, 4000 * kUs);
  rig.recording(wire::RecordingAct::Delivered, 4100 * kUs);
  rig.finish(5000 * kUs);
  const trace::Coverage& coverage = rig.trace.coverage(kPid);
  ASSERT_EQ(coverage.last() - coverage.first(), 2u);
  EXPECT_EQ(coverage.interval(coverage.first()), (trace::Coverage::Interval{0, 20 * kUs, 1000 * kUs}));
  EXPECT_EQ(coverage.interval(coverage.first() + 1), (trace::Coverage::Interval{2500 * kUs, 2610 * kUs, 4000 * kUs}));
}

// A GPU that several programs share: what was launched in the burst [0, 50) ms begins at 40 ms and is delivered at 90
// ms.
TEST(WatchedProcess, ABurstWhoseWorkIsDeliveredAfterItsEndCounts) {
  Rig rig;
  rig.recording(wire::RecordingAct::On, 0);
  rig.call(10 * kUs, 15 * kUs, 1, 1);
  rig.recording(wire::RecordingAct::Off, 50'000 * kUs);
  rig.recording(wire::RecordingAct::Delivered, 20'000 * kUs);
  rig.read(60'000 * kUs);
  EXPECT_EQ(rig.trace.coverage(kPid).last(), rig.trace.coverage(kPid).first());
  rig.kernel(40'000 * kUs, 70'000 * kUs);
  rig.recording(wire::RecordingAct::Delivered, 90'000 * kUs);
  rig.finish(100'000 * kUs);
  const trace::Coverage& coverage = rig.trace.coverage(kPid);
  ASSERT_EQ(coverage.last() - coverage.first(), 1u);
  EXPECT_EQ(coverage.interval(coverage.first()), (trace::Coverage::Interval{0, 40'000 * kUs, 50'000 * kUs}));
}

TEST(WatchedProcess, LinesAreRangesOfSuccessiveCallsOfOneStatement) {
  Rig rig;
  rig.recording(wire::RecordingAct::On, 0);
  rig.call(10 * kUs, 15 * kUs, 1, 1);
  rig.call(20 * kUs, 25 * kUs, 1, 1);
  rig.call(30 * kUs, 130 * kUs, 2, 2);
  rig.finish(1000 * kUs);
  EXPECT_THAT(rig.lane(trace::LaneKind::Phases, "lines"),
              ElementsAre(Rig::Seen{"train.py:3  out = model(batch)", 10 * kUs, 25 * kUs},
                          Rig::Seen{"train.py:5  print(loss.item())", 30 * kUs, 130 * kUs}));
}

// Rounds of 200 us, of which the first twelve are recorded; the read carries the iterations on.
TEST(WatchedProcess, IterationsAreFoundAndNamedByTheirLoop) {
  Rig rig;
  rig.recording(wire::RecordingAct::On, 0);
  for (int i = 0; i < 20; ++i) {
    const base::Nanoseconds t = i * 200 * kUs;
    if (i == 12) rig.recording(wire::RecordingAct::Off, t - kUs);
    if (i < 12) {
      rig.call(t + 10 * kUs, t + 15 * kUs, 1, 1);
      rig.kernel(t + 20 * kUs, t + 120 * kUs);
    }
    rig.call(t + 30 * kUs, t + 130 * kUs, 2, 2);
  }
  rig.finish(10'000 * kUs);
  const auto iterations = rig.lane(trace::LaneKind::Iterations, "iteration");
  ASSERT_THAT(iterations, SizeIs(testing::Ge(12u)));
  for (const auto& iteration : iterations) EXPECT_EQ(iteration.end - iteration.start, 200 * kUs);
  EXPECT_EQ(iterations.back().end, 19 * 200 * kUs + 130 * kUs);
  EXPECT_EQ(rig.process->iteration_text(), "train.py:2  for batch in loader:");
  EXPECT_EQ(rig.process->iteration_ns(), 200 * kUs);
}

// The first of twelve iterations that are recorded takes 500 ms, since code is compiled; the others take 200 us.
TEST(WatchedProcess, ASlowFirstIterationIsNotTheUsualOne) {
  Rig rig;
  rig.recording(wire::RecordingAct::On, 0);
  base::Nanoseconds t = 0;
  for (int i = 0; i < 40; ++i) {
    rig.call(t + 10 * kUs, t + 15 * kUs, 1, 1);
    rig.kernel(t + 20 * kUs, t + 120 * kUs);
    if (i == 12) rig.recording(wire::RecordingAct::Off, t);
    rig.call(t + 30 * kUs, t + 130 * kUs, 2, 2);
    t += i == 3 ? 500'000 * kUs : 200 * kUs;
  }
  rig.finish(t);
  EXPECT_EQ(rig.process->iteration_ns(), 200 * kUs);
  EXPECT_EQ(rig.process->iteration_recorded_ns(), 200 * kUs);
  EXPECT_EQ(rig.process->iteration_between_ns(), 200 * kUs);
}

// Another thread copies batches, with a wait for each, four times a round: its calls are seen all the time, and are
// more than the launches of the twelve rounds that are recorded. The loop is that of the launches.
TEST(WatchedProcess, TheLoopIsThatOfTheThreadThatLaunches) {
  Rig rig;
  std::ofstream(rig.folder_ / "feed.py") << "def feed():\n    while True:\n        copies.synchronize()\n";
  rig.text(20, "feed.py");
  rig.text(21, "feed");
  rig.frame(4, 20, 21, 3, 10);
  rig.writer.stack(3, {4});
  rig.recording(wire::RecordingAct::On, 0);
  for (int i = 0; i < 40; ++i) {
    const base::Nanoseconds t = i * 200 * kUs;
    if (i == 12) rig.recording(wire::RecordingAct::Off, t - kUs);
    if (i < 12) {
      rig.call(t + 10 * kUs, t + 15 * kUs, 1, 1);
      rig.kernel(t + 20 * kUs, t + 120 * kUs);
    }
    for (int k = 0; k < 4; ++k) rig.call(t + (20 + 40 * k) * kUs, t + (30 + 40 * k) * kUs, 2, 3, kPid + 1);
    if (i < 12) rig.call(t + 190 * kUs, t + 195 * kUs, 2, 2);
  }
  rig.finish(10'000 * kUs);
  EXPECT_EQ(rig.process->iteration_text(), "train.py:2  for batch in loader:");
  for (const auto& iteration : rig.lane(trace::LaneKind::Iterations, "iteration"))
    EXPECT_EQ(iteration.end - iteration.start, 200 * kUs);
}

// Rounds of 1 ms, known from the fourth on at the latest, with nothing left in a buffer where the record is complete.
TEST(WatchedProcess, IterationsAreThereAsSoonAsTheRecordIsComplete) {
  Rig rig;
  rig.recording(wire::RecordingAct::On, 0);
  for (int i = 0; i < 20; ++i) {
    rig.call(i * 1000 * kUs, i * 1000 * kUs + 5 * kUs, 1, 1);
    rig.kernel(i * 1000 * kUs + 10 * kUs, i * 1000 * kUs + 90 * kUs);
    rig.call(i * 1000 * kUs + 10 * kUs, i * 1000 * kUs + 100 * kUs, 2, 2);
  }
  rig.recording(wire::RecordingAct::Delivered, 20'000 * kUs);
  rig.recording(wire::RecordingAct::Off, 20'000 * kUs);
  rig.process->read(1 << 20, 5'000'000 * kUs);
  ASSERT_TRUE(until([&] { return rig.trace.complete_until() >= 19'100 * kUs; }));
  EXPECT_THAT(rig.lane(trace::LaneKind::Iterations, "iteration"), SizeIs(testing::Ge(15u)));
  EXPECT_THAT(rig.lane(trace::LaneKind::Phases, "lines"), SizeIs(testing::Ge(1u)));
}

TEST(WatchedProcess, NvtxRangesNestAndStepsBecomeIterations) {
  Rig rig;
  rig.text(20, "ProfilerStep#1");
  rig.text(21, "ProfilerStep#2");
  rig.text(22, "ProfilerStep#3");
  rig.text(23, "ProfilerStep#4");
  rig.text(30, "aten::mm, op_id = 17");
  for (std::uint32_t step = 0; step < 4; ++step) {
    const base::Nanoseconds t = step * 100 * kUs;
    rig.range(wire::RangeAct::Push, t, 20 + step);
    rig.range(wire::RangeAct::Push, t + 10 * kUs, 30);
    rig.range(wire::RangeAct::Pop, t + 20 * kUs, 0);
    rig.range(wire::RangeAct::Pop, t + 90 * kUs, 0);
  }
  rig.finish(1000 * kUs);
  EXPECT_THAT(rig.lane(trace::LaneKind::Iterations, "iteration"),  // from the third on, it is known to be a step
              ElementsAre(Rig::Seen{"iteration", 200 * kUs, 290 * kUs}, Rig::Seen{"iteration", 300 * kUs, 390 * kUs}));
  EXPECT_EQ(rig.process->iteration_text(), "ProfilerStep#");
  std::vector<Rig::Seen> ranges = rig.lane(trace::LaneKind::Phases, "NVTX");
  EXPECT_EQ(std::count_if(ranges.begin(), ranges.end(), [](const auto& seen) { return seen.name == "aten::mm"; }), 4);
}

// The outer range lasts from 0 to 90 µs. Inside it a push is lost, then a pop, and one range is whole.
TEST(WatchedProcess, ALostPushOrPopChangesNoOtherRange) {
  Rig rig;
  rig.text(20, "outer");
  rig.text(21, "without a pop");
  rig.text(22, "whole");
  rig.range(wire::RangeAct::Push, 0, 20, kPid, 1);
  rig.range(wire::RangeAct::Pop, 20 * kUs, 0, kPid, 2);
  rig.range(wire::RangeAct::Push, 30 * kUs, 21, kPid, 2);
  rig.range(wire::RangeAct::Push, 50 * kUs, 22, kPid, 2);
  rig.range(wire::RangeAct::Pop, 60 * kUs, 0, kPid, 2);
  rig.range(wire::RangeAct::Pop, 90 * kUs, 0, kPid, 1);
  rig.finish(1000 * kUs);
  EXPECT_THAT(rig.lane(trace::LaneKind::Phases, "NVTX"),
              UnorderedElementsAre(Rig::Seen{"outer", 0, 90 * kUs}, Rig::Seen{"whole", 50 * kUs, 60 * kUs}));
}

TEST(WatchedProcess, ARankIsInTheNamesOfAllLanes) {
  Rig rig(3);
  rig.recording(wire::RecordingAct::On, 0);
  rig.call(10 * kUs, 15 * kUs, 1, 1);
  rig.kernel(20 * kUs, 320 * kUs);
  rig.finish(1000 * kUs);
  ASSERT_GT(rig.trace.lane_count(), 2u);
  for (trace::LaneId id = 0; id < rig.trace.lane_count(); ++id) {
    EXPECT_EQ(rig.trace.lane(id).info().process, "rank 3 · train.py");
  }
}

// Of a job, one rank may end long before the others.
TEST(WatchedProcess, OneThatHasEndedDoesNotHoldTheOthersUp) {
  Rig rig;
  const std::unique_ptr<trace::EventWriter> other = rig.recorder.open_writer();
  rig.call(10 * kUs, 15 * kUs, 1, 1);
  other->complete_until(2000 * kUs);
  rig.finish(1000 * kUs);
  other->complete_until(5000 * kUs);
  rig.flush_until(5000 * kUs);
  EXPECT_EQ(rig.trace.complete_until(), 5000 * kUs);
}

// One call by itself, and two in a group. The other launch is the program's own.
TEST(WatchedProcess, NcclsRangesAndTheirKernelsHaveBytesAndCommunicator) {
  Rig rig;
  rig.text(kNccl, "NCCL");
  rig.text(51, "ncclAllReduce");
  rig.text(52, "ncclGroupStart");
  rig.text(53, "ncclGroupEnd");
  rig.recording(wire::RecordingAct::On, 0);
  const auto launch = [&](base::Nanoseconds t) {
    rig.call(t, t + 2 * kUs, 1, 1);
    rig.kernel(t + 3 * kUs, t + 8 * kUs);
  };
  rig.nccl(wire::RangeAct::Push, 10 * kUs, 51, 4096);
  launch(12 * kUs);
  rig.nccl(wire::RangeAct::Pop, 20 * kUs, 0);
  launch(30 * kUs);
  rig.nccl(wire::RangeAct::Push, 40 * kUs, 52);
  rig.nccl(wire::RangeAct::Pop, 41 * kUs, 0);
  for (const base::Nanoseconds t : {42 * kUs, 44 * kUs}) {
    rig.nccl(wire::RangeAct::Push, t, 51, 100);
    rig.nccl(wire::RangeAct::Pop, t + kUs, 0);
  }
  rig.nccl(wire::RangeAct::Push, 50 * kUs, 53);
  launch(51 * kUs);
  rig.nccl(wire::RangeAct::Pop, 60 * kUs, 0);
  rig.nccl(wire::RangeAct::Push, 70 * kUs, 51);
  rig.nccl(wire::RangeAct::Pop, 71 * kUs, 0, 7);  // NCCL says at the end what it did not know before
  rig.finish(1000 * kUs);
  const auto arguments = [&](trace::LaneKind kind, const std::string& lane) {
    std::vector<std::string> found;
    rig.for_each(kind, lane, [&](trace::LaneId, const trace::Event& event) {
      found.emplace_back(rig.trace.arguments().text(trace::arguments_of(event)));
    });
    return found;
  };
  const std::string one = R"("communicator":"0x00000000000000ab","bytes":4096)";
  const std::string each = R"("communicator":"0x00000000000000ab","bytes":100)";
  EXPECT_THAT(arguments(trace::LaneKind::Kernels, "kernels"),
              ElementsAre(one, "", R"("communicator":"0x00000000000000ab","bytes":200,"calls":2)"));
  EXPECT_THAT(arguments(trace::LaneKind::Phases, "NVTX"),
              ElementsAre(one, "", each, each, "", R"("communicator":"0x00000000000000ab","bytes":7)"));
}

// Between two bursts there were two more, whose kernels nobody saw; the fourth is the communicator's fourth all the
// same.
TEST(WatchedProcess, NcclsKernelsHaveTheirNumberInTheirCommunicator) {
  Rig rig;
  rig.text(kNccl, "NCCL");
  rig.text(51, "ncclAllReduce");
  const auto all_reduce = [&](base::Nanoseconds t, bool recorded) {
    rig.nccl(wire::RangeAct::Push, t, 51, 4096);
    if (recorded) {
      rig.call(t + kUs, t + 2 * kUs, 1, 1);
      rig.kernel(t + 3 * kUs, t + 8 * kUs);
    }
    rig.nccl(wire::RangeAct::Pop, t + 9 * kUs, 0);
  };
  rig.recording(wire::RecordingAct::On, 0);
  all_reduce(10 * kUs, true);
  rig.recording(wire::RecordingAct::Off, 25 * kUs);
  rig.recording(wire::RecordingAct::Delivered, 26 * kUs);
  all_reduce(30 * kUs, false);
  all_reduce(50 * kUs, false);
  rig.recording(wire::RecordingAct::On, 65 * kUs);
  all_reduce(70 * kUs, true);
  rig.finish(1000 * kUs);
  std::vector<std::int64_t> numbers;
  rig.for_each(trace::LaneKind::Kernels, "kernels", [&](trace::LaneId, const trace::Event& event) {
    const trace::CollectiveFacts& facts = rig.trace.collectives().of(trace::arguments_of(event));
    EXPECT_EQ(facts.group, "0x00000000000000ab");
    numbers.push_back(trace::collective_number(facts, trace::external_id_of(event)).value_or(-1));
  });
  EXPECT_THAT(numbers, ElementsAre(1, 4));
}

// A message that was dropped may have been a collective's: from then on none has a number.
TEST(WatchedProcess, CollectivesHaveNoNumberOnceAMessageIsLost) {
  Rig rig;
  rig.text(kNccl, "NCCL");
  rig.text(51, "ncclAllReduce");
  rig.recording(wire::RecordingAct::On, 0);
  rig.writer.memory().status.dropped.store(1);
  rig.nccl(wire::RangeAct::Push, 10 * kUs, 51, 4096);
  rig.call(12 * kUs, 14 * kUs, 1, 1);
  rig.kernel(15 * kUs, 18 * kUs);
  rig.nccl(wire::RangeAct::Pop, 20 * kUs, 0);
  rig.finish(1000 * kUs);
  std::size_t kernels = 0;
  rig.for_each(trace::LaneKind::Kernels, "kernels", [&](trace::LaneId, const trace::Event& event) {
    ++kernels;
    EXPECT_EQ(trace::external_id_of(event), 0u);
  });
  EXPECT_EQ(kernels, 1u);
}

// Nothing is recorded, so other calls may have been made before the first of four samples 5 ms apart, and after the
// last: on average half of that.
TEST(WatchedProcess, AWaitForTheNextBatchIsALoad) {
  Rig rig;
  rig.text(40, "__next__");
  rig.text(41, "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py");
  rig.frame(40, 41, 40, 700, 5);
  rig.frame(41, 3, 4, 2, 20);  // train.py:2
  rig.writer.stack(40, {40, 41});
  rig.call(10 * kUs, 20 * kUs, 2, 2);
  for (int i = 1; i < 5; ++i) {
    wire::SampleMessage sample{};
    sample.time_ns = kOrigin + i * 5000 * kUs;
    sample.since_ns = kOrigin + 20 * kUs;
    sample.thread = kPid;
    sample.stack = 40;
    ASSERT_TRUE(rig.writer.send(wire::MessageKind::Sample, sample));
  }
  rig.call(30'000 * kUs, 30'010 * kUs, 2, 2);
  rig.finish(100'000 * kUs);
  int loads = 0;
  rig.for_each(trace::LaneKind::Phases, "lines", [&](trace::LaneId, const trace::Event& range) {
    if (trace::range_kind_of(range) != trace::RangeKind::Load) return;
    ++loads;
    EXPECT_TRUE(trace::is_host_wait(range));
    EXPECT_EQ(range.start_ns, 2500 * kUs);
    EXPECT_EQ(range.end_ns, 22'500 * kUs);
    EXPECT_EQ(rig.trace.names().text(range.name), "train.py:2  for batch in loader:");
  });
  EXPECT_EQ(loads, 1);
}

// float(loss) in JAX: no call is made on this thread while it waits. Of five samples between two calls, 1 ms apart, the
// first and the last are in the user's own line, the others in JAX.
TEST(WatchedProcess, AWaitInALibraryIsAWaitWithItsLine) {
  Rig rig;
  rig.text(40, "_value");
  rig.text(41, "/usr/lib/python3/dist-packages/jax/_src/array.py");
  rig.frame(40, 41, 40, 700, 5);
  rig.frame(41, 3, 4, 2, 20);  // train.py:2
  rig.writer.stack(40, {40, 41});
  rig.writer.stack(42, {41});
  rig.call(10 * kUs, 20 * kUs, 2, 2);
  for (int i = 1; i < 6; ++i) {
    wire::SampleMessage sample{};
    sample.time_ns = kOrigin + i * 1000 * kUs;
    sample.since_ns = kOrigin + 20 * kUs;
    sample.thread = kPid;
    sample.stack = i == 1 || i == 5 ? 42 : 40;
    ASSERT_TRUE(rig.writer.send(wire::MessageKind::Sample, sample));
  }
  rig.call(6000 * kUs, 6010 * kUs, 2, 2);
  rig.finish(100'000 * kUs);
  int waits = 0;
  rig.for_each(trace::LaneKind::Calls, "CUDA calls", [&](trace::LaneId lane, const trace::Event& call) {
    if (rig.trace.names().text(call.name) != "waiting for a result") return;
    ++waits;
    EXPECT_TRUE(trace::is_sync(call));
    EXPECT_EQ(call.start_ns,
              20 * kUs);  // half of 5 ms before the second sample, and after the fourth, were further away
    EXPECT_EQ(call.end_ns, 6000 * kUs);
    EXPECT_NE(rig.trace.sites().at(lane, call.start_ns), 0u);
  });
  EXPECT_EQ(waits, 1);
}

// 30 rounds of 1 ms: a call from line 1 until 10 us, one from line 2 from 600 us on. In every third gap there is a
// sample, at 100, 300 or 500 us, blocked in JAX. After three of them it is known: in all such gaps there is a wait from
// 100 to 500.
TEST(WatchedProcess, AGapTooShortForASampleIsLikeTheOthers) {
  Rig rig;
  rig.text(40, "_value");
  rig.text(41, "/usr/lib/python3/dist-packages/jax/_src/array.py");
  rig.frame(40, 41, 40, 700, 5);
  rig.frame(41, 3, 4, 2, 20);
  rig.frame(42, 3, 4, 1, 10);
  rig.writer.stack(40, {40, 41});
  rig.writer.stack(41, {41});
  rig.writer.stack(42, {42});
  ASSERT_TRUE(
      rig.writer.send(wire::MessageKind::Recording, wire::RecordingMessage{kOrigin, wire::RecordingAct::On, 0, 0, 0}));
  for (int i = 0; i < 30; ++i) {
    const std::int64_t t = (1 + i) * 1000 * kUs;
    rig.call(t, t + 10 * kUs, 2, 42);
    if (i % 3 == 0) {
      wire::SampleMessage sample{};
      sample.time_ns = kOrigin + t + (100 + 200 * (i / 3 % 3)) * kUs;
      sample.since_ns = kOrigin + t + 10 * kUs;
      sample.thread = kPid;
      sample.stack = 40;
      ASSERT_TRUE(rig.writer.send(wire::MessageKind::Sample, sample));
    }
    rig.call(t + 600 * kUs, t + 610 * kUs, 2, 41);
  }
  rig.finish(100'000 * kUs);
  int waits = 0;
  rig.for_each(trace::LaneKind::Calls, "CUDA calls", [&](trace::LaneId, const trace::Event& call) {
    if (rig.trace.names().text(call.name) != "waiting for a result" || call.start_ns < 8000 * kUs) return;
    ++waits;
    EXPECT_EQ(call.start_ns % (1000 * kUs), 100 * kUs);
    EXPECT_EQ(call.end_ns - call.start_ns, 400 * kUs);
  });
  EXPECT_EQ(waits, 23);
}

TEST(WatchedProcess, TimesThatCannotBeAreCountedAndLeftOut) {
  Rig rig;
  rig.call(-48LL * 3600 * base::kSecond, 10, 2, 2);
  rig.call(100 * kUs, 50 * kUs, 2, 2);  // ends before it starts
  rig.call(0, std::int64_t{1} << 62, 2, 2);
  rig.finish(1000 * kUs);
  EXPECT_THAT(rig.lane(trace::LaneKind::Calls, "CUDA calls"), IsEmpty());
  EXPECT_EQ(rig.process->counts().far_off.load(), 2u);
  EXPECT_EQ(rig.process->counts().clamped.load(), 1u);
}

// Two workers at a time have a lane each; the third begins after the first has ended, and goes on in its lane.
TEST(WatchedProcess, AThreadGoesOnInTheLaneOfOneThatHasEnded) {
  Rig rig;
  rig.text(20, "pin memory");
  const auto starts = [&](std::uint32_t tid) {
    ASSERT_TRUE(rig.writer.send(wire::MessageKind::Thread, wire::ThreadMessage{tid, 20}));
  };
  const auto ends = [&](std::uint32_t tid) {
    ASSERT_TRUE(rig.writer.send(wire::MessageKind::Ended, wire::EndedMessage{tid}));
  };
  const auto lanes = [&] {
    std::vector<std::int64_t> tids;
    for (trace::LaneId id = 0; id < rig.trace.lane_count(); ++id) {
      const trace::LaneInfo& info = rig.trace.lane(id).info();
      if (info.kind == trace::LaneKind::Calls && info.thread == "pin memory") tids.push_back(info.tid);
    }
    return tids;
  };
  starts(kWorker);
  starts(kWorker + 1);
  rig.call(10 * kUs, 20 * kUs, 2, 2, kWorker);
  rig.call(10 * kUs, 20 * kUs, 2, 2, kWorker + 1);
  ends(kWorker);
  starts(kWorker + 2);
  rig.call(100 * kUs, 120 * kUs, 2, 2, kWorker + 2);
  rig.read(3000 * kUs);
  EXPECT_THAT(lanes(), ElementsAre(kWorker, kWorker + 1));
  wire::OpenCall& open = rig.writer.memory().open[0];
  open.thread.store(kWorker + 2);
  open.name.store(2);
  open.start_ns.store(kOrigin + 2900 * kUs);
  ASSERT_THAT(rig.process->open_calls(), SizeIs(1));
  EXPECT_EQ(rig.trace.lane(rig.process->open_calls()[0].lane).info().tid, kWorker);
  open.thread.store(0);
  // The system gives a number out again.
  ends(kWorker + 2);
  starts(kWorker);
  rig.call(3000 * kUs, 3010 * kUs, 2, 2, kWorker);
  starts(kWorker + 3);
  rig.call(3000 * kUs, 3010 * kUs, 2, 2, kWorker + 3);
  rig.finish(4000 * kUs);
  EXPECT_THAT(lanes(), ElementsAre(kWorker, kWorker + 1, kWorker + 3));
  EXPECT_THAT(rig.lane(trace::LaneKind::Calls, "CUDA calls, thread 101"), SizeIs(3));
}

// A loader that starts a thread for each of 5,000 epochs.
TEST(WatchedProcess, ATimeThatCannotBeHoldsNothingUp) {
  Rig rig;
  wire::OpenCall& open = rig.writer.memory().open[0];
  open.thread = kPid;
  open.name = 1;
  open.start_ns = std::numeric_limits<std::int64_t>::min();
  open.turn = 2;
  rig.call(1 * kUs, 2 * kUs, 1, 1);
  rig.read(10 * base::kSecond);
  EXPECT_THAT(rig.process->open_calls(), IsEmpty());
  rig.flush_until(2 * kUs);
  EXPECT_GE(rig.trace.complete_until(), 2 * kUs);
}

TEST(WatchedProcess, ManyThreadsOneAfterAnotherNeedOneLane) {
  Rig rig;
  rig.text(20, "pin memory");
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const std::uint32_t tid = kWorker + i;
    ASSERT_TRUE(rig.writer.send(wire::MessageKind::Thread, wire::ThreadMessage{tid, 20}));
    rig.call((2 * i + 1) * kUs, (2 * i + 2) * kUs, 2, 2, tid);
    ASSERT_TRUE(rig.writer.send(wire::MessageKind::Ended, wire::EndedMessage{tid}));
    if (i % 100 == 0) rig.read(2 * i * kUs + 2000 * kUs);
  }
  rig.finish(20'000 * kUs);
  EXPECT_EQ(rig.trace.lane_count(), 3u) << "its calls, its lines, and its iterations";
  EXPECT_THAT(rig.lane(trace::LaneKind::Calls, "CUDA calls, thread 101"), SizeIs(5000));
}

TEST(WatchedProcess, OpenCallsAreShownWithTheirLane) {
  Rig rig;
  rig.call(10 * kUs, 20 * kUs, 2, 2);
  rig.read(1000 * kUs);
  wire::OpenCall& open = rig.writer.memory().open[0];
  open.thread.store(kPid);
  open.name.store(2);
  open.start_ns.store(kOrigin + 500 * kUs);
  const auto calls = rig.process->open_calls();
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].start_ns, 500 * kUs);
  EXPECT_EQ(rig.trace.names().text(calls[0].name), "cudaStreamSynchronize");
}

// Whatever a hostile program sends, nothing breaks.
TEST(WatchedProcess, SurvivesAnything) {
  std::srand(3);
  for (int round = 0; round < 40; ++round) {
    Rig rig;
    for (int i = 0; i < 400; ++i) {
      std::vector<unsigned char> content(static_cast<std::size_t>(std::rand() % 120));
      for (auto& byte : content)
        byte = static_cast<unsigned char>(std::rand() % 4 == 0 ? std::rand() : std::rand() % 3);
      rig.writer.send(static_cast<wire::MessageKind>(std::rand() % 24), static_cast<std::uint32_t>(std::rand() % 50),
                      content);
    }
    rig.read(1000 * kUs);
    rig.process->open_calls();
    rig.process->loops();
    rig.finish(2000 * kUs);
  }
}

}  // namespace
}  // namespace lanescope::attach
