#include "calibration/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>
#include <utility>

#include "base/translate.h"
#include "calibration/probe.h"

namespace lanescope::calibration {
namespace {

using base::to_us;
using base::tr;
using ops::Op;
using ops::OpKind;
using trace::CaptureLevel;
using trace::Event;
using trace::MemoryKind;

constexpr std::array kAllPaths{Path::H2DPinned, Path::H2DPageable, Path::D2HPinned, Path::D2HPageable};
constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr int kCalls = 4000, kRepeats = 15;  // calls: tens of milliseconds
constexpr double kReached = 1;               // the measured rates are those that kernels achieved

double gb_per_s(std::size_t bytes, double us) { return us > 0 ? static_cast<double>(bytes) / us / 1e3 : 0; }

// "64 KiB", "64 KiB + 4"
std::string size_text(std::size_t bytes) {
  if (bytes >= kMiB && bytes % kMiB == 0) return fmt::format("{} MiB", bytes / kMiB);
  if (bytes < kKiB) return fmt::format("{} B", bytes);
  const std::size_t rest = bytes % kKiB;
  return fmt::format("{} KiB{}", bytes / kKiB, rest == 0 ? std::string() : fmt::format(" + {}", rest));
}

class Calibrator {
 public:
  explicit Calibrator(const CalibrationRequest& request) : request_(request) {}

  Calibration run() {
    {
      Probe probe(request_.make, CaptureLevel::None);
      const device::DeviceInfo& info = probe.device().info();
      where_ = fmt::format("on {}{}, {}", info.name, info.driver.empty() ? "" : ", " + info.driver, request_.date);
      result_.profile.name = info.name;
      result_.profile.summary = fmt::format("Measured by lanescope calibrate {}.", where_);
      sm_count_ = info.sm_count;
      measure_calls(probe);
      measure_memory(probe);
      measure_cpu(info.simulated);
      measure_queue(probe);
      measure_returns(probe);
      measure_bandwidths(probe);
      measure_floor(probe);
    }
    {
      Probe probe(request_.make, CaptureLevel::Operations);
      measure_graphs(probe);
      measure_starts(probe);
      measure_kernels(probe);
      measure_copies(probe);
    }
    return std::move(result_);
  }

 private:
  void say(const char* what) const {
    if (request_.progress) request_.progress(what);
  }
  /// Rounds to four significant digits, because the rest is noise; counts stay exact.
  void put(const char* key, double value, const std::string& source) {
    const double rounded = value == std::floor(value) ? value : std::stod(fmt::format("{:.4g}", value));
    result_.profile.numbers.push_back({key, rounded, source});
  }
  void measured(const char* key, double value, const std::string& how) {
    put(key, value, fmt::format("measured {}: {}", where_, how));
  }

  void measure_calls(Probe& probe);
  void measure_linear(Probe& probe, double launch_us, const std::string& of);
  void measure_memory(Probe& probe);
  void measure_floor(Probe& probe);
  void measure_graphs(Probe& probe);
  void measure_cpu(bool simulated);
  void measure_queue(Probe& probe);
  void measure_returns(Probe& probe);
  double returned_ms(Probe& probe, Path path, std::size_t bytes);
  void derive_staging(Probe& probe);
  void measure_bandwidths(Probe& probe);
  void measure_starts(Probe& probe);
  void measure_kernels(Probe& probe);
  void measure_copies(Probe& probe);

