// CUDA errors: passing ones, sticky ones, and how a GPU is used again after one.
#include "cuda/rig.h"

namespace lanescope::device::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using CudaErrorTest = CudaRig;

// Every function of the device that makes a call, with the call that fails and its CUDA name.
struct Step {
  const char* call;
  const char* name;
  std::function<void(CudaDevice&)> make;
};

struct Things {
  explicit Things(CudaDevice& device)
      : gpu(device.allocate(MemoryKind::Device, 64)),
        host(device.allocate(MemoryKind::Pinned, 64)),
        event(device.create_event()) {}
  Buffer gpu, host;
  GpuEvent event;
};

std::vector<Step> steps(const Things& t) {
  return {
      {"malloc", "cudaMalloc", [](CudaDevice& d) { d.allocate(MemoryKind::Device, 50 << 20); }},
      {"host_alloc", "cudaHostAlloc", [](CudaDevice& d) { d.allocate(MemoryKind::Pinned, 64); }},
      {"free_host", "cudaFreeHost", [t](CudaDevice& d) { d.release(t.host); }},
      {"stream_create", "cudaStreamCreateWithFlags", [](CudaDevice& d) { d.create_stream(true); }},
      {"event_create", "cudaEventCreateWithFlags", [](CudaDevice& d) { d.create_event(); }},
      {"event_record", "cudaEventRecord", [t](CudaDevice& d) { d.record(t.event, Stream::Default); }},
      {"stream_wait_event", "cudaStreamWaitEvent", [t](CudaDevice& d) { d.wait(Stream::Default, t.event); }},
      {"event_query", "cudaEventQuery", [t](CudaDevice& d) { d.query(t.event); }},
      {"event_elapsed", "cudaEventElapsedTime", [t](CudaDevice& d) { d.elapsed(t.event, t.event); }},
      {"event_synchronize", "cudaEventSynchronize", [t](CudaDevice& d) { d.synchronize(t.event); }},
      {"stream_synchronize", "cudaStreamSynchronize", [](CudaDevice& d) { d.synchronize(Stream::Default); }},
      {"device_synchronize", "cudaDeviceSynchronize", [](CudaDevice& d) { d.synchronize(); }},
      {"memcpy_async", "cudaMemcpyAsync",
       [t](CudaDevice& d) {
         d.copy_async({t.gpu, 0}, {t.host, 0}, 8, Stream::Default);
       }},
      {"memcpy", "cudaMemcpy",
       [t](CudaDevice& d) {
         d.copy({t.gpu, 0}, {t.host, 0}, 8);
       }},
      {"memset_async", "cudaMemsetAsync",
       [t](CudaDevice& d) {
         d.fill_async({t.gpu, 0}, 0, 8, Stream::Default);
       }},
      {"launch", "cudaLaunchKernel",
       [t](CudaDevice& d) {
         const Buffer args[] = {t.gpu};
         d.launch({ops::OpKind::Fill, 2, 2, 1, 1}, args, Stream::Default, true);
       }},
  };
}

TEST_F(CudaErrorTest, AnErrorNamesCallCodeAndTextAndPasses) {
  make();
  const Things things(*device);
  for (const Step& step : steps(things)) {
    gpu->fail(step.call, 1, 1);
    EXPECT_EQ(error_of([&] { step.make(*device); }),
              std::string(step.name) + " failed: cudaErrorInvalidValue (1): invalid argument");
    EXPECT_EQ(gpu->last_error, kSuccess);  // no other call is blamed for it
    EXPECT_EQ(error_of([&] { device->synchronize(); }), "no error");
  }
}

TEST_F(CudaErrorTest, AnErrorThatStaysIsTheLastCall) {
  for (std::size_t i = 0;; ++i) {
    make();
    const Things things(*device);
    const std::vector<Step> all = steps(things);
    if (i == all.size()) break;
    gpu->fail(all[i].call, 1, 700);
    const std::string lost = std::string(all[i].name) +
                             " failed: cudaErrorIllegalAddress (700): an illegal memory access was encountered; the "
                             "device is lost until it is restarted";
    EXPECT_EQ(error_of<DeviceLost>([&] { all[i].make(*device); }), lost);
    gpu->take_log();
    for (const Step& step : all) EXPECT_EQ(error_of<DeviceLost>([&] { step.make(*device); }), lost);
    EXPECT_THAT(gpu->take_log(), IsEmpty());
    // The CPU side continues: the run is ended on it.
    device->host_work(0);
    EXPECT_GT(device->now_ns(), 0);
    EXPECT_EQ(device->host_data(things.host).size(), 64u);
    EXPECT_GT(sink.complete_until, 0);
    device.reset();
    EXPECT_THAT(gpu->take_log(), ElementsAre("reset"));
  }
}

// A failing kernel is noticed when a later call reports it.
TEST_F(CudaErrorTest, AnErrorOfEarlierWorkSurfacesWhereItIsReported) {
  make();
  const Things things(*device);
  gpu->pending = 700;
  EXPECT_THAT(error_of<DeviceLost>([&] { device->query(things.event); }), HasSubstr("cudaEventQuery failed"));
}

TEST_F(CudaErrorTest, WhichErrorsStay) {
  for (const Status sticky : {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 999}) {
    EXPECT_TRUE(is_sticky(sticky)) << sticky;
  }
  for (const Status passing : {0, 1, 2, 46, 98, 100, 101, 209, 400, 600, 701, 720, 801, 802}) {
    EXPECT_FALSE(is_sticky(passing)) << passing;
  }
}

