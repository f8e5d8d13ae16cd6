// What calls and copies show by themselves.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "prediction/fit.h"
#include "prediction/least_squares.h"
#include "prediction/numbers.h"

namespace lanescope::prediction {
namespace {

using trace::CopyDirection;
using trace::MemoryKind;

constexpr std::uint64_t kInlineLimit = 64 * 1024;
constexpr double kUnsure = 0.5;       // a relative uncertainty of this or more: unknown
constexpr double kResolution = 1e-4;  // microseconds
constexpr double kStagingChunk = 128 * 1024;

double us(Nanoseconds ns) { return static_cast<double>(ns) / 1e3; }

struct Copy {
  bool upload = false;
  MemoryKind memory = MemoryKind::Unknown;
  double bytes = 0;
};

class CallFit {
 public:
  CallFit(const Recording& recording, const device::DeviceInfo& device, const calibration::QuickProbe* probe)
      : recording_(recording), device_(device), probe_(probe) {}

  Fit run() {
    collect();
    find_spread();
    fit_own_costs();
    fit_synchronisations();
    fit_copies();
    fit_staging();
    fit_latencies();
    fit_queue();
    Numbers& numbers = fit_.numbers;
    assume_link(numbers);
    numbers.narrow(Number::Cores, std::max(16.0, static_cast<double>(recording_.most_tasks_at_once)), 256, 4);
    if (device_.simulated) {
      numbers.narrow(Number::GraphNode, 0.001, 0, 0.01);
      // The floor of a simulated kernel has the gap to the next one in it.
      numbers.narrow(Number::GraphGap, 0, 0, 0.1);
    }
    if (probe_ != nullptr) take_probed();
    if (device_.sm_count > 0)
      fit_.machine.profile.gpu.sm_count = device_.sm_count;
    else
      fit_.machine.profile.gpu.sm_count = 64;
    fit_.machine.profile.name = "fitted";
    fit_.machine.profile.pytorch = device_.framework;
    fit_.machine.profile.jitter_spread = spread_;
    numbers.write_to(fit_.machine.profile);
    return std::move(fit_);
  }

 private:
  const RecordedOperation* operation_of(const RecordedCall& call) const {
    return call.operation == kNone ? nullptr : &recording_.operations[call.operation];
  }
  static Copy copy_of(const RecordedOperation& operation) {
    const trace::CopyTraits traits = trace::copy_traits_of(operation.event);
    Copy copy;
    copy.upload = traits.direction == CopyDirection::HostToDevice;
    copy.memory = copy.upload ? traits.source : traits.destination;
    copy.bytes = static_cast<double>(trace::bytes_of(operation.event));
    return copy;
  }
  static bool is_copy(const RecordedOperation* operation) {
    if (operation == nullptr || operation->event.kind != trace::EventKind::Copy) return false;
    const CopyDirection direction = trace::copy_traits_of(operation->event).direction;
    return direction == CopyDirection::HostToDevice || direction == CopyDirection::DeviceToHost;
  }
  static bool is_inline(const Copy& copy) {
    return copy.upload && copy.memory == MemoryKind::Pageable && copy.bytes <= static_cast<double>(kInlineLimit);
  }

  void collect() {
    for (const RecordedCall& call : recording_.calls) {
      if (call.api == kOtherApi) continue;
      const bool here = call.iteration != kNone;
      if (call.is(CudaCall::MemcpyAsync) || call.is(CudaCall::Memcpy)) {
        const RecordedOperation* operation = operation_of(call);
        if (is_copy(operation)) copies_.push_back({&call, operation, copy_of(*operation)});
        continue;
      }
      own_[call.api].of(here).add(us(call.parts.own));
    }
  }

  void find_spread() {
    Samples spreads;
    constexpr std::size_t kMany = 20;
    for (const TwoSamples& samples : own_) {
      if (samples.here.size() >= kMany) spreads.add(samples.here.spread());
    }
    spread_ = spreads.empty() ? 0.1 : std::min(0.5, spreads.median());
  }

  void measured(Number number, const TwoSamples& samples) {
    if (samples.empty()) return;
    fit_.numbers.measured(number, samples.mean(), samples.relative(std::max(spread_, 0.02)));
  }

