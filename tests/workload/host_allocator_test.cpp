#include "workload/eager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/recording_device.h"

namespace lanescope::workload {
namespace {

using device::Buffer;
using device::GpuEvent;
using device::Stream;
using testing::ElementsAre;
using testing::IsEmpty;

class HostAllocator : public testing::Test {
 protected:
  RecordingDevice device_;
  CachingHostAllocator allocator_{device_};
};

TEST_F(HostAllocator, RoundsUpToAPowerOfTwo) {
  allocator_.allocate(4);
  allocator_.allocate(5);
  allocator_.allocate(512'000);
  allocator_.allocate(34'000'000);  // a batch of 34 MB pins 67 MB
  EXPECT_THAT(device_.take_log(),
              ElementsAre("cudaHostAlloc 4", "cudaHostAlloc 8", "cudaHostAlloc 524288", "cudaHostAlloc 67108864"));
}

TEST_F(HostAllocator, ABlockThatNoCopyUsesIsReusedAtOnce) {
  const Buffer block = allocator_.allocate(100);
  allocator_.free(block);
  device_.take_log();
  EXPECT_EQ(allocator_.allocate(128), block);
  EXPECT_THAT(device_.take_log(), IsEmpty());
}

TEST_F(HostAllocator, BlocksAreNotSplitNorSharedBetweenSizes) {
  const Buffer large = allocator_.allocate(1024);
  allocator_.free(large);
  EXPECT_NE(allocator_.allocate(512), large);
  const Buffer again = allocator_.allocate(1024);
  EXPECT_EQ(again, large);
  EXPECT_NE(allocator_.allocate(1024), large);
}

TEST_F(HostAllocator, ABlockInFlightIsReusedAfterItsEvent) {
  const Buffer block = allocator_.allocate(64);
  allocator_.record_stream(block, Stream::Default);
  device_.unfinished = {GpuEvent{1}};
  device_.take_log();
  allocator_.free(block);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaEventCreate", "cudaEventRecord 1"));

  // The copy still reads the block: another one is pinned.
  const Buffer other = allocator_.allocate(64);
  EXPECT_NE(other, block);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaEventQuery 1", "cudaHostAlloc 64"));

  device_.unfinished.clear();
  EXPECT_EQ(allocator_.allocate(64), block);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaEventQuery 1"));
}

TEST_F(HostAllocator, EventsAreQueriedOldestFirstAndUsedAgain) {
  const Buffer a = allocator_.allocate(64), b = allocator_.allocate(64), c = allocator_.allocate(64);
  for (const Buffer block : {a, b, c}) {
    allocator_.record_stream(block, Stream::Default);
    allocator_.free(block);
  }
  device_.unfinished = {GpuEvent{2}};
  device_.take_log();
  EXPECT_EQ(allocator_.allocate(64), a);  // event 1 is done, 2 is not, and 3 is not queried: it cannot be done earlier
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaEventQuery 1", "cudaEventQuery 2"));
  allocator_.record_stream(a, Stream::Default);
  allocator_.free(a);
  EXPECT_THAT(device_.take_log(), ElementsAre("cudaEventRecord 1"));  // no further event is made
}

TEST_F(HostAllocator, ABlockUsedByTwoStreamsWaitsForBoth) {
  const Buffer block = allocator_.allocate(64);
  allocator_.record_stream(block, Stream::Default);
  allocator_.record_stream(block, Stream{5});
  allocator_.record_stream(block, Stream{5});
  device_.take_log();
  allocator_.free(block);
  EXPECT_THAT(device_.take_log(),
              ElementsAre("cudaEventCreate", "cudaEventRecord 1", "cudaEventCreate", "cudaEventRecord 2"));
  device_.unfinished = {GpuEvent{2}};
  EXPECT_NE(allocator_.allocate(64), block);
  device_.unfinished.clear();
  EXPECT_EQ(allocator_.allocate(64), block);
}

}  // namespace
}  // namespace lanescope::workload
