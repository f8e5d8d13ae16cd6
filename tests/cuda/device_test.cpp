// CudaDevice's functions, one by one, on a GPU in host memory.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "cuda/rig.h"

namespace lanescope::device::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using CudaDeviceTest = CudaRig;

TEST_F(CudaDeviceTest, SaysWhatItIs) {
  const DeviceInfo& info = make().info();
  EXPECT_EQ(info.id, "cuda:0");
  EXPECT_EQ(info.name, "Fake GPU 0");
  EXPECT_EQ(info.profile, "");
  EXPECT_FALSE(info.simulated);
  EXPECT_FALSE(info.virtual_time);
  EXPECT_EQ(info.dispatch_us, 0);
}

TEST_F(CudaDeviceTest, TimeIsTheMonotonicClockSinceItWasMade) {
  const std::int64_t before = monotonic_ns();
  make();
  const Nanoseconds first = device->now_ns();
  EXPECT_GE(first, 0);
  EXPECT_LE(first, monotonic_ns() - before);
  device->host_work(300'000);
  EXPECT_GE(device->now_ns(), first + 300'000);
  const Nanoseconds then = device->now_ns();
  device->host_wrote(std::size_t{1} << 40);  // that time has passed already
  device->host_work(0);
  EXPECT_LT(device->now_ns(), then + base::kSecond);
  EXPECT_THROW(device->host_work(-1), base::Error);
}

TEST_F(CudaDeviceTest, MovesAndComputesValues) {
  make();
  const Buffer host = device->allocate(MemoryKind::Pageable, 16), pinned = device->allocate(MemoryKind::Pinned, 16);
  const Buffer x = device->allocate(MemoryKind::Device, 16), y = device->allocate(MemoryKind::Device, 16);
  const float values[] = {-1, 2, -3, 4};
  std::ranges::copy(values, floats(*device, host).begin());
  device->copy_async({x, 0}, {host, 0}, 16, Stream::Default);
  const Buffer args[] = {x, y};
  device->launch({ops::OpKind::ReluForward, 2, 2, 1}, args, Stream::Default, false);  // runs all the same
  device->copy_async({pinned, 0}, {y, 0}, 16, Stream::Default);
  device->synchronize(Stream::Default);
  EXPECT_THAT(floats(*device, pinned), ElementsAre(0, 2, 0, 4));
  device->fill_async({y, 4}, 0, 8, Stream::Default);
  device->copy({host, 4}, {y, 0}, 12);
  EXPECT_THAT(floats(*device, host), ElementsAre(-1, 0, 0, 0));
  EXPECT_THAT(gpu->take_log(),
              ElementsAre("host_alloc 16", "malloc 2097152", "memset_async 16 default", "memset_async 16 default",
                          "memcpy_async 16 default", "launch relu_forward default", "memcpy_async 16 default",
                          "stream_synchronize default", "memset_async 8 default", "memcpy 12"));
}

TEST_F(CudaDeviceTest, MemoryIsZeroedAlsoWhenItIsUsedAgain) {
  make();
  for (const MemoryKind kind : {MemoryKind::Pageable, MemoryKind::Pinned, MemoryKind::Device}) {
    const Buffer read = device->allocate(MemoryKind::Pinned, 4096);
    for (int round = 0; round < 2; ++round) {
      const Buffer buffer = device->allocate(kind, 4096);
      device->copy({read, 0}, {buffer, 0}, 4096);
      EXPECT_THAT(floats(*device, read), testing::Each(0));
      floats(*device, read)[0] = 1;
      device->copy({buffer, 0}, {read, 0}, 4096);  // is given back dirty
      device->release(buffer);
    }
  }
  const Buffer pageable = device->allocate(MemoryKind::Pageable, 100);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device->host_data(pageable).data()) % 64, 0u);
}

// The first copy into a large new tensor includes the first touch of its pages (P18), so they must be untouched before.
TEST_F(CudaDeviceTest, ALargeHostBufferIsZeroAndUntouched) {
  make();
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const Buffer buffer = device->allocate(MemoryKind::Pageable, kBytes);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> resident(kBytes / page);
  ASSERT_EQ(mincore(device->host_data(buffer).data(), kBytes, resident.data()), 0);
  EXPECT_EQ(std::count_if(resident.begin(), resident.end(), [](unsigned char p) { return (p & 1) != 0; }), 0);
  EXPECT_EQ(device->host_data(buffer).back(), std::byte{0});
  device->release(buffer);
}

