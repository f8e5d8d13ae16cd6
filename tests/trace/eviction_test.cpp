// What is evicted at the memory cap depends only on what was appended.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lanescope::trace
