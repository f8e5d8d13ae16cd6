#include "base/platform/paths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace lanescope::base {
namespace {

TEST(Paths, AVariableThatIsNotThereIsEmpty) {
  ::setenv("LANESCOPE_TEST_VARIABLE", "值", 1);
  EXPECT_EQ(environment("LANESCOPE_TEST_VARIABLE"), "值");
  ::unsetenv("LANESCOPE_TEST_VARIABLE");
  EXPECT_EQ(environment("LANESCOPE_TEST_VARIABLE"), "");
}

TEST(Paths, ProgramsAreFoundInAbsoluteFoldersOfPath) {
  const std::string before = environment("PATH");
  ::setenv("PATH", ".:relative:/nowhere:/bin", 1);
  EXPECT_EQ(find_program("sh"), "/bin/sh");
  EXPECT_EQ(find_program("lanescope-no-such-program"), "");
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_TRUE(is_program("/bin/sh"));
  EXPECT_FALSE(is_program("/bin"));
  EXPECT_FALSE(is_program("/etc/passwd"));
}

TEST(Paths, ThisProgramCanBeRun) { EXPECT_TRUE(is_program(this_program())); }

}  // namespace
}  // namespace lanescope::base
