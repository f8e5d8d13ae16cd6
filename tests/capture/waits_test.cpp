// The parts of blocking calls, each calculated by hand. Times in microseconds, shifted by kT.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/records_rig.h"

namespace lanescope::capture::test {
namespace {

using trace::Event;

// CUPTI's kinds of synchronisation.
constexpr std::uint32_t kEventSync = kEventSynchronize, kStreamWait = 2, kStreamSync = kStreamSynchronize,
                        kContextSync = 4;
constexpr std::uint32_t kOther = 13;  // a stream
constexpr CopyOf kDownload{kToHost, kDeviceMemory, kPinned};
constexpr CopyOf kBlockingUpload{kToDevice, kPageable, kDeviceMemory, 64, false};

constexpr Nanoseconds us(Nanoseconds t) { return 5 * kMs + t * kUs; }

struct Parts {
  Nanoseconds own, waiting, copying, returning;  // in us
  bool operator==(const Parts&) const = default;
};
void PrintTo(const Parts& p, std::ostream* out) {
  *out << p.own << " | " << p.waiting << " | " << p.copying << " | " << p.returning;
}

class WaitsTest : public ::testing::Test {
 protected:
  /// The call with this correlation, after everything that was put into `records`.
  Event worked_out(std::uint32_t correlation) {
    rig.take(records);
    rig.finish();
    for (const auto& lane : rig.sink.events) {
      for (const Event& e : lane) {
        if (e.kind == trace::EventKind::Call && e.correlation == correlation) return e;
      }
    }
    ADD_FAILURE() << "no call " << correlation;
    return {};
  }
  static Parts parts(const Event& call) {
    const trace::CallParts p = trace::parts_of(call);
    EXPECT_EQ(p.own + p.waiting + p.copying + p.returning, call.duration());
    return {p.own / kUs, p.waiting / kUs, p.copying / kUs, p.returning / kUs};
  }
  Records& launch(Nanoseconds call, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                  std::uint32_t stream = kStream) {
    return records.launch(us(call), us(call + 1), us(start), us(end), correlation, stream);
  }
  Records& sync(std::string_view api, std::uint32_t type, Nanoseconds start, Nanoseconds inner, Nanoseconds end,
                std::uint32_t correlation, std::uint32_t stream = kAllStreams, std::uint64_t event = 0) {
    records.call(api, us(start), us(end), correlation);
    return records.sync(type, us(inner), us(end), correlation, stream, event);
  }
  Records& copy(const CopyOf& of, Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                std::uint32_t stream = kStream) {
    return records.copy(of, us(start), us(end), correlation, {stream, 0, kContext});
  }

