// What CUPTI records for known work, as it arrives in a trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capture/recorder.h"
#include "cuda_backend/checks.h"
#include "gpu/rig.h"
#include "trace/trace.h"

namespace lanescope::gpu_test {
namespace {

using device::cuda::Capture;
using device::cuda::GraphExecHandle;
using device::cuda::GraphHandle;
using ops::Op;
using ops::OpKind;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::StartsWith;
using trace::CaptureLevel;
using trace::CaptureState;
using trace::Event;
using trace::EventKind;
using trace::LaneKind;

struct Seen {
  Event event;
  std::string name;
  trace::LaneInfo lane;
};

class CaptureOnGpu : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped()) return;
    if (const std::string problem = library().backend->capture_problem(); !problem.empty()) GTEST_SKIP() << problem;
    spin(1, nullptr);  // creates the context before the capture
    OK(api().device_synchronize());
  }

  void start(CaptureLevel level = CaptureLevel::All) {
    origin_ns_ = now_ns();
    capture_ = library().backend->capture({&recorder_, origin_ns_, level});
    ASSERT_NE(capture_, nullptr);
    ASSERT_EQ(capture_->health().state, CaptureState::Running) << capture_->health().reason;
  }

  /// Everything in the trace once all issued work has arrived, by start.
  std::vector<Seen> seen() {
    OK(api().device_synchronize());
    if (capture_) capture_->flush();
    recorder_.flush();
    std::vector<Seen> all;
    const trace::Trace::ReadLock lock(trace_);
    for (trace::LaneId id = 0; id < trace_.lane_count(); ++id) {
      const trace::Lane& lane = trace_.lane(id);
      for (std::size_t r = 0; r < lane.row_count(); ++r) {
        for (auto i = lane.row(r).first(); i < lane.row(r).last(); ++i) {
          const Event event = lane.row(r).event(i);
          all.push_back({event, std::string(trace_.names().text(event.name)), lane.info()});
        }
      }
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Seen& a, const Seen& b) { return a.event.start_ns < b.event.start_ns; });
    return all;
  }

  static std::vector<Seen> only(const std::vector<Seen>& all, const std::function<bool(const Seen&)>& which) {
    std::vector<Seen> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some), which);
    return some;
  }
  static std::vector<Seen> work(const std::vector<Seen>& all) {
    return only(all, [](const Seen& s) { return trace::is_gpu_work(s.event.kind); });
  }
  static std::vector<Seen> named(const std::vector<Seen>& all, const std::string& name) {
    return only(all, [&](const Seen& s) { return s.name == name; });
  }
  static std::vector<std::string> names(const std::vector<Seen>& all) {
    std::vector<std::string> result;
    for (const Seen& s : all) result.push_back(s.name);
    return result;
  }
  /// The calls that issued an operation.
  static std::vector<Seen> calls_of(const std::vector<Seen>& all, const Seen& operation) {
    return only(all, [&](const Seen& s) {
      return s.event.kind == EventKind::Call && s.event.correlation == operation.event.correlation;
    });
  }

  void launch(OpKind kind, std::vector<Api::Arg> args, StreamHandle stream) {
    OK(api().launch({kind, 1000, 1, 1, 1}, args, stream));
  }

  trace::Trace trace_;
  capture::Recorder recorder_{trace_, capture::WhenFull::Drop, 1 << 18};
  std::int64_t origin_ns_ = 0;
  std::unique_ptr<Capture> capture_;  // stops before the recorder is destroyed
};

