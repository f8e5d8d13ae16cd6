// Reports of crashes: what they say, that the program still ends by its signal, and which are kept.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/crash_reports.h"

namespace lanescope::base {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CrashTest : public testing::Test {
 protected:
  CrashTest() {
    std::string pattern = (fs::temp_directory_path() / "lanescope-crash-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~CrashTest() override { fs::remove_all(folder_); }

  fs::path reports() const { return folder_ / "not" / "yet" / "there"; }
  std::vector<fs::path> all() const {
    if (!fs::exists(reports())) return {};
    return {fs::directory_iterator(reports()), fs::directory_iterator()};
  }
  fs::path add(const std::string& name) const {
    fs::create_directories(reports());
    std::ofstream(reports() / name) << "x";
    return reports() / name;
  }

  /// Ends a process of its own by calling `end` in it; the report, and the signal that ended it. Empty: no handler
  /// here.
  std::string report_of(const std::function<void()>& end, int& signal) {
    int ready[2];
    if (pipe(ready) != 0) return "";
    const pid_t child = fork();
    if (child == 0) {
      close(STDERR_FILENO);  // "terminate called"
      const char can = install_crash_handler(reports().string()) ? 'y' : 'n';
      if (write(ready[1], &can, 1) != 1 || can == 'n') _exit(0);
      end();
      _exit(0);
    }
    char can = 'n';
    const bool told = read(ready[0], &can, 1) == 1;
    close(ready[0]);
    close(ready[1]);
    int status = 0;
    waitpid(child, &status, 0);
    signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (!told || can == 'n') return "";
    const std::vector<fs::path> written = all();
    if (written.size() != 1) return "there are " + std::to_string(written.size()) + " reports";
    std::ifstream file(written.front());
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

// Far down, and never a loop.
int deeper(int depth) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth > 1'000'000 ? room[0] : deeper(depth + 1) + room[0];
}

TEST_F(CrashTest, AReportSaysWhatHappenedAndTheSignalEndsTheProgram) {
  int signal = 0;
  const std::string report = report_of(
      [] {
        note_crash_fact(CrashFact::Graphics, "a driver;\nversion 7");
        std::raise(SIGSEGV);
      },
      signal);
  if (report.empty()) GTEST_SKIP() << "a sanitizer reports crashes itself";
  EXPECT_EQ(signal, SIGSEGV);
  EXPECT_THAT(report, HasSubstr("SIGSEGV"));
  EXPECT_THAT(report, HasSubstr("graphics  a driver; version 7\n"));
  EXPECT_THAT(report, testing::ContainsRegex("build id  [0-9a-f]{40}\n"));
  EXPECT_THAT(report, HasSubstr("base_tests+0x"));  // a place in this program
  EXPECT_THAT(report, HasSubstr("nothing was sent"));
  const std::string name = all().front().filename().string();
  EXPECT_THAT(name, testing::MatchesRegex("crash-20[0-9]{6}-[0-9]{6}-[0-9]+\\.new\\.txt"));
}

TEST_F(CrashTest, AStackThatIsUsedUpDoesNotKeepAReportFromBeingWritten) {
  int signal = 0;
  const std::string report = report_of([] { deeper(0); }, signal);
  if (report.empty()) GTEST_SKIP() << "a sanitizer reports crashes itself";
  EXPECT_EQ(signal, SIGSEGV);
  EXPECT_THAT(report, HasSubstr("SIGSEGV at 0x"));
  EXPECT_THAT(report, HasSubstr("\nstack\n"));
}

TEST_F(CrashTest, AnExceptionThatNobodyCatchesIsNamed) {
  int signal = 0;
  const std::string report =
      report_of([]() noexcept { static_cast<void>(std::string("row").at(7)); }, signal);  // which at() refuses
  if (report.empty()) GTEST_SKIP() << "a sanitizer reports crashes itself";
  EXPECT_EQ(signal, SIGABRT);
  EXPECT_THAT(report, HasSubstr("SIGABRT"));
  EXPECT_THAT(report, HasSubstr("error     basic_string::at"));
}

TEST_F(CrashTest, AReportIsOfferedOnce) {
  EXPECT_FALSE(take_new_crash_report(reports()));
  add("crash-20260101-000000-1.new.txt");
  const fs::path newest = add("crash-20260301-000000-1.new.txt");
  add("crash-20260401-000000-1.txt");  // offered before
  add("letter.new.txt");               // somebody else's
  EXPECT_EQ(take_new_crash_report(reports()), reports() / "crash-20260301-000000-1.txt");
  EXPECT_FALSE(fs::exists(newest));
  EXPECT_FALSE(take_new_crash_report(reports()));
  EXPECT_TRUE(fs::exists(reports() / "letter.new.txt"));
}

TEST_F(CrashTest, OnlyTheNewestAreKept) {
  for (int day = 1; day <= 15; ++day) {
    add("crash-202601" + std::string(day < 10 ? "0" : "") + std::to_string(day) + "-000000-1.txt");
  }
  take_new_crash_report(reports());
  EXPECT_EQ(all().size(), kCrashReports);
  EXPECT_TRUE(fs::exists(reports() / "crash-20260115-000000-1.txt"));
  EXPECT_FALSE(fs::exists(reports() / "crash-20260105-000000-1.txt"));
}

TEST(CrashNotes, AFactIsOneLineAndNotTooLong) {
  note_crash_fact(CrashFact::Command, "lanescope\t--open\na");
  EXPECT_EQ(crash_fact(CrashFact::Command), "lanescope --open a");
  note_crash_fact(CrashFact::Command, std::string(5000, 'x'));
  EXPECT_EQ(crash_fact(CrashFact::Command).size(), 1023u);
  note_crash_fact(CrashFact::Command, "");
  EXPECT_EQ(crash_fact(CrashFact::Command), "");
}

}  // namespace
}  // namespace lanescope::base
