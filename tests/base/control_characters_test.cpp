#include "base/plain_text.h"

#include <gtest/gtest.h>

namespace lanescope::base {
namespace {

TEST(ControlCharacters, BecomeSpacesWhateverTheirEncoding) {
  EXPECT_EQ(without_controls("a\x1b[31m\n\tb\x7f"), "a [31m  b ");
  EXPECT_EQ(without_controls("\u009b31m"), " 31m") << "CSI in one character";
  EXPECT_EQ(without_controls("gemm\u202e\u2066x\u2069"), "gemm  x ") << "turns the direction";
  EXPECT_EQ(without_controls("a\u2028b"), "a b");
  EXPECT_EQ(without_controls("\x9b\xffz"), "\uFFFD\uFFFDz") << "no characters";
}

TEST(ControlCharacters, LettersStay) {
  for (const char* text : {"", "µs ×", "王芳", "\u200fשלום", "é", "🙂"}) EXPECT_EQ(without_controls(text), text);
}

}  // namespace
}  // namespace lanescope::base
