#include "inspect/trace_statistics.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <thread>

#include "analysis/trace_builder.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using testing::ElementsAre;
using trace::EventKind;
using trace::LaneKind;

constexpr Nanoseconds kStatisticsForever = Nanoseconds{1} << 60;

class TraceStatisticsTest : public testing::Test {
 protected:
  TraceStatistics all() { return trace_statistics(trace, 0, kStatisticsForever, {}); }
  const StatisticsLine* line(const TraceStatistics& s, const std::string& name, StatisticsKind kind) {
    for (const StatisticsLine& l : s.lines) {
      if (trace.names().text(l.name) == name && l.kind == kind) return &l;
    }
    return nullptr;
  }
  std::string names(const TraceStatistics& s, const LineWish& wish, const std::vector<StatisticsLine>& before = {}) {
    std::string text;
    for (const std::size_t i : arranged_lines(s, trace.names(), wish, before)) {
      text += std::string(text.empty() ? "" : " ") + std::string(trace.names().text(s.lines[i].name));
    }
    return text;
  }
  void range(const char* name, Nanoseconds start, Nanoseconds end, trace::RangeKind kind, std::uint8_t flags = 0) {
    trace::Event e;
    e.kind = EventKind::Range;
    e.lane = build.lane(LaneKind::Phases);
    e.name = trace.names().intern(name);
    e.start_ns = start;
    e.end_ns = end;
    e.flags = flags;
    trace::set_range_kind(e, kind);
    trace.append(e);
  }
  void sync(Nanoseconds start, Nanoseconds own, Nanoseconds waiting, Nanoseconds returning) {
    trace::Event e;
    e.kind = EventKind::Call;
    e.lane = build.lane(LaneKind::Calls);
    e.name = trace.names().intern("cudaStreamSynchronize");
    e.start_ns = start;
    e.end_ns = start + own + waiting + returning;
    trace::set_parts(e, {own, 0, 0, returning});
    trace.append(e);
  }

  const std::shared_ptr<trace::Trace> shared = std::make_shared<trace::Trace>();
  trace::Trace& trace = *shared;
  TraceBuilder build{trace};
};

// Two synchronisations of 10 + 80 + 10 and 10 + 0 + 10 ns: as calls 2, 120 ns; as waits 1, 80 ns, because the second
// did not wait. Median of 20 and 100 by nearest rank: the ceil(0.5 * 2) = 1st, 20.
TEST_F(TraceStatisticsTest, ACallIsCountedAndItsWaitBesides) {
  sync(0, 10, 80, 10);
  sync(200, 10, 0, 10);
  build.kernel(5, 25);
  build.kernel(30, 70);
  build.publish();
  const TraceStatistics s = all();
  const StatisticsLine* call = line(s, "cudaStreamSynchronize", StatisticsKind::Calls);
  const StatisticsLine* wait = line(s, "cudaStreamSynchronize", StatisticsKind::Waits);
  ASSERT_TRUE(call && wait);
  EXPECT_EQ(call->sum_ns, 120);
  EXPECT_EQ(call->durations.count, 2);
  EXPECT_EQ(call->durations.p50_ns, 20);
  EXPECT_EQ(call->durations.p99_ns, 100);
  EXPECT_DOUBLE_EQ(call->durations.mean_ns, 60);
  EXPECT_EQ(wait->sum_ns, 80);
  EXPECT_EQ(wait->durations.count, 1);
  EXPECT_EQ(line(s, "kernel", StatisticsKind::Kernels)->sum_ns, 60);
  EXPECT_EQ(s.events, 4) << "the wait of a call is no event of its own";
}

TEST_F(TraceStatisticsTest, KindsAreToldApart) {
  range("forward", 0, 10, trace::RangeKind::Phase);
  range("aten::mm", 20, 25, trace::RangeKind::Operator);
  range("train.py(12): step", 30, 40, trace::RangeKind::Other);
  range("<built-in method item>", 41, 42, trace::RangeKind::Other);
  range("wait for batch", 50, 60, trace::RangeKind::Load, trace::kWaitFlag);
  build.publish();
  const TraceStatistics s = all();
  std::map<std::string, StatisticsKind> kinds;
  for (const StatisticsLine& l : s.lines) kinds[std::string(trace.names().text(l.name))] = l.kind;
  EXPECT_EQ(kinds.at("forward"), StatisticsKind::Ranges);
  EXPECT_EQ(kinds.at("aten::mm"), StatisticsKind::Python);
  EXPECT_EQ(kinds.at("train.py(12): step"), StatisticsKind::Python);
  EXPECT_EQ(kinds.at("<built-in method item>"), StatisticsKind::Python);
  EXPECT_EQ(kinds.at("wait for batch"), StatisticsKind::Waits);
  EXPECT_EQ(s.events, 5);
}

TEST_F(TraceStatisticsTest, LinesAreFilteredAndSorted) {
  build.call("cudaMalloc", 0, 10);
  build.call("cudaFree", 100, 130);
  build.call("cudaFree", 200, 205);
  build.kernel(300, 340);
  build.publish();
  const TraceStatistics s = all();
  LineWish wish;
  EXPECT_EQ(names(s, wish), "kernel cudaFree cudaMalloc") << "by total: 40, 35, 10";
  wish.order = {LineColumn::Count, false};
  EXPECT_EQ(names(s, wish), "cudaFree cudaMalloc kernel") << "equal ones by name";
  wish.order = {LineColumn::Max, true};
  EXPECT_EQ(names(s, wish), "cudaMalloc cudaFree kernel");
  wish.order = {LineColumn::Name, false};
  EXPECT_EQ(names(s, wish), "cudaFree cudaMalloc kernel");
  wish.kind = StatisticsKind::Calls;
  EXPECT_EQ(names(s, wish), "cudaFree cudaMalloc");
  wish.name = "MALL";
  EXPECT_EQ(names(s, wish), "cudaMalloc");
  wish.name = "nothing";
  EXPECT_EQ(names(s, wish), "");
}

