#include "base/platform/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace lanescope::base {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  ~Files() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  fs::path file(const char* name) const { return folder_ / name; }

  const fs::path folder_ = make_temporary_folder("lanescope 文件夹");
};

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST_F(Files, ATemporaryFolderIsNewAndOnlyThisUsers) {
  EXPECT_TRUE(fs::is_directory(folder_));
  const fs::path other = make_temporary_folder("lanescope 文件夹");
  EXPECT_NE(folder_, other);
  EXPECT_EQ(fs::status(other).permissions(), fs::perms::owner_all);
  fs::remove(other);
}

TEST_F(Files, ANewFileIsOneThatWasNotThere) {
  const File made(create_file(file("文 件")));
  ASSERT_TRUE(made);
  EXPECT_FALSE(create_file(file("文 件")));
  EXPECT_EQ(errno, EEXIST);
}

TEST_F(Files, FactsAreThoseOfTheFile) {
  std::ofstream(file("five")) << "12345";
  const auto facts = file_facts(file("five"));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->bytes, 5u);
  EXPECT_FALSE(file_facts(file("missing")));
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(Files, APlainFileIsReadWhileItGrows) {
  PlainFile out(file("log"), PlainFile::For::Writing);
  ASSERT_TRUE(out);
  EXPECT_TRUE(out.append("whole"));
  const PlainFile in(file("log"), PlainFile::For::Reading);
  ASSERT_TRUE(in);
  EXPECT_EQ(in.size(), 5u);
  EXPECT_TRUE(out.append("half"));
  EXPECT_EQ(in.size(), 9u);
  std::string part(3, ' ');
  EXPECT_EQ(in.read(part.data(), part.size(), 4), 3u);
  EXPECT_EQ(part, "eha");
  EXPECT_EQ(in.read(part.data(), part.size(), 9), 0u) << "its end";
  EXPECT_TRUE(out.shorten(5));
  EXPECT_TRUE(out.sync());
  EXPECT_EQ(content(file("log")), "whole");
  const PlainFile again(file("log"), PlainFile::For::Writing);
  EXPECT_EQ(again.size(), 0u) << "emptied";
}

TEST_F(Files, AFileThatIsNotThereCannotBeOpened) {
  const PlainFile missing(file("missing"), PlainFile::For::Reading);
  EXPECT_FALSE(missing);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(open_file(file("missing"), "rb"));
}

// Only root can give a link another owner.
TEST_F(Files, ALinkOfSomebodyElseInASharedFolderIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const fs::path link = file("link");
  fs::create_symlink("elsewhere", link);
  EXPECT_TRUE(may_follow(link));
  ASSERT_EQ(::chmod(folder_.c_str(), 01777), 0);
  EXPECT_TRUE(may_follow(link)) << "one's own";
  ASSERT_EQ(::lchown(link.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(may_follow(link));
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  EXPECT_TRUE(may_follow(link)) << "a folder where not everybody may write";
  ASSERT_EQ(::chmod(folder_.c_str(), 01777), 0);
  ASSERT_EQ(::chown(folder_.c_str(), 65534, 65534), 0);
  EXPECT_TRUE(may_follow(link)) << "of the folder's owner";
}

}  // namespace
}  // namespace lanescope::base
