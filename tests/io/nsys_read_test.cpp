// Exports of Nsight Systems with the peculiarities of each version.
#include <gmock/gmock.h>

#include "io/trace_file.h"
#include "nsys_fixture.h"
#include "opened.h"
#include "scratch.h"

namespace lanescope::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr std::int64_t kReadMain = thread_in_vm(111, 111), kReadProcess = process_in_vm(111);

class NsysTest : public Scratch {
 protected:
  NsysFile export_file() const { return NsysFile(file("report.sqlite")); }

  /// A kernel and the wait for it, in µs: the launch at 0..10, the kernel at 20..120, the wait at 30..130, of which the
  /// profiler says that it began at 32. So 2 are the call's own cost, 88 are waiting, 10 the return.
  static void launch_and_wait(NsysFile& f, const std::string& sync_columns, const std::string& sync_values) {
    f.calls();
    f.call("cudaLaunchKernel_v7000", 0, 10 * kUs, 1, kReadMain);
    f.call("cudaDeviceSynchronize_v3020", 30 * kUs, 130 * kUs, 2, kReadMain);
    f.kernels();
    f.kernel("scale", 20 * kUs, 120 * kUs, 1, kReadProcess);
    f.syncs(sync_columns);
    f.row("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
          NsysFile::numbers({32 * kUs, 129 * kUs, 0, 1, 4294967295, 2, kReadProcess}) + sync_values);
  }
  static void expect_the_wait(const OpenedTrace& opened) {
    const Event wait = find_event(opened, "cudaDeviceSynchronize", 2);
    EXPECT_TRUE(trace::is_sync(wait));
    expect_parts(wait, 2, 88, 0, 10);
    EXPECT_TRUE(trace::is_launch(find_event(opened, "cudaLaunchKernel", 1)));
    EXPECT_THAT(opened.read_by_category, UnorderedElementsAre(Pair("cuda_runtime", 2), Pair("kernel", 1)));
    EXPECT_THAT(opened.skipped_by_category, ElementsAre(Pair("cuda_sync", 1)));
    EXPECT_EQ(opened.events_malformed, 0u);
    EXPECT_FALSE(opened.own);
    EXPECT_EQ(opened.facts.version, "");
  }
};

// --- versions --------------------------------------------------------------------------------------------------------

TEST_F(NsysTest, Of2021WithoutMetaDataAndWithTheWrongSyncType) {
  NsysFile f = export_file();
  launch_and_wait(f, "", ", 1, 4294967295");  // 1 would be the wait for an event
  f.table("ThreadNames", "nameId INT, priority INT, globalTid INT",
          {f.id("python3") + ", 20, " + std::to_string(kReadMain)});
  const OpenedTrace opened = read_trace(f.path());
  expect_the_wait(opened);
  for (const LaneInfo& lane : lanes_of(*opened.trace)) {
    EXPECT_EQ(lane.pid, 111);
    EXPECT_EQ(lane.process, "python3") << "there is no table of processes";
  }
}

TEST_F(NsysTest, Of2022WithProcessesAndGpus) {
  NsysFile f = export_file();
  launch_and_wait(f, "", ", 1, 4294967295");
  f.table("EXPORT_META_DATA", "name TEXT, value TEXT", {"'EXPORT_SCHEMA_VERSION', '2.9.1'"});
  f.table("PROCESSES", "globalPid INT, pid INT, name TEXT",
          {std::to_string(kReadProcess) + ", 111, '/usr/bin/python3'"});
  f.table("TARGET_INFO_GPU", "vmId INT, id INT, name TEXT, smCount INT", {"1, 0, 'NVIDIA A100', 108"});
  const OpenedTrace opened = read_trace(f.path());
  expect_the_wait(opened);
  EXPECT_EQ(opened.facts.device_name, "NVIDIA A100");
  EXPECT_EQ(opened.facts.sm_count, 108);
  EXPECT_EQ(lanes_of(*opened.trace).front().process, "python3");
  EXPECT_EQ(opened.facts.program, "python3");
}

