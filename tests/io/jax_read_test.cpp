// Traces of JAX's profiler. Where the format is from: events, their order, times and "{}" at the end from
// xla/tsl/profiler/convert/trace_events_to_json.cc; names of processes, and that the host is 701 and GPUs begin at 1,
// from xplane_to_trace_events.cc there and xplane_schema.cc in ../utils; names of streams, arguments and their texts
// from xla/backends/profiler/gpu/cupti_collector.{h,cc}; the folders, and what becomes of perfetto_trace.json.gz, from
// jax/_src/profiler.py.
#include <gmock/gmock.h>

#include "io/trace_file.h"
#include "opened.h"
#include "scratch.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// Two steps on the host: in each a copy to the GPU, a launch and a wait. The GPU copies for 20 µs and computes for 100.
std::string jax_trace() {
  std::string json = R"j({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0 NVIDIA H100 80GB HBM3"}},
{"ph":"M","pid":1,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":13,"name":"thread_name","args":{"name":"Stream #13(Compute)"}},
{"ph":"M","pid":1,"tid":14,"name":"thread_name","args":{"name":"Stream #14(MemcpyH2D,MemoryAlloc)"}},
{"ph":"M","pid":1,"tid":4294967295,"name":"thread_name","args":{"name":"XLA Modules"}},
{"ph":"M","pid":1,"tid":4294967294,"name":"thread_name","args":{"name":"XLA Ops"}},
{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},
{"ph":"M","pid":701,"tid":77,"name":"thread_name","args":{"name":"python"}},
{"ph":"M","pid":701,"tid":78,"name":"thread_name","args":{"name":"tf_XLATfrtGpuClient/78"}},)j";
  for (int step = 0; step < 2; ++step) {
    const auto at = [&](double us) { return std::to_string(1000 * step + us); };
    const std::string copy = std::to_string(10 * step + 1), launch = std::to_string(10 * step + 2);
    json += R"j({"ph":"X","pid":701,"tid":77,"ts":)j" + at(0) + R"j(,"dur":900,"name":"train","args":{"step_num":")j" +
            std::to_string(step) + R"j("}},)j";
    json += R"j({"ph":"X","pid":701,"tid":77,"ts":)j" + at(1) + R"j(,"dur":40,"name":"PjitFunction(step)"},)j";
    json += R"j({"ph":"X","pid":701,"tid":78,"ts":)j" + at(10) +
            R"j(,"dur":5,"name":"cuMemcpyHtoDAsync_v2","args":{"correlation_id":")j" + copy +
            R"j(","device_id":"0"}},)j";
    json += R"j({"ph":"X","pid":701,"tid":78,"ts":)j" + at(20) +
            R"j(,"dur":6,"name":"cuLaunchKernel","args":{"correlation_id":")j" + launch + R"j(","device_id":"0"}},)j";
    json += R"j({"ph":"X","pid":701,"tid":78,"ts":)j" + at(30) +
            R"j(,"dur":130,"name":"cuStreamSynchronize","args":{"correlation_id":")j" + std::to_string(10 * step + 3) +
            R"j("}},)j";
    json += R"j({"ph":"X","pid":1,"tid":14,"ts":)j" + at(15) +
            R"j(,"dur":20,"name":"MemcpyH2D","args":{"context_id":"$$1","correlation_id":")j" + copy +
            R"j(","memcpy_details":"kind_src:pinned kind_dst:device size:65536 dest:0 async:1"}},)j";
    json += R"j({"ph":"X","pid":1,"tid":14,"ts":)j" + at(16) +
            R"j(,"dur":0.000001,"name":"MemoryAlloc","args":{"memalloc_details":"kind:device num_bytes:64"}},)j";
    json += R"j({"ph":"X","pid":1,"tid":13,"ts":)j" + at(40) +
            R"j(,"dur":100,"name":"loop_fusion","args":{"correlation_id":")j" + launch +
            R"j(","hlo_module":"jit_step","hlo_op":"fusion.3","kernel_details":"regs:32 static_shared:0 )j" +
            R"j(dynamic_shared:0 grid:64,1,1 block:256,1,1 occ_pct:100"}},)j";
    json += R"j({"ph":"X","pid":1,"tid":4294967295,"ts":)j" + at(40) + R"j(,"dur":100,"name":"jit_step(7)"},)j";
    json += R"j({"ph":"X","pid":1,"tid":4294967294,"ts":)j" + at(40) + R"j(,"dur":100,"name":"fusion.3"},)j";
  }
  return json + "{}]}";
}

class JaxTrace : public Scratch {};

