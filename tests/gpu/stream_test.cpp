// Streams and events keep the order that CUDA promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/rig.h"

namespace lanescope::gpu_test {
namespace {

using device::cuda::kNotReady;
using device::cuda::kSuccess;

class StreamsOnGpu : public Gpu {
 protected:
  static constexpr std::size_t kCount = 1 << 20;
  void fill(const Memory& memory, float value, StreamHandle stream) {
    const Api::Arg args[] = {{memory.floats(), kCount}};
    OK(api().launch({ops::OpKind::Fill, 1 << 20, 1, 1, value}, args, stream));
  }
  void add(const Memory& to, const Memory& what, StreamHandle stream) {
    const Api::Arg args[] = {{to.floats(), kCount}, {what.floats(), kCount}};
    OK(api().launch({ops::OpKind::AddInPlace, 1 << 20, 1, 1, 0}, args, stream));
  }
  bool all_are(const Memory& memory, float value) {
    Values back(kCount);
    OK(api().memcpy(back.data(), memory.data(), kCount * 4));
    return std::all_of(back.begin(), back.end(), [value](float v) { return v == value; });
  }
};

TEST_F(StreamsOnGpu, RunInTheOrderOfTheCalls) {
  const StreamHandle stream = new_stream();
  const Memory a(api(), kCount * 4), b(api(), kCount * 4);
  spin(5000, stream);
  fill(a, 1, stream);
  fill(b, 2, stream);
  for (int i = 0; i < 10; ++i) add(a, b, stream);
  OK(api().stream_synchronize(stream));
  EXPECT_TRUE(all_are(a, 21));
}

TEST_F(StreamsOnGpu, WaitForAnEventOfAnother) {
  const StreamHandle first = new_stream(), second = new_stream();
  const EventHandle written = new_event();
  const Memory a(api(), kCount * 4), b(api(), kCount * 4);
  fill(a, 1, first);
  fill(b, 0, second);
  OK(api().device_synchronize());
  spin(20'000, first);  // without the wait, the sum would be made long before
  fill(a, 3, first);
  OK(api().event_record(written, first));
  OK(api().stream_wait_event(second, written));
  add(b, a, second);
  OK(api().stream_synchronize(second));
  EXPECT_TRUE(all_are(b, 3));
}

TEST_F(StreamsOnGpu, EventsHappenWhenTheWorkBeforeThemIsDone) {
  const StreamHandle stream = new_stream();
  const EventHandle event = new_event();
  spin(1, stream);
  OK(api().stream_synchronize(stream));
  const std::int64_t before = now_ns();
  spin(50'000, stream);
  OK(api().event_record(event, stream));
  EXPECT_EQ(api().event_query(event), kNotReady);
  EXPECT_LT(now_ns() - before, 50'000'000) << "the query came too late to see it";
  OK(api().event_synchronize(event));
  EXPECT_GE(now_ns() - before, 50'000'000);
  EXPECT_EQ(api().event_query(event), kSuccess);
  EXPECT_EQ(api().take_last_error(), kSuccess) << "not ready is an answer, no error";
}

TEST_F(StreamsOnGpu, EventsWithTimingSayHowLongTheGpuTook) {
  const StreamHandle stream = new_stream();
  const EventHandle start = new_event(true), end = new_event(true);
  float ms = 0;
  spin(1, stream);
  OK(api().stream_synchronize(stream));
  OK(api().event_record(start, stream));
  spin(20'000, stream);
  OK(api().event_record(end, stream));
  EXPECT_EQ(api().event_elapsed(&ms, start, end), kNotReady);
  EXPECT_EQ(api().take_last_error(), kSuccess) << "not ready is an answer, no error";
  OK(api().stream_synchronize(stream));
  OK(api().event_elapsed(&ms, start, end));
  EXPECT_GE(ms, 19.9f);
  EXPECT_LT(ms, 30.0f);
  EXPECT_EQ(api().event_elapsed(&ms, new_event(false), end), 400);  // cudaErrorInvalidResourceHandle
  api().take_last_error();
}

// The legacy default stream waits for blocking streams, and not for non-blocking ones.
TEST_F(StreamsOnGpu, DefaultStreamWaitsForBlockingStreamsOnly) {
  const StreamHandle blocking = new_stream(false), free = new_stream(true);
  for (StreamHandle stream : {blocking, free, StreamHandle{}}) spin(1, stream);
  OK(api().device_synchronize());
  std::int64_t before = now_ns();
  spin(50'000, blocking);
  spin(1, nullptr);
  OK(api().stream_synchronize(nullptr));
  EXPECT_GE(now_ns() - before, 50'000'000);

  before = now_ns();
  spin(50'000, free);
  spin(1, nullptr);
  OK(api().stream_synchronize(nullptr));
  EXPECT_LT(now_ns() - before, 40'000'000);
  OK(api().stream_synchronize(free));
  EXPECT_GE(now_ns() - before, 50'000'000);
}

}  // namespace
}  // namespace lanescope::gpu_test
