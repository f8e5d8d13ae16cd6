// Databases that are no exports, or broken or hostile ones: one line with the reason, never a crash, never a part.
#include <gmock/gmock.h>

#include <random>

#include "io/trace_file.h"
#include "nsys_fixture.h"
#include "opened.h"
#include "scratch.h"

namespace lanescope::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::int64_t kMain = thread_in_vm(111, 111), kProcess = process_in_vm(111);

class NsysHostileTest : public Scratch {
 protected:
  std::string error_for(const std::filesystem::path& path) {
    return error_of([&] { read_trace(path); });
  }
  std::filesystem::path small_export() {
    NsysFile f(file("whole.sqlite"));
    f.calls();
    f.kernels();
    f.ranges();
    for (int i = 0; i < 300; ++i) {
      f.call("cudaLaunchKernel_v7000", i * 100, i * 100 + 10, i + 1, kMain);
      f.kernel("scale", i * 100 + 20, i * 100 + 90, i + 1, kProcess);
      f.range(i * 100, std::to_string(i * 100 + 95), 59, "'step'", "NULL", kMain);
    }
    return f.path();
  }
};

TEST_F(NsysHostileTest, ErrorsNameTheFileAndTheReason) {
  EXPECT_THAT(error_for(write("a.sqlite", "")), HasSubstr("the file is empty"));
  const auto broken = write("b.sqlite", std::string("SQLite format 3\0", 16) + std::string(2000, '\xff'));
  EXPECT_THAT(error_for(broken), AllOf(StartsWith(broken.string() + ": "), HasSubstr("not an SQLite database")));
  EXPECT_THAT(error_for(write("c.sqlite", "SQLite format")), HasSubstr("not an SQLite database"));
  NsysFile other(file("d.sqlite"));
  other.table("songs", "title TEXT");
  EXPECT_THAT(error_for(other.path()), HasSubstr("an SQLite database, but not an export of Nsight Systems"));
  NsysFile nvprof(file("e.sqlite"));
  nvprof.table("CUPTI_ACTIVITY_KIND_RUNTIME", "_id_ INT, cbid INT, start INT, end INT, processId INT, threadId INT");
  EXPECT_THAT(error_for(nvprof.path()), HasSubstr("not an export of Nsight Systems"));
}

TEST_F(NsysHostileTest, NamesWithSpecialCharacters) {
  std::filesystem::rename(small_export(), file("a b%20?immutable=0#é.sqlite"));
  EXPECT_EQ(error_for(file("a b%20?immutable=0#é.sqlite")), "");
}

TEST_F(NsysHostileTest, EveryTruncationIsAnError) {
  const std::string whole = read_bytes(small_export());
  for (std::size_t size = 16; size < whole.size(); size += 509) {
    EXPECT_THAT(error_for(write("cut.sqlite", whole.substr(0, size))),
                testing::AnyOf(HasSubstr("truncated or damaged"), HasSubstr("not an SQLite database")))
        << size;
  }
}

TEST_F(NsysHostileTest, HostileValues) {
  NsysFile f(file("hostile.sqlite"));
  f.table("CUPTI_ACTIVITY_KIND_RUNTIME",
          "start ANY, end ANY, eventClass ANY, globalTid ANY, correlationId ANY, nameId ANY, returnValue ANY");
  const std::string thread = std::to_string(kMain);
  const std::string name = f.id("cudaFree_v3020");
  f.row("CUPTI_ACTIVITY_KIND_RUNTIME", "100, 50, 0, " + thread + ", 1, " + name + ", 0");  // ends before it starts
  f.row("CUPTI_ACTIVITY_KIND_RUNTIME", "'now', 'then', 0, " + thread + ", 2, " + name + ", 0");
  f.row("CUPTI_ACTIVITY_KIND_RUNTIME", "1.5, 2.5, 0, " + thread + ", 2, " + name + ", 0");
  f.row("CUPTI_ACTIVITY_KIND_RUNTIME",
        "-9223372036854775808, 9223372036854775807, 0, " + thread + ", 3, " + name + ", 0");
  f.row("CUPTI_ACTIVITY_KIND_RUNTIME", "NULL, NULL, NULL, NULL, NULL, NULL, NULL");
  f.row("CUPTI_ACTIVITY_KIND_RUNTIME",
        "200, 300, 'x', 9223372036854775807, -9223372036854775808, 9223372036854775807, 0");
  f.row("CUPTI_ACTIVITY_KIND_RUNTIME", "200, 300, 0, -1, 99999999999, x'00ff', 0");
  f.kernels();
  f.row("CUPTI_ACTIVITY_KIND_KERNEL",
        "10, 20, -9223372036854775808, 9223372036854775807, -5, 1, -1, -1, 'x', -1, 99999999999, -1, -1, 0, 0, 0, -1, "
        "9223372036854775807, -9223372036854775808");
  f.copies();
  f.row("CUPTI_ACTIVITY_KIND_MEMCPY", "10, 20, 0, 1, 7, 1, 0, -5, 99, 99, -99, 0");
  const OpenedTrace opened = read_trace(f.path());
  EXPECT_EQ(opened.events_malformed, 4u) << "a text, a real, far beyond all times, nothing";
  EXPECT_EQ(opened.trace->counts().clamped, 1u);
  EXPECT_EQ(opened.events_read, 5u);
  write_trace(file("again.json"), *opened.trace, opened.facts);
}

