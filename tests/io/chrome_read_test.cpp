// Other programs' files: the PyTorch profiler's real ones, and the variants that the format allows.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "io/trace_file.h"
#include "opened.h"
#include "scratch.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

std::map<std::string, std::uint64_t> all_categories(const OpenedTrace& opened) {
  auto counts = opened.read_by_category;
  for (const auto& [category, count] : opened.skipped_by_category) counts[category] += count;
  return counts;
}

// --- real files ------------------------------------------------------------------------------------------------------

// Values of the files' own JSON objects.
TEST(PyTorchTrace, WhatIsKnownOfEventsIsKept) {
  const OpenedTrace alexnet = read_chrome_trace(fixture("pytorch-alexnet.json.gz"));
  const auto kernels = events_on(alexnet, LaneKind::Kernels);
  const auto kernel =
      std::find_if(kernels.begin(), kernels.end(), [](const NamedEvent& e) { return e.event.correlation == 5117; });
  ASSERT_NE(kernel, kernels.end());
  const trace::LaunchShape shape{.grid = {96800, 1, 1},
                                 .block = {128, 1, 1},
                                 .registers_per_thread = 40,
                                 .shared_bytes = 0,
                                 .context = 1,
                                 .blocks_per_sm = 896.2963,
                                 .warps_per_sm = 3585.1853,
                                 .occupancy_percent = 75};
  EXPECT_EQ(kernel->launch, shape);
  EXPECT_EQ(trace::external_id_of(kernel->event), 0u) << "it repeats the correlation";
  EXPECT_EQ(find_event(alexnet, "Memcpy HtoD (Pageable -> Device)", 14).correlation, 14u);
  for (const NamedEvent& e : events_on(alexnet, LaneKind::Phases)) {
    if (trace::external_id_of(e.event) != 3) continue;
    EXPECT_EQ(e.arguments, R"("Fwd thread id":0,"Sequence number":0)");
  }

  const OpenedTrace large = read_chrome_trace(fixture("pytorch-ns-resolution.json.gz"));
  std::set<std::uint32_t> launches;
  int with_grid = 0, with_occupancy = 0;
  for (const NamedEvent& e : events_on(large, LaneKind::Kernels)) {
    if (e.event.kind != EventKind::Kernel || !e.launch) continue;
    with_grid += e.launch->grid[0] > 0 && e.launch->block[0] > 0 && e.launch->registers_per_thread > 0;
    with_occupancy += e.launch->occupancy_percent >= 0;
  }
  EXPECT_EQ(with_grid, 4350);
  EXPECT_EQ(with_occupancy, 4350);
  std::set<std::string> reductions;
  for (const NamedEvent& e : events_on(large, LaneKind::Phases)) {
    if (trace::external_id_of(e.event) == 2099) reductions.insert(e.arguments);
  }
  EXPECT_THAT(
      reductions,
      ElementsAre(R"("Collective name":"allreduce","dtype":"Float","In msg nelems":2049000,"Global rank start":0,)"
                  R"("Group size":1,"Process Group Ranks":"[0]","Out msg nelems":2049000,"Global rank stride":1,)"
                  R"("Process Group ID":0)"));
}

TEST(DistributedInfo, SaysWhichRankItIs) {
  const auto read = [](const std::string& info) {
    return read_chrome_trace(R"j({"schemaVersion":1,"distributedInfo":)j" + info + R"j(,"traceEvents":[
      {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1}]})j",
                             "rank.json");
  };
  const OpenedTrace opened = read(R"j({"backend":"nccl","rank":3,"world_size":8,"pg_count":1,"pg_config":[
      {"pg_name":"0","pg_desc":"default_pg","rank":5,"ranks":[0,1]}],"nccl_version":"2.27.5"})j");
  EXPECT_EQ(opened.rank, 3) << "the groups' own members are not the file's";
  EXPECT_EQ(opened.world_size, 8);
  EXPECT_EQ(read(R"j({"rank":8,"world_size":8})j").world_size, 0) << "there is no rank 8 of 8";
  EXPECT_EQ(read(R"j({"rank":-1,"world_size":1e30})j").rank, -1);
  EXPECT_EQ(read("[1]").rank, -1);
}

