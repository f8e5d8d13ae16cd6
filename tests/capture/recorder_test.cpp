#include "capture/recorder.h"

#include <gtest/gtest.h>

#include <thread>

#include "until.h"

namespace lanescope::capture {
namespace {

using trace::Event;
using trace::LaneId;
using trace::LaneInfo;
using trace::Nanoseconds;
using trace::Trace;

LaneInfo lane_named(const char* name, std::uint32_t reorder_window = 0) {
  LaneInfo info;
  info.name = name;
  info.reorder_window = reorder_window;
  return info;
}

Event span(LaneId lane, Nanoseconds start, Nanoseconds end) {
  Event e;
  e.lane = lane;
  e.start_ns = start;
  e.end_ns = end;
  return e;
}

TEST(Recorder, EverythingWrittenBeforeAFlushIsInTheTrace) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Wait);
  const LaneId lane = recorder.lane(lane_named("x"));
  const auto writer = recorder.open_writer();
  for (Nanoseconds i = 0; i < 100'000; ++i) writer->write(span(lane, i, i + 1));
  recorder.flush();
  EXPECT_EQ(trace.lane(lane).row(0).last(), 100'000u);
  EXPECT_EQ(trace.counts().dropped, 0u);
  EXPECT_EQ(recorder.health().received, 100'000u);
}

TEST(Recorder, ATinyQueueLosesNothingWhenTheWriterMayWait) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Wait, 16);
  const LaneId lane = recorder.lane(lane_named("x"));
  const auto writer = recorder.open_writer();
  for (Nanoseconds i = 0; i < 20'000; ++i) writer->write(span(lane, i, i + 1));
  recorder.flush();
  EXPECT_EQ(trace.counts().recorded, 20'000u);
}

// What is recorded and what was dropped add up to what was written, whatever the speed of the two threads.
TEST(Recorder, WhatAFullQueueDropsIsCounted) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Drop, 16);
  const LaneId lane = recorder.lane(lane_named("x"));
  const auto writer = recorder.open_writer();
  for (Nanoseconds i = 0; i < 200'000; ++i) writer->write(span(lane, i, i + 1));
  recorder.flush();
  const trace::TraceCounts counts = trace.counts();
  EXPECT_GT(counts.dropped, 0u);
  EXPECT_EQ(counts.recorded + counts.dropped, 200'000u);
}

TEST(Recorder, SeveralWritersKeepTheirLanes) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Wait, 256);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&recorder, t] {
      const LaneId lane = recorder.lane(lane_named(std::to_string(t).c_str()));
      const auto writer = recorder.open_writer();
      for (Nanoseconds i = 0; i < 5'000; ++i) writer->write(span(lane, i * 4 + t, i * 4 + t + 1));
    });
  }
  for (auto& thread : threads) thread.join();
  recorder.flush();
  ASSERT_EQ(trace.lane_count(), 4u);
  for (LaneId l = 0; l < 4; ++l) EXPECT_EQ(trace.lane(l).row(0).last(), 5'000u);
}

// A program that computes for a second makes no call, but its recorder knows that there was none.
TEST(Recorder, TheLiveEdgeGoesOnWhereNothingIsWritten) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Wait);
  const LaneId lane = recorder.lane(lane_named("x"));
  const auto writer = recorder.open_writer();
  writer->write(span(lane, 0, 1));
  recorder.flush();
  Nanoseconds now = 0;
  EXPECT_TRUE(until([&] { return trace.complete_until() >= base::kSecond; },
                    [&] {
                      writer->complete_until(now += 15 * base::kMillisecond);
                      std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    }));
  EXPECT_EQ(trace.counts().recorded, 1u);
}

// Ranges are written when they end: [10,20) and [30,40) come before [0,100). The window puts the outer one first.
TEST(Recorder, TheReorderWindowPutsRangesBackIntoStartOrder) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Wait);
  const LaneId lane = recorder.lane(lane_named("ranges", 8));
  const auto writer = recorder.open_writer();
  writer->write(span(lane, 10, 20));
  writer->write(span(lane, 30, 40));
  writer->write(span(lane, 0, 100));
  recorder.flush();
  ASSERT_EQ(trace.lane(lane).row_count(), 2u);
  EXPECT_EQ(trace.lane(lane).row(0).last(), 1u);
  EXPECT_EQ(trace.lane(lane).row(0).end(0), 100);
  EXPECT_EQ(trace.lane(lane).row(1).last(), 2u);
  EXPECT_EQ(trace.counts().late, 0u);
}

// A window of 2 holds 10-20 and 30-40; 50-60 pushes 10-20 out, so 0-5 is late: kept, in a further row, and counted.
TEST(Recorder, AnEventLaterThanTheWindowIsKeptAndCounted) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Wait);
  const LaneId lane = recorder.lane(lane_named("ranges", 2));
  const auto writer = recorder.open_writer();
  for (const auto& [start, end] : {std::pair{10, 20}, {30, 40}, {50, 60}, {0, 5}})
    writer->write(span(lane, start, end));
  recorder.flush();
  EXPECT_EQ(trace.counts().late, 1u);
  EXPECT_EQ(trace.counts().recorded, 4u);
  EXPECT_EQ(trace.lane(lane).row(1).end(0), 5);
}