  void fit_own_costs() {
    constexpr std::pair<CudaCall, Number> kPlain[] = {{CudaCall::LaunchKernel, Number::Launch},
                                                      {CudaCall::MemsetAsync, Number::Memset},
                                                      {CudaCall::EventRecord, Number::EventRecord},
                                                      {CudaCall::EventQuery, Number::EventQuery},
                                                      {CudaCall::StreamWaitEvent, Number::StreamWait},
                                                      {CudaCall::StreamCreate, Number::StreamCreate},
                                                      {CudaCall::EventCreate, Number::EventCreate},
                                                      {CudaCall::GraphLaunch, Number::GraphLaunch},
                                                      {CudaCall::Malloc, Number::Malloc},
                                                      {CudaCall::Free, Number::Free}};
    for (const auto& [api, number] : kPlain) measured(number, own_[static_cast<std::size_t>(api)]);
    if (!fit_.numbers.known(Number::Launch)) return;
    // Relative to a launch: the usual value, and the range on machines that were measured.
    const double launch = fit_.numbers.value(Number::Launch);
    const auto relative = [&](Number number, double usual, double fast, double slow) {
      if (!fit_.numbers.known(number)) fit_.numbers.narrow(number, usual * launch, fast * launch, slow * launch);
    };
    relative(Number::Memcpy, 1, 0.4, 1.7);
    relative(Number::Memset, 0.9, 0.25, 1.2);
    relative(Number::EventRecord, 0.3, 0.08, 1);
    relative(Number::EventQuery, 0.2, 0.05, 1);
    relative(Number::StreamWait, 0.4, 0.08, 1);
    relative(Number::Sync, 0.4, 0.05, 1);
    relative(Number::GraphLaunch, 1, 0.7, 2);
  }

  void fit_synchronisations() {
    TwoSamples own, wake, idle;
    for (const RecordedCall& call : recording_.calls) {
      if (!call.is(CudaCall::StreamSynchronize) && !call.is(CudaCall::DeviceSynchronize) &&
          !call.is(CudaCall::EventSynchronize)) {
        continue;
      }
      const bool here = call.iteration != kNone;
      own.of(here).add(us(call.parts.own));
      (call.parts.waiting + call.parts.copying > 0 ? wake : idle).of(here).add(us(call.parts.returning));
    }
    for (const auto& copy : copies_) {
      if (copy.call->blocking && copy.call->parts.returning > 0 && copy.call->parts.copying > 0) {
        wake.of(copy.call->iteration != kNone).add(us(copy.call->parts.returning));
      }
    }
    measured(Number::Sync, own);
    measured(Number::Wake, wake);
    measured(Number::IdleReturn, idle);
  }

