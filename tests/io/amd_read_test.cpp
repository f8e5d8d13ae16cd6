// Traces that the PyTorch profiler writes on AMD's GPUs: categories as on NVIDIA's, names of HIP. The names are from
// libkineto/src/RoctracerActivity_inl.h, which numbers correlations and words copies likewise.
#include <gmock/gmock.h>

#include "analysis/lane_facts.h"
#include "io/trace_file.h"
#include "opened.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// A launch, a fill, a copy to the host that waits for both, a copy by a kernel, an all-reduce, and a wait.
constexpr const char* kFile = R"j({"traceEvents":[
  {"ph":"X","cat":"cuda_runtime","name":"hipExtModuleLaunchKernel","pid":9,"tid":9,"ts":0,"dur":5,"args":{"cid":1,"correlation":1}},
  {"ph":"X","cat":"kernel","name":"Cijk_Ailk_Bljk_HHS_BH","pid":2,"tid":0,"ts":10,"dur":50,"args":{"device":2,"stream":0,"correlation":1,"kind":"Dispatch Kernel"}},
  {"ph":"X","cat":"cuda_runtime","name":"hipMemsetAsync","pid":9,"tid":9,"ts":6,"dur":3,"args":{"correlation":2}},
  {"ph":"X","cat":"kernel","name":"__amd_rocclr_fillBufferAligned","pid":2,"tid":0,"ts":60,"dur":5,"args":{"device":2,"stream":0,"correlation":2}},
  {"ph":"X","cat":"cuda_runtime","name":"hipMemcpyWithStream","pid":9,"tid":9,"ts":20,"dur":80,"args":{"correlation":3,"kind":"2"}},
  {"ph":"X","cat":"gpu_memcpy","name":"Memcpy CopyDeviceToHost (Device -> Host)","pid":2,"tid":0,"ts":70,"dur":20,"args":{"device":2,"stream":0,"correlation":3,"bytes":4}},
  {"ph":"X","cat":"cuda_runtime","name":"hipMemcpyAsync","pid":9,"tid":9,"ts":110,"dur":5,"args":{"correlation":4}},
  {"ph":"X","cat":"kernel","name":"__amd_rocclr_copyBuffer","pid":2,"tid":0,"ts":120,"dur":5,"args":{"device":2,"stream":0,"correlation":4}},
  {"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":9,"tid":9,"ts":130,"dur":5,"args":{"correlation":5}},
  {"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)","pid":2,"tid":1,"ts":140,"dur":60,"args":{"device":2,"stream":1,"correlation":5}},
  {"ph":"X","cat":"cuda_runtime","name":"hipDeviceSynchronize","pid":9,"tid":9,"ts":150,"dur":55,"args":{"correlation":6}}]})j";

TEST(AmdTrace, CallsKernelsAndCopiesAreWhatTheyAreOnOtherGpus) {
  const OpenedTrace opened = read_chrome_trace(kFile, "amd.json");
  EXPECT_THAT(opened.read_by_category,
              UnorderedElementsAre(Pair("cuda_runtime", 6), Pair("kernel", 4), Pair("gpu_memcpy", 1)));
  EXPECT_EQ(opened.events_skipped + opened.events_malformed, 0u);
  int kernels = 0, fills = 0;
  for (const NamedEvent& e : events_on(opened, LaneKind::Kernels)) {
    kernels += e.event.kind == EventKind::Kernel;
    fills += e.event.kind == EventKind::Memset;
  }
  EXPECT_EQ(kernels, 2);
  EXPECT_EQ(fills, 1);
  EXPECT_THAT(events_on(opened, LaneKind::CopyD2H), SizeIs(1));
  EXPECT_THAT(events_on(opened, LaneKind::CopyOther), SizeIs(1)) << "a kernel's copy, of unknown direction";
}

// The copy's call waits for the fill until 65, is copied from 70 to 90 and returns at 100; the device is done at 200.
TEST(AmdTrace, BlockingCallsWait) {
  const OpenedTrace opened = read_chrome_trace(kFile, "amd.json");
  expect_parts(find_event(opened, "hipMemcpyWithStream", 3), 5, 45, 20, 10);
  expect_parts(find_event(opened, "hipDeviceSynchronize", 6), 0, 50, 0, 5);
  for (const auto& [name, correlation] :
       {std::pair("hipExtModuleLaunchKernel", 1u), std::pair("hipLaunchKernel", 5u)}) {
    EXPECT_NE(find_event(opened, name, correlation).flags & trace::kLaunchFlag, 0) << name;
  }
}

