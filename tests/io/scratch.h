// Shared by the tests of this module: a temporary folder, and files as strings.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include "base/error.h"
#include "refusal.h"

namespace lanescope::io {

/// An empty folder, removed with the test.
class Scratch : public testing::Test {
 protected:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lanescope-io-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~Scratch() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(std::string_view name) const { return folder_ / name; }
  std::filesystem::path write(std::string_view name, std::string_view bytes) const {
    std::filesystem::remove(file(name));  // some file systems flush an overwritten file, which is slow
    std::ofstream(file(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file(name);
  }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::filesystem::path fixture(std::string_view name) {
  return std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests" / "data" / name;
}

/// The message of the base::FileError that `action` throws, which must be one line; "" if it throws none.
inline std::string error_of(const std::function<void()>& action) {
  const std::string said = refusal<base::FileError>(action);
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  return said;
}

}  // namespace lanescope::io
