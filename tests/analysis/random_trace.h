// A seeded random program: threads that launch, copy, pin and synchronise, the streams that run their work, and
// everything that real traces omit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "trace_builder.h"

namespace lanescope::analysis_test {

struct RandomStyle {
  int graph_gap = 0;    ///< the longest time between two nodes of a graph
  int stall = 0;        ///< how long the GPU now and then does not start what it has
  bool memory = false;  ///< also frees, statements that pin, migrations, and loaders with threads of their own
  int most_threads = 2;
};

class RandomProgram {
 public:
  RandomProgram(TraceBuilder& into, std::uint64_t seed, RandomStyle style = {})
      : t_(into), random_(seed), style_(style) {}

  /// About `steps` calls on each thread.
  void write(int steps) {
    const int threads = one_in(2) ? 1 : style_.most_threads;
    const int streams = 1 + upto(2);
    free_.assign(static_cast<std::size_t>(streams), 0);
    for (int thread = 0; thread < threads; ++thread) {
      now_ = upto(50);
      for (int i = 0; i < steps; ++i) step(thread, upto(streams - 1));
    }
    write_iterations();
  }

 private:
  int upto(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }
  bool one_in(int n) { return upto(n - 1) == 0; }
  Nanoseconds length(int most) { return one_in(12) ? 0 : upto(most); }

  void step(int thread, int stream) {
    now_ += one_in(3) ? 0 : upto(60);
    if (style_.memory && one_in(5)) return memory(thread, stream);
    switch (upto(7)) {
      case 0:
      case 1:
      case 2: {
        const Nanoseconds end = now_ + length(12);
        t_.launch(now_, end, ++correlation_, thread);
        operation(LaneKind::Kernels, stream, end);
        if (one_in(4)) {  // a graph of several nodes
          for (int node = upto(5); node > 0; --node) {
            Nanoseconds& free = free_[static_cast<std::size_t>(stream)];
            const Nanoseconds start = std::max(free, end) + upto(style_.graph_gap);
            t_.kernel(start, free = start + 1 + upto(40), correlation_, stream);
          }
        }
        break;
      }
      case 3: {
        const Nanoseconds end = now_ + length(60);
        if (one_in(2)) {
          t_.staging_copy(now_, end + 1, ++correlation_, thread);
        } else {
          t_.copy_call(now_, end, ++correlation_, thread);
        }
        const Nanoseconds copied = operation(LaneKind::CopyH2D, stream, end);
        if (one_in(2)) {  // and a kernel on another stream that waits for it
          const Nanoseconds launched = end + 2 + length(12);
          t_.launch(end + 2, launched, ++correlation_, thread);
          operation(LaneKind::Kernels, (stream + 1) % static_cast<int>(free_.size()), std::max(launched, copied));
        }
        break;
      }
      case 4: {  // a read that waits for its own copy
        ++correlation_;
        const Nanoseconds called = now_;
        const Nanoseconds copied = operation(LaneKind::CopyD2H, stream, now_);
        const Nanoseconds returning = length(10);
        Event& read = t_.copy_call(called, std::max(called, copied) + returning, correlation_, thread);
        read.flags |= trace::kSyncFlag;
        trace::set_parts(read, {0, 0, std::max<Nanoseconds>(0, copied - called), returning});
        now_ = read.end_ns;
        return;
      }
      case 5: {  // waits for one stream, sometimes without work
        const Nanoseconds own = length(4), returning = length(10);
        const Nanoseconds idle = one_in(5) ? now_ + upto(80) : free_[static_cast<std::size_t>(stream)];
        const Nanoseconds end = std::max(now_ + own, idle) + returning;
        t_.sync(now_, end, own, returning, thread);
        if (one_in(2)) {
          t_.add(t_.lane(LaneKind::Phases, thread, "phase"), EventKind::Range, one_in(3) ? "item()" : "wait()", now_,
                 end);
        }
        now_ = end;
        return;
      }
      case 6: {  // waits for data, or only has a phase; sometimes a thread that launches nothing waits
        const Nanoseconds end = now_ + length(90);
        if (one_in(4)) {
          t_.add(t_.lane(LaneKind::Phases, thread, "phase"), EventKind::Range, "forward", now_, end);
        } else {
          t_.host_wait(now_, end, one_in(5) ? 9 : thread);
        }
        now_ = end;
        return;
      }
      default: {
        static constexpr const char* kNames[] = {"EventQuery", "HostAlloc", "Malloc"};
        t_.call(t_.api(kNames[upto(2)]), now_, now_ + length(250), 0, thread);
        break;
      }
    }
    now_ = t_.events.empty() ? now_ : std::max(now_, last_call_end(thread));
  }