  const CalibrationRequest& request_;
  Calibration result_;
  std::string where_;
  int sm_count_ = 0;
  double floor_us_ = 0;  // of kernels in a stream
};

// The mean CPU cost of issuing an operation of a training loop, including the matrix library's own work.
double mean_op_us(Probe& probe) {
  constexpr std::int32_t kBatch = 128, kSide = 1000;
  device::Device& d = probe.device();
  const auto room = [&](std::int32_t rows) {
    return probe.buffer(MemoryKind::Device, static_cast<std::size_t>(rows) * kSide * sizeof(float));
  };
  const Buffer data = room(kBatch), out = room(kBatch), other = room(kBatch), weight = room(kSide), grad = room(kSide);
  const auto issue = [&](const Op& op, std::initializer_list<Buffer> args) {
    d.launch(op, std::span(args.begin(), args.size()), Stream::Default, false);
  };
  const auto iteration = [&] {
    issue({OpKind::LinearForward, kBatch, kSide, kSide}, {data, weight, grad, out});
    issue({OpKind::MseForward, kBatch, kSide}, {out, other, out});
    issue({OpKind::MeanReduce, kBatch, kSide}, {out, other});
    issue({OpKind::Fill, 1, 1}, {other});
    issue({OpKind::MseBackward, kBatch, kSide}, {other, out, data, out});
    issue({OpKind::LinearWeightGrad, kBatch, kSide, kSide}, {out, data, grad});
    issue({OpKind::LinearBiasGrad, kBatch, kSide}, {out, other});
    issue({OpKind::AddInPlace, kSide, kSide}, {weight, grad});
  };
  constexpr int kOps = 8, kIterations = 30;  // fewer launches than the queue holds
  iteration();                               // the first iteration loads the library and its kernels
  std::vector<double> us;
  for (int i = 0; i < kRepeats; ++i) {
    d.synchronize();
    us.push_back(probe.time_us([&] {
      for (int n = 0; n < kIterations; ++n) iteration();
    }) / (kOps * kIterations));
  }
  d.synchronize();
  for (const Buffer b : {data, out, other, weight, grad}) d.release(b);
  return undisturbed(us);
}

// How much of all costs varies: half the distance between the 10th and 90th percentile, divided by the mean.
double spread_of(std::vector<double> times) {
  const double usual = undisturbed_mean(times);
  std::sort(times.begin(), times.end());
  const double low = times[times.size() / 10], high = times[times.size() * 9 / 10];
  return usual > 0 ? std::clamp((high - low) / 2 / usual, 0.0, 0.5) : 0;
}

void Calibrator::measure_linear(Probe& probe, double launch_us, const std::string& of) {
  constexpr std::int32_t kSide = 16;
  device::Device& d = probe.device();
  const auto room = [&] { return probe.buffer(MemoryKind::Device, kSide * kSide * sizeof(float)); };
  const Buffer x = room(), weight = room(), bias = room(), out = room();
  const std::array forward{x, weight, bias, out};
  const std::array backward{out, x, weight};
  const auto beside_launch = [&](OpKind kind, std::span<const Buffer> args) {
    return std::max(
        0.0, undisturbed_mean(probe.call_times_us(kCalls,
                                                  [&] {
                                                    d.launch({kind, kSide, kSide, kSide}, args, Stream::Default, false);
                                                  })) -
                 launch_us);
  };
  measured("cpu.linear_us", beside_launch(OpKind::LinearForward, forward), of);
  measured("cpu.linear_grad_us", beside_launch(OpKind::LinearWeightGrad, backward), of);
  for (const Buffer b : {x, weight, bias, out}) d.release(b);
}

void Calibrator::measure_calls(Probe& probe) {
  say(tr("calls"));
  device::Device& d = probe.device();
  const Buffer small = probe.buffer(MemoryKind::Device, sizeof(float));
  const device::GpuEvent event = d.create_event();
  const std::string of = fmt::format("{} calls, the fastest tenth of groups of 50", kCalls);

  const std::vector<double> launches = probe.call_times_us(kCalls, [&] { probe.tiny_kernel(); });
  const double launch = undisturbed_mean(launches);
  measured("cpu.launch_us", launch, of);
  measured("cpu.dispatch_us", std::max(0.0, mean_op_us(probe) - launch),
           "what the operations of linear-mse cost this program beside their launch; eager PyTorch takes about 10");
  measure_linear(probe, launch, of);
  measured("cpu.memcpy_us", undisturbed_mean(probe.call_times_us(kCalls, [&] { probe.copy(Path::H2DPinned, 4); })), of);
  measured("cpu.memset_us",
           undisturbed_mean(probe.call_times_us(kCalls,
                                                [&] {
                                                  d.fill_async({small, 0}, 0, 4, Stream::Default);
                                                })),
           of);
  measured("cpu.event_record_us",
           undisturbed_mean(probe.call_times_us(kCalls, [&] { d.record(event, Stream::Default); })), of);
  measured("cpu.event_query_us", undisturbed_mean(probe.call_times_us(kCalls, [&] { d.query(event); })), of);
  measured("cpu.stream_wait_us", undisturbed_mean(probe.call_times_us(kCalls, [&] { d.wait(Stream::Default, event); })),
           of);
  const double idle = undisturbed_mean(probe.call_times_us(kCalls, [&] { d.synchronize(Stream::Default); }));
  const std::string half = fmt::format("half of a cudaStreamSynchronize with nothing to wait for, {}", of);
  measured("cpu.sync_us", idle / 2, half);
  measured("cpu.idle_return_us", idle / 2, half);

  measured("jitter.spread", spread_of(launches), "half the width of the middle 80 % of cudaLaunchKernel's times");
}

void Calibrator::measure_memory(Probe& probe) {
  say(tr("memory"));
  device::Device& d = probe.device();
  const auto each = [&](int count, auto make) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) times.push_back(probe.time_us(make));
    return median(times);
  };
  const Buffer host = probe.buffer(MemoryKind::Pageable, Probe::kLargest);
  d.host_fill(host, Probe::kLargest);
  const double fill_us = each(5, [&] { d.host_fill(host, Probe::kLargest); });
  measured("cpu.memory_gb_per_s", gb_per_s(Probe::kLargest, fill_us), "one thread fills 64 MiB");
  d.release(host);