TEST(Recorder, CompleteUntilIsTheLeastOfAllWritersAndNeverAheadOfTheEvents) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Wait);
  const LaneId lane = recorder.lane(lane_named("x"));
  const auto fast = recorder.open_writer();
  const auto slow = recorder.open_writer();
  fast->write(span(lane, 0, 10));
  fast->complete_until(1'000);
  slow->complete_until(70);
  recorder.flush();
  EXPECT_EQ(trace.complete_until(), 70);
  EXPECT_EQ(trace.lane(lane).row(0).last(), 1u);
  slow->complete_until(2'000);
  recorder.flush();
  EXPECT_EQ(trace.complete_until(), 1'000);
}

TEST(Recorder, APublishedEventNeedsNoFlush) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Drop);
  const LaneId lane = recorder.lane(lane_named("x"));
  const auto writer = recorder.open_writer();
  for (int round = 0; round < 20; ++round) {
    writer->write(span(lane, round, round + 1));
    while (trace.counts().recorded <= static_cast<std::uint64_t>(round)) std::this_thread::yield();
  }
  EXPECT_EQ(trace.counts().recorded, 20u);
}

// Without a thread: nothing is waited for, nothing is woken, and what comes out is the same. The range 0-900 comes last
// and is put back into its place by the window of its lane.
TEST(Recorder, DirectWritersNeedNoThread) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Direct);
  const LaneId lane = recorder.lane(lane_named("x"));
  const LaneId ranges = recorder.lane(lane_named("ranges", 2000));
  auto writer = recorder.open_writer();
  const auto other = recorder.open_writer();
  other->complete_until(700);
  for (Nanoseconds i = 0; i < 1'000; ++i) {
    writer->write(span(lane, i, i + 1));
    writer->write(span(ranges, i, i + 1));
    writer->complete_until(i);
  }
  writer->write(span(ranges, 0, 900));
  EXPECT_GT(trace.counts().recorded, 500u) << "visible without a flush";
  EXPECT_LE(trace.complete_until(), 700);
  recorder.flush();
  EXPECT_EQ(trace.counts().recorded, 2'001u);
  EXPECT_EQ(trace.counts().late, 0u);
  EXPECT_EQ(trace.lane(ranges).row(0).end(0), 900);
  EXPECT_EQ(trace.complete_until(), 700) << "as far as all writers are";
  EXPECT_EQ(recorder.health().received, 2'001u);
  writer.reset();
  other->complete_until(2'000);
  recorder.flush();
  EXPECT_EQ(trace.complete_until(), 2'000);
}

using Act = trace::RecordingChange::Act;

// What is recorded arrives in order with the events and promises of its writer, and is never dropped, even if the queue
// is full and drops events. Where the trace is complete until t, every change before t is known.
TEST(Recorder, WhatIsRecordedIsNeverDropped) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Drop, 16);
  const LaneId lane = recorder.lane(lane_named("x"));
  const auto writer = recorder.open_writer();
  constexpr Nanoseconds kBursts = 2'000;
  writer->recording({Act::Nothing, 7, 0, 0});
  for (Nanoseconds i = 0; i < kBursts; ++i) {
    writer->recording({Act::Begin, 7, i * 1000 + 10, i * 1000 + 5});
    for (Nanoseconds k = 0; k < 20; ++k) writer->write(span(lane, i * 1000 + 10 + k, i * 1000 + 11 + k));
    writer->recording({Act::End, 7, i * 1000 + 110, 0});
    writer->complete_until(i * 1000 + 200);
    const Trace::ReadLock lock(trace);
    const Nanoseconds known = trace.complete_until();
    if (known > 0) {
      EXPECT_EQ(trace.coverage(7).recorded_ns(0, known), (known / 1000 + 1) * 100);
    }
  }
  recorder.flush();
  const Trace::ReadLock lock(trace);
  EXPECT_EQ(trace.coverage(7).last(), static_cast<trace::Coverage::Index>(kBursts));
  EXPECT_EQ(trace.coverage(7).interval(1), (trace::Coverage::Interval{1005, 1010, 1110}));
  const trace::TraceCounts counts = trace.counts();
  EXPECT_EQ(counts.recorded + counts.dropped, static_cast<std::uint64_t>(kBursts) * 20);
  EXPECT_EQ(trace.lane_count(), 1u);
}

TEST(Recorder, ADirectWriterPassesOnWhatIsRecorded) {
  Trace trace;
  Recorder recorder(trace, WhenFull::Direct);
  const auto writer = recorder.open_writer();
  writer->recording({Act::Bursts, -3, 50, 500});
  writer->recording({Act::Begin, -3, 100, 90});
  const Trace::ReadLock lock(trace);
  EXPECT_EQ(trace.coverage(-3).bursts(), (trace::Bursts{50, 500}));
  EXPECT_EQ(trace.coverage(-3).interval(0), (trace::Coverage::Interval{90, 100, trace::Coverage::kNever}));
}

}  // namespace
}  // namespace lanescope::capture
