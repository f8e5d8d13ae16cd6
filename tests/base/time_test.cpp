#include "base/time.h"

#include <gtest/gtest.h>

#include <limits>

namespace lanescope::base {
namespace {

TEST(FormatDuration, ChoosesTheUnitThatSuits) {
  EXPECT_EQ(format_duration(0), "0 ns");
  EXPECT_EQ(format_duration(1), "1 ns");
  EXPECT_EQ(format_duration(999), "999 ns");
  EXPECT_EQ(format_duration(1'000), "1 µs");
  EXPECT_EQ(format_duration(268'400), "268.4 µs");
  EXPECT_EQ(format_duration(999'900), "999.9 µs");
  EXPECT_EQ(format_duration(1'000'000), "1 ms");
  EXPECT_EQ(format_duration(1'200'000'000), "1.2 s");
}

TEST(FormatDuration, RoundsToFourSignificantDigits) {
  EXPECT_EQ(format_duration(1'234), "1.234 µs");
  EXPECT_EQ(format_duration(12'344), "12.34 µs");
  EXPECT_EQ(format_duration(12'345), "12.35 µs");  // half away from zero
  EXPECT_EQ(format_duration(123'449), "123.4 µs");
  EXPECT_EQ(format_duration(123'450), "123.5 µs");
  EXPECT_EQ(format_duration(1'002'000), "1.002 ms");
  EXPECT_EQ(format_duration(1'000'200), "1 ms");
  EXPECT_EQ(format_duration(12'345'600'000'000), "12350 s");
}

TEST(FormatDuration, RoundingUpMovesOnToTheNextUnit) {
  EXPECT_EQ(format_duration(999'949), "999.9 µs");
  EXPECT_EQ(format_duration(999'950), "1 ms");
  EXPECT_EQ(format_duration(999'999'999), "1 s");
}

TEST(FormatDuration, KeepsTheSign) {
  EXPECT_EQ(format_duration(-1), "-1 ns");
  EXPECT_EQ(format_duration(-268'400), "-268.4 µs");
  EXPECT_EQ(format_duration(-12'345), "-12.35 µs");
  EXPECT_EQ(format_duration(std::numeric_limits<Nanoseconds>::max()), "9223000000 s");
  EXPECT_EQ(format_duration(std::numeric_limits<Nanoseconds>::min()), "-9223000000 s");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1'000), "1,000");
  EXPECT_EQ(format_count(12'345), "12,345");
  EXPECT_EQ(format_count(1'204'331), "1,204,331");
  EXPECT_EQ(format_count(-1'204'331), "-1,204,331");
  EXPECT_EQ(format_count(-999), "-999");
  EXPECT_EQ(format_count(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(FormatBytes, UsesPowersOfAThousand) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512'000), "512 kB");
  EXPECT_EQ(format_bytes(65'536), "65.54 kB");
  EXPECT_EQ(format_bytes(1'600'000'000), "1.6 GB");
  EXPECT_EQ(format_bytes(-2'500'000), "-2.5 MB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::int64_t>::max()), "9223 PB");
}

TEST(FromUs, RoundsToTheNearestNanosecond) {
  static_assert(from_us(1.5) == 1'500);
  static_assert(from_us(-1.5) == -1'500);
  EXPECT_EQ(from_us(0.0006), 1);
  EXPECT_EQ(from_us(0.0004), 0);
  EXPECT_EQ(from_us(-0.0006), -1);
  EXPECT_DOUBLE_EQ(to_us(2'500), 2.5);
  EXPECT_DOUBLE_EQ(to_seconds(1'500'000'000), 1.5);
}

}  // namespace
}  // namespace lanescope::base
