#include "calibration/quick_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <thread>
#include <utility>

#include "calibration/probe.h"
#include "device/op.h"

namespace lanescope::calibration {
namespace {

using base::to_us;
using ops::Op;
using trace::Event;
using trace::MemoryKind;

constexpr std::size_t kProbeKiB = 1024, kProbeMiB = 1024 * kProbeKiB;
constexpr std::size_t kLong =
    kProbedCopyBytes;  // shorter copies are slower: the link or the staging is not busy all the time
constexpr std::size_t kSmallPinned = 4 * kProbeKiB;
constexpr std::size_t kShortStaged = 128 * kProbeKiB;  // longer than a copy that travels in the command queue
constexpr int kProbeCalls = 64;

class QuickProber {
 public:
  explicit QuickProber(const QuickProbeRequest& request)
      : request_(request), probe_(request.make, trace::CaptureLevel::All, kLong), device_(probe_.device()) {
    result_.device = device_.info().id;
  }

  QuickProbe run() {
    measure_calls();
    measure_memory();
    measure_starts();
    measure_copies();
    measure_staged_copies();
    measure_kernels();
    measure_graphs();
    measure_cores();
    for (const Op& op : request_.ops) measure_op(op);
    return std::move(result_);
  }

 private:
  void put(const char* key, double value, double relative) { result_.numbers.push_back({key, value, relative}); }
  void put(const char* key, const std::vector<double>& values) {
    put(key, median(values), uncertainty_of_median(values));
  }

  template <typename Call>
  void measure_call(const char* key, Call call) {
    put(key, probe_.call_times_us(kProbeCalls, call));
  }

  void measure_calls() {
    const Buffer small = probe_.buffer(MemoryKind::Device, sizeof(float));
    const device::GpuEvent event = device_.create_event();
    measure_call("cpu.launch_us", [&] { probe_.tiny_kernel(); });
    measure_call("cpu.memcpy_us", [&] { probe_.copy(Path::H2DPinned, 4); });
    measure_call("cpu.memset_us", [&] { device_.fill_async({small, 0}, 0, 4, Stream::Default); });
    measure_call("cpu.event_record_us", [&] { device_.record(event, Stream::Default); });
    measure_call("cpu.event_query_us", [&] { device_.query(event); });
    measure_call("cpu.stream_wait_us", [&] { device_.wait(Stream::Default, event); });
    // Only their sum can be seen from outside.
    std::vector<double> idle = probe_.call_times_us(kProbeCalls, [&] { device_.synchronize(Stream::Default); });
    for (double& us : idle) us /= 2;
    put("cpu.sync_us", idle);
    put("cpu.idle_return_us", idle);
    device_.release(small);
  }

  template <typename Make>
  std::vector<double> times_of(int count, Make make) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) times.push_back(probe_.time_us(make));
    return times;
  }

  void measure_memory() {
    constexpr std::size_t kFilled = 16 * kProbeMiB;  // more than a core's own caches hold
    const Buffer host = probe_.buffer(MemoryKind::Pageable, kFilled);
    device_.host_fill(host, kFilled);
    std::vector<double> rates;
    // Where PyTorch's random numbers have a cost of their own, what remains for the CPU is copying.
    const bool copies = !device_.info().virtual_time && device_.info().framework.known();
    const Buffer other = copies ? probe_.buffer(MemoryKind::Pageable, kFilled) : Buffer::None;
    if (copies) device_.host_fill(other, kFilled);
    const auto write = [&] {
      if (!copies) return device_.host_fill(host, kFilled);
      std::ranges::copy(device_.host_data(host), device_.host_data(other).begin());
    };
    for (const double us : times_of(5, write)) {
      if (us > 0) rates.push_back(static_cast<double>(kFilled) / us / 1e3);
    }
    if (!rates.empty()) put("cpu.memory_gb_per_s", rates);
    device_.release(host);
    if (copies) device_.release(other);
    measure_page_faults();
    put("cpu.stream_create_us", times_of(4, [&] { device_.create_stream(true); }));
    put("cpu.event_create_us", times_of(16, [&] { device_.create_event(); }));

    const auto [small, small_free] = pinned_times(kSmallPinned, 8);
    const auto [large, large_free] = pinned_times(kProbeMiB, 6);
    put_pinning("cpu.host_alloc_us", "cpu.host_alloc_us_per_mib", small, large);
    put_pinning("cpu.host_free_us", "cpu.host_free_us_per_mib", small_free, large_free);
  }

