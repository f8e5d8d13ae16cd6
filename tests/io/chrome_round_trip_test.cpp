// Lanescope's own files are read back without loss.
#include <gmock/gmock.h>

#include <cmath>

#include "analysis/live_analysis.h"
#include "analysis/trace_builder.h"
#include "io/trace_file.h"
#include "scratch.h"
#include "trace/links.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using RoundTripTest = Scratch;

RunFacts some_facts() {
  RunFacts facts;
  facts.workload = "linear-mse";
  facts.device = "sim:rtx4090";
  facts.device_name = "NVIDIA GeForce RTX 4090 \"µ\"";
  facts.simulated = true;
  facts.sm_count = 128;
  facts.h2d_peak_gb_per_s = 25.3;
  facts.d2h_peak_gb_per_s = 26.1;
  facts.settings = {{"log_interval", "1"}, {"pinned", "true"}, {"feed", "resident"}, {"dispatch_us", "0.5"}};
  return facts;
}

void expect_same(const trace::Trace& a, const trace::Trace& b) {
  ASSERT_EQ(lanes_of(a), lanes_of(b));
  for (std::size_t l = 0; l < a.lane_count(); ++l) ASSERT_EQ(events_of(a, l), events_of(b, l)) << "lane " << l;
}

TEST_F(RoundTripTest, RandomTracesComeBackEqual) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    trace::Trace trace;
    fill_randomly(trace, seed, 200);
    trace.set_complete_until(123'456);
    for (const char* name : {"a.json", "a.json.gz"}) {
      write_chrome_trace(file(name), trace, some_facts());
      const OpenedTrace opened = read_chrome_trace(file(name));
      EXPECT_TRUE(opened.own);
      EXPECT_EQ(opened.facts, some_facts());
      EXPECT_EQ(opened.events_read, trace.counts().recorded);
      EXPECT_EQ(opened.events_malformed, 0u);
      EXPECT_EQ(opened.events_skipped, 0u);
      EXPECT_EQ(opened.time_offset_ns, 0);
      EXPECT_EQ(opened.trace->complete_until(), 123'456);
      EXPECT_EQ(opened.trace->counts().dropped, trace.counts().dropped);
      expect_same(trace, *opened.trace);
      if (HasFatalFailure()) return;
    }
  }
}

