// The calls that eager PyTorch makes for a read and for each kind of copy to the device.
#include "workload/eager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "workload/recording_device.h"

namespace lanescope::workload {
namespace {

using ops::Op;
using ops::OpKind;
using testing::ElementsAre;
using testing::IsEmpty;

class EagerTest : public testing::Test {
 protected:
  RecordingDevice device_;
  Eager eager_{device_, true};
};

TEST_F(EagerTest, ItemCopiesIntoPinnedScratchAndWaits) {
  const Tensor scalar = eager_.tensor(1);
  eager_.launch(Op{OpKind::Fill, 1, 1, 1, 2.5f}, {scalar});
  device_.take_log();
  EXPECT_EQ(eager_.item(scalar), 2.5f);
  EXPECT_THAT(device_.take_log(),
              ElementsAre("cudaHostAlloc 4", "cudaMemcpyAsync device->pinned 4", "cudaStreamSynchronize"));
  // The scratch is in the cache from then on, and no event is needed, because the read has waited.
  eager_.item(scalar);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaMemcpyAsync device->pinned 4", "cudaStreamSynchronize"));
}

// bool(x > 1): one byte, whose value is the answer.
TEST_F(EagerTest, ABoolIsReadAsOneByte) {
  const Tensor x = eager_.tensor(2), greater = eager_.tensor(2);
  for (const float value : {0.5f, 1.5f}) {
    eager_.launch(Op{OpKind::Fill, 2, 1, 1, value}, {x});
    eager_.launch(Op{OpKind::CompareGreater, 2, 1, 1, 1.0f}, {x, greater});
    device_.take_log();
    EXPECT_EQ(eager_.truth(greater, 1), value > 1);
    EXPECT_EQ(device_.take_log().back(), "cudaStreamSynchronize");
  }
  eager_.truth(greater);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaMemcpyAsync device->pinned 1", "cudaStreamSynchronize"));
}

// The warning belongs to the statement and ends before its first call, which stays in the surrounding phase.
TEST_F(EagerTest, AWarningIsARangeBeforeTheCall) {
  eager_.set_dispatch_us(10);
  eager_.set_sync_debug(true);
  const Tensor scalar = eager_.tensor(1);
  const base::Nanoseconds began = device_.now_ns();
  eager_.item(scalar);
  eager_.synchronize();  // not detected by the check
  const std::vector<trace::Event> ranges = device_.recorded().on(trace::LaneKind::Phases);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].start_ns, began);
  EXPECT_EQ(ranges[0].end_ns, began + 10'000);
  const Eager::SyncCounts counts = eager_.take_sync_counts();
  EXPECT_EQ(counts.waits, 2u);
  EXPECT_EQ(counts.warnings, 1u);
  EXPECT_EQ(eager_.take_sync_counts().waits, 0u);
}

TEST_F(EagerTest, PageableBlockingCopies) {
  const Tensor to = eager_.tensor(100);
  const HostTensor from = eager_.host_tensor(100, false);
  device_.take_log();
  eager_.copy_to_device(to, from, 100, false);
  eager_.drop(from);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaMemcpyAsync pageable->device 400", "cudaStreamSynchronize"));
}

TEST_F(EagerTest, PageableNonBlockingCopies) {
  const Tensor to = eager_.tensor(100);
  const HostTensor from = eager_.host_tensor(100, false);
  device_.take_log();
  eager_.copy_to_device(to, from, 100, true);
  eager_.drop(from);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaMemcpyAsync pageable->device 400"));
}

TEST_F(EagerTest, PinnedBlockingCopies) {
  const Tensor to = eager_.tensor(100);
  const HostTensor from = eager_.host_tensor(100, true);
  EXPECT_EQ(device_.take_log().back(), "cudaHostAlloc 512");
  eager_.copy_to_device(to, from, 100, false);
  eager_.drop(from);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaMemcpyAsync pinned->device 400", "cudaStreamSynchronize"));
  eager_.host_tensor(100, true);  // the same block: it needs no event
  EXPECT_THAT(device_.take_log(), IsEmpty());
}

TEST_F(EagerTest, PinnedNonBlockingCopies) {
  const Tensor to = eager_.tensor(100);
  const HostTensor from = eager_.host_tensor(100, true);
  device_.take_log();
  eager_.copy_to_device(to, from, 100, true);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaMemcpyAsync pinned->device 400"));
  eager_.drop(from);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaEventCreate", "cudaEventRecord 1"));
  eager_.host_tensor(100, true);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaEventQuery 1"));
}

TEST_F(EagerTest, PageableMemoryIsReusedWithoutACall) {
  const HostTensor first = eager_.host_tensor(100, false);
  eager_.drop(first);
  const HostTensor second = eager_.host_tensor(128, false);
  EXPECT_EQ(second.buffer, first.buffer);
  EXPECT_NE(eager_.host_tensor(128, false).buffer, first.buffer);
  EXPECT_THAT(device_.take_log(), IsEmpty());
}

TEST_F(EagerTest, AValueMakesTheRoundTrip) {
  const Tensor scalar = eager_.tensor(1);
  const HostTensor host = eager_.host_tensor(1, true);
  eager_.values(host)[0] = -7.25f;
  eager_.copy_to_device(scalar, host, 1, true);
  eager_.drop(host);
  EXPECT_EQ(eager_.item(scalar), -7.25f);
}

TEST_F(EagerTest, EveryOperationIsDispatchedFirst) {
  const Tensor t = eager_.tensor(4);
  const HostTensor host = eager_.host_tensor(4, false);
  eager_.set_dispatch_us(12.5);
  device_.log_host_work = true;
  device_.take_log();
  eager_.launch(Op{OpKind::Fill, 4, 1}, {t});
  EXPECT_THAT(device_.take_log(), ElementsAre("work 12500", "fill 4x1x1"));
  eager_.copy_to_device(t, host, 4, true);
  EXPECT_THAT(device_.take_log(), ElementsAre("work 12500", "cudaMemcpyAsync pageable->device 16"));
  eager_.item(t);
  EXPECT_THAT(device_.take_log(), ElementsAre("work 12500", "cudaHostAlloc 4", "cudaMemcpyAsync device->pinned 4",
                                              "cudaStreamSynchronize"));
  eager_.host_wrote(host);  // 16 bytes, a nanosecond each
  EXPECT_THAT(device_.take_log(), ElementsAre("work 16"));
  eager_.set_dispatch_us(0);
  eager_.launch(Op{OpKind::Fill, 4, 1}, {t});
  EXPECT_THAT(device_.take_log(), ElementsAre("fill 4x1x1"));
}

TEST_F(EagerTest, TimingOnlyComputesNothing) {
  Eager timing(device_, false);
  timing.launch(Op{OpKind::Fill, 1, 1, 1, 2.5f}, {timing.tensor(1)});
  EXPECT_FALSE(device_.computed);
}

TEST_F(EagerTest, PhasesAreRangesOnTheirLane) {
  const Tensor t = eager_.tensor(4);  // 1 us
  {
    const Phase phase(eager_, "forward");
    eager_.launch(Op{OpKind::Fill, 4, 1}, {t});
    eager_.launch(Op{OpKind::Fill, 4, 1}, {t});
  }
  { const Phase phase(eager_, "loss"); }
  const std::vector<trace::Event> phases = device_.recorded().on(trace::LaneKind::Phases);
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_THAT(device_.recorded().names_on(trace::LaneKind::Phases), ElementsAre("forward", "loss"));
  EXPECT_EQ(phases[0].kind, trace::EventKind::Range);
  EXPECT_EQ(phases[0].start_ns, 1'000);
  EXPECT_EQ(phases[0].end_ns, 3'000);
  EXPECT_EQ(phases[1].start_ns, 3'000);
  EXPECT_EQ(phases[1].end_ns, 3'000);
  EXPECT_EQ(device_.recorded().lanes[phases[0].lane].name, "phase");
}

TEST_F(EagerTest, PhasesDoNotNest) {
  const Phase phase(eager_, "forward");
  EXPECT_THROW(Phase(eager_, "inner"), base::Error);
}

}  // namespace
}  // namespace lanescope::workload
