// `lanescope attach --record`: a real Python process on a GPU that is not there (tests/inject_fakes).
#ifdef LANESCOPE_FAKES
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;

class AttachTest : public ProgramTest {
 protected:
  Surroundings on_fake_gpu() const {
    Surroundings s;
    s.environment["FAKE_GPU_LIBRARIES"] = LANESCOPE_FAKES;
    s.environment["PYTHONPATH"] = std::string(LANESCOPE_SOURCE_DIR) + "/tests/inject";
    s.environment["LANESCOPE_CUPTI"] = std::string(LANESCOPE_FAKES) + "/libcupti.so.13";
    return s;
  }
  /// The line of train.py that waits for the loss.
  static bool is_read(const std::string& name) {
    return name.starts_with("train.py:") && name.find("return gpu.sync(gpu.STREAM)") != std::string::npos;
  }
  static std::string train() { return LANESCOPE_SOURCE_DIR "/tests/inject/train.py"; }
  static std::string ranks() { return std::string(LANESCOPE_SOURCE_DIR) + "/tests/inject/ranks.py"; }
  Outcome record(std::vector<std::string> options, const std::vector<std::string>& command,
                 Surroundings surroundings) const {
    std::vector<std::string> arguments{"attach"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), command.begin(), command.end());
    return run(arguments, std::move(surroundings));
  }
};

TEST_F(AttachTest, TheProgramsOutputAndStatusAreItsOwnAndTheTraceHasItsLinesAndIterations) {
  const Outcome outcome = record({"--level", "calls", "--record", "run.json"},
                                 {LANESCOPE_PYTHON, train(), "--iterations", "4000"}, on_fake_gpu());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "epoch 0 done\n");
  EXPECT_EQ(outcome.err, "");

  const auto trace = nlohmann::json::parse(text_of(folder_ / "run.json"));
  std::size_t kernels = 0;
  std::map<double, double> iterations;  // start -> end
  std::vector<double> reads;
  for (const auto& event : trace.at("traceEvents")) {
    const std::string name = event.value("name", "");
    kernels += name == "relu_kernel" ? 1 : 0;
    if (name.starts_with("ProfilerStep#"))
      iterations[event.at("ts")] = event.value("ts", 0.0) + event.value("dur", 0.0);
    if (is_read(name)) reads.push_back(event.at("ts"));
  }
  EXPECT_EQ(kernels, 12'000u);  // three layers, 4000 times
  EXPECT_EQ(reads.size(), 4000u);
  // The loop is known after half a second, and then its iterations of the last second; each reads the loss once.
  EXPECT_THAT(iterations.size(), Ge(2000u));
  std::sort(reads.begin(), reads.end());
  for (const auto& [start, end] : iterations) {
    EXPECT_EQ(std::lower_bound(reads.begin(), reads.end(), end) - std::lower_bound(reads.begin(), reads.end(), start),
              1)
        << "from " << start << " to " << end;
  }
}

// A sweep of short programs: each gave 16 MiB of memory and a socket to the recorder, which gives them back.
TEST_F(AttachTest, WhatHasEndedCostsNoMemoryAndNoDescriptor) {
  constexpr int kPrograms = 12;
  std::ofstream(folder_ / "sweep.sh") << "for i in $(seq " << kPrograms << "); do " << LANESCOPE_PYTHON << ' '
                                      << train() << " --iterations 3 >/dev/null; done; touch all; exec sleep 60\n";
  std::ptrdiff_t most = 0, left = kPrograms, files_at_first = 0, files_left = 0;
  Surroundings there = on_fake_gpu();
  int looks = 0;  // without a change
  bool at_end = false;
  there.watch = [&](pid_t recorder, const Outcome&) {
    if (at_end) return;
    const std::string folder = "/proc/" + std::to_string(recorder);
    const std::string maps = text_of(folder + "/maps");
    std::error_code error;
    const auto count = [&] {
      std::ptrdiff_t n = 0;
      for (std::size_t at = 0; (at = maps.find("memfd:lanescope", at)) != std::string::npos; ++at) ++n;
      return n;
    };
    const auto files = std::distance(std::filesystem::directory_iterator(folder + "/fd", error), {});
    if (files_at_first == 0) files_at_first = files;
    most = std::max(most, count());
    if (!std::filesystem::exists(folder_ / "all")) return;
    if (++looks == 1 || count() < left) looks = 1;
    left = count();
    files_left = files;
    if (left > 0 && looks < 500) return;  // the last one's end may not have been seen
    at_end = true;
    ::kill(recorder, SIGTERM);
  };
  record({"--record", "run.lanescope"}, {"sh", "sweep.sh"}, there);
  EXPECT_EQ(left, 0);
  EXPECT_GT(most, 0);
  EXPECT_LT(files_left, files_at_first + kPrograms);
}