// Which parts were recorded: of one process in bursts, the last one still open; of another, all until 500.
TEST_F(RoundTripTest, WhatWasRecordedComesBack) {
  using Act = trace::RecordingChange::Act;
  trace::Trace trace;
  fill_randomly(trace, 1, 50);
  trace.change_recording({Act::Bursts, 7, 50'000, 500'000});
  trace.begin_recorded(7, 1'000, 900);
  trace.end_recorded(7, 51'000);
  trace.begin_recorded(7, 501'000);
  trace.end_recorded(-8, 500);
  trace.change_recording({Act::Nothing, 9, 0, 0});
  write_chrome_trace(file("a.json"), trace, some_facts());
  const OpenedTrace opened = read_chrome_trace(file("a.json"));
  const trace::Trace::ReadLock lock(*opened.trace);
  ASSERT_EQ(opened.trace->coverage_count(), 3u);
  for (const std::int64_t pid : {7, -8, 9}) {
    const trace::Coverage &written = trace.coverage(pid), &read = opened.trace->coverage(pid);
    EXPECT_FALSE(read.complete());
    EXPECT_EQ(read.bursts(), written.bursts());
    ASSERT_EQ(read.last(), written.last()) << pid;
    for (trace::Coverage::Index i = 0; i < read.last(); ++i) EXPECT_EQ(read.interval(i), written.interval(i));
  }
  EXPECT_EQ(opened.trace->coverage(7).interval(1).end, trace::Coverage::kNever);
  EXPECT_TRUE(opened.trace->coverage(-8).recorded(-1'000'000));
}

// Times that make no sense are left out or cut, and never crash the reader.
TEST_F(RoundTripTest, HostileRecordedIntervals) {
  for (const char* intervals :
       {"[9223372036854775807,-9223372036854775808,5]", "[5,1,2,3]", "[1]", "[[1,2],[3]]", "[\"x\",null,true,1.5]",
        "[-9223372036854775808,-9223372036854775808,9223372036854775807]", "[100,100,200,50,50,60]", "{}", "7"}) {
    const std::string json =
        std::string("{\"otherData\":{\"lanescope\":\"1\",\"recorded\":[{\"pid\":1,\"intervals_ns\":") + intervals +
        "},[],3]},\"traceEvents\":[]}";
    const OpenedTrace opened = read_chrome_trace(json, "hostile");
    const trace::Trace::ReadLock lock(*opened.trace);
    const trace::Coverage& coverage = opened.trace->coverage(1);
    EXPECT_FALSE(coverage.complete()) << intervals;
    for (trace::Coverage::Index i = 0; i < coverage.last(); ++i) {
      EXPECT_LE(coverage.interval(i).calls_from, coverage.interval(i).begin);
      EXPECT_LE(coverage.interval(i).begin, coverage.interval(i).end);
    }
  }
}

// One call, many kernels, one correlation number: in the file, too, the launch of a graph has all of its nodes.
TEST_F(RoundTripTest, AGraphKeepsItsNodes) {
  trace::Trace trace;
  analysis_test::TraceBuilder t(trace);
  for (std::uint32_t replay = 0; replay < 3; ++replay) {
    const base::Nanoseconds at = replay * 1'000;
    t.call("cudaGraphLaunch", at, at + 30, replay + 1).flags = trace::kLaunchFlag;
    for (base::Nanoseconds node = 0; node < 4; ++node) {
      t.kernel(at + 50 + node * 110, at + 150 + node * 110, replay + 1);
    }
  }
  t.publish();
  write_chrome_trace(file("graph.json"), trace, some_facts());
  const OpenedTrace opened = read_chrome_trace(file("graph.json"));
  expect_same(trace, *opened.trace);
  trace::Links links(*opened.trace);
  links.update();
  std::size_t launches = 0;
  for (trace::LaneId lane = 0; lane < opened.trace->lane_count(); ++lane) {
    if (opened.trace->lane(lane).info().kind != trace::LaneKind::Calls) continue;
    for (const NamedEvent& named : events_of(*opened.trace, lane)) {
      const trace::Event& call = named.event;
      EXPECT_TRUE(trace::is_launch(call));
      const auto nodes = links.operations_of(lane, call);
      ASSERT_EQ(nodes.size(), 4u);
      EXPECT_EQ(nodes.front().event.start_ns, call.start_ns + 50);
      ++launches;
    }
  }
  EXPECT_EQ(launches, 3u);
  const auto [from, to] = opened.trace->extent();
  const analysis::Summary s = analysis::analyse(*opened.trace, from, to);
  EXPECT_EQ(s.launch_count, 3);
  EXPECT_EQ(idle_of(s.bubble_by_cause_ns, analysis::BubbleCause::GraphGap), 3 * 3 * 10);
}

// The user's marks are the window's own text: they are read back unchanged, and a file without them does not mention
// them.
TEST_F(RoundTripTest, MarksTravelAsTheyAre) {
  trace::Trace trace;
  fill_randomly(trace, 3, 5);
  for (const char* marks : {"", R"({"rulers":[{"from":-5,"to":12}],"notes":["a \"quoted\" µ, a \\ and a\ttab"]})",
                            "no JSON at all", "\n"}) {
    RunFacts facts = some_facts();
    facts.marks = marks;
    write_chrome_trace(file("a.json"), trace, facts);
    EXPECT_EQ(read_chrome_trace(file("a.json")).facts, facts);
    EXPECT_EQ(read_bytes(file("a.json")).find("\"marks\"") != std::string::npos, !facts.marks.empty());
  }
}

