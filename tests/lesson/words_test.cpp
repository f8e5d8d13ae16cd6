#include "lesson/lesson.h"

#include <gtest/gtest.h>

namespace lanescope::lesson {
namespace {

TEST(LessonWords, GivenNumbersStayAsWritten) {
  EXPECT_EQ(given_number(0.006), "0.006");
  EXPECT_EQ(given_number(80), "80");
  EXPECT_EQ(given_number(1234.5), "1234.5");
  EXPECT_EQ(given_number(10'000'000), "10,000,000");
  EXPECT_EQ(given_number(-2500), "-2,500");
}

TEST(LessonWords, AGoalIsItsFigureAndItsLimits) {
  Goal goal;
  goal.figure = "samples_per_s";
  goal.least = 10'000'000;
  EXPECT_EQ(goal_in_words(goal, base::Language::English), "samples per second ≥ 10,000,000 samples/s");
  goal.figure = "gpu_busy_percent";
  goal.least = 40;
  goal.most = 60;
  EXPECT_EQ(goal_in_words(goal, base::Language::English), "GPU busy ≥ 40 % ≤ 60 %");
  goal.text = {"half of the time", "一半的时间"};
  EXPECT_EQ(goal_in_words(goal, base::Language::Chinese), "一半的时间");
}

}  // namespace
}  // namespace lanescope::lesson
