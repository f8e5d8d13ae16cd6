#include "base/platform/child_process.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <string>

namespace lanescope::base {
namespace {

TEST(RunProgram, ReadsWhatItIsGivenAndReturnsWhatItWrites) {
  const std::string much(1 << 20, 'x');  // more than a pipe holds
  const ProgramRun run = run_program({"cat"}, {.in = much});
  EXPECT_TRUE(run.well());
  EXPECT_EQ(run.out, much);
}

TEST(RunProgram, TellsHowItEnded) {
  const ProgramRun failed = run_program({"sh", "-c", "echo half; exit 3"});
  EXPECT_FALSE(failed.well());
  EXPECT_EQ(failed.status, 3);
  EXPECT_EQ(failed.out, "half\n");
  const ProgramRun killed = run_program({"sh", "-c", "kill -9 $$"});
  EXPECT_TRUE(killed.killed);
  EXPECT_FALSE(killed.well());
  EXPECT_EQ(run_program({"lanescope-no-such-program"}).error, ENOENT);
}

TEST(RunProgram, IsKilledWhenItIsEnough) {
  const auto begin = std::chrono::steady_clock::now();
  int asked = 0;
  const ProgramRun run = run_program({"sleep", "1000"}, {.enough = [&] { return ++asked == 3; }});
  EXPECT_TRUE(run.killed);
  EXPECT_EQ(asked, 3);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace lanescope::base
