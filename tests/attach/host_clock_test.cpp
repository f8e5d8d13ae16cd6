#include "attach/host_clock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>

namespace lanescope::attach {
namespace {

base::Nanoseconds ns_of(auto time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

TEST(HostClock, APairIsOfOneMoment) {
  const base::Nanoseconds steady = ns_of(std::chrono::steady_clock::now());
  const base::Nanoseconds real = ns_of(std::chrono::system_clock::now());
  const trace::ClockReading reading = read_host_clock();
  const base::Nanoseconds steady_then = ns_of(std::chrono::steady_clock::now());
  EXPECT_GE(reading.monotonic_ns, steady);
  EXPECT_LE(reading.monotonic_ns, steady_then);
  EXPECT_GE(reading.width_ns, 0);
  // Between the first two readings of this test the thread may have had to wait, but not for a second.
  EXPECT_NEAR(static_cast<double>(reading.real_ns - real), static_cast<double>(reading.monotonic_ns - steady), 1e9);
}

// Two pairs give the same distance of the clocks: each is wrong by half of its width at most, and in between the
// time of day is corrected by half a thousandth at most.
TEST(HostClock, TwoPairsAgree) {
  const trace::ClockReading a = read_host_clock(), b = read_host_clock();
  const double moved = static_cast<double>((b.real_ns - b.monotonic_ns) - (a.real_ns - a.monotonic_ns));
  const double between = static_cast<double>(b.monotonic_ns - a.monotonic_ns);
  EXPECT_LE(std::abs(moved), static_cast<double>(a.width_ns + b.width_ns) / 2 + 2 + between / 2000);
}

TEST(HostClock, TheMachineIsNamed) {
  const trace::ClockFacts facts = host_clock(7);
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof(host) - 1), 0);
  EXPECT_EQ(facts.host, host);
  EXPECT_EQ(facts.boot_id.size(), 36u) << facts.boot_id;
  EXPECT_EQ(facts.origin_ns, 7);
  EXPECT_TRUE(facts.readings.empty());
  EXPECT_TRUE(facts.same_clock(host_clock(8)));
}

}  // namespace
}  // namespace lanescope::attach