// The first event is at 1,500 µs after the base.
TEST(BaseTime, IsAddedToTheTimeOfTheFirstEvent) {
  const auto offset = [](const std::string& base) {
    return read_chrome_trace(R"j({"baseTimeNanoseconds":)j" + base + R"j(,"traceEvents":[
      {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1500,"dur":1}]})j",
                             "based.json")
        .time_offset_ns;
  };
  EXPECT_EQ(offset("1700000000000000000"), 1'700'000'000'001'500'000);
  EXPECT_EQ(offset("\"soon\""), 1'500'000);
  EXPECT_EQ(offset("-5"), 1'500'000);
  EXPECT_LE(offset("9223372036854775807"), base::Nanoseconds{1} << 62);
}

TEST(ForeignArguments, NestedValuesAreKeptAndLongOnesCut) {
  const std::string longest(1'000'000, 'x');
  const std::string file = R"j({"traceEvents":[
    {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":2,"ts":0,"dur":1,"args":{
      "External id": 7, "Ev Idx": 6, "Input Dims": [[64, 3], [], [1.50, null, true]], "Concrete": {"a": "b\"c", "d": {}}}},
    {"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":2,"ts":2,"dur":1,"args":{"text":")j" +
                           longest + R"j("}},
    {"ph":"X","cat":"cpu_op","name":"c","pid":1,"tid":2,"ts":4,"dur":1,"args":{"list":[")j" +
                           longest + R"j(",1,[2,{"k":"v"}]],"after":5}},
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":1,
      "args":{"correlation":9,"grid":[1,2],"block":[128,1,1,1],"registers per thread":-5,"shared memory":1e300}},
    {"ph":"X","cat":"kernel","name":"l","pid":0,"tid":7,"ts":7,"dur":1,
      "args":{"correlation":10,"External id":7,"grid":[4294967295,0,"1"],"block":[3,2,1],"est. achieved occupancy %":"?"}}
  ]})j";
  const OpenedTrace opened = read_chrome_trace(file, "made up");
  EXPECT_EQ(opened.events_malformed, 0u);
  const auto ops = events_on(opened, LaneKind::Phases);
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(trace::external_id_of(ops[0].event), 7u);
  EXPECT_EQ(ops[0].arguments, R"("Input Dims":[[64,3],[],[1.50,null,true]],"Concrete":{"a":"b\"c","d":{}})");
  EXPECT_LT(ops[1].arguments.size(), 2'100u);
  EXPECT_THAT(ops[1].arguments, testing::EndsWith("xxx…\""));
  EXPECT_LT(ops[2].arguments.size(), 2'300u);
  EXPECT_THAT(ops[2].arguments, testing::EndsWith("…\",\"after\":5"));
  const auto kernels = events_on(opened, LaneKind::Kernels);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_FALSE(kernels[0].launch.has_value()) << "none of it is a size";
  trace::LaunchShape shape;
  shape.block = {3, 2, 1};
  EXPECT_EQ(kernels[1].launch, shape);
  EXPECT_EQ(trace::external_id_of(kernels[1].event), 7u);
}

// As many different arguments as events: the events are kept, and those whose arguments are not say so.
TEST(ForeignArguments, TheyTakeTheirShareOfTheMemoryOnly) {
  std::string file = R"j({"traceEvents":[)j";
  for (int i = 0; i < 2000; ++i) {
    file +=
        fmt::format(R"j({}{{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":2,"ts":{},"dur":1,"args":{{"n":{}}}}})j",
                    i == 0 ? "" : ",", 2 * i, i);
  }
  const OpenedTrace opened = read_chrome_trace(file + "]}", "made up", nullptr, {.memory_bytes = 400'000});
  const auto ops = events_on(opened, LaneKind::Phases);
  ASSERT_EQ(ops.size(), 2000u);
  // 400,000 / 8 = 50,000 bytes, at 100 and the text's 5 to 7 each: about 475 texts.
  const auto kept = std::count_if(ops.begin(), ops.end(), [](const NamedEvent& e) {
    return trace::arguments_of(e.event) != base::NameTable::kOverflow;
  });
  EXPECT_GT(kept, 450);
  EXPECT_LT(kept, 500);
}

TEST(ForeignThreads, HaveTheirNamesUnlessAllAreCalledTheSame) {
  const OpenedTrace opened = read_chrome_trace(R"j({"traceEvents":[
    {"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python3"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"thread 2 (python3)"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"thread 3 (loader)"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":4,"args":{"name":"thread 4 (pt_main)"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":5,"args":{"name":"thread 5 (pt_main)"}},
    {"ph":"M","name":"thread_name","pid":1,"tid":6,"args":{"name":"autograd"}},
    {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":2,"ts":0,"dur":1},
    {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":3,"ts":0,"dur":1},
    {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":4,"ts":0,"dur":1},
    {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":5,"ts":0,"dur":1},
    {"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":6,"ts":0,"dur":1}]})j",
                                               "made up");
  std::map<std::int64_t, std::string> names;
  for (const LaneInfo& lane : lanes_of(*opened.trace)) names[lane.tid] = lane.thread;
  EXPECT_THAT(names, ElementsAre(Pair(2, ""), Pair(3, "loader"), Pair(4, ""), Pair(5, ""), Pair(6, "autograd")));
}

TEST(PyTorchTrace, CountsPerCategoryAreThoseOfTheFile) {
  // tests/data/README.md; the two instants of each file have no category.
  EXPECT_THAT(
      all_categories(read_chrome_trace(fixture("pytorch-event-sync.json.gz"))),
      UnorderedElementsAre(Pair("cuda_runtime", 12), Pair("cpu_op", 10), Pair("kernel", 4), Pair("cuda_sync", 4),
                           Pair("user_annotation", 1), Pair("gpu_memcpy", 1), Pair("Trace", 1), Pair("(phase i)", 2)));
  EXPECT_THAT(all_categories(read_chrome_trace(fixture("pytorch-alexnet.json.gz"))),
              UnorderedElementsAre(Pair("cuda_runtime", 361), Pair("cpu_op", 359), Pair("kernel", 79),
                                   Pair("cuda_sync", 41), Pair("gpu_memcpy", 16), Pair("user_annotation", 8),
                                   Pair("gpu_memset", 3), Pair("Trace", 1), Pair("(phase i)", 2)));
  const OpenedTrace large = read_chrome_trace(fixture("pytorch-ns-resolution.json.gz"));
  EXPECT_THAT(all_categories(large),
              UnorderedElementsAre(Pair("cpu_op", 23'910), Pair("cuda_runtime", 15'329), Pair("kernel", 4'350),
                                   Pair("gpu_memcpy", 1'600), Pair("gpu_memset", 145), Pair("user_annotation", 70),
                                   Pair("gpu_user_annotation", 15), Pair("Trace", 1), Pair("(phase i)", 2)));
  EXPECT_EQ(large.events_read, 45'419u);
  EXPECT_EQ(large.events_skipped, 3u);
  EXPECT_EQ(large.events_malformed, 0u);
  EXPECT_EQ(large.trace->counts().recorded, 45'419u);
  EXPECT_EQ(large.trace->counts().dropped, 0u);
  EXPECT_EQ(large.trace->counts().clamped, 0u);
}

TEST(PyTorchTrace, TimesKeepTheirNanosecondsAndStartAtZero) {
  const OpenedTrace opened = read_chrome_trace(fixture("pytorch-ns-resolution.json.gz"));
  EXPECT_EQ(opened.trace->extent().first, 0);
  EXPECT_EQ(opened.trace->complete_until(), opened.trace->extent().second);
  // In the file: "ts": 1712195495519689.047, "dur": 63.813 - more digits than a double has.
  const std::int64_t start = 1'712'195'495'519'689'047 - opened.time_offset_ns;
  bool found = false;
  for (const NamedEvent& e : events_on(opened, LaneKind::Phases)) {
    if (e.event.start_ns != start) continue;
    found = true;
    EXPECT_EQ(e.event.duration(), 63'813);
    EXPECT_EQ(e.name, "autograd::engine::evaluate_function: DivBackward1");
  }
  EXPECT_TRUE(found);
}

TEST(PyTorchTrace, StepsBecomeIterations) {
  const OpenedTrace opened = read_chrome_trace(fixture("pytorch-ns-resolution.json.gz"));
  std::vector<std::uint32_t> numbers;
  for (const NamedEvent& e : events_on(opened, LaneKind::Iterations)) numbers.push_back(trace::index_of(e.event));
  EXPECT_THAT(numbers, ElementsAre(101, 102, 103, 104, 105));
  EXPECT_EQ(events_on(opened, LaneKind::GpuRanges).size(), 15u);
  EXPECT_EQ(opened.trace->lane(0).info().kind, LaneKind::Iterations);  // a thread with iterations comes first
  EXPECT_EQ(opened.trace->lane(0).info().tid, 1102);
}

TEST(PyTorchTrace, LanesAreThreadsAndStreams) {
  const OpenedTrace opened = read_chrome_trace(fixture("pytorch-alexnet.json.gz"));
  std::vector<std::tuple<LaneKind, std::int64_t, std::int32_t>> lanes;
  for (const LaneInfo& info : lanes_of(*opened.trace)) {
    lanes.emplace_back(info.kind, info.tid, info.stream);
    EXPECT_EQ(info.process, "python3.10");
  }
  EXPECT_THAT(lanes, ElementsAre(std::tuple(LaneKind::Phases, 2869224, 0), std::tuple(LaneKind::Calls, 2869224, 0),
                                 std::tuple(LaneKind::Kernels, 0, 7), std::tuple(LaneKind::CopyH2D, 0, 7),
                                 std::tuple(LaneKind::Kernels, 0, 20)));
  EXPECT_EQ(opened.facts.device_name, "NVIDIA A100-PG509-200");
  EXPECT_FALSE(opened.own);
  EXPECT_FALSE(opened.facts.simulated);
  EXPECT_EQ(opened.facts.version, "");
}

TEST(PyTorchTrace, ASynchronisationIsSplitWhereItsGpuWorkEnded) {
  // cudaEventSynchronize runs from 3047 to 3081 us; its sync record begins at 3048; the kernel it waits for ends at
  // 3073.
  const OpenedTrace opened = read_chrome_trace(fixture("pytorch-event-sync.json.gz"));
  const Event event_sync = find_event(opened, "cudaEventSynchronize", 1536);
  EXPECT_TRUE(trace::is_sync(event_sync));
  expect_parts(event_sync, 1, 25, 0, 8);
  // cudaDeviceSynchronize and cudaStreamSynchronize find nothing to wait for: their time is their own cost.
  for (const auto& [name, correlation] :
       {std::pair("cudaDeviceSynchronize", 1549u), {"cudaStreamSynchronize", 1512u}}) {
    const Event call = find_event(opened, name, correlation);
    EXPECT_TRUE(trace::is_sync(call));
    EXPECT_FALSE(trace::is_blocking(call));
  }
  // A whole device: from 43,348,720 to 43,349,604 us, sync record from 2 us on, last kernel until 43,349,596.
  const OpenedTrace alexnet = read_chrome_trace(fixture("pytorch-alexnet.json.gz"));
  expect_parts(find_event(alexnet, "cudaDeviceSynchronize", 5894), 2, 874, 0, 8);
}

TEST(PyTorchTrace, PageableCopiesHoldTheirCaller) {
  // cudaMemcpyAsync to pageable memory: called at 2917 us for 29 us, the copy runs from 2935 to 2937.
  const OpenedTrace event_sync = read_chrome_trace(fixture("pytorch-event-sync.json.gz"));
  const Event read_back = find_event(event_sync, "cudaMemcpyAsync", 1511);
  EXPECT_TRUE(trace::is_sync(read_back));
  EXPECT_TRUE(trace::is_launch(read_back));
  expect_parts(read_back, 18, 0, 2, 9);

  const OpenedTrace alexnet = read_chrome_trace(fixture("pytorch-alexnet.json.gz"));
  for (const NamedEvent& e : events_on(alexnet, LaneKind::CopyH2D)) {
    const Event call = find_event(alexnet, "cudaMemcpyAsync", e.event.correlation);
    EXPECT_EQ(trace::copy_traits_of(e.event),
              (trace::CopyTraits{trace::CopyDirection::HostToDevice, trace::MemoryKind::Pageable,
                                 trace::MemoryKind::Device, true}));
    EXPECT_FALSE(trace::is_sync(call));  // it is an asynchronous call by its nature
    // 151 MB: the call takes 34,949 us; its copy begins after 258 us and outlasts it. Copies up to 64 KB do not block.
    if (trace::bytes_of(e.event) == 150'994'944) expect_parts(call, 258, 0, 34'691, 0);
    if (trace::bytes_of(e.event) > 65'536) continue;
    EXPECT_FALSE(trace::is_blocking(call));
  }
}

// --- variants of the format ------------------------------------------------------------------------------------------

class ForeignTest : public Scratch {
 protected:
  OpenedTrace open(std::string_view json) { return read_chrome_trace(write("trace.json", json)); }
  OpenedTrace open_events(const std::string& events) { return open("{\"traceEvents\":[" + events + "]}"); }
};

TEST_F(ForeignTest, ABareArrayIsATraceToo) {
  const OpenedTrace opened = open(R"([{"ph":"X","name":"work","pid":1,"tid":2,"ts":5,"dur":3}])");
  ASSERT_EQ(opened.events_read, 1u);
  EXPECT_EQ(opened.time_offset_ns, 5'000);
  const NamedEvent e = events_on(opened, LaneKind::Phases).at(0);
  EXPECT_EQ(e.name, "work");
  EXPECT_EQ(e.event.start_ns, 0);
  EXPECT_EQ(e.event.end_ns, 3'000);
}

TEST_F(ForeignTest, BeginAndEndMakeARange) {
  const OpenedTrace opened = open_events(R"j(
      {"ph":"B","name":"outer","pid":1,"tid":2,"ts":0}, {"ph":"B","name":"inner","pid":1,"tid":2,"ts":1},
      {"ph":"B","name":"other thread","pid":1,"tid":3,"ts":1.5},
      {"ph":"E","pid":1,"tid":2,"ts":4}, {"ph":"E","pid":1,"tid":3,"ts":5}, {"ph":"E","pid":1,"tid":2,"ts":6},
      {"ph":"E","pid":1,"tid":2,"ts":7}, {"ph":"B","name":"never ends","pid":1,"tid":2,"ts":8})j");
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> ranges;
  for (const NamedEvent& e : events_on(opened, LaneKind::Phases)) ranges[e.name] = {e.event.start_ns, e.event.end_ns};
  EXPECT_THAT(ranges, UnorderedElementsAre(Pair("outer", Pair(0, 6'000)), Pair("inner", Pair(1'000, 4'000)),
                                           Pair("other thread", Pair(1'500, 5'000))));
  EXPECT_EQ(opened.events_malformed, 2u);            // the end without a begin, the begin without an end
  EXPECT_EQ(opened.trace->lane(0).row_count(), 2u);  // inner lies in a row of its own
}

TEST_F(ForeignTest, NumbersMayBeTextsAndTextsMayBeIds) {
  const OpenedTrace opened = open_events(R"j(
      {"ph":"M","name":"process_name","pid":"77","args":{"name":"trainer"}},
      {"ph":"X","name":"a","pid":"77","tid":"main","ts":"1.5","dur":"2"},
      {"ph":"X","name":"b","pid":77,"tid":"main","ts":1e1,"dur":2.0004},
      {"ph":"X","name":"c","pid":"Spans","tid":1,"ts":20,"dur":1})j");
  ASSERT_EQ(opened.trace->lane_count(), 2u);
  EXPECT_EQ(opened.trace->lane(0).info().process, "trainer");
  EXPECT_EQ(opened.trace->lane(0).info().pid, 77);
  EXPECT_EQ(opened.trace->lane(1).info().process, "Spans");
  const auto events = events_of(*opened.trace, 0);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].event.duration(), 2'000);
  EXPECT_EQ(events[1].event.start_ns, 8'500);
  EXPECT_EQ(events[1].event.duration(), 2'000);
}

TEST_F(ForeignTest, GpuWorkGoesToLanesByDeviceStreamAndKind) {
  const OpenedTrace opened = open_events(R"j(
      {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":0,"dur":1,"args":{"device":0,"stream":7}},
      {"ph":"X","cat":"kernel","name":"k","pid":1,"tid":7,"ts":0,"dur":1,"args":{"device":1,"stream":7}},
      {"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":0,"tid":7,"ts":2,"dur":1,"args":{"bytes":64}},
      {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoD (Device -> Device)","pid":0,"tid":9,"ts":3,"dur":1,
       "args":{"device":0,"stream":9,"bytes":5000000000}},
      {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":4,"dur":1,"args":{}})j");
  std::vector<std::tuple<LaneKind, int, int>> lanes;
  for (const LaneInfo& i : lanes_of(*opened.trace)) lanes.emplace_back(i.kind, i.device, i.stream);
  EXPECT_THAT(lanes, ElementsAre(std::tuple(LaneKind::Kernels, 0, 7), std::tuple(LaneKind::CopyH2D, 0, 7),
                                 std::tuple(LaneKind::CopyOther, 0, 9), std::tuple(LaneKind::Kernels, 1, 7)));
  EXPECT_EQ(trace::bytes_of(events_on(opened, LaneKind::CopyOther).at(0).event), 5'000'000'000u);
  EXPECT_EQ(trace::bytes_of(events_of(*opened.trace, 0).at(1).event), 64u);
}

TEST_F(ForeignTest, ImpossibleValuesAreCountedNotShown) {
  const OpenedTrace opened = open_events(R"j(
      {"ph":"X","name":"ends before it starts","pid":1,"tid":1,"ts":10,"dur":-5},
      {"ph":"X","name":"no time","pid":1,"tid":1,"dur":5},
      {"ph":"X","name":"no duration","pid":1,"tid":1,"ts":5},
      {"ph":"X","name":"text","pid":1,"tid":1,"ts":"soon","dur":5},
      {"ph":"X","name":"nan","pid":1,"tid":1,"ts":"NaN","dur":5},
      {"ph":"X","name":"null","pid":1,"tid":1,"ts":null,"dur":5},
      {"ph":"X","name":"object","pid":1,"tid":1,"ts":{"a":[1]},"dur":5},
      {"ph":"X","name":"far","pid":1,"tid":1,"ts":1e300,"dur":5},
      {"ph":"X","name":"long","pid":1,"tid":1,"ts":4e15,"dur":4e15},
      {"ph":"X","name":"huge integer","pid":1,"tid":1,"ts":18446744073709551615,"dur":5},
      {"ph":"X","name":"good","pid":1,"tid":1,"ts":20,"dur":5}, 17, "text", null, [1,[2]])j");
  EXPECT_EQ(opened.events_read, 2u);
  EXPECT_EQ(opened.events_malformed, 9u);
  EXPECT_EQ(opened.trace->counts().clamped, 1u);
  const auto events = events_on(opened, LaneKind::Phases);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].event.start_ns, 0);
  EXPECT_EQ(events[0].event.end_ns, 0);
  EXPECT_EQ(events[1].event.start_ns, 10'000);
}

TEST_F(ForeignTest, EventsYearsFromTheOthersAreLeftOut) {
  // One has the time 0 where the others have a time of day, one ends a year later; the middle one is at ...007.
  const OpenedTrace opened = open_events(R"j(
      {"ph":"X","name":"at zero","pid":1,"tid":1,"ts":0,"dur":5},
      {"ph":"X","name":"first","pid":1,"tid":1,"ts":1712195495000000,"dur":5},
      {"ph":"X","name":"a year","pid":1,"tid":2,"ts":1712195495000007,"dur":31536000000000},
      {"ph":"X","name":"a week","pid":1,"tid":3,"ts":1712195495000008,"dur":604800000000},
      {"ph":"X","name":"last","pid":1,"tid":1,"ts":1712195495000020,"dur":5})j");
  EXPECT_EQ(opened.events_read, 3u);
  EXPECT_EQ(opened.events_malformed, 2u);
  EXPECT_EQ(opened.time_offset_ns, 1'712'195'495'000'000'000);
  const auto events = events_on(opened, LaneKind::Phases);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].name, "first");
  EXPECT_EQ(events[0].event.start_ns, 0);
  EXPECT_EQ(events[1].name, "last");
  EXPECT_EQ(events[1].event.start_ns, 20'000);
  EXPECT_EQ(events[2].name, "a week");
}

TEST_F(ForeignTest, WrongTypesAreNotFatal) {
  const OpenedTrace opened = open_events(R"j(
      {"ph":["X"],"name":1}, {"ph":7}, {}, {"ph":"X","name":{"x":1},"cat":[],"pid":{},"tid":[],"ts":1,"dur":1,"args":5},
      {"ph":"X","cat":"kernel","name":"k","pid":1.5,"tid":1e18,"ts":1,"dur":1,
       "args":{"correlation":"many","device":{"a":1},"stream":99999999999,"bytes":-4}},
      {"ph":"s","id":1}, {"ph":"f","id":2,"bp":"e"}, {"ph":"M","name":"process_name","args":{"name":5}})j");
  EXPECT_EQ(opened.events_read, 2u);
  EXPECT_EQ(opened.events_skipped, 3u);  // the three without a usable phase
}

TEST_F(ForeignTest, CallsKnowLaunchesAndSynchronisations) {
  // Two streams. The launch on stream 8 comes from another thread while the first waits, so it is not waited for.
  const OpenedTrace opened = open_events(R"j(
      {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":5,"args":{"correlation":1}},
      {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":10,"dur":30,"args":{"correlation":1,"device":0,"stream":7}},
      {"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":8,"dur":62,"args":{"correlation":2}},
      {"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":1,"tid":2,"ts":20,"dur":5,"args":{"correlation":3}},
      {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":8,"ts":45,"dur":15,"args":{"correlation":3,"device":0,"stream":8}},
      {"ph":"X","cat":"cuda_runtime","name":"cudaEventRecord","pid":1,"tid":1,"ts":80,"dur":1,"args":{"correlation":4}})j");
  EXPECT_TRUE(trace::is_launch(find_event(opened, "cudaLaunchKernel", 1)));
  EXPECT_TRUE(trace::is_launch(find_event(opened, "cuLaunchKernel", 3)));
  EXPECT_EQ(find_event(opened, "cudaEventRecord", 4).flags, 0);
  const Event sync = find_event(opened, "cudaDeviceSynchronize", 2);
  EXPECT_TRUE(trace::is_sync(sync));
  expect_parts(sync, 0, 32, 0, 30);  // until 40, when kernel a ended; back at 70
}

// A profiler uses the device's number as the process of GPU work; the calls show the real process.
TEST_F(ForeignTest, GpuWorkBelongsToTheProcessThatMakesTheCalls) {
  const OpenedTrace opened = open_events(R"j(
      {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":31,"tid":1,"ts":0,"dur":5,"args":{"correlation":1}},
      {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":10,"dur":30,"args":{"correlation":1,"device":0,"stream":7}})j");
  for (const LaneInfo& i : lanes_of(*opened.trace)) EXPECT_EQ(i.pid, 31);
}

// Two ranks with the same correlations, each with a GPU "device 0". The work of 32 ("pid 1") begins before 31 has made
// any call, so it does not belong to 31. Each waits for its own kernel only, although both have ended by then.
TEST_F(ForeignTest, RanksHaveTheirOwnCorrelationsAndGpus) {
  const OpenedTrace opened = open_events(R"j(
      {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":32,"tid":1,"ts":0,"dur":5,"args":{"correlation":1}},
      {"ph":"X","cat":"kernel","name":"b","pid":1,"tid":7,"ts":10,"dur":30,"args":{"correlation":1,"device":0,"stream":7}},
      {"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":32,"tid":1,"ts":6,"dur":94,"args":{"correlation":2}},
      {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":31,"tid":1,"ts":20,"dur":5,"args":{"correlation":1}},
      {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":50,"dur":30,"args":{"correlation":1,"device":0,"stream":7}},
      {"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":31,"tid":1,"ts":26,"dur":74,"args":{"correlation":3}})j");
  std::map<std::string, std::int64_t> process_of;
  for (std::size_t l = 0; l < opened.trace->lane_count(); ++l) {
    for (const NamedEvent& e : events_of(*opened.trace, l))
      process_of[e.name] = opened.trace->lane(static_cast<LaneId>(l)).info().pid;
  }
  EXPECT_EQ(process_of["a"], 31);
  EXPECT_EQ(process_of["b"], 32);
  expect_parts(find_event(opened, "cudaDeviceSynchronize", 2), 0, 34, 0, 60);  // until 40, when b ended
  expect_parts(find_event(opened, "cudaStreamSynchronize", 3), 0, 54, 0, 20);  // until 80, when a ended
}

TEST_F(ForeignTest, ABlockingCopyWaitsCopiesAndReturns) {
  // Called from 0 to 100 us. Earlier work on its stream ends at 40, its own copy runs from 45 to 90.
  const OpenedTrace opened = open_events(R"j(
      {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":-10,"dur":5,"args":{"correlation":1}},
      {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":-4,"dur":44,"args":{"correlation":1,"device":0,"stream":7}},
      {"ph":"X","cat":"cuda_runtime","name":"cudaMemcpy","pid":1,"tid":1,"ts":0,"dur":100,"args":{"correlation":2}},
      {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Pageable)","pid":0,"tid":7,"ts":45,"dur":45,
       "args":{"correlation":2,"device":0,"stream":7,"bytes":1000000}},
      {"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":1,"tid":1,"ts":200,"dur":10,"args":{"correlation":3}},
      {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Pinned)","pid":0,"tid":7,"ts":203,"dur":2,
       "args":{"correlation":3,"device":0,"stream":7,"bytes":4}})j");
  const Event copy = find_event(opened, "cudaMemcpy", 2);
  EXPECT_TRUE(trace::is_sync(copy));
  expect_parts(copy, 5, 40, 45, 10);
  const Event pinned = find_event(opened, "cudaMemcpyAsync", 3);  // its copy happened to end inside the call
  EXPECT_FALSE(trace::is_sync(pinned));
  EXPECT_FALSE(trace::is_blocking(pinned));
}

TEST_F(ForeignTest, CategoriesOfOtherToolsAreRangesOfTheirThread) {
  const OpenedTrace opened = open_events(R"j({"ph":"X","cat":"blink","name":"layout","pid":1,"tid":1,"ts":0,"dur":1},
      {"ph":"C","name":"memory","pid":1,"ts":0,"args":{"bytes":5}}, {"ph":"b","cat":"net","id":1,"ts":0,"name":"x"})j");
  EXPECT_THAT(opened.read_by_category, ElementsAre(Pair("blink", 1)));
  EXPECT_THAT(opened.skipped_by_category, ElementsAre(Pair("(phase C)", 1), Pair("net", 1)));
}

TEST_F(ForeignTest, CompressionIsToldByContentNotByName) {
  const std::string gz = read_bytes(fixture("pytorch-event-sync.json.gz"));
  EXPECT_EQ(read_chrome_trace(write("named.json", gz)).events_read, 28u);
  EXPECT_EQ(read_chrome_trace(write("plain.json.gz", "[]")).events_read, 0u);
}

TEST_F(ForeignTest, GzipInSeveralMembersIsOneFile) {
  const std::string two = gzip(R"([{"ph":"X","ts":1,)") + gzip(R"("dur":2}])");
  EXPECT_EQ(read_chrome_trace(write("two.gz", two)).events_read, 1u);
  EXPECT_EQ(read_chrome_trace(write("padded.gz", two + std::string(100, '\0'))).events_read, 1u);
}

}  // namespace
}  // namespace lanescope::io