  // The small ones are pinned memory, too: 1 / 256 MiB.
  void put_pinning(const char* per_call, const char* per_mib, const std::vector<double>& small,
                   const std::vector<double>& large) {
    constexpr double kShare = static_cast<double>(kSmallPinned) / kProbeMiB;
    const double few = median(small), rest = std::max(0.0, (median(large) - few) / (1 - kShare));
    const double few_off = uncertainty_of_median(small) * few,
                 rest_off = std::hypot(uncertainty_of_median(large) * median(large), few_off);
    const double fixed = std::max(0.0, few - kShare * rest);
    put(per_call, fixed, fixed > 0 ? few_off / fixed : 0);
    put(per_mib, rest, rest > 0 ? rest_off / rest : 0);
  }

  // Fresh memory is written, and then again.
  void measure_page_faults() {
    constexpr std::size_t kMiBs = 2;
    std::vector<double> fresh, again;
    for (int i = 0; i < 8; ++i) {
      const Buffer host = device_.allocate(MemoryKind::Pageable, kMiBs * kProbeMiB);
      for (std::vector<double>* times : {&fresh, &again}) {
        times->push_back(probe_.time_us([&] { device_.host_fill(host, kMiBs * kProbeMiB); }) / kMiBs);
      }
      device_.release(host);
    }
    put_rest("cpu.page_fault_us_per_mib", fresh, again);
  }

  /// The times of allocations and of releases. All are kept meanwhile, so that no allocator reuses them.
  std::pair<std::vector<double>, std::vector<double>> pinned_times(std::size_t bytes, int count) {
    std::vector<Buffer> kept;
    std::vector<double> times = times_of(count, [&] { kept.push_back(device_.allocate(MemoryKind::Pinned, bytes)); });
    std::vector<double> frees;
    for (const Buffer b : kept) frees.push_back(probe_.time_us([&] { device_.release(b); }));
    return {std::move(times), std::move(frees)};
  }

  /// What the longer ones take beyond the shorter ones.
  void put_rest(const char* key, const std::vector<double>& large, const std::vector<double>& small) {
    const double all = median(large), rest = all - median(small);
    if (rest <= 0) return put(key, 0, 0);
    const double off = std::hypot(uncertainty_of_median(large) * all, uncertainty_of_median(small) * median(small));
    put(key, rest, off / rest);
  }

  void measure_starts() {
    constexpr int kRepeats = 16;
    constexpr double kShortSpinMs = 0.1;
    const auto latency = [&](const char* key, auto issue) {
      std::vector<Nanoseconds> issued;
      const std::vector<Event> done = probe_.operations_of([&] {
        for (int i = 0; i < kRepeats; ++i) {
          issue();
          issued.push_back(device_.now_ns());
          device_.synchronize();
        }
      });
      std::vector<double> us;
      for (std::size_t i = 0; i < std::min(done.size(), issued.size()); ++i) {
        us.push_back(std::max(0.0, to_us(done[i].start_ns - issued[i])));
      }
      put(key, us);
    };
    latency("gpu.launch_latency_us", [&] { probe_.tiny_kernel(); });
    latency("gpu.copy_latency_us", [&] { probe_.copy(Path::H2DPinned, 4); });

    std::vector<Nanoseconds> back;
    const std::vector<Event> spins = probe_.operations_of([&] {
      for (int i = 0; i < kRepeats; ++i) {
        probe_.spin(kShortSpinMs);
        device_.synchronize(Stream::Default);
        back.push_back(device_.now_ns());
      }
    });
    std::vector<double> wake;
    for (std::size_t i = 0; i < std::min(spins.size(), back.size()); ++i) {
      wake.push_back(std::max(0.0, to_us(back[i] - spins[i].end_ns)));
    }
    put("cpu.wake_us", wake);
  }

  /// How many copies of this length take about a millisecond of the link.
  static int copies_of(std::size_t bytes, double us) {
    constexpr double kEnoughUs = 1000;
    constexpr int kFewest = 6, kMost = 24;
    return bytes <= kProbeKiB ? kMost : std::clamp(static_cast<int>(kEnoughUs / std::max(us, 1.0)), kFewest, kMost);
  }

  std::vector<double> gpu_times(Path path, std::size_t bytes) {
    const auto timed = [&](int count) {
      std::vector<double> us;
      for (const Event& e : probe_.operations_of([&] {
             for (int i = 0; i < count; ++i) probe_.copy(path, bytes);
           })) {
        us.push_back(to_us(e.duration()));
      }
      return us;
    };
    return timed(copies_of(bytes, median(timed(2))));  // the first ones wake the link up
  }

  void put_rate(const char* key, std::size_t bytes, const std::vector<double>& whole, std::size_t less,
                const std::vector<double>& part) {
    const double all = median(whole), rest = all - median(part);
    if (rest <= 0) return;
    const double off = std::hypot(uncertainty_of_median(whole) * all, uncertainty_of_median(part) * median(part));
    put(key, static_cast<double>(bytes - less) / rest / 1e3, off / rest);
  }

