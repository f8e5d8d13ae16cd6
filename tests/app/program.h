// Runs the built program as a user would, and keeps its output.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lanescope::app::test {

struct Outcome {
  int status = -1;  ///< exit status, or 128 + the signal that ended it
  std::string out, err;
};

struct Surroundings {
  std::map<std::string, std::string> environment;  ///< in addition to the test's own; DISPLAY is unset unless given
  std::filesystem::path folder;                    ///< the current one; empty: as it is
  std::string out_path;                            ///< standard output goes there instead
  bool out_terminal = false, err_terminal = false;
  /// Called repeatedly while the program runs, with its output so far; for sending it a signal.
  std::function<void(pid_t, const Outcome&)> watch;
};

/// Fails the test if the program does not end within a minute.
Outcome run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

/// True if the process has a handler for the signal, so that it is safe to send one.
bool handles_signal(pid_t process, int signal);

std::string text_of(const std::filesystem::path& path);

/// An empty folder for each test, in which the program runs.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  Outcome run(const std::vector<std::string>& arguments, Surroundings surroundings = {}) const;
  /// Expects exactly one line on standard error that begins with the program's name, and nothing on standard output.
  void expect_complaint(const Outcome& outcome, int status, const std::vector<std::string>& parts) const;
  std::vector<std::string> files() const;  ///< in the folder, sorted

  std::filesystem::path folder_;
};

}  // namespace lanescope::app::test
