// After a crash the next start offers its report, and takes a no for an answer.
#include <gtest/gtest.h>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

class CrashOfferTest : public DeskTest {};

TEST_F(CrashOfferTest, TheNoticeStaysUntilItIsAnswered) {
  EXPECT_FALSE(desk().has_place("notice"));
  desk().state().crash_report = "/somewhere/crash.txt";
  EXPECT_TRUE(desk().until([&] { return desk().has_place("notice"); }));
  EXPECT_TRUE(desk().has_place("notice.again"));
  desk().frames(30);
  EXPECT_TRUE(desk().has_place("notice"));
  desk().click("notice.later");
  EXPECT_TRUE(desk().state().crash_report.empty());
  EXPECT_TRUE(desk().until([&] { return !desk().has_place("notice"); }));
}

}  // namespace
}  // namespace lanescope::ui_test
