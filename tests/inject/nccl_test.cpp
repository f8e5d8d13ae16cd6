// What NCCL says of its calls in NVTX ranges; the rank that a launcher's variables give, and when ranks record.
#include <gmock/gmock.h>

#include <algorithm>
#include <ctime>

#include "inject/connection.h"
#include "inject/target.h"

namespace lanescope::inject_tests {
namespace {

using testing::IsEmpty;
using Payload = wire::CollectivePayload;

constexpr std::uint32_t kCollective = Payload::kCommunicator | Payload::kBytes;

class Nccl : public testing::Test {
 protected:
  /// Runs the lines with `nccl`, a communicator of rank 1 of 4, and reads all of its ranges.
  void run(const std::string& lines, const char* version = "") {
    viewer_.start(
        std::string("import sys, struct\nimport fake_gpu as gpu\ngpu.init()\ntry:\n    nccl = gpu.Nccl(1, 4") +
        version + ")\nexcept RuntimeError as problem: sys.exit(f'skipped: {problem}')\n" + lines);
    Process* process = viewer_.process();
    ASSERT_NE(process, nullptr) << viewer_.output();
    viewer_.wait();
    if (viewer_.output().find("skipped: ") != std::string::npos) GTEST_SKIP() << viewer_.output();
    ASSERT_EQ(viewer_.output(), "");
    EXPECT_THAT(process->messages.problems, IsEmpty());
    ranges_ = process->messages.ranges;
  }
  /// The payload with this range's beginning.
  std::optional<Payload> pushed(const std::string& name) const {
    const auto found = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) {
      return r.act == wire::RangeAct::Push && r.text == name && r.domain_text == "NCCL";
    });
    EXPECT_NE(found, ranges_.end()) << name;
    return found == ranges_.end() ? std::nullopt : found->nccl;
  }

  Viewer viewer_;
  std::vector<Range> ranges_;
};

TEST_F(Nccl, BytesCommunicatorAndNumbersAreRead) {
  run(R"(
nccl.call(nccl.ALL_GATHER, 1 << 20)
nccl.call(nccl.ALL_REDUCE, 1 << 33, numbers=[4])
nccl.call(nccl.BROADCAST, 3, numbers=[2])
nccl.call(nccl.REDUCE_SCATTER, 4, numbers=[1])
nccl.call(nccl.REDUCE, 5, numbers=[3, 2])
nccl.call(nccl.SEND, 6, numbers=[7])
nccl.call(nccl.RECV, 7, numbers=[-1])
)");
  const auto gather = pushed("ncclAllGather");
  ASSERT_TRUE(gather);
  EXPECT_EQ(gather->has, kCollective);
  EXPECT_EQ(gather->communicator, 0x0123456789ABCDEFu);
  EXPECT_EQ(gather->bytes, 1u << 20);
  const auto all_reduce = pushed("ncclAllReduce");
  ASSERT_TRUE(all_reduce);
  EXPECT_EQ(all_reduce->has, kCollective | Payload::kOperation);
  EXPECT_EQ(all_reduce->bytes, std::uint64_t{1} << 33);
  EXPECT_EQ(all_reduce->operation, 4);
  const auto broadcast = pushed("ncclBroadcast");
  ASSERT_TRUE(broadcast);
  EXPECT_EQ(broadcast->has, kCollective | Payload::kRoot);
  EXPECT_EQ(broadcast->root, 2);
  const auto reduce = pushed("ncclReduce");
  ASSERT_TRUE(reduce);
  EXPECT_EQ(reduce->has, kCollective | Payload::kRoot | Payload::kOperation);
  EXPECT_EQ(reduce->root, 3);
  EXPECT_EQ(reduce->operation, 2);
  const auto send = pushed("ncclSend");
  ASSERT_TRUE(send);
  EXPECT_EQ(send->has, kCollective | Payload::kPeer);
  EXPECT_EQ(send->peer, 7);
  EXPECT_EQ(pushed("ncclRecv")->peer, -1);
  EXPECT_EQ(pushed("ncclReduceScatter")->operation, 1);
}

