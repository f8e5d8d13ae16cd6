// Traces of other back ends than CUDA: their categories and the names of their calls. And what the rest of a file says
// in other words: iterations, numbers beyond 32 bits, devices that are no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/lane_facts.h"
#include "analysis/summary.h"
#include "io/python_stacks.h"
#include "io/trace_file.h"
#include "opened.h"
#include "trace/names.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using trace::CallNature;

TEST(OtherBackEnds, CallsAreWhatTheirWordsSay) {
  const auto is = [](CallNature nature) {
    return [nature](const char* name) { EXPECT_EQ(trace::call_nature(name), nature) << name; };
  };
  for (const char* name : {"urEnqueueKernelLaunch", "zeCommandListAppendLaunchKernel", "mtiaLaunchKernel", "synLaunch",
                           "aclopCompileAndExecute", "musaLaunchKernel", "urEnqueueUSMFill"})
    is(CallNature::Launch)(name);
  for (const char* name : {"urQueueFinish", "urEventWait", "zeCommandQueueSynchronize", "zeEventHostSynchronize",
                           "mtiaStreamSynchronize", "AscendCL@aclrtSynchronizeStream", "cnrtQueueSync"})
    is(CallNature::Sync)(name);
  for (const char* name : {"urEnqueueUSMMemcpy", "zeCommandListAppendMemoryCopy", "mtiaMemcpyAsync", "synMemCopyAsync"})
    is(CallNature::AsyncCopy)(name);
  for (const char* name : {"aclrtMemcpy", "mtiaMemcpy"}) is(CallNature::BlockingCopy)(name);
  for (const char* name : {"urEnqueueEventsWait", "aclrtStreamWaitEvent", "urKernelCreate"}) {
    EXPECT_NE(trace::call_nature(name), CallNature::Sync) << name;
  }
  base::NameTable names;
  analysis::CallNames calls(names);
  EXPECT_EQ(calls.role(names.intern("urUSMHostAlloc")), analysis::CallRole::Pinning);
  EXPECT_EQ(calls.role(names.intern("mtiaMalloc")), analysis::CallRole::Allocation);
  EXPECT_EQ(calls.role(names.intern("urUSMDeviceAlloc")), analysis::CallRole::Allocation);
}

// A launch at 0 of a kernel from 10 to 60, and a wait from 10 to 65: 5 of it after the kernel.
TEST(OtherBackEnds, CategoriesAreReadByTheirEndings) {
  for (const char* category : {"xpu_runtime", "xpu_driver", "mtia_runtime", "privateuse1_runtime", "privateuse1_driver",
                               "hpu_op", "glow_runtime"}) {
    const std::string cat = std::string("\"cat\":\"") + category + "\"";
    const OpenedTrace opened = read_chrome_trace(
        "[{\"ph\":\"X\"," + cat +
            R"(,"name":"xxLaunchKernel","pid":3,"tid":4,"ts":0,"dur":5,"args":{"correlation":8}},)" +
            R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":2,"ts":10,"dur":50,"args":{"device":0,"correlation":8}},)" +
            "{\"ph\":\"X\"," + cat +
            R"(,"name":"xxStreamSynchronize","pid":3,"tid":4,"ts":10,"dur":55,"args":{"correlation":9}}])",
        "memory");
    EXPECT_NE(find_event(opened, "xxLaunchKernel", 8).flags & trace::kLaunchFlag, 0) << category;
    expect_parts(find_event(opened, "xxStreamSynchronize", 9), 0, 50, 0, 5);
  }
}

TEST(OtherBackEnds, EventsOnAStreamAreNoThread) {
  const OpenedTrace opened = read_chrome_trace(R"j([
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":3,"tid":4,"ts":0,"dur":5,"args":{"correlation":8}},
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":9,"ts":10,"dur":50,"args":{"device":0,"stream":9,"correlation":8}},
    {"ph":"X","cat":"collective_comm","name":"all_reduce","pid":0,"tid":9,"ts":10,"dur":50},
    {"ph":"X","cat":"mtia_counters","name":"HBM","pid":0,"tid":9,"ts":10,"dur":1},
    {"ph":"X","cat":"cuda_event","name":"cudaEventRecord","pid":0,"tid":9,"ts":60,"dur":1}])j",
                                               "memory");
  EXPECT_THAT(events_on(opened, LaneKind::Phases), SizeIs(0));
  EXPECT_THAT(events_on(opened, LaneKind::GpuRanges), SizeIs(3));
}