  measured("cpu.stream_create_us", each(8, [&] { d.create_stream(true); }), "median of 8");
  measured("cpu.event_create_us", each(32, [&] { d.create_event(); }), "median of 32");

  // Allocations are kept, so that no allocator can reuse them.
  const auto pinned_us = [&](std::size_t bytes, int count) {
    std::vector<Buffer> kept;
    const double us = each(count, [&] { kept.push_back(d.allocate(MemoryKind::Pinned, bytes)); });
    std::vector<double> frees;
    for (const Buffer b : kept) frees.push_back(probe.time_us([&] { d.release(b); }));
    return std::pair(us, median(frees));
  };
  constexpr std::size_t kSmall = 4 * kKiB, kMiBs = 16;
  const auto [small_us, small_free_us] = pinned_us(kSmall, 9);
  const auto [large_us, large_free_us] = pinned_us(kMiBs * kMiB, 5);
  measured("cpu.host_alloc_us", small_us, "4 KiB of pinned memory");
  measured("cpu.host_alloc_us_per_mib", std::max(0.0, large_us - small_us) / kMiBs, "16 MiB of pinned memory, zeroed");
  measured("cpu.host_free_us", small_free_us, "4 KiB of pinned memory");
  measured("cpu.host_free_us_per_mib", std::max(0.0, large_free_us - small_free_us) / kMiBs, "16 MiB of pinned memory");

  std::vector<Buffer> blocks;
  const double malloc_us = each(5, [&] { blocks.push_back(d.allocate(MemoryKind::Device, 64 * kMiB)); });
  measured("cpu.malloc_us", malloc_us, "64 MiB of device memory, and a memset of it issued");
  put("cpu.free_us", malloc_us, "assumed: as cudaMalloc; the program's allocator keeps what it once has");
  for (const Buffer b : blocks) d.release(b);
}

// What each of many kernels adds to the time between two events. They wait behind a spinning kernel, so that none waits
// for the host; nothing else is recorded, which would put pauses between them.
template <typename Issue>
double each_queued_us(Probe& probe, int few, int many, Issue issue) {
  constexpr double kAheadMs = 20;  // longer than the launches take, of which each may take 50 us under WSL
  const auto start = probe.device().create_timing_event(), end = probe.device().create_timing_event();
  const auto took = [&](int count) {
    probe.device().synchronize();
    probe.spin(kAheadMs);
    probe.device().record(start, Stream::Default);
    issue(count);
    probe.device().record(end, Stream::Default);
    probe.device().synchronize();
    return to_us(probe.device().elapsed(start, end).value());
  };
  std::vector<double> us;
  took(many);
  for (int i = 0; i < kRepeats; ++i) {
    const double short_us = took(few);
    us.push_back(std::max(0.0, took(many) - short_us) / (many - few));
  }
  return median(us);
}

void Calibrator::measure_floor(Probe& probe) {
  say(tr("kernels"));
  floor_us_ = each_queued_us(probe, 50, 200, [&](int count) {
    for (int i = 0; i < count; ++i) probe.tiny_kernel();
  });
  measured("gpu.kernel_floor_us", floor_us_, "kernels of one element after each other, with the gap between them");
}

void Calibrator::measure_graphs(Probe& probe) {
  say(tr("CUDA graphs"));
  const GraphCosts costs = measure_graph_costs(probe);
  const std::string how = "graphs of 8 and 32 small kernels";
  measured("cpu.graph_launch_us", costs.launch_us, how);
  measured("cpu.graph_node_us", costs.node_us, how);
  measured("gpu.graph_gap_us", costs.gap_us, how);
  put("cpu.graph_instantiate_us", device::sim::DeviceProfile().cpu.graph_instantiate_us,
      "assumed: as published by NVIDIA, see docs/manual.md; not measured here");
}

