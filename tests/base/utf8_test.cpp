#include "base/plain_text.h"

#include <gtest/gtest.h>

namespace lanescope::base {
namespace {

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t c = 1; c <= 0x10FFFF; c += c < 0x1000 ? 1 : 97) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, c);
    std::size_t i = 0;
    ASSERT_EQ(next_code_point(text, i), c);
    ASSERT_EQ(i, text.size());
  }
}

TEST(Utf8, AnInvalidByteIsOneStep) {
  for (const std::string_view text :
       {"\xff", "\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xe2"}) {
    for (std::size_t i = 0, steps = 1; i < text.size(); ++steps) {
      EXPECT_EQ(next_code_point(text, i), kInvalidCodePoint) << text;
      EXPECT_EQ(i, steps) << text;
    }
  }
  std::size_t i = 0;
  EXPECT_EQ(next_code_point("é\xff", i), U'é') << "what follows does not matter";
  EXPECT_EQ(i, 2u);
  EXPECT_EQ(valid_utf8("a\xe2\x82z"), "a\uFFFD\uFFFDz");
}

TEST(Utf8, WideCharacters) {
  for (const char32_t c : U"损，　（ｗ한𠀀") EXPECT_EQ(is_wide(c), c != 0) << static_cast<unsigned>(c);
  for (const char32_t c : U"aµ×“…→") EXPECT_FALSE(is_wide(c)) << static_cast<unsigned>(c);
  EXPECT_FALSE(is_wide(kInvalidCodePoint));
}

}  // namespace
}  // namespace lanescope::base
