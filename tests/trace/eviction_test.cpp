// What is evicted at the memory cap depends only on what was appended.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "trace/trace.h"

namespace lanescope::trace {
namespace {

Event instant_range(LaneId lane, Nanoseconds start) {
  Event e;
  e.lane = lane;
  e.start_ns = start;
  e.end_ns = start + 1;
  return e;
}

/// So many blocks of events, one each nanosecond from `next` on; published.
void append(Trace& trace, LaneId lane, Nanoseconds& next, std::size_t blocks) {
  for (std::size_t i = 0; i < blocks * kBlockEvents; ++i, ++next) trace.append(instant_range(lane, next));
  trace.publish();
}

struct Outcome {
  std::uint64_t evicted = 0;
  EventIndex first_a = 0, first_b = 0;
  bool operator==(const Outcome&) const = default;
};

LaneInfo kernels(const char* name) {
  LaneInfo info;
  info.kind = LaneKind::Kernels;
  info.name = name;
  return info;
}

// 40 blocks on one lane and 20 on another with a cap of 10 blocks (and of each row's page: 512 slots of 176 bytes);
// published every `batch` events; with or without a concurrent reader.
Outcome fill(std::size_t batch, bool with_reader) {
  Trace trace(10 * sizeof(Block) + 2 * 512 * 176);
  const LaneId a = trace.add_lane(kernels("a"));
  const LaneId b = trace.add_lane(kernels("b"));
  std::optional<Trace::ReadLock> reader;
  for (std::size_t i = 0; i < 40 * kBlockEvents; ++i) {
    trace.append(instant_range(a, static_cast<Nanoseconds>(i)));
    if (i % 2 == 0) trace.append(instant_range(b, static_cast<Nanoseconds>(i)));
    if (i % batch == 0) trace.publish();
    if (with_reader && i % (5 * kBlockEvents) == 0) reader ? reader.reset() : void(reader.emplace(trace));
  }
  trace.publish();
  return {trace.counts().evicted, trace.lane(a).row(0).first(), trace.lane(b).row(0).first()};
}

TEST(Eviction, IsTheSameWheneverThingsArePublishedAndWhoeverReads) {
  const Outcome plain = fill(1, false);
  EXPECT_EQ(plain.evicted, plain.first_a + plain.first_b);
  EXPECT_EQ(plain.evicted, 50 * kBlockEvents);  // 60 were begun, 10 fit
  EXPECT_EQ(fill(1000, false), plain);
  EXPECT_EQ(fill(100'000, false), plain);
  EXPECT_EQ(fill(1, true), plain);
  EXPECT_EQ(fill(1000, true), plain);
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// 2,000 blocks (76 MB), then a cap of 500: with each new block, 16 old ones go until the cap holds.
TEST(Eviction, ALowerCapEvictsAndGivesMemoryBack) {
  constexpr std::size_t kLowCap = 500 * sizeof(Block);
  Trace trace(std::size_t{1} << 30);
  const LaneId lane = trace.add_lane(kernels("a"));
  Nanoseconds next = 0;
  const auto append_blocks = [&](std::size_t blocks) { append(trace, lane, next, blocks); };
  append_blocks(2'000);
  EXPECT_EQ(trace.counts().evicted, 0u);
  EXPECT_GT(trace.memory_bytes(), 2'000 * sizeof(Block));
  [[maybe_unused]] const std::size_t before = resident_bytes();
  trace.set_memory_cap_bytes(kLowCap);
  append_blocks(10);
  EXPECT_EQ(trace.counts().evicted, 160 * kBlockEvents);
  append_blocks(110);                                             // 15 fewer with each: 1,500 fewer after 100
  EXPECT_LE(trace.memory_bytes(), kLowCap + 64 * sizeof(Block));  // 64 are kept for readers
  // 1,436 blocks or more went back; what the rest of the process took meanwhile counts against them. AddressSanitizer
  // takes the room of 130, ThreadSanitizer more than went back.
#ifndef LANESCOPE_TSAN
  EXPECT_LT(resident_bytes(), before - 1'000 * sizeof(Block));
#endif
  const auto check_kept = [&] {
    const Row& row = trace.lane(lane).row(0);
    ASSERT_EQ(row.first(), trace.counts().evicted);
    for (EventIndex i = row.first(); i < row.last(); ++i) ASSERT_EQ(row.start(i), static_cast<Nanoseconds>(i));
  };
  check_kept();
  append_blocks(1'000);  // flat
  EXPECT_LE(trace.memory_bytes(), kLowCap + 64 * sizeof(Block));
  check_kept();
  trace.set_memory_cap_bytes(std::size_t{1} << 30);
  const std::uint64_t evicted = trace.counts().evicted;
  append_blocks(2'000);  // what was given back is used again
  EXPECT_EQ(trace.counts().evicted, evicted);
  check_kept();
}

// Each 512 blocks of a row have a page of summaries, which takes the room of 2.1 blocks. A cap of 60 MiB holds about
// 1,500 blocks and three pages; after 20,000 blocks there were 40 pages, and 37 that nothing refers to would have
// pushed out 78 blocks.
TEST(Eviction, ALongRunKeepsAsMuchAsAShortOne) {
  Trace trace(std::size_t{60} << 20);
  const LaneId lane = trace.add_lane(kernels("a"));
  Nanoseconds next = 0;
  const auto kept_after = [&](std::size_t blocks) {
    append(trace, lane, next, blocks);
    const Row& row = trace.lane(lane).row(0);
    EXPECT_EQ(row.busy_ns(row.first(), row.last()), static_cast<Nanoseconds>(row.last() - row.first()));
    EXPECT_EQ(row.first_ending_after(static_cast<Nanoseconds>(row.first()) + 700, row.first(), row.last()),
              row.first() + 700);
    return (row.last() - row.first()) / kBlockEvents;
  };
  const std::size_t early = kept_after(2'500), late = kept_after(17'500);
  EXPECT_GT(early, 1'450u);
  EXPECT_NEAR(static_cast<double>(late), static_cast<double>(early), 3);  // it may be at another place of its page
  EXPECT_LE(trace.memory_bytes(), trace.memory_cap_bytes() + 64 * sizeof(Block));
}

// A note takes 16 bytes, almost half of what an event takes: after some hours they would fill the memory.
TEST(Eviction, TheLinesOfEvictedCallsAreForgotten) {
  Trace trace(std::size_t{60} << 20);
  LaneInfo info = kernels("calls");
  info.kind = LaneKind::Calls;
  const LaneId lane = trace.add_lane(info);
  const Frame frame{.file = trace.names().intern("train.py"), .function = trace.names().intern("main"), .line = 7};
  const std::uint32_t site = trace.sites().intern({&frame, 1}, 0);
  constexpr Nanoseconds kBlock = kBlockEvents;
  Nanoseconds next = 0;
  for (int block = 0; block < 5'000; ++block) {
    for (Nanoseconds t = next; t < next + kBlock; t += 16) trace.sites().note(lane, t, site);
    append(trace, lane, next, 1);
  }
  const Row& row = trace.lane(lane).row(0);
  ASSERT_GT(row.first(), 3'000 * kBlockEvents);
  const Nanoseconds oldest = row.start(row.first());
  EXPECT_EQ(trace.sites().at(lane, oldest), site);
  EXPECT_EQ(trace.sites().at(lane, oldest - 20 * kBlock), 0u);  // 16 blocks are forgotten at once
  const auto kept = trace.sites().between(lane, 0, next);
  EXPECT_LE(kept.size(), (static_cast<std::size_t>(next - oldest) + 16 * kBlockEvents) / 16);
  EXPECT_GE(kept.size(), static_cast<std::size_t>(next - oldest) / 16);
}

// A reader that holds on to the oldest page while the row goes on by more than a page.
TEST(Eviction, WhatAReaderHasSeenOfAPageStaysWhileItHoldsTheLock) {
  Trace trace(std::size_t{10} << 20);
  const LaneId lane = trace.add_lane(kernels("a"));
  Nanoseconds next = 0;
  const auto append_blocks = [&](std::size_t blocks) { append(trace, lane, next, blocks); };
  append_blocks(500);
  const Row& row = trace.lane(lane).row(0);
  {
    const Trace::ReadLock lock(trace);
    const EventIndex first = row.first(), last = row.last();
    append_blocks(1'100);
    EXPECT_GT(row.first(), last);
    EXPECT_EQ(row.busy_ns(first, last), static_cast<Nanoseconds>(last - first));
    EXPECT_EQ(row.start(first + 10'000), static_cast<Nanoseconds>(first) + 10'000);
  }
  append_blocks(1'100);
  EXPECT_EQ(row.busy_ns(row.first(), row.last()), static_cast<Nanoseconds>(row.last() - row.first()));
}

// 1,024 pages of 512 blocks are 537 million events.
TEST(ManyEvents, ARowGoesOnAfterAsManyAsItsPagesHold) {
  constexpr Nanoseconds kAll = Nanoseconds{1024} * 512 * kBlockEvents + 2'000 * kBlockEvents;
  Trace trace(std::size_t{60} << 20);
  const LaneId lane = trace.add_lane(kernels("a"));
  for (Nanoseconds next = 0; next < kAll; ++next) trace.append(instant_range(lane, next));
  trace.publish();
  const Row& row = trace.lane(lane).row(0);
  EXPECT_EQ(trace.counts().dropped, 0u);
  EXPECT_EQ(row.last(), static_cast<EventIndex>(kAll));
  EXPECT_GT(row.last() - row.first(), 1'450 * kBlockEvents);
  for (EventIndex i = row.first(); i < row.last(); i += 1009) ASSERT_EQ(row.start(i), static_cast<Nanoseconds>(i));
  EXPECT_EQ(row.busy_ns(row.first(), row.last()), static_cast<Nanoseconds>(row.last() - row.first()));
}

}  // namespace
}  // namespace lanescope::trace