// "b" overtakes "a" when it has 5 % more, not before; a new line takes its place at once.
TEST_F(TraceStatisticsTest, ALineKeepsItsPlaceUntilItIsClearlyOvertaken) {
  TraceStatistics s;
  const auto put = [&](const char* name, Nanoseconds sum) {
    StatisticsLine l;
    l.name = trace.names().intern(name);
    l.sum_ns = sum;
    s.lines.push_back(l);
  };
  put("a", 1000);
  put("b", 990);
  const std::vector<StatisticsLine> before = s.lines;
  s.lines.clear();
  put("a", 1000);
  put("b", 1040);
  EXPECT_EQ(names(s, {}, before), "a b");
  EXPECT_EQ(names(s, {}), "b a") << "without a table before, exactly";
  s.lines[1].sum_ns = 1060;
  EXPECT_EQ(names(s, {}, before), "b a");
  put("c", 1061);
  EXPECT_EQ(names(s, {}, before), "c b a");
}

// Names with commas and quotes are quoted. 2 kernels of 30 and 10 ns in a stretch of 100: a share of 0.4.
TEST_F(TraceStatisticsTest, CsvIsWhatASpreadsheetReads) {
  trace::Event e;
  e.kind = EventKind::Kernel;
  e.lane = build.lane(LaneKind::Kernels);
  e.name = trace.names().intern("gemm<4, \"x\">");
  e.end_ns = 30;
  trace.append(e);
  e.start_ns = 50;
  e.end_ns = 60;
  trace.append(e);
  build.publish();
  const TraceStatistics s = trace_statistics(trace, 0, 100, {});
  EXPECT_EQ(statistics_csv(s, trace.names(), {0}),
            "name,kind,count,sum_ns,mean_ns,p50_ns,p99_ns,max_ns,min_ns,share\r\n"
            "\"gemm<4, \"\"x\"\">\",kernel,2,40,20.0,10,30,30,10,0.400000\r\n");
}

// The same figures as those of a selected stretch, in a trace too large to keep all durations.
TEST_F(TraceStatisticsTest, AgreesWithTheStatisticsOfAStretch) {
  Nanoseconds at = 0;
  for (int i = 1; i <= 3000; ++i) {
    build.kernel(at, at + 7 * (1 + i * 37 % 101));
    at += 1000;
  }
  build.publish();
  for (const std::size_t exact : {kExactDurations, std::size_t{500}}) {
    const TraceStatistics mine = trace_statistics(trace, 0, kStatisticsForever, {}, nullptr, nullptr, exact);
    const RangeStatistics theirs = range_statistics(trace, 0, kStatisticsForever, {}, nullptr, exact);
    ASSERT_EQ(mine.lines.size(), 1u);
    EXPECT_EQ(mine.lines[0].sum_ns, theirs.names[0].sum_ns);
    EXPECT_EQ(mine.lines[0].durations.p50_ns, theirs.names[0].durations.p50_ns);
    EXPECT_EQ(mine.lines[0].durations.p99_ns, theirs.names[0].durations.p99_ns);
    EXPECT_EQ(mine.exact, theirs.exact);
  }
}

// A trace that grows is counted again, at most once a second; another stretch at once. More than 8,000 events are
// counted in the background, and the former table stays meanwhile.
TEST_F(TraceStatisticsTest, TheTableFollowsTheRunWithoutHaste) {
  for (int i = 0; i < 10; ++i) build.kernel(i * 100, i * 100 + 50);
  build.publish();
  StatisticsJob job;
  auto now = StatisticsJob::Clock::now();
  job.update(shared, std::nullopt, {}, now);
  ASSERT_TRUE(job.result);
  EXPECT_EQ(job.result->events, 10);
  EXPECT_FALSE(job.busy());
  for (int i = 10; i < 20'000; ++i) build.kernel(i * 100, i * 100 + 50);
  build.publish();
  job.update(shared, std::nullopt, {}, now + std::chrono::milliseconds(500));
  EXPECT_FALSE(job.busy()) << "not yet";
  now += std::chrono::milliseconds(1100);
  job.update(shared, std::nullopt, {}, now);
  EXPECT_TRUE(job.busy());
  EXPECT_EQ(job.result->events, 10) << "the former table stays";
  const auto wait = [&] {
    while (job.busy()) {
      std::this_thread::yield();
      job.update(shared, std::nullopt, {}, now);
    }
  };
  wait();
  EXPECT_EQ(job.result->events, 20'000);
  EXPECT_EQ(job.progress(), 1);
  const std::uint64_t number = job.number;
  job.update(shared, std::nullopt, {}, now + std::chrono::hours(1));
  EXPECT_EQ(job.number, number) << "nothing has changed";
  job.update(shared, std::pair<Nanoseconds, Nanoseconds>{0, 1000}, {}, now);
  EXPECT_EQ(job.result->events, 10);
  job.end();
  EXPECT_FALSE(job.result);
}

}  // namespace
}  // namespace lanescope::ui