// NCCL ends this range through NVTX's payload extension. Without it the range would stay open for ever.
TEST_F(Nccl, ANewCommunicatorIsKnownAtItsRangesEnd) {
  run("");
  ASSERT_EQ(ranges_.size(), 2u);
  EXPECT_FALSE(pushed("ncclCommInitRank"));
  EXPECT_EQ(ranges_[1].act, wire::RangeAct::Pop);
  ASSERT_TRUE(ranges_[1].nccl);
  EXPECT_EQ(ranges_[1].nccl->has, Payload::kCommunicator | Payload::kRank);
  EXPECT_EQ(ranges_[1].nccl->communicator, 0x0123456789ABCDEFu);
  EXPECT_EQ(ranges_[1].nccl->rank, 1);
  EXPECT_EQ(ranges_[1].nccl->ranks, 4);
}

// What it says of ranks is of the communicator that is split.
TEST_F(Nccl, OfASplitTheNewCommunicatorIsKnown) {
  run(R"(
payload = struct.pack('QQiiiii4x', 0xFEED, nccl.communicator, 4, 1, 1, 0, 0)
nccl.push('ncclCommSplit')
nccl.ranges.ranges_pop_payload('NCCL', nccl.SCHEMA + 13, payload, len(payload))
nccl.push('ncclCommSplit')
nccl.ranges.ranges_pop_payload('NCCL', nccl.SCHEMA + 13, payload, 20)  # as before 2.25
)");
  ASSERT_EQ(ranges_.size(), 6u);
  ASSERT_TRUE(ranges_[3].nccl);
  EXPECT_EQ(ranges_[3].nccl->has, static_cast<std::uint32_t>(Payload::kCommunicator));
  EXPECT_EQ(ranges_[3].nccl->communicator, 0xFEEDu);
  EXPECT_FALSE(ranges_[5].nccl);
}

TEST_F(Nccl, Before225ThereIsNoCommunicator) {
  run(R"(
nccl.call(nccl.ALL_GATHER, 100)
nccl.call(nccl.ALL_REDUCE, 200, numbers=[3])
nccl.call(nccl.REDUCE, 300, numbers=[2, 1])
)",
      ", old=True");
  const auto begun = pushed("ncclCommInitRank");
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->has, static_cast<std::uint32_t>(Payload::kRank));
  EXPECT_EQ(begun->rank, 1);
  EXPECT_EQ(begun->ranks, 4);
  EXPECT_EQ(pushed("ncclAllGather")->has, static_cast<std::uint32_t>(Payload::kBytes));
  EXPECT_EQ(pushed("ncclAllGather")->bytes, 100u);
  const auto all_reduce = pushed("ncclAllReduce");
  EXPECT_EQ(all_reduce->has, Payload::kBytes | Payload::kOperation);
  EXPECT_EQ(all_reduce->bytes, 200u);
  EXPECT_EQ(all_reduce->operation, 3);
  EXPECT_EQ(pushed("ncclReduce")->root, 2);
  EXPECT_EQ(pushed("ncclReduce")->operation, 1);
}