TEST(AmdTrace, CallsHaveTheRolesOfTheirCudaNames) {
  base::NameTable names;
  analysis::CallNames calls(names);
  using analysis::CallRole;
  const auto role = [&](const char* name) { return calls.role(names.intern(name)); };
  for (const char* name : {"hipLaunchKernel", "hipModuleLaunchKernel", "hipExtModuleLaunchKernel", "hipGraphLaunch"}) {
    EXPECT_EQ(role(name), CallRole::KernelLaunch) << name;
  }
  EXPECT_EQ(role("hipMemcpyAsync"), CallRole::MemoryCopy);
  EXPECT_EQ(role("hipMemcpyWithStream"), CallRole::MemoryCopy);
  EXPECT_EQ(role("hipHostMalloc"), CallRole::Pinning);
  EXPECT_EQ(role("hipMalloc"), CallRole::Allocation);
  EXPECT_EQ(role("hipMallocAsync"), CallRole::Other);
  EXPECT_EQ(role("hipStreamSynchronize"), CallRole::Other);
}

// ROCm 6.2 writes the bytes only at the call, as a text, under either name. A copy's own number goes first.
TEST(AmdTrace, BytesAreThoseOfTheCallWhereTheCopyHasNone) {
  const OpenedTrace opened = read_chrome_trace(R"j({"traceEvents":[
    {"ph":"X","cat":"cuda_runtime","name":"hipMemcpyAsync","pid":9,"tid":9,"ts":0,"dur":5,"args":{"correlation":1,"size":"2560"}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Host -> Device)","pid":2,"tid":0,"ts":10,"dur":5,"args":{"device":2,"stream":0,"correlation":1}},
    {"ph":"X","cat":"cuda_runtime","name":"hipMemcpyAsync","pid":9,"tid":9,"ts":20,"dur":5,"args":{"correlation":2,"bytes":"18816"}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Host -> Device)","pid":2,"tid":0,"ts":30,"dur":5,"args":{"device":2,"stream":0,"correlation":2}},
    {"ph":"X","cat":"cuda_runtime","name":"hipMemcpyAsync","pid":9,"tid":9,"ts":40,"dur":5,"args":{"correlation":3,"size":"64"}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Host -> Device)","pid":2,"tid":0,"ts":50,"dur":5,"args":{"device":2,"stream":0,"correlation":3,"bytes":128}},
    {"ph":"X","cat":"user_annotation","name":"load","pid":9,"tid":9,"ts":0,"dur":60,"args":{"size":7}}]})j",
                                               "amd.json");
  const auto bytes = [&](std::uint32_t correlation) {
    return trace::bytes_of(find_event(opened, "Memcpy HtoD (Host -> Device)", correlation));
  };
  EXPECT_EQ(bytes(1), 2560u);
  EXPECT_EQ(bytes(2), 18'816u);
  EXPECT_EQ(bytes(3), 128u);
  const auto ranges = events_on(opened, LaneKind::Phases);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].arguments, "\"size\":7") << "of a range, it is shown";
}

// The copy is asynchronous if its call is: of two that take the same, the second is not.
TEST(AmdTrace, CopiesOfAsynchronousCallsAreAsynchronous) {
  const OpenedTrace opened = read_chrome_trace(R"j({"traceEvents":[
    {"ph":"X","cat":"cuda_runtime","name":"hipMemcpyAsync","pid":9,"tid":9,"ts":0,"dur":5,"args":{"correlation":1}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":2,"tid":0,"ts":10,"dur":5,"args":{"device":2,"stream":0,"correlation":1,"bytes":8}},
    {"ph":"X","cat":"cuda_runtime","name":"hipMemcpy","pid":9,"tid":9,"ts":20,"dur":20,"args":{"correlation":2}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":2,"tid":0,"ts":30,"dur":5,"args":{"device":2,"stream":0,"correlation":2,"bytes":8}}]})j",
                                               "amd.json");
  const auto traits = [&](std::uint32_t correlation) {
    return trace::copy_traits_of(find_event(opened, "Memcpy HtoD (Pageable -> Device)", correlation));
  };
  EXPECT_TRUE(traits(1).asynchronous);
  EXPECT_EQ(traits(1).source, trace::MemoryKind::Pageable);
  EXPECT_FALSE(traits(2).asynchronous);
}

}  // namespace
}  // namespace lanescope::io
