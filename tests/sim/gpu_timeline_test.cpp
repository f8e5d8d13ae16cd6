#include "device/sim/gpu_timeline.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace lanescope::device::sim {
namespace {

class Written final : public trace::EventWriter {
 public:
  void write(const trace::Event& event) noexcept override { events.push_back(event); }
  void complete_until(Nanoseconds) noexcept override {}

  std::vector<trace::Event> events;
};

struct Outcome {
  std::vector<trace::Event> events;
  std::vector<std::size_t> outstanding;  // at every settle()
  Nanoseconds awaited = 0;
};

// Operations on all engines, markers, and settling in irregular steps. `idle_streams`: more streams that nobody uses.
Outcome play(int idle_streams) {
  Written writer;
  Memory memory;
  GpuTimeline gpu(writer, memory);
  for (int i = 0; i < idle_streams; ++i) gpu.add_stream(false);
  base::Random random(7);
  Outcome outcome;
  Nanoseconds now = 0;
  for (std::uint32_t i = 1; i <= 3000; ++i) {
    const auto draw = random.next();
    if (draw % 7 == 0) {
      gpu.push_marker(0, now + 50);
    } else {
      Entry& entry = gpu.add(0, static_cast<Engine>(draw % kEngines), now + 100);
      entry.duration_ns = static_cast<Nanoseconds>(draw >> 8 & 511);
      entry.event.correlation = i;
    }
    now += static_cast<Nanoseconds>(draw >> 20 & 255);
    gpu.settle(now);
    outcome.outstanding.push_back(gpu.outstanding(0));
    Position tail;
    if (draw % 97 == 0 && gpu.tail(0, tail)) outcome.awaited += gpu.decide(tail).event.end_ns;
  }
  gpu.decide_all();
  outcome.events = writer.events;
  return outcome;
}

// A single stream takes a shorter way, which must make no difference.
TEST(GpuTimeline, StreamsThatNobodyUsesChangeNothing) {
  const Outcome alone = play(0), beside = play(2);
  EXPECT_GT(alone.events.size(), 2000u);
  EXPECT_EQ(alone.events, beside.events);
  EXPECT_EQ(alone.outstanding, beside.outstanding);
  EXPECT_EQ(alone.awaited, beside.awaited);
}

}  // namespace
}  // namespace lanescope::device::sim