  // Copies whose bytes the GPU moves by itself: copy_fixed + bytes * rate, with the same copy_fixed for both
  // directions.
  void fit_copies() {
    std::map<std::pair<bool, double>, TwoSamples> by_size;
    std::array<double, 2> slowest{};  // the highest rates seen: the link reaches at least these
    for (const auto& [call, operation, copy] : copies_) {
      const bool direct = copy.memory == MemoryKind::Pinned ||
                          (copy.memory == MemoryKind::Pageable && copy.bytes <= static_cast<double>(kInlineLimit));
      constexpr double kLarge = 256 * 1024;
      if (copy.bytes >= kLarge && operation->event.duration() > 0) {
        double& reached = slowest[copy.upload ? 0 : 1];
        reached = std::max(reached, copy.bytes / static_cast<double>(operation->event.duration()));
      }
      if (direct) by_size[{copy.upload, copy.bytes}].of(call->iteration != kNone).add(us(operation->event.duration()));
    }
    // copy_fixed, and microseconds per megabyte each way
    LeastSquares<3> equations;
    equations.expect(0, fit_.numbers.value(Number::CopyFixed), 2);
    for (const std::size_t way : {1u, 2u}) equations.expect(way, 1e3 / 14, 1e3 / 14);
    for (const auto& [size, samples] : by_size) {
      const double mean = samples.mean(), megabytes = size.second / 1e6;
      const double sigma = std::max(samples.relative(std::max(spread_, 0.01)) / 2, 1e-4) * mean + kResolution;
      equations.add({1, size.first ? megabytes : 0, size.first ? 0 : megabytes}, mean, sigma);
    }
    const auto answer = equations.solve();
    take(Number::CopyFixed, answer.value[0], answer.sigma[0]);
    take_rate(Number::H2dPinned, answer.value[1], answer.sigma[1]);
    take_rate(Number::D2hPinned, answer.value[2], answer.sigma[2]);
    for (const auto& [number, reached] :
         {std::pair(Number::H2dPinned, slowest[0]), std::pair(Number::D2hPinned, slowest[1])}) {
      Numbers& open = fit_.numbers;
      if (open.known(number) || reached <= open.slow(number)) continue;
      open.narrow(number, std::max(open.value(number), 1.5 * reached), std::max(open.fast(number), 4 * reached),
                  reached);
    }
    // A link is about as fast in both directions.
    constexpr double kAlike = 0.1;
    Numbers& n = fit_.numbers;
    for (const auto& [a, b] :
         {std::pair(Number::H2dPinned, Number::D2hPinned), {Number::D2hPinned, Number::H2dPinned}}) {
      if (n.known(a) && !n.known(b)) {
        n.narrow(b, n.value(a), n.fast(a) * (1 + kAlike), n.slow(a) * (1 - kAlike));
        break;
      }
    }
  }

  void take(Number number, double value, double sigma) {
    if (std::abs(value) < 5 * kResolution && sigma < 5 * kResolution) return fit_.numbers.measured(number, 0, 0);
    const double relative = value > 0 ? 2 * sigma / value : 1;
    if (relative < kUnsure) fit_.numbers.measured(number, value, relative);
  }
  /// Takes a rate from a value in microseconds per megabyte.
  void take_rate(Number number, double value, double sigma) {
    const double relative = value > 0 ? 2 * sigma / value : 1;
    if (relative < kUnsure) fit_.numbers.measured(number, 1e3 / value, relative);
  }

  // The CPU's side of copies from and to pageable memory.
  void fit_staging() {
    TwoSamples plain, upload, download;
    std::map<double, TwoSamples> inlined;
    const double fixed = fit_.numbers.value(Number::CopyFixed);
    const double per_byte = 1e-3 / fit_.numbers.value(Number::D2hPinned);
    for (const auto& [call, operation, copy] : copies_) {
      const bool here = call->iteration != kNone;
      if (is_inline(copy)) {
        inlined[copy.bytes].of(here).add(us(call->parts.own));
        continue;
      }
      plain.of(here).add(us(call->parts.own));
      if (copy.memory != MemoryKind::Pageable || call->parts.copying <= 0) continue;
      if (copy.upload) {
        upload.of(here).add(us(call->parts.copying) / copy.bytes);
      } else if (copy.bytes > static_cast<double>(kInlineLimit)) {
        const double first = fixed + std::min(copy.bytes, kStagingChunk) * per_byte;
        download.of(here).add((us(call->parts.copying) - first) / copy.bytes);
      }
    }
    LeastSquares<2> equations;  // memcpy, and microseconds per megabyte that the CPU copies in the call
    const Numbers& n = fit_.numbers;
    equations.expect(0, n.value(Number::Memcpy), (n.slow(Number::Memcpy) - n.fast(Number::Memcpy)) / 4);
    equations.expect(1, 1e3 / 6, 1e3 / 12);
    const auto add = [&](const TwoSamples& samples, double bytes_in_call, double copying) {
      if (samples.empty()) return;
      const double sigma = std::max(samples.relative(std::max(spread_, 0.01)) / 2, 1e-4) * samples.mean() + kResolution;
      equations.add({copying, bytes_in_call / 1e6}, samples.mean(), sigma);
    };
    add(plain, 0, 1);
    for (const auto& [bytes, samples] : inlined) add(samples, bytes, 1);
    if (!upload.empty()) {
      const double per_megabyte = upload.mean() * 1e6;
      equations.add({0, 1}, per_megabyte, std::max(upload.relative(std::max(spread_, 0.01)) / 2, 1e-4) * per_megabyte);
    }
    const auto answer = equations.solve();
    take(Number::Memcpy, answer.value[0], answer.sigma[0]);
    take_rate(Number::H2dPageable, answer.value[1], answer.sigma[1]);
    if (!download.empty() && download.mean() > 0) {
      fit_.numbers.measured(Number::D2hPageable, 1e-3 / download.mean(), download.relative(std::max(spread_, 0.01)));
    }
  }