// The CPU of the GPU's machine. For a simulated GPU that is not this machine's.
void Calibrator::measure_cpu(bool simulated) {
  if (simulated) {
    const device::sim::DeviceProfile::Cpu standard;
    const std::string source = "assumed: the CPU beside a simulated GPU cannot be measured";
    const auto memory = std::find_if(result_.profile.numbers.begin(), result_.profile.numbers.end(),
                                     [](const auto& number) { return number.key == "cpu.memory_gb_per_s"; });
    put("cpu.copy_gb_per_s", memory->value, "assumed: as memory_gb_per_s");
    put("cpu.page_fault_us_per_mib", standard.page_fault_us_per_mib, source);
    put("cpu.cores", standard.cores, source);
    put("cpu.fp32_gflops", standard.fp32_gflops, source);
    put("cpu.op_us", standard.op_us, source);
    return;
  }
  say(tr("the CPU's own ops"));
  const HostCpu cpu = measure_host_cpu();
  const auto on_cpu = [&](const char* key, double value, const char* how) {
    put(key, value, fmt::format("measured on {}, {}: {}", cpu.name, request_.date, how));
  };
  on_cpu("cpu.copy_gb_per_s", cpu.copy_gb_per_s, "one thread copies 4 MiB again and again");
  on_cpu("cpu.page_fault_us_per_mib", cpu.page_fault_us_per_mib,
         "256 MiB mapped, touched and given back, the median of 3");
  on_cpu("cpu.cores", cpu.cores, "threads that it runs at once");
  on_cpu("cpu.fp32_gflops", cpu.fp32_gflops, "a product of 512 x 512 matrices on all cores");
  on_cpu("cpu.op_us", cpu.op_us, "an op of one element in this program; PyTorch's take about 1 to 2");
}

void Calibrator::measure_queue(Probe& probe) {
  say(tr("launch queue"));
  constexpr double kQueueSpinMs = 250;
  constexpr int kMost = 8192;
  probe.device().synchronize();
  probe.spin(kQueueSpinMs);
  int issued = 1;
  bool full = false;
  while (!full && issued < kMost) {
    full = probe.time_us([&] { probe.tiny_kernel(); }) > kQueueSpinMs * 1e3 / 10;
    if (!full) ++issued;
  }
  probe.device().synchronize();
  if (full) {
    measured("gpu.launch_queue_depth", issued, "kernels that could be launched behind a spinning one");
  } else {
    put("gpu.launch_queue_depth", 1024,
        fmt::format("assumed: {} launches behind a spinning kernel did not block", kMost));
  }
}

double Calibrator::returned_ms(Probe& probe, Path path, std::size_t bytes) {
  probe.device().synchronize();
  probe.spin(kSpinMs);
  const double us = probe.time_us([&] { probe.copy(path, bytes); });
  probe.device().synchronize();
  return us / 1e3;
}

void Calibrator::measure_returns(Probe& probe) {
  say(tr("when copies return"));
  for (const Path path : kAllPaths) {
    probe.copy(path, kMiB);  // allocates its memory
    for (std::size_t bytes = 4; bytes <= 16 * kMiB; bytes *= bytes < kKiB ? 256 : 4) {
      for (const std::size_t size : {bytes, bytes == 64 * kKiB ? bytes + 4 : std::size_t{0}}) {
        if (size != 0) result_.returns.push_back({path, size, returned_ms(probe, path, size)});
      }
    }
  }
  derive_staging(probe);
}

// The largest copy from pageable memory that does not wait for the stream. A small limit means that such copies travel
// in the command queue, a large one that they fit into the driver's staging buffer.
void Calibrator::derive_staging(Probe& probe) {
  constexpr std::size_t kMost = 64 * kMiB, kStep = kKiB, kDocumented = 64 * kKiB, kSurelyStaged = 256 * kKiB;
  const auto blocks = [&](std::size_t bytes) { return returned_ms(probe, Path::H2DPageable, bytes) > kSpinMs / 2; };
  std::size_t free = kKiB, held = kMiB;
  while (held < kMost && !blocks(held)) free = std::exchange(held, held * 2);
  const bool bounded = held < kMost || blocks(kMost);
  while (bounded && held - free > kStep) {
    const std::size_t middle = (free + held) / 2 / kStep * kStep;
    (blocks(middle) ? held : free) = middle;
  }
  const std::string rule = "the longest pageable cudaMemcpyAsync behind a spinning kernel that does not wait for it";
  if (free < kSurelyStaged) {
    measured("link.inline_limit_bytes", static_cast<double>(free), rule);
    put("link.staging_chunk_bytes", 16 * kKiB,
        "fitted: small, so that longer copies wait for the stream as they were seen to");
    put("link.staging_slots", 2, "fitted: as the chunk");
    return;
  }
  put("link.inline_limit_bytes", kDocumented,
      "published: CUDA C++ Programming Guide, copies of 64 KB or less from the host do not block");
  const std::size_t chunk = 128 * kKiB;
  put("link.staging_chunk_bytes", static_cast<double>(chunk), "assumed");
  measured("link.staging_slots", std::max(1.0, std::round(static_cast<double>(free) / static_cast<double>(chunk))),
           fmt::format("{} bytes are {}, in chunks", free, rule));
}

