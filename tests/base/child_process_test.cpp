#include "base/platform/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::base {
namespace {

std::string contents(std::FILE* file) {
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  return text;
}

TEST(ChildProcess, ATemporaryFileHoldsItsBytesFromTheBeginning) {
  const TemporaryFile file = temporary_file("two\nlines");
  ASSERT_TRUE(file);
  EXPECT_EQ(contents(file.get()), "two\nlines");
}

// The view of nothing has no address, which fwrite() may not be given: the sanitizer build tells.
TEST(ChildProcess, ATemporaryFileMayBeEmpty) {
  const TemporaryFile file = temporary_file(std::string_view());
  ASSERT_TRUE(file);
  EXPECT_EQ(contents(file.get()), "");
}

TEST(ChildProcess, ReadsAndWritesTheFilesItIsGiven) {
  const TemporaryFile in = temporary_file("through cat");
  const TemporaryFile out = temporary_file({});
  ASSERT_TRUE(in && out);
  pid_t child = 0;
  ASSERT_EQ(start_child({"cat"}, {fileno(in.get()), fileno(out.get())}, child), 0);
  const int status = wait_for_child(child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::rewind(out.get());
  EXPECT_EQ(contents(out.get()), "through cat");
}

TEST(ChildProcess, WithoutAnInputItReadsNothing) {
  const TemporaryFile out = temporary_file({});
  ASSERT_TRUE(out);
  pid_t child = 0;
  ASSERT_EQ(start_child({"cat"}, {-1, fileno(out.get())}, child), 0);
  EXPECT_EQ(wait_for_child(child), 0);
  EXPECT_EQ(contents(out.get()), "");
}

TEST(ChildProcess, AProgramThatIsNotThereIsAnErrno) {
  pid_t child = 0;
  EXPECT_EQ(start_child({"lanescope-no-such-program"}, {}, child), ENOENT);
}

}  // namespace
}  // namespace lanescope::base
