// Fits what only a comparison with the workload shows: matches the recorded calls, one by one, with those that it makes
// here.
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/translate.h"
#include "prediction/fit.h"
#include "prediction/least_squares.h"

namespace lanescope::prediction {
namespace {

double program_us(Nanoseconds ns) { return static_cast<double>(ns) / 1e3; }

// Calls that the program makes or not, depending on the GPU's progress.
bool is_left_out(std::size_t api) {
  return api == kOtherApi || api == static_cast<std::size_t>(CudaCall::EventQuery) ||
         api == static_cast<std::size_t>(CudaCall::EventCreate) || api == static_cast<std::size_t>(CudaCall::HostAlloc);
}

constexpr auto kEventSynchronize = static_cast<std::size_t>(CudaCall::EventSynchronize);

/// A call, or the calls that a library made for one op, and the time outside of calls since the previous step.
struct Step {
  std::size_t first = kNone, last = kNone;  ///< the calls [first, last) of the stretch; kNone: the end of the iteration
  Nanoseconds gap = 0;
  bool missing = false;  ///< the recorded program did not need this call
};

class Steps {
 public:
  Steps(const Recording& recording, std::span<const RecordedCall> calls, Nanoseconds start, Nanoseconds end)
      : recording_(recording), calls_(calls), at_(start), end_(end) {}

  /// Cuts the stretch into one step per issue; the last step is the end. Empty if the calls are those of another
  /// program.
  std::vector<Step> cut(std::span<const Issue> issues) {
    for (std::size_t i = 0; i + 1 < issues.size();) {
      pass_what_is_left_out();
      const Issue& issue = issues[i];
      if (next_ == calls_.size()) {
        if (issue.api != kEventSynchronize) return {};
        steps_.push_back({kNone, kNone, 0, true});
        ++i;
        continue;
      }
      if (issue.api == static_cast<std::size_t>(CudaCall::LaunchKernel) && ops::is_gemm(issue.op.kind) &&
          is_foreign(next_)) {
        std::size_t products = 1;
        while (i + products + 1 < issues.size() && is_product(issues[i + products])) ++products;
        if (!take_library_calls(products)) return {};
        i += products;
        continue;
      }
      const RecordedCall& call = calls_[next_];
      if (call.api != issue.api) {
        // `if not event.query(): event.synchronize()`
        if (issue.api == kEventSynchronize) {
          steps_.push_back({kNone, kNone, 0, true});
          ++i;
        } else if (call.api == kEventSynchronize) {
          pass(call);
          ++next_;
        } else {
          return {};
        }
        continue;
      }
      if (const auto kind = kind_of(next_); kind && *kind != issue.op.kind) return {};
      take(next_, next_ + 1);
      ++i;
    }
    pass_what_is_left_out();
    while (next_ < calls_.size() && calls_[next_].api == kEventSynchronize) {
      pass(calls_[next_++]);
      pass_what_is_left_out();
    }
    if (next_ != calls_.size()) return {};
    steps_.push_back({kNone, kNone, gap_ + std::max<Nanoseconds>(0, end_ - at_), false});
    return std::move(steps_);
  }

 private:
  static bool is_product(const Issue& issue) {
    return issue.api == static_cast<std::size_t>(CudaCall::LaunchKernel) && ops::is_gemm(issue.op.kind);
  }
  const RecordedOperation* kernel_of(std::size_t c) const {
    if (calls_[c].operation == kNone) return nullptr;
    const RecordedOperation& operation = recording_.operations[calls_[c].operation];
    return operation.event.kind == trace::EventKind::Kernel ? &operation : nullptr;
  }
  std::optional<ops::OpKind> kind_of(std::size_t c) const {
    const RecordedOperation* kernel = kernel_of(c);
    return kernel != nullptr ? kernel->kind : std::nullopt;
  }
  /// The call launches a kernel of a library.
  bool is_foreign(std::size_t c) const { return kernel_of(c) != nullptr && !kind_of(c); }