void Calibrator::measure_bandwidths(Probe& probe) {
  say(tr("bandwidth"));
  for (const Path path : kAllPaths) {
    for (std::size_t bytes = 4 * kKiB; bytes <= Probe::kLargest; bytes *= 4) {
      std::vector<double> times;
      for (int i = 0; i < kRepeats; ++i) {
        probe.device().synchronize();
        times.push_back(probe.time_us([&] {
          probe.copy(path, bytes);
          probe.device().synchronize(Stream::Default);
        }));
      }
      result_.bandwidths.push_back({path, bytes, gb_per_s(bytes, median(times))});
    }
  }
  // End to end, as seen by the host, because the CPU fills the staging buffer.
  constexpr std::size_t kCached = 16 * kMiB;
  std::vector<double> up, down, cached;
  for (int i = 0; i < kRepeats; ++i) {
    up.push_back(probe.time_us([&] { probe.upload_now(Probe::kLargest); }));
    down.push_back(probe.time_us([&] { probe.download_now(Probe::kLargest); }));
  }
  for (int i = 0; i < kRepeats; ++i) cached.push_back(probe.time_us([&] { probe.upload_now(kCached); }));
  const double slow = gb_per_s(Probe::kLargest, undisturbed(up)), fast = gb_per_s(kCached, undisturbed(cached));
  measured("link.h2d_pageable_gb_per_s", slow, "cudaMemcpy of 64 MiB");
  measured("link.d2h_pageable_gb_per_s", gb_per_s(Probe::kLargest, undisturbed(down)), "cudaMemcpy of 64 MiB");
  measured("link.h2d_cached_gb_per_s", fast, "cudaMemcpy of 16 MiB, again and again");
  put("link.cached_copy_bytes", fast > 1.2 * slow ? 2 * static_cast<double>(kCached) : 0,
      "assumed: between the 16 MiB and the 64 MiB that were measured, if those were slower");
}

// Measures the time from a call until its work starts, and from the end of the work until the host returns.
void Calibrator::measure_starts(Probe& probe) {
  say(tr("start and wake-up times"));
  device::Device& d = probe.device();
  const auto latency = [&](auto issue) {
    std::vector<double> us;
    for (int i = 0; i < kRepeats; ++i) {
      Nanoseconds issued = 0;
      const std::vector<Event> done = probe.operations_of([&] {
        issue();
        issued = d.now_ns();
      });
      us.push_back(std::max(0.0, to_us(done.front().start_ns - issued)));
    }
    return undisturbed(us);
  };
  const std::string how =
      fmt::format("from the end of the call to the start of the operation, lower quartile of {}", kRepeats);
  measured("gpu.launch_latency_us", latency([&] { probe.tiny_kernel(); }), how);
  measured("gpu.copy_latency_us", latency([&] { probe.copy(Path::H2DPinned, 4); }), how);

  std::vector<double> wake;
  for (int i = 0; i < kRepeats; ++i) {
    Nanoseconds back = 0;
    const std::vector<Event> done = probe.operations_of([&] {
      probe.spin(3);
      d.synchronize(Stream::Default);
      back = d.now_ns();
    });
    wake.push_back(std::max(0.0, to_us(back - done.back().end_ns)));
  }
  measured("cpu.wake_us", undisturbed(wake),
           fmt::format("from the end of a 3 ms kernel to the return of cudaStreamSynchronize, lower quartile of {}",
                       kRepeats));
}