TEST_F(RoundTripTest, WrittenAgainItIsTheSameFile) {
  trace::Trace trace;
  fill_randomly(trace, 7, 300);
  write_chrome_trace(file("a.json.gz"), trace, some_facts());
  write_chrome_trace(file("b.json.gz"), trace, some_facts());
  EXPECT_EQ(read_bytes(file("a.json.gz")), read_bytes(file("b.json.gz")));

  // Rows may be packed differently than in the first file; from then on nothing changes any more.
  const OpenedTrace once = read_chrome_trace(file("a.json.gz"));
  write_chrome_trace(file("c.json"), *once.trace, once.facts);
  const OpenedTrace twice = read_chrome_trace(file("c.json"));
  write_chrome_trace(file("d.json"), *twice.trace, twice.facts);
  EXPECT_EQ(read_bytes(file("c.json")), read_bytes(file("d.json")));
}

TEST_F(RoundTripTest, ExtremeFieldsComeBack) {
  trace::Trace trace;
  const LaneId calls = trace.add_lane(cpu_lane(LaneKind::Calls, "CUDA calls", -5, 1'234'567'890'123));
  const LaneId copies = trace.add_lane(gpu_lane(LaneKind::CopyH2D, "H2D", 3, -1));
  const LaneId losses = trace.add_lane(cpu_lane(LaneKind::Counter, "loss"));
  constexpr auto kMax = std::numeric_limits<std::uint32_t>::max();
  Event call = make_event(trace, calls, EventKind::Call, "cudaFree", -4'000'000'000'000'000, 10, kMax);  // 46 days
  trace::set_parts(call, {5'000'000'000, 0, 1, 2});  // own cost saturates
  trace.append(call);
  Event copy = make_event(trace, copies, EventKind::Copy, "upload", 0, 0);
  trace::set_bytes(copy, std::numeric_limits<std::uint64_t>::max());
  trace::set_copy_traits(copy,
                         {trace::CopyDirection::Other, trace::MemoryKind::Pinned, trace::MemoryKind::Device, true});
  trace.append(copy);
  std::int64_t at = 0;
  for (const double value :
       {0.1, -0.0, 1e308, 5e-324, std::nan(""), -std::numeric_limits<double>::infinity(), 1.0, 12345678901234567.0}) {
    Event loss = make_event(trace, losses, EventKind::Counter, "loss", at, at);
    trace::set_value(loss, value);
    trace.append(loss);
    at += 100;
  }
  trace.publish();
  write_chrome_trace(file("a.json"), trace, {});
  expect_same(trace, *read_chrome_trace(file("a.json")).trace);
}

TEST_F(RoundTripTest, WhatRangesMarkersAndLanesAreComesBack) {
  trace::Trace trace;
  LaneInfo info = cpu_lane(LaneKind::Phases, "item()");
  info.role = trace::LaneRole::Statements;
  const LaneId phases = trace.add_lane(info);
  info = cpu_lane(LaneKind::Counter, "my figure");
  info.role = trace::LaneRole::Loss;
  trace.add_lane(info);
  const LaneId markers = trace.add_lane(cpu_lane(LaneKind::Markers, "markers"));
  for (std::size_t kind = 0; kind < trace::kRangeKinds; ++kind) {
    const auto at = static_cast<base::Nanoseconds>(kind) * 100;
    Event range = make_event(trace, phases, EventKind::Range, "item()", at, at + 50);
    if (kind % 2 == 0) range.flags = trace::kWaitFlag;
    trace::set_range_kind(range, static_cast<trace::RangeKind>(kind));
    trace.append(range);
  }
  Event change = make_event(trace, markers, EventKind::Marker, "log interval 1 → 100", 10, 10);
  base::NameTable& names = trace.names();
  trace::set_change(change, {7, names.intern("log_interval"), names.intern("1"), names.intern("100")});
  trace.append(change);
  Event pause = make_event(trace, markers, EventKind::Marker, "paused", 20, 20);
  trace::set_marker_kind(pause, trace::MarkerKind::Pause);
  trace.append(pause);
  trace.append(make_event(trace, markers, EventKind::Marker, "1 → 2 is a note", 30, 30));
  trace.publish();
  write_chrome_trace(file("a.json"), trace, {});
  expect_same(trace, *read_chrome_trace(file("a.json")).trace);
}

// Files from before lanes and ranges stated their kinds: names must be used.
TEST_F(RoundTripTest, AFileThatDoesNotSayWhatItsRangesAreIsReadByItsNames) {
  write("old.json", R"j({"otherData":{"lanescope":"1","format":1,"lanes":[
    {"kind":"phases","name":"phase"},{"kind":"phases","name":"CPU ops"},{"kind":"phases","name":"stopwatch"},
    {"kind":"phases","name":"worker 0","tid":1},{"kind":"counter","name":"loss"},{"kind":"markers","name":"markers"},
    {"kind":"iterations","name":"iteration"}]},
    "traceEvents":[
    {"ph":"X","cat":"user_annotation","name":"item()","ts":0,"dur":1,"lane":0,"args":{}},
    {"ph":"X","cat":"user_annotation","name":"synchronize()","ts":2,"dur":1,"lane":0,"args":{}},
    {"ph":"X","cat":"user_annotation","name":"forward","ts":4,"dur":1,"lane":0,"args":{}},
    {"ph":"X","cat":"user_annotation","name":"mse","ts":0,"dur":1,"lane":1,"args":{}},
    {"ph":"X","cat":"user_annotation","name":"stopwatch","ts":0,"dur":1,"lane":2,"args":{}},
    {"ph":"X","cat":"user_annotation","name":"load batch","ts":0,"dur":1,"lane":3,"args":{}},
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","ts":0,"dur":9,"lane":6,"args":{}},
    {"ph":"i","cat":"marker","name":"log interval 1 → 2","ts":3,"lane":5,"args":{}},
    {"ph":"i","cat":"marker","name":"paused","ts":4,"lane":5,"args":{}}]})j");
  const OpenedTrace opened = read_chrome_trace(file("old.json"));
  const auto lane = [&](std::size_t l) -> const trace::Lane& { return opened.trace->lane(static_cast<LaneId>(l)); };
  const auto event = [&](std::size_t l, trace::EventIndex i) { return lane(l).row(0).event(i); };
  const auto kind = [&](std::size_t l, trace::EventIndex i) { return trace::range_kind_of(event(l, i)); };
  EXPECT_EQ(kind(0, 0), trace::RangeKind::Read);
  EXPECT_EQ(kind(0, 1), trace::RangeKind::Sync);
  EXPECT_EQ(kind(0, 2), trace::RangeKind::Phase);
  EXPECT_EQ(kind(1, 0), trace::RangeKind::Compute);
  EXPECT_EQ(kind(2, 0), trace::RangeKind::Timed);
  EXPECT_EQ(kind(3, 0), trace::RangeKind::Load);
  EXPECT_EQ(kind(6, 0), trace::RangeKind::Iteration);
  EXPECT_EQ(lane(0).info().role, trace::LaneRole::Statements);
  EXPECT_EQ(lane(3).info().role, trace::LaneRole::Helper);
  EXPECT_EQ(lane(4).info().role, trace::LaneRole::Loss);
  EXPECT_TRUE(trace::is_setting_change(event(5, 0)));
  EXPECT_EQ(trace::change_of(event(5, 0)).key, 0u);
  EXPECT_FALSE(trace::is_setting_change(event(5, 1)));
}

