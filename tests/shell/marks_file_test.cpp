#include "shell/marks_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "base/platform/files.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;

class MarksFile : public testing::Test {
 protected:
  ~MarksFile() override { fs::remove_all(folder_); }

  const fs::path folder_ = base::make_temporary_folder("lanescope-marks");
  const fs::path trace_ = folder_ / "a.json";
};

TEST_F(MarksFile, IsBesideItsTrace) {
  EXPECT_FALSE(read_marks(trace_));
  Marks marks;
  marks.add_bookmark({0, 300, 10, "", "here"});
  write_marks(trace_, marks);
  const auto read = read_marks(trace_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->bookmarks.front().text, "here");
}

// It comes with a trace from elsewhere.
TEST_F(MarksFile, OneThatIsTooLargeIsRefused) {
  std::ofstream(marks_path(trace_)) << std::string(5'000'000, ' ');
  try {
    read_marks(trace_);
    FAIL() << "read";
  } catch (const base::FileError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("a.json.marks.json: is too large; allowed: at most 4000000 bytes"));
  }
}

TEST_F(MarksFile, WhatIsNoFileIsNone) {
  fs::create_directory(marks_path(trace_));
  EXPECT_FALSE(read_marks(trace_));
}

}  // namespace
}  // namespace lanescope::ui
