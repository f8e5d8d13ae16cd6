#include "attach/vocabulary.h"

#include <gtest/gtest.h>

namespace lanescope::attach {
namespace {

TEST(ThreadNumbers, OneThatIsUnknownHasItsOwn) {
  ThreadNumbers numbers;
  EXPECT_EQ(numbers.shown(7), 7u);
  EXPECT_EQ(numbers.ends(7), std::nullopt);
}

TEST(ThreadNumbers, TheNextOfTheSameNameGoesOn) {
  ThreadNumbers numbers;
  EXPECT_EQ(numbers.begins(7, "pin"), 7u);
  EXPECT_EQ(numbers.begins(8, "pin"), 8u) << "both are alive";
  EXPECT_EQ(numbers.ends(7), 7u);
  EXPECT_EQ(numbers.begins(9, "worker"), 9u) << "another name";
  EXPECT_EQ(numbers.begins(10, "pin"), 7u);
  EXPECT_EQ(numbers.shown(10), 7u);
  EXPECT_EQ(numbers.ends(10), 7u);
  EXPECT_EQ(numbers.shown(10), 10u);
  EXPECT_EQ(numbers.begins(11, "pin"), 7u);
}

// 10 goes on as 7, and meanwhile the system gives 7 out again: the two are alive at the same time.
TEST(ThreadNumbers, NoTwoThatAreAliveHaveTheSame) {
  ThreadNumbers numbers;
  numbers.begins(7, "pin");
  numbers.ends(7);
  EXPECT_EQ(numbers.begins(10, "pin"), 7u);
  EXPECT_EQ(numbers.begins(7, "pin"), ThreadNumbers::kFirstMadeUp);
  EXPECT_EQ(numbers.shown(7), ThreadNumbers::kFirstMadeUp);
  EXPECT_EQ(numbers.shown(10), 7u);
}

TEST(ThreadNumbers, ANumberThatIsGivenOutAgainIsItsLanes) {
  ThreadNumbers numbers;
  numbers.begins(7, "pin");
  numbers.ends(7);
  EXPECT_EQ(numbers.begins(7, "worker"), 7u);
  EXPECT_EQ(numbers.begins(8, "pin"), 8u) << "they are taken";
}

TEST(ThreadNumbers, ANewNameIsNoNewThread) {
  ThreadNumbers numbers;
  numbers.begins(7, "python");
  EXPECT_EQ(numbers.begins(7, "pin"), 7u);
  numbers.ends(7);
  EXPECT_EQ(numbers.begins(8, "pin"), 7u);
}

}  // namespace
}  // namespace lanescope::attach