TEST_F(CaptureOnGpu, FindsEveryOperationWithItsCall) {
  const StreamHandle stream = new_stream();
  const Memory a(api(), 4000), b(api(), 4000), mean(api(), 4), pinned(api(), 4000, Memory::Kind::Pinned);
  const Api::Arg x{a.floats(), 1000}, y{b.floats(), 1000}, one{mean.floats(), 1};
  start();
  Values host(1000);
  OK(api().memcpy_async(a.data(), pinned.data(), 4000, stream));
  launch(OpKind::Fill, {y}, stream);
  launch(OpKind::ReluForward, {x, y}, stream);
  launch(OpKind::AddInPlace, {x, y}, stream);
  launch(OpKind::MeanReduce, {x, one}, stream);
  OK(api().memset_async(b.data(), 0, 4000, stream));
  OK(api().memcpy_async(pinned.data(), a.data(), 4000, stream));
  OK(api().stream_synchronize(stream));
  OK(api().memcpy(host.data(), a.data(), 4000));
  const auto all = seen();
  const auto operations = work(all);

  ASSERT_EQ(operations.size(), 8u) << testing::PrintToString(names(all));
  EXPECT_THAT(names(named(operations, "fill")), testing::SizeIs(1));
  const std::vector<std::string> kernels =
      names(only(operations, [](const Seen& s) { return s.event.kind == EventKind::Kernel; }));
  EXPECT_THAT(kernels, ElementsAre("fill", "relu_forward", "add_in_place", "mean_reduce"));
  const char* expected_calls[] = {"cudaMemcpyAsync",  "cudaLaunchKernel", "cudaLaunchKernel", "cudaLaunchKernel",
                                  "cudaLaunchKernel", "cudaMemsetAsync",  "cudaMemcpyAsync",  "cudaMemcpy"};
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Seen& operation = operations[i];
    ASSERT_NE(operation.event.correlation, 0u);
    const auto calls = calls_of(all, operation);
    ASSERT_EQ(calls.size(), 1u) << operation.name;
    EXPECT_EQ(calls[0].name, expected_calls[i]);
    // The clocks of the CPU and of the GPU agree to some microseconds.
    EXPECT_GE(operation.event.start_ns, calls[0].event.start_ns - 50'000) << operation.name;
    EXPECT_GE(operation.event.start_ns, 0);
    EXPECT_LE(operation.event.end_ns, now_ns() - origin_ns_);
    EXPECT_GT(operation.event.duration(), 0) << operation.name;
  }
  // One after the other on their stream.
  for (std::size_t i = 1; i < operations.size(); ++i) {
    EXPECT_GE(operations[i].event.start_ns, operations[i - 1].event.end_ns) << operations[i].name;
  }
  EXPECT_EQ(trace::bytes_of(operations[0].event), 4000u);
  const trace::CopyTraits in = trace::copy_traits_of(operations[0].event);
  EXPECT_EQ(in.direction, trace::CopyDirection::HostToDevice);
  EXPECT_EQ(in.source, trace::MemoryKind::Pinned);
  EXPECT_EQ(in.destination, trace::MemoryKind::Device);
  EXPECT_TRUE(in.asynchronous);
  EXPECT_EQ(operations[5].event.kind, EventKind::Memset);
  EXPECT_EQ(trace::bytes_of(operations[5].event), 4000u);
  EXPECT_EQ(operations[6].lane.kind, LaneKind::CopyD2H);
  EXPECT_EQ(trace::copy_traits_of(operations[7].event).destination, trace::MemoryKind::Pageable);

  const auto health = capture_->health();
  EXPECT_EQ(health.state, CaptureState::Running) << health.reason;
  EXPECT_EQ(health.dropped + health.no_buffer + health.untimed + health.far_off + health.unknown_kind, 0u);
  EXPECT_EQ(health.operations, 8u);
  EXPECT_EQ(health.launches_unmatched + health.operations_unmatched, 0u);
}

