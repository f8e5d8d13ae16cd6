#include "base/platform/paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace lanescope::base {
namespace {

namespace fs = std::filesystem;

TEST(OwnFiles, ALibraryIsBesideTheProgramOrWhereItIsInstalled) {
  constexpr const char* kName = "liblanescope_own_files_test.so";
  const fs::path here = program_folder();
  ASSERT_TRUE(fs::is_directory(here));
  EXPECT_EQ(own_library(kName), here / kName) << "where it is looked for";

  const fs::path folder = here.parent_path() / "lib" / "lanescope";
  fs::create_directories(folder);
  std::ofstream(folder / kName) << "x";
  EXPECT_EQ(own_library(kName), folder / kName);
  std::ofstream(here / kName) << "x";
  EXPECT_EQ(own_library(kName), here / kName);

  fs::remove(here / kName);
  fs::remove(folder / kName);
  fs::remove(folder);
  fs::remove(folder.parent_path());
}

}  // namespace
}  // namespace lanescope::base
