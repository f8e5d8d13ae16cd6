#include "capture/cupti/hub.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace lanescope::capture::cupti {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::size_t> drained(BufferPool& pool) {
  std::vector<std::size_t> sizes;
  pool.drain([&](const BufferPool::Filled& buffer) { sizes.push_back(buffer.valid_bytes); });
  return sizes;
}

bool all_zero(const std::uint8_t* data, std::size_t bytes) {
  return std::all_of(data, data + bytes, [](std::uint8_t b) { return b == 0; });
}

TEST(BufferPool, HandsOutZeroedAlignedBuffersUntilThereAreNone) {
  BufferPool pool(1000);  // the least is 1024
  EXPECT_EQ(pool.buffer_bytes(), 1024u);
  EXPECT_EQ(BufferPool::rounded(5000), 5056u);  // 79 lines of 64
  pool.begin(1, 3, 3);
  std::set<std::uint8_t*> seen;
  for (int i = 0; i < 3; ++i) {
    std::uint8_t* buffer = pool.take(7, 100);
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 64, 0u);
    EXPECT_TRUE(all_zero(buffer, 1024));
    seen.insert(buffer);
  }
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(pool.take(7, 100), nullptr);
  const BufferPool::Numbers n = pool.numbers();
  EXPECT_EQ(n.total, 3u);
  EXPECT_EQ(n.out, 3u);
  EXPECT_EQ(n.peak, 3u);
}

TEST(BufferPool, GivesCompletedBuffersInOrderAndZeroesWhatWasValid) {
  BufferPool pool(1024);
  pool.begin(1, 2, 2);
  std::uint8_t* a = pool.take(11, 100);
  std::uint8_t* b = pool.take(12, 200);
  std::memset(a, 0xAA, 80);
  std::memset(b, 0xBB, 1024);
  EXPECT_TRUE(pool.complete(a, 80));
  EXPECT_TRUE(pool.complete(b, 5000));  // more than its size counts as full
  EXPECT_EQ(pool.numbers().completed, 2u);
  EXPECT_EQ(pool.numbers().out, 0u);
  std::vector<BufferPool::Filled> filled;
  pool.drain([&](const BufferPool::Filled& buffer) { filled.push_back(buffer); });
  ASSERT_EQ(filled.size(), 2u);
  EXPECT_EQ(filled[0].data, a);
  EXPECT_EQ(filled[0].thread, 11u);
  EXPECT_EQ(filled[0].asked_ns, 100);
  EXPECT_EQ(filled[1].valid_bytes, 1024u);
  EXPECT_TRUE(all_zero(a, 1024));
  EXPECT_TRUE(all_zero(b, 1024));
  EXPECT_NE(pool.take(1, 1), nullptr);
  EXPECT_NE(pool.take(1, 1), nullptr);
}

TEST(BufferPool, KnowsItsOwnAndTakesNothingTwice) {
  BufferPool pool(1024);
  pool.begin(1, 2, 2);
  std::uint8_t* a = pool.take(1, 1);
  std::uint8_t foreign[64];
  EXPECT_FALSE(pool.complete(foreign, 64));
  EXPECT_FALSE(pool.complete(a + 64, 64));  // in the middle of one
  EXPECT_TRUE(pool.complete(pool.scratch(), 64));
  EXPECT_TRUE(pool.complete(a, 64));
  EXPECT_TRUE(pool.complete(a, 64));  // again
  EXPECT_THAT(drained(pool), ElementsAre(64u));
  EXPECT_EQ(pool.numbers().strays, 1u);
}

TEST(BufferPool, GrowsWhenFewAreLeftAndNotBeyondItsMaximum) {
  BufferPool pool(1024);
  pool.begin(1, 8, 100);
  EXPECT_FALSE(pool.low());
  for (int i = 0; i < 6; ++i) pool.take(1, 1);
  EXPECT_TRUE(pool.low());  // 2 of 8
  pool.grow();
  EXPECT_EQ(pool.numbers().total, 72u);  // 64 more
  EXPECT_FALSE(pool.low());
  for (int i = 0; i < 64; ++i) pool.take(1, 1);
  pool.grow();
  EXPECT_EQ(pool.numbers().total, 100u);
  while (pool.take(1, 1)) {
  }
  EXPECT_EQ(pool.numbers().out, 100u);
  EXPECT_FALSE(pool.low());  // there is no help
}

