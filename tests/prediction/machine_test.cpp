// What is fitted to a recording: checked by hand, and with a simulated machine whose numbers are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/trace_builder.h"
#include "device/sim/cost_model.h"
#include "prediction/fit.h"
#include "prediction/least_squares.h"
#include "prediction/recorded_run.h"
#include "workload/workload.h"

namespace lanescope::prediction {
namespace {

using device::sim::DeviceProfile;
using test::RecordedRun;
using trace::Event;
using trace::EventKind;
using trace::LaneKind;

constexpr Nanoseconds kUs = base::kMicrosecond;

// Ten iterations of 200 µs, each the same; times in µs from its beginning:
//   cudaLaunchKernel       [0, 5)     relu_forward [8, 18): 3 after the call
//   cudaMemcpyAsync        [20, 24)   4 B to pinned memory [27, 29): 3 after the call
//   cudaMemcpyAsync        [40, 44)   1,000,000 B from pinned memory [47, 149)
//   cudaStreamSynchronize  [44, 170)  own 1, waiting 2, copying 102, returning 21
class HandMade : public testing::Test {
 protected:
  HandMade() {
    const auto lane = [&](LaneKind kind, const char* name) {
      trace::LaneInfo info;
      info.kind = kind;
      info.name = name;
      return trace_.add_lane(info);
    };
    const trace::LaneId iterations = lane(LaneKind::Iterations, "iteration"), calls = lane(LaneKind::Calls, "calls"),
                        kernels = lane(LaneKind::Kernels, "kernels"), up = lane(LaneKind::CopyH2D, "up"),
                        down = lane(LaneKind::CopyD2H, "down");
    std::uint32_t correlation = 0;
    for (std::uint32_t i = 0; i < 10; ++i) {
      const Nanoseconds t = 1000 * kUs + i * 200 * kUs;
      const auto event = [&](EventKind kind, trace::LaneId id, const char* name, Nanoseconds from, Nanoseconds to) {
        Event e;
        e.kind = kind;
        e.lane = id;
        e.name = trace_.names().intern(name);
        e.start_ns = t + from * kUs;
        e.end_ns = t + to * kUs;
        e.correlation = correlation;
        return e;
      };
      const auto copy = [&](trace::LaneId id, bool upload, std::uint64_t bytes, Nanoseconds from, Nanoseconds to) {
        Event e = event(EventKind::Copy, id, "Memcpy", from, to);
        trace::set_bytes(e, bytes);
        using trace::MemoryKind;
        trace::set_copy_traits(e, {upload ? trace::CopyDirection::HostToDevice : trace::CopyDirection::DeviceToHost,
                                   upload ? MemoryKind::Pinned : MemoryKind::Device,
                                   upload ? MemoryKind::Device : MemoryKind::Pinned, true});
        trace_.append(e);
      };
      ++correlation;
      trace_.append(event(EventKind::Call, calls, "cudaLaunchKernel", 0, 5));
      trace_.append(event(EventKind::Kernel, kernels, "relu_forward", 8, 18));
      ++correlation;
      trace_.append(event(EventKind::Call, calls, "cudaMemcpyAsync", 20, 24));
      copy(down, false, 4, 27, 29);
      ++correlation;
      trace_.append(event(EventKind::Call, calls, "cudaMemcpyAsync", 40, 44));
      copy(up, true, 1'000'000, 47, 149);
      ++correlation;
      Event sync = event(EventKind::Call, calls, "cudaStreamSynchronize", 44, 170);
      trace::set_parts(sync, {1 * kUs, 2 * kUs, 102 * kUs, 21 * kUs});
      trace_.append(sync);
      Event range = event(EventKind::Range, iterations, "iteration", 0, 200);
      range.a = i;
      trace_.append(range);
    }
    trace_.publish();
    trace_.set_complete_until(10'000 * kUs);
  }
  trace::Trace trace_;
};

// Two ranks of the same trace, each with a GPU of its own; a third launches on two.
TEST(ReadRecording, IsOfTheProcessThatUsesTheGpu) {
  trace::Trace trace;
  const auto lane = [&](trace::LaneKind kind, std::int64_t pid, int device = 0) {
    trace::LaneInfo info;
    info.kind = kind;
    info.pid = pid;
    info.device = device;
    return trace.add_lane(info);
  };
  const auto add = [&](trace::LaneId on, trace::EventKind kind, const char* name, Nanoseconds start, Nanoseconds end,
                       std::uint32_t correlation) {
    trace::Event e;
    e.lane = on;
    e.kind = kind;
    e.name = trace.names().intern(name);
    e.start_ns = start;
    e.end_ns = end;
    e.correlation = correlation;
    trace.append(e);
  };
  for (const std::int64_t pid : {7, 8, 9}) {
    for (Nanoseconds i = 0; i < pid; ++i) {  // so that they can be told apart
      const Nanoseconds at = i * 100;
      const auto number = static_cast<std::uint32_t>(i + 1);
      add(lane(trace::LaneKind::Iterations, pid), trace::EventKind::Range, "iteration", at, at + 100, 0);
      add(lane(trace::LaneKind::Calls, pid), trace::EventKind::Call, "cudaLaunchKernel", at, at + 10, number);
      const int device = pid == 9 ? static_cast<int>(i % 2) : 0;
      add(lane(trace::LaneKind::Kernels, pid, device), trace::EventKind::Kernel, "kernel", at + 20, at + 50, number);
    }
  }
  trace.publish();
  trace.set_complete_until(10'000);
  for (const trace::GpuNumber gpu : {trace::GpuNumber{0}, trace::GpuNumber{1}}) {
    const Recording rank = read_recording(trace, 0, 10'000, nullptr, gpu);
    EXPECT_EQ(rank.iterations.size(), 7u + gpu);
    EXPECT_EQ(rank.operations.size(), 7u + gpu);
    EXPECT_FALSE(rank.several_gpus);
  }
  EXPECT_EQ(read_recording(trace, 0, 10'000).iterations.size(), 7u) << "the first";
  const Recording both = read_recording(trace, 0, 10'000, nullptr, 2);
  EXPECT_EQ(both.operations.size(), 9u);
  EXPECT_TRUE(both.several_gpus);
}

// The two copies: fixed + 4 B = 2 µs and fixed + 1,000,000 B = 102 µs, so a byte is 0.1 ns, that is 10 GB/s.
TEST_F(HandMade, EveryNumberIsFound) {
  const Recording recording = read_recording(trace_, 0, 10'000 * kUs);
  ASSERT_EQ(recording.iterations.size(), 10u);
  EXPECT_EQ(recording.iterations[3].calls(), 4u);
  EXPECT_EQ(mean_iteration_ns(recording.iterations, analysis::whole_periods(10, 1)), 200e3);
  device::DeviceInfo device;
  device.simulated = true;
  const Numbers numbers = fit_calls(recording, device).numbers;
  const std::pair<Number, double> expected[] = {
      {Number::Launch, 5},        {Number::Memcpy, 4},      {Number::Sync, 1},      {Number::Wake, 21},
      {Number::LaunchLatency, 3}, {Number::CopyLatency, 3}, {Number::CopyFixed, 2}, {Number::H2dPinned, 10}};
  for (const auto& [number, value] : expected) {
    EXPECT_TRUE(numbers.known(number)) << static_cast<int>(number);
    EXPECT_NEAR(numbers.value(number), value, 0.01 * value) << static_cast<int>(number);
  }
  // Four bytes say nothing about a rate; the other direction gives an estimate.
  EXPECT_FALSE(numbers.known(Number::D2hPinned));
  EXPECT_NEAR(numbers.value(Number::D2hPinned), 10, 0.2);
  EXPECT_FALSE(numbers.known(Number::H2dPageable));
}

TEST(SteadyStretchTest, IsOfWholePeriodsWithoutTheBeginning) {
  const auto stretch = [](std::size_t n, std::size_t period) {
    const Stretch s = analysis::whole_periods(n, period);
    return std::pair(s.first, s.last);
  };
  EXPECT_EQ(stretch(100, 1), std::pair(25ul, 100ul));
  EXPECT_EQ(stretch(300, 100), std::pair(100ul, 300ul));  // of the 225 after the first quarter, two periods
  EXPECT_EQ(stretch(100, 90), std::pair(10ul, 100ul));    // one period rather than none
  EXPECT_EQ(stretch(100, 200), std::pair(25ul, 100ul));
  EXPECT_EQ(stretch(1, 1), std::pair(0ul, 0ul));
}

// 2 x + y = 7 and x - y = -1: x = 2, y = 3, whatever was expected.
TEST(LeastSquaresTest, SolvesAndSaysHowSure) {
  LeastSquares<3> equations;
  for (const std::size_t i : {0u, 1u, 2u}) equations.expect(i, 10, 100);
  equations.add({2, 1, 0}, 7, 1e-3);
  equations.add({1, -1, 0}, -1, 1e-3);
  const auto answer = equations.solve();
  EXPECT_NEAR(answer.value[0], 2, 1e-3);
  EXPECT_NEAR(answer.value[1], 3, 1e-3);
  EXPECT_LT(answer.sigma[0], 1e-2);
  EXPECT_NEAR(answer.value[2], 10, 1e-6);  // no equation contains it
  EXPECT_NEAR(answer.sigma[2], 100, 1e-3);
}

TEST(KnownOpTest, CostsWhatItIsKnownToCost) {
  const ops::Op op{ops::OpKind::ReluForward, 100, 10};
  const device::sim::KnownOp known[] = {{op, 12'345}};
  const device::sim::CostModel costs(device::sim::embedded_profile("rtx4090"), known);
  EXPECT_EQ(costs.kernel(op), 12'345);
  EXPECT_LT(costs.kernel({ops::OpKind::ReluForward, 100, 11}), 10'000);
  EXPECT_EQ(costs.kernel({ops::OpKind::ReluForward, 100, 10, 1, 0.5f}), 12'345);  // the scalar takes no time
}

Fit fitted(const RecordedRun& run, std::size_t* period = nullptr) {
  const Recorded r = run.recorded();
  const Recording recording = read_recording(*r.trace, r.from_ns, r.to_ns);
  Fit fit = fit_calls(recording, r.device);
  SimulationRequest request;
  request.workload = r.workload;
  request.settings = r.settings;
  request.iterations = recording.iterations.size();
  request.jitter = false;
  Machine machine = fit.machine;
  machine.profile.cpu.memory_gb_per_s = 1e6;
  machine.profile.cpu.page_fault_us_per_mib = 0;
  const Simulation shadow = simulate(machine, request);
  if (period != nullptr) *period = period_of(shadow);
  fit_program(fit, recording, shadow, r.device);
  return fit;
}

class FittedProfile : public testing::TestWithParam<const char*> {};

// The loop copies pageable batches of 400 kB and reads a number, which shows everything about that machine except
// pinned memory.
TEST_P(FittedProfile, IsTheProfileThatTheRunWasSimulatedOn) {
  const RecordedRun run("transfer-loop", {"batch_size=50000", "features=2", "log_interval=1"}, 300,
                        std::string("sim:") + GetParam());
  const Fit fit = fitted(run);
  EXPECT_EQ(fit.aligned, 300u);
  const DeviceProfile truth = device::sim::embedded_profile(GetParam()), &found = fit.machine.profile;
  const auto expect = [](double value, double is, const char* what) { EXPECT_NEAR(value, is, 0.04 * is) << what; };
  expect(found.cpu.launch_us, truth.cpu.launch_us, "launch");
  expect(found.cpu.memcpy_us, truth.cpu.memcpy_us, "memcpy");
  expect(found.cpu.sync_us, truth.cpu.sync_us, "sync");
  expect(found.cpu.wake_us, truth.cpu.wake_us, "wake");
  expect(found.cpu.memory_gb_per_s, truth.cpu.memory_gb_per_s, "host memory");
  expect(found.link.h2d_pageable_gb_per_s, truth.link.h2d_pageable_gb_per_s, "pageable");
  expect(found.link.copy_fixed_us, truth.link.copy_fixed_us, "copy fixed");
  expect(found.gpu.launch_latency_us, truth.gpu.launch_latency_us, "launch latency");
  EXPECT_NEAR(found.jitter_spread, truth.jitter_spread, 0.25 * truth.jitter_spread);
  for (const MeasuredOp& op : fit.ops) {
    if (op.op.kind != ops::OpKind::Spin) continue;
    EXPECT_NEAR(op.ns, 500e3, 10e3);
  }
}

INSTANTIATE_TEST_SUITE_P(Embedded, FittedProfile, testing::Values("rtx4090", "rtx4070-laptop-wsl2"),
                         [](const auto& tested) { return std::string(tested.param).substr(0, 7); });

TEST(FittedRunTest, ThePeriodOfTheWorkIsSeen) {
  std::size_t period = 0;
  fitted(RecordedRun("linear-mse", {"log_interval=20"}, 100), &period);
  EXPECT_EQ(period, 20u);
  fitted(RecordedRun("linear-mse", {"log_interval=1"}, 100), &period);
  EXPECT_EQ(period, 1u);
  // 64 samples in batches of 8: a new epoch every 8.
  fitted(RecordedRun("dataloader", {"samples=64", "log_interval=0"}, 40), &period);
  EXPECT_EQ(period, 8u);
}

// An iteration with more calls than are read cannot be predicted from; that must not end the program.
TEST(Recorded, AnIterationWithTooManyCallsIsNoRecording) {
  trace::Trace trace;
  analysis_test::TraceBuilder build(trace);
  constexpr int kCalls = 130'000;
  build.iteration(0, 10 * kCalls);
  for (int i = 0; i < kCalls; ++i) build.launch(10 * i, 10 * i + 5, static_cast<std::uint32_t>(i + 1));
  build.publish();
  EXPECT_TRUE(read_recording(trace, 0, 10 * kCalls).iterations.empty());
}

}  // namespace
}  // namespace lanescope::prediction