  void measure_copies() {
    const std::vector<double> up = gpu_times(Path::H2DPinned, 4), down = gpu_times(Path::D2HPinned, 4);
    const std::vector<double>& fixed = median(up) < median(down) ? up : down;
    put("link.copy_fixed_us", fixed);
    put_rate("link.h2d_pinned_gb_per_s", kLong, gpu_times(Path::H2DPinned, kLong), 0, fixed);
    put_rate("link.d2h_pinned_gb_per_s", kLong, gpu_times(Path::D2HPinned, kLong), 0, fixed);
  }

  // As seen by the host, because the CPU moves the bytes to and from the staging buffer.
  void measure_staged_copies() {
    const auto timed = [&](std::size_t bytes, auto copy) {
      const std::vector<double> first = times_of(2, [&] { copy(bytes); });
      return times_of(copies_of(bytes, median(first)), [&] { copy(bytes); });
    };
    const auto measure = [&](const char* key, auto copy) {
      // One after the other: a compiler may choose the order of arguments, and the device's jitter goes on in between.
      const std::vector<double> part = timed(kShortStaged, copy), whole = timed(kLong, copy);
      put_rate(key, kLong, whole, kShortStaged, part);
    };
    measure("link.h2d_pageable_gb_per_s", [&](std::size_t bytes) { probe_.upload_now(bytes); });
    measure("link.d2h_pageable_gb_per_s", [&](std::size_t bytes) { probe_.download_now(bytes); });
  }

  /// The time from the end of what one `issue` issues to the end of the next.
  template <typename Issue>
  std::vector<double> queued_us(int count, Issue issue) {
    constexpr double kAheadMs = 0.5;  // behind this kernel, so that no work waits for the host
    std::vector<Event> done = probe_.operations_of([&] {
      probe_.spin(kAheadMs);
      for (int i = 0; i < count; ++i) issue();
    });
    done.erase(done.begin());
    std::vector<double> us;
    const std::size_t each = done.size() / static_cast<std::size_t>(count);
    for (std::size_t i = each; each > 0 && i + each <= done.size(); i += each) {
      us.push_back(to_us(done[i + each - 1].end_ns - done[i - 1].end_ns));
    }
    return us;
  }

  void measure_kernels() {
    const std::vector<double> us = queued_us(32, [&] { probe_.tiny_kernel(); });
    kernel_floor_us_ = median(us);
    put("gpu.kernel_floor_us", us);
  }

  // From two graphs of small kernels. On a real GPU the first launch of a graph uploads it.
  void measure_graphs() {
    constexpr int kFew = 8, kMany = 32;
    const Stream side = device_.create_stream(true);
    const auto graph_of = [&](int nodes) {
      device_.begin_capture(side);
      for (int i = 0; i < nodes; ++i) probe_.tiny_kernel(side);
      return device_.end_capture(side);
    };
    const device::Graph few = graph_of(kFew), many = graph_of(kMany);
    const auto launch_times = [&](device::Graph graph) {
      std::vector<double> us;
      for (int i = 0; i < kProbeCalls; ++i) {
        us.push_back(probe_.time_us([&] { device_.launch_graph(graph, Stream::Default); }));
        if (i % 4 == 3) device_.synchronize();
      }
      return std::vector<double>(us.begin() + 4, us.end());
    };
    const std::vector<double> small = launch_times(few), large = launch_times(many);
    const double each = std::max(0.0, (median(large) - median(small)) / (kMany - kFew));
    const double small_off = uncertainty_of_median(small) * median(small),
                 each_off = std::hypot(uncertainty_of_median(large) * median(large), small_off) / (kMany - kFew);
    const double fixed = std::max(0.0, median(small) - kFew * each);
    put("cpu.graph_launch_us", fixed, fixed > 0 ? small_off / fixed : 0);
    put("cpu.graph_node_us", each, each > 0 ? each_off / each : 0);

    const std::vector<Event> nodes = probe_.operations_of([&] { device_.launch_graph(many, Stream::Default); });
    std::vector<double> apart;
    for (std::size_t i = 1; i < nodes.size(); ++i) apart.push_back(to_us(nodes[i].end_ns - nodes[i - 1].end_ns));
    const double gap = median(apart) - kernel_floor_us_, off = uncertainty_of_median(apart) * median(apart);
    const bool seen = gap > 2 * off;
    put("gpu.graph_gap_us", seen ? gap : 0, seen ? off / gap : 0);
    for (const device::Graph graph : {few, many}) device_.destroy_graph(graph);
  }

