#include "experiment/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "refusal.h"

namespace lanescope::experiment {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string why_refused(std::string_view fragment) {
  return refusal<base::UsageError>([&] { parse_link(fragment); });
}

TEST(Link, SaysWhatTheCommandLineWouldSay) {
  const Link link = parse_link("experiment=P09&side=after&set=log_interval=10&lang=zh&set=pinned=true");
  EXPECT_EQ(link.experiment, "P09");
  EXPECT_EQ(link.lang, "zh");
  EXPECT_THAT(to_arguments(link), ElementsAre("--experiment=P09", "--side=after", "--lang=zh", "--set=log_interval=10",
                                              "--set=pinned=true"));
  EXPECT_TRUE(to_arguments(parse_link("")).empty());
}

TEST(Link, IsReadAsItWasWritten) {
  Link link;
  link.lesson = "first steps";
  link.student = "李雷 & Han=Meimei%#";
  link.set = {"device=sim:a b.toml"};
  const std::string fragment = to_fragment(link);
  // 李 is E6 9D 8E, 雷 is E9 9B B7.
  EXPECT_EQ(fragment,
            "lesson=first%20steps&student=%E6%9D%8E%E9%9B%B7%20%26%20Han=Meimei%25%23&set=device=sim:a%20b.toml");
  const Link read = parse_link(fragment);
  EXPECT_EQ(read.lesson, link.lesson);
  EXPECT_EQ(read.student, link.student);
  EXPECT_EQ(read.set, link.set);
}

TEST(Link, ABadOneIsRefusedInOneLine) {
  EXPECT_THAT(why_refused("experimnt=P09"), HasSubstr("'experimnt'; allowed: set, experiment, side"));
  EXPECT_THAT(why_refused("lang=en&lang=zh"), HasSubstr("lang twice"));
  EXPECT_THAT(why_refused("lesson=a%2"), HasSubstr("two digits"));
  EXPECT_THAT(why_refused("lesson=a%zz"), HasSubstr("two digits"));
  EXPECT_THAT(why_refused("lesson=%ff"), HasSubstr("UTF-8"));
}

}  // namespace
}  // namespace lanescope::experiment
