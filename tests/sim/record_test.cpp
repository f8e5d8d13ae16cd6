// How the device records itself: lanes, names, correlation, order, completeness, and jitter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/sim_rig.h"

namespace lanescope::device::sim {
namespace {

using trace::LaneKind;

/// A bit of everything, on several streams.
void play_rounds(Rig& rig, int rounds = 20) {
  rig.make_buffers(MemoryKind::Pinned, 700'000);
  const Buffer pageable = rig->allocate(MemoryKind::Pageable, 700'000);
  const Stream blocking = rig->create_stream(false), free = rig->create_stream(true);
  const GpuEvent event = rig->create_event();
  for (int i = 0; i < rounds; ++i) {
    rig.kernel(100 + i);
    rig->copy_async({rig.gpu}, {pageable}, 700'000, free);
    rig->record(event, free);
    rig.kernel(150, blocking);
    rig->wait(blocking, event);
    rig.kernel(120, blocking);
    rig->copy_async({rig.host}, {rig.gpu}, 10'000, free);
    rig->fill_async({rig.gpu}, 0, 100'000, Stream::Default);
    rig->host_work(us(i * 37 % 200));
    if (i % 3 == 0) rig->synchronize(event);
    if (i % 4 == 1) rig->copy_async({pageable}, {rig.gpu}, 300'000, Stream::Default);
    if (i % 5 == 2) rig->synchronize(blocking);
    if (i % 7 == 3) rig->copy({rig.gpu}, {pageable}, 700'000);
    rig->query(event);
  }
}

TEST(Lanes, AreMadeWhenAStreamIsFirstUsedForAKind) {
  Rig rig;
  ASSERT_EQ(rig.sink.lanes.size(), 1u);
  EXPECT_EQ(rig.sink.lanes[0].kind, LaneKind::Calls);
  EXPECT_EQ(rig.sink.lanes[0].name, "CUDA calls");
  EXPECT_EQ(rig.sink.lanes[0].process, "lanescope");
  EXPECT_EQ(rig.sink.lanes[0].reorder_window, 0u);
  rig.make_buffers(MemoryKind::Pinned, 1000);
  const Stream other = rig->create_stream(true);
  EXPECT_EQ(rig.sink.lanes.size(), 1u);
  rig.kernel(100);
  rig->copy_async({rig.gpu}, {rig.host}, 1000, Stream::Default);
  rig->copy_async({rig.host}, {rig.gpu}, 1000, Stream::Default);
  rig->copy_async({rig.gpu}, {rig.host}, 1000, other);
  rig.kernel(100);
  ASSERT_EQ(rig.sink.lanes.size(), 5u);
  const auto is = [&](std::size_t i, LaneKind kind, const char* name, int stream) {
    const trace::LaneInfo& lane = rig.sink.lanes[i];
    return lane.kind == kind && lane.name == name && lane.stream == stream && lane.reorder_window == 0;
  };
  EXPECT_TRUE(is(1, LaneKind::Kernels, "kernels", 7));
  EXPECT_TRUE(is(2, LaneKind::CopyH2D, "copy H2D", 7));
  EXPECT_TRUE(is(3, LaneKind::CopyD2H, "copy D2H", 7));
  EXPECT_TRUE(is(4, LaneKind::CopyH2D, "copy H2D, stream 20", 20));
}

TEST(Record, EveryCallHasAFreshCorrelationAndItsOperationTheSame) {
  Rig rig;
  play_rounds(rig);
  rig.close();
  std::set<std::uint32_t> calls;
  std::map<std::uint32_t, bool> launches;  // and whether its operation was found
  for (const trace::Event& e : rig.sink.events) {
    if (e.kind != trace::EventKind::Call) continue;
    EXPECT_NE(e.correlation, 0u);
    EXPECT_TRUE(calls.insert(e.correlation).second) << e.correlation;
    if (trace::is_launch(e)) launches[e.correlation] = false;
  }
  for (const trace::Event& e : rig.sink.events) {
    if (!trace::is_gpu_work(e.kind)) continue;
    ASSERT_TRUE(launches.count(e.correlation)) << rig.text(e.name);
    EXPECT_FALSE(launches[e.correlation]) << "two operations of one call";
    launches[e.correlation] = true;
  }
  for (const auto& [correlation, found] : launches) EXPECT_TRUE(found) << correlation;
}

TEST(Record, EveryLaneIsInStartOrderAndDoesNotOverlap) {
  Rig rig;
  play_rounds(rig);
  rig.close();
  std::map<trace::LaneId, trace::Event> last;
  for (const trace::Event& e : rig.sink.events) {
    EXPECT_LE(e.start_ns, e.end_ns);
    const auto before = last.find(e.lane);
    if (before != last.end()) {
      EXPECT_GE(e.start_ns, before->second.end_ns) << rig.text(e.name);
    }
    last[e.lane] = e;
  }
}

TEST(Record, PartsOfABlockingCallAddUpToIt) {
  Rig rig(embedded_profile("rtx4090"));
  play_rounds(rig);
  int blocking = 0;
  for (const trace::Event& e : rig.sink.events) {
    if (!trace::is_blocking(e)) continue;
    ++blocking;
    const trace::CallParts p = trace::parts_of(e);
    EXPECT_EQ(p.own + p.waiting + p.copying + p.returning, e.duration()) << rig.text(e.name);
    EXPECT_GT(p.own, 0);
    EXPECT_GE(p.waiting, 0);
    EXPECT_GE(p.copying, 0);
    EXPECT_GE(p.returning, 0);
  }
  EXPECT_GT(blocking, 20);
}

TEST(Record, NothingComesAfterItWasSaidToBeComplete) {
  for (const bool paced : {false, true}) {
    CollectingSink sink;
    DeviceContext context;
    context.sink = &sink;
    std::vector<Nanoseconds> advanced;
    if (paced) context.advanced = [&](Nanoseconds t) { advanced.push_back(t); };
    Rig rig;
    rig.device = std::make_unique<SimDevice>(embedded_profile("rtx4090"), context);
    play_rounds(rig);
    const Nanoseconds now = rig->now_ns();
    if (paced) {
      ASSERT_FALSE(advanced.empty());
      EXPECT_TRUE(std::is_sorted(advanced.begin(), advanced.end()));
      EXPECT_EQ(advanced.back(), now);
    }
    rig.close();
    ASSERT_GT(sink.complete.size(), 50u);
    EXPECT_TRUE(std::is_sorted(sink.complete.begin(), sink.complete.end()));
    Nanoseconds newest_end = 0;
    for (const trace::Event& e : sink.events) newest_end = std::max(newest_end, e.end_ns);
    EXPECT_GE(sink.complete.back(), newest_end);
    for (std::size_t i = 0; i < sink.complete.size(); ++i) {
      for (std::size_t later = sink.complete_after[i]; later < sink.events.size(); ++later) {
        ASSERT_GE(sink.events[later].start_ns, sink.complete[i]);
      }
    }
  }
}

TEST(Record, ABlockingCallIsKnownToBeCompleteWhenItIsBack) {
  Rig rig;
  rig.kernel(100);
  rig->synchronize();
  EXPECT_EQ(rig.sink.complete.back(), rig->now_ns());
}

TEST(Record, TheEndOfTheDeviceWritesWhatIsOutstanding) {
  Rig rig;
  for (int i = 0; i < 5; ++i) rig.kernel(100);
  EXPECT_LT(rig.kernels().size(), 5u);
  rig.close();
  EXPECT_EQ(rig.kernels().size(), 5u);
  EXPECT_EQ(rig.sink.complete.back(), us(515));
}

TEST(Record, OperationsAreWrittenAsSoonAsTheHostsClockHasPassedTheirStart) {
  Rig rig;
  rig.kernel(100);                      // [15, 115)
  rig.kernel(100);                      // [115, 215)
  EXPECT_EQ(rig.kernels().size(), 1u);  // at 20
  rig->host_work(us(94));               // 114
  EXPECT_EQ(rig.kernels().size(), 1u);
  rig->host_work(us(1));
  EXPECT_EQ(rig.kernels().size(), 2u);
}

std::vector<trace::Event> play_with_seed(std::uint64_t seed, const char* profile) {
  Rig rig(embedded_profile(profile), seed);
  play_rounds(rig);
  rig.close();
  return rig.sink.events;
}

TEST(Jitter, TheSameSeedGivesTheSameEvents) { EXPECT_EQ(play_with_seed(1, "rtx4090"), play_with_seed(1, "rtx4090")); }

TEST(Jitter, AnotherSeedGivesOthers) { EXPECT_NE(play_with_seed(1, "rtx4090"), play_with_seed(2, "rtx4090")); }

TEST(Jitter, NoneInTheTeachingProfile) { EXPECT_EQ(play_with_seed(1, "teaching"), play_with_seed(2, "teaching")); }

// Calls vary, kernels do not.
TEST(Jitter, WhatTheGpuDoesHasItsOwn) {
  DeviceProfile profile = embedded_profile("rtx4090");
  ASSERT_GT(profile.jitter_spread, 0);
  profile.jitter_gpu_spread = 0;
  Rig rig(profile);
  for (int i = 0; i < 20; ++i) rig.kernel(100);
  rig.close();
  std::map<trace::EventKind, std::set<base::Nanoseconds>> durations;
  for (const trace::Event& event : rig.sink.events) durations[event.kind].insert(event.end_ns - event.start_ns);
  EXPECT_EQ(durations[trace::EventKind::Kernel].size(), 1u);
  EXPECT_GT(durations[trace::EventKind::Call].size(), 10u);
}

TEST(Jitter, StaysWithinItsSpreadAndKeepsTheMean) {
  Jitter jitter(0.1, -1, 42);
  double sum = 0, least = 2, most = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double factor = jitter.factor();
    sum += factor;
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
  // The standard deviation of a draw is 0.1 / sqrt(6) = 0.041, of the mean 0.00013.
  EXPECT_NEAR(sum / kDraws, 1, 0.0007);
  EXPECT_GT(least, 0.9);
  EXPECT_LT(least, 0.902);
  EXPECT_LT(most, 1.1);
  EXPECT_GT(most, 1.098);
}

}  // namespace
}  // namespace lanescope::device::sim
