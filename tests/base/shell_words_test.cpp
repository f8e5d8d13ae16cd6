#include "base/plain_text.h"

#include <gtest/gtest.h>

#include "base/platform/child_process.h"

namespace lanescope::base {
namespace {

// What the shell makes of them is what they were.
TEST(ShellWords, AreTheSameWordsInAShell) {
  const std::vector<std::string> words{"printf", "%s|",  "",      "a b", "it's",   "$(touch x)",
                                       "`id`",   "a;b",  "--x=1", "~",   "\"q\"",  "\\",
                                       "*",      "a\nb", "#c",    "!!",  "a&&b>c", "$HOME\t'"};
  const ProgramRun run = run_program({"sh", "-c", shell_words(words)});
  ASSERT_TRUE(run.well());
  std::string expected;
  for (std::size_t i = 2; i < words.size(); ++i) expected += words[i] + "|";
  EXPECT_EQ(run.out, expected);
}

}  // namespace
}  // namespace lanescope::base
