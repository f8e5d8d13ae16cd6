#include "trace/trace.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "trace/side_tables.h"

namespace lanescope::trace {
namespace {

LaneInfo lane_named(const char* name) {
  LaneInfo info;
  info.name = name;
  return info;
}

Event span(LaneId lane, Nanoseconds start, Nanoseconds end) {
  Event e;
  e.lane = lane;
  e.start_ns = start;
  e.end_ns = end;
  return e;
}

TEST(Trace, NothingIsSeenBeforeItIsPublished) {
  Trace trace;
  const LaneId lane = trace.add_lane(lane_named("calls"));
  trace.append(span(lane, 0, 10));
  EXPECT_EQ(trace.lane(lane).row(0).last(), 0u);
  trace.publish();
  EXPECT_EQ(trace.lane(lane).row(0).last(), 1u);
  EXPECT_EQ(trace.counts().recorded, 1u);
}

TEST(Trace, EqualLaneInfoIsTheSameLane) {
  Trace trace;
  const LaneId a = trace.add_lane(lane_named("a"));
  EXPECT_EQ(trace.add_lane(lane_named("a")), a);
  EXPECT_NE(trace.add_lane(lane_named("b")), a);
  EXPECT_EQ(trace.lane_count(), 2u);
}

TEST(Trace, AnEventComesBackWhole) {
  Trace trace;
  const LaneId lane = trace.add_lane(lane_named("x"));
  Event e = span(lane, -5, 7);
  e.name = 0xFFFFF;
  e.kind = EventKind::Counter;
  e.flags = 0xAB;
  e.correlation = 0xFFFFFFFF;
  e.a = 1;
  e.b = 2;
  e.c = 3;
  trace.append(e);
  trace.publish();
  Event back = trace.lane(lane).row(0).event(0);
  back.lane = lane;
  EXPECT_EQ(back, e);
}

// Nested ranges [0,100) > [10,50) > [10,20), then [50,60) and [100,110), in start order, longer first:
// row 0 gets 0-100 and 100-110, row 1 gets 10-50 and 50-60, row 2 gets 10-20.
TEST(Trace, NestedAndOverlappingEventsArePackedIntoRows) {
  Trace trace;
  const LaneId lane = trace.add_lane(lane_named("ranges"));
  for (const auto& [start, end] : {std::pair{0, 100}, {10, 50}, {10, 20}, {50, 60}, {100, 110}}) {
    trace.append(span(lane, start, end));
  }
  trace.publish();
  const Lane& l = trace.lane(lane);
  ASSERT_EQ(l.row_count(), 3u);
  EXPECT_EQ(l.row(0).last(), 2u);
  EXPECT_EQ(l.row(1).last(), 2u);
  EXPECT_EQ(l.row(2).last(), 1u);
  EXPECT_EQ(l.row(0).start(1), 100);
  EXPECT_EQ(l.row(1).start(1), 50);
}

TEST(Trace, MoreThanTheRowsOfALaneIsDroppedAndCounted) {
  Trace trace;
  const LaneId lane = trace.add_lane(lane_named("overlap"));
  for (std::size_t i = 0; i < Lane::kMaxRows + 3; ++i) trace.append(span(lane, 0, 10));
  trace.publish();
  EXPECT_EQ(trace.lane(lane).row_count(), Lane::kMaxRows);
  EXPECT_EQ(trace.counts().dropped, 3u);
  EXPECT_EQ(trace.counts().recorded, Lane::kMaxRows);
}

TEST(Trace, AnEndBeforeTheStartBecomesAnInstantAndIsCounted) {
  Trace trace;
  const LaneId lane = trace.add_lane(lane_named("x"));
  trace.append(span(lane, 10, 5));
  trace.publish();
  EXPECT_EQ(trace.lane(lane).row(0).end(0), 10);
  EXPECT_EQ(trace.counts().clamped, 1u);
}

// Searches and busy sums against a plain vector, over block borders, with gaps and instants.
TEST(Row, SearchesAndBusySumsAgreeWithAPlainVector) {
  Trace trace;
  const LaneId lane = trace.add_lane(lane_named("x"));
  std::mt19937_64 random(7);
  std::vector<std::pair<Nanoseconds, Nanoseconds>> plain;
  Nanoseconds t = -1000;
  for (int i = 0; i < 5000; ++i) {
    const Nanoseconds start = t + static_cast<Nanoseconds>(random() % 4);
    const Nanoseconds end = start + static_cast<Nanoseconds>(random() % 5);
    plain.emplace_back(start, end);
    trace.append(span(lane, start, end));
    t = end;
  }
  trace.publish();
  ASSERT_EQ(trace.lane(lane).row_count(), 1u);
  const Row& row = trace.lane(lane).row(0);
  for (int round = 0; round < 3000; ++round) {
    EventIndex from = random() % 5001;
    EventIndex to = random() % 5001;
    if (from > to) std::swap(from, to);
    const Nanoseconds probe = -1010 + static_cast<Nanoseconds>(random() % static_cast<std::uint64_t>(t + 1020));
    EventIndex ending = from;
    while (ending < to && plain[ending].second <= probe) ++ending;
    EXPECT_EQ(row.first_ending_after(probe, from, to), ending);
    EventIndex starting = from;
    while (starting < to && plain[starting].first < probe) ++starting;
    EXPECT_EQ(row.first_starting_at_or_after(probe, from, to), starting);
    Nanoseconds busy = 0;
    for (EventIndex i = from; i < to; ++i) busy += plain[i].second - plain[i].first;
    EXPECT_EQ(row.busy_ns(from, to), busy);
  }
}

TEST(Trace, ExtentCoversAllLanes) {
  Trace trace;
  EXPECT_EQ(trace.extent(), std::pair(Nanoseconds{0}, Nanoseconds{0}));
  const LaneId a = trace.add_lane(lane_named("a"));
  const LaneId b = trace.add_lane(lane_named("b"));
  trace.append(span(a, 5, 20));
  trace.append(span(b, -3, 7));
  trace.publish();
  EXPECT_EQ(trace.extent(), std::pair(Nanoseconds{-3}, Nanoseconds{20}));
}

// A cap of ten blocks for 50 blocks' worth of events: kept plus evicted equals recorded.
TEST(Trace, TheOldestBlocksGoWhenTheCapIsReachedAndAreCounted) {
  const std::size_t cap = 10 * sizeof(Block) + (64 << 10);
  Trace trace(cap);
  const LaneId lane = trace.add_lane(lane_named("x"));
  for (Nanoseconds i = 0; i < static_cast<Nanoseconds>(50 * kBlockEvents); ++i) {
    trace.append(span(lane, i * 10, i * 10 + 5));
    if (i % 100 == 0) trace.publish();
  }
  trace.publish();
  const Row& row = trace.lane(lane).row(0);
  const TraceCounts counts = trace.counts();
  EXPECT_EQ(counts.recorded, 50 * kBlockEvents);
  EXPECT_EQ(counts.evicted, row.first());
  EXPECT_GE(counts.evicted, 39 * kBlockEvents);
  EXPECT_LE(trace.memory_bytes(), cap);
  EXPECT_EQ(row.start(row.first()), static_cast<Nanoseconds>(row.first()) * 10);
  EXPECT_EQ(trace.extent().first, row.start(row.first()));
}

TEST(Trace, WhatAReaderHasSeenStaysReadableWhileItHoldsTheLock) {
  Trace trace(4 * sizeof(Block) + (64 << 10));
  const LaneId lane = trace.add_lane(lane_named("x"));
  Nanoseconds next = 0;
  const auto fill = [&](std::size_t blocks) {
    for (std::size_t i = 0; i < blocks * kBlockEvents; ++i, ++next) trace.append(span(lane, next, next + 1));
    trace.publish();
  };
  fill(2);
  const Row& row = trace.lane(lane).row(0);
  {
    const Trace::ReadLock lock(trace);
    const EventIndex first = row.first();
    fill(20);  // evicts block 0, but must not reuse it
    EXPECT_GT(row.first(), first);
    EXPECT_EQ(row.start(first), 0);
  }
  const std::size_t before = trace.memory_bytes();
  fill(20);  // now the blocks that were held are used again, and no new ones
  EXPECT_EQ(trace.memory_bytes(), before);
}

// One thread appends under a tight cap while another reads everything visible: each event must be consistent. More than
// two pages of 512 blocks are filled, so that pages are given back, too.
TEST(Trace, ReadersAndTheWriterDoNotDisturbEachOther) {
  Trace trace(8 * sizeof(Block) + (64 << 10));
  const LaneId lane = trace.add_lane(lane_named("x"));
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done.load()) {
      const Trace::ReadLock lock(trace);
      if (trace.lane(lane).row_count() == 0) continue;
      const Row& row = trace.lane(lane).row(0);
      const EventIndex first = row.first();
      const EventIndex last = row.last();
      for (EventIndex i = first; i < last; i += 97) {
        const Event e = row.event(i);
        ASSERT_EQ(e.start_ns, static_cast<Nanoseconds>(i) * 10);
        ASSERT_EQ(e.a, static_cast<std::uint32_t>(i));
      }
      ASSERT_EQ(row.busy_ns(first, last), static_cast<Nanoseconds>(last - first) * 5);
    }
  });
  for (Nanoseconds i = 0; i < 1'200'000; ++i) {
    Event e = span(lane, i * 10, i * 10 + 5);
    e.a = static_cast<std::uint32_t>(i);
    trace.append(e);
    if (i % 256 == 0) trace.publish();
  }
  trace.publish();
  done = true;
  reader.join();
}

TEST(CallSites, LibraryFilesAreThoseOfPackagesAndWhatTheyWrite) {
  for (const char* path : {"/usr/lib/python3.12/threading.py", "/x/site-packages/torch/nn/modules/module.py",
                           "<string>", "", "/var/torchinductor_me/gx/cgx.py"}) {
    EXPECT_TRUE(is_library_file(path)) << path;
  }
  for (const char* path : {"/home/me/train.py", "train.py"}) EXPECT_FALSE(is_library_file(path)) << path;
}

}  // namespace
}  // namespace lanescope::trace