// A range's flags, and the lanes of the program's other threads.
TEST_F(RoundTripTest, WaitsStaleReadsAndHostThreadsComeBack) {
  trace::Trace trace;
  const LaneId iterations = trace.add_lane(cpu_lane(LaneKind::Iterations, "iteration"));
  const LaneId waiting = trace.add_lane(cpu_lane(LaneKind::Phases, "waiting"));
  const LaneId reads = trace.add_lane(cpu_lane(LaneKind::Phases, "reads"));
  const LaneId ops = trace.add_lane(cpu_lane(LaneKind::Phases, "CPU ops"));
  const LaneId worker = trace.add_lane(cpu_lane(LaneKind::Phases, "worker 0", 0, 1));
  const LaneId pin = trace.add_lane(cpu_lane(LaneKind::Phases, "pin thread", 0, 2));
  trace.append(make_event(trace, iterations, EventKind::Range, "iteration", 0, 1000));
  Event wait = make_event(trace, waiting, EventKind::Range, "next(loader)", 10, 500);
  wait.flags = trace::kWaitFlag;
  trace.append(wait);
  Event read = make_event(trace, reads, EventKind::Range, "not arrived yet", 900, 900);  // an instant
  read.flags = trace::kNotArrivedFlag;
  trace.append(read);
  trace.append(make_event(trace, ops, EventKind::Range, "linear_forward", 600, 800));
  Event batch = make_event(trace, worker, EventKind::Range, "load batch", 0, 450);
  batch.a = 17;
  trace.append(batch);
  trace.append(make_event(trace, pin, EventKind::Range, "pin batch", 450, 495));
  trace.publish();
  for (const char* name : {"a.json", "a.json.gz"}) {
    write_chrome_trace(file(name), trace, some_facts());
    const OpenedTrace opened = read_chrome_trace(file(name));
    expect_same(trace, *opened.trace);
    const auto only = [&](LaneId lane) { return opened.trace->lane(lane).row(0).event(0); };
    EXPECT_TRUE(trace::is_host_wait(only(waiting)));
    EXPECT_TRUE(trace::is_stale_read(only(reads)));
    EXPECT_FALSE(trace::is_host_wait(only(worker)));
    EXPECT_EQ(trace::index_of(only(worker)), 17u);
    EXPECT_EQ(opened.trace->lane(pin).info(), cpu_lane(LaneKind::Phases, "pin thread", 0, 2));
  }
  // In a viewer, each thread appears under its own name.
  const std::string text = read_bytes(file("a.json"));
  for (const char* thread : {R"("tid":1,"args":{"name":"worker 0"})", R"("tid":2,"args":{"name":"pin thread"})"}) {
    EXPECT_THAT(text, testing::HasSubstr(thread));
  }
}