// A synchronous copy that is recorded as one within the device: waits until 40, copies until 44, returns at 50.
TEST(OtherBackEnds, ASynchronousCopyBlocksWhateverItsRecordIsNamed) {
  const auto opened = [](const std::string& call, int end) {
    const std::string copy =
        R"j({"ph":"X","cat":"cuda_runtime","pid":3,"tid":4,"ts":10,"args":{"correlation":2},"name":")j" + call +
        "\",\"dur\":" + std::to_string(end - 10) + "}";
    return read_chrome_trace(R"j([
      {"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":3,"tid":4,"ts":0,"dur":5,"args":{"correlation":1}},
      {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":0,"ts":10,"dur":30,"args":{"device":0,"stream":0,"correlation":1}},
      {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoD (Device -> Device)","pid":0,"tid":0,"ts":40,"dur":4,"args":{"device":0,"stream":0,"correlation":2,"bytes":8}},
      )j" + copy + "]",
                             "memory");
  };
  expect_parts(find_event(opened("hipMemcpyWithStream", 50), "hipMemcpyWithStream", 2), 0, 30, 4, 6);
  expect_parts(find_event(opened("hipMemcpy", 50), "hipMemcpy", 2), 0, 30, 4, 6);
  EXPECT_FALSE(trace::is_sync(find_event(opened("hipMemcpyAsync", 50), "hipMemcpyAsync", 2)));
  EXPECT_FALSE(trace::is_sync(find_event(opened("cudaMemcpy", 15), "cudaMemcpy", 2))) << "it returns before";
}

TEST(OtherBackEnds, NumbersBeyondTheirFieldsStayApart) {
  const OpenedTrace opened = read_chrome_trace(R"j([
    {"ph":"X","cat":"cuda_runtime","name":"a","pid":3,"tid":4,"ts":0,"dur":5,"args":{"correlation":8589934593}},
    {"ph":"X","cat":"cuda_runtime","name":"b","pid":3,"tid":4,"ts":6,"dur":5,"args":{"correlation":12884901889}},
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":1,"ts":10,"dur":5,"args":{"device":0,"stream":140187732541440,"correlation":8589934593}},
    {"ph":"X","cat":"kernel","name":"l","pid":0,"tid":1,"ts":10,"dur":5,"args":{"device":0,"stream":140187732545536,"correlation":12884901889}}])j",
                                               "memory");
  const auto correlation = [&](LaneKind kind, const std::string& name) {
    for (const NamedEvent& e : events_on(opened, kind)) {
      if (e.name == name) return e.event.correlation;
    }
    return 0u;
  };
  EXPECT_NE(correlation(LaneKind::Calls, "a"), 0u);
  EXPECT_EQ(correlation(LaneKind::Calls, "a"), correlation(LaneKind::Kernels, "k"));
  EXPECT_EQ(correlation(LaneKind::Calls, "b"), correlation(LaneKind::Kernels, "l"));
  EXPECT_NE(correlation(LaneKind::Calls, "a"), correlation(LaneKind::Calls, "b"));
  int streams = 0;
  for (const LaneInfo& lane : lanes_of(*opened.trace)) streams += lane.kind == LaneKind::Kernels;
  EXPECT_EQ(streams, 2);
}

// "step 1" and "step 2" lie within "batch 7" and last less: the batches are the iterations. With ProfilerStep neither.
TEST(OtherBackEnds, NumberedAnnotationsAreIterations) {
  const std::string annotations = R"(
    {"ph":"X","cat":"user_annotation","name":"batch 7","pid":3,"tid":4,"ts":0,"dur":50},
    {"ph":"X","cat":"user_annotation","name":"step 1","pid":3,"tid":4,"ts":5,"dur":20},
    {"ph":"X","cat":"user_annotation","name":"step 2","pid":3,"tid":4,"ts":26,"dur":20},
    {"ph":"X","cat":"user_annotation","name":"batch 8","pid":3,"tid":4,"ts":50,"dur":50})";
  const OpenedTrace opened = read_chrome_trace("[" + annotations + "]", "memory");
  const auto iterations = events_on(opened, LaneKind::Iterations);
  ASSERT_THAT(iterations, SizeIs(2));
  EXPECT_EQ(iterations[1].event.a, 8u);
  EXPECT_THAT(events_on(opened, LaneKind::Phases), SizeIs(2));
  const OpenedTrace numbered = read_chrome_trace(
      "[" + annotations +
          R"(,{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":3,"tid":4,"ts":0,"dur":100}])",
      "memory");
  EXPECT_THAT(events_on(numbered, LaneKind::Iterations), SizeIs(1));
}

