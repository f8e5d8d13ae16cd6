// How far the trace is complete, and so when events are written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/records_rig.h"

namespace lanescope::capture::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Nanoseconds kAssemblerSecond = base::kSecond;

class AssemblerTest : public ::testing::Test {
 protected:
  Nanoseconds complete() const {
    EXPECT_EQ(rig.sink.complete, rig.assembler.complete_until()) << "what the sink is told is what the decoder says";
    return rig.assembler.complete_until();
  }
  Rig rig;
};

TEST_F(AssemblerTest, NothingIsCompleteAtTheBeginning) {
  EXPECT_EQ(complete(), std::numeric_limits<Nanoseconds>::min() + 1) << "said, and before any time";
}

TEST_F(AssemblerTest, EverythingIsCompleteUpToTheLastFlush) {
  rig.take(Records().call(api::kMalloc, 1 * kMs, 2 * kMs, 1));
  rig.advance(500 * kMs);
  EXPECT_EQ(complete(), 500 * kMs);
  EXPECT_THAT(rig.calls(), SizeIs(1));
  rig.advance(400 * kMs);
  EXPECT_EQ(complete(), 500 * kMs) << "it does not go back";
}

TEST_F(AssemblerTest, ACallThatIsOpenHoldsItBack) {
  rig.advance(500 * kMs, 300 * kMs);
  EXPECT_EQ(complete(), 300 * kMs);
}

TEST_F(AssemblerTest, WhatStartsAtTheLimitIsHeldBack) {
  rig.take(Records().kernel("k", 99 * kMs, 100 * kMs, 1).kernel("k", 100 * kMs, 101 * kMs, 2));
  rig.advance(100 * kMs);
  EXPECT_THAT(rig.on("kernels"), SizeIs(1));
  EXPECT_EQ(rig.counts.pending, 1u);
  rig.advance(100 * kMs + 1);
  EXPECT_THAT(rig.on("kernels"), SizeIs(2));
  EXPECT_EQ(rig.counts.pending, 0u);
}

TEST_F(AssemblerTest, ALaunchWithoutItsKernelHoldsItBack) {
  rig.take(Records()
               .call(api::kLaunch, 10 * kMs, 11 * kMs, 1)
               .call(api::kLaunch, 20 * kMs, 21 * kMs, 2)
               .call(api::kMalloc, 5 * kMs, 6 * kMs, 3)
               .kernel("k", 40 * kMs, 50 * kMs, 2));
  rig.advance(900 * kMs);
  EXPECT_EQ(complete(), 10 * kMs);
  EXPECT_THAT(rig.calls(), SizeIs(1));
  rig.advance(10 * kAssemblerSecond);
  EXPECT_EQ(complete(), 10 * kMs);
  rig.take(Records().kernel("k", 30 * kMs, 40 * kMs, 1));
  rig.advance(10 * kAssemblerSecond);
  EXPECT_EQ(complete(), 10 * kAssemblerSecond);
  EXPECT_THAT(rig.calls(), SizeIs(3));
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
}

TEST_F(AssemblerTest, AKernelIsWaitedForTenSeconds) {
  rig.take(Records().call(api::kLaunch, 10 * kMs, 11 * kMs, 1));
  rig.advance(10 * kAssemblerSecond + 10 * kMs);
  EXPECT_EQ(complete(), 10 * kMs);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  rig.advance(10 * kAssemblerSecond + 10 * kMs + 1);
  EXPECT_EQ(complete(), 10 * kAssemblerSecond + 10 * kMs + 1);
  EXPECT_EQ(rig.counts.launches_unmatched, 1u);
}

TEST_F(AssemblerTest, ALaunchThatFailedIsNotWaitedFor) {
  rig.take(
      Records().call(api::kLaunch, 10 * kMs, 11 * kMs, 1, kThread, 719).call(api::kHostFunc, 12 * kMs, 13 * kMs, 2));
  rig.advance(500 * kMs);
  EXPECT_EQ(complete(), 500 * kMs);
}

// --- launches of nothing ---------------------------------------------------------------------------------------------

TEST_F(AssemblerTest, ACopyThatNeverWasIsWaitedForAQuarterOfASecond) {
  rig.take(Records().call(api::kMemcpy, 10 * kMs, 20 * kMs, 1));
  rig.advance(269 * kMs);
  EXPECT_EQ(complete(), 10 * kMs);
  rig.advance(270 * kMs);
  EXPECT_EQ(complete(), 270 * kMs);
  EXPECT_THAT(rig.calls(), SizeIs(1));
  EXPECT_EQ(rig.counts.launches_unmatched, 0u) << "not yet";
  rig.advance(11 * kAssemblerSecond);
  EXPECT_EQ(rig.counts.launches_unmatched, 1u) << "it may have been in host memory, but it may have been lost, too";
}

TEST_F(AssemblerTest, ACopyIsWaitedForWhileNothingLaterOfItsThreadHasCome) {
  rig.take(Records().call(api::kMemcpyAsync, 10 * kMs, 11 * kMs, 1).call(api::kLaunch, 12 * kMs, 13 * kMs, 2));
  rig.advance(2 * kAssemblerSecond);
  EXPECT_EQ(complete(), 10 * kMs) << "a long copy, and the kernel waits for it";
  rig.take(Records().kernel("k", 1 * kAssemblerSecond, 2 * kAssemblerSecond, 2));
  rig.advance(2 * kAssemblerSecond + kMs);
  EXPECT_EQ(complete(), 2 * kAssemblerSecond + kMs);
}

