#include "io/atomic_file.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/trace_file.h"
#include "scratch.h"

namespace lanescope::io {
namespace {

using AtomicFileTest = Scratch;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(AtomicFileTest, AppearsOnlyWithCommit) {
  {
    AtomicFile out(file("a.txt"));
    out.write("hello");
    EXPECT_FALSE(std::filesystem::exists(file("a.txt")));
    out.commit();
  }
  EXPECT_EQ(read_bytes(file("a.txt")), "hello");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  write("old.txt", "old");
  {
    AtomicFile out(file("old.txt"));
    out.write("new");
  }
  EXPECT_EQ(read_bytes(file("old.txt")), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(AtomicFileTest, ReplacesAFileAndKeepsItsPermissions) {
  write("old.txt", "old");
  chmod(file("old.txt").c_str(), 0640);
  write_text_file(file("old.txt"), "new");
  EXPECT_EQ(read_bytes(file("old.txt")), "new");
  struct stat status {};
  ASSERT_EQ(stat(file("old.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(AtomicFileTest, FollowsSymbolicLinks) {
  std::filesystem::create_directory(file("real"));
  std::filesystem::create_symlink("real/target.txt", file("link.txt"));
  write_text_file(file("link.txt"), "through");
  EXPECT_TRUE(std::filesystem::is_symlink(file("link.txt")));
  EXPECT_EQ(read_bytes(file("real") / "target.txt"), "through");
}

// Only root can give a link another owner.
TEST_F(AtomicFileTest, DoesNotFollowALinkThatSomebodyElseHasLaid) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const std::filesystem::path shared = file("shared");
  std::filesystem::create_directory(shared);
  ASSERT_EQ(chmod(shared.c_str(), 01777), 0);
  write("mine.txt", "mine");
  std::filesystem::create_symlink(file("mine.txt"), shared / "out.txt");
  ASSERT_EQ(lchown((shared / "out.txt").c_str(), 65534, 65534), 0);
  EXPECT_THAT(error_of([&] { write_text_file(shared / "out.txt", "lost"); }), HasSubstr("out.txt: cannot write: "));
  EXPECT_EQ(read_bytes(file("mine.txt")), "mine");
}

TEST_F(AtomicFileTest, TakesTheLongestNameAFileCanHave) {
  const std::string name(255, 'x');
  write_text_file(file(name), "long");
  EXPECT_EQ(read_bytes(file(name)), "long");
}

TEST_F(AtomicFileTest, SaysPathAndWhy) {
  EXPECT_THAT(error_of([&] { AtomicFile out(file("missing") / "a.txt"); }),
              testing::AllOf(StartsWith(file("missing/a.txt").string()), HasSubstr("No such file or directory")));
  EXPECT_THAT(error_of([&] { AtomicFile out(folder_); }), HasSubstr("Is a directory"));
  EXPECT_THAT(error_of([&] { AtomicFile out(""); }), HasSubstr("No such file or directory"));
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(AtomicFileTest, WritesToADeviceDirectlyAndLeavesItThere) {
  write_text_file("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, ReportsAFullDisk) {
  EXPECT_THAT(error_of([&] { write_text_file("/dev/full", "no room"); }),
              testing::AllOf(StartsWith("/dev/full: "), HasSubstr("No space left on device")));
  EXPECT_THAT(error_of([&] { write_text_file("/dev/full", std::string(10'000'000, 'x')); }),
              HasSubstr("No space left on device"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

// To root, nothing is read-only; so another user tries it, in a process of its own.
TEST_F(AtomicFileTest, AReadOnlyFileOrFolderIsSaidAndLeft) {
  chmod(folder_.c_str(), 0777);
  write("old.txt", "old");
  chmod(file("old.txt").c_str(), 0444);
  std::filesystem::create_directory(file("closed"));
  chmod(file("closed").c_str(), 0555);
  const auto refused = [&](const std::filesystem::path& path) {
    const std::string why = error_of([&] { write_text_file(path, "new"); });
    return why.find(path.string() + ": cannot write: ") == 0 && why.find("Permission denied") != std::string::npos;
  };
  const pid_t child = ::fork();
  if (child == 0) {
    if (geteuid() == 0 && ::setuid(65534) != 0) ::_exit(3);
    ::_exit((refused(file("old.txt")) ? 0 : 1) + (refused(file("closed") / "new.txt") ? 0 : 2));
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_bytes(file("old.txt")), "old");
  EXPECT_EQ(files_in_folder(), 2u);
}

/// While it lives, this process can open no file.
class NoFileDescriptors {
 public:
  NoFileDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoFileDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoFileDescriptors(const NoFileDescriptors&) = delete;
  NoFileDescriptors& operator=(const NoFileDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(AtomicFileTest, WithoutFileDescriptorsTheOldFileStays) {
  write("old.txt", "old");
  std::string writing, reading;
  {
    const NoFileDescriptors none;
    writing = error_of([&] { write_text_file(file("old.txt"), "new"); });
    reading = error_of([&] { read_trace(fixture("pytorch-alexnet.json.gz")); });
  }
  EXPECT_THAT(writing, testing::AllOf(HasSubstr("old.txt: cannot write: "), HasSubstr("Too many open files")));
  EXPECT_THAT(reading, testing::AllOf(HasSubstr("pytorch-alexnet.json.gz: "), HasSubstr("Too many open files")));
  EXPECT_EQ(read_bytes(file("old.txt")), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

}  // namespace
}  // namespace lanescope::io
