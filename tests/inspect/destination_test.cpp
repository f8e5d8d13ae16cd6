#include "inspect/destination.h"

#include <gtest/gtest.h>

#include <limits>

namespace lanescope::ui {
namespace {

using Kind = TypedDestination::Kind;

TEST(Destination, Times) {
  struct Case {
    const char* text;
    base::Nanoseconds ns;
  };
  for (const Case& c :
       {Case{"12.5 ms", 12'500'000}, Case{"1.2s", 1'200'000'000}, Case{"340 us", 340'000}, Case{"340 µs", 340'000},
        Case{"340 μs", 340'000}, Case{" 7 NS ", 7}, Case{"2 min", 120'000'000'000}, Case{"48 h", 172'800'000'000'000},
        Case{"1,204 ms", 1'204'000'000}, Case{"12,5 ms", 12'500'000}, Case{"0 s", 0}, Case{".5 us", 500}}) {
    const TypedDestination d = parse_destination(c.text);
    EXPECT_EQ(d.kind, Kind::Time) << c.text;
    EXPECT_EQ(d.ns, c.ns) << c.text;
  }
}

TEST(Destination, FromHere) {
  EXPECT_EQ(parse_destination("+5 ms").kind, Kind::Relative);
  EXPECT_EQ(parse_destination("+5 ms").ns, 5'000'000);
  EXPECT_EQ(parse_destination("- 20us").ns, -20'000);
}

TEST(Destination, Iterations) {
  for (const char* text : {"412", "i412", "iteration 412", "Iteration412", "iter 412", "#412"}) {
    const TypedDestination d = parse_destination(text);
    EXPECT_EQ(d.kind, Kind::Iteration) << text;
    EXPECT_EQ(d.iteration, 412u) << text;
  }
  EXPECT_EQ(parse_destination("1,204").iteration, 1204u);
}

TEST(Destination, NothingAndNonsense) {
  EXPECT_EQ(parse_destination("  ").kind, Kind::Nothing);
  for (const char* text : {"ms", "12.5", "+5", "12 furlongs", "--5 ms", "5 ms 3", "1e5 s", "nan s", "99999999999999 h",
                           "99999999999", "i", "iteration x", "+", "0x10 ms", "inf s"}) {
    EXPECT_EQ(parse_destination(text).kind, Kind::Unreadable) << text;
  }
}

TEST(Destination, TimesAreWrittenWithAllTheirDigits) {
  EXPECT_EQ(time_in_full(0), "0 ns");
  EXPECT_EQ(time_in_full(7), "7 ns");
  EXPECT_EQ(time_in_full(12'345), "12.345 µs");
  EXPECT_EQ(time_in_full(12'345'678), "12.345678 ms");
  EXPECT_EQ(time_in_full(-5'000'000), "-5 ms");
  EXPECT_EQ(time_in_full(1'200'000'000), "1.2 s");
}

}  // namespace
}  // namespace lanescope::ui
