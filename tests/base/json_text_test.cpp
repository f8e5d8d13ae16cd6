#include "base/json_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/time.h"

namespace lanescope::base {
namespace {

std::string quoted(std::string_view text, bool valid = true) {
  std::string out;
  EXPECT_EQ(append_json_string(out, text), valid) << out;
  return out;
}

TEST(JsonText, EscapesOnlyWhatJsonAsksFor) {
  EXPECT_EQ(quoted("cudaLaunchKernel"), "\"cudaLaunchKernel\"");
  EXPECT_EQ(quoted("a\"b\\c\n\t\r"), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x7f", 3)), R"("\u0000\u001f\u007f")");
  EXPECT_EQ(quoted("268 µs → 日本 🙂"), "\"268 µs → 日本 🙂\"");
}

TEST(JsonText, BrokenBytesBecomeTheReplacementCharacter) {
  EXPECT_EQ(quoted("a\xff"
                   "b",
                   false),
            R"("a\ufffdb")");
  EXPECT_EQ(quoted("\xc0\xaf", false), R"("\ufffd\ufffd")");                      // overlong "/"
  EXPECT_EQ(quoted("\xed\xa0\x80", false), R"("\ufffd\ufffd\ufffd")");            // a surrogate
  EXPECT_EQ(quoted("\xf4\x90\x80\x80", false), R"("\ufffd\ufffd\ufffd\ufffd")");  // beyond U+10FFFF
  EXPECT_EQ(quoted("\xe2\x82", false), R"("\ufffd\ufffd")");                      // the euro sign, cut off
}

TEST(JsonText, DoublesReadBackTheSame) {
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, -2.5, 123456789012345680.0}) {
    std::string out;
    append_number(out, value);
    EXPECT_EQ(std::strtod(out.c_str(), nullptr), value) << out;
  }
}

std::string microseconds(Nanoseconds ns) {
  std::string out;
  append_microseconds(out, ns);
  return out;
}

TEST(Microseconds, AreWrittenWithThreeDecimals) {
  EXPECT_EQ(microseconds(0), "0.000");
  EXPECT_EQ(microseconds(7), "0.007");
  EXPECT_EQ(microseconds(1'234'567), "1234.567");
  EXPECT_EQ(microseconds(-1'500), "-1.500");
  EXPECT_EQ(microseconds(-1), "-0.001");
  EXPECT_EQ(microseconds(1'712'195'495'519'689'047), "1712195495519689.047");
  EXPECT_EQ(microseconds(std::numeric_limits<Nanoseconds>::min()), "-9223372036854775.808");
}

TEST(Microseconds, AreReadWithoutLosingDigits) {
  EXPECT_EQ(parse_microseconds("1712195495519689.047"), 1'712'195'495'519'689'047);  // a double has 16 digits
  EXPECT_EQ(parse_microseconds("0"), 0);
  EXPECT_EQ(parse_microseconds("-0.0"), 0);
  EXPECT_EQ(parse_microseconds("12"), 12'000);
  EXPECT_EQ(parse_microseconds("+2.5"), 2'500);
  EXPECT_EQ(parse_microseconds("1.5e3"), 1'500'000);
  EXPECT_EQ(parse_microseconds("1.712195495519689047E15"), 1'712'195'495'519'689'047);
  EXPECT_EQ(parse_microseconds("25e-4"), 3);  // 2.5 ns
  EXPECT_EQ(parse_microseconds("000000000000000000000000000000000000000000000000000001"), 1'000);
}

TEST(Microseconds, AreRoundedToTheNearestNanosecond) {
  EXPECT_EQ(parse_microseconds("0.0004"), 0);
  EXPECT_EQ(parse_microseconds("0.0005"), 1);
  EXPECT_EQ(parse_microseconds("-0.0005"), -1);
  EXPECT_EQ(parse_microseconds("1.2344999999999999999999999999999999999999999999999"), 1'234);
  EXPECT_EQ(parse_microseconds("0.9996"), 1'000);
  EXPECT_EQ(parse_microseconds("1e-400"), 0);
}

TEST(Microseconds, RefuseWhatIsNoTime) {
  for (const char* text :
       {"", "-", ".", "nan", "inf", "NaN", "1e", "1e+", "1.5x", "0x10", " 1", "1 ", "1,5", "--1", "1e400", "9e18",
        "4611686018427387.904", "99999999999999999999999999999999999999999999999999999999"}) {
    EXPECT_EQ(parse_microseconds(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_microseconds("4611686018427387.903"), kMaxTime);
  EXPECT_EQ(parse_microseconds("-4611686018427387.903"), -kMaxTime);
}

TEST(Microseconds, WrittenThenReadAreTheSame) {
  std::uint64_t state = 1;
  for (int i = 0; i < 10'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto ns = static_cast<Nanoseconds>(state) >> (2 + i % 61);
    ASSERT_EQ(parse_microseconds(microseconds(ns)), ns);
  }
}

}  // namespace
}  // namespace lanescope::base
