#include "attach/program_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "attach/launcher.h"
#include "refusal.h"

namespace lanescope::attach {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::string refused(std::string_view text) {
  return refusal([&] { split_words(text); });
}

TEST(CommandWordsTest, AreSplitAsAShellDoes) {
  EXPECT_THAT(split_words(""), IsEmpty());
  EXPECT_THAT(split_words("  python   train.py\t--epochs 3 "), ElementsAre("python", "train.py", "--epochs", "3"));
  EXPECT_THAT(split_words("python 'my file.py' \"a b\" c'd e'f"), ElementsAre("python", "my file.py", "a b", "cd ef"));
  EXPECT_THAT(split_words(R"(a\ b "say \"hi\" \n" 'back\slash' '')"),
              ElementsAre("a b", "say \"hi\" \\n", "back\\slash", ""));
  EXPECT_THAT(split_words("sh -c 'a | b; $c'"), ElementsAre("sh", "-c", "a | b; $c"));
  EXPECT_THAT(split_words("python --lr=0.1 x=1"), ElementsAre("python", "--lr=0.1", "x=1"));
  EXPECT_THAT(split_words("a b#c"), ElementsAre("a", "b#c"));
}

TEST(CommandWordsTest, TheHomeFolder) {
  const std::string home = std::getenv("HOME");
  EXPECT_THAT(split_words("~/bin/x a~ '~/y'"), ElementsAre(home + "/bin/x", "a~", "~/y"));
}

TEST(CommandWordsTest, WhatOnlyAShellCanDoIsRefusedByName) {
  EXPECT_THAT(refused("python a.py | tee log"), HasSubstr("'|' is for a shell"));
  EXPECT_THAT(refused("python a.py > log"), HasSubstr("'>' is for a shell"));
  EXPECT_THAT(refused("python $FILE"), HasSubstr("'$' is for a shell"));
  EXPECT_THAT(refused("python \"$FILE\""), HasSubstr("'$' is for a shell"));
  EXPECT_THAT(refused("python *.py"), HasSubstr("'*' is for a shell"));
  EXPECT_THAT(refused("python a.py &"), HasSubstr("'&' is for a shell"));
  EXPECT_THAT(refused("CUDA_VISIBLE_DEVICES=1 python a.py"),
              HasSubstr("'CUDA_VISIBLE_DEVICES=1' comes before the command: put it into the environment"));
  EXPECT_EQ(refused("python 'a b"), "the quote ' at character 8 is not closed");
  EXPECT_EQ(refused("python \"a"), "the quote \" at character 8 is not closed");
  EXPECT_EQ(refused("python \\"), "a backslash at the end quotes nothing");
}

TEST(CommandWordsTest, JoinedWordsAreSplitIntoTheSame) {
  const std::vector<std::string> words{"python", "it's", "", "a b", "$x", "~/y", "--a=b", "#"};
  EXPECT_EQ(split_words(joined_words(words)), words);
  EXPECT_EQ(joined_words({"python", "train.py", "--epochs", "3"}), "python train.py --epochs 3");
}

TEST(CommandWordsTest, Variables) {
  EXPECT_THAT(parse_variables("A=1\n\n  B_2=x = y\r\nC="),
              ElementsAre(Pair("A", "1"), Pair("B_2", "x = y"), Pair("C", "")));
  EXPECT_EQ(refusal([] { parse_variables("A=1\nnonsense"); }), "environment, line 2: 'nonsense' is not NAME=VALUE");
  EXPECT_EQ(refusal([] { parse_variables("1A=2"); }), "environment, line 1: '1A=2' is not NAME=VALUE");
}

class CheckStartableTest : public testing::Test {
 protected:
  void SetUp() override { setenv("LANESCOPE_INJECT", "/proc/self/exe", 1); }
  void TearDown() override { unsetenv("LANESCOPE_INJECT"); }
  static std::string why(Command command) {
    return refusal([&] { check_startable(command); });
  }
};

TEST_F(CheckStartableTest, SaysWhatIsMissing) {
  EXPECT_EQ(why({{"sh", "-c", "true"}, {}, {}}), "");
  EXPECT_EQ(why({{"./self"}, "/proc", {}}), "cannot start ./self: Permission denied") << "it is a folder";
  EXPECT_EQ(why({{}, {}, {}}), "there is no command to start");
  EXPECT_EQ(why({{"no-such-program"}, {}, {}}), "cannot start no-such-program: No such file or directory");
  EXPECT_EQ(why({{"sh"}, "/no/such/folder", {}}), "cannot enter /no/such/folder: No such file or directory");
  EXPECT_THAT(why({{"sh"}, {}, {{"CUDA_INJECTION64_PATH", "/other.so"}}}),
              HasSubstr("CUDA_INJECTION64_PATH is already set to /other.so"));
  setenv("LANESCOPE_INJECT", "/no/library.so", 1);
  EXPECT_THAT(why({{"sh"}, {}, {}}), HasSubstr("LANESCOPE_INJECT names /no/library.so"));
}

}  // namespace
}  // namespace lanescope::attach
