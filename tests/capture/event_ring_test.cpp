#include "capture/recorder.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lanescope::capture {
namespace {

trace::Event numbered(std::uint32_t n) {
  trace::Event event;
  event.correlation = n;
  return event;
}

std::vector<std::uint32_t> drained(EventRing& ring) {
  std::vector<std::uint32_t> numbers;
  ring.drain([&](const trace::Event& event) { numbers.push_back(event.correlation); });
  return numbers;
}

using Numbers = std::vector<std::uint32_t>;

TEST(EventRing, HoldsThePowerOfTwoThatIsAskedForOrTheNext) {
  EXPECT_EQ(EventRing(64).capacity(), 64u);
  EXPECT_EQ(EventRing(65).capacity(), 128u);
  EXPECT_EQ(EventRing(0).capacity(), 2u);
}

TEST(EventRing, GivesBackInOrderAndRefusesWhatDoesNotFit) {
  EventRing ring(4);
  EXPECT_EQ(drained(ring), Numbers{});
  for (std::uint32_t n = 0; n < 4; ++n) EXPECT_TRUE(ring.push(numbered(n)));
  EXPECT_FALSE(ring.push(numbered(4)));
  EXPECT_EQ(drained(ring), (Numbers{0, 1, 2, 3}));
  for (std::uint32_t n = 5; n < 8; ++n) EXPECT_TRUE(ring.push(numbered(n)));  // around the end
  EXPECT_EQ(drained(ring), (Numbers{5, 6, 7}));
  EXPECT_EQ(drained(ring), Numbers{});
}

TEST(EventRing, IsFillingFromMoreThanHalf) {
  EventRing ring(8);
  for (std::uint32_t n = 0; n < 3; ++n) ring.push(numbered(n));
  EXPECT_FALSE(ring.filling());
  for (std::uint32_t n = 3; n < 5; ++n) ring.push(numbered(n));
  EXPECT_TRUE(ring.filling());
  drained(ring);
  EXPECT_FALSE(ring.filling());
}

// For ThreadSanitizer, and for the slots that are given back in lots while the writer waits for them.
TEST(EventRing, LosesNothingBetweenTwoThreads) {
  constexpr std::uint32_t kEvents = 200'000;
  EventRing ring(1024);
  std::thread writer([&ring] {
    for (std::uint32_t n = 0; n < kEvents; ++n) {
      while (!ring.push(numbered(n))) std::this_thread::yield();
    }
  });
  std::uint32_t expected = 0;
  while (expected < kEvents) {
    ring.drain([&expected](const trace::Event& event) {
      EXPECT_EQ(event.correlation, expected);
      ++expected;
    });
    std::this_thread::yield();
  }
  writer.join();
  EXPECT_EQ(drained(ring), Numbers{});
}

}  // namespace
}  // namespace lanescope::capture
