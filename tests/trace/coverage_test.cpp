#include "trace/coverage.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "trace/trace.h"

namespace lanescope::trace {
namespace {

constexpr std::int64_t kPid = 7;

TEST(Coverage, WithoutAWordEverythingIsRecorded) {
  const Trace trace;
  EXPECT_FALSE(trace.recorded_in_parts());
  const Coverage& all = trace.coverage(kPid);
  EXPECT_TRUE(all.complete());
  EXPECT_TRUE(all.recorded(-5));
  EXPECT_EQ(all.recorded_ns(10, 25), 15);
  EXPECT_EQ(all.next_boundary(0), Coverage::kNever);
}

// [100, 200), calls from 80; [600, 700); and from 1000 on.
TEST(Coverage, AnswersByTime) {
  Trace trace;
  trace.begin_recorded(kPid, 100, 80);
  trace.end_recorded(kPid, 200);
  trace.begin_recorded(kPid, 600);
  trace.end_recorded(kPid, 700);
  trace.begin_recorded(kPid, 1000);
  EXPECT_TRUE(trace.recorded_in_parts());
  const Trace::ReadLock lock(trace);
  const Coverage& c = trace.coverage(kPid);
  EXPECT_FALSE(c.complete());
  for (const auto& [t, recorded] : {std::pair{99, false},
                                    {100, true},
                                    {199, true},
                                    {200, false},
                                    {650, true},
                                    {999, false},
                                    {1000, true},
                                    {1'000'000, true}}) {
    EXPECT_EQ(c.recorded(t), recorded) << t;
  }
  EXPECT_FALSE(c.calls_recorded(79));
  EXPECT_TRUE(c.calls_recorded(80));
  EXPECT_EQ(c.recorded_ns(0, 50), 0);
  EXPECT_EQ(c.recorded_ns(120, 150), 30);
  EXPECT_EQ(c.recorded_ns(0, 600), 100);
  EXPECT_EQ(c.recorded_ns(150, 650), 50 + 50);
  EXPECT_EQ(c.recorded_ns(0, 1100), 100 + 100 + 100);
  EXPECT_EQ(c.recorded_ns(650, 900), 50);
  EXPECT_EQ(c.recorded_ns(250, 500), 0);
  EXPECT_EQ(c.next_boundary(0), 100);
  EXPECT_EQ(c.next_boundary(100), 200);
  EXPECT_EQ(c.next_boundary(200), 600);
  EXPECT_EQ(c.next_boundary(700), 1000);
  EXPECT_EQ(c.next_boundary(1000), Coverage::kNever);
  EXPECT_TRUE(trace.coverage(kPid + 1).complete()) << "of another process, everything is recorded";
}

TEST(Coverage, AnEndWithoutABeginMeansThatEverythingWasRecordedUntilThen) {
  Trace trace;
  trace.end_recorded(kPid, 100);
  trace.begin_recorded(kPid, 300);
  trace.end_recorded(kPid, 400);
  const Trace::ReadLock lock(trace);
  const Coverage& c = trace.coverage(kPid);
  EXPECT_TRUE(c.recorded(-1'000'000));
  EXPECT_FALSE(c.recorded(100));
  EXPECT_EQ(c.recorded_ns(40, 350), 60 + 50);
  EXPECT_EQ(c.recorded_ns(40, 90), 50);
}

TEST(Coverage, NothingIsRecordedUntilTheFirstBegin) {
  Trace trace;
  trace.change_recording({RecordingChange::Act::Bursts, kPid, 50, 500});
  EXPECT_FALSE(trace.recorded_in_parts()) << "only words";
  trace.change_recording({RecordingChange::Act::Nothing, kPid, 0, 0});
  EXPECT_TRUE(trace.recorded_in_parts());
  EXPECT_EQ(trace.coverage_count(), 1u);
  const Coverage& c = trace.coverage(kPid);
  EXPECT_FALSE(c.recorded(0));
  EXPECT_EQ(c.recorded_ns(0, 1000), 0);
  EXPECT_EQ(c.bursts(), (Bursts{50, 500}));
}

// Times that do not ascend are cut; a second begin or end says nothing new.
TEST(Coverage, IntervalsNeverOverlap) {
  Trace trace;
  trace.begin_recorded(kPid, 100);
  trace.begin_recorded(kPid, 120);
  trace.end_recorded(kPid, 200);
  trace.end_recorded(kPid, 300);
  trace.begin_recorded(kPid, 150, 90);
  trace.end_recorded(kPid, 140);
  const Trace::ReadLock lock(trace);
  const Coverage& c = trace.coverage(kPid);
  ASSERT_EQ(c.last(), 2u);
  EXPECT_EQ(c.interval(0), (Coverage::Interval{100, 100, 200}));
  EXPECT_EQ(c.interval(1), (Coverage::Interval{200, 200, 200}));
  EXPECT_EQ(c.recorded_ns(0, 1000), 100);
}

// 300,000 bursts of 1 every 10: more than is kept. What is kept answers as if all were there.
TEST(Coverage, MemoryIsBounded) {
  Trace trace;
  constexpr std::int64_t kBursts = 300'000;
  for (std::int64_t i = 0; i < kBursts; ++i) {
    trace.begin_recorded(kPid, i * 10);
    trace.end_recorded(kPid, i * 10 + 1);
  }
  const Trace::ReadLock lock(trace);
  const Coverage& c = trace.coverage(kPid);
  EXPECT_EQ(c.last(), static_cast<Coverage::Index>(kBursts));
  const Coverage::Index kept = c.last() - c.first();
  EXPECT_LE(kept, Coverage::kMostPages * Coverage::kPageIntervals);
  EXPECT_GT(kept, (Coverage::kMostPages - 2) * Coverage::kPageIntervals);
  EXPECT_EQ(c.recorded_ns((kBursts - 1000) * 10, kBursts * 10), 1000);
  EXPECT_FALSE(c.recorded(0)) << "no longer known";
}

// A kernel of 10 ns at the start of each burst of 100 every 1,000, in a trace of four blocks: the intervals go with the
// events. At most a page more is kept than has events.
TEST(Coverage, IsEvictedWithTheEvents) {
  Trace trace(4 * sizeof(Block));
  LaneInfo info;
  info.kind = LaneKind::Kernels;
  info.pid = kPid;
  const LaneId lane = trace.add_lane(info);
  for (std::int64_t i = 0; i < 20'000; ++i) {
    trace.begin_recorded(kPid, i * 1000);
    Event e;
    e.lane = lane;
    e.kind = EventKind::Kernel;
    e.start_ns = i * 1000;
    e.end_ns = e.start_ns + 10;
    trace.append(e);
    trace.end_recorded(kPid, i * 1000 + 100);
    trace.publish();
  }
  const Trace::ReadLock lock(trace);
  const Row& row = trace.lane(lane).row(0);
  const Coverage& c = trace.coverage(kPid);
  ASSERT_GT(row.first(), 0u);
  EXPECT_GT(c.first(), 0u);
  EXPECT_TRUE(c.recorded(row.start(row.first())));
  EXPECT_LE(c.last() - c.first(), row.last() - row.first() + 2 * Coverage::kPageIntervals);
}

// A reader under a lock sees a whole list at all times: intervals of 1 every 10, in order, whatever is evicted
// meanwhile.
TEST(Coverage, IsReadWhileItGrows) {
  Trace trace;
  trace.change_recording({RecordingChange::Act::Nothing, kPid, 0, 0});
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (std::int64_t i = 0; i < 400'000; ++i) {
      trace.begin_recorded(kPid, i * 10);
      trace.end_recorded(kPid, i * 10 + 1);
    }
    done = true;
  });
  std::uint64_t wrong = 0;
  while (!done) {
    const Trace::ReadLock lock(trace);
    const Coverage& c = trace.coverage(kPid);
    const Coverage::Index last = c.last();
    for (Coverage::Index i = std::max(c.first(), last > 3000 ? last - 3000 : 0); i < last; ++i) {
      const Coverage::Interval interval = c.interval(i);
      const auto begin = static_cast<Nanoseconds>(i) * 10;
      if (interval.begin != begin || (interval.end != begin + 1 && interval.end != Coverage::kNever)) ++wrong;
    }
  }
  writer.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace lanescope::trace