TEST_F(CudaDeviceTest, FillsAHostBufferWithArbitraryValues) {
  make();
  const Buffer buffer = device->allocate(MemoryKind::Pageable, 4'000);
  device->host_fill(buffer, 3'996);
  const std::vector<float> first(floats(*device, buffer).begin(), floats(*device, buffer).end());
  EXPECT_THAT(first, testing::Each(testing::AllOf(testing::Ge(0.0f), testing::Lt(1.0f))));
  EXPECT_EQ(first.back(), 0);  // beyond what was asked for
  EXPECT_NE(first[0], first[16]);
  double mean = 0;
  for (const float value : first) mean += value / 999.0;
  EXPECT_NEAR(mean, 0.5, 0.05);  // five standard deviations of the mean of 999 uniform values are 0.046
  device->host_fill(buffer, 4'000);
  EXPECT_NE(first[0], floats(*device, buffer)[0]);
  EXPECT_THROW(device->host_fill(buffer, 4'001), base::Error);
  EXPECT_THROW(device->host_fill(device->allocate(MemoryKind::Device, 8), 8), base::Error);
}

TEST_F(CudaDeviceTest, StreamsAndEvents) {
  make();
  const Stream side = device->create_stream(true), blocking = device->create_stream(false);
  const GpuEvent event = device->create_event();
  device->record(event, side);
  device->wait(Stream::Default, event);
  EXPECT_TRUE(device->query(event));
  gpu->busy = true;
  EXPECT_FALSE(device->query(event));
  EXPECT_EQ(gpu->last_error, kSuccess);  // a later call must not find "not ready" as an error
  device->synchronize(event);
  device->synchronize(blocking);
  device->synchronize();
  EXPECT_THAT(gpu->take_log(),
              ElementsAre("stream_create non-blocking", "stream_create blocking", "event_create", "event_record #3 #1",
                          "stream_wait_event default #3", "event_query #3", "event_query #3", "event_synchronize #3",
                          "stream_synchronize #2", "device_synchronize"));
}

// The default stream zeroes a new buffer, and a non-blocking stream does not wait for that; and after its release, the
// next user must wait for that stream's work.
TEST_F(CudaDeviceTest, ANonBlockingStreamComesAfterTheZeroesAndBeforeTheNextUse) {
  make();
  const Stream side = device->create_stream(true), blocking = device->create_stream(false);
  const Buffer a = device->allocate(MemoryKind::Device, 512), b = device->allocate(MemoryKind::Device, 512);
  gpu->take_log();
  device->fill_async({a, 0}, 1, 512, blocking);
  EXPECT_THAT(gpu->take_log(), ElementsAre("memset_async 512 #2"));
  device->fill_async({a, 0}, 1, 512, side);
  EXPECT_THAT(gpu->take_log(),
              ElementsAre("event_create", "event_record #3 default", "stream_wait_event #1 #3", "memset_async 512 #1"));
  device->copy_async({b, 0}, {a, 0}, 512, side);  // its zeroes were written before that wait
  EXPECT_THAT(gpu->take_log(), ElementsAre("memcpy_async 512 #1"));
  const Buffer args[] = {device->allocate(MemoryKind::Device, 512)};
  gpu->take_log();
  device->launch({ops::OpKind::Fill, 1, 1, 1, 1}, args, side, true);
  EXPECT_THAT(gpu->take_log(), ElementsAre("event_record #3 default", "stream_wait_event #1 #3", "launch fill #1"));
  device->release(a);
  EXPECT_THAT(gpu->take_log(), ElementsAre("event_record #3 #1", "stream_wait_event default #3"));
}

TEST_F(CudaDeviceTest, WrongArgumentsAreNamedAndReachNoGpu) {
  make();
  const Buffer gpu_buffer = device->allocate(MemoryKind::Device, 64), host = device->allocate(MemoryKind::Pinned, 64);
  const Buffer gone = device->allocate(MemoryKind::Pageable, 64);
  device->release(gone);
  gpu->take_log();
  const Buffer one[] = {gpu_buffer}, on_host[] = {host}, many[9] = {};
  const auto says = [](const std::function<void()>& call) { return error_of(call); };
  EXPECT_EQ(says([&] { device->allocate(MemoryKind::Unknown, 8); }), "allocate: the kind of memory is unknown");
  EXPECT_EQ(says([&] { device->allocate(MemoryKind::Device, 0); }), "allocate: a buffer of 0 bytes is not allowed");
  EXPECT_THAT(says([&] { device->release(gone); }), testing::HasSubstr("was released before"));
  EXPECT_EQ(says([&] { device->release(Buffer::None); }), "release: buffer 0 was never allocated");
  EXPECT_EQ(says([&] { device->host_data(gpu_buffer); }),
            "host_data: the buffer is on the device; allowed: pageable, pinned");
  EXPECT_EQ(says([&] {
              device->copy_async({gpu_buffer, 60}, {host, 0}, 5, Stream::Default);
            }),
            "cudaMemcpyAsync: 5 bytes at offset 60 do not fit in a buffer of 64 bytes");
  EXPECT_EQ(says([&] {
              device->copy({host, 65}, {gpu_buffer, 0}, 0);
            }),
            "cudaMemcpy: 0 bytes at offset 65 do not fit in a buffer of 64 bytes");
  EXPECT_EQ(says([&] {
              device->copy_async({gpu_buffer, 0}, {host, 0}, 4, Stream{5});
            }),
            "cudaMemcpyAsync: stream 5 was never created");
  EXPECT_EQ(says([&] {
              device->fill_async({host, 0}, 0, 4, Stream::Default);
            }),
            "cudaMemsetAsync: the buffer is host memory; allowed: device memory");
  EXPECT_EQ(says([&] { device->query(GpuEvent{3}); }), "cudaEventQuery: event 3 was never created");
  EXPECT_EQ(says([&] { device->record(GpuEvent::None, Stream::Default); }),
            "cudaEventRecord: event 0 was never created");
  EXPECT_EQ(says([&] { device->synchronize(Stream{1}); }), "cudaStreamSynchronize: stream 1 was never created");
  EXPECT_EQ(says([&] {
              device->launch({ops::OpKind::Fill, 4, 4, 1}, on_host, Stream::Default, true);
            }),
            "cudaLaunchKernel: an argument is host memory; allowed: device memory");
  EXPECT_EQ(says([&] {
              device->launch({ops::OpKind::Fill, 5, 4, 1}, one, Stream::Default, true);
            }),
            "fill: argument 'out' has 16 elements; at least 20 needed");
  EXPECT_EQ(says([&] {
              device->launch({ops::OpKind::Fill, 0, 4, 1}, one, Stream::Default, true);
            }),
            "fill: shape m=0 n=4 k=1 is not allowed; each is at least 1");
  EXPECT_EQ(says([&] {
              device->launch({ops::OpKind::SgdStep, 1, 1, 1}, many, Stream::Default, true);
            }),
            "cudaLaunchKernel: 9 arguments given; at most 8 are allowed");
  EXPECT_THAT(gpu->take_log(), IsEmpty());
}

TEST_F(CudaDeviceTest, ASpinNeedsNoArguments) {
  make();
  device->launch({ops::OpKind::Spin, 1, 1, 1, 50}, {}, Stream::Default, true);
  EXPECT_THAT(gpu->take_log(), ElementsAre("launch spin default"));
}

TEST_F(CudaDeviceTest, TellsTheCaptureWhichThreadCalls) {
  make();
  EXPECT_EQ(recording->main_thread, static_cast<std::uint32_t>(gettid()));
  std::uint32_t other = 0;
  std::thread([&] {
    other = static_cast<std::uint32_t>(gettid());
    device->synchronize();
  }).join();
  EXPECT_EQ(recording->main_thread, other);
}

TEST_F(CudaDeviceTest, TheGpuIsMadeCurrentOncePerThreadThatCalls) {
  make();
  EXPECT_EQ(gpu->contexts, 1);
  device->synchronize();
  EXPECT_EQ(gpu->contexts, 1);
  std::thread([&] {
    device->synchronize();
    device->synchronize();
  }).join();
  EXPECT_EQ(gpu->contexts, 2);
}

TEST_F(CudaDeviceTest, GivesEverythingBack) {
  make();
  device->create_stream(true);
  device->create_event();
  for (const MemoryKind kind : {MemoryKind::Pageable, MemoryKind::Pinned, MemoryKind::Device}) {
    device->allocate(kind, 3 << 20);
  }
  device->release(device->allocate(MemoryKind::Device, 1));
  std::thread([&] { device->synchronize(); }).join();
  device.reset();
  EXPECT_TRUE(gpu->device.empty() && gpu->pinned.empty() && gpu->streams.empty() && gpu->events.empty());
  EXPECT_EQ(gpu->count("reset"), 0);
  EXPECT_FALSE(recording->alive);
}

// --- recording -----------------------------------------------------------------------------------------------------

TEST_F(CudaDeviceTest, ARunningCaptureWritesTheCallsAndTheDeviceOnlyHowFarItIs) {
  make();
  const Buffer buffer = device->allocate(MemoryKind::Device, 64);
  device->fill_async({buffer, 0}, 0, 64, Stream::Default);
  device->synchronize();
  EXPECT_THAT(sink.events, IsEmpty());
  EXPECT_THAT(sink.lanes, IsEmpty());
  EXPECT_GT(sink.complete_until, 0);
  EXPECT_LE(sink.complete_until, device->now_ns());
}

TEST_F(CudaDeviceTest, SaysHowFarItIsAfterASynchronisationAndEveryMillisecond) {
  make();
  const GpuEvent event = device->create_event();
  device->synchronize();
  const int told = sink.times_complete;
  const Nanoseconds until = sink.complete_until;
  device->synchronize(event);
  EXPECT_EQ(sink.times_complete, told + 1);
  EXPECT_GT(sink.complete_until, until);
  const Nanoseconds then = sink.complete_until;
  while (device->now_ns() < then + 3 * base::kMillisecond) device->record(event, Stream::Default);
  device->record(event, Stream::Default);  // in case this thread stood still since the one before
  EXPECT_GE(sink.complete_until, then + 2 * base::kMillisecond);
  EXPECT_LE(sink.times_complete, told + 1 + 4);
  const Nanoseconds before_work = device->now_ns();
  device->host_work(2 * base::kMillisecond);
  EXPECT_GE(sink.complete_until, before_work + 2 * base::kMillisecond);
}

TEST_F(CudaDeviceTest, WithoutACaptureItWritesItsCallsItself) {
  for (const auto state : {trace::CaptureState::Off, trace::CaptureState::Unavailable, trace::CaptureState::Busy,
                           trace::CaptureState::Denied, trace::CaptureState::Unsupported, trace::CaptureState::Lost}) {
    recording->health.state = state;
    sink.events.clear();
    make();
    const Nanoseconds start = device->now_ns();
    const Buffer gpu_buffer = device->allocate(MemoryKind::Device, 64), host = device->allocate(MemoryKind::Pinned, 64);
    const Buffer args[] = {gpu_buffer};
    device->launch({ops::OpKind::Fill, 4, 4, 1, 1}, args, Stream::Default, true);
    device->copy_async({host, 0}, {gpu_buffer, 0}, 64, Stream::Default);
    device->synchronize(Stream::Default);
    device->copy({host, 0}, {gpu_buffer, 0}, 64);
    device->query(device->create_event());
    EXPECT_THAT(sink.written(),
                ElementsAre("cudaMalloc", "cudaMemsetAsync", "cudaHostAlloc", "cudaLaunchKernel", "cudaMemcpyAsync",
                            "cudaStreamSynchronize", "cudaMemcpy", "cudaEventCreateWithFlags", "cudaEventQuery"));
    ASSERT_EQ(sink.events.size(), 9u);
    const int flags[] = {0,
                         trace::kLaunchFlag,
                         0,
                         trace::kLaunchFlag,
                         trace::kLaunchFlag,
                         trace::kSyncFlag,
                         trace::kLaunchFlag | trace::kSyncFlag,
                         0,
                         0};
    Nanoseconds last = start;
    for (std::size_t i = 0; i < 9; ++i) {
      const trace::Event& call = sink.events[i];
      EXPECT_EQ(call.kind, trace::EventKind::Call);
      EXPECT_EQ(call.flags, flags[i]) << i;
      EXPECT_EQ(call.correlation, 0u);
      EXPECT_GE(call.start_ns, last);
      EXPECT_GE(call.end_ns, call.start_ns);
      last = call.end_ns;
    }
    EXPECT_LE(last, device->now_ns());
    ASSERT_EQ(sink.lanes.size(), 1u);
    EXPECT_EQ(sink.lanes[0].kind, trace::LaneKind::Calls);
    EXPECT_EQ(sink.lanes[0].name, "CUDA calls");
    EXPECT_EQ(sink.lanes[0].process, "lanescope");
    device.reset();
    EXPECT_EQ(sink.events.size(), 9u);  // tearing down is not part of the run
  }
}

TEST_F(CudaDeviceTest, ADegradedCaptureStillWritesTheCalls) {
  recording->health.state = trace::CaptureState::Degraded;
  make().synchronize();
  EXPECT_THAT(sink.events, IsEmpty());
}

TEST_F(CudaDeviceTest, PassesOnWhatTheCaptureSays) {
  make();
  recording->health.dropped = 3;
  recording->open = {{1, 2, 300}};
  std::thread([&] {  // any thread may ask
    EXPECT_EQ(device->capture_health().state, trace::CaptureState::Running);
    EXPECT_EQ(device->capture_health().dropped, 3u);
    EXPECT_THAT(device->open_calls(), ElementsAre(trace::OpenCall{1, 2, 300}));
    device->flush_capture();
  })
      .join();
  EXPECT_EQ(recording->flushes, 1);
}

TEST_F(CudaDeviceTest, NoCaptureAtAllIsOneThatIsOff) {
  DeviceContext context;
  context.sink = &sink;
  CudaDevice plain(std::make_unique<FakeApi>(gpu), nullptr, fake_gpu_info(0), context, 0);
  EXPECT_EQ(plain.capture_health().state, trace::CaptureState::Off);
  EXPECT_THAT(plain.open_calls(), IsEmpty());
  plain.flush_capture();
  plain.synchronize();
  EXPECT_THAT(sink.written(), ElementsAre("cudaDeviceSynchronize"));
}

// 0.25 ms on the fake. "Not ready" is neither an error nor a number.
TEST_F(CudaDeviceTest, TimesBetweenEventsThatWereMadeForIt) {
  make();
  const GpuEvent start = device->create_timing_event(), end = device->create_timing_event();
  device->create_event();
  EXPECT_THAT(gpu->take_log(), testing::ElementsAre("event_create timing", "event_create timing", "event_create"));
  device->record(start, Stream::Default);
  device->record(end, Stream::Default);
  gpu->busy = true;
  EXPECT_EQ(device->elapsed(start, end), std::nullopt);
  EXPECT_EQ(gpu->last_error, kSuccess);
  gpu->busy = false;
  EXPECT_EQ(device->elapsed(start, end), 250'000);
  EXPECT_EQ(error_of([&] { device->elapsed(start, GpuEvent{7}); }), "cudaEventElapsedTime: event 7 was never created");
}

// New memory is zeroed on the default stream. A node cannot wait for that, so the order is made before the capture.
TEST_F(CudaDeviceTest, CapturesAGraphAndLaunchesIt) {
  make();
  const Buffer host = device->allocate(MemoryKind::Pinned, 16), x = device->allocate(MemoryKind::Device, 16);
  const Stream side = device->create_stream(true);
  gpu->take_log();
  device->begin_capture(side);
  const Buffer args[] = {x};
  device->launch({ops::OpKind::Increment, 4, 1, 1, 1.0f}, args, side, true);
  device->launch({ops::OpKind::Increment, 4, 1, 1, 2.0f}, args, side, true);
  const Graph graph = device->end_capture(side);
  EXPECT_THAT(gpu->take_log(), ElementsAre("event_create", "event_record #2 default", "stream_wait_event #1 #2",
                                           "begin_capture #1", "launch increment #1", "launch increment #1",
                                           "end_capture #1", "graph_instantiate", "graph_destroy"));
  device->copy({host, 0}, {x, 0}, 16);
  EXPECT_THAT(floats(*device, host), ElementsAre(0, 0, 0, 0)) << "captured, not run";
  gpu->take_log();
  for (int i = 0; i < 3; ++i) device->launch_graph(graph, Stream::Default);
  EXPECT_THAT(gpu->take_log(),
              ElementsAre("graph_launch 2 default", "graph_launch 2 default", "graph_launch 2 default"));
  device->copy({host, 0}, {x, 0}, 16);
  EXPECT_THAT(floats(*device, host), ElementsAre(9, 9, 9, 9));
  device->destroy_graph(graph);
  EXPECT_THROW(device->launch_graph(graph, Stream::Default), base::Error);
  device.reset();
  EXPECT_EQ(gpu->count("graph_exec_destroy"), 1) << "not a second time";
}

TEST_F(CudaDeviceTest, DestroysItsGraphsWithItself) {
  make();
  const Stream side = device->create_stream(true);
  device->begin_capture(side);
  device->launch({ops::OpKind::Spin, 1, 1, 1, 1.0f}, {}, side, true);
  device->end_capture(side);
  device.reset();
  EXPECT_EQ(gpu->count("graph_exec_destroy"), 1);
}

TEST_F(CudaDeviceTest, AReadDuringACaptureFails) {
  make();
  const Stream side = device->create_stream(true);
  device->begin_capture(side);
  try {
    device->synchronize(side);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(),
                 "cudaStreamSynchronize failed: cudaErrorStreamCaptureUnsupported (900): operation not permitted when "
                 "stream is capturing");
  }
}

}  // namespace
}  // namespace lanescope::device::cuda
