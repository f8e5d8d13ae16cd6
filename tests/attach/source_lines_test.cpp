#include "attach/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace lanescope::attach {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SourceLinesOf : public testing::Test {
 protected:
  SourceLinesOf() {
    std::ofstream(folder_ / "a.py") << "def train():\n"
                                       "  for x in data:  # of this epoch\n"
                                       "    print(\"#\", '\\'#', loss.item())  # waits\n"
                                       "    # nothing\n"
                                       "    while True:\n"
                                       "\n"
                                       "      step()\n";
  }
  ~SourceLinesOf() override { std::filesystem::remove_all(folder_); }

  static std::filesystem::path new_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lanescope-lines-XXXXXX").string();
    return mkdtemp(pattern.data());
  }

  const std::filesystem::path folder_ = new_folder();
  SourceLines lines_{folder_};
};

TEST_F(SourceLinesOf, AreWithoutWhatIsNotCode) {
  EXPECT_EQ(lines_.line("a.py", 1), "def train():");
  EXPECT_EQ(lines_.line("a.py", 2), "for x in data:");
  EXPECT_EQ(lines_.line("a.py", 3), "print(\"#\", '\\'#', loss.item())");
  EXPECT_EQ(lines_.line("a.py", 4), "");
  EXPECT_EQ(lines_.line("a.py", 3, 12), "print(\"#\"...");
  EXPECT_EQ(lines_.line("a.py", 8), "");
  EXPECT_EQ(lines_.line("b.py", 1), "");
}

// Of the kernel's files, reading one may never end.
TEST_F(SourceLinesOf, AreNotThoseOfProc) { EXPECT_EQ(lines_.line("/proc/self/status", 1), ""); }

TEST_F(SourceLinesOf, AreOneLineOfUtf8WhateverIsInTheFile) {
  std::ofstream(folder_ / "c.py") << "\tfor x in y:\n\t\ta\t= \x1b[1m\xff\n";
  EXPECT_EQ(lines_.line("c.py", 2), "a = \x20[1m\xEF\xBF\xBD");
  EXPECT_THAT(lines_.loops_around("c.py", 2), ElementsAre(1));
}

TEST_F(SourceLinesOf, HaveLoopsAroundThem) {
  EXPECT_THAT(lines_.loops_around("a.py", 7), ElementsAre(2, 5));
  EXPECT_THAT(lines_.loops_around("a.py", 3), ElementsAre(2));
  EXPECT_THAT(lines_.loops_around("a.py", 1), IsEmpty());
}

TEST_F(SourceLinesOf, HaveComprehensionsAroundThem) {
  std::ofstream(folder_ / "d.py") << "all = [step(x).item() for x in data]\n"
                                     "some = [\n"
                                     "  step(x)\n"
                                     "  for x in data\n"
                                     "]\n"
                                     "step(1)\n"
                                     "for x in data:\n"
                                     "  step(x)\n";
  EXPECT_THAT(lines_.loops_around("d.py", 1), ElementsAre(1));
  EXPECT_THAT(lines_.loops_around("d.py", 3), ElementsAre(3));
  EXPECT_THAT(lines_.loops_around("d.py", 6), IsEmpty());
  EXPECT_THAT(lines_.loops_around("d.py", 8), ElementsAre(7));
}

}  // namespace
}  // namespace lanescope::attach