// increment<<<1, 200>>> and increment<<<1, 300>>>, twice: two shapes, each with what the compiler and the driver chose.
TEST_F(CaptureOnGpu, KnowsHowAKernelWasLaunched) {
  const Memory memory(api(), 4 * 300);
  const Api::Arg values{memory.floats(), 300};
  start();
  for (const int threads : {200, 300, 200})
    OK(api().launch({OpKind::Increment, threads, 1, 1, 1}, {{values}}, nullptr));
  const auto kernels = named(seen(), "increment");
  ASSERT_EQ(kernels.size(), 3u);
  for (const Seen& kernel : kernels) {
    const auto shape = trace_.launches().find(trace::launch_of(kernel.event));
    ASSERT_TRUE(shape.has_value());
    EXPECT_THAT(shape->grid, ElementsAre(1, 1, 1));
    EXPECT_THAT(shape->block, ElementsAre(&kernel == &kernels[1] ? 300 : 200, 1, 1));
    EXPECT_THAT(shape->registers_per_thread, testing::AllOf(testing::Ge(1u), testing::Le(255u)));
    EXPECT_EQ(shape->shared_bytes, shape->static_shared_bytes + shape->dynamic_shared_bytes);
    EXPECT_NE(shape->context, trace::LaunchShape::kUnknown);
  }
  EXPECT_EQ(trace::launch_of(kernels[0].event), trace::launch_of(kernels[2].event));
}