TEST_F(RoundTripTest, OwnersComeBack) {
  trace::Trace trace;
  for (const char* host : {"", "node-1", "node \"2\""}) {
    LaneInfo info;
    info.kind = LaneKind::Kernels;
    info.host = host;
    info.pid = 31;
    info.device = 2;
    trace.add_lane(info);
  }
  write_chrome_trace(file("a.json"), trace, some_facts());
  EXPECT_EQ(lanes_of(*read_chrome_trace(file("a.json")).trace), lanes_of(trace));
}

TEST_F(RoundTripTest, AnEmptyTraceComesBackEmpty) {
  const trace::Trace trace;
  write_chrome_trace(file("a.json"), trace, some_facts());
  const OpenedTrace opened = read_chrome_trace(file("a.json"));
  EXPECT_TRUE(opened.own);
  EXPECT_EQ(opened.events_read, 0u);
  EXPECT_EQ(opened.trace->lane_count(), 0u);
}

TEST_F(RoundTripTest, WhatWasLostBeforeIsStillCounted) {
  trace::Trace trace;
  trace.count_dropped(11);
  trace.count_late(3);
  write_chrome_trace(file("a.json"), trace, {});
  const OpenedTrace opened = read_chrome_trace(file("a.json"));
  EXPECT_EQ(opened.trace->counts().dropped, 11u);
  EXPECT_EQ(opened.trace->counts().late, 3u);
}