  void pass_what_is_left_out() {
    while (next_ < calls_.size() && is_left_out(calls_[next_].api) && !is_foreign(next_)) {
      const RecordedCall& call = calls_[next_];
      pass(call);
      if (call.api == kOtherApi) gap_ += call.end - call.start;  // counts as the program's own time
      ++next_;
    }
  }
  void pass(const RecordedCall& call) {
    gap_ += std::max<Nanoseconds>(0, call.start - at_);
    at_ = std::max(at_, call.end);
  }
  void take(std::size_t first, std::size_t last) {
    pass(calls_[first]);
    steps_.push_back({first, last, std::exchange(gap_, 0), false});
    at_ = std::max(at_, calls_[last - 1].end);
    next_ = last;
  }

  // Takes the kernels of this many matrix products. A product may consist of several kernels: the first may broadcast
  // the bias, and the last ones add up the parts.
  bool take_library_calls(std::size_t products) {
    std::vector<std::size_t> heads;
    std::size_t c = next_;
    bool prepared = false;
    for (; c < calls_.size(); ++c) {
      if (is_foreign(c)) {
        const std::string_view name = recording_.operations[calls_[c].operation].name;
        const auto has = [&](const char* part) { return name.find(part) != std::string_view::npos; };
        const bool adds = has("split_k_kern") || has("splitKreduce");
        if (!adds && !prepared) heads.push_back(c);
        prepared = has("bias_broadcast");
      } else if (!is_left_out(calls_[c].api)) {
        break;
      }
    }
    if (heads.size() != products) return false;
    while (c > next_ && !is_foreign(c - 1)) --c;
    heads.push_back(c);
    for (std::size_t h = 0; h + 1 < heads.size(); ++h) take(heads[h], heads[h + 1]);
    return true;
  }

  const Recording& recording_;
  std::span<const RecordedCall> calls_;
  Nanoseconds at_, end_, gap_ = 0;
  std::size_t next_ = 0;
  std::vector<Step> steps_;
};

/// The requested calls without those that is_left_out() names; the bytes of a left-out call are added to the next one.
std::vector<Issue> issues_of(std::span<const Issue> issues) {
  std::vector<Issue> kept;
  Issue carried;
  for (Issue issue : issues) {
    issue.host_bytes += carried.host_bytes;
    issue.host_fresh += carried.host_fresh;
    issue.waited |= carried.waited;
    carried = {};
    if (issue.api != kOtherApi && is_left_out(issue.api)) {
      carried = issue;
      continue;
    }
    kept.push_back(issue);
  }
  return kept;
}

class ProgramFit {
 public:
  ProgramFit(Fit& fit, const Recording& recording, const Simulation& shadow)
      : fit_(fit), recording_(recording), shadow_(shadow), spread_(fit.machine.profile.jitter_spread) {
    const auto [from, to] = shadow.trace->extent();
    shadow_recording_ = read_recording(*shadow.trace, from, to + 1);
  }

  void run() {
    align_iterations();
    align_setup();
    fit_gaps();
    fit_downloads();
    fit_tasks();
    fit_cores();
    fit_pinning();
    fit_kernels();
    fit_.numbers.write_to(fit_.machine.profile);
    for (OpenNumber& open : fit_.numbers.open()) fit_.open.push_back(std::move(open));
  }

 private:
  /// Compares a recorded stretch with what the workload requested in it.
  bool align(const Recording& shadow, std::span<const RecordedCall> calls, Nanoseconds start, Nanoseconds end,
             std::span<const RecordedCall> shadow_calls, Nanoseconds shadow_start, Nanoseconds shadow_end,
             std::span<const Issue> issues, bool here) {
    std::vector<Issue> asked = issues_of(issues);
    if (asked.empty() || asked.back().api != kOtherApi) asked.push_back({});
    const std::vector<Step> steps = Steps(recording_, calls, start, end).cut(asked);
    const std::vector<Step> shadows = Steps(shadow, shadow_calls, shadow_start, shadow_end).cut(asked);
    if (steps.empty() || shadows.empty()) return false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      const Issue& issue = asked[i];
      if (step.missing || shadows[i].missing) continue;
      double gap = program_us(step.gap - shadows[i].gap);
      if (step.first != kNone) {
        const auto own = calls.subspan(step.first, step.last - step.first);
        if (issue.api == static_cast<std::size_t>(CudaCall::LaunchKernel)) take_kernels(issue.op, own, here);
        if (own.size() > 1) gap += program_us(own.back().end - own.front().start) - fit_.numbers.value(Number::Launch);
        if (issue.download > 0) downloads_.push_back({issue.download, issue.fresh_download});
      }
      if (issue.waited) continue;
      if (issue.host_bytes == 0 && here) extra_[place_of(issue)].add(gap);
      if (issue.host_bytes > 0) wrote_[{issue.host_bytes, issue.host_fresh, place_of(issue)}].of(here).add(gap);
    }
    return true;
  }
  /// The index for the program's own time: by call, for launches by op, and one for the end of an iteration.
  static std::size_t place_of(const Issue& issue) {
    if (issue.api != static_cast<std::size_t>(CudaCall::LaunchKernel)) return issue.api;
    return kOtherApi + 1 + static_cast<std::size_t>(issue.op.kind);
  }
  Nanoseconds& spent_at(std::size_t place) {
    if (place < kOtherApi) return fit_.machine.before_call[place];
    return place == kOtherApi ? fit_.machine.after_iteration : fit_.machine.before_launch[place - kOtherApi - 1];
  }