// cuBLAS may need more than one kernel, and launch through the driver API; each kernel must be linked to a call. Where
// cuBLASLt does not add the bias in the product's kernel, one before it does.
TEST_F(CaptureOnGpu, FindsTheKernelsOfMatrixProducts) {
  const Memory memory(api(), 4 * 128 * 1000);
  std::vector<Api::Arg> args(4, {memory.floats(), 128'000});
  const Op product{OpKind::LinearForward, 100, 100, 100};
  OK(api().launch(product, args, nullptr));  // cuBLAS is started outside the capture
  OK(api().device_synchronize());
  start();
  OK(api().launch(product, args, nullptr));
  const auto all = seen();
  const auto operations = work(all);
  ASSERT_FALSE(operations.empty());
  if (std::string(api().gemm_provider()).starts_with("cuBLAS")) {
    const auto broadcasts = named(operations, "bias_broadcast").size();
    EXPECT_LE(broadcasts, 1u);
    if (broadcasts == 1) {
      EXPECT_EQ(operations[0].name, "bias_broadcast");
    }
    EXPECT_GT(operations.size(), broadcasts);
  } else {
    EXPECT_THAT(names(operations), ElementsAre("linear_forward"));
  }
  for (const Seen& operation : operations) EXPECT_EQ(calls_of(all, operation).size(), 1u) << operation.name;
  EXPECT_THAT(names(all), testing::Not(Contains("cudaMalloc"))) << "nothing is allocated in steady state";
}

// Behind a spin of 5 ms a synchronisation waits for nearly as long, and only waits; so does one for an event.
TEST_F(CaptureOnGpu, ShowsWhereASynchronisationWaits) {
  const StreamHandle stream = new_stream();
  const EventHandle event = new_event();
  start();
  spin(5000, stream);
  OK(api().stream_synchronize(stream));
  spin(5000, stream);
  OK(api().event_record(event, stream));
  OK(api().event_synchronize(event));
  const auto all = seen();
  for (const char* name : {"cudaStreamSynchronize", "cudaEventSynchronize"}) {
    const auto calls = named(all, name);
    ASSERT_EQ(calls.size(), 1u) << name;
    const Event& call = calls[0].event;
    EXPECT_TRUE(trace::is_sync(call)) << name;
    ASSERT_TRUE(trace::is_blocking(call)) << name;
    const trace::CallParts parts = trace::parts_of(call);
    EXPECT_GE(parts.waiting, 4'500'000) << name;
    EXPECT_LT(parts.own, 500'000) << name;
    EXPECT_EQ(parts.copying, 0) << name;
    EXPECT_LT(parts.returning, 2'000'000) << name;
    EXPECT_EQ(parts.own + parts.waiting + parts.copying + parts.returning, call.duration()) << name;
  }
}

TEST_F(CaptureOnGpu, ShowsTheCopyInsideABlockingCopy) {
  const std::size_t size = std::size_t{64} << 20;
  const Memory device(api(), size), pinned(api(), size, Memory::Kind::Pinned);
  start();
  spin(5000, nullptr);
  OK(api().memcpy(pinned.data(), device.data(), size));
  const auto all = seen();
  const auto calls = named(all, "cudaMemcpy");
  ASSERT_EQ(calls.size(), 1u);
  const trace::CallParts parts = trace::parts_of(calls[0].event);
  EXPECT_GE(parts.waiting, 4'500'000);
  const auto copies = only(all, [](const Seen& s) { return s.event.kind == EventKind::Copy; });
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_GE(copies[0].event.duration(), 500'000) << "64 MB in less than half a millisecond";
  EXPECT_GE(parts.copying, copies[0].event.duration() * 9 / 10);
}

// While a thread waits, its call is reported as open.
TEST_F(CaptureOnGpu, ShowsACallThatLasts) {
  const StreamHandle stream = new_stream();
  start();
  std::atomic<bool> done{false};
  spin(300'000, stream);
  std::thread waiter([&] {
    api().use();
    api().stream_synchronize(stream);
    done = true;
  });
  std::vector<std::string> open;
  while (open.empty() && !done) {
    for (const trace::OpenCall& call : capture_->open_calls()) open.emplace_back(trace_.names().text(call.name));
    std::this_thread::yield();
  }
  waiter.join();
  EXPECT_THAT(open, ElementsAre("cudaStreamSynchronize"));
  EXPECT_TRUE(capture_->open_calls().empty());
}

TEST_F(CaptureOnGpu, FindsAllKernelsOfAGraph) {
  const auto run_graph = reinterpret_cast<cuda_backend::GraphFunction>(exported(cuda_backend::kGraphSymbol));
  ASSERT_NE(run_graph, nullptr);
  start();
  OK(run_graph(10, 20));
  const auto all = seen();
  const auto launches = named(all, "cudaGraphLaunch");
  ASSERT_EQ(launches.size(), 1u);
  const auto operations = work(all);
  ASSERT_EQ(operations.size(), 10u);
  EXPECT_THAT(names(operations), Each("spin"));
  for (const Seen& operation : operations) {
    EXPECT_EQ(operation.event.correlation, launches[0].event.correlation);
    EXPECT_GE(operation.event.duration(), 19'000);
  }
}

// Each replay is a call of its own with the kernels of that replay; the launches that were captured have none, and are
// not missed.
TEST_F(CaptureOnGpu, TellsTheReplaysOfAGraphApart) {
  const StreamHandle side = new_stream();
  spin(1, side);
  OK(api().stream_synchronize(side));
  start();
  GraphHandle captured = nullptr;
  OK(api().begin_capture(side));
  for (int i = 0; i < 4; ++i) spin(20, side);
  OK(api().end_capture(&captured, side));
  GraphExecHandle graph = nullptr;
  OK(api().graph_instantiate(&graph, captured));
  OK(api().graph_destroy(captured));
  for (int i = 0; i < 3; ++i) OK(api().graph_launch(graph, nullptr));
  const auto all = seen();
  const auto launches = named(all, "cudaGraphLaunch");
  ASSERT_EQ(launches.size(), 3u);
  const auto operations = work(all);
  ASSERT_EQ(operations.size(), 12u);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    EXPECT_EQ(operations[i].event.correlation, launches[i / 4].event.correlation) << i;
  }
  for (const Seen& launch : launches) EXPECT_TRUE(trace::is_launch(launch.event));
  for (const Seen& call : named(all, "cudaLaunchKernel")) EXPECT_FALSE(trace::is_launch(call.event)) << "captured";
  OK(api().graph_exec_destroy(graph));
  capture_->flush();
  EXPECT_EQ(capture_->health().launches_unmatched, 0u);
}

// From several threads, each with its stream and its lane of calls.
TEST_F(CaptureOnGpu, TellsThreadsApart) {
  constexpr int kThreads = 4, kSpins = 100;
  std::vector<StreamHandle> streams;
  for (int i = 0; i < kThreads; ++i) streams.push_back(new_stream());
  start();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, stream = streams[static_cast<std::size_t>(t)]] {
      api().use();
      for (int i = 0; i < kSpins; ++i) api().launch({OpKind::Spin, 1, 1, 1, 2}, {}, stream);
      api().stream_synchronize(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto all = seen();
  const auto operations = work(all);
  EXPECT_EQ(operations.size(), static_cast<std::size_t>(kThreads * kSpins));
  std::vector<std::int32_t> used;
  for (const Seen& operation : operations) {
    ASSERT_EQ(calls_of(all, operation).size(), 1u);
    used.push_back(operation.lane.stream);
  }
  std::sort(used.begin(), used.end());
  EXPECT_EQ(std::unique(used.begin(), used.end()) - used.begin(), kThreads);
  std::vector<std::int64_t> callers;
  for (const Seen& call : named(all, "cudaLaunchKernel")) callers.push_back(call.lane.tid);
  std::sort(callers.begin(), callers.end());
  EXPECT_EQ(std::unique(callers.begin(), callers.end()) - callers.begin(), kThreads);
}

// Nothing is lost at tens of thousands of launches in a row.
TEST_F(CaptureOnGpu, KeepsUpWithABurst) {
  constexpr std::size_t kLaunches = 50'000;
  start();
  for (std::size_t i = 0; i < kLaunches; ++i) spin(0, nullptr);
  const auto all = seen();
  EXPECT_EQ(work(all).size(), kLaunches);
  EXPECT_EQ(named(all, "cudaLaunchKernel").size(), kLaunches);
  const auto health = capture_->health();
  EXPECT_EQ(health.dropped + health.no_buffer, 0u);
  EXPECT_EQ(health.launches_unmatched + health.operations_unmatched, 0u);
  EXPECT_EQ(recorder_.health().dropped, 0u);
}

TEST_F(CaptureOnGpu, RecordsWhatItsLevelSays) {
  const Memory device(api(), 4000), pinned(api(), 4000, Memory::Kind::Pinned);
  const auto counts = [&](CaptureLevel level) {
    const auto before = seen();
    start(level);
    spin(10, nullptr);
    OK(api().memcpy_async(device.data(), pinned.data(), 4000, nullptr));
    OK(api().device_synchronize());
    const auto after = seen();
    capture_.reset();
    const auto grown = [&](EventKind kind) {
      const auto of_kind = [kind](const Seen& s) { return s.event.kind == kind; };
      return only(after, of_kind).size() - only(before, of_kind).size();
    };
    return std::tuple(grown(EventKind::Kernel), grown(EventKind::Copy), grown(EventKind::Call) > 0);
  };
  EXPECT_EQ(counts(CaptureLevel::Operations), std::tuple(1u, 1u, false));
  EXPECT_EQ(counts(CaptureLevel::All), std::tuple(1u, 1u, true));
}

TEST_F(CaptureOnGpu, IsOneAtATime) {
  start();
  const auto second = library().backend->capture({&recorder_, origin_ns_, CaptureLevel::All});
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->health().state, CaptureState::Busy);
  EXPECT_NE(second->health().reason, "");
  EXPECT_EQ(capture_->health().state, CaptureState::Running) << "the first is not disturbed";
  capture_.reset();
  start();  // and then another can start
}

TEST_F(CaptureOnGpu, IsOffWhenNotAskedFor) {
  const auto none = library().backend->capture({&recorder_, now_ns(), CaptureLevel::None});
  EXPECT_EQ(none->health().state, CaptureState::Off);
  spin(10, nullptr);
  EXPECT_TRUE(seen().empty());
}

}  // namespace
}  // namespace lanescope::gpu_test
