// The caching device allocator, compared with PyTorch's rules by counting calls of cudaMalloc and cudaFree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "device/cuda/api.h"
#include "device/cuda/device_allocator.h"

namespace lanescope::device::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kKiB = 1024, kMiB = 1024 * 1024;

class AllocatorTest : public testing::Test {
 protected:
  std::byte* take(std::size_t bytes) { return static_cast<std::byte*>(allocator.allocate(bytes).data); }

  // Addresses of segments are far apart and never used again.
  std::vector<std::size_t> mallocs;
  std::vector<void*> frees;
  std::size_t limit = SIZE_MAX, held = 0;
  Status free_status = kSuccess;
  std::map<void*, std::size_t> segments;
  std::uintptr_t next = std::uintptr_t{1} << 40;
  CachingDeviceAllocator allocator{[this](void** out, std::size_t bytes) {
                                     mallocs.push_back(bytes);
                                     if (held + bytes > limit) return kOutOfMemory;
                                     held += bytes;
                                     *out = reinterpret_cast<void*>(next);
                                     segments[*out] = bytes;
                                     next += std::uintptr_t{1} << 36;
                                     return kSuccess;
                                   },
                                   [this](void* data) {
                                     frees.push_back(data);
                                     held -= segments.at(data);
                                     segments.erase(data);
                                     return free_status;
                                   }};
};

TEST_F(AllocatorTest, SegmentsByTheSizeOfTheRequest) {
  take(1);
  take(1 * kMiB);  // does not fit behind the 512 bytes of the first: 1 MiB of 2 MiB - 512 would, and does
  EXPECT_THAT(mallocs, ElementsAre(2 * kMiB));
  take(1 * kMiB);  // 1 MiB - 512 are left
  EXPECT_THAT(mallocs, ElementsAre(2 * kMiB, 2 * kMiB));
  take(1 * kMiB + 1);
  EXPECT_THAT(mallocs, ElementsAre(2 * kMiB, 2 * kMiB, 20 * kMiB));
  mallocs.clear();
  take(10 * kMiB);  // from here on a segment of its own, unless one is free: 18 MiB and some are
  EXPECT_THAT(mallocs, IsEmpty());
  take(10 * kMiB);
  take(21 * kMiB + 1);  // in steps of 2 MiB
  EXPECT_THAT(mallocs, ElementsAre(10 * kMiB, 22 * kMiB));
}

TEST_F(AllocatorTest, SizesAreMultiplesOf512Bytes) {
  const std::byte* a = take(1);
  const std::byte* b = take(512);
  const std::byte* c = take(513);
  const std::byte* d = take(1);
  EXPECT_EQ(b - a, 512);
  EXPECT_EQ(c - b, 512);
  EXPECT_EQ(d - c, 1024);
  EXPECT_EQ(allocator.allocated_bytes(), 512u + 512 + 1024 + 512);
  EXPECT_EQ(allocator.reserved_bytes(), 2 * kMiB);
}

TEST_F(AllocatorTest, ALargeBlockIsSplitOnlyWhenMoreThanAMebibyteRemains) {
  // 20 MiB - 2 MiB: split. 18 MiB - 17 MiB = 1 MiB: handed out whole.
  take(2 * kMiB);
  take(17 * kMiB);
  EXPECT_EQ(allocator.allocated_bytes(), 20 * kMiB);
  EXPECT_THAT(mallocs, ElementsAre(20 * kMiB));
  take(2 * kMiB);
  EXPECT_EQ(mallocs.size(), 2u);
}

TEST_F(AllocatorTest, TheSmallestBlockThatFitsIsTaken) {
  std::byte* segment = take(600 * kKiB);
  std::byte* hole = take(100 * kKiB);
  take(1 * kKiB);
  std::byte* small_hole = take(50 * kKiB);
  take(1 * kKiB);
  allocator.free(hole);
  allocator.free(small_hole);
  EXPECT_EQ(take(40 * kKiB), small_hole);
  EXPECT_EQ(take(60 * kKiB), hole);
  EXPECT_EQ(take(10 * kKiB), small_hole + 40 * kKiB);
  EXPECT_EQ(hole, segment + 600 * kKiB);
  EXPECT_EQ(mallocs.size(), 1u);
}