  void measure_cores() {
    if (!device_.info().virtual_time) {
      return put("cpu.cores", std::max(1u, std::thread::hardware_concurrency()), 0);
    }
    constexpr std::size_t kThreads = 512;
    constexpr Nanoseconds kBusy = base::kMillisecond;
    const Nanoseconds start = device_.now_ns();
    std::vector<device::HostTask> tasks;
    std::vector<device::HostThread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.push_back(device_.create_host_thread("probe"));
      device::Device::HostWork work;
      work.name = "busy";
      work.busy_ns = kBusy;
      tasks.push_back(device_.submit(threads.back(), work, device::HostTask::None));
    }
    for (const device::HostTask task : tasks) device_.wait_for(task, "probe");
    const double took = static_cast<double>(device_.now_ns() - start);
    for (const device::HostThread thread : threads) device_.end_host_thread(thread);
    put("cpu.cores", std::max(1.0, std::round(static_cast<double>(kThreads * kBusy) / took)), 0);
  }

  void measure_op(const Op& op) {
    std::vector<Buffer> args;
    for (const std::size_t elements : ops::least_elements(op)) {
      args.push_back(probe_.buffer(MemoryKind::Device, elements * sizeof(float)));
    }
    const auto launch = [&] { device_.launch(op, args, Stream::Default, false); };
    constexpr int kRepeats = 6;
    launch();  // loads a library's kernel
    const std::vector<double> us = queued_us(kRepeats, launch);
    if (!us.empty()) result_.ops.push_back({op, median(us), uncertainty_of_median(us)});
    for (const Buffer b : args) device_.release(b);
  }

  const QuickProbeRequest& request_;
  Probe probe_;
  device::Device& device_;
  QuickProbe result_;
  double kernel_floor_us_ = 0;
};

}  // namespace

double uncertainty_of_median(std::vector<double> values) {
  constexpr std::size_t kFewest = 4;
  constexpr double kQuartiles = 1.349, kOfMedian = 1.2533;
  if (values.size() < kFewest) return 1;
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const double rest = place - static_cast<double>(below);
    return below + 1 < values.size() ? values[below] * (1 - rest) + values[below + 1] * rest : values[below];
  };
  const double middle = at(0.5);
  if (middle <= 0) return 0;
  return 2 * kOfMedian * (at(0.75) - at(0.25)) / kQuartiles / std::sqrt(static_cast<double>(values.size())) / middle;
}

QuickProbe probe_quickly(const QuickProbeRequest& request) { return QuickProber(request).run(); }

// --- quick probe text ------------------------------------------------------------------------------------------------

namespace {

constexpr int kKinds = static_cast<int>(ops::OpKind::Spin) + 1;

/// Reads what stands behind the kernel's name.
bool read_op(std::istream& in, ops::Op& op) {
  std::string kernel;
  if (!(in >> kernel >> op.m >> op.n >> op.k >> op.scalar)) return false;
  for (int kind = 0; kind < kKinds; ++kind) {
    op.kind = static_cast<ops::OpKind>(kind);
    if (ops::kernel_name(op.kind) == kernel) return op.m > 0 && op.n > 0 && op.k > 0;
  }
  return false;
}

bool is_sound(double value, double relative) {
  return std::isfinite(value) && value >= 0 && std::isfinite(relative) && relative >= 0;
}

}  // namespace

std::string to_text(const QuickProbe& probe) {
  std::string text = fmt::format("device {}\n", probe.device);
  for (const ProbedNumber& n : probe.numbers) {
    text += fmt::format("number {} {:.6g} {:.3g}\n", n.key, n.value, n.relative);
  }
  for (const ProbedOp& p : probe.ops) {
    text += fmt::format("op {} {} {} {} {} {:.6g} {:.3g}\n", ops::kernel_name(p.op.kind), p.op.m, p.op.n, p.op.k,
                        p.op.scalar, p.us, p.relative);
  }
  return text;
}

std::optional<QuickProbe> parse_quick_probe(std::string_view text) {
  QuickProbe probe;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    if (what == "device") {
      in >> probe.device;
    } else if (what == "number") {
      ProbedNumber n;
      if (!(in >> n.key >> n.value >> n.relative) || !is_sound(n.value, n.relative)) return std::nullopt;
      probe.numbers.push_back(std::move(n));
    } else if (what == "op") {
      ProbedOp p;
      if (!read_op(in, p.op) || !(in >> p.us >> p.relative) || !is_sound(p.us, p.relative)) return std::nullopt;
      probe.ops.push_back(p);
    } else {
      return std::nullopt;
    }
  }
  if (probe.device.empty() || probe.numbers.empty()) return std::nullopt;
  return probe;
}

std::string to_text(const ops::Op& op) {
  return fmt::format("{},{},{},{},{}", ops::kernel_name(op.kind), op.m, op.n, op.k, op.scalar);
}

std::optional<ops::Op> parse_op(std::string_view text) {
  std::string words(text);
  std::replace(words.begin(), words.end(), ',', ' ');
  std::istringstream in(words);
  ops::Op op;
  if (!read_op(in, op)) return std::nullopt;
  return op;
}

}  // namespace lanescope::calibration
