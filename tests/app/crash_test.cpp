// A crash of the real program leaves a report, in the user's own folder and nowhere else.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using testing::HasSubstr;

class Crash : public ProgramTest {
 protected:
  /// Sends a signal to a run that would go on for long.
  Outcome end_by(int signal, std::string reports) {
    Surroundings surroundings;
    surroundings.environment = {{"XDG_STATE_HOME", (folder_ / "state").string()},
                                {"LANESCOPE_CRASH_REPORTS", std::move(reports)}};
    bool sent = false;
    surroundings.watch = [&](pid_t process, const Outcome&) {
      // By then it has got as far as running: what Ctrl-C does is set up.
      if (sent || !handles_signal(process, SIGINT)) return;
      sent = kill(process, signal) == 0;
    };
    return run({"run", "--workload", "linear-mse", "--device", "sim", "--iterations", "1000000000"}, surroundings);
  }
  std::filesystem::path folder() const { return folder_ / "state" / "lanescope" / "crashes"; }
};

TEST_F(Crash, LeavesAReport) {
#ifdef LANESCOPE_SANITIZED
  GTEST_SKIP() << "a sanitizer reports crashes itself";
#endif
  const Outcome outcome = end_by(SIGSEGV, "");
  EXPECT_EQ(outcome.status, 128 + SIGSEGV);
  ASSERT_TRUE(std::filesystem::is_directory(folder()));
  const std::string report = text_of(*std::filesystem::directory_iterator(folder()));
  EXPECT_THAT(report, HasSubstr("Lanescope 0.1.0 ended unexpectedly"));
  EXPECT_THAT(report, HasSubstr("SIGSEGV, sent by process"));
  EXPECT_THAT(report, HasSubstr("run --workload linear-mse"));
  EXPECT_THAT(report, HasSubstr("\nstack\n  "));
  EXPECT_EQ(files(), std::vector<std::string>{"state"}) << "nothing where the program ran";
}

TEST_F(Crash, LeavesNoneIfThatIsSwitchedOff) {
  EXPECT_NE(end_by(SIGILL, "off").status, 0);
  EXPECT_EQ(files(), std::vector<std::string>{});
}

}  // namespace
}  // namespace lanescope::app::test
