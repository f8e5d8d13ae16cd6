// Faulty records and how they are handled: nothing is lost without being counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "decoder_rig.h"

namespace lanescope::capture::cupti::test {
namespace {

using ::testing::SizeIs;
using trace::Event;

constexpr Nanoseconds kFaultsSecond = base::kSecond;

bool in_start_order(const std::vector<Event>& events) {
  return std::is_sorted(events.begin(), events.end(),
                        [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
}

TEST(Faults, DisorderIsPutInOrder) {
  DecoderRig rig;
  std::vector<int> order(500);
  for (int i = 0; i < 500; ++i) order[static_cast<std::size_t>(i)] = i;
  std::mt19937 random(1);
  std::shuffle(order.begin(), order.end(), random);
  for (const int i : order) {
    const Nanoseconds t = 1000 + i * 10'000;
    const auto correlation = static_cast<std::uint32_t>(i + 1);
    rig.take(Buffer().kernel("k", t + 5000, t + 9000, correlation).call(Api::Launch, t, t + 4000, correlation));
  }
  rig.decoder.finish();
  EXPECT_THAT(rig.calls(), SizeIs(500));
  EXPECT_THAT(rig.on("kernels"), SizeIs(500));
  EXPECT_TRUE(in_start_order(rig.calls()));
  EXPECT_TRUE(in_start_order(rig.on("kernels")));
  EXPECT_EQ(rig.counts.late, 0u);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
}

TEST(Faults, ACallWithoutItsKernelIsCounted) {
  DecoderRig rig;
  rig.take(Buffer().call(Api::Launch, 1000, 2000, 1).launch(3000, 4000, 5000, 6000, 2));
  rig.advance(5 * kFaultsSecond);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u) << "it may still come";
  rig.advance(11 * kFaultsSecond);
  EXPECT_EQ(rig.counts.launches_unmatched, 1u);
  EXPECT_THAT(rig.calls(), SizeIs(2));
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.launches_unmatched, 1u);
}

TEST(Faults, AKernelWithoutItsCallIsCounted) {
  DecoderRig rig;
  rig.take(Buffer().kernel("k", 1000, 2000, 1).launch(3000, 4000, 5000, 6000, 2));
  rig.advance(5 * kFaultsSecond);
  EXPECT_THAT(rig.on("kernels"), SizeIs(2));
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
  rig.advance(11 * kFaultsSecond);
  EXPECT_EQ(rig.counts.operations_unmatched, 1u);
}

TEST(Faults, WhereNoCallsAreRecordedNoneIsMissing) {
  DecoderRig rig;
  rig.take(Buffer().kernel("k", 1000, 2000, 1));
  rig.advance(11 * kFaultsSecond);
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
}

TEST(Faults, ACallThatComesAfterItsKernelIsJoinedToIt) {
  DecoderRig rig;
  rig.take(Buffer().kernel("k", 5000, 6000, 1));
  rig.take(Buffer().call(Api::Malloc, 1000, 2000, 1));  // not a launch by its name, but it is what caused the kernel
  rig.decoder.finish();
  EXPECT_EQ(rig.calls().at(0).flags, trace::kLaunchFlag);
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
}

class Duplicates : public ::testing::TestWithParam<int> {};

// A runtime call 1000..9000 and the driver call 2000..8000 inside it, with one correlation.
TEST_P(Duplicates, OnlyTheOutermostIsKept) {
  DecoderRig rig;
  const bool inner_first = GetParam() & 1, two_buffers = GetParam() & 2;
  Buffer outer, inner;
  outer.call(Api::Launch, 1000, 9000, 1);
  inner.driver_launch(2000, 8000, 1);
  Buffer first = inner_first ? inner : outer, second = inner_first ? outer : inner;
  first.kernel("k", 10'000, 11'000, 1);
  if (two_buffers) {
    rig.take(first);
    rig.take(second);
  } else {
    rig.take(Buffer().add(first).add(second));
  }
  rig.decoder.finish();
  ASSERT_THAT(rig.calls(), SizeIs(1));
  EXPECT_EQ(rig.text(rig.calls()[0]), "cudaLaunchKernel");
  EXPECT_EQ(rig.calls()[0].start_ns, 1000);
  EXPECT_EQ(rig.calls()[0].flags, trace::kLaunchFlag);
  EXPECT_EQ(rig.counts.duplicates, 1u);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_TRUE(rig.accounts());
}
INSTANTIATE_TEST_SUITE_P(Orders, Duplicates, ::testing::Range(0, 4));

TEST(Faults, OfTwoDriverCallsTheLongerIsTheOuter) {
  DecoderRig rig;
  rig.take(Buffer().driver_launch(2000, 8000, 1).driver_launch(1000, 9000, 1).driver_launch(3000, 4000, 1));
  rig.decoder.finish();
  ASSERT_THAT(rig.calls(), SizeIs(1));
  EXPECT_EQ(rig.calls()[0].end_ns, 9000);
  EXPECT_EQ(rig.counts.duplicates, 2u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Faults, TheSameRecordTwiceIsOne) {
  DecoderRig rig;
  rig.take(Buffer().call(Api::Malloc, 1000, 2000, 1).call(Api::Malloc, 1000, 2000, 1));
  rig.decoder.finish();
  EXPECT_THAT(rig.calls(), SizeIs(1));
  EXPECT_EQ(rig.counts.duplicates, 1u);
}

TEST(Faults, ADuplicateOfWhatIsWrittenIsDropped) {
  DecoderRig rig;
  rig.take(Buffer().driver_launch(2000, 8000, 1).kernel("k", 9000, 10'000, 1));
  rig.advance(kFaultsSecond);
  ASSERT_THAT(rig.calls(), SizeIs(1));
  rig.take(Buffer().call(Api::Launch, 1000, 9000, 1));
  rig.decoder.finish();
  EXPECT_THAT(rig.calls(), SizeIs(1));
  EXPECT_EQ(rig.counts.duplicates, 1u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Faults, OneCorrelationOnTwoThreadsIsNoDuplicate) {
  DecoderRig rig;
  rig.take(Buffer().call(Api::Malloc, 1000, 2000, 1).call(Api::Malloc, 1000, 2000, 1, 99));
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.calls, 2u);
  EXPECT_EQ(rig.counts.duplicates, 0u);
}

TEST(Faults, CorrelationsBeginAgainAfterTwoToThe32) {
  DecoderRig rig;
  rig.now = 40 * kFaultsSecond;
  // The number is reused 20 s later for something else: both find their own partner.
  rig.take(Buffer().launch(1000, 2000, 5000, 6000, 0xFFFFFFFF).launch(7000, 8000, 9000, 10'000, 1));
  rig.take(Buffer().kernel("k", 20 * kFaultsSecond + 5000, 20 * kFaultsSecond + 9000, 1));
  rig.take(Buffer().call(Api::Memcpy, 20 * kFaultsSecond, 20 * kFaultsSecond + 4000, 1));
  rig.decoder.finish();
  EXPECT_THAT(rig.calls(), SizeIs(3));
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
  EXPECT_EQ(rig.counts.duplicates, 0u);
  EXPECT_EQ(rig.counts.before_call, 0u);
}

TEST(Faults, APartnerOfAnotherGenerationIsNone) {
  DecoderRig rig;
  rig.now = 40 * kFaultsSecond;
  rig.take(Buffer().call(Api::Launch, 1000, 2000, 5));
  rig.take(Buffer().kernel("k", 20 * kFaultsSecond, 20 * kFaultsSecond + 1000, 5));
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.launches_unmatched, 1u);
  EXPECT_EQ(rig.counts.operations_unmatched, 1u);
}

TEST(Faults, ALateRecordOfAnOldGenerationDoesNotTakeTheNewOnesPlace) {
  DecoderRig rig;
  rig.now = 40 * kFaultsSecond;
  rig.take(Buffer().call(Api::Launch, 20 * kFaultsSecond, 20 * kFaultsSecond + 1000, 5));
  rig.take(Buffer().kernel("k", 5000, 6000, 5));
  rig.take(Buffer().kernel("k", 20 * kFaultsSecond + 5000, 20 * kFaultsSecond + 6000, 5));
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_EQ(rig.counts.before_call, 0u);
}

TEST(Faults, AnEndBeforeTheStartMakesAnInstant) {
  DecoderRig rig;
  rig.take(Buffer().kernel("k", 5000, 4000, 1).call(Api::Malloc, 3000, 2000, 2));
  rig.decoder.finish();
  EXPECT_EQ(rig.on("kernels").at(0).start_ns, 5000);
  EXPECT_EQ(rig.on("kernels").at(0).end_ns, 5000);
  EXPECT_EQ(rig.calls().at(0).end_ns, 3000);
  EXPECT_EQ(rig.counts.clamped, 2u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Faults, RecordsWithoutATimeAreCounted) {
  DecoderRig rig;
  rig.take(Buffer()
               .raw_kernel("k", 0, 0, 1)
               .raw_kernel("still running at a forced flush", stamp(1000), 0, 2)
               .raw_call(CUPTI_ACTIVITY_KIND_RUNTIME, static_cast<std::uint32_t>(Api::Malloc), 0, 0, 3));
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.untimed, 3u);
  EXPECT_THAT(rig.sink.lanes, SizeIs(0));
  EXPECT_TRUE(rig.accounts());
}

TEST(Faults, TimesThatCannotBeAreCounted) {
  DecoderRig rig;
  const std::uint64_t far = 100'000'000'000'000;  // 1e14 ns: 27 hours
  rig.take(Buffer()
               .raw_kernel("k", stamp(1000) + far, stamp(2000) + far, 1)
               .raw_kernel("k", stamp(1000), stamp(2000) + far, 2)
               .raw_kernel("k", stamp(1000) - far, stamp(2000) - far, 3)
               .raw_kernel("k", 1, ~std::uint64_t{0}, 4)
               .raw_kernel("k", 0x8000'0000'0000'0000, 0x8000'0000'0000'0001, 5)
               .kernel("k", 3000, 4000, 6));
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.far_off, 5u);
  EXPECT_THAT(rig.on("kernels"), SizeIs(1));
  EXPECT_TRUE(rig.accounts());
}

TEST(Faults, AnHourIsNotFarOff) {
  DecoderRig rig;
  rig.now = 3600 * kFaultsSecond + 1000;
  rig.take(Buffer().kernel("k", 1000, 2000, 1).kernel("k", 999, 2000, 2));
  EXPECT_EQ(rig.counts.far_off, 1u);
}

TEST(Faults, AKernelBeforeItsCallIsKeptAndCounted) {
  DecoderRig rig;
  rig.take(Buffer().call(Api::Launch, 5000, 8000, 1).kernel("k", 4000, 6000, 1));          // 1 us
  rig.take(Buffer().kernel("k", 12'000, 13'000, 2).call(Api::Launch, 15'000, 16'000, 2));  // 3 us, the other way round
  rig.take(Buffer().launch(18'000, 19'000, 18'000, 20'000, 3));
  rig.decoder.finish();
  EXPECT_THAT(rig.on("kernels"), SizeIs(3));
  EXPECT_EQ(rig.counts.before_call, 2u);
  EXPECT_EQ(rig.counts.worst_before_call_ns, 3000u);
}

TEST(Faults, AStepOfTheClockIsCountedAndMarked) {
  DecoderRig rig;
  rig.take(Buffer().kernel("k", 1000, 2000, 1));
  EXPECT_EQ(rig.counts.clock_steps, 0u);
  rig.now += kFaultsSecond / 2;
  rig.ahead += 1'200'000;
  rig.take(Buffer().kernel("k", 3000, 4000, 2));
  EXPECT_EQ(rig.counts.clock_steps, 0u) << "the clocks are compared once a second";
  rig.now += kFaultsSecond / 2;
  Buffer buffer;
  buffer.raw_kernel("k", rig.ahead + static_cast<std::uint64_t>(kFaultsSecond),
                    rig.ahead + static_cast<std::uint64_t>(kFaultsSecond) + 500, 3);
  rig.take(buffer);
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.clock_steps, 1u);
  EXPECT_EQ(rig.on("kernels").at(2).start_ns, kFaultsSecond);
  const auto markers = rig.on("markers");
  ASSERT_THAT(markers, SizeIs(1));
  EXPECT_EQ(rig.text(markers[0]), "the capture's clock moved by 1.2 ms");
  EXPECT_EQ(markers[0].kind, trace::EventKind::Marker);
  EXPECT_EQ(markers[0].start_ns, 10 * kMs + kFaultsSecond);
  EXPECT_EQ(markers[0].end_ns, markers[0].start_ns);
}

TEST(Faults, AGraphLaunchHasManyOperations) {
  for (const bool ops_first : {false, true}) {
    DecoderRig rig;
    rig.now = kFaultsSecond;
    Buffer call, ops;
    call.call(Api::GraphLaunch, 1000, 9000, 7);
    for (int i = 0; i < 10'000; ++i) ops.kernel("node", 10'000 + i * 2000, 11'000 + i * 2000, 7);
    rig.take(ops_first ? ops : call);
    rig.take(ops_first ? call : ops);
    // The whole graph is 20 ms: a sync waits for its last node, which ends at 10'000 + 9999 * 2000 + 1000.
    rig.take(Buffer().call(Api::StreamSync, 9500, 20'100'000, 8));
    rig.decoder.finish();
    EXPECT_THAT(rig.on("kernels"), SizeIs(10'000));
    EXPECT_EQ(rig.counts.launches_unmatched, 0u);
    EXPECT_EQ(rig.counts.operations_unmatched, 0u);
    EXPECT_EQ(trace::parts_of(rig.calls().at(1)).returning, 20'100'000 - 20'009'000);
  }
}

TEST(Faults, LaterOperationsOfAGraphAreJoinedAfterItsFirst) {
  DecoderRig rig;
  rig.take(Buffer().call(Api::GraphLaunch, 1000, 9000, 7).kernel("node", 10'000, 11'000, 7));
  rig.advance(kFaultsSecond);
  rig.take(Buffer().kernel("node", 12'000, 13'000, 7));
  rig.advance(11 * kFaultsSecond);
  rig.decoder.finish();
  EXPECT_THAT(rig.on("kernels"), SizeIs(2));
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
  EXPECT_EQ(rig.counts.late, 0u) << "its place on the lane was still free";
}

TEST(Faults, WhatComesAfterItsPlaceOnTheLaneIsWrittenAndCounted) {
  DecoderRig rig;
  rig.take(Buffer().call(Api::Malloc, 5000, 6000, 2));
  rig.advance(kFaultsSecond);
  ASSERT_THAT(rig.calls(), SizeIs(1));
  rig.take(Buffer().call(Api::Malloc, 1000, 2000, 1));
  rig.advance(2 * kFaultsSecond);
  ASSERT_THAT(rig.calls(), SizeIs(2));
  EXPECT_EQ(rig.calls()[1].start_ns, 1000);
  EXPECT_EQ(rig.counts.late, 1u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Faults, ARecordOfKind0OrUnknownGivesUpTheRestOfItsBuffer) {
  for (const std::uint64_t kind : {std::uint64_t{0}, std::uint64_t{56}, std::uint64_t{0xDEADBEEF}}) {
    DecoderRig rig;
    Buffer buffer;
    buffer.kernel("k", 1000, 2000, 1).add(kind).add(kind).kernel("k", 2000, 3000, 2);
    rig.take(buffer);
    rig.take(Buffer().kernel("k", 3000, 4000, 3));
    rig.decoder.finish();
    EXPECT_THAT(rig.on("kernels"), SizeIs(2)) << kind;
    EXPECT_EQ(rig.counts.unknown_kind, 1u);
    EXPECT_EQ(rig.counts.received, 2u);
  }
}

TEST(Faults, ATruncatedTailIsTheEnd) {
  Buffer whole;
  whole.kernel("k", 1000, 2000, 1).call(Api::Launch, 500, 900, 1).copy({}, 3000, 4000, 2).memset(8, 5000, 6000, 3);
  const std::size_t ends[] = {
      sizeof(CUpti_ActivityKernel10), sizeof(CUpti_ActivityKernel10) + sizeof(CUpti_ActivityAPI),
      sizeof(CUpti_ActivityKernel10) + sizeof(CUpti_ActivityAPI) + sizeof(CUpti_ActivityMemcpy6), whole.size()};
  for (std::size_t size = 0; size <= whole.size(); size += 8) {
    DecoderRig rig;
    std::vector<std::uint64_t> exact(size / 8);  // so that a byte too many is seen
    if (size) std::memcpy(exact.data(), whole.data(), size);
    rig.decoder.take(reinterpret_cast<std::uint8_t*>(exact.data()), size);
    rig.decoder.finish();
    EXPECT_EQ(rig.counts.received, static_cast<std::uint64_t>(std::count_if(
                                       std::begin(ends), std::end(ends), [&](std::size_t end) { return end <= size; })))
        << size;
    EXPECT_TRUE(rig.accounts());
  }
}

TEST(Faults, AnEmptyBufferIsNothing) {
  DecoderRig rig;
  std::uint64_t words[1] = {};
  rig.decoder.take(reinterpret_cast<std::uint8_t*>(words), 0);
  rig.decoder.take(nullptr, 100);
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.received, 0u);
  EXPECT_EQ(rig.counts.unknown_kind, 0u);
}

// Arbitrary field values (except where CUPTI passes pointers), and arbitrary bytes after the last record.
TEST(Faults, RandomBytesDoNoHarm) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    DecoderRig rig;
    Buffer buffer;
    buffer.kernel("k", 1000, 2000, 1);
    const auto scrambled = [&]<typename T>(T record, CUpti_ActivityKind kind) {
      std::vector<std::uint64_t> words(sizeof(T) / 8);
      for (std::uint64_t& word : words) word = random();
      std::memcpy(static_cast<void*>(&record), words.data(), sizeof(T));
      record.kind = kind;
      buffer.add(record);
    };
    for (int i = 0; i < 20; ++i) {
      switch (random() % 8) {
        case 0:
          scrambled(CUpti_ActivityAPI{}, CUPTI_ACTIVITY_KIND_RUNTIME);
          break;
        case 1:
          scrambled(CUpti_ActivityAPI{}, CUPTI_ACTIVITY_KIND_DRIVER);
          break;
        case 2:
          scrambled(CUpti_ActivityMemcpy6{}, CUPTI_ACTIVITY_KIND_MEMCPY);
          break;
        case 3:
          scrambled(CUpti_ActivityMemset4{}, CUPTI_ACTIVITY_KIND_MEMSET);
          break;
        case 4:
          scrambled(CUpti_ActivitySynchronization2{}, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
          break;
        case 5:
          scrambled(CUpti_ActivityCudaEvent2{}, CUPTI_ACTIVITY_KIND_CUDA_EVENT);
          break;
        case 6:
          scrambled(CUpti_ActivityContext3{}, CUPTI_ACTIVITY_KIND_CONTEXT);
          break;
        default:
          // Times that are right, everything else is not.
          buffer.raw_call(CUPTI_ACTIVITY_KIND_RUNTIME, static_cast<std::uint32_t>(random()), stamp(1000),
                          stamp(static_cast<Nanoseconds>(random() % 100'000)), static_cast<std::uint32_t>(random()),
                          static_cast<std::uint32_t>(random() % 4));
          buffer.copy({static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()),
                       static_cast<std::uint8_t>(random()), random(), true},
                      500, 800, static_cast<std::uint32_t>(random() % 8),
                      {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
                       static_cast<std::uint32_t>(random())});
          break;
      }
    }
    for (int i = 0; i < 10; ++i) buffer.add(random() | 0x100);  // no kind that there is
    std::vector<std::uint64_t> exact(buffer.size() / 8);
    std::memcpy(exact.data(), buffer.data(), buffer.size());
    rig.decoder.take(reinterpret_cast<std::uint8_t*>(exact.data()), buffer.size());
    rig.advance(kFaultsSecond);
    rig.decoder.finish();
    EXPECT_EQ(rig.counts.pending, 0u);
    EXPECT_GE(rig.on("kernels").size(), 1u);
  }
}

TEST(Faults, WhereTheSinkHasNoMoreLanesEventsAreCounted) {
  DecoderRig rig;
  rig.sink.most_lanes = 1;
  rig.take(Buffer().call(Api::Malloc, 1000, 2000, 1).kernel("k", 1000, 2000, 2));
  rig.take(Buffer().kernel("k", 2000, 3000, 3));
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.operations, 2u) << "whose lane came first";
  EXPECT_EQ(rig.counts.dropped, 1u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Faults, ASinkThatThrowsAtNamesIsSurvived) {
  DecoderRig rig;
  rig.take(Buffer().kernel("known", 1000, 2000, 1));
  rig.sink.names_throw = true;
  rig.now += kFaultsSecond;
  rig.ahead += 1'000'000;  // its marker has a name, too
  rig.take(Buffer().kernel("new", 2000, 3000, 2).kernel("known", 3000, 4000, 3));
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.operations, 2u);
  EXPECT_EQ(rig.counts.dropped, 1u);
  EXPECT_EQ(rig.counts.clock_steps, 1u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Faults, ThreadsAndStreamsAreBounded) {
  DecoderRig rig;
  Buffer buffer;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    buffer.call(Api::Malloc, 1000 + i, 2000 + i, i + 1, 100 + i).kernel("k", 1000, 2000, 0, {i, 0, kContext});
  }
  rig.take(buffer);
  rig.decoder.finish();
  EXPECT_GT(rig.counts.dropped, 1000u);
  EXPECT_TRUE(rig.accounts());
}

}  // namespace
}  // namespace lanescope::capture::cupti::test