TEST_F(AttachTest, AReportOfTheRecordingNamesTheLineThatWaits) {
  ASSERT_EQ(record({"--level", "calls", "--record", "run.json.gz"}, {LANESCOPE_PYTHON, train(), "--iterations", "200"},
                   on_fake_gpu())
                .status,
            0);
  const Outcome report = run({"report", "run.json.gz", "--json", "-"});
  ASSERT_EQ(report.status, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("train.py:"));
}

// It has ended before its loop is settled. The first round has no beginning that could be told from what came before.
TEST_F(AttachTest, AShortProgramHasAllItsIterations) {
  ASSERT_EQ(
      record({"--record", "run.lanescope"}, {LANESCOPE_PYTHON, train(), "--iterations", "60"}, on_fake_gpu()).status,
      0);
  const Outcome outcome = run({"report", "run.lanescope", "--json", "-"});
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report.at("iterations"), 59);
  EXPECT_EQ(report.at("program"), "train.py");
  EXPECT_THAT(report.at("iterations_by").get<std::string>(), HasSubstr("for number, _ in enumerate"));
}

TEST_F(AttachTest, ARecorderThatIsKilledLeavesWhatItHadAndItsProgramRunsToItsEnd) {
  Surroundings surroundings = on_fake_gpu();
  bool killed = false;
  surroundings.watch = [&](pid_t recorder, const Outcome&) {
    std::error_code not_yet;
    if (killed || std::filesystem::file_size(folder_ / "run.lanescope", not_yet) < 65'536 || not_yet) return;
    killed = ::kill(recorder, SIGKILL) == 0;
  };
  const Outcome outcome = record(
      {"--level", "calls", "--record", "run.lanescope"},
      {"sh", "-c", "\"$0\" \"$@\"; echo \"it ended with $?\"", LANESCOPE_PYTHON, train(), "--iterations", "4000"},
      std::move(surroundings));
  ASSERT_TRUE(killed);
  EXPECT_EQ(outcome.status, 128 + SIGKILL);
  EXPECT_EQ(outcome.out, "epoch 0 done\nit ended with 0\n");
  const Outcome said = run({"report", "run.lanescope", "--json", "-"});
  const auto report = nlohmann::json::parse(said.out);
  EXPECT_GT(report.at("events").at("recorded"), 1'000u);
  EXPECT_NE(report.at("source").at("incomplete"), "");
}

// The disk is full while the program runs on, until it is told that somebody has read of it.
TEST_F(AttachTest, ARecordingThatCannotBeWrittenIsSaidAtOnceAndTheProgramGoesOn) {
  Surroundings surroundings = on_fake_gpu();
  bool full = false;
  surroundings.watch = [&](pid_t recorder, const Outcome& so_far) {
    std::error_code not_yet;
    if (!full && std::filesystem::file_size(folder_ / "run.lanescope", not_yet) >= 65'536 && !not_yet) {
      const rlimit none{1, 1};
      full = ::prlimit(recorder, RLIMIT_FSIZE, &none, nullptr) == 0;
    }
    if (so_far.err.find("the recording ends here") != std::string::npos) std::ofstream(folder_ / "read");
  };
  const auto before = std::signal(SIGXFSZ, SIG_IGN);  // inherited: a write then fails
  const Outcome outcome =
      record({"--level", "calls", "--record", "run.lanescope"},
             {"sh", "-c", "\"$0\" \"$@\"; until [ -e read ]; do sleep 0.02; done; echo \"it ended with $?\"",
              LANESCOPE_PYTHON, train(), "--iterations", "2000"},
             std::move(surroundings));
  std::signal(SIGXFSZ, before);
  ASSERT_TRUE(full);
  EXPECT_EQ(outcome.out, "epoch 0 done\nit ended with 0\n");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("run.lanescope: cannot write: File too large: the recording ends here"));
}

TEST_F(AttachTest, InBurstsOnlyPartsAreRecordedAndAllWaits) {
  const Outcome outcome = record({"--level", "acquire", "--share", "10", "--record", "run.json"},
                                 {LANESCOPE_PYTHON, train(), "--iterations", "4000"}, on_fake_gpu());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto trace = nlohmann::json::parse(text_of(folder_ / "run.json"));
  std::size_t kernels = 0, reads = 0;
  for (const auto& event : trace.at("traceEvents")) {
    const std::string name = event.value("name", "");
    kernels += name == "relu_kernel" ? 1 : 0;
    reads += is_read(name) ? 1 : 0;
  }
  EXPECT_LE(reads, 4000u);  // each is seen, recorded or not, but for the 30 ms after a burst in which CUPTI is away
  EXPECT_GE(reads, 3800u);
  EXPECT_GT(kernels, 300u);
  EXPECT_LT(kernels, 12'000u * 9 / 10);
}

// Each of the two processes reports in by itself, in whichever order.
TEST_F(AttachTest, EachRankOfAJobJoinsOnePictureAndIsNamed) {
  const Outcome outcome =
      record({"--level", "calls", "--record", "job.lanescope"},
             {LANESCOPE_PYTHON, ranks(), "2", LANESCOPE_PYTHON, train(), "--iterations", "300", "--all-reduce", "4096"},
             on_fake_gpu());
  if (outcome.err.find("NVTX has no payloads") != std::string::npos) GTEST_SKIP() << outcome.err;
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Outcome report = run({"report", "job.lanescope"});
  ASSERT_EQ(report.status, 0) << report.err;
  EXPECT_THAT(report.out, AllOf(HasSubstr("rank 0"), HasSubstr("rank 1")));
  EXPECT_THAT(report.out, testing::Not(HasSubstr("of process")));
}

TEST_F(AttachTest, NcclsKernelsHaveBytesAndCommunicatorAndEachRankItsOwnEvents) {
  const Outcome outcome =
      record({"--level", "calls", "--record", "job.json"},
             {LANESCOPE_PYTHON, ranks(), "2", LANESCOPE_PYTHON, train(), "--iterations", "100", "--all-reduce", "4096"},
             on_fake_gpu());
  if (outcome.err.find("NVTX has no payloads") != std::string::npos) GTEST_SKIP() << outcome.err;
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto trace = nlohmann::json::parse(text_of(folder_ / "job.json"));
  std::map<std::string, std::int64_t> programs;
  std::size_t all_reduces = 0, ranges = 0;
  for (const auto& event : trace.at("traceEvents")) {
    const std::string name = event.value("name", "");
    if (name == "process_name") programs[event.at("args").at("name")] = event.at("pid");
    const bool kernel = name == "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
    if (!kernel && name != "ncclAllReduce") continue;
    (kernel ? all_reduces : ranges) += 1;
    EXPECT_EQ(event.at("args").value("communicator", ""), "0x0123456789abcdef") << event;
    EXPECT_EQ(event.at("args").value("bytes", 0), 4096);
  }
  EXPECT_EQ(all_reduces, 200u);
  EXPECT_EQ(ranges, 200u);
  EXPECT_TRUE(programs.contains("rank 0 · train.py"));
  EXPECT_TRUE(programs.contains("rank 1 · train.py"));
  EXPECT_THAT(programs, testing::Not(testing::Contains(testing::Key(HasSubstr("ranks.py"))))) << "it uses no GPU";
}

TEST_F(AttachTest, ARankThatDiesIsSaidAndTheOthersGoOn) {
  const Outcome outcome =
      record({"--level", "calls", "--record", "job.json"},
             {LANESCOPE_PYTHON, ranks(), "2", LANESCOPE_PYTHON, train(), "--iterations", "200", "--die-after", "50"},
             on_fake_gpu());
  EXPECT_EQ(outcome.status, 128 + SIGKILL);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("rank 1 · train.py ("), HasSubstr("it was killed")));
  EXPECT_THAT(outcome.err, testing::Not(HasSubstr("rank 0")));
  const auto trace = nlohmann::json::parse(text_of(folder_ / "job.json"));
  std::map<std::int64_t, std::string> programs;
  std::map<std::string, std::size_t> reads;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.value("name", "") == "process_name") programs[event.at("pid")] = event.at("args").at("name");
  }
  for (const auto& event : trace.at("traceEvents")) {
    if (is_read(event.value("name", ""))) ++reads[programs[event.at("pid")]];
  }
  EXPECT_EQ(reads["rank 0 · train.py"], 200u);
  EXPECT_EQ(reads["rank 1 · train.py"], 49u);
}