TEST_F(Nccl, WhatCannotBeAPayloadIsLeftOut) {
  run(R"(
S, whole = nccl.SCHEMA, nccl.payload(nccl.ALL_REDUCE, 100, 0)
def push(name, *arguments, **more):
    nccl.push(name, *arguments, **more)
    nccl.pop()
for size in range(24):
    if size != 16: push(f'cut to {size}', S + nccl.ALL_REDUCE, whole, size=size)
push('cut, gather', S + nccl.ALL_GATHER, whole, size=15)
push('unknown', S + 99, whole)
push('below', nccl.ALL_REDUCE, whole)
push('an enumeration', S + 24, whole)
push('endless', S + nccl.ALL_REDUCE, whole, size=(1 << 64) - 1)
push('huge', S + nccl.ALL_REDUCE, whole, size=5000)
push('none of them', S + nccl.ALL_REDUCE, whole, count=0)
push('negative', S + nccl.ALL_REDUCE, whole, count=-1)
push('longer', S + nccl.ALL_REDUCE, whole + bytes(8))
nccl.ranges.ranges_push_payload('other', 'of another library', S + nccl.ALL_REDUCE, whole, len(whole), 1)
nccl.ranges.ranges_pop_in('other')
nccl.ranges.ranges_push_payload('NCCL', 'without data', S + nccl.ALL_REDUCE, None, 24, 1)
nccl.pop()
)");
  std::size_t with = 0, pushes = 0, pops = 0;
  for (const Range& r : ranges_) {
    pushes += r.act == wire::RangeAct::Push;
    pops += r.act == wire::RangeAct::Pop;
    with += r.nccl && r.act == wire::RangeAct::Push;
  }
  EXPECT_EQ(pushes, 1u + 23 + 11);
  EXPECT_EQ(pops, pushes);
  EXPECT_EQ(with, 1u);
  ASSERT_TRUE(pushed("longer")) << "of a later version of NCCL, which appends";
  EXPECT_EQ(pushed("longer")->bytes, 100u);
}

// NCCL before 2.25 has two of these functions, and other extensions have other ones in the same places.
TEST(NvtxExtension, OnlyTheSlotsThatAreThereAreFilled) {
  Viewer viewer;
  viewer.start(R"(
import ctypes, os
class Segment(ctypes.Structure):
    _fields_ = [('id', ctypes.c_size_t), ('slots', ctypes.c_size_t), ('functions', ctypes.POINTER(ctypes.c_ssize_t))]
class Module(ctypes.Structure):
    _fields_ = [('version', ctypes.c_uint16), ('size', ctypes.c_uint16), ('module', ctypes.c_uint16),
                ('compatible', ctypes.c_uint16), ('segments', ctypes.c_size_t), ('first', ctypes.POINTER(Segment)),
                ('export', ctypes.c_void_p), ('info', ctypes.c_void_p)]
library = ctypes.CDLL(os.environ['NVTX_INJECTION64_PATH'])
def offer(number, slots, size=ctypes.sizeof(Module), segments=1):
    functions = (ctypes.c_ssize_t * 8)()
    segment = Segment(0, slots, ctypes.cast(functions, ctypes.POINTER(ctypes.c_ssize_t)))
    module = Module(3, size, number, 0x103, segments, ctypes.pointer(segment))
    print(library.InitializeInjectionNvtxExtension(ctypes.byref(module)), ''.join('x' if f else '.' for f in functions))
offer(2, 8)
offer(2, 5)
offer(2, 2)
offer(1, 8)
offer(2, 8, size=8)
offer(2, 8, segments=0)
print(library.InitializeInjectionNvtxExtension(None))
)");
  ASSERT_NE(viewer.process(), nullptr) << viewer.output();
  EXPECT_EQ(viewer.wait(), 0);
  EXPECT_EQ(viewer.output(), "1 ..xxxxx.\n1 ..xxx...\n1 ........\n0 ........\n0 ........\n0 ........\n0\n");
}

