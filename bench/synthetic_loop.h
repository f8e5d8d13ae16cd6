// A synthetic training loop: 100 events per iteration of about 100 µs, or 1,000,000 events per second, on lanes of
// every kind. Durations vary between iterations, ranges nest, and two streams have overlapping kernels, so that lanes
// have sub-rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/live_analysis.h"
#include "trace/sink.h"
#include "trace/trace.h"

namespace lanescope::bench {

using trace::Nanoseconds;

class SyntheticLoop {
 public:
  static constexpr std::uint64_t kEventsPerIteration = 100;
  static constexpr int kLaunches = 38;

  /// `add_lane(LaneInfo)` and `add_name(text)` work like those of traces and sinks. `thread` and `device` distinguish
  /// it from another program in the same trace.
  template <typename AddLane, typename AddName>
  SyntheticLoop(AddLane&& add_lane, AddName&& add_name, std::int64_t thread, std::int32_t device, Nanoseconds begin = 0,
                std::uint32_t first_correlation = 1)
      : now_(begin), correlation_(first_correlation) {
    const auto lane = [&](trace::LaneKind kind, const char* name, std::int32_t stream) {
      trace::LaneInfo info;
      info.kind = kind;
      info.name = name;
      info.tid = thread;
      info.device = device;
      info.stream = stream;
      return add_lane(info);
    };
    iterations_ = lane(trace::LaneKind::Iterations, "iteration", 0);
    phases_ = lane(trace::LaneKind::Phases, "phases", 0);
    calls_ = lane(trace::LaneKind::Calls, "CUDA calls", 0);
    kernels_ = lane(trace::LaneKind::Kernels, "kernels", 0);
    others_ = lane(trace::LaneKind::Kernels, "kernels", 1);
    uploads_ = lane(trace::LaneKind::CopyH2D, "copies H2D", 2);
    downloads_ = lane(trace::LaneKind::CopyD2H, "copies D2H", 0);
    iteration_name_ = add_name("iteration");
    for (int i = 0; i < 16; ++i) {
      phase_names_[i] = add_name("phase " + std::to_string(i));
      kernel_names_[i] = add_name("kernel_" + std::to_string(i));
    }
    launch_ = add_name("cudaLaunchKernel");
    copy_ = add_name("cudaMemcpyAsync");
    sync_ = add_name("cudaStreamSynchronize");
  }

  /// The start of the next iteration: all further events start then or later.
  Nanoseconds now() const { return now_; }

  /// Skips to t, if that is later.
  void skip_to(Nanoseconds t) { now_ = std::max(now_, t); }

  /// Passes kEventsPerIteration events to `emit`, in start order per lane.
  template <typename Emit>
  void iteration(Emit&& emit) {
    const Nanoseconds begin = now_;
    const Nanoseconds gap = 1'500 + static_cast<Nanoseconds>(random() % 600);  // from launch to launch
    const Nanoseconds loop_end = begin + (kLaunches + 2) * gap;
    const Nanoseconds wait_end = loop_end + 8'000 + static_cast<Nanoseconds>(random() % 8'000);
    const Nanoseconds end = wait_end + 2'000;

