// Waiting for a number to change: no change is missed, however the threads meet.
#include "base/awaited.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace lanescope::base {
namespace {

TEST(Awaited, AnotherValueIsReturnedAtOnce) {
  Awaited<int> number(3);
  EXPECT_EQ(number.wait_for_other_than(2), 3);
  number.set(5);
  EXPECT_EQ(number.wait_for_other_than(3), 5);
  number.add(-1);
  EXPECT_EQ(number.load(), 4);
}

// Each waits for the other's answer: one change that is missed, and the test never ends.
TEST(Awaited, NoChangeIsMissed) {
  constexpr std::uint64_t kRounds = 20'000;
  Awaited<std::uint64_t> question(0), answer(0);
  std::thread other([&] {
    for (std::uint64_t seen = 0; seen < kRounds;) {
      seen = question.wait_for_other_than(seen);
      answer.set(seen);
    }
  });
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    question.add(1);
    ASSERT_EQ(answer.wait_for_other_than(round - 1), round);
  }
  other.join();
}

// What was written before the change is read after it.
TEST(Awaited, WhatWasWrittenBeforeIsSeen) {
  Awaited<int> turn(0);
  int written = 0;
  std::thread other([&] {
    written = 42;
    turn.set(1);
  });
  turn.wait_for_other_than(0);
  EXPECT_EQ(written, 42);
  other.join();
}

}  // namespace
}  // namespace lanescope::base
