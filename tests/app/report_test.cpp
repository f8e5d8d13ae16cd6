// `lanescope report`: the figures of a saved trace.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

// 60 steps of 1,000 µs, each a launch and a kernel of 500 µs; the 31st has save_checkpoint, 50,000 µs, in it.
std::string steps_with_a_checkpoint() {
  std::string events;
  const auto add = [&](const std::string& category, const std::string& name, int tid, int start, int duration,
                       const std::string& args) {
    events += fmt::format(R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                          events.empty() ? "" : ",\n", category, name, category == "kernel" ? 0 : 100, tid, start,
                          duration, args);
  };
  int now = 0;
  for (int i = 0; i < 60; ++i) {
    const int work = i == 30 ? 50'000 : 0;
    add("user_annotation", fmt::format("ProfilerStep#{}", i), 100, now, 1'000 + work, "");
    add("cuda_runtime", "cudaLaunchKernel", 100, now + 10, 5, fmt::format("\"correlation\":{}", i + 1));
    add("kernel", "gemm", 7, now + 20, 500, fmt::format("\"correlation\":{},\"device\":0,\"stream\":7", i + 1));
    if (work > 0) add("user_annotation", "save_checkpoint", 100, now + 600, work, "");
    now += 1'000 + work;
  }
  return "{\"schemaVersion\":1,\"traceEvents\":[" + events + "]}";
}

class Report : public ProgramTest {
 protected:
  Json report(const std::string& file) const {
    const Outcome outcome = run({"report", file, "--json", "-"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
};

// Nothing of our own is lost in a file, so all figures are those of the run.
TEST_F(Report, OfOurOwnTraceSaysWhatTheRunSaid) {
  for (const std::string workload : {"linear-mse", "iris-mlp"}) {
    for (const std::string file : {"t.json", "t.json.gz"}) {
      const Outcome outcome = run({"run", "--workload", workload, "--iterations", "300", "--set", "feed=per-iteration",
                                   "--set", "log_interval=10", "--json", "-", "--trace", file});
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      Json json = report(file);
      Json source = json["source"];
      json.erase("source");
      const Json ran = Json::parse(outcome.out);
      EXPECT_EQ(json.dump(2), ran.dump(2));
      EXPECT_EQ(source["own"], true);
      EXPECT_EQ(source["events_read"], json["events"]["recorded"]);
      EXPECT_EQ(source["events_skipped"], 0);
    }
  }
}

// 51 of 110 ms are one step; the others are the steady part, 59 of 60. Table, JSON and page say the same.
TEST_F(Report, WhatHappensOnceIsARowOfItsOwn) {
  std::ofstream(folder_ / "t.json") << steps_with_a_checkpoint();
  const Json json = report("t.json"), once = json["once"];
  ASSERT_EQ(once["rows"].size(), 1u);
  EXPECT_EQ(once["rows"][0]["place"], "save_checkpoint");
  EXPECT_EQ(once["rows"][0]["kind"], "long_iteration");
  EXPECT_EQ(once["rows"][0]["count"], 1);
  EXPECT_EQ(once["rows"][0]["total_ns"], 51'000'000);
  EXPECT_EQ(once["stretches"]["rare_ns"], 51'000'000);
  EXPECT_EQ(once["stretches"]["steady_ns"], 59'000'000);
  EXPECT_EQ(once["steady_iterations"], 59);
  EXPECT_EQ(json["iterations"], 60);
  EXPECT_EQ(json["elapsed_ns"], 110'000'000);
  EXPECT_EQ(json["pace"]["ns"], 1'000'000.0);
  EXPECT_EQ(json["gpu_busy_ns"], 59 * 500'000);
  EXPECT_EQ(json["idle_ledger"]["span_ns"], 59'000'000);
  EXPECT_EQ(json["idle_ledger"]["idle_ns"], 59 * 500'000);
  EXPECT_EQ(json["breakdown"]["time"]["span_ns"], 59'000'000);
  EXPECT_EQ(json["breakdown"]["of"]["iterations"], 59);
  EXPECT_EQ(json["breakdown"]["kernel_time_ns"], 59 * 500'000);
  EXPECT_EQ(json["advice"]["iterations"], 59);
  const std::string text = run({"report", "t.json", "--html", "t.html"}).out;
  EXPECT_THAT(text, HasSubstr("From the steady part: 59 of 60 iterations, 59 ms of 110 ms."));
  EXPECT_THAT(text, HasSubstr("    save_checkpoint"));
  EXPECT_THAT(text, HasSubstr("steady 59 ms, now and then 51 ms, end 0 ns: 110 ms in all."));
  EXPECT_THAT(text_of(folder_ / "t.html"), HasSubstr("<td class=\"name\">save_checkpoint</td>"));
}

// tests/data/README.md has their counts.
TEST_F(Report, SeveralFilesBecomeOneTrace) {
  const std::string data = LANESCOPE_SOURCE_DIR "/tests/data/";
  const std::string first = data + "pytorch-event-sync.json.gz", second = data + "pytorch-alexnet.json.gz";
  const Outcome outcome = run({"report", first, second, "--json", "-", "--trace", "both.lanescope"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["source"]["file"], first + ", " + second);
  EXPECT_EQ(json["source"]["read_by_category"]["kernel"], 4 + 79);
  EXPECT_EQ(json["source"]["read_by_category"]["gpu_memcpy"], 1 + 16);
  EXPECT_EQ(report("both.lanescope")["events"]["recorded"], json["events"]["recorded"]);
  EXPECT_EQ(run({"export", first, second, "--sqlite", "both.db"}).status, 0);
}

// A recording becomes a trace for other programs, and comes back: the figures stay the same.
TEST_F(Report, AFileBecomesOneOfTheOtherKind) {
  ASSERT_EQ(run({"run", "--workload", "linear-mse", "--iterations", "50", "--trace", "t.lanescope"}).status, 0);
  const Outcome there = run({"report", "t.lanescope", "--trace", "t.json.gz"});
  ASSERT_EQ(there.status, 0) << there.err;
  const Outcome back = run({"report", "t.json.gz", "--trace", "back.lanescope"});
  ASSERT_EQ(back.status, 0) << back.err;
  Json first = report("t.lanescope"), last = report("back.lanescope");
  first.erase("source");
  last.erase("source");
  first.erase("capture");  // only a session file has it
  last.erase("capture");
  EXPECT_EQ(first, last);

  const Outcome itself = run({"report", "t.lanescope", "--trace", "./t.lanescope"});
  EXPECT_EQ(itself.status, 2);
  EXPECT_EQ(itself.err, "lanescope: ./t.lanescope is the trace that is read; give the output another name\n");
}

TEST_F(Report, TheTableNamesTheRunAndWhatWasRead) {
  ASSERT_EQ(run({"run", "--workload", "linear-mse", "--iterations", "30", "--trace", "t.json"}).status, 0);
  const Outcome outcome = run({"report", "t.json", "--json", "figures.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("linear-mse"));
  EXPECT_THAT(outcome.out, HasSubstr("(simulated)"));
  EXPECT_THAT(outcome.out, HasSubstr("\nRead "));
  EXPECT_EQ(Json::parse(text_of(folder_ / "figures.json"))["workload"], "linear-mse");
}

// As the PyTorch profiler writes it, times in microseconds:
//   CPU  launch [0,10)                      cudaStreamSynchronize [10,60)
//   GPU            kernel [20,50)
// The GPU is busy for the 30 us from its first to its last operation, of the 60 that the file spans; one launch, one
// synchronisation. "overhead" is not shown.
// A name that would set the terminal's title, ring its bell and move its cursor: in ASCII and in the C1 range of UTF-8.
TEST_F(Report, NamesInAFileDoNotSteerTheTerminal) {
  const std::string evil = R"(\u001b]0;owned\u0007\u009b2J\u007f\r)";
  std::string events;
  const auto add = [&](const char* category, const std::string& name, int thread, int start, int duration, int number) {
    events += R"({"ph":"X","cat":")" + std::string(category) + R"(","name":")" + name + R"(","pid":1,"tid":)" +
              std::to_string(thread) + R"(,"ts":)" + std::to_string(start) + R"(,"dur":)" + std::to_string(duration) +
              R"(,"args":{"correlation":)" + std::to_string(number) + R"(,"device":0,"stream":7}},)" + '\n';
  };
  for (int i = 0; i < 20; ++i) {
    const int at = 1000 * i;
    add("user_annotation", "ProfilerStep#" + std::to_string(i), 1, at, 999, 0);
    add("cuda_runtime", "cudaLaunchKernel", 1, at + 10, 5, 2 * i + 1);
    add("kernel", "gemm" + evil, 7, at + 20, 300, 2 * i + 1);
    add("cpu_op", "item" + evil, 1, at + 30, 320, 0);
    add("cuda_runtime", "cudaStreamSynchronize", 1, at + 40, 300, 2 * i + 2);
  }
  std::ofstream(folder_ / "evil.json") << R"({"deviceProperties":[{"id":0,"name":"GPU)" << evil
                                       << R"("}],"traceEvents":[)" << events
                                       << R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"p)" << evil
                                       << R"("}}]})";
  const Outcome outcome = run({"report", "evil.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("because of a wait in item ]0;owned"));
  EXPECT_THAT(outcome.out, HasSubstr("GPU ]0;owned"));
  for (const std::string& said : {outcome.out, outcome.err}) {
    for (std::size_t i = 0; i < said.size(); ++i) {
      const auto byte = static_cast<unsigned char>(said[i]);
      ASSERT_FALSE((byte < 0x20 && byte != '\n') || byte == 0x7f)
          << i << ": " << said.substr(i - std::min<std::size_t>(i, 20), 40);
    }
    EXPECT_THAT(said, testing::Not(HasSubstr("\u009b")));
  }
}

TEST_F(Report, OfAPyTorchTraceGivesTheSameFigures) {
  std::ofstream(folder_ / "torch.json") << R"({"traceEvents": [
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": 0, "dur": 10,
     "args": {"correlation": 1}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 30,
     "args": {"correlation": 1, "stream": 7, "device": 0}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 7, "tid": 7, "ts": 10, "dur": 50,
     "args": {"correlation": 2}},
    {"ph": "X", "cat": "overhead", "name": "train", "pid": 7, "tid": 7, "ts": 0, "dur": 60, "args": {}}
  ]})";
  Json json = report("torch.json");
  EXPECT_TRUE(json["workload"].is_null());
  EXPECT_EQ(json["simulated"], false);
  EXPECT_EQ(json["settings"], Json::object());
  EXPECT_EQ(json["iterations"], 0);
  EXPECT_TRUE(json["iteration_ns"]["mean"].is_null());
  EXPECT_EQ(json["elapsed_ns"], 60'000);
  EXPECT_EQ(json["gpu_busy_ns"], 30'000);
  EXPECT_EQ(json["bubble_ns"], 0);
  EXPECT_EQ(json["launch_count"], 1);
  EXPECT_EQ(json["sync_count"], 1);
  EXPECT_TRUE(json["loss"].is_null());
  EXPECT_EQ(json["source"]["own"], false);
  EXPECT_EQ(json["source"]["read_by_category"]["kernel"], 1);
  EXPECT_EQ(json["source"]["read_by_category"]["cuda_runtime"], 2);
  EXPECT_EQ(json["source"]["skipped_by_category"]["overhead"], 1);
  EXPECT_THAT(run({"report", "torch.json"}).out, HasSubstr("overhead 1"));
}

// It has no iterations: 43 s were profiled, and from the first to the last operation 0.07 s busy and 12.85 s idle.
TEST_F(Report, WithoutIterationsSaysOfWhichStretchItsFiguresAre) {
  const std::string file = std::string(LANESCOPE_SOURCE_DIR) + "/tests/data/pytorch-alexnet.json.gz";
  EXPECT_THAT(run({"report", file}).out,
              testing::ContainsRegex("elapsed +43\\.[0-9]+ +s\n"
                                     " +from the GPU's first to its last operation +12\\.92 +s\n"));
}

// Independently counted figures of these files; see tests/data/README.md.
TEST_F(Report, CountsTheEventsOfRealPyTorchTracesByCategory) {
  struct Counted {
    const char* file;
    std::map<std::string, int> read;
  };
  const std::vector<Counted> files{
      {"pytorch-event-sync", {{"cuda_runtime", 12}, {"cpu_op", 10}, {"kernel", 4}, {"gpu_memcpy", 1}}},
      {"pytorch-alexnet",
       {{"cuda_runtime", 361}, {"cpu_op", 359}, {"kernel", 79}, {"gpu_memcpy", 16}, {"gpu_memset", 3}}},
      {"pytorch-ns-resolution",
       {{"cuda_runtime", 15'329}, {"cpu_op", 23'910}, {"kernel", 4'350}, {"gpu_memcpy", 1'600}}},
  };
  for (const Counted& counted : files) {
    Json json = report(std::string(LANESCOPE_SOURCE_DIR) + "/tests/data/" + counted.file + ".json.gz");
    for (const auto& [category, n] : counted.read) {
      EXPECT_EQ(json["source"]["read_by_category"][category], n) << counted.file << ", " << category;
    }
    EXPECT_EQ(json["simulated"], false);
    EXPECT_EQ(json["launch_count"], counted.read.at("kernel")) << counted.file;
    EXPECT_GT(json["gpu_busy_ns"], 0);
  }
}

}  // namespace
}  // namespace lanescope::app::test