TEST_F(AllocatorTest, FreeNeighboursGrowTogether) {
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(take(512 * kKiB));  // exactly one segment
  for (const std::size_t i : {0u, 2u, 3u, 1u}) allocator.free(blocks[i]);
  EXPECT_EQ(take(1 * kMiB), blocks[0]);
  EXPECT_EQ(take(1 * kMiB), blocks[2]);
  EXPECT_THAT(mallocs, ElementsAre(2 * kMiB));
}

TEST_F(AllocatorTest, SmallAndLargeDoNotShare) {
  allocator.free(take(5 * kMiB));  // 20 MiB are free
  take(1 * kMiB);
  EXPECT_THAT(mallocs, ElementsAre(20 * kMiB, 2 * kMiB));
  allocator.free(take(512 * kKiB));
  take(1 * kMiB + 512);
  EXPECT_EQ(mallocs.size(), 2u);
}

TEST_F(AllocatorTest, OutOfMemoryGivesWholeFreeSegmentsBackAndTriesAgain) {
  limit = 40 * kMiB;
  std::byte* whole = take(20 * kMiB);
  std::byte* part = take(2 * kMiB);
  std::byte* other_part = take(2 * kMiB);
  allocator.free(whole);
  allocator.free(part);  // its segment is still in use
  EXPECT_EQ(take(38 * kMiB), nullptr);
  EXPECT_THAT(frees, ElementsAre(whole));
  const auto failed = allocator.allocate(38 * kMiB);
  EXPECT_EQ(failed.status, kOutOfMemory);
  EXPECT_EQ(allocator.reserved_bytes(), 20 * kMiB);
  allocator.free(other_part);
  mallocs.clear();
  EXPECT_NE(take(38 * kMiB), nullptr);
  EXPECT_THAT(mallocs, ElementsAre(38 * kMiB, 38 * kMiB));
  EXPECT_EQ(allocator.reserved_bytes(), 38 * kMiB);
}

TEST_F(AllocatorTest, AnErrorOfGivingBackIsWhatIsReported) {
  limit = 20 * kMiB;
  allocator.free(take(20 * kMiB));
  free_status = 700;
  const auto failed = allocator.allocate(22 * kMiB);
  EXPECT_EQ(failed.data, nullptr);
  EXPECT_EQ(failed.status, 700);
}

TEST_F(AllocatorTest, NoMemoryHasThatSize) {
  EXPECT_EQ(allocator.allocate(SIZE_MAX).status, kOutOfMemory);
  EXPECT_EQ(allocator.allocate(SIZE_MAX - 100).status, kOutOfMemory);
  EXPECT_THAT(mallocs, IsEmpty());
}

TEST_F(AllocatorTest, ReleaseAllGivesEverySegmentBackOnce) {
  take(1);
  take(2);
  allocator.free(take(3 * kMiB));
  take(30 * kMiB);
  EXPECT_EQ(allocator.release_all(), kSuccess);
  EXPECT_EQ(frees.size(), 3u);
  EXPECT_TRUE(segments.empty());
  EXPECT_EQ(allocator.reserved_bytes(), 0u);
  EXPECT_EQ(allocator.allocated_bytes(), 0u);
}

// Blocks never overlap and lie within their segments, and all sums agree, in any order; repeating the same requests
// needs no more memory.
TEST_F(AllocatorTest, AnyOrderKeepsBlocksApart) {
  std::mt19937 random(5);
  std::map<std::byte*, std::size_t> live;
  for (int step = 0; step < 20'000; ++step) {
    if (live.size() < 60 && random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % (std::size_t{1} << (random() % 26));
      std::byte* data = take(bytes);
      const auto after = live.lower_bound(data);
      ASSERT_TRUE(after == live.end() || data + bytes <= after->first);
      ASSERT_TRUE(after == live.begin() || std::prev(after)->first + std::prev(after)->second <= data);
      const auto segment = std::prev(segments.upper_bound(data));
      ASSERT_LE(data + bytes, static_cast<std::byte*>(segment->first) + segment->second);
      live[data] = bytes;
    } else if (!live.empty()) {
      const auto chosen = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      allocator.free(chosen->first);
      live.erase(chosen);
    }
    ASSERT_EQ(allocator.reserved_bytes(), held);
    ASSERT_LE(allocator.allocated_bytes(), held);
  }
  for (const auto& [data, bytes] : live) allocator.free(data);
  EXPECT_EQ(allocator.allocated_bytes(), 0u);
  EXPECT_EQ(allocator.empty_cache(), kSuccess);
  EXPECT_EQ(held, 0u);  // every segment had merged completely
}

}  // namespace
}  // namespace lanescope::device::cuda
