// Measures the capture on a real GPU. One process per measurement, because CUPTI leaves state behind in a process; each
// prints one JSON object. scripts/gpu-check.sh runs them all.
//
//   lanescope-gpu-check levels                     the levels of capture, one per line
//   lanescope-gpu-check ladder LEVEL               the cost of calls and iterations at a level
//   lanescope-gpu-check latency RATE SECONDS       from a kernel's end until it is in the trace, at RATE kernels/s
//   lanescope-gpu-check match                      whether every launch was matched with its operation
//   lanescope-gpu-check soak SECONDS               as many kernels as possible, and the memory used
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "analysis/live_analysis.h"
#include "base/error.h"
#include "capture/recorder.h"
#include "device/catalogue.h"
#include "experiment/session.h"

namespace lanescope {
namespace {

using Json = nlohmann::ordered_json;
using base::Nanoseconds;
using device::Stream;
using trace::CaptureLevel;

constexpr const char* kDevice = "cuda:0";

struct Level {
  const char* name;
  CaptureLevel level;
};
constexpr std::array kLevels{Level{"none", CaptureLevel::None}, Level{"operations", CaptureLevel::Operations},
                             Level{"all", CaptureLevel::All}};

CaptureLevel level_named(std::string_view name) {
  for (const Level& l : kLevels) {
    if (name == l.name) return l.level;
  }
  throw base::UsageError(fmt::format("level '{}' is unknown; see: lanescope-gpu-check levels", name));
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Json health_json(const trace::CaptureHealth& h) {
  return {{"state", trace::to_text(h.state)},
          {"reason", h.reason},
          {"library", h.library},
          {"received", h.received},
          {"calls", h.calls},
          {"operations", h.operations},
          {"pending", h.pending},
          {"dropped", h.dropped},
          {"no_buffer", h.no_buffer},
          {"untimed", h.untimed},
          {"far_off", h.far_off},
          {"duplicates", h.duplicates},
          {"unknown_kind", h.unknown_kind},
          {"clamped", h.clamped},
          {"late", h.late},
          {"before_call", h.before_call},
          {"worst_before_call_ns", h.worst_before_call_ns},
          {"launches_unmatched", h.launches_unmatched},
          {"operations_unmatched", h.operations_unmatched},
          {"clock_steps", h.clock_steps},
          {"queue_full_ns", h.queue_full_ns},
          {"overhead_ns", h.overhead_ns},
          {"latency_p50_ms", h.latency_p50_ms},
          {"latency_p99_ms", h.latency_p99_ms}};
}

// A device, its trace, and a small kernel to launch.
class Bench {
 public:
  explicit Bench(CaptureLevel level) : recorder_(trace_, capture::WhenFull::Drop) {
    device::DeviceContext context;
    context.sink = &recorder_;
    context.capture = level;
    device_ = device::make_device(kDevice, std::move(context));
    small_ = device_->allocate(trace::MemoryKind::Device, 4096);
    pinned_ = device_->allocate(trace::MemoryKind::Pinned, 4096);
    for (int i = 0; i < 1000; ++i) launch();
    device_->synchronize();
  }
  ~Bench() { device_.reset(); }

  device::Device& device() { return *device_; }
  trace::Trace& trace() { return trace_; }
  void launch() { device_->launch({ops::OpKind::Fill, 1, 1}, {&small_, 1}, Stream::Default, true); }
  void copy() { device_->copy_async({small_, 0}, {pinned_, 0}, 4096, Stream::Default); }
  void flush() {
    device_->flush_capture();
    recorder_.flush();
  }

 private:
  trace::Trace trace_;
  capture::Recorder recorder_;
  std::unique_ptr<device::Device> device_;
  device::Buffer small_{}, pinned_{};
};

// ns per call over rounds of 500 calls, fewer than the queue holds, with a wait after each round.
template <typename Call>
Json call_cost(Bench& bench, Call call) {
  constexpr int kRounds = 60, kCalls = 500;
  std::vector<double> alone, with_wait;
  for (int r = 0; r < kRounds; ++r) {
    const Nanoseconds start = bench.device().now_ns();
    for (int i = 0; i < kCalls; ++i) call();
    alone.push_back(static_cast<double>(bench.device().now_ns() - start) / kCalls);
    bench.device().synchronize();
    with_wait.push_back(static_cast<double>(bench.device().now_ns() - start) / kCalls);
  }
  return {{"median_ns", percentile(alone, 0.5)},
          {"p99_ns", percentile(alone, 0.99)},
          {"with_wait_median_ns", percentile(with_wait, 0.5)}};
}

double iteration_us(const char* workload, const char* assignment, CaptureLevel level, std::uint64_t iterations) {
  session::SessionOptions options;
  options.workload = workload;
  options.device = kDevice;
  options.assignments = {assignment};
  options.iterations = iterations;
  options.paced = false;
  options.capture = level;
  session::Session session(options);
  session.start();
  session.wait();
  if (!session.runner().error().empty()) throw base::Error(session.runner().error());
  // The median, because the first iteration loads code for as long as thousands of others take.
  analysis::LiveAnalysis analysis(session.trace());
  analysis.finish();
  return base::to_us(analysis.total().iteration.p50_ns);
}

Json ladder(const char* name) {
  const CaptureLevel level = level_named(name);
  Json json{{"level", name}};
  {
    Bench bench(level);
    json["launch"] = call_cost(bench, [&] { bench.launch(); });
    json["copy_4k"] = call_cost(bench, [&] { bench.copy(); });
    json["state"] = trace::to_text(bench.device().capture_health().state);
  }
  for (const auto& [workload, iterations] : {std::pair{"linear-mse", 5000}, std::pair{"iris-mlp", 3000}}) {
    for (const char* setting : {"log_interval=1", "log_interval=100"}) {
      json["iteration_us"][workload][setting] =
          iteration_us(workload, setting, level, static_cast<std::uint64_t>(iterations));
    }
  }
  return json;
}

// Polls the trace and records how old the newest kernels are when first seen.
class LatencyReader {
 public:
  explicit LatencyReader(Bench& bench) : bench_(bench), thread_([this] { read(); }) {}
  std::vector<double> stop() {
    stop_.store(true);
    thread_.join();
    return ages_ms_;
  }

 private:
  void read() {
    std::vector<trace::EventIndex> next;
    while (!stop_.load(std::memory_order_relaxed)) {
      {
        const trace::Trace::ReadLock lock(bench_.trace());
        next.resize(bench_.trace().lane_count());
        for (std::size_t l = 0; l < next.size(); ++l) {
          const trace::Lane& lane = bench_.trace().lane(static_cast<trace::LaneId>(l));
          if (lane.info().kind != trace::LaneKind::Kernels || lane.row_count() == 0) continue;
          const trace::Row& row = lane.row(0);
          const trace::EventIndex last = row.last();
          const Nanoseconds now = bench_.device().now_ns();
          for (next[l] = std::max(next[l], row.first()); next[l] < last; ++next[l]) {
            ages_ms_.push_back(static_cast<double>(now - row.end(next[l])) / 1e6);
          }
        }
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  Bench& bench_;
  std::atomic<bool> stop_{false};
  std::vector<double> ages_ms_;
  std::thread thread_;
};

Json latency(double rate, double seconds) {
  Bench bench(CaptureLevel::All);
  bench.flush();
  LatencyReader reader(bench);
  const Nanoseconds start = bench.device().now_ns(), end = start + base::from_us(seconds * 1e6);
  std::uint64_t issued = 0;
  for (Nanoseconds now = start; now < end; now = bench.device().now_ns()) {
    const Nanoseconds due = start + base::from_us(static_cast<double>(issued) / rate * 1e6);
    if (now < due) {
      if (due - now > base::kMillisecond) std::this_thread::sleep_for(std::chrono::nanoseconds(due - now) / 2);
      continue;
    }
    bench.launch();
    ++issued;
  }
  bench.device().synchronize();
  bench.flush();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the reader polls every fifth of a millisecond
  std::vector<double> ages = reader.stop();
  // The first thousand belong to the warm-up.
  if (ages.size() > 1000) ages.erase(ages.begin(), ages.begin() + 1000);
  return {{"wanted_per_second", rate},
          {"issued_per_second", static_cast<double>(issued) / seconds},
          {"issued", issued},
          {"seen", ages.size()},
          {"p50_ms", percentile(ages, 0.5)},
          {"p99_ms", percentile(ages, 0.99)},
          {"worst_ms", percentile(ages, 1)},
          {"health", health_json(bench.device().capture_health())}};
}

Json match() {
  Bench bench(CaptureLevel::All);
  constexpr std::uint64_t kLaunches = 20'000, kCopies = 5'000;
  for (std::uint64_t i = 0; i < kLaunches; ++i) {
    bench.launch();
    if (i % 4 == 0) bench.copy();
    if (i % 400 == 0) bench.device().synchronize(Stream::Default);
  }
  bench.device().synchronize();
  bench.flush();

  // Compares every call that issues work with the operation of its correlation.
  std::vector<trace::Event> calls, operations;
  const trace::Trace::ReadLock lock(bench.trace());
  for (std::size_t l = 0; l < bench.trace().lane_count(); ++l) {
    const trace::Lane& lane = bench.trace().lane(static_cast<trace::LaneId>(l));
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      for (trace::EventIndex i = lane.row(r).first(); i < lane.row(r).last(); ++i) {
        const trace::Event e = lane.row(r).event(i);
        if (trace::is_gpu_work(e.kind)) operations.push_back(e);
        if (e.kind == trace::EventKind::Call && trace::is_launch(e)) calls.push_back(e);
      }
    }
  }
  const auto by_correlation = [](const trace::Event& a, const trace::Event& b) {
    return a.correlation < b.correlation;
  };
  std::sort(operations.begin(), operations.end(), by_correlation);
  std::uint64_t found = 0, early = 0;
  for (const trace::Event& call : calls) {
    const auto op = std::lower_bound(operations.begin(), operations.end(), call, by_correlation);
    if (op == operations.end() || op->correlation != call.correlation) continue;
    ++found;
    if (op->start_ns < call.start_ns) ++early;
  }
  return {{"launches_issued", 1000 + kLaunches},
          {"copies_issued", kCopies},
          {"calls_recorded", calls.size()},
          {"operations_recorded", operations.size()},
          {"calls_with_operation", found},
          {"operations_before_their_call", early},
          {"ok", found == calls.size() && calls.size() >= 1000 + kLaunches + kCopies},
          {"health", health_json(bench.device().capture_health())}};
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

Json soak(double seconds) {
  Bench bench(CaptureLevel::All);
  const Nanoseconds start = bench.device().now_ns(), end = start + base::from_us(seconds * 1e6);
  std::vector<double> resident;
  std::uint64_t issued = 0;
  while (bench.device().now_ns() < end) {
    for (int i = 0; i < 10'000; ++i) bench.launch();
    issued += 10'000;
    if (issued % 100'000 == 0) resident.push_back(resident_mb());
  }
  bench.device().synchronize();
  const double took = base::to_seconds(bench.device().now_ns() - start);
  bench.flush();
  const trace::TraceCounts counts = bench.trace().counts();
  return {{"launches", issued},
          {"launches_per_second", static_cast<double>(issued) / took},
          {"resident_mb_at_a_tenth", resident.empty() ? 0 : resident[resident.size() / 10]},
          {"resident_mb_at_the_end", resident_mb()},
          {"trace_mb", static_cast<double>(bench.trace().memory_bytes()) / 1e6},
          {"trace_dropped", counts.dropped},
          {"trace_late", counts.late},
          {"health", health_json(bench.device().capture_health())}};
}

int run(const std::vector<std::string>& args) {
  const std::string what = args.empty() ? std::string() : args[0];
  if (what == "levels") {
    for (const Level& l : kLevels) fmt::print("{}\n", l.name);
    return 0;
  }
  Json json;
  if (what == "ladder" && args.size() == 2) {
    json = ladder(args[1].c_str());
  } else if (what == "latency" && args.size() == 3) {
    json = latency(std::stod(args[1]), std::stod(args[2]));
  } else if (what == "match" && args.size() == 1) {
    json = match();
  } else if (what == "soak" && args.size() == 2) {
    json = soak(std::stod(args[1]));
  } else {
    throw base::UsageError("allowed: levels, ladder LEVEL, latency RATE SECONDS, match, soak SECONDS");
  }
  fmt::print("{}\n", json.dump());
  return 0;
}

}  // namespace
}  // namespace lanescope

int main(int argc, char** argv) {
  try {
    return lanescope::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "lanescope-gpu-check: {}\n", error.what());
    return dynamic_cast<const lanescope::base::UsageError*>(&error) != nullptr ? 2 : 1;
  }
}