TEST_F(JaxTrace, HasKernelsCopiesCallsAndSteps) {
  const OpenedTrace opened = read_chrome_trace(jax_trace(), "host.trace.json");
  EXPECT_THAT(opened.read_by_category,
              UnorderedElementsAre(Pair("kernel", 2), Pair("gpu_memcpy", 2), Pair("cuda_driver", 6),
                                   Pair("user_annotation", 4), Pair("gpu_user_annotation", 4)));
  EXPECT_THAT(opened.skipped_by_category, UnorderedElementsAre(Pair("overhead", 2)));
  EXPECT_EQ(opened.events_malformed, 0u);
  EXPECT_EQ(opened.facts.device_name, "NVIDIA H100 80GB HBM3");

  const auto kernels = events_on(opened, LaneKind::Kernels);
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_EQ(kernels[0].name, "loop_fusion");
  EXPECT_EQ(kernels[0].event.duration(), 100'000);
  ASSERT_TRUE(kernels[0].launch.has_value());
  EXPECT_THAT(kernels[0].launch->grid, ElementsAre(64, 1, 1));
  EXPECT_THAT(kernels[0].launch->block, ElementsAre(256, 1, 1));
  EXPECT_EQ(kernels[0].launch->registers_per_thread, 32u);
  EXPECT_THAT(kernels[0].arguments, HasSubstr(R"("hlo_op":"fusion.3")"));

  const auto copies = events_on(opened, LaneKind::CopyH2D);
  ASSERT_THAT(copies, SizeIs(2));
  EXPECT_EQ(copies[1].name, "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(trace::bytes_of(copies[1].event), 65'536u);
  EXPECT_EQ(trace::copy_traits_of(copies[1].event).source, trace::MemoryKind::Pinned);

  const auto steps = events_on(opened, LaneKind::Iterations);
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_EQ(steps[1].event.a, 1u);
  EXPECT_EQ(steps[1].event.start_ns, 1'000'000);
  EXPECT_THAT(events_on(opened, LaneKind::GpuRanges), SizeIs(4));
}

// The wait ends with the kernel, at 140 of the 160 µs at which the call does.
TEST_F(JaxTrace, AWaitLastsUntilTheKernelEnds) {
  const OpenedTrace opened = read_chrome_trace(jax_trace(), "host.trace.json");
  const Event wait = find_event(opened, "cuStreamSynchronize", 3);
  expect_parts(wait, 0, 110, 0, 20);
  const Event launch = find_event(opened, "cuLaunchKernel", 2);
  EXPECT_NE(launch.flags & trace::kLaunchFlag, 0);
}

TEST_F(JaxTrace, GpusAndStreamsAreThoseOfItsNames) {
  const OpenedTrace opened = read_chrome_trace(jax_trace(), "host.trace.json");
  std::map<std::string, std::pair<std::int32_t, std::int32_t>> places;
  for (const LaneInfo& lane : lanes_of(*opened.trace)) {
    if (!trace::is_gpu_lane(lane.kind)) continue;
    places[lane.name] = {lane.device, lane.stream};
    EXPECT_EQ(lane.pid, 701) << "its calls are those of the host's process";
  }
  EXPECT_EQ(places.at("kernels"), std::pair(0, 13));
  EXPECT_EQ(places.at("copies H2D"), std::pair(0, 14));
  EXPECT_TRUE(places.contains("XLA Modules"));
  EXPECT_TRUE(places.contains("XLA Ops"));
}

TEST_F(JaxTrace, OfAFolderTheNewestRunIsShown) {
  for (const std::string run : {"2026_01_02_10_00_00", "2026_01_03_09_00_00", "2025_12_31_23_00_00"}) {
    std::filesystem::create_directories(file("log/plugins/profile/" + run));
    write("log/plugins/profile/" + run + "/host.xplane.pb", "\x0a\x01");
    write("log/plugins/profile/" + run + "/host.trace.json.gz", jax_trace());
    write("log/plugins/profile/" + run + "/perfetto_trace.json.gz", jax_trace());
  }
  const auto run = file("log/plugins/profile/2026_01_03_09_00_00");
  for (const auto& folder : {file("log"), file("log/plugins/profile"), run}) {
    EXPECT_THAT(traces_in(folder), ElementsAre(run / "host.trace.json.gz"));
  }
  EXPECT_EQ(read_trace(file("log")).events_read, 18u);
  const auto older = file("log/plugins/profile/2025_12_31_23_00_00");
  EXPECT_THAT(traces_in(older), ElementsAre(older / "host.trace.json.gz")) << "it was asked for";
}

TEST_F(JaxTrace, ACopyForPerfettoAloneIsShown) {
  std::filesystem::create_directories(file("a"));
  write("a/perfetto_trace.json.gz", jax_trace());
  EXPECT_THAT(traces_in(file("a")), SizeIs(1));
}

// Names alone do not make a program one of JAX's.
TEST_F(JaxTrace, OtherProgramsAreLeftAsTheyAre) {
  const OpenedTrace opened = read_chrome_trace(R"j({"traceEvents":[
    {"ph":"M","pid":5,"name":"process_name","args":{"name":"python"}},
    {"ph":"X","pid":5,"tid":1,"ts":0,"dur":5,"name":"cuLaunchKernel"}, {}]})j",
                                               "other.json");
  EXPECT_THAT(opened.read_by_category, UnorderedElementsAre(Pair("", 1)));
  EXPECT_EQ(opened.events_skipped, 1u);
}

TEST_F(JaxTrace, BrokenNumbersAreNone) {
  const OpenedTrace opened = read_chrome_trace(R"j({"traceEvents":[
    {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:x"}},
    {"ph":"M","pid":2,"name":"process_name","args":{"name":"/device:GPU:99999999999999999999"}},
    {"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:GPU:0"}},
    {"ph":"M","pid":3,"tid":1,"name":"thread_name","args":{"name":"Stream #-5000000000(Compute)"}},
    {"ph":"X","pid":3,"tid":1,"ts":0,"dur":5,"name":"k","args":{"kernel_details":"regs:-1 grid: block:1,,x grid"}},
    {"ph":"X","pid":3,"tid":1,"ts":9,"dur":5,"name":"MemcpyD2H","args":{"memcpy_details":"size:-7 kind_src"}},
    {"ph":"X","pid":3,"tid":1,"ts":20,"dur":5,"name":"MemcpyOther","args":{"memcpy_details":7}}]})j",
                                               "broken.json");
  EXPECT_EQ(opened.events_read, 3u);
  EXPECT_THAT(events_on(opened, LaneKind::Kernels), SizeIs(1));
  const auto copies = events_on(opened, LaneKind::CopyD2H);
  ASSERT_THAT(copies, SizeIs(1));
  EXPECT_EQ(trace::bytes_of(copies[0].event), 0u);
}

}  // namespace
}  // namespace lanescope::io
