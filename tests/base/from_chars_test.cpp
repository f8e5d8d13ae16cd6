#include "base/from_chars.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

namespace lanescope::base {
namespace {

// What this machine's standard library says, where it has the function.
#if defined(__cpp_lib_to_chars)
TEST(FromChars, IsTheStandardLibrarysFunction) {
  for (const char* text : {"0",
                           "-0",
                           "1",
                           "1.5",
                           "-2.25e3",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "0e-400",
                           "0.0e999",
                           ".5",
                           "5.",
                           "-.5",
                           ".",
                           "-",
                           "",
                           "e5",
                           "1e",
                           "1e+",
                           "1e-x",
                           "1.e5",
                           "+1",
                           " 1",
                           "0x10",
                           "inf",
                           "-INF",
                           "infinity",
                           "infinit",
                           "nan",
                           "-nan",
                           "NaN",
                           "in",
                           "1,5",
                           "12abc",
                           "4.9e-324",
                           "1e-323",
                           "2.2250738585072014e-308",
                           "0.1",
                           "123456789012345678901234567890",
                           "--1"}) {
    for (const auto format : {std::chars_format::general, std::chars_format::fixed}) {
      const std::string copy = text;
      const char *first = copy.data(), *last = first + copy.size();
      double wanted = 42, found = 42;
      const auto as_wanted = std::from_chars(first, last, wanted, format);
      const auto as_found = double_from_chars(first, last, found, format);
      EXPECT_EQ(as_found.ec, as_wanted.ec) << text;
      EXPECT_EQ(as_found.ptr - first, as_wanted.ptr - first) << text;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(wanted)) << text;
    }
  }
}
#endif

}  // namespace
}  // namespace lanescope::base