TEST_F(CudaErrorTest, OutOfMemorySaysWhatThereIs) {
  gpu->memory_limit = 64 << 20;
  make();
  const Buffer kept = device->allocate(MemoryKind::Device, 30 << 20);
  device->release(device->allocate(MemoryKind::Device, 20 << 20));
  // The cached 20 MiB are freed, but it is still too much: 30 and 40 of 64.
  EXPECT_EQ(error_of([&] { device->allocate(MemoryKind::Device, 40 << 20); }),
            "cudaMalloc failed: cudaErrorMemoryAllocation (2): out of memory: 41.94 MB requested, 31.46 MB in use, "
            "0 B kept for reuse, the GPU has 80 GB");
  EXPECT_EQ(gpu->last_error, kSuccess);
  EXPECT_EQ(gpu->count("free"), 1);
  device->release(kept);
  device->allocate(MemoryKind::Device, 40 << 20);  // the 30 MiB are given back
  EXPECT_EQ(gpu->device_bytes(), 40u << 20);
}

TEST_F(CudaErrorTest, AGpuThatCannotBeMadeCurrentIsNoDevice) {
  gpu->fail("use", 1, 46);
  EXPECT_EQ(
      error_of([&] { make(); }),
      "cudaSetDevice failed: cudaErrorDevicesUnavailable (46): CUDA-capable device(s) is/are busy or unavailable");
  EXPECT_FALSE(recording->alive);
}

// --- restarting ----------------------------------------------------------------------------------------------------

class Restart : public testing::Test {
 protected:
  std::unique_ptr<CudaDevice> make(int index) {
    DeviceContext context;
    context.sink = &sink;
    context.capture = trace::CaptureLevel::Operations;
    return make_cuda_device(backend, fake_gpu_info(index), context);
  }

  KeepingSink sink;
  FakeBackend backend;
};

TEST_F(Restart, TheCaptureIsStartedBeforeCudaIsTouched) {
  const std::int64_t before = monotonic_ns();
  const auto device = make(6);
  EXPECT_THAT(backend.order, ElementsAre("capture", "open"));
  EXPECT_THAT(backend.gpu(6)->take_log(), ElementsAre("use"));
  EXPECT_EQ(backend.recording->request.sink, &sink);
  EXPECT_EQ(backend.recording->request.level, trace::CaptureLevel::Operations);
  EXPECT_GE(backend.recording->request.origin_ns, before);
  // One clock for both.
  const Nanoseconds now = device->now_ns();
  EXPECT_LE(now, monotonic_ns() - backend.recording->request.origin_ns);
  EXPECT_GE(now, 0);
}

TEST_F(Restart, AGpuThatWasLostWorksAgain) {
  auto device = make(1);
  backend.gpu(1)->fail("device_synchronize", 1, 719);
  EXPECT_THROW(device->synchronize(), DeviceLost);
  device.reset();
  device = make(1);
  device->release(device->allocate(MemoryKind::Device, 64));
  device->synchronize();
  // The old device resets it, and the new one checks whether that was enough.
  EXPECT_THAT(backend.gpu(1)->take_log(),
              ElementsAre("use", "device_synchronize", "reset", "reset", "use", "use", "malloc 2097152",
                          "memset_async 64 default", "device_synchronize"));
}

TEST_F(Restart, ItIsResetAgainWhenTheFirstResetFailed) {
  auto device = make(2);
  backend.gpu(2)->fail("device_synchronize", 1, 719);
  EXPECT_THROW(device->synchronize(), DeviceLost);
  backend.gpu(2)->reset_status = 46;
  device.reset();
  EXPECT_EQ(
      error_of([&] { make(2); }),
      "cuda:2 cannot be restarted in this process, the driver reports cudaErrorDevicesUnavailable (46): CUDA-capable "
      "device(s) is/are busy or unavailable; restart Lanescope");
  backend.gpu(2)->reset_status = 0;
  device = make(2);
  device->synchronize();
  EXPECT_EQ(backend.gpu(2)->count("reset"), 3);
  make(3);
  EXPECT_EQ(backend.gpu(3)->count("reset"), 0);  // another GPU
}

// The window creates the new device before destroying the old one.
TEST_F(Restart, ALostDeviceThatOutlivesTheRestartTouchesNothing) {
  auto lost = make(5);
  backend.gpu(5)->fail("device_synchronize", 1, 719);
  EXPECT_THROW(lost->synchronize(), DeviceLost);
  const auto device = make(5);
  const Buffer buffer = device->allocate(MemoryKind::Device, 64);
  backend.gpu(5)->take_log();
  EXPECT_THROW(lost->synchronize(), DeviceLost);
  lost.reset();
  EXPECT_THAT(backend.gpu(5)->take_log(), IsEmpty());
  device->release(buffer);
  device->synchronize();
}

TEST_F(Restart, AnErrorThatShowsOnlyAtTheEndIsForgotten) {
  auto device = make(4);
  backend.gpu(4)->pending = 700;
  device.reset();
  EXPECT_EQ(backend.gpu(4)->count("reset"), 1);
  make(4)->synchronize();
}

TEST_F(Restart, AGpuThatIsNotThereAnyMore) {
  backend.absent = true;
  EXPECT_EQ(error_of([&] { make(0); }), "cuda:0 cannot be used: the GPU is no longer there");
}

}  // namespace
}  // namespace lanescope::device::cuda