  /// Takes the total time of all kernels of one op.
  void take_kernels(const ops::Op& op, std::span<const RecordedCall> calls, bool here) {
    double sum = 0;
    for (const RecordedCall& call : calls) {
      if (call.operation == kNone) continue;
      const RecordedOperation& operation = recording_.operations[call.operation];
      if (operation.event.kind != trace::EventKind::Kernel) continue;
      sum += program_us(operation.event.duration());
      // The GPU's own pause between two kernels, if the second was launched well before the first ended.
      const Nanoseconds there = call.end + 10 * base::kMicrosecond;
      if (here && operation.before > there && operation.event.start_ns >= operation.before) {
        pauses_.add(program_us(operation.event.start_ns - operation.before));
      }
    }
    if (sum <= 0) return;
    auto known = std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& k) { return same(k.op, op); });
    if (known == kernels_.end()) known = kernels_.insert(known, {op, {}, calls.size()});
    known->samples.of(here).add(sum);
  }
  static bool same(const ops::Op& a, ops::Op b) {
    if (a.kind != ops::OpKind::Spin) b.scalar = a.scalar;
    return a == b;
  }

  void align_iterations() {
    const std::size_t n =
        std::min({recording_.iterations.size(), shadow_recording_.iterations.size(), shadow_.iterations()});
    // The first iteration is like the others only in its calls, so its times do not count as theirs.
    for (std::size_t i = 0; i < n; ++i) {
      const RecordedIteration &r = recording_.iterations[i], &s = shadow_recording_.iterations[i];
      const std::span issues(shadow_.issues.data() + shadow_.begins[i], shadow_.begins[i + 1] - shadow_.begins[i]);
      const bool aligned = align(shadow_recording_, recording_.calls_of(r), r.start,
                                 i + 1 < n ? recording_.iterations[i + 1].start : r.end, shadow_recording_.calls_of(s),
                                 s.start, i + 1 < n ? shadow_recording_.iterations[i + 1].start : s.end, issues, i > 0);
      if (aligned) ++fit_.aligned;
    }
  }

  void align_setup() {
    if (recording_.setup_calls == 0 || shadow_recording_.setup_calls == 0 || shadow_.begins.empty()) return;
    const std::span calls(recording_.calls.data(), recording_.setup_calls);
    const std::span shadow_calls(shadow_recording_.calls.data(), shadow_recording_.setup_calls);
    const std::span issues(shadow_.issues.data(), shadow_.begins.front());
    setup_aligned_ = align(shadow_recording_, calls, recording_.setup_start, recording_.setup_end, shadow_calls,
                           shadow_recording_.setup_start, shadow_recording_.setup_end, issues, false);
  }

  // The program's own CPU time: before each call, and for the memory that it writes.
  void fit_gaps() {
    constexpr double kNothing = 0.005;  // microseconds
    for (std::size_t place = 0; place < extra_.size(); ++place) {
      if (extra_[place].empty()) continue;
      const double each = extra_[place].mean();
      if (each > kNothing) spent_at(place) = base::from_us(each);
    }
    LeastSquares<2> equations;  // microseconds per megabyte written, and per megabyte of fresh pages
    equations.expect(0, 1e3 / 10, 1e3 / 10);
    equations.expect(1, 80, 80);
    for (const auto& [key, samples] : wrote_) {
      const auto& [bytes, fresh, place] = key;
      const Samples& best = samples.best();
      const double spent = samples.mean() - base::to_us(spent_at(place));
      constexpr double kLeast = 0.2;  // microseconds; less than this is not due to memory
      if (spent < kLeast) continue;
      const double sigma =
          std::max({0.002 * spent, 0.001, best.spread() * spent / std::sqrt(6.0 * static_cast<double>(best.size()))});
      equations.add({static_cast<double>(bytes) / 1e6, static_cast<double>(fresh) / (1 << 20)}, spent, sigma);
    }
    const auto answer = equations.solve();
    take(Number::HostMemory, 1e3 / answer.value[0], answer.sigma[0] / answer.value[0]);
    take(Number::PageFault, answer.value[1], answer.sigma[1] / answer.value[1]);
  }

  void take(Number number, double value, double relative_sigma) {
    constexpr double kUnsure = 0.5;
    if (value > 0 && relative_sigma >= 0 && 2 * relative_sigma < kUnsure) {
      fit_.numbers.measured(number, value, 2 * relative_sigma);
    }
  }

  // Fresh memory slows the CPU's side of a copy from the GPU.
  void fit_downloads() {
    double bytes = 0, fresh = 0;
    for (const Download& d : downloads_) {
      bytes += static_cast<double>(d.bytes);
      fresh += static_cast<double>(d.fresh);
    }
    Numbers& n = fit_.numbers;
    if (fresh <= 0 || !n.known(Number::D2hPageable)) return;
    // The fitted rate includes both the copy and the page faults.
    const double together = 1e3 / n.value(Number::D2hPageable);  // microseconds per megabyte
    const double pages = fresh / bytes * 1e6 / (1 << 20);
    const double faults = std::min(n.value(Number::PageFault) * pages, 0.8 * together);
    const double rest = together - faults;
    if (!n.assumed(Number::PageFault)) return n.measured(Number::D2hPageable, 1e3 / rest, 0);
    n.measured(Number::D2hPageable, 1e3 / rest, 0);
    n.measured(Number::PageFault, faults / pages, 0);  // so that the sum of both stays the same
    fit_.open.push_back({base::tr("how much of a copy to fresh memory is spent on page faults"),
                         Basis::Assumed,
                         {},
                         0,
                         0,
                         0,
                         [=](Machine& m, double where) {
                           const double part = between(where, 0.8 * together, faults, 0.05 * together);
                           m.profile.cpu.page_fault_us_per_mib = part / pages;
                           m.profile.link.d2h_pageable_gb_per_s = 1e3 / (together - part);
                         }});
  }

  // If more threads work than there are cores, they slow each other down. Finds how many cores get the work done in the
  // recorded time.
  void fit_cores() {
    std::map<std::string, Samples> work;
    const double per_byte = 1e-3 / fit_.numbers.value(Number::HostMemory);
    for (const IssuedTask& task : shadow_.tasks) {
      work[task.name].add(program_us(task.busy) + static_cast<double>(task.bytes) * per_byte);
    }
    std::vector<std::pair<Nanoseconds, int>> changes;
    double all = 0;
    for (const RecordedTask& task : recording_.tasks) {
      all += work[task.name].mean();
      changes.emplace_back(task.start, 1);
      changes.emplace_back(task.end, -1);
    }
    if (changes.empty() || fit_.numbers.known(Number::Cores)) return;
    std::sort(changes.begin(), changes.end());
    const auto done_by = [&](double cores) {
      double done = 0, at_work = 0;
      for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
        at_work += changes[i].second;
        done += std::min(at_work, cores) * program_us(changes[i + 1].first - changes[i].first);
      }
      return done;
    };
    const auto most = static_cast<double>(recording_.most_tasks_at_once);
    constexpr double kSlowed = 1.01;
    if (done_by(most) < kSlowed * all) {
      // This many threads did not slow each other down.
      if (!fit_.numbers.assumed(Number::Cores)) return;
      fit_.numbers.narrow(Number::Cores, std::max(16.0, most), 256, std::max(4.0, most));
      return;
    }
    double cores = 1;
    while (cores < most && done_by(cores + 0.25) < all) cores += 0.25;
    fit_.numbers.measured(Number::Cores, std::round(cores), 0);
  }

  void fit_tasks() {
    std::map<std::string, std::pair<Samples, Samples>> by_name;  // recorded; bytes
    std::map<std::string, Samples> busy;
    for (const RecordedTask& task : recording_.tasks) by_name[task.name].first.add(program_us(task.end - task.start));
    for (const IssuedTask& task : shadow_.tasks) {
      by_name[task.name].second.add(static_cast<double>(task.bytes));
      busy[task.name].add(program_us(task.busy));
    }
    if (fit_.numbers.known(Number::HostMemory)) return;
    for (const auto& [name, samples] : by_name) {
      const auto& [recorded, bytes] = samples;
      if (recorded.empty() || bytes.empty() || bytes.mean() <= 0) continue;
      const double copying = recorded.mean() - busy[name].mean();
      const double off =
          2 * busy[name].spread() * busy[name].mean() / std::sqrt(6.0 * static_cast<double>(recorded.size()));
      if (copying > 0) take(Number::HostMemory, bytes.mean() / copying * 1e-3, off / copying + 0.002);
    }
  }

  void fit_pinning() {
    LeastSquares<2> equations;
    equations.expect(0, fit_.numbers.value(Number::HostAlloc), 60);
    equations.expect(1, fit_.numbers.value(Number::HostAllocPerMib), 200);
    std::vector<const RecordedCall*> recorded;
    std::vector<double> bytes;
    for (const RecordedCall& call : recording_.calls) {
      if (call.is(CudaCall::HostAlloc)) recorded.push_back(&call);
    }
    for (const Issue& issue : shadow_.issues) {
      if (issue.api == static_cast<std::size_t>(CudaCall::HostAlloc)) bytes.push_back(static_cast<double>(issue.bytes));
    }
    if (!setup_aligned_ || recorded.empty()) return;
    for (std::size_t i = 0; i < std::min(recorded.size(), bytes.size()); ++i) {
      const double spent = program_us(recorded[i]->parts.own);
      equations.add({1, bytes[i] / (1 << 20)}, spent, std::max(spread_ / 2, 0.005) * spent);
    }
    const auto answer = equations.solve();
    take(Number::HostAlloc, answer.value[0], answer.sigma[0] / answer.value[0]);
    take(Number::HostAllocPerMib, answer.value[1], answer.sigma[1] / answer.value[1]);
  }

  void fit_kernels() {
    const double pause = pauses_.empty() ? 0 : pauses_.median();
    for (const Kernel& kernel : kernels_) {
      const double each = kernel.samples.mean() + pause * static_cast<double>(kernel.count);
      fit_.ops.push_back({kernel.op, each * 1e3, kernel.samples.relative(std::max(spread_, 0.02))});
      const std::size_t index = fit_.machine.ops.size();
      fit_.machine.ops.push_back({kernel.op, base::from_us(each)});
      const double off = std::min(fit_.ops.back().relative, 0.9);
      fit_.open.push_back({base::tr("how long its kernels take"),
                           Basis::Recorded,
                           {},
                           each,
                           each * (1 - off),
                           each * (1 + off),
                           [=](Machine& machine, double where) {
                             machine.ops[index].cost =
                                 base::from_us(between(where, each * (1 - off), each, each * (1 + off)));
                           }});
    }
  }

  struct Kernel {
    ops::Op op;
    TwoSamples samples;
    std::size_t count;  ///< of kernels
  };
  struct Download {
    std::size_t bytes, fresh;
  };
  Fit& fit_;
  const Recording& recording_;
  const Simulation& shadow_;
  Recording shadow_recording_;
  const double spread_;
  bool setup_aligned_ = false;
  std::array<Samples, kOtherApi + 1 + device::sim::kOpKinds> extra_;
  Samples pauses_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, TwoSamples> wrote_;  // bytes, fresh, the next call
  std::vector<Kernel> kernels_;
  std::vector<Download> downloads_;
};

}  // namespace

void fit_program(Fit& fit, const Recording& recording, const Simulation& shadow, const device::DeviceInfo&) {
  ProgramFit(fit, recording, shadow).run();
}

}  // namespace lanescope::prediction