TEST_F(AssemblerTest, ACopyBehindAKernelIsGivenItsTimeFromThereOn) {
  rig.take(Records()
               .call(api::kLaunch, 10 * kMs, 11 * kMs, 1)
               .call(api::kMemcpyAsync, 12 * kMs, 13 * kMs, 2)
               .launch(14 * kMs, 15 * kMs, 16 * kMs, 17 * kMs, 3, 13));
  rig.advance(3 * kAssemblerSecond);
  EXPECT_EQ(complete(), 10 * kMs);
  rig.take(Records().kernel("k", 20 * kMs, 3 * kAssemblerSecond, 1));
  rig.advance(3 * kAssemblerSecond + kMs);
  EXPECT_EQ(complete(), 12 * kMs) << "the copy may run only now";
  rig.advance(3 * kAssemblerSecond + 251 * kMs);
  EXPECT_EQ(complete(), 3 * kAssemblerSecond + 251 * kMs);
}

TEST_F(AssemblerTest, ManyCopiesThatNeverWereDelayTheTraceNoMoreThanOne) {
  std::uint32_t correlation = 0;
  for (Nanoseconds t = kMs; t < kAssemblerSecond; t += kMs) {
    rig.take(Records().call(api::kMemcpy, t, t + 1000, ++correlation));
    rig.advance(t + 500 * kUs);
  }
  EXPECT_GE(complete(), kAssemblerSecond - 252 * kMs);
  EXPECT_LE(complete(), kAssemblerSecond - 248 * kMs);
}

TEST_F(AssemblerTest, AnEmptyGraphIsWaitedForNoLonger) {
  rig.take(Records().call(api::kGraphLaunch, 10 * kMs, 11 * kMs, 1));
  rig.advance(300 * kMs);
  EXPECT_EQ(complete(), 300 * kMs);
}

TEST_F(AssemblerTest, LaunchesIntoAGraphThatIsCapturedAreNotWaitedFor) {
  rig.take(Records()
               .call(api::kBeginCapture, 10 * kMs, 11 * kMs, 1)
               .call(api::kLaunch, 12 * kMs, 13 * kMs, 2)
               .call(api::kMemcpyAsync, 13 * kMs, 14 * kMs, 3)
               .call(api::kEndCapture, 15 * kMs, 16 * kMs, 4)
               .call(api::kLaunch, 17 * kMs, 18 * kMs, 5));
  rig.advance(500 * kMs);
  EXPECT_EQ(complete(), 17 * kMs);
  rig.finish();
  EXPECT_EQ(rig.counts.launches_unmatched, 1u) << "the one after the capture";
  std::vector<bool> launches;
  for (const auto& call : rig.calls()) launches.push_back(trace::is_launch(call));
  EXPECT_THAT(launches, testing::ElementsAre(false, false, false, false, true))
      << "the captured ones put nothing on the GPU";
}

// --- the end, and limits ---------------------------------------------------------------------------------------------

TEST_F(AssemblerTest, TheEndWritesWhatIsHeldBack) {
  rig.take(Records().call(api::kLaunch, 10 * kMs, 11 * kMs, 1).kernel("k", 20 * kMs, 21 * kMs, 2));
  rig.advance(30 * kMs);
  EXPECT_THAT(rig.calls(), IsEmpty());
  rig.now = 40 * kMs;
  rig.finish();
  EXPECT_THAT(rig.calls(), SizeIs(1));
  EXPECT_THAT(rig.on("kernels"), SizeIs(1));
  EXPECT_EQ(rig.counts.pending, 0u);
  EXPECT_EQ(rig.counts.launches_unmatched, 1u);
  EXPECT_EQ(rig.counts.operations_unmatched, 1u);
  EXPECT_EQ(complete(), 40 * kMs);
  rig.finish();
  EXPECT_EQ(rig.counts.launches_unmatched, 1u);
}

TEST_F(AssemblerTest, AThreadThatTurnsOutToBeTheMainOneGetsItsLane) {
  rig.take(Records().call(api::kMalloc, 1000, 2000, 1, 99));
  rig.advance(kAssemblerSecond);
  EXPECT_THAT(rig.on("CUDA calls, thread 99"), SizeIs(1));
  rig.assembler.set_main_thread(99);
  rig.take(Records().call(api::kMalloc, 3000, 4000, 2, 99).call(api::kMalloc, 3000, 4000, 3));
  rig.finish();
  // The earlier main thread stays on its lane: a program may create its device on one thread and use it on another.
  EXPECT_THAT(rig.calls(), SizeIs(2));
  EXPECT_THAT(rig.on("CUDA calls, thread 99"), SizeIs(1));
}

TEST_F(AssemblerTest, WhatIsHeldBackIsBounded) {
  // A launch whose kernel never arrives holds back everything after it: 1.5 million calls.
  rig.now = 20 * kMs;
  rig.take(Records().call(api::kLaunch, 1, 2, 1));
  Records buffer;
  for (std::uint32_t i = 0; i < 1'500'000; ++i) {
    buffer.call(api::kMalloc, 10 + i * 10, 15 + i * 10, i + 2);
    if (i % 1000 != 999) continue;
    rig.take(buffer);
    buffer.clear();
    EXPECT_LE(rig.counts.pending, 1u << 20);
  }
  EXPECT_GT(rig.counts.calls, 500'000u);
  rig.finish();
  EXPECT_EQ(rig.counts.calls, 1'500'001u);
  EXPECT_EQ(rig.counts.late, 0u);
}

}  // namespace
}  // namespace lanescope::capture::test