// Made-up times, in ms. The clocks of two machines are a day apart, the grid is the same: with 2 s, at even seconds of
// the time of day.
TEST(Grid, IsThatOfTheTimeOfDay) {
  constexpr std::int64_t kMs = 1'000'000, kPeriod = 2'000 * kMs;
  const auto next = [](std::int64_t begin, std::int64_t ahead) {
    return inject::next_on_grid(begin * kMs, kPeriod, ahead * kMs) / kMs;
  };
  // At 1,000 ms here it is 9,300 there: the next even second, 10,000, is at 1,700 here.
  EXPECT_EQ(next(1'000, 8'300), 1'700);
  // On a machine that started 100,000 s earlier, at the same moment.
  EXPECT_EQ(next(100'001'000, 8'300 - 100'000'000), 100'001'700);
  EXPECT_EQ(next(1'700, 8'300), 3'700) << "a burst that begins in time is followed by the next";
  EXPECT_EQ(next(1'703, 8'300), 3'700) << "and so is one that is a little late";
  EXPECT_EQ(next(1'700, 8'299), 3'701) << "the clock went back by 1 ms: not the same burst again";
  EXPECT_EQ(next(1'669, 8'300), 1'700);  // 31 ms before; what is nearer than 30 is the same one
  EXPECT_EQ(next(1'671, 8'300), 3'700);
  // Before 1970, as far as the clock knows.
  EXPECT_EQ(next(1'000, -5'500), 1'500);
}

struct Job {
  const char* name;
  std::map<std::string, std::string> variables;
  std::uint32_t rank, local_rank, ranks;  // as in wire::Job
};
class RanksOf : public testing::TestWithParam<Job> {};

TEST_P(RanksOf, TheEnvironment) {
  Viewer viewer;
  for (const char* name :
       {"RANK", "WORLD_SIZE", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "PMI_RANK", "PMI_SIZE"}) {
    viewer.environment[name] = "";
  }
  for (const auto& [name, value] : GetParam().variables) viewer.environment[name] = value;
  viewer.start("import fake_gpu as gpu\ngpu.init()\n");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  EXPECT_EQ(process->memory().job.rank, GetParam().rank);
  EXPECT_EQ(process->memory().job.local_rank, GetParam().local_rank);
  EXPECT_EQ(process->memory().job.ranks, GetParam().ranks);
  EXPECT_EQ(viewer.wait(), 0);
}
// Collectives can only be compared if all ranks record at the same time, on whichever machine they are.
TEST(Ranks, BeginTheirBurstsAtMultiplesOfThePeriodOfTheTimeOfDay) {
  Viewer viewer;
  viewer.environment["RANK"] = "1";
  viewer.environment["WORLD_SIZE"] = "2";
  viewer.start(R"(
import fake_gpu as gpu
gpu.init()
while True:
    gpu.launch('kernel', 20, gpu.STREAM)
    gpu.sync(gpu.STREAM)
)");
  Process* process = viewer.process();
  ASSERT_NE(process, nullptr) << viewer.output();
  constexpr std::int64_t kPeriod = 200'000'000;
  process->memory().controls.burst_us = 20'000;
  process->memory().controls.period_us = kPeriod / 1000;
  process->level(wire::Level::Acquire);
  const auto now = [](clockid_t clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  };
  const std::int64_t ahead = now(CLOCK_REALTIME) - now(CLOCK_MONOTONIC);
  const auto begins = [&] {
    std::vector<std::int64_t> times;
    for (const auto& r : process->messages.recordings) {
      if (r.act == wire::RecordingAct::On) times.push_back(r.time_ns + ahead);
    }
    return times;
  };
  ASSERT_TRUE(process->until([&] { return begins().size() == 6; })) << viewer.output();
  std::int64_t nearest = kPeriod;
  for (std::size_t i = 1; i < begins().size(); ++i) {  // the first one began at once
    nearest = std::min(nearest, begins()[i] % kPeriod);
    if (i > 1) {
      EXPECT_GT(begins()[i] / kPeriod, begins()[i - 1] / kPeriod);
    }
  }
  EXPECT_LT(nearest, 10'000'000);
}
INSTANTIATE_TEST_SUITE_P(
    All, RanksOf,
    testing::Values(
        Job{"none", {}, 0, 0, 0},
        Job{"torchrun", {{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"PMI_RANK", "7"}}, 4, 2, 8},
        Job{"open_mpi", {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}, 1, 0, 2},
        Job{"open_mpi_on_two_nodes",
            {{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}},
            4,
            2,
            4},
        Job{"slurm", {{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "6"}, {"RANK", "five"}}, 6, 0, 6},
        Job{"slurm_on_two_nodes", {{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}, {"SLURM_LOCALID", "0"}}, 4, 1, 4},
        Job{"pmi", {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"RANK", "-1"}}, 2, 0, 2},
        Job{"without_a_size", {{"RANK", "2"}}, 3, 0, 0},
        Job{"impossible", {{"RANK", "2"}, {"WORLD_SIZE", "2"}}, 0, 0, 0},
        Job{"huge", {{"RANK", "99999999999999999999"}}, 0, 0, 0}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lanescope::inject_tests