  // From the end of a call until its work begins, if nothing else delayed it.
  void fit_latencies() {
    TwoSamples kernels, copies;
    double most_kernel = fit_.numbers.slow(Number::LaunchLatency), most_copy = fit_.numbers.slow(Number::CopyLatency);
    for (const RecordedCall& call : recording_.calls) {
      const RecordedOperation* operation = operation_of(call);
      if (operation == nullptr) continue;
      const bool kernel = call.is(CudaCall::LaunchKernel);
      if (!kernel && !is_copy(operation)) continue;
      if (!kernel) {
        const Copy copy = copy_of(*operation);
        const bool staged = copy.upload && copy.memory == MemoryKind::Pageable && !is_inline(copy);
        if (staged) continue;
      }
      const Nanoseconds called = call.blocking ? call.own_end() : call.end;
      const double latency = std::max(0.0, us(operation->event.start_ns - called));
      double& most = kernel ? most_kernel : most_copy;
      most = std::min(most, latency);
      if (operation->event.start_ns > operation->before && operation->before <= called) {
        (kernel ? kernels : copies).of(call.iteration != kNone).add(latency);
      }
    }
    take_latency(Number::LaunchLatency, kernels.best(), most_kernel);
    take_latency(Number::CopyLatency, copies.best(), most_copy);
  }

  void take_latency(Number number, const Samples& samples, double most) {
    if (!samples.empty()) return fit_.numbers.measured(number, samples.median(), 0);
    fit_.numbers.narrow(number, std::min(fit_.numbers.value(number), most), 0, most);
  }

  // A launch that had to wait found the queue full.
  void fit_queue() {
    Samples depths;
    std::vector<Nanoseconds> ends;
    for (const RecordedCall& call : recording_.calls) {
      const RecordedOperation* operation = operation_of(call);
      if (operation == nullptr) continue;
      if (call.is(CudaCall::LaunchKernel) && call.blocking && call.parts.waiting > 0 && depths.size() < 32) {
        depths.add(static_cast<double>(
            std::count_if(ends.begin(), ends.end(), [&](Nanoseconds end) { return end > call.own_end(); })));
      }
      ends.push_back(operation->event.end_ns);
      constexpr std::size_t kMost = 4096;
      if (ends.size() > 2 * kMost) ends.erase(ends.begin(), ends.end() - kMost);
    }
    if (depths.size() >= 3 && depths.median() >= 1) fit_.numbers.measured(Number::QueueDepth, depths.median(), 0);
  }

  void take_probed() {
    for (const calibration::ProbedNumber& probed : probe_->numbers) {
      const std::size_t which = number_named(probed.key);
      if (which == kNumbers || fit_.numbers.known(static_cast<Number>(which)) || probed.relative >= kUnsure) continue;
      fit_.numbers.measured(static_cast<Number>(which), probed.value, probed.relative, Basis::Probed);
    }
  }

  struct RecordedCopy {
    const RecordedCall* call;
    const RecordedOperation* operation;
    Copy copy;
  };
  const Recording& recording_;
  const device::DeviceInfo& device_;
  const calibration::QuickProbe* const probe_;
  Fit fit_;
  double spread_ = 0.1;
  std::array<TwoSamples, device::kCudaCalls> own_;
  std::vector<RecordedCopy> copies_;
};

}  // namespace

Fit fit_calls(const Recording& recording, const device::DeviceInfo& device, const calibration::QuickProbe* probe) {
  return CallFit(recording, device, probe).run();
}

Machine at_the_end(const Fit& fit, double where) {
  Machine machine = fit.machine;
  for (const OpenNumber& open : fit.open) open.set(machine, where);
  return machine;
}

}  // namespace lanescope::prediction
