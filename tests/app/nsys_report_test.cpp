// `lanescope report` of an export of Nsight Systems: its figures, its errors, and what never leaves it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/program.h"
#include "io/nsys_fixture.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kThread = io::thread_in_vm(111, 111), kProcess = io::process_in_vm(111);

class NsysReport : public ProgramTest {
 protected:
  /// Ten times, in µs: launch at 0..10, kernel at 20..100, wait at 30..110, and nothing until 200. The environment is
  /// secret.
  std::string export_with_secrets() const {
    io::NsysFile f(folder_ / "report.sqlite");
    f.calls();
    f.kernels();
    for (int i = 0; i < 10; ++i) {
      const std::int64_t t = i * 200 * kUs;
      f.call("cudaLaunchKernel_v7000", t, t + 10 * kUs, 2 * i + 1, kThread);
      f.kernel("scale", t + 20 * kUs, t + 100 * kUs, 2 * i + 1, kProcess);
      f.call("cudaStreamSynchronize_v3020", t + 30 * kUs, t + 110 * kUs, 2 * i + 2, kThread);
    }
    for (const char* table : {"META_DATA_CAPTURE", "META_DATA_EXPORT"}) {
      f.table(table, "name TEXT, value TEXT");
      f.row(table, "'PROCESS_0:ENVIRONMENT_VARIABLE', 'HF_TOKEN=sesame'");
    }
    f.table("TARGET_INFO_SYSTEM_ENV", "globalVid INT, devStateName TEXT, name TEXT, nameEnum INT, value TEXT");
    f.row("TARGET_INFO_SYSTEM_ENV", "1, 'Hostname', 'sesame', 1, 'sesame'");
    f.table("PROCESSES", "globalPid INT, pid INT, name TEXT");
    f.row("PROCESSES", std::to_string(kProcess) + ", 111, '/home/sesame/bin/python3'");
    f.table("ProcessStreams", "globalPid INT, filenameId INT, contentId INT");
    f.row("ProcessStreams", std::to_string(kProcess) + ", " + f.id("/home/sesame/out") + ", " + f.id("user sesame"));
    return f.path().filename().string();
  }
};

TEST_F(NsysReport, Figures) {
  const Outcome outcome = run({"report", export_with_secrets(), "--json", "-"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["elapsed_ns"], (9 * 200 + 110) * kUs) << "from the first launch until the last wait returned";
  EXPECT_EQ(json["gpu_busy_ns"], 10 * 80 * kUs);
  EXPECT_EQ(json["launch_count"], 10);
  EXPECT_EQ(json["sync_count"], 10);
  EXPECT_EQ(json["program"], "python3");
  EXPECT_EQ(json["simulated"], false);
  EXPECT_EQ(json["source"]["own"], false);
  EXPECT_EQ(json["source"]["read_by_category"], Json({{"cuda_runtime", 20}, {"kernel", 10}}));
  EXPECT_THAT(json["verdict"].dump(), HasSubstr("sync-bound"));
}

TEST_F(NsysReport, NothingThatIsWrittenHasTheEnvironment) {
  const std::string file = export_with_secrets();
  ASSERT_THAT(text_of(folder_ / file), HasSubstr("sesame"));
  ASSERT_EQ(run({"report", file, "--json", "r.json", "--html", "r.html", "--trace", "t.lanescope"}).status, 0);
  ASSERT_EQ(run({"report", "t.lanescope", "--trace", "t.json"}).status, 0);  // the session file is compressed
  for (const char* written : {"r.json", "r.html", "t.lanescope", "t.json"}) {
    ASSERT_GT(std::filesystem::file_size(folder_ / written), 500u) << written;
    EXPECT_THAT(text_of(folder_ / written), Not(HasSubstr("sesame"))) << written;
  }
}

TEST_F(NsysReport, ErrorsAreOneLine) {
  const auto complaint = [&](const std::string& file, const std::string& why) {
    const Outcome outcome = run({"report", file});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, testing::AllOf(testing::StartsWith("lanescope: " + file + ": "), HasSubstr(why)));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1);
  };
  std::ofstream(folder_ / "broken.sqlite") << "SQLite format 3";
  complaint("broken.sqlite", "not an SQLite database");
  {
    io::NsysFile other(folder_ / "songs.sqlite");
    other.table("songs", "title TEXT");
  }
  complaint("songs.sqlite", "not an export of Nsight Systems");
  std::ofstream(folder_ / "loop.nsys-rep") << "NVIDIA Tegra Profiler Report 2199@1@2@113-1\n";
  complaint("loop.nsys-rep", "Nsight Systems 2199.1.2");
  // The command that it names can be copied as it is.
  std::ofstream(folder_ / "a $(id).nsys-rep") << "NVIDIA Tegra Profiler Report 2199@1@2@113-1\n";
  complaint("a $(id).nsys-rep", "nsys export --type sqlite -o 'a $(id).sqlite' 'a $(id).nsys-rep'");
}

}  // namespace
}  // namespace lanescope::app::test