  void memory(int thread, int stream) {
    const Nanoseconds end = now_ + length(250);
    switch (upto(3)) {
      case 0: {  // waits for all streams
        Event& free = t_.call(t_.api("Free"), now_, end, 0, thread);
        free.flags = trace::kSyncFlag;
        trace::set_parts(free, {0, 0, 0, upto(static_cast<int>(end - now_))});
        break;
      }
      case 1:
        trace::set_range_kind(t_.range("pin_memory()", now_, end, thread, "statement"), trace::RangeKind::Pin);
        break;
      case 2: {
        Nanoseconds& free = free_[static_cast<std::size_t>(stream)];
        const Nanoseconds start = std::max(free, now_);
        t_.upload(start, free = start + length(60), 4096, 0, stream);
        trace::set_migration(t_.events.back());
        return;
      }
      default:  // the loader's own threads wait, too, which delays nobody
        t_.host_wait(now_, end, thread);
        for (int worker = 0; worker < 2; ++worker)
          t_.host_wait(now_ + upto(50), end + upto(50), 20 + 2 * thread + worker);
        break;
    }
    now_ = end;
  }

  Nanoseconds last_call_end(int thread) {
    const trace::LaneId lane = t_.lane(LaneKind::Calls, thread);
    for (auto e = t_.events.rbegin(); e != t_.events.rend(); ++e)
      if (e->lane == lane) return e->end_ns;
    return 0;
  }

  /// With the newest correlation, in stream order, not before `called`; sometimes without correlation, sometimes
  /// omitted.
  Nanoseconds operation(LaneKind kind, int stream, Nanoseconds called) {
    if (one_in(25)) return called;
    const std::uint32_t correlation = one_in(15) ? 0 : correlation_;
    Nanoseconds& free = free_[static_cast<std::size_t>(stream)];
    const Nanoseconds stalled = style_.stall > 0 && one_in(20) ? style_.stall : 0;
    const Nanoseconds start = std::max(free, called + (one_in(3) ? 0 : upto(15))) + stalled;
    const Nanoseconds end = start + length(60);
    free = end;
    const auto bytes = static_cast<std::uint64_t>(upto(5000));
    if (kind == LaneKind::Kernels) t_.kernel(start, end, correlation, stream);
    if (kind == LaneKind::CopyH2D) t_.upload(start, end, bytes, correlation, stream);
    if (kind == LaneKind::CopyD2H) t_.download(start, end, bytes, correlation, stream);
    return end;
  }

  void write_iterations() {
    if (one_in(6)) return;
    Nanoseconds end = 0, at = upto(200);
    for (const Event& e : t_.events) end = std::max(end, e.end_ns);
    while (at < end) {
      const Nanoseconds length = upto(400);
      t_.iteration(at, at + length);
      at += length + (one_in(4) ? upto(30) : 0);
    }
  }

  TraceBuilder& t_;
  std::mt19937_64 random_;
  Nanoseconds now_ = 0;
  std::vector<Nanoseconds> free_;
  std::uint32_t correlation_ = 0;
  const RandomStyle style_;
};

}  // namespace lanescope::analysis_test