// The kernel runs from 10 to 30, pages move from 50 to 55 and from 70 to 75, as nobody has asked for: 20 and 15 us idle.
TEST(OtherBackEnds, MigrationsOfPagesAreACause) {
  const OpenedTrace opened = read_chrome_trace(R"j([
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":3,"tid":4,"ts":0,"dur":5,"args":{"correlation":1}},
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":20,"args":{"device":0,"stream":7,"correlation":1}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Managed)","pid":0,"tid":0,"ts":50,"dur":5,"args":{"device":0,"stream":0,"bytes":4096}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Managed)","pid":0,"tid":0,"ts":70,"dur":5,"args":{"device":0,"stream":0,"bytes":4096}}])j",
                                               "memory");
  const analysis::Summary summary = analysis::analyse(*opened.trace, 0, 75 * kUs);
  EXPECT_EQ(analysis::idle_of(summary.bubble_by_cause_ns, analysis::BubbleCause::Migration), 35 * kUs);
  EXPECT_EQ(analysis::idle_of(summary.bubble_by_cause_ns, analysis::BubbleCause::Unknown), 0);
}

TEST(OtherBackEnds, DevicesThatAreNoGpuAreNamed) {
  const OpenedTrace tpu = read_chrome_trace(R"j([
    {"ph":"M","pid":5,"name":"process_name","args":{"name":"/device:TPU:2"}},
    {"ph":"M","pid":5,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}},
    {"ph":"M","pid":5,"tid":1,"name":"thread_name","args":{"name":"Steps"}},
    {"ph":"X","pid":5,"tid":1,"ts":0,"dur":50,"name":"0"},
    {"ph":"X","pid":5,"tid":3,"ts":0,"dur":20,"name":"fusion"}])j",
                                            "memory");
  EXPECT_THAT(tpu.incomplete, HasSubstr("TPU"));
  EXPECT_THAT(events_on(tpu, LaneKind::Kernels), SizeIs(1));
  const OpenedTrace input = read_chrome_trace(R"j([
    {"ph":"M","pid":5,"name":"process_name","args":{"name":"INPUT and OUTPUT"}},
    {"ph":"X","pid":5,"tid":1,"ts":0,"dur":50,"name":"0"}])j",
                                              "memory");
  EXPECT_EQ(input.incomplete, "") << "a word that contains another";
}

// The call at 5 is made in h, which is the library's, called by f; that at 12 in f, after h.
TEST(PythonStacks, CallsHaveTheFunctionsAroundThem) {
  const OpenedTrace opened = read_chrome_trace(R"j([
    {"ph":"X","cat":"python_function","name":"loop.py(3): f","pid":3,"tid":4,"ts":0,"dur":20},
    {"ph":"X","cat":"python_function","name":"torch/_ops.py(90): h","pid":3,"tid":4,"ts":1,"dur":9},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":3,"tid":4,"ts":12,"dur":2,"args":{"correlation":2}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":3,"tid":4,"ts":5,"dur":2,"args":{"correlation":1}}])j",
                                               "memory");
  const trace::CallSites& sites = opened.trace->sites();
  for (std::size_t l = 0; l < opened.trace->lane_count(); ++l) {
    const auto lane = static_cast<LaneId>(l);
    if (opened.trace->lane(lane).info().kind != LaneKind::Calls) continue;
    const auto first = sites.stack(sites.at(lane, 5 * kUs)), second = sites.stack(sites.at(lane, 12 * kUs));
    ASSERT_THAT(first.frames, SizeIs(2));
    ASSERT_NE(first.own_frame(), nullptr);
    EXPECT_EQ(opened.trace->names().text(first.own_frame()->file), "loop.py");
    EXPECT_EQ(first.own_frame()->line, 3u);
    EXPECT_THAT(second.frames, SizeIs(1));
  }
  EXPECT_FALSE(python_frame("nn.Module: Linear_0"));
  EXPECT_FALSE(python_frame("<built-in method relu of type object at 0x7f>"));
  EXPECT_EQ(python_frame("C:\\a b (x)\\m.py(7): <lambda>")->line, 7u);
}

// 300 functions in each other around an operator: the innermost 108 functions have no room, the operator has.
TEST(PythonStacks, OperatorsGoBeforeFunctions) {
  std::string text = "[";
  for (int i = 0; i < 300; ++i) {
    text += R"({"ph":"X","cat":"python_function","name":"deep.py()" + std::to_string(i) +
            R"(): f","pid":3,"tid":4,"ts":)" + std::to_string(i) + R"(,"dur":)" + std::to_string(1000 - 2 * i) + "},";
  }
  text += R"({"ph":"X","cat":"cpu_op","name":"aten::item","pid":3,"tid":4,"ts":400,"dur":10}])";
  const OpenedTrace opened = read_chrome_trace(text, "memory");
  EXPECT_EQ(opened.trace->counts().dropped, 300 - (trace::Lane::kMaxRows - 64));
  EXPECT_THAT(opened.incomplete, HasSubstr("108 Python functions"));
  const auto ranges = events_on(opened, LaneKind::Phases);
  EXPECT_TRUE(std::ranges::any_of(ranges, [](const NamedEvent& e) { return e.name == "aten::item"; }));
}

}  // namespace
}  // namespace lanescope::io