TEST_F(NsysTest, Of2024WithSyncTypeZero) {
  NsysFile f = export_file();
  launch_and_wait(f, "", ", 0, 4294967295");
  expect_the_wait(read_trace(f.path()));
}

TEST_F(NsysTest, Of2025WithColumnsThatWereAddedAndAGpuPerProcess) {
  NsysFile f = export_file();
  launch_and_wait(f, ", deprecatedSyncType INT, eventSyncId INT", ", 4, 4294967295, NULL, 0");
  f.table("TARGET_INFO_CUDA_DEVICE", "gpuId INT, cudaId INT, pid INT", {"3, 0, 111"});  // CUDA_VISIBLE_DEVICES=3
  f.table("TARGET_INFO_GPU", "id INT, name TEXT, smCount INT", {"0, 'another', 1", "3, 'NVIDIA H100', 132"});
  const OpenedTrace opened = read_trace(f.path());
  expect_the_wait(opened);
  EXPECT_EQ(opened.facts.device_name, "NVIDIA H100");
  for (const LaneInfo& lane : lanes_of(*opened.trace)) {
    EXPECT_EQ(lane.device, lane.kind == LaneKind::Kernels ? 3 : 0);
  }
}

// --- calls and operations --------------------------------------------------------------------------------------------

TEST_F(NsysTest, KernelsKeepHowTheyWereLaunched) {
  NsysFile f = export_file();
  launch_and_wait(f, "", ", 1, 0");
  f.kernel("node", 200 * kUs, 210 * kUs, 9, kReadProcess, 0, 13, "77");
  const OpenedTrace opened = read_trace(f.path());
  const auto kernels = events_on(opened, LaneKind::Kernels);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "void scale<float>(float*)");
  const trace::LaunchShape shape{.grid = {200, 2, 1},
                                 .block = {128, 1, 1},
                                 .registers_per_thread = 32,
                                 .shared_bytes = 1040,
                                 .static_shared_bytes = 16,
                                 .dynamic_shared_bytes = 1024,
                                 .context = 1};
  EXPECT_EQ(kernels[0].launch, shape);
  EXPECT_EQ(kernels[1].arguments, "\"graph node id\":77");
  EXPECT_EQ(kernels[1].event.correlation, 9u) << "its call is not in the file";
}

// Correlation 5 is in both processes, and both have a device 0.
TEST_F(NsysTest, ProcessesAreToldApart) {
  NsysFile f = export_file();
  f.calls();
  f.kernels();
  for (const std::int64_t pid : {111, 112}) {
    const std::int64_t later = (pid - 111) * 1000 * kUs;
    f.call("cudaLaunchKernel_v7000", later, later + 10 * kUs, 5, thread_in_vm(pid, pid));
    f.kernel("scale", later + 20 * kUs, later + 120 * kUs, 5, process_in_vm(pid));
    f.call("cudaStreamSynchronize_v3020", later + 30 * kUs, later + 130 * kUs, 6, thread_in_vm(pid, pid));
  }
  const OpenedTrace opened = read_trace(f.path());
  std::vector<std::int64_t> owners;
  for (const LaneInfo& lane : lanes_of(*opened.trace)) {
    if (lane.kind == LaneKind::Kernels) owners.push_back(lane.pid);
  }
  EXPECT_THAT(owners, ElementsAre(111, 112));
  // Nobody says when it began to wait, so none of it is its own cost.
  for (const NamedEvent& call : events_on(opened, LaneKind::Calls)) {
    if (call.event.correlation == 6) expect_parts(call.event, 0, 90, 0, 10);
  }
}

