// Calls and operations that come late, twice, alone or under a number that was used before: nothing is lost without
// being counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "capture/records_rig.h"

namespace lanescope::capture::test {
namespace {

using ::testing::SizeIs;
using trace::Event;

constexpr Nanoseconds kPairingSecond = base::kSecond;

bool in_start_order(const std::vector<Event>& events) {
  return std::is_sorted(events.begin(), events.end(),
                        [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
}

TEST(Pairing, DisorderIsPutInOrder) {
  Rig rig;
  std::vector<int> order(500);
  for (int i = 0; i < 500; ++i) order[static_cast<std::size_t>(i)] = i;
  std::mt19937 random(1);
  std::shuffle(order.begin(), order.end(), random);
  for (const int i : order) {
    const Nanoseconds t = 1000 + i * 10'000;
    const auto correlation = static_cast<std::uint32_t>(i + 1);
    rig.take(Records().kernel("k", t + 5000, t + 9000, correlation).call(api::kLaunch, t, t + 4000, correlation));
  }
  rig.finish();
  EXPECT_THAT(rig.calls(), SizeIs(500));
  EXPECT_THAT(rig.on("kernels"), SizeIs(500));
  EXPECT_TRUE(in_start_order(rig.calls()));
  EXPECT_TRUE(in_start_order(rig.on("kernels")));
  EXPECT_EQ(rig.counts.late, 0u);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
}

TEST(Pairing, ACallWithoutItsKernelIsCounted) {
  Rig rig;
  rig.take(Records().call(api::kLaunch, 1000, 2000, 1).launch(3000, 4000, 5000, 6000, 2));
  rig.advance(5 * kPairingSecond);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u) << "it may still come";
  rig.advance(11 * kPairingSecond);
  EXPECT_EQ(rig.counts.launches_unmatched, 1u);
  EXPECT_THAT(rig.calls(), SizeIs(2));
  rig.finish();
  EXPECT_EQ(rig.counts.launches_unmatched, 1u);
}

TEST(Pairing, AKernelWithoutItsCallIsCounted) {
  Rig rig;
  rig.take(Records().kernel("k", 1000, 2000, 1).launch(3000, 4000, 5000, 6000, 2));
  rig.advance(5 * kPairingSecond);
  EXPECT_THAT(rig.on("kernels"), SizeIs(2));
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
  rig.advance(11 * kPairingSecond);
  EXPECT_EQ(rig.counts.operations_unmatched, 1u);
}

TEST(Pairing, WhereNoCallsAreRecordedNoneIsMissing) {
  Rig rig;
  rig.take(Records().kernel("k", 1000, 2000, 1));
  rig.advance(11 * kPairingSecond);
  rig.finish();
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
}

TEST(Pairing, ACallThatComesAfterItsKernelIsJoinedToIt) {
  Rig rig;
  rig.take(Records().kernel("k", 5000, 6000, 1));
  rig.take(Records().call(api::kMalloc, 1000, 2000, 1));  // not a launch by its name, but it is what caused the kernel
  rig.finish();
  EXPECT_EQ(rig.calls().at(0).flags, trace::kLaunchFlag);
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
}

class Duplicates : public ::testing::TestWithParam<int> {};

// A runtime call 1000..9000 and the driver call 2000..8000 inside it, with one correlation.
TEST_P(Duplicates, OnlyTheOutermostIsKept) {
  Rig rig;
  const bool inner_first = GetParam() & 1, two_buffers = GetParam() & 2;
  Records outer, inner;
  outer.call(api::kLaunch, 1000, 9000, 1);
  inner.driver_launch(2000, 8000, 1);
  Records first = inner_first ? inner : outer, second = inner_first ? outer : inner;
  first.kernel("k", 10'000, 11'000, 1);
  if (two_buffers) {
    rig.take(first);
    rig.take(second);
  } else {
    rig.take(Records().add(first).add(second));
  }
  rig.finish();
  ASSERT_THAT(rig.calls(), SizeIs(1));
  EXPECT_EQ(rig.text(rig.calls()[0]), "cudaLaunchKernel");
  EXPECT_EQ(rig.calls()[0].start_ns, 1000);
  EXPECT_EQ(rig.calls()[0].flags, trace::kLaunchFlag);
  EXPECT_EQ(rig.counts.duplicates, 1u);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_TRUE(rig.accounts());
}
INSTANTIATE_TEST_SUITE_P(Orders, Duplicates, ::testing::Range(0, 4));

TEST(Pairing, OfTwoDriverCallsTheLongerIsTheOuter) {
  Rig rig;
  rig.take(Records().driver_launch(2000, 8000, 1).driver_launch(1000, 9000, 1).driver_launch(3000, 4000, 1));
  rig.finish();
  ASSERT_THAT(rig.calls(), SizeIs(1));
  EXPECT_EQ(rig.calls()[0].end_ns, 9000);
  EXPECT_EQ(rig.counts.duplicates, 2u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Pairing, TheSameRecordTwiceIsOne) {
  Rig rig;
  rig.take(Records().call(api::kMalloc, 1000, 2000, 1).call(api::kMalloc, 1000, 2000, 1));
  rig.finish();
  EXPECT_THAT(rig.calls(), SizeIs(1));
  EXPECT_EQ(rig.counts.duplicates, 1u);
}

TEST(Pairing, ADuplicateOfWhatIsWrittenIsDropped) {
  Rig rig;
  rig.take(Records().driver_launch(2000, 8000, 1).kernel("k", 9000, 10'000, 1));
  rig.advance(kPairingSecond);
  ASSERT_THAT(rig.calls(), SizeIs(1));
  rig.take(Records().call(api::kLaunch, 1000, 9000, 1));
  rig.finish();
  EXPECT_THAT(rig.calls(), SizeIs(1));
  EXPECT_EQ(rig.counts.duplicates, 1u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Pairing, OneCorrelationOnTwoThreadsIsNoDuplicate) {
  Rig rig;
  rig.take(Records().call(api::kMalloc, 1000, 2000, 1).call(api::kMalloc, 1000, 2000, 1, 99));
  rig.finish();
  EXPECT_EQ(rig.counts.calls, 2u);
  EXPECT_EQ(rig.counts.duplicates, 0u);
}

TEST(Pairing, CorrelationsBeginAgainAfterTwoToThe32) {
  Rig rig;
  rig.now = 40 * kPairingSecond;
  // The number is reused 20 s later for something else: both find their own partner.
  rig.take(Records().launch(1000, 2000, 5000, 6000, 0xFFFFFFFF).launch(7000, 8000, 9000, 10'000, 1));
  rig.take(Records().kernel("k", 20 * kPairingSecond + 5000, 20 * kPairingSecond + 9000, 1));
  rig.take(Records().call(api::kMemcpy, 20 * kPairingSecond, 20 * kPairingSecond + 4000, 1));
  rig.finish();
  EXPECT_THAT(rig.calls(), SizeIs(3));
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
  EXPECT_EQ(rig.counts.duplicates, 0u);
  EXPECT_EQ(rig.counts.before_call, 0u);
}

TEST(Pairing, APartnerOfAnotherGenerationIsNone) {
  Rig rig;
  rig.now = 40 * kPairingSecond;
  rig.take(Records().call(api::kLaunch, 1000, 2000, 5));
  rig.take(Records().kernel("k", 20 * kPairingSecond, 20 * kPairingSecond + 1000, 5));
  rig.finish();
  EXPECT_EQ(rig.counts.launches_unmatched, 1u);
  EXPECT_EQ(rig.counts.operations_unmatched, 1u);
}

TEST(Pairing, ALateRecordOfAnOldGenerationDoesNotTakeTheNewOnesPlace) {
  Rig rig;
  rig.now = 40 * kPairingSecond;
  rig.take(Records().call(api::kLaunch, 20 * kPairingSecond, 20 * kPairingSecond + 1000, 5));
  rig.take(Records().kernel("k", 5000, 6000, 5));
  rig.take(Records().kernel("k", 20 * kPairingSecond + 5000, 20 * kPairingSecond + 6000, 5));
  rig.finish();
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_EQ(rig.counts.before_call, 0u);
}

TEST(Pairing, AKernelBeforeItsCallIsKeptAndCounted) {
  Rig rig;
  rig.take(Records().call(api::kLaunch, 5000, 8000, 1).kernel("k", 4000, 6000, 1));  // 1 us
  rig.take(
      Records().kernel("k", 12'000, 13'000, 2).call(api::kLaunch, 15'000, 16'000, 2));  // 3 us, the other way round
  rig.take(Records().launch(18'000, 19'000, 18'000, 20'000, 3));
  rig.finish();
  EXPECT_THAT(rig.on("kernels"), SizeIs(3));
  EXPECT_EQ(rig.counts.before_call, 2u);
  EXPECT_EQ(rig.counts.worst_before_call_ns, 3000u);
}

TEST(Pairing, AGraphLaunchHasManyOperations) {
  for (const bool ops_first : {false, true}) {
    Rig rig;
    rig.now = kPairingSecond;
    Records call, ops;
    call.call(api::kGraphLaunch, 1000, 9000, 7);
    for (int i = 0; i < 10'000; ++i) ops.kernel("node", 10'000 + i * 2000, 11'000 + i * 2000, 7);
    rig.take(ops_first ? ops : call);
    rig.take(ops_first ? call : ops);
    // The whole graph is 20 ms: a sync waits for its last node, which ends at 10'000 + 9999 * 2000 + 1000.
    rig.take(Records().call(api::kStreamSync, 9500, 20'100'000, 8));
    rig.finish();
    EXPECT_THAT(rig.on("kernels"), SizeIs(10'000));
    EXPECT_EQ(rig.counts.launches_unmatched, 0u);
    EXPECT_EQ(rig.counts.operations_unmatched, 0u);
    EXPECT_EQ(trace::parts_of(rig.calls().at(1)).returning, 20'100'000 - 20'009'000);
  }
}

TEST(Pairing, LaterOperationsOfAGraphAreJoinedAfterItsFirst) {
  Rig rig;
  rig.take(Records().call(api::kGraphLaunch, 1000, 9000, 7).kernel("node", 10'000, 11'000, 7));
  rig.advance(kPairingSecond);
  rig.take(Records().kernel("node", 12'000, 13'000, 7));
  rig.advance(11 * kPairingSecond);
  rig.finish();
  EXPECT_THAT(rig.on("kernels"), SizeIs(2));
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
  EXPECT_EQ(rig.counts.late, 0u) << "its place on the lane was still free";
}

TEST(Pairing, WhatComesAfterItsPlaceOnTheLaneIsWrittenAndCounted) {
  Rig rig;
  rig.take(Records().call(api::kMalloc, 5000, 6000, 2));
  rig.advance(kPairingSecond);
  ASSERT_THAT(rig.calls(), SizeIs(1));
  rig.take(Records().call(api::kMalloc, 1000, 2000, 1));
  rig.advance(2 * kPairingSecond);
  ASSERT_THAT(rig.calls(), SizeIs(2));
  EXPECT_EQ(rig.calls()[1].start_ns, 1000);
  EXPECT_EQ(rig.counts.late, 1u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Pairing, WhereTheSinkHasNoMoreLanesEventsAreCounted) {
  Rig rig;
  rig.sink.most_lanes = 1;
  rig.take(Records().call(api::kMalloc, 1000, 2000, 1).kernel("k", 1000, 2000, 2));
  rig.take(Records().kernel("k", 2000, 3000, 3));
  rig.finish();
  EXPECT_EQ(rig.counts.operations, 2u) << "whose lane came first";
  EXPECT_EQ(rig.counts.dropped, 1u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Pairing, ThreadsAndStreamsAreBounded) {
  Rig rig;
  Records buffer;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    buffer.call(api::kMalloc, 1000 + i, 2000 + i, i + 1, 100 + i).kernel("k", 1000, 2000, 0, {i, 0, kContext});
  }
  rig.take(buffer);
  rig.finish();
  EXPECT_GT(rig.counts.dropped, 1000u);
  EXPECT_TRUE(rig.accounts());
}

}  // namespace
}  // namespace lanescope::capture::test