void Calibrator::measure_kernels(Probe& probe) {
  device::Device& d = probe.device();
  constexpr std::int32_t kElements = 64 << 20;
  const Buffer a = probe.buffer(MemoryKind::Device, std::size_t{kElements} * sizeof(float));
  const Buffer b = probe.buffer(MemoryKind::Device, std::size_t{kElements} * sizeof(float));
  const Op add{OpKind::AddInPlace, kElements, 1};
  const std::array args{a, b};
  const std::vector<Event> adds = probe.operations_of([&] {
    for (int i = 0; i < 5; ++i) d.launch(add, args, Stream::Default, false);
  });
  std::vector<double> us;
  for (const Event& e : adds) us.push_back(to_us(e.duration()) - floor_us_);
  measured("gpu.memory_gb_per_s", gb_per_s(static_cast<std::size_t>(ops::bytes_moved(add)), median(us)),
           "adding two arrays of 256 MiB");
  d.release(a);
  d.release(b);

  const GemmFit gemm = fit_gemm(probe, std::max(1, sm_count_), floor_us_);
  measured("gpu.fp32_tflops", gemm.tflops, "the fastest of the matrix products");
  put("gpu.reached_fraction", kReached, "measured: the two rates are those that kernels reached");
  if (sm_count_ > 0) {
    put("gpu.sm_count", sm_count_, fmt::format("measured {}: as the driver says", where_));
  } else {
    put("gpu.sm_count", 1, "assumed: the device does not say");
  }
  const std::string fit = fmt::format("fitted: to {} matrix products, which it gives with a mean error of {:.0f} %",
                                      gemm.products, gemm.mean_error * 100);
  put("gpu.gemm_tile_rows", gemm.tile_rows, fit);
  put("gpu.gemm_tile_columns", gemm.tile_columns, fit);
}

void Calibrator::measure_copies(Probe& probe) {
  say(tr("copies"));
  constexpr int kCopies = 60;
  std::vector<double> same;
  for (const Event& e : probe.operations_of([&] {
         for (int i = 0; i < kCopies; ++i) probe.copy(Path::H2DPinned, 4 * kMiB);
       })) {
    same.push_back(to_us(e.duration()));
  }
  measured("jitter.gpu_spread", spread_of(same), "half the width of the middle 80 % of the times of copies of 4 MiB");
  const auto duration = [&](Path path, std::size_t bytes) {
    const std::vector<Event> copies = probe.operations_of([&] {
      for (int i = 0; i < kRepeats; ++i) probe.copy(path, bytes);
    });
    std::vector<double> us;
    for (const Event& e : copies) us.push_back(to_us(e.duration()));
    return undisturbed(us);
  };
  duration(Path::H2DPinned, kMiB);
  const double fixed = std::min(duration(Path::H2DPinned, 4), duration(Path::D2HPinned, 4));
  measured("link.copy_fixed_us", fixed, "a copy of 4 bytes");
  measured("link.h2d_pinned_gb_per_s", gb_per_s(Probe::kLargest, duration(Path::H2DPinned, Probe::kLargest) - fixed),
           "a copy of 64 MiB");
  measured("link.d2h_pinned_gb_per_s", gb_per_s(Probe::kLargest, duration(Path::D2HPinned, Probe::kLargest) - fixed),
           "a copy of 64 MiB");
}

}  // namespace

const char* to_text(Path path) {
  switch (path) {
    case Path::H2DPinned:
      return "H2D pinned";
    case Path::H2DPageable:
      return "H2D pageable";
    case Path::D2HPinned:
      return "D2H pinned";
    case Path::D2HPageable:
      return "D2H pageable";
  }
  return "";
}

Calibration calibrate(const CalibrationRequest& request) { return Calibrator(request).run(); }

std::string to_toml(const Calibration& calibration) {
  std::string head = "Measured by `lanescope calibrate`. The simulator does not read what follows here:\n";
  head += "\nBandwidth of a copy and a wait for it, GB/s:\n";
  for (const Path path : kAllPaths) {
    head += fmt::format("  {:<13}", to_text(path));
    for (const Bandwidth& b : calibration.bandwidths) {
      if (b.path == path) head += fmt::format(" {}: {:.3g} ", size_text(b.bytes), b.gb_per_s);
    }
    head += '\n';
  }
  head += fmt::format("\nWhether cudaMemcpyAsync behind a kernel of {} ms returned before it had ended:\n", kSpinMs);
  for (const Path path : kAllPaths) {
    head += fmt::format("  {:<13}", to_text(path));
    for (const HostReturn& r : calibration.returns) {
      if (r.path == path) {
        head += fmt::format(" {}: {} ", size_text(r.bytes), waited(r) ? "no" : "yes");
      }
    }
    head += '\n';
  }
  return device::sim::profile_text(calibration.profile, head);
}

}  // namespace lanescope::calibration