TEST_F(AttachTest, AnotherStatusIsPassedOn) {
  EXPECT_EQ(record({"--record", "run.json"}, {LANESCOPE_PYTHON, "-c", "import sys; sys.exit(3)"}, on_fake_gpu()).status,
            3);
  EXPECT_EQ(record({"--record", "run.json"}, {"sh", "-c", "kill -9 $$"}, on_fake_gpu()).status, 137);
}

TEST_F(AttachTest, AProgramWithoutAGpuIsToldAndItsFileIsWritten) {
  const Outcome outcome = record({"--record", "run.json"}, {"true"}, on_fake_gpu());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("without a call to the GPU"));
  EXPECT_THAT(files(), ElementsAre("run.json"));
}

TEST_F(AttachTest, SignalsAreTheProgramsOwn) {
  Surroundings s = on_fake_gpu();
  bool sent = false;
  s.watch = [&](pid_t process, const Outcome& so_far) {
    if (!sent && so_far.out.find("ready") != std::string::npos) {
      sent = true;
      ::kill(process, SIGTERM);
    }
  };
  const Outcome outcome = record({"--record", "run.json"},
                                 {LANESCOPE_PYTHON, "-c",
                                  "import signal, sys, time\n"
                                  "signal.signal(signal.SIGTERM, lambda *a: sys.exit(7))\n"
                                  "print('ready', flush=True)\n"
                                  "time.sleep(50)"},
                                 s);
  EXPECT_TRUE(sent);
  EXPECT_EQ(outcome.status, 7) << outcome.err;
}