  Rig rig;
  Records records;
};

// The call is 6..120, its wait begins at 8, the kernel ends at 110.
TEST_F(WaitsTest, StreamSynchronizeWaitsForTheLastKernelOfItsStream) {
  launch(0, 10, 60, 1);
  launch(2, 60, 110, 2);
  sync(api::kStreamSync, kStreamSync, 6, 8, 120, 3, kStream);
  const Event call = worked_out(3);
  EXPECT_EQ(call.flags, trace::kSyncFlag | trace::kBlockingFlag);
  EXPECT_EQ(parts(call), (Parts{2, 102, 0, 10}));
}

TEST_F(WaitsTest, TheOrderOfTheRecordsDoesNotMatter) {
  sync(api::kStreamSync, kStreamSync, 6, 8, 120, 3, kStream);
  launch(2, 60, 110, 2);
  launch(0, 10, 60, 1);
  EXPECT_EQ(parts(worked_out(3)), (Parts{2, 102, 0, 10}));
}

TEST_F(WaitsTest, AnotherStreamIsNotWaitedFor) {
  launch(0, 10, 50, 1);
  launch(2, 10, 110, 2, kOther);
  sync(api::kStreamSync, kStreamSync, 6, 8, 60, 3, kStream);
  EXPECT_EQ(parts(worked_out(3)), (Parts{2, 42, 0, 10}));
}

TEST_F(WaitsTest, ASyncWithNothingToWaitForIsAllOwnCost) {
  launch(0, 1, 5, 1);
  launch(2, 10, 15, 2, kOther);
  sync(api::kStreamSync, kStreamSync, 6, 8, 20, 3, kStream);
  const Event call = worked_out(3);
  EXPECT_EQ(call.flags, trace::kSyncFlag);
  EXPECT_EQ(parts(call), (Parts{14, 0, 0, 0}));
}

TEST_F(WaitsTest, DeviceSynchronizeWaitsForEveryStreamOfItsContext) {
  launch(0, 10, 50, 1);
  launch(2, 10, 90, 2, kOther);
  records.call(api::kLaunch, us(4), us(5), 3).kernel("k", us(10), us(95), 3, {21, 0, 2});  // another context
  sync(api::kDeviceSync, kContextSync, 6, 9, 100, 4);
  EXPECT_EQ(parts(worked_out(4)), (Parts{3, 81, 0, 10}));
}

// The event is recorded between the two kernels, so that only the first is waited for.
TEST_F(WaitsTest, EventSynchronizeWaitsForWhatWasIssuedBeforeTheEventWasRecorded) {
  launch(0, 10, 50, 1, kOther);
  records.call(api::kEventRecord, us(2), us(3), 2).gpu_event(55, 2, kOther);
  launch(4, 50, 70, 3, kOther);
  sync(api::kEventSync, kEventSync, 6, 7, 80, 4, kAllStreams, 55);
  EXPECT_EQ(parts(worked_out(4)), (Parts{1, 43, 0, 30}));
}

TEST_F(WaitsTest, AnEventThatIsNotKnownStandsForItsContext) {
  launch(0, 10, 50, 1, kOther);
  sync(api::kEventSync, kEventSync, 6, 7, 80, 4, kAllStreams, 55);
  EXPECT_EQ(parts(worked_out(4)), (Parts{1, 43, 0, 30}));
}

TEST_F(WaitsTest, TheLegacyDefaultStreamWaitsForBlockingStreams) {
  records.context(kContext, 7);
  records.stream(kContext, kOther, kBlockingStream);
  records.stream(kContext, 14, 2);
  launch(0, 10, 50, 1, kOther);
  launch(2, 10, 55, 2, 14);
  sync(api::kStreamSync, kStreamSync, 6, 7, 60, 3, kStream);
  EXPECT_EQ(parts(worked_out(3)), (Parts{1, 43, 0, 10}));
}

// As on the simulated device: while the last operation waited for is a copy, the call is copying.
TEST_F(WaitsTest, TheEndOfAWaitForACopyIsCopying) {
  records.call(api::kMemcpyAsync, us(0), us(1), 1);
  copy(kDownload, 20, 60, 1);
  sync(api::kStreamSync, kStreamSync, 6, 8, 75, 2, kStream);
  EXPECT_EQ(parts(worked_out(2)), (Parts{2, 12, 40, 15}));
}

TEST_F(WaitsTest, ACopyThatRanAlreadyIsCopyingFromTheStartOfTheWait) {
  records.call(api::kMemcpyAsync, us(0), us(1), 1);
  copy(kDownload, 5, 60, 1);
  sync(api::kStreamSync, kStreamSync, 6, 8, 75, 2, kStream);
  EXPECT_EQ(parts(worked_out(2)), (Parts{2, 0, 52, 15}));
}

TEST_F(WaitsTest, AWaitThatCuptiSaysNothingOfIsForAllThatWasIssued) {
  launch(0, 10, 50, 1);
  launch(2, 20, 70, 2, kOther);
  records.call(api::kFree, us(6), us(80), 3);
  const Event call = worked_out(3);
  EXPECT_TRUE(trace::is_sync(call));
  EXPECT_EQ(parts(call), (Parts{0, 64, 0, 10}));
}

TEST_F(WaitsTest, WhatAnotherThreadIssuedMeanwhileIsNotWaitedFor) {
  launch(0, 10, 50, 1);
  records.call(api::kLaunch, us(20), us(21), 2, 99).kernel("k", us(50), us(55), 2);
  sync(api::kStreamSync, kStreamSync, 6, 8, 60, 3, kStream);
  EXPECT_EQ(parts(worked_out(3)), (Parts{2, 42, 0, 10}));
}

// 6..90: the kernel before it ends at 50, the bytes move 55..80. The 5 us between are the call's own.
TEST_F(WaitsTest, ABlockingCopyWaitsCopiesAndReturns) {
  launch(0, 10, 50, 1);
  records.call(api::kMemcpy, us(6), us(90), 2);
  copy({kToHost, kDeviceMemory, kPinned, 64, false}, 55, 80, 2);
  const Event call = worked_out(2);
  EXPECT_EQ(call.flags, trace::kLaunchFlag | trace::kSyncFlag | trace::kBlockingFlag);
  EXPECT_EQ(parts(call), (Parts{5, 44, 25, 10}));
}

TEST_F(WaitsTest, ABlockingCopyWithNothingBeforeIt) {
  records.call(api::kMemcpy, us(6), us(90), 2);
  copy(kBlockingUpload, 20, 80, 2);
  EXPECT_EQ(parts(worked_out(2)), (Parts{14, 0, 60, 10}));
}

TEST_F(WaitsTest, ABlockingCopyWhoseBytesMoveLaterIsAllOwnCost) {
  records.call(api::kMemcpy, us(6), us(20), 2);
  copy(kBlockingUpload, 25, 26, 2);
  const Event call = worked_out(2);
  EXPECT_EQ(call.flags, trace::kLaunchFlag | trace::kSyncFlag);
  EXPECT_EQ(parts(call), (Parts{14, 0, 0, 0}));
}

TEST_F(WaitsTest, AnAsynchronousCopyToPageableMemoryBlocks) {
  records.call(api::kMemcpyAsync, us(6), us(90), 2);
  copy({kToHost, kDeviceMemory, kPageable}, 55, 80, 2);
  const Event call = worked_out(2);
  EXPECT_EQ(call.flags, trace::kLaunchFlag | trace::kSyncFlag | trace::kBlockingFlag);
  EXPECT_EQ(parts(call), (Parts{49, 0, 25, 10}));
}

TEST_F(WaitsTest, AnAsynchronousCopyFromPageableMemoryBlocksFrom64KBOn) {
  records.call(api::kMemcpyAsync, us(6), us(90), 2);
  copy({kToDevice, kPageable, kDeviceMemory, 64 * 1024 + 1}, 55, 80, 2);
  records.call(api::kMemcpyAsync, us(100), us(200), 3);
  copy({kToDevice, kPageable, kDeviceMemory, 64 * 1024}, 120, 180, 3);
  const Event staged = worked_out(2);
  EXPECT_EQ(staged.flags, trace::kLaunchFlag | trace::kBlockingFlag);
  EXPECT_EQ(parts(staged), (Parts{49, 0, 25, 10}));
  const Event inlined = rig.calls().at(1);
  EXPECT_EQ(inlined.flags, trace::kLaunchFlag);
}

TEST_F(WaitsTest, PinnedAsynchronousAndDeviceCopiesDoNotBlock) {
  records.call(api::kMemcpyAsync, us(6), us(90), 2);
  copy({}, 55, 80, 2);
  records.call(api::kMemcpy, us(100), us(190), 3);
  copy({kWithin, kDeviceMemory, kDeviceMemory}, 120, 180, 3);
  EXPECT_EQ(worked_out(2).flags, trace::kLaunchFlag);
  EXPECT_EQ(rig.calls().at(1).flags, trace::kLaunchFlag);
}

// The queue is full from 10 to 90 of a launch that takes from 0 to 100.
TEST_F(WaitsTest, ALaunchWaitsForRoomInTheQueue) {
  records.call(api::kLaunch, us(0), us(100), 1).kernel("k", us(120), us(130), 1);
  records.overhead(kQueueFull, us(10), us(90), kThread);
  records.call(api::kLaunch, us(200), us(205), 2).kernel("k", us(220), us(230), 2);
  const Event call = worked_out(1);
  EXPECT_EQ(call.flags, trace::kLaunchFlag | trace::kBlockingFlag);
  EXPECT_EQ(parts(call), (Parts{20, 80, 0, 0}));
  EXPECT_FALSE(trace::is_blocking(rig.calls().at(1)));
  EXPECT_EQ(rig.counts.queue_full_ns, 80'000u);
  EXPECT_EQ(rig.counts.overhead_ns, 0u) << "the program's own, and not the capture's";
}

TEST_F(WaitsTest, TheFullQueueMayBeKnownByCorrelationOnly) {
  records.overhead(kQueueFull, us(10), us(40), 0, 1);
  records.overhead(kQueueFull, us(50), us(90), 0, 1);
  records.call(api::kLaunch, us(0), us(100), 1).kernel("k", us(120), us(130), 1);
  EXPECT_EQ(parts(worked_out(1)), (Parts{30, 70, 0, 0}));
  EXPECT_EQ(rig.counts.queue_full_ns, 70'000u);
}

TEST_F(WaitsTest, TheFullQueueOfAnotherThreadIsNotThisOnes) {
  records.call(api::kLaunch, us(0), us(100), 1).kernel("k", us(120), us(130), 1);
  records.overhead(kQueueFull, us(10), us(90), 99);
  EXPECT_FALSE(trace::is_blocking(worked_out(1)));
  EXPECT_EQ(rig.counts.queue_full_ns, 0u);
}

TEST_F(WaitsTest, AStallThatReachesOverTheEndsOfACallCountsInsideOnly) {
  records.call(api::kLaunch, us(0), us(100), 1).kernel("k", us(120), us(130), 1);
  records.call(api::kLaunch, us(100), us(150), 2).kernel("k", us(160), us(170), 2);
  records.overhead(kQueueFull, us(90), us(110), kThread);
  EXPECT_EQ(parts(worked_out(1)), (Parts{90, 10, 0, 0}));
  EXPECT_EQ(parts(rig.calls().at(1)), (Parts{40, 10, 0, 0}));
}

TEST_F(WaitsTest, WhatFailedOrStaysOnTheHostIsNoLaunch) {
  records.call(api::kLaunch, us(0), us(1), 1, kThread, 719);
  records.call(api::kHostFunc, us(2), us(3), 2);
  EXPECT_EQ(worked_out(1).flags, 0);
  EXPECT_EQ(rig.calls().at(1).flags, 0);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
}

TEST_F(WaitsTest, NoSynchronisationIsDrawnOnAGpuLane) {
  launch(0, 10, 60, 1);
  sync(api::kDeviceSync, kContextSync, 6, 8, 120, 3);
  sync(api::kStreamSync, kStreamWait, 130, 131, 140, 4, kStream);
  worked_out(3);
  for (const trace::LaneInfo& lane : rig.sink.lanes) {
    if (!trace::is_gpu_work_lane(lane.kind)) continue;
    EXPECT_EQ(rig.on(lane.name).size(), 1u) << lane.name;
  }
}

}  // namespace
}  // namespace lanescope::capture::test
