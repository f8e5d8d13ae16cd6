#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "capture/cupti/decoder.h"
#include "capture/recorder.h"
#include "decoder_rig.h"
#include "trace/trace.h"

namespace lanescope::capture::cupti::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using trace::Event;

TEST(Decoder, WritesALaunchAndItsKernel) {
  DecoderRig rig;
  rig.take(Buffer().call(Api::Launch, 1000, 6000, 17).kernel("my_kernel", 9000, 20000, 17));
  EXPECT_EQ(rig.counts.pending, 2u);
  EXPECT_THAT(rig.sink.lanes, IsEmpty()) << "nothing is known to be complete yet";
  rig.decoder.finish();

  ASSERT_THAT(rig.calls(), SizeIs(1));
  const Event call = rig.calls()[0];
  EXPECT_EQ(rig.text(call), "cudaLaunchKernel");
  EXPECT_EQ(call.start_ns, 1000);
  EXPECT_EQ(call.end_ns, 6000);
  EXPECT_EQ(call.correlation, 17u);
  EXPECT_EQ(call.kind, trace::EventKind::Call);
  EXPECT_EQ(call.flags, trace::kLaunchFlag);
  ASSERT_THAT(rig.on("kernels"), SizeIs(1));
  const Event kernel = rig.on("kernels")[0];
  EXPECT_EQ(rig.text(kernel), "my_kernel");
  EXPECT_EQ(kernel.start_ns, 9000);
  EXPECT_EQ(kernel.end_ns, 20000);
  EXPECT_EQ(kernel.correlation, 17u);
  EXPECT_EQ(kernel.kind, trace::EventKind::Kernel);
  EXPECT_EQ(kernel.flags, 0);

  EXPECT_EQ(rig.counts.received, 2u);
  EXPECT_EQ(rig.counts.calls, 1u);
  EXPECT_EQ(rig.counts.operations, 1u);
  EXPECT_EQ(rig.counts.pending, 0u);
  EXPECT_EQ(rig.counts.launches_unmatched, 0u);
  EXPECT_EQ(rig.counts.operations_unmatched, 0u);
  EXPECT_TRUE(rig.accounts());
}