    range(emit, iterations_, iteration_name_, begin, end, static_cast<std::uint32_t>(++number_));
    // A phase, which contains 15 ranges on one level and one range on each of the deeper levels: 17 events, three
    // sub-rows.
    range(emit, phases_, phase_names_[0], begin, end - 200);
    for (int i = 1; i < 16; ++i) {
      const Nanoseconds from = begin + i * (loop_end - begin) / 16;
      range(emit, phases_, phase_names_[i], from, from + gap);
      if (i == 8) range(emit, phases_, phase_names_[1], from + 100, from + gap - 100);
    }
    // The upload and what it copies: 2 events.
    call(emit, copy_, begin + 200, begin + 900, trace::kLaunchFlag, ++correlation_);
    operation(emit, uploads_, trace::EventKind::Copy, copy_, begin + 2'000, begin + 9'000, correlation_);
    // Launches and their kernels: 76 events. Every fourth goes to the other stream and overlaps the next one there.
    // Real streams do not overlap, but lanes of foreign traces do.
    Nanoseconds free = begin + 9'500;
    Nanoseconds other_free = free;
    for (int i = 0; i < kLaunches; ++i) {
      const Nanoseconds at = begin + 1'000 + i * gap;
      call(emit, launch_, at, at + 700 + static_cast<Nanoseconds>(random() % 500), trace::kLaunchFlag, ++correlation_);
      const bool other = i % 4 == 3;
      Nanoseconds& when = other ? other_free : free;
      const Nanoseconds start = std::max(when, at + 1'800);
      const Nanoseconds length = 900 + static_cast<Nanoseconds>(random() % 1'200);
      operation(emit, other ? others_ : kernels_, trace::EventKind::Kernel, kernel_names_[i % 16], start,
                start + (other ? 7 * length : length), correlation_);
      when = start + (other ? 300 : length + 50);
    }
    // The loss is read: its call waits (2 events), a following synchronisation has nothing to wait for (1), and a query
    // (1).
    trace::Event read;
    read.lane = calls_;
    read.kind = trace::EventKind::Call;
    read.name = copy_;
    read.flags = trace::kSyncFlag | trace::kLaunchFlag;
    read.start_ns = std::max(loop_end, begin + 1'000 + kLaunches * gap);
    read.end_ns = wait_end;
    read.correlation = ++correlation_;
    trace::set_parts(read, {1'000, wait_end - read.start_ns - 3'000, 800, 1'200});
    emit(read);
    operation(emit, downloads_, trace::EventKind::Copy, copy_, std::max(free, wait_end - 2'000),
              std::max(free, wait_end - 2'000) + 800, correlation_);
    call(emit, sync_, wait_end + 100, wait_end + 400, 0, ++correlation_);
    call(emit, sync_, wait_end + 500, wait_end + 700, 0, ++correlation_);
    now_ = std::max(end, std::max(free, wait_end) + 800) + 200;
  }

 private:
  std::uint64_t random() {  // Marsaglia's xorshift: the same on every machine, and cheap
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  template <typename Emit>
  void range(Emit& emit, trace::LaneId lane, trace::NameId name, Nanoseconds from, Nanoseconds to,
             std::uint32_t index = 0) {
    trace::Event e;
    e.lane = lane;
    e.name = name;
    e.start_ns = from;
    e.end_ns = to;
    e.a = index;
    emit(e);
  }
  template <typename Emit>
  void call(Emit& emit, trace::NameId name, Nanoseconds from, Nanoseconds to, std::uint8_t flags,
            std::uint32_t correlation) {
    operation(emit, calls_, trace::EventKind::Call, name, from, to, correlation, flags);
  }
  template <typename Emit>
  void operation(Emit& emit, trace::LaneId lane, trace::EventKind kind, trace::NameId name, Nanoseconds from,
                 Nanoseconds to, std::uint32_t correlation, std::uint8_t flags = 0) {
    trace::Event e;
    e.lane = lane;
    e.kind = kind;
    e.name = name;
    e.start_ns = from;
    e.end_ns = to;
    e.correlation = correlation;
    e.flags = flags;
    if (kind == trace::EventKind::Copy) {
      trace::set_bytes(e, 4'096);
      trace::set_copy_traits(
          e, {lane == uploads_ ? trace::CopyDirection::HostToDevice : trace::CopyDirection::DeviceToHost,
              trace::MemoryKind::Pinned, trace::MemoryKind::Device, true});
    }
    emit(e);
  }

  Nanoseconds now_;
  std::uint32_t correlation_;
  std::uint64_t number_ = 0, state_ = 0x9E3779B97F4A7C15u;
  trace::LaneId iterations_, phases_, calls_, kernels_, others_, uploads_, downloads_;
  trace::NameId iteration_name_, launch_, copy_, sync_, phase_names_[16], kernel_names_[16];
};

/// A trace with this many events (a multiple of 100) of such a loop, all kept and complete.
class SyntheticTrace {
 public:
  explicit SyntheticTrace(std::uint64_t events, std::size_t memory_cap_bytes = std::size_t{8} << 30)
      : trace_(memory_cap_bytes) {
    SyntheticLoop loop([&](const trace::LaneInfo& info) { return trace_.add_lane(info); },
                       [&](std::string_view text) { return trace_.names().intern(text); }, 1, 0);
    for (std::uint64_t done = 0; done < events; done += SyntheticLoop::kEventsPerIteration) {
      loop.iteration([&](const trace::Event& e) { trace_.append(e); });
      if (done % 65'536 < SyntheticLoop::kEventsPerIteration) trace_.publish();
    }
    trace_.publish();
    trace_.set_complete_until(trace_.extent().second);
  }

  trace::Trace& trace() { return trace_; }
  const trace::Trace& trace() const { return trace_; }

 private:
  trace::Trace trace_;
};

}  // namespace lanescope::bench
