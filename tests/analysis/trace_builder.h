// Builds traces by hand: a few lines per trace, times in nanoseconds.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lanescope::analysis_test {

using base::Nanoseconds;
using trace::CopyDirection;
using trace::Event;
using trace::EventKind;
using trace::LaneId;
using trace::LaneInfo;
using trace::LaneKind;

/// Half open.
struct Span {
  Nanoseconds from, to;
};

/// Collects events and appends them to a trace in start order.
class TraceBuilder {
 public:
  explicit TraceBuilder(trace::Trace& target) : trace(target) {}

  trace::Trace& trace;
  std::vector<Event> events;  ///< as added
  std::int64_t process = -1;  ///< also the number of its GPU; -1: of no process
  bool hip = false;           ///< the names of the calls

  LaneId lane(LaneKind kind, int number = 0, std::string name = {}) {
    LaneInfo info;
    info.kind = kind;
    if (kind == LaneKind::Counter && name == "loss") info.role = trace::LaneRole::Loss;
    info.name = std::move(name);
    if (process >= 0) {
      info.pid = process;
      info.device = static_cast<std::int32_t>(process);
    }
    if (trace::is_cpu_lane(kind)) {
      info.tid = number;
    } else {
      info.stream = number;
    }
    return trace.add_lane(info);
  }

  Event& add(LaneId lane, EventKind kind, std::string_view name, Nanoseconds start, Nanoseconds end,
             std::uint32_t correlation = 0) {
    Event e{.start_ns = start,
            .end_ns = end,
            .name = trace.names().intern(name),
            .correlation = correlation,
            .lane = lane,
            .kind = kind};
    if (kind == EventKind::Range) trace::set_range_kind(e, range_kind(trace.lane(lane).info(), name));
    events.push_back(e);
    return events.back();
  }

  void iteration(Nanoseconds start, Nanoseconds end) {
    add(lane(LaneKind::Iterations), EventKind::Range, "iteration", start, end);
  }
  Event& call(std::string_view name, Nanoseconds start, Nanoseconds end, std::uint32_t correlation = 0,
              int thread = 0) {
    return add(lane(LaneKind::Calls, thread), EventKind::Call, name, start, end, correlation);
  }
  std::string api(std::string_view name) const { return std::string(hip ? "hip" : "cuda").append(name); }
  Event& launch(Nanoseconds start, Nanoseconds end, std::uint32_t correlation, int thread = 0) {
    Event& e = call(api("LaunchKernel"), start, end, correlation, thread);
    e.flags = trace::kLaunchFlag;
    return e;
  }
  Event& copy_call(Nanoseconds start, Nanoseconds end, std::uint32_t correlation, int thread = 0) {
    Event& e = call(api("MemcpyAsync"), start, end, correlation, thread);
    e.flags = trace::kLaunchFlag;
    return e;
  }
  // Work with the call that issued it, and a correlation of its own. Each returns the call.
  Event& kernel(Span launched, Span runs, int stream = 0, int thread = 0) {
    launch(launched.from, launched.to, ++issued_, thread);
    kernel(runs.from, runs.to, issued_, stream);
    return before_last();
  }
  Event& upload(Span called, Span runs, std::uint64_t bytes, int stream = 0, int thread = 0) {
    copy_call(called.from, called.to, ++issued_, thread);
    upload(runs.from, runs.to, bytes, issued_, stream);
    return before_last();
  }
  Event& download(Span called, Span runs, std::uint64_t bytes, int stream = 0, int thread = 0) {
    copy_call(called.from, called.to, ++issued_, thread);
    download(runs.from, runs.to, bytes, issued_, stream);
    return before_last();
  }
  /// A graph of kernels.
  Event& graph(Span launched, std::initializer_list<Span> nodes) {
    const std::size_t at = events.size();
    launch(launched.from, launched.to, ++issued_).name = trace.names().intern("cudaGraphLaunch");
    for (const Span& node : nodes) kernel(node.from, node.to, issued_);
    return events[at];
  }
  /// A range of the program, on the lane of this name.
  Event& range(std::string_view name, Nanoseconds start, Nanoseconds end, int thread = 0, std::string on = {}) {
    return add(lane(LaneKind::Phases, thread, std::move(on)), EventKind::Range, name, start, end);
  }
  void stopwatch(Nanoseconds start, Nanoseconds end) { range("stopwatch", start, end, 0, "stopwatch"); }