TEST(Decoder, KeepsHowKernelsWereLaunched) {
  DecoderRig rig;
  const Launched small{64, 128, 32, 512, 0}, large{4096, 256, 255, 0, 48 * 1024};
  rig.take(Buffer()
               .kernel("a", 1000, 2000, 1, {}, small)
               .kernel("b", 2000, 3000, 2, {}, large)
               .kernel("a", 3000, 4000, 3, {}, small));
  rig.decoder.finish();
  const auto kernels = rig.on("kernels");
  ASSERT_THAT(kernels, SizeIs(3));
  EXPECT_EQ(trace::launch_of(kernels[0]), trace::launch_of(kernels[2]));
  EXPECT_EQ(rig.sink.launches_asked, 2) << "one that was seen before takes no lock";
  const auto shape = rig.sink.launches.find(trace::launch_of(kernels[1]));
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(shape->grid, (std::array<std::uint32_t, 3>{4096, 1, 1}));
  EXPECT_EQ(shape->block, (std::array<std::uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(shape->registers_per_thread, 255u);
  EXPECT_EQ(shape->static_shared_bytes, 0u);
  EXPECT_EQ(shape->dynamic_shared_bytes, 49152u);
  EXPECT_EQ(shape->shared_bytes, 49152u);
  EXPECT_EQ(shape->context, kContext);
  EXPECT_LT(shape->occupancy_percent, 0) << "CUPTI does not say";
}

TEST(Decoder, NamesLanesAsTheSimulatedDeviceDoes) {
  DecoderRig rig;
  const CopyOf to_device{CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                         CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 5'000'000'000, true};
  const CopyOf to_host{CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                       CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE, 64, false};
  const CopyOf inside{CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                      CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 64, true};
  rig.take(Buffer()
               .kernel("k", 1000, 2000, 1)
               .copy(to_device, 2000, 3000, 2)
               .copy(to_host, 3000, 4000, 3)
               .copy(inside, 4000, 5000, 4)
               .memset(4096, 5000, 6000, 5)
               .kernel("k", 6000, 7000, 6, {13, 0, kContext})
               .peer_copy(77, 7000, 8000, 7, {13, 0, kContext}));
  rig.decoder.finish();

  EXPECT_THAT(rig.lane_names(), UnorderedElementsAre("kernels", "copy H2D", "copy D2H", "copy D2D",
                                                     "kernels, stream 13", "copy D2D, stream 13"));
  for (const trace::LaneInfo& lane : rig.sink.lanes) {
    EXPECT_EQ(lane.process, "lanescope");
    EXPECT_EQ(lane.pid, 0);
    EXPECT_EQ(lane.tid, 0);
    EXPECT_EQ(lane.reorder_window, 0u);
    EXPECT_EQ(lane.stream, lane.name.find("13") == std::string::npos ? 7 : 13);
  }
  const Event h2d = rig.on("copy H2D").at(0);
  EXPECT_EQ(rig.text(h2d), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(trace::bytes_of(h2d), 5'000'000'000u);
  EXPECT_EQ(trace::copy_traits_of(h2d),
            (trace::CopyTraits{trace::CopyDirection::HostToDevice, trace::MemoryKind::Pinned, trace::MemoryKind::Device,
                               true}));
  EXPECT_EQ(rig.text(rig.on("copy D2H").at(0)), "Memcpy DtoH (Device -> Pageable)");
  EXPECT_EQ(rig.text(rig.on("copy D2D").at(0)), "Memcpy DtoD (Device -> Device)");
  const Event peer = rig.on("copy D2D, stream 13").at(0);
  EXPECT_EQ(rig.text(peer), "Memcpy PtoP (Device -> Device)");
  EXPECT_EQ(trace::copy_traits_of(peer).direction, trace::CopyDirection::Other);
  EXPECT_EQ(peer.correlation, 7u);
  const Event memset = rig.on("kernels").at(1);
  EXPECT_EQ(rig.text(memset), "Memset (Device)");
  EXPECT_EQ(memset.kind, trace::EventKind::Memset);
  EXPECT_EQ(trace::bytes_of(memset), 4096u);
  EXPECT_EQ(trace::copy_traits_of(memset), (trace::CopyTraits{trace::CopyDirection::Other, trace::MemoryKind::Unknown,
                                                              trace::MemoryKind::Device, true}));
}

TEST(Decoder, KnowsADefaultStreamByItsContext) {
  DecoderRig rig;
  rig.take(Buffer()
               .context(1, 0, 7)
               .context(2, 1, 14)
               .kernel("k", 1000, 2000, 1, {14, 1, 2})
               .kernel("k", 1000, 2000, 2, {7, 1, 2}));
  rig.decoder.finish();
  EXPECT_THAT(rig.lane_names(), UnorderedElementsAre("kernels", "kernels, stream 7"));
  EXPECT_EQ(rig.sink.lanes[0].device, 1);
}

TEST(Decoder, GivesOtherThreadsLanesOfTheirOwn) {
  DecoderRig rig;
  rig.take(
      Buffer().call(Api::Malloc, 1000, 2000, 1).call(Api::Malloc, 1500, 2500, 2, 99).call(Api::Malloc, 3000, 4000, 3));
  rig.decoder.finish();
  EXPECT_THAT(rig.lane_names(), UnorderedElementsAre("CUDA calls", "CUDA calls, thread 99"));
  for (const trace::LaneInfo& lane : rig.sink.lanes) EXPECT_EQ(lane.tid, lane.name == "CUDA calls" ? 0 : 99);
  EXPECT_THAT(rig.calls(), SizeIs(2));
}

TEST(Decoder, NamesCallsWithoutTheirVersions) {
  DecoderRig rig;
  rig.take(Buffer()
               .call(Api::Malloc, 1000, 2000, 1)
               .raw_call(CUPTI_ACTIVITY_KIND_DRIVER, kDriverLaunch, stamp(2000), stamp(3000), 2)
               .raw_call(CUPTI_ACTIVITY_KIND_RUNTIME, 4000, stamp(3000), stamp(4000), 3)
               .raw_call(CUPTI_ACTIVITY_KIND_DRIVER, 4'000'000, stamp(4000), stamp(5000), 4));
  rig.decoder.finish();
  std::vector<std::string> names;
  for (const Event& call : rig.calls()) names.push_back(rig.text(call));
  EXPECT_THAT(names, ElementsAre("cudaMalloc", "cuLaunchKernel", "runtime call 4000", "driver call 4000000"));
}

TEST(Decoder, KernelNamesGoByTheirTextAndNotByTheirAddress) {
  DecoderRig rig;
  char name[] = "first_name";
  rig.take(Buffer().kernel(name, 1000, 2000, 1));
  std::strcpy(name, "other_name");
  rig.take(Buffer().kernel(name, 2000, 3000, 2).kernel("first_name", 3000, 4000, 3));
  name[0] = 0;
  rig.decoder.finish();
  const auto kernels = rig.on("kernels");
  ASSERT_THAT(kernels, SizeIs(3));
  EXPECT_EQ(rig.text(kernels[0]), "first_name");
  EXPECT_EQ(rig.text(kernels[1]), "other_name");
  EXPECT_EQ(kernels[2].name, kernels[0].name);
}

TEST(Decoder, AKernelWithoutANameHasOneAllTheSame) {
  DecoderRig rig;
  rig.take(Buffer().kernel(nullptr, 1000, 2000, 1));
  rig.decoder.finish();
  EXPECT_EQ(rig.text(rig.on("kernels").at(0)), "(no name)");
}

TEST(Decoder, SumsUpWhatTheCaptureItselfCosts) {
  DecoderRig rig;
  // 10 + 20 + 30 + 40 us are CUPTI's own; module loading is the program's.
  rig.take(Buffer()
               .overhead(CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, 1000, 11'000, kThread)
               .overhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, 1000, 21'000, kThread)
               .overhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION, 1000, 31'000, kThread)
               .overhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE, 1000, 41'000, kThread)
               .overhead(CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING, 1000, 51'000, kThread));
  EXPECT_EQ(rig.counts.overhead_ns, 100'000u);
  EXPECT_EQ(rig.counts.received, 5u);
  EXPECT_EQ(rig.counts.pending, 0u);
}

// Checked by the leak sanitizer.
TEST(Decoder, FreesTheDataOfAnOverheadRecord) {
  DecoderRig rig;
  void* data = std::malloc(sizeof(CUpti_ActivityOverheadCommandBufferFullData));
  rig.take(Buffer().overhead(CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL, 1000, 2000, kThread, 0, data));
  void* untimed = std::malloc(12);
  CUpti_ActivityOverhead3 record{};
  record.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  record.overheadData = untimed;
  rig.take(Buffer().add(record));
  EXPECT_EQ(rig.counts.untimed, 1u);
}

TEST(Decoder, CountsKindsThatItDoesNotLookAtAsReceived) {
  DecoderRig rig;
  CUpti_ActivityName name{};
  name.kind = CUPTI_ACTIVITY_KIND_NAME;
  rig.take(Buffer().add(name).add(name).kernel("k", 1000, 2000, 1));
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.received, 3u);
  EXPECT_EQ(rig.counts.operations, 1u);
  EXPECT_EQ(rig.counts.unknown_kind, 0u);
}

// A newer CUPTI's numbers, or a damaged buffer's. The enumerations of the headers here end at 0x7fffffff: to read a
// higher number as a value of their type is undefined, which UndefinedBehaviorSanitizer reports.
template <typename Enumeration>
Enumeration beyond() {
  constexpr std::uint32_t kNumber = 0xdeadbeef;
  Enumeration value;
  static_assert(sizeof value == sizeof kNumber);
  std::memcpy(&value, &kNumber, sizeof value);
  return value;
}

TEST(Decoder, ReadsNumbersThatAreNoValuesOfCuptisEnumerations) {
  DecoderRig rig;
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = beyond<CUpti_ActivityOverheadKind>();
  overhead.objectKind = beyond<CUpti_ActivityObjectKind>();
  overhead.start = stamp(1000);
  overhead.end = stamp(2000);
  rig.take(Buffer()
               .sync(beyond<CUpti_ActivitySynchronizationType>(), 1000, 2000, 1)
               .stream(kContext, 13, beyond<CUpti_ActivityStreamFlag>())
               .add(overhead)
               .kernel("k", 3000, 4000, 2));
  rig.decoder.finish();
  EXPECT_EQ(rig.counts.received, 4u);
  EXPECT_EQ(rig.counts.untimed, 0u);
  EXPECT_EQ(rig.counts.unknown_kind, 0u);
  EXPECT_THAT(rig.on("kernels"), SizeIs(1));
}

TEST(Decoder, MeasuresTheLatencyOfWhatItWrites) {
  DecoderRig rig;
  Buffer buffer;
  // 100 kernels that ended 1, 2, ... 100 ms before now, written when it is 101 ms.
  for (int i = 1; i <= 100; ++i) buffer.kernel("k", i * kMs - 1000, i * kMs, static_cast<std::uint32_t>(i));
  rig.take(buffer);
  rig.now = 101 * kMs;
  rig.decoder.finish();
  EXPECT_DOUBLE_EQ(rig.counts.latency_p50_ms, 51);
  EXPECT_DOUBLE_EQ(rig.counts.latency_p99_ms, 100);
}

// Through a recorder into a trace, where a lane out of order would need a second row.
TEST(Decoder, WhatItWritesFillsATrace) {
  trace::Trace trace;
  Recorder recorder(trace, WhenFull::Wait);
  Counts counts;
  Nanoseconds now = kMs;
  Decoder decoder(reading_table(), recorder,
                  ClockMap({.cupti_ns = [&] { return stamp(now); }, .trace_ns = [&] { return now; }}), counts);
  decoder.set_main_thread(kThread);
  Buffer calls, kernels;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const Nanoseconds t = kMs + i * 10'000;
    calls.call(Api::Launch, t, t + 4000, i + 1);
    kernels.kernel("k", t + 5000, t + 14'000, i + 1);
  }
  now = 50 * kMs;
  decoder.take(kernels.data(), kernels.size());
  decoder.take(calls.data(), calls.size());
  decoder.advance({300 * kMs, {}, kForever});
  recorder.flush();

  ASSERT_EQ(trace.lane_count(), 2u);
  for (trace::LaneId lane = 0; lane < 2; ++lane) {
    EXPECT_EQ(trace.lane(lane).row_count(), 1u) << trace.lane(lane).info().name;
    EXPECT_EQ(trace.lane(lane).row(0).last(), 1000u);
  }
  EXPECT_EQ(trace.counts().late, 0u);
  EXPECT_EQ(trace.complete_until(), 300 * kMs);
}

// Another writer of the trace reports that everything up to 5 ms is written, while nothing has come from CUPTI yet.
TEST(DecoderInTrace, IsNotTakenToBeCompleteBeforeItsFirstWord) {
  trace::Trace trace;
  capture::Recorder recorder(trace, capture::WhenFull::Wait);
  Counts counts;
  Decoder decoder(reading_table(), recorder, ClockMap({[] { return 0u; }, [] { return Nanoseconds{0}; }}), counts);
  const auto other = recorder.open_writer();
  other->complete_until(5 * kMs);
  recorder.flush();
  EXPECT_LT(trace.complete_until(), 0);
}

// The replacement for CUPTI must read records like CUPTI does.
TEST(OwnWalker, ReadsAsCuptiDoes) {
  const CuptiTable table = reading_table();
  if (table.get_next_record == &walk) GTEST_SKIP() << "no libcupti of the headers' version here";
  Buffer buffer;
  buffer.launch(1, 2, 3, 4, 1).copy({}, 5, 6, 2).peer_copy(7, 8, 9, 3).memset(1, 10, 11, 4).context(1, 0, 7);
  buffer.sync(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, 12, 13, 5).gpu_event(1, 6, 7);
  buffer.overhead(CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING, 14, 15, 1).driver_launch(16, 17, 7);
  buffer.stream(1, 13, CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT);
  const auto offsets = [](auto next_record, Buffer& of, std::size_t size) {
    std::vector<std::ptrdiff_t> found;
    CUpti_Activity* record = nullptr;
    CUptiResult result = next_record(of.data(), size, &record);
    for (; result == CUPTI_SUCCESS; result = next_record(of.data(), size, &record)) {
      found.push_back(reinterpret_cast<std::uint8_t*>(record) - of.data());
    }
    found.push_back(-static_cast<std::ptrdiff_t>(result));
    return found;
  };
  for (std::size_t size = 0; size <= buffer.size(); size += 8) {
    EXPECT_EQ(offsets(&walk, buffer, size), offsets(table.get_next_record, buffer, size)) << size;
  }
  buffer.add(std::uint64_t{0});
  EXPECT_EQ(offsets(&walk, buffer, buffer.size()), offsets(table.get_next_record, buffer, buffer.size()));
  for (const Api api : {Api::Memcpy, Api::MemcpyAsync, Api::MemsetAsync, Api::Launch, Api::GraphLaunch, Api::HostFunc,
                        Api::StreamSync, Api::EventSync, Api::DeviceSync, Api::EventRecord, Api::Malloc, Api::Free,
                        Api::BeginCapture, Api::EndCapture}) {
    const char *own = nullptr, *real = nullptr;
    name_call(CUPTI_CB_DOMAIN_RUNTIME_API, static_cast<std::uint32_t>(api), &own);
    ASSERT_EQ(table.get_callback_name(CUPTI_CB_DOMAIN_RUNTIME_API, static_cast<std::uint32_t>(api), &real),
              CUPTI_SUCCESS);
    EXPECT_STREQ(own, real);
  }
}

TEST(PlainApiName, CutsWhatTheVersionAdds) {
  const std::pair<const char*, const char*> names[] = {{"cudaLaunchKernel_v7000", "cudaLaunchKernel"},
                                                       {"cudaMemcpyAsync_ptsz_v7000", "cudaMemcpyAsync"},
                                                       {"cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyHtoDAsync"},
                                                       {"cudaMemcpy_ptds", "cudaMemcpy"},
                                                       {"cuCtxCreate", "cuCtxCreate"},
                                                       {"_v2", "_v2"},
                                                       {"", ""}};
  for (const auto& [name, plain] : names) EXPECT_EQ(trace::plain_api_name(name), plain) << name;
}

TEST(KernelName, IsForAPerson) {
  EXPECT_EQ(kernel_name("vector_add"), "vector_add");
  EXPECT_EQ(kernel_name("_Z10vector_addPKfS0_Pfi"), "vector_add");
  // void scale<int, 4>(int*)
  EXPECT_EQ(kernel_name("_Z5scaleIiLi4EEvPT_"), "scale<int, 4>");
  EXPECT_EQ(kernel_name("_ZN2at6native4copyIfEEvPT_S3_"), "at::native::copy<float>");
  EXPECT_EQ(kernel_name("_Zbroken"), "_Zbroken");
  EXPECT_EQ(kernel_name("void k<(int)3>(float*)"), "k<(int)3>");
  EXPECT_EQ(kernel_name("k<(int)3>"), "k<(int)3>");
  EXPECT_EQ(kernel_name("f(int) [clone .kd]"), "f");
  EXPECT_EQ(kernel_name(""), "");
  EXPECT_EQ(kernel_name("()"), "()");
  EXPECT_EQ(kernel_name("))(("), "))((");
  const std::string cut = kernel_name(std::string(500, 'x'));
  EXPECT_EQ(cut, std::string(117, 'x') + "...");
}

}  // namespace
}  // namespace lanescope::capture::cupti::test
