#include "trace/event.h"

#include <gtest/gtest.h>

namespace lanescope::trace {
namespace {

Event call(Nanoseconds start, Nanoseconds end) {
  Event e;
  e.kind = EventKind::Call;
  e.start_ns = start;
  e.end_ns = end;
  return e;
}

TEST(Event, PartsOfABlockingCallAddUpToItsDuration) {
  Event e = call(100, 400);  // 300 ns: 3 own, 251 waiting, 4 copying, 42 returning
  set_parts(e, {3, 251, 4, 42});
  const CallParts parts = parts_of(e);
  EXPECT_EQ(parts.own, 3);
  EXPECT_EQ(parts.waiting, 251);
  EXPECT_EQ(parts.copying, 4);
  EXPECT_EQ(parts.returning, 42);
  EXPECT_TRUE(is_blocking(e));
}

TEST(Event, ACallThatDoesNotBlockIsAllOwnCost) {
  const CallParts parts = parts_of(call(100, 400));
  EXPECT_EQ(parts.own, 300);
  EXPECT_EQ(parts.waiting + parts.copying + parts.returning, 0);
}

TEST(Event, PartsBeyondFourSecondsSaturateAndTheRestIsWaiting) {
  Event e = call(0, 10'000'000'000);
  set_parts(e, {0, 4'000'000'000, 6'000'000'000, 0});  // 2^32 - 1 = 4,294,967,295 is all that copying can say
  EXPECT_EQ(parts_of(e).copying, 4'294'967'295);
  EXPECT_EQ(parts_of(e).waiting, 5'705'032'705);
}

TEST(Event, CopiesCarryMoreThanFourGigabytes) {
  Event e;
  set_bytes(e, 6'442'450'944);
  EXPECT_EQ(bytes_of(e), 6'442'450'944u);
}

TEST(Event, CopyTraitsComeBackInEveryCombination) {
  for (int direction = 0; direction < 4; ++direction) {
    for (int from = 0; from < 4; ++from) {
      for (int to = 0; to < 4; ++to) {
        for (const bool asynchronous : {false, true}) {
          const CopyTraits traits{static_cast<CopyDirection>(direction), static_cast<MemoryKind>(from),
                                  static_cast<MemoryKind>(to), asynchronous};
          Event e;
          set_copy_traits(e, traits);
          EXPECT_EQ(copy_traits_of(e), traits);
        }
      }
    }
  }
}

TEST(Event, CountersKeepTheirValueToTheBit) {
  Event e;
  for (const double value : {0.0616, -0.0, 1e300, 5e-324}) {
    set_value(e, value);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value_of(e)), std::bit_cast<std::uint64_t>(value));
  }
}

}  // namespace
}  // namespace lanescope::trace