// The second process uses GPU 1, and the row of its synchronisation says device 0, as real ones do: the context
// decides.
TEST_F(NsysTest, AWaitIsForTheDeviceOfItsContext) {
  NsysFile f = export_file();
  launch_and_wait(f, "", ", 0, 4294967295");
  f.call("cudaLaunchKernel_v7000", 0, 10 * kUs, 1, thread_in_vm(112, 112));
  f.kernel("scale", 20 * kUs, 120 * kUs, 1, process_in_vm(112), 1);
  f.call("cudaStreamSynchronize_v3020", 30 * kUs, 130 * kUs, 3, thread_in_vm(112, 112));
  f.row("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        NsysFile::numbers({32 * kUs, 129 * kUs, 0, 1, 7, 3, process_in_vm(112), 0, 4294967295}));
  expect_parts(find_event(read_trace(f.path()), "cudaStreamSynchronize", 3), 2, 88, 0, 10);
}

// A copy of 1 MB from the device to pageable memory, in µs: the call at 0..100, the bytes at 40..90.
TEST_F(NsysTest, MemoryKindsAreNotThoseOfCupti) {
  NsysFile f = export_file();
  f.calls();
  f.call("cudaMemcpyAsync_v3020", 0, 100 * kUs, 1, kReadMain);
  f.copies();
  const auto copy = [&](std::int64_t start, std::int64_t end, int correlation, int kind, int from, int to) {
    f.row("CUPTI_ACTIVITY_KIND_MEMCPY",
          NsysFile::numbers({start, end, 0, 1, 7, correlation, kReadProcess, 1'000'000, kind, from, to}) + ", NULL");
  };
  copy(40 * kUs, 90 * kUs, 1, 2, 2, 0);
  copy(200 * kUs, 210 * kUs, 2, 1, 1, 2);
  copy(300 * kUs, 310 * kUs, 0, 11, 4, 4);  // a page of unified memory
  f.table("CUPTI_ACTIVITY_KIND_MEMSET",
          "start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, value INT, "
          "bytes INT, graphNodeId INT, memKind INT");
  f.row("CUPTI_ACTIVITY_KIND_MEMSET",
        NsysFile::numbers({400 * kUs, 401 * kUs, 0, 1, 7, 3, kReadProcess, 0, 64}) + ", NULL, 2");
  const OpenedTrace opened = read_trace(f.path());
  const Event back = find_event(opened, "Memcpy DtoH (Device -> Pageable)", 1);
  EXPECT_EQ(trace::bytes_of(back), 1'000'000u);
  EXPECT_EQ(trace::copy_traits_of(back),
            (trace::CopyTraits{trace::CopyDirection::DeviceToHost, trace::MemoryKind::Device,
                               trace::MemoryKind::Pageable, true}));
  find_event(opened, "Memcpy HtoD (Pinned -> Device)", 2);
  find_event(opened, "Unified memory HtoD", 0);
  EXPECT_EQ(trace::bytes_of(find_event(opened, "Memset (Device)", 3)), 64u);
  expect_parts(find_event(opened, "cudaMemcpyAsync", 1), 40, 0, 50, 10);
}

// Two streams, in µs: a kernel at 10..200 on stream 13, one at 20..50 on 7. The event was recorded on 7, so the wait
// from 30 until 60 ended with the second. cudaEventQuery has a row among the synchronisations, too, and waits for
// nothing.
TEST_F(NsysTest, AWaitForAnEventIsOneForItsStream) {
  NsysFile f = export_file();
  f.calls();
  f.call("cudaLaunchKernel_v7000", 0, 5 * kUs, 1, kReadMain);
  f.call("cudaLaunchKernel_v7000", 6 * kUs, 9 * kUs, 2, kReadMain);
  f.call("cudaEventSynchronize_v3020", 30 * kUs, 60 * kUs, 4, kReadMain);
  f.call("cudaEventQuery_v3020", 70 * kUs, 80 * kUs, 5, kReadMain);
  f.kernels();
  f.kernel("long", 10 * kUs, 55 * kUs, 1, kReadProcess, 0, 13);
  f.kernel("short", 20 * kUs, 50 * kUs, 2, kReadProcess, 0, 7);
  f.syncs(", deprecatedSyncType INT, eventSyncId INT");
  f.row("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        NsysFile::numbers({31 * kUs, 59 * kUs, 0, 1, 4294967295, 4, kReadProcess, 1, 21}) + ", NULL, 900");
  f.row("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        NsysFile::numbers({71 * kUs, 79 * kUs, 0, 1, 4294967295, 5, kReadProcess, 1, 21}) + ", NULL, 900");
  f.table("CUPTI_ACTIVITY_KIND_CUDA_EVENT",
          "timestamp INT, deviceId INT, contextId INT, streamId INT, correlationId INT, globalPid INT, eventId INT, "
          "eventSyncId INT");
  f.row("CUPTI_ACTIVITY_KIND_CUDA_EVENT", NsysFile::numbers({0, 0, 1, 7, 3, kReadProcess, 21, 900}));
  const OpenedTrace opened = read_trace(f.path());
  expect_parts(find_event(opened, "cudaEventSynchronize", 4), 1, 19, 0, 10);
  EXPECT_FALSE(trace::is_sync(find_event(opened, "cudaEventQuery", 5)));
}

TEST_F(NsysTest, AGraphTracedAsAWholeIsOneOperation) {
  NsysFile f = export_file();
  f.calls();
  f.call("cudaGraphLaunch_v10000", 0, 10 * kUs, 8, kReadMain);
  f.call("cudaStreamSynchronize_v3020", 12 * kUs, 130 * kUs, 9, kReadMain);
  f.table(
      "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
      "start INT, end INT, deviceId INT, graphId INT, graphExecId INT, contextId INT, streamId INT, correlationId INT, "
      "globalPid INT");
  f.row("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NsysFile::numbers({20 * kUs, 120 * kUs, 0, 3, 4, 1, 7, 8, kReadProcess}));
  const OpenedTrace opened = read_trace(f.path());
  EXPECT_EQ(find_event(opened, "CUDA graph 3", 8).duration(), 100 * kUs);
  expect_parts(find_event(opened, "cudaStreamSynchronize", 9), 0, 108, 0, 10);
}

TEST_F(NsysTest, TimesBeforeTheSessionsStartAreMoved) {
  NsysFile f = export_file();
  f.calls();
  f.call("cudaMalloc_v3020", -700, -200, 1, kReadMain);
  f.call("cudaFree_v3020", 300, 400, 2, kReadMain);
  const OpenedTrace opened = read_trace(f.path());
  EXPECT_EQ(opened.time_offset_ns, -700);
  EXPECT_EQ(find_event(opened, "cudaFree", 2).start_ns, 1000);
}

// --- threads ---------------------------------------------------------------------------------------------------------

TEST_F(NsysTest, RangesHaveTheirTextOrItsNumber) {
  NsysFile f = export_file();
  f.ranges();
  f.range(0, "1000", 59, "'forward'", "NULL", kReadMain);
  f.range(100, "900", 59, "NULL", f.id("ncclAllReduce"), kReadMain);
  f.range(200, "800", 59, "'aten::mul, seq = 7, op_id = 12, sizes = [[8, 3], []]'", "NULL", kReadMain);
  f.range(0, "5000", 60, "'overlapping'", "NULL", kReadMain);
  f.range(2000, "3000", 59, "'ProfilerStep#4'", "NULL", kReadMain);
  f.range(2500, "NULL", 34, "'here'", "NULL", kReadMain);
  f.range(2600, "NULL", 59, "'never ended'", "NULL", kReadMain);
  f.range(0, "NULL", 75, "'NCCL'", "NULL", kReadMain);  // a domain
  f.range(0, "NULL", 39, "'the loop'", "NULL", kReadMain);
  const OpenedTrace opened = read_trace(f.path());
  EXPECT_THAT(opened.read_by_category, UnorderedElementsAre(Pair("nvtx_range", 5), Pair("nvtx_mark", 1)));
  EXPECT_THAT(opened.skipped_by_category, ElementsAre(Pair("nvtx_other", 2)));
  EXPECT_EQ(opened.events_malformed, 1u) << "the range that never ended";
  std::map<std::string, std::vector<std::string>> names;
  for (std::size_t l = 0; l < opened.trace->lane_count(); ++l) {
    const LaneInfo& lane = opened.trace->lane(static_cast<LaneId>(l)).info();
    EXPECT_EQ(lane.thread, lane.kind == LaneKind::Markers ? "" : "the loop");
    for (const NamedEvent& e : events_of(*opened.trace, l)) names[lane.name].push_back(e.name);
  }
  EXPECT_THAT(names, UnorderedElementsAre(Pair("operators", ElementsAre("forward", "ncclAllReduce", "aten::mul")),
                                          Pair("start/end ranges", ElementsAre("overlapping")),
                                          Pair("iteration", ElementsAre("ProfilerStep#4")),
                                          Pair("markers", ElementsAre("here"))));
  const auto ranges = events_on(opened, LaneKind::Phases);
  const auto mul = std::ranges::find(ranges, "aten::mul", &NamedEvent::name);
  ASSERT_NE(mul, ranges.end());
  EXPECT_EQ(trace::range_kind_of(mul->event), trace::RangeKind::Operator);
  EXPECT_EQ(trace::external_id_of(mul->event), 12u);
  EXPECT_EQ(mul->arguments, "\"sizes\":\"[[8, 3], []]\"");
  EXPECT_EQ(trace::index_of(events_on(opened, LaneKind::Iterations).front().event), 4u);
}

// Two steps of 40 in each of two iterations of 100: the iterations are the outer ones.
TEST_F(NsysTest, TheOutermostLoopHasTheIterations) {
  NsysFile f = export_file();
  f.ranges();
  for (const int i : {0, 1}) {
    f.range(i * 100, std::to_string(i * 100 + 100), 59, "'iteration" + std::to_string(i) + "'", "NULL", kReadMain);
    f.range(i * 100 + 10, std::to_string(i * 100 + 50), 59, "'step 0'", "NULL", kReadMain);
    f.range(i * 100 + 50, std::to_string(i * 100 + 90), 59, "'step 1'", "NULL", kReadMain);
  }
  const OpenedTrace opened = read_trace(f.path());
  EXPECT_EQ(opened.read_by_category.at("nvtx_range"), 6u);
  const auto iterations = events_on(opened, LaneKind::Iterations);
  ASSERT_EQ(iterations.size(), 2u);
  EXPECT_EQ(iterations[1].name, "iteration1");
  EXPECT_EQ(trace::index_of(iterations[1].event), 1u);
  EXPECT_EQ(trace::range_kind_of(iterations[1].event), trace::RangeKind::Iteration);
  EXPECT_EQ(events_on(opened, LaneKind::Phases).size(), 4u);
}

TEST_F(NsysTest, OnlyCallsOfTheOperatingSystem) {
  NsysFile f = export_file();
  f.os_calls();
  f.row("OSRT_API", NsysFile::numbers({100, 400, 27, kReadMain}) + ", " + f.id("pthread_cond_wait") + ", 0, NULL");
  f.row("OSRT_API", NsysFile::numbers({150, 200, 27, thread_in_vm(111, 115)}) + ", " + f.id("poll") + ", 0, NULL");
  const OpenedTrace opened = read_trace(f.path());
  EXPECT_THAT(opened.read_by_category, ElementsAre(Pair("os_runtime", 2)));
  const std::vector<LaneInfo> lanes = lanes_of(*opened.trace);
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_EQ(lanes[0].name, "OS calls");
  EXPECT_EQ(lanes[1].tid, 115);
}

TEST_F(NsysTest, MetricsOfTheGpuAreCounters) {
  NsysFile f = export_file();
  launch_and_wait(f, "", ", 1, 0");
  f.table("TARGET_INFO_GPU_METRICS", "typeId INT, sourceId INT, typeName TEXT, metricId INT, metricName TEXT",
          {"513, 0, 'GPU Metrics', 4, 'SMs Active [Throughput %]'"});
  f.table("GPU_METRICS", "timestamp INT, typeId INT, metricId INT, value INT", {"5000, 513, 4, 97"});
  const OpenedTrace opened = read_trace(f.path());
  const auto samples = events_on(opened, LaneKind::Counter);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].name, "GPU 1: SMs Active [Throughput %]");
  EXPECT_EQ(trace::value_of(samples[0].event), 97);
  EXPECT_EQ(lanes_of(*opened.trace).back().pid, 111);
}

// --- what could not be recorded, and what is nobody's business -------------------------------------------------------

TEST_F(NsysTest, AFailedCaptureIsReported) {
  NsysFile f = export_file();
  f.os_calls();
  f.row("OSRT_API", NsysFile::numbers({100, 400, 27, kReadMain}) + ", " + f.id("poll") + ", 0, NULL");
  f.table("DIAGNOSTIC_EVENT", "timestamp INT, timestampType INT, source INT, severity INT, text TEXT, globalPid INT",
          {"1, 0, 1, 1, 'Common injection library initialized.', NULL", "2, 0, 1, 2, 'Sampling was disabled.', NULL",
           "3, 0, 1, 3, 'No CUDA driver for /home/ann/train.py was found.', NULL"});
  const OpenedTrace opened = read_trace(f.path());
  EXPECT_EQ(opened.incomplete, "Nsight Systems reported, among 2 problems: No CUDA driver for … was found.");
}

TEST_F(NsysTest, WarningsOfAnExportWithGpuWorkAreNotShown) {
  NsysFile f = export_file();
  launch_and_wait(f, "", ", 1, 0");
  f.table("DIAGNOSTIC_EVENT", "timestamp INT, severity INT, text TEXT", {"2, 2, 'Sampling was disabled.'"});
  EXPECT_EQ(read_trace(f.path()).incomplete, "");
}

TEST_F(NsysTest, SecretsAreNotRead) {
  NsysFile f = export_file();
  launch_and_wait(f, "", ", 1, 0");
  for (const char* table : {"META_DATA_CAPTURE", "META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    f.table(table, "name TEXT, value TEXT", {"'PROCESS_0:ENVIRONMENT_VARIABLE', 'HF_TOKEN=sesame'"});
  }
  f.table("TARGET_INFO_SYSTEM_ENV", "globalVid INT, devStateName TEXT, name TEXT, nameEnum INT, value TEXT",
          {"1, 'Hostname', 'sesame', 1, 'sesame'"});
  f.table("ANALYSIS_FILE", "id INT, filename TEXT, contentId INT, globalPid INT",
          {"1, '/home/sesame/environment', " + f.id("PASSWORD=sesame") + ", 0"});
  f.table("PROCESSES", "globalPid INT, pid INT, name TEXT",
          {std::to_string(kReadProcess) + ", 111, '/home/sesame/bin/python3'"});
  f.table("DIAGNOSTIC_EVENT", "timestamp INT, severity INT, text TEXT", {"2, 3, 'cannot open /home/sesame/x'"});
  const OpenedTrace opened = read_trace(f.path());
  ASSERT_THAT(read_bytes(f.path()), HasSubstr("sesame"));
  for (const char* name : {"copy.lanescope", "copy.json"}) {
    write_trace(file(name), *opened.trace, opened.facts, opened.health ? &*opened.health : nullptr);
    EXPECT_THAT(read_bytes(file(name)), Not(HasSubstr("sesame")));
  }
  for (base::NameId id = 0; id < opened.trace->names().size(); ++id) {  // a session file is compressed
    EXPECT_THAT(std::string(opened.trace->names().text(id)), Not(HasSubstr("sesame")));
  }
  EXPECT_THAT(opened.incomplete, Not(HasSubstr("sesame")));
}

}  // namespace
}  // namespace lanescope::io
