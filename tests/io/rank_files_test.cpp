// Several files by name become one trace, as a folder of them does.
#include "io/job_of_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/collectives.h"
#include "analysis/stragglers.h"
#include "io/trace_file.h"
#include "scratch.h"
#include "trace/links.h"

namespace lanescope::io {
namespace {

using testing::HasSubstr;

class RankFiles : public Scratch {
 protected:
  /// A trace of another program with one kernel for each of `kernels`.
  std::filesystem::path trace(const std::string& name, int pid, int kernels) {
    std::filesystem::create_directories(file(name).parent_path());
    std::string json = R"({"traceEvents": [)";
    for (int k = 0; k < kernels; ++k) {
      json += R"({"ph": "X", "cat": "kernel", "name": "k", "pid": )" + std::to_string(pid) + R"(, "tid": 7, "ts": )" +
              std::to_string(10 * k) + R"(, "dur": 5},)";
    }
    json.back() = ']';
    return write(name, json + '}');
  }
};

TEST_F(RankFiles, BecomeOneTraceAsAFolderDoes) {
  const std::vector files{trace("job/rank1.json", 2, 3), trace("job/rank0.json", 1, 2)};
  const OpenedTrace named = read_traces(files), folder = read_trace(file("job"));
  for (const OpenedTrace* opened : {&named, &folder}) {
    ASSERT_EQ(opened->trace->lane_count(), 2u);
    EXPECT_EQ(opened->trace->lane(0).info().process, "rank 0");
    EXPECT_EQ(opened->trace->lane(1).info().process, "rank 1");
    EXPECT_EQ(opened->events_read, 5u);
    EXPECT_EQ(opened->trace->lane(1).row(0).last(), 3u);
  }
}

TEST_F(RankFiles, OneFileIsWhatIsInIt) {
  const OpenedTrace opened = read_traces({trace("rank1.json", 2, 3)});
  EXPECT_EQ(opened.trace->lane(0).info().process, "");
  EXPECT_EQ(opened.incomplete, "");
}

TEST_F(RankFiles, FilesOfOneNameAreNamedWithTheirFolders) {
  const std::vector files{trace("a/trace.json", 1, 1), trace("b/trace.json", 1, 1), trace("b/other.json", 1, 1)};
  const std::vector<RankTrace> ranks = read_ranks(files, nullptr, {});
  ASSERT_EQ(ranks.size(), 3u);
  EXPECT_EQ(ranks[0].name, "a/trace.json");
  EXPECT_EQ(ranks[1].name, "b/trace.json");
  EXPECT_EQ(ranks[2].name, "other.json");
  EXPECT_EQ(trace::Owners(*read_traces(files).trace).gpus().size(), 3u) << "equal process numbers are not one process";
}

TEST_F(RankFiles, ManyAreReadInTheirOrder) {
  std::vector<std::filesystem::path> files;
  for (int r = 0; r < 40; ++r) files.push_back(trace("r" + std::to_string(r) + ".json", r + 1, r % 7 + 1));
  ReadProgress progress;
  const std::vector<RankTrace> ranks = read_ranks(files, &progress, {});
  ASSERT_EQ(ranks.size(), 40u);
  for (std::size_t r = 0; r < 40; ++r) EXPECT_EQ(ranks[r].opened.events_read, r % 7 + 1);
}

TEST_F(RankFiles, MistakesAreSaidInOneLineThatNamesTheFile) {
  const auto a = trace("a.json", 1, 1), b = trace("b.json", 2, 1);
  EXPECT_THAT(error_of([&] {
                read_traces({a, b, file("./a.json")});
              }),
              HasSubstr("a.json: the same file is given twice"));
  std::filesystem::create_symlink(a, file("link.json"));
  EXPECT_THAT(error_of([&] { read_traces({a, file("link.json")}); }), HasSubstr("link.json: the same file"));
  std::filesystem::create_directories(file("folder"));
  EXPECT_THAT(error_of([&] { read_traces({a, file("folder")}); }), HasSubstr("folder: a folder among several files"));
  EXPECT_THAT(error_of([&] { read_traces({a, file("missing.json"), b}); }), HasSubstr("missing.json"));
}

// Of several that are broken, the first is named, whichever is read first.
TEST_F(RankFiles, TheFirstBrokenFileIsNamed) {
  std::vector<std::filesystem::path> files{trace("a.json", 1, 1), trace("b.json", 2, 2000)};
  std::string cut = R"({"traceEvents": [)";
  files.push_back(write("c.json", cut));
  files.push_back(write("d.json", "{"));
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(error_of([&] { read_traces(files); }), HasSubstr("c.json"));
  }
}

// The first reader has often ended before the second has begun.
TEST_F(RankFiles, ReadersMayEndAtOnce) {
  for (int i = 0; i < 2'000; ++i) {
    EXPECT_THROW(read_ranks({file("none.json"), file("neither.json")}, nullptr, {}), base::FileError);
  }
}

TEST_F(RankFiles, ReadingCanBeStopped) {
  const std::vector files{trace("a.json", 1, 1000), trace("b.json", 2, 1000)};
  ReadProgress progress;
  progress.cancelled = true;
  EXPECT_THROW(read_ranks(files, &progress, {}), Cancelled);
}

TEST_F(RankFiles, AFileSaysWhichRanksAreMissing) {
  const auto one = write("a.json", R"({"distributedInfo": {"rank": 0, "world_size": 128}, "traceEvents": [
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": 7, "ts": 0, "dur": 5}]})");
  EXPECT_EQ(read_trace(one).incomplete, "127 of 128 ranks are not here.");
  EXPECT_EQ(read_traces({one}).incomplete, "127 of 128 ranks are not here.");
}

// PyTorch writes execution traces beside those of its profiler. One that is named is an error, and so is a folder with
// nothing else, or with a broken file.
TEST_F(RankFiles, InAFolderJsonThatIsNoTraceIsLeftOut) {
  trace("job/rank0.json", 1, 2);
  const auto et = write("job/rank0_et.json", R"({"schema": "1.0", "nodes": []})");
  const OpenedTrace opened = read_trace(file("job"));
  EXPECT_EQ(opened.events_read, 2u);
  EXPECT_EQ(opened.incomplete, "Left out, because it is no trace: rank0_et.json.");
  trace("job/rank1.json", 2, 3);
  for (const char* name : {"job/a.json", "job/b.json", "job/c.json"}) write(name, "{}");
  const OpenedTrace both = read_trace(file("job"));
  EXPECT_EQ(both.events_read, 5u);
  EXPECT_THAT(both.incomplete,
              testing::EndsWith(" Left out, because they are no traces, 4 files: a.json, b.json, c.json, …."));
  EXPECT_THAT(error_of([&] { read_traces({file("job/rank0.json"), et}); }), HasSubstr("not a Chrome trace"));
  EXPECT_THAT(error_of([&] { read_trace(et); }), HasSubstr("not a Chrome trace"));
  write("job/broken.json", "{");
  EXPECT_THAT(error_of([&] { read_trace(file("job")); }), HasSubstr("broken.json"));
  std::filesystem::create_directories(file("none"));
  write("none/x_et.json", "{}");
  EXPECT_THAT(error_of([&] { read_trace(file("none")); }), HasSubstr("x_et.json: not a Chrome trace"));
}

}  // namespace
// Two GPUs under torchrun (tests/data/README.md): the second rank has four matrix products more to do in each of 20
// iterations. By Python's own json: its all-reduces begin 1308.78 us after the first rank's in the mean, and between
// two of them its kernels take 1348.30 us longer (memsets and rounding apart), in 33 launches instead of 29. Each
// transfers 67,141,632 bytes (float32, four layers of 2048 x 2048 weights and 2048 biases); by Python, that over the
// mean of what both kernels run after the later start is 277.39 GB/s in the median.
TEST(RanksOfPyTorch, TheLateOneAndWhyAreKnown) {
  const OpenedTrace opened = read_traces({fixture("ddp-rank1.json.gz"), fixture("ddp-rank0.json.gz")});
  const auto [from, to] = opened.trace->extent();
  const analysis::Collectives found = analysis::collectives(*opened.trace, from, to + 1, opened.facts.clock_error_ns);
  ASSERT_EQ(found.all.size(), 20u);
  EXPECT_EQ(found.unmatched, 0);
  EXPECT_EQ(found.verdict, analysis::CollectiveVerdict::Skew);
  ASSERT_EQ(found.gpus.size(), 2u);
  EXPECT_EQ(found.gpus[1].name, "rank 1");
  EXPECT_EQ(found.gpus[1].arrived_last, 20);
  EXPECT_NEAR(static_cast<double>(found.gpus[0].wait_ns) / 20, 1'308'783, 1);
  const analysis::Lateness late = analysis::lateness_of_gpu(*opened.trace, found, found.gpus[1].gpu);
  EXPECT_EQ(late.by, analysis::LateBy::Kernels);
  ASSERT_EQ(late.collectives, 19);
  const base::Nanoseconds kernels_ns = late.part_ns[static_cast<std::size_t>(analysis::LateBy::Kernels)];
  EXPECT_NEAR(static_cast<double>(kernels_ns) / 19, 1'348'303, 1'000);
  const std::vector<analysis::GroupRate> rates = analysis::group_rates(found);
  ASSERT_EQ(rates.size(), 1u);
  EXPECT_EQ(rates[0].collectives, 20);
  EXPECT_NEAR(rates[0].bytes_per_s, 277.39e9, 0.01e9);
}

}  // namespace lanescope::io