TEST(BufferPool, SaysWhoHoldsBuffersAndWhetherAnythingIsInThem) {
  BufferPool pool(1024);
  pool.begin(1, 4, 4);
  EXPECT_THAT(pool.threads_with_buffers(), IsEmpty());
  std::uint8_t* a = pool.take(30, 1);
  std::uint8_t* b = pool.take(20, 1);
  pool.take(30, 1);
  EXPECT_THAT(pool.threads_with_buffers(), ElementsAre(20u, 30u));
  EXPECT_FALSE(pool.records_out());
  *reinterpret_cast<std::uint32_t*>(b) = 5;  // the kind of a first record
  EXPECT_TRUE(pool.records_out());
  pool.complete(b, 40);
  EXPECT_FALSE(pool.records_out());
  EXPECT_THAT(pool.threads_with_buffers(), ElementsAre(20u, 30u));  // completed, but not read
  drained(pool);
  EXPECT_THAT(pool.threads_with_buffers(), ElementsAre(30u));
  pool.complete(a, 0);
}

TEST(BufferPool, WhatComesBackToALaterSessionIsNotRead) {
  BufferPool pool(1024);
  pool.begin(1, 2, 2);
  std::uint8_t* late = pool.take(1, 1);
  std::uint8_t* later = pool.take(1, 1);
  std::memset(late, 1, 40);
  pool.end();
  EXPECT_TRUE(pool.complete(late, 40));  // between two sessions
  EXPECT_EQ(pool.numbers().strays, 1u);
  EXPECT_TRUE(all_zero(late, 1024));
  pool.begin(2, 2, 2);
  EXPECT_THAT(pool.threads_with_buffers(), IsEmpty());
  EXPECT_TRUE(pool.complete(later, 40));
  EXPECT_THAT(drained(pool), IsEmpty());
  EXPECT_EQ(pool.numbers().strays, 1u);
  EXPECT_EQ(pool.numbers().out, 0u);
  EXPECT_NE(pool.take(1, 1), nullptr);
  EXPECT_NE(pool.take(1, 1), nullptr);  // both are back
}

// Threads take, mark and return; one reads. Nothing may be lost, read twice, or held by two threads.
TEST(BufferPool, LosesNothingAmongSeveralThreads) {
  constexpr std::uint32_t kThreads = 4, kRounds = 5000;
  BufferPool pool(1024);
  pool.begin(1, 16, 64);
  std::atomic<std::uint32_t> running{kThreads};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&pool, &running, t] {
      for (std::uint32_t round = 1; round <= kRounds;) {
        std::uint8_t* buffer = pool.take(t, round);
        if (!buffer) {
          std::this_thread::yield();
          continue;
        }
        EXPECT_TRUE(all_zero(buffer, 16));
        std::memcpy(buffer, &t, 4);
        std::memcpy(buffer + 4, &round, 4);
        pool.complete(buffer, 8);
        ++round;
      }
      --running;
    });
  }
  std::uint32_t last[kThreads + 1] = {};
  std::uint64_t read = 0;
  const auto drain = [&] {
    pool.drain([&](const BufferPool::Filled& buffer) {
      std::uint32_t t = 0, round = 0;
      std::memcpy(&t, buffer.data, 4);
      std::memcpy(&round, buffer.data + 4, 4);
      ASSERT_EQ(t, buffer.thread);
      EXPECT_EQ(round, last[t] + 1);  // each thread's buffers in order
      last[t] = round;
      ++read;
    });
    pool.grow();
  };
  while (running > 0) drain();
  drain();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(read, kThreads * kRounds);
  EXPECT_EQ(pool.numbers().out, 0u);
  EXPECT_LE(pool.numbers().total, 64u);
}

}  // namespace
}  // namespace lanescope::capture::cupti