  /// A blocking synchronisation: `own` cost, then waiting, then `returning`.
  Event& sync(Nanoseconds start, Nanoseconds end, Nanoseconds own, Nanoseconds returning, int thread = 0) {
    Event& e = call(api("StreamSynchronize"), start, end, 0, thread);
    e.flags = trace::kSyncFlag;
    trace::set_parts(e, {own, 0, 0, returning});
    return e;
  }
  /// A copy that blocks the CPU while staging, without being a synchronisation.
  Event& staging_copy(Nanoseconds start, Nanoseconds end, std::uint32_t correlation, int thread = 0) {
    Event& e = copy_call(start, end, correlation, thread);
    trace::set_parts(e, {1, 0, end - start - 1, 0});
    return e;
  }
  /// The thread waits for another one of the program.
  void host_wait(Nanoseconds start, Nanoseconds end, int thread = 0) {
    add(lane(LaneKind::Phases, thread, "waiting"), EventKind::Range, "next(loader)", start, end).flags =
        trace::kWaitFlag;
    trace::set_range_kind(events.back(), trace::RangeKind::Load);
  }
  void kernel(Nanoseconds start, Nanoseconds end, std::uint32_t correlation = 0, int stream = 0) {
    add(lane(LaneKind::Kernels, stream), EventKind::Kernel, "kernel", start, end, correlation);
  }
  void upload(Nanoseconds start, Nanoseconds end, std::uint64_t bytes, std::uint32_t correlation = 0, int stream = 0) {
    Event& e = add(lane(LaneKind::CopyH2D, stream), EventKind::Copy, "H2D", start, end, correlation);
    trace::set_bytes(e, bytes);
  }
  void download(Nanoseconds start, Nanoseconds end, std::uint64_t bytes, std::uint32_t correlation = 0,
                int stream = 0) {
    Event& e = add(lane(LaneKind::CopyD2H, stream), EventKind::Copy, "D2H", start, end, correlation);
    trace::set_bytes(e, bytes);
    trace::set_copy_traits(e, {CopyDirection::DeviceToHost, {}, {}, false});
  }
  void loss(Nanoseconds at, double value) {
    Event& e = add(lane(LaneKind::Counter, 0, "loss"), EventKind::Counter, "loss", at, at);
    trace::set_value(e, value);
  }

  /// Appends everything added so far to the trace, which is then complete until `complete_until`.
  void publish_until(Nanoseconds complete_until) {
    std::stable_sort(events.begin() + static_cast<std::ptrdiff_t>(published_), events.end(),
                     [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
    for (; published_ < events.size(); ++published_) trace.append(events[published_]);
    trace.publish();
    trace.set_complete_until(complete_until);
  }
  void publish() {
    Nanoseconds end = 0;
    for (const Event& e : events) end = std::max(end, e.end_ns);
    publish_until(end + 1);
  }

  /// Settings that changed together: key, before, now.
  void change(Nanoseconds at, std::uint32_t version, const std::vector<std::array<std::string, 3>>& settings) {
    for (const auto& [key, before, now] : settings) {
      Event& e = add(lane(LaneKind::Markers), EventKind::Marker, key + " " + before + " → " + now, at, at);
      base::NameTable& names = trace.names();
      trace::set_change(e, {version, names.intern(key), names.intern(before), names.intern(now)});
    }
  }

 private:
  // Marked like the program's workloads and devices do.
  static trace::RangeKind range_kind(const LaneInfo& info, std::string_view name) {
    if (info.kind == LaneKind::Iterations) return trace::RangeKind::Iteration;
    if (info.name == "CPU ops") return trace::RangeKind::Compute;
    if (name == "stopwatch") return trace::RangeKind::Timed;
    if (name == "synchronize()" || name == "wait()") return trace::RangeKind::Sync;
    return name.ends_with("()") ? trace::RangeKind::Read : trace::RangeKind::Phase;
  }

  Event& before_last() { return events[events.size() - 2]; }

  std::size_t published_ = 0;
  std::uint32_t issued_ = 1'000'000;  // beyond the numbers that tests give
};

}  // namespace lanescope::analysis_test