TEST_F(AttachTest, MistakesAreOneLine) {
  expect_complaint(record({"--record", "run.json"}, {"no-such-program"}, on_fake_gpu()), 1, {"no-such-program"});
  Surroundings other = on_fake_gpu();
  other.environment["CUDA_INJECTION64_PATH"] = "/opt/other/libtool.so";
  expect_complaint(record({"--record", "run.json"}, {"true"}, other), 2,
                   {"CUDA_INJECTION64_PATH", "/opt/other/libtool.so", "another tool"});
  expect_complaint(run({"attach", "--record", "run.json"}), 2, {"command"});
  expect_complaint(run({"attach", "--pid", "1", "--record", "run.json", "--", "true"}), 2, {"--pid", "command"});
  expect_complaint(run({"attach", "--pid", "1", "--to", "x"}), 2, {"--pid", "--to"});
  expect_complaint(run({"attach", "--pid", "1", "--folder", "/"}), 2, {"--pid", "--folder"});
  expect_complaint(run({"attach", "--pid", "none"}), 2, {"--pid", "none", "whole number"});
  expect_complaint(record({"--level", "some"}, {"true"}, on_fake_gpu()), 2, {"some", "waits, acquire, calls, all"});
  expect_complaint(record({"--level", "waits", "--share", "5"}, {"true"}, on_fake_gpu()), 2, {"--share"});
  expect_complaint(record({"--env", "broken", "--record", "r.json"}, {"true"}, on_fake_gpu()), 2,
                   {"broken", "NAME=VALUE"});
  EXPECT_THAT(files(), IsEmpty());
}

}  // namespace
}  // namespace lanescope::app::test
#endif