// What is known of an event beyond its words: how a kernel was launched, a file's arguments, external ids.
TEST_F(RoundTripTest, DetailsComeBack) {
  trace::Trace trace;
  LaneInfo thread = cpu_lane(LaneKind::Phases, "operators", 1, 2);
  thread.thread = "pt_main \"1\"";
  const LaneId ops = trace.add_lane(thread);
  const LaneId kernels = trace.add_lane(gpu_lane(LaneKind::Kernels, "kernels"));
  const LaneId copies = trace.add_lane(gpu_lane(LaneKind::CopyH2D, "copy H2D"));
  Event op = make_event(trace, ops, EventKind::Range, "aten::mm", 0, 100);
  trace::set_external_id(op, 4'000'000'000);
  trace::set_arguments(op, trace.arguments().intern(R"("Input Dims":[[64,3],[]],"text":"a \"b\"")"));
  trace.append(op);
  // As CUPTI tells it, and as the PyTorch profiler does.
  const trace::LaunchShape captured{.grid = {65'536, 2, 3},
                                    .block = {128, 4, 1},
                                    .registers_per_thread = 0,
                                    .shared_bytes = 50'176,
                                    .static_shared_bytes = 1024,
                                    .dynamic_shared_bytes = 49'152,
                                    .context = 3};
  const trace::LaunchShape read{
      .block = {1, 1, 1}, .shared_bytes = 0, .blocks_per_sm = 1.185185, .warps_per_sm = 0, .occupancy_percent = 75.5};
  std::int64_t at = 0;
  for (const trace::LaunchShape& shape : {captured, read, trace::LaunchShape{}, captured}) {
    Event kernel = make_event(trace, kernels, EventKind::Kernel, "k", at, at + 10, 5);
    trace::set_launch(kernel, trace.launches().intern(shape));
    trace::set_external_id(kernel, at == 0 ? 77 : 0);
    if (at == 0) trace::set_arguments(kernel, trace.arguments().intern(R"("priority":-1)"));
    trace.append(kernel);
    at += 20;
  }
  Event copy = make_event(trace, copies, EventKind::Copy, "Memcpy HtoD (Pinned -> Device)", 0, 50, 6);
  trace::set_bytes(copy, 1'000);
  trace::set_arguments(copy, trace.arguments().intern(R"("context":2,"note":1.50)"));
  trace.append(copy);
  trace.publish();
  write_chrome_trace(file("a.json"), trace, {});
  const OpenedTrace opened = read_chrome_trace(file("a.json"));
  expect_same(trace, *opened.trace);
  EXPECT_EQ(events_of(*opened.trace, kernels)[0].launch, captured);
  EXPECT_EQ(events_of(*opened.trace, copies)[0].arguments, R"("context":2,"note":1.50)");
}

// Files of earlier versions had a context that nobody had measured.
TEST_F(RoundTripTest, AContextThatWasMadeUpIsNotRead) {
  write("old.json", R"j({"otherData":{"lanescope":"1","format":1,"lanes":[{"kind":"copy_h2d","name":"copy H2D"}]},
    "traceEvents":[{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","ts":0,"dur":1,"lane":0,
      "args":{"External id":6,"device":0,"context":1,"stream":7,"correlation":6,"bytes":8}}]})j");
  const OpenedTrace opened = read_chrome_trace(file("old.json"));
  ASSERT_EQ(opened.events_read, 1u);
  EXPECT_EQ(events_of(*opened.trace, 0)[0].arguments, "");
}

TEST_F(RoundTripTest, AForeignTraceKeptAsOurOwnStaysTheSame) {
  const OpenedTrace foreign = read_chrome_trace(fixture("pytorch-alexnet.json.gz"));
  write_chrome_trace(file("own.json"), *foreign.trace, foreign.facts);
  const OpenedTrace own = read_chrome_trace(file("own.json"));
  EXPECT_TRUE(own.own);
  EXPECT_EQ(own.events_read, foreign.events_read);
  EXPECT_EQ(own.facts, foreign.facts);
  expect_same(*foreign.trace, *own.trace);
}

TEST_F(RoundTripTest, AnErrorWhileWritingLeavesNothing) {
  trace::Trace trace;
  fill_randomly(trace, 1, 2000);
  EXPECT_THAT(error_of([&] { write_chrome_trace("/dev/full", trace, {}); }),
              testing::AllOf(testing::StartsWith("/dev/full: "), testing::HasSubstr("No space left on device")));
  EXPECT_THAT(error_of([&] { write_chrome_trace(file("no") / "a.json", trace, {}); }),
              testing::HasSubstr("No such file"));
  EXPECT_THAT(error_of([&] { write_chrome_trace(folder_, trace, {}); }), testing::HasSubstr("Is a directory"));
  EXPECT_EQ(files_in_folder(), 0u);
}

}  // namespace
}  // namespace lanescope::io