TEST_F(NsysHostileTest, EnormousStringsAreCut) {
  NsysFile f(file("strings.sqlite"));
  f.calls();
  f.call(std::string(3'000'000, 'x'), 0, 10, 1, kMain);
  const OpenedTrace opened = read_trace(f.path());
  const auto calls = events_on(opened, LaneKind::Calls);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_LT(calls[0].name.size(), 100'000u);
}

TEST_F(NsysHostileTest, ThousandsOfLanesStayWithinTheMemory) {
  NsysFile f(file("lanes.sqlite"));
  f.calls();
  for (int i = 0; i < 6'000; ++i) f.call("cudaFree_v3020", 1, 5, 1, thread_in_vm(i + 1, i + 1));
  for (int i = 0; i < 270; ++i) f.call("cudaFree_v3020", 1, 5, 1, thread_in_vm(1, 1));
  const OpenedTrace opened = read_trace(f.path());
  EXPECT_EQ(opened.trace->lane_count(), trace::Trace::kMaxLanes);
  EXPECT_EQ(opened.events_malformed, 6'000 - trace::Trace::kMaxLanes);
  EXPECT_EQ(opened.trace->counts().dropped, 271 - trace::Lane::kMaxRows);
}

TEST_F(NsysHostileTest, TheMemoryLimitHolds) {
  EXPECT_THAT(error_of([&] { read_trace(small_export(), nullptr, {10'000}); }), HasSubstr("too large: more than"));
}

TEST_F(NsysHostileTest, ViewsAreNotFollowed) {
  NsysFile f(file("view.sqlite"));
  f.ranges();
  f.id("a");
  f.run(
      "CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM "
      "n) "
      "SELECT start, start + 1 AS end, 0 AS globalTid FROM n");
  EXPECT_EQ(read_trace(f.path()).events_read, 0u);
}

TEST_F(NsysHostileTest, ReadingCanBeStopped) {
  ReadProgress progress;
  progress.cancelled = true;
  EXPECT_THROW(read_trace(small_export(), &progress), Cancelled);
}

TEST_F(NsysHostileTest, DamagedBytes) {
  const std::string whole = read_bytes(small_export());
  std::mt19937 random(7);
  int opened = 0, refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    for (int n = 0; n < 3; ++n) bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
    const auto path = write("damaged.sqlite", bytes);
    ++(error_for(path).empty() ? opened : refused);
  }
  EXPECT_GT(opened, 20);
  EXPECT_GT(refused, 20);
}

// --- reports ---------------------------------------------------------------------------------------------------------

constexpr std::string_view kReport = "NVIDIA Tegra Profiler Report 2024@5@1@113-34601234\n\1\2\3";

class NsysReportTest : public NsysHostileTest {
 protected:
  NsysReportTest() : path_(getenv("PATH")) {}
  ~NsysReportTest() override { setenv("PATH", path_.c_str(), 1); }

  /// From now on, nsys is this script.
  void install(const std::string& script) {
    std::filesystem::create_directory(file("bin"));
    write("bin/nsys", "#!/bin/sh\n" + script);
    std::filesystem::permissions(file("bin/nsys"), std::filesystem::perms::owner_all);
    setenv("PATH", (file("bin").string() + ":" + path_).c_str(), 1);
  }

  const std::string path_;
};

TEST_F(NsysReportTest, TheVersionIsInTheFirstLine) {
  EXPECT_TRUE(is_nsys_report(kReport));
  EXPECT_EQ(nsys_report_version(kReport), "2024.5.1");
  EXPECT_EQ(nsys_report_version("NVIDIA Tegra Profiler Report"), "");
  EXPECT_FALSE(is_nsys_report("{"));
}

TEST_F(NsysReportTest, NsysMakesTheExport) {
  small_export();
  install("[ \"$1 $2 $3 $4 $5\" = 'export --type sqlite --lazy=true -o' ] && cp '" + file("whole.sqlite").string() +
          "' \"$6\" && echo \"$7\" > '" + file("asked").string() + "'\n");
  const auto report = write("it's a report;.nsys-rep", kReport);
  EXPECT_EQ(read_trace(report).events_read, 900u);
  EXPECT_EQ(read_bytes(file("asked")), report.string() + "\n");
}

TEST_F(NsysReportTest, AnOldNsysIsAskedInItsOwnWords) {
  small_export();
  install("[ \"$4\" = -o ] || exit 1\ncp '" + file("whole.sqlite").string() + "' \"$5\"\n");
  EXPECT_EQ(read_trace(write("a.nsys-rep", kReport)).events_read, 900u);
}

TEST_F(NsysReportTest, OneLineIfItCannot) {
  install("exit 1\n");
  const auto report = write("a.nsys-rep", kReport);
  EXPECT_THAT(error_for(report),
              AllOf(StartsWith(report.string() + ": a report of Nsight Systems 2024.5.1"),
                    HasSubstr("nsys export --type sqlite -o " + file("a.sqlite").string() + " " + report.string())));
}

}  // namespace
}  // namespace lanescope::io
