#include "base/plain_text.h"

#include <gtest/gtest.h>

namespace lanescope::base {
namespace {

// A Chinese letter is 2 wide, any other 1.
std::string wrapped(std::string_view text, float width) {
  return wrap(text, width, [](std::string_view letter) { return letter.size() == 3 ? 2.0f : 1.0f; });
}

TEST(Wrap, WordsAreKeptWhole) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 6), "one\ntwo\nthree");
  EXPECT_EQ(wrapped("one two", 7), "one two");
  EXPECT_EQ(wrapped("", 7), "");
  EXPECT_EQ(wrapped("a\nb c", 3), "a\nb c");
  EXPECT_EQ(wrapped("one  two", 5), "one\ntwo");
}

TEST(Wrap, AWordWiderThanALineIsBrokenWhereItMust) {
  EXPECT_EQ(wrapped("cudaMemcpyAsync", 6), "cudaMe\nmcpyAs\nync");
  EXPECT_EQ(wrapped("a cudaMemcpy b", 6), "a\ncudaMe\nmcpy b");
  EXPECT_EQ(wrapped("ab", 0.5f), "a\nb");  // a line has a letter at least
}

TEST(Wrap, AWordWiderThanALineCanBeKept) {
  const auto kept = [](std::string_view text, float width) {
    return wrap(
        text, width, [](std::string_view) { return 1.0f; }, LongWords::Keep);
  };
  EXPECT_EQ(kept("a cudaMemcpy b", 6), "a\ncudaMemcpy\nb");
  EXPECT_EQ(kept("cudaMemcpyAsync", 6), "cudaMemcpyAsync");
}

TEST(Wrap, ChineseBreaksBetweenAnyTwoLetters) {
  EXPECT_EQ(wrapped("每次迭代都读取损失", 8), "每次迭代\n都读取损\n失");
  EXPECT_EQ(wrapped("在GPU上运行", 6), "在GPU\n上运行");  // 2 + 3, and 上 would be the 7th
}

TEST(Wrap, PunctuationStaysWithWhatItBelongsTo) {
  EXPECT_EQ(wrapped("每次读取。然后", 8), "每次读\n取。然后");  // 。 does not begin a line
  EXPECT_EQ(wrapped("每次读（见下）", 8), "每次读\n（见下）");  // （ does not end one
  EXPECT_EQ(wrapped("只读“损失”了", 8), "只读“损\n失”了");  // “ and ” are no Chinese letters, yet 3 bytes: 2 wide
  EXPECT_EQ(wrapped("占用 33\u00a0% 时间", 7), "占用\n33\u00a0% 时\n间");
}

TEST(Wrap, BrokenBytesDoNoHarm) {
  EXPECT_EQ(wrapped("\xe6\xaf", 8), "\xe6\xaf");
  EXPECT_EQ(wrapped("\xff\xfe ab", 3), "\xff\xfe\nab");
}

}  // namespace
}  // namespace lanescope::base
