// Several recordings of one program: in one file, and in several.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/job_of_ranks.h"
#include "io/trace_file.h"
#include "opened.h"
#include "scratch.h"

namespace lanescope::io {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Iterations of 100 us from `at`, numbered from `first`, each with a launch and its kernel of 20 us.
std::string steps(int first, int count, int at, int pid, int device = 0) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const int t = at + 100 * i, correlation = i + 1;
    text += fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":{},"tid":1,"ts":{},"dur":100}},)"
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":{},"tid":1,"ts":{},"dur":5,"args":{{"correlation":{}}}}},)"
        R"({{"ph":"X","cat":"kernel","name":"k","pid":{},"tid":7,"ts":{},"dur":20,"args":{{"device":{},"stream":7,"correlation":{}}}}},)",
        first + i, pid, t, pid, t + 10, correlation, device, t + 30, device, correlation);
  }
  return text;
}
std::string file_of(std::string events) {
  events.pop_back();
  return "{\"traceEvents\":[" + events + "]}";
}

// Steps 2 to 5 from 0 to 400 us, 20 to 23 from 9,000 to 9,400: the time between is not recorded.
TEST(Recordings, AHoleBetweenNumbersIsNotRecorded) {
  std::string second = steps(20, 4, 9'000, 41);
  const OpenedTrace opened = read_chrome_trace(file_of(steps(2, 4, 0, 41) + second), "memory");
  const trace::Coverage& coverage = opened.trace->coverage(41);
  EXPECT_FALSE(coverage.complete());
  EXPECT_EQ(coverage.recorded_ns(0, 20'000 * kUs), 800 * kUs);
  EXPECT_TRUE(coverage.recorded(399 * kUs));
  EXPECT_FALSE(coverage.recorded(5'000 * kUs));
  EXPECT_THAT(opened.incomplete, HasSubstr("2 recordings"));
}

TEST(Recordings, NumbersWithWorkBetweenThemAreOneRecording) {
  std::string busy;
  for (int t = 400; t < 9'000; t += 200) {
    busy += fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"aten::add","pid":41,"tid":1,"ts":{},"dur":150}},)", t);
  }
  EXPECT_TRUE(read_chrome_trace(file_of(steps(2, 4, 0, 41) + busy + steps(20, 4, 9'000, 41)), "memory")
                  .trace->coverage(41)
                  .complete());
  EXPECT_TRUE(
      read_chrome_trace(file_of(steps(2, 4, 0, 41) + steps(6, 4, 9'000, 41)), "memory").trace->coverage(41).complete())
      << "a pause of the program";
}

class RecordingsTest : public Scratch {};

// The same process on the same GPU, 5 s later: one GPU with eight iterations, whose calls launch their own kernels.
TEST_F(RecordingsTest, FilesOfOneWorkerAreOneGpu) {
  const std::vector<std::filesystem::path> files = {
      write("box_41.1700000000.pt.trace.json", file_of(steps(2, 4, 0, 41))),
      write("box_41.1700000005.pt.trace.json", file_of(steps(20, 4, 5'000'000, 41)))};
  const OpenedTrace opened = read_traces(files);
  EXPECT_THAT(events_on(opened, LaneKind::Iterations), testing::SizeIs(8));
  int gpus = 0;
  for (const LaneInfo& lane : lanes_of(*opened.trace)) gpus += lane.kind == LaneKind::Kernels;
  EXPECT_EQ(gpus, 1);
  EXPECT_EQ(opened.trace->coverage(41).recorded_ns(0, 10'000'000 * kUs), 800 * kUs);
  std::set<std::uint32_t> correlations;
  for (const NamedEvent& e : events_on(opened, LaneKind::Calls)) correlations.insert(e.event.correlation);
  EXPECT_THAT(correlations, testing::SizeIs(8)) << "4 of each file, which are numbered alike";
}

// Neither at the same time, nor as different processes, nor as workers of different names.
TEST_F(RecordingsTest, OtherFilesAreRanks) {
  const std::string first = file_of(steps(2, 4, 0, 41)), later = file_of(steps(20, 4, 5'000'000, 41));
  const auto gpus = [&](const char* name, const std::string& second, const char* other) {
    const OpenedTrace opened = read_traces({write(name, first), write(other, second)});
    int count = 0;
    for (const LaneInfo& lane : lanes_of(*opened.trace)) count += lane.kind == LaneKind::Kernels;
    return count;
  };
  EXPECT_EQ(gpus("a.json", later, "b.json"), 1);
  EXPECT_EQ(gpus("a.json", first, "b.json"), 2);
  EXPECT_EQ(gpus("a.json", file_of(steps(20, 4, 5'000'000, 42)), "b.json"), 2);
  EXPECT_EQ(gpus("rank0.json", later, "rank1.json"), 2);
  EXPECT_EQ(gpus("one_41.1.pt.trace.json", later, "two_41.2.pt.trace.json"), 2);
}

}  // namespace
}  // namespace lanescope::io
