#include "prediction/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <initializer_list>
#include <optional>
#include <set>
#include <utility>

#include "analysis/evidence.h"
#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"
#include "prediction/fit.h"
#include "prediction/open_effects.h"
#include "prediction/recording.h"
#include "prediction/simulation.h"
#include "workload/common_settings.h"
#include "workload/graphed_step.h"
#include "workload/workload.h"

namespace lanescope::prediction {
namespace {

using base::tr;

// The longest period to look for: with occasional reads, windows or epochs, the work repeats only after many
// iterations.
constexpr std::size_t kMostPeriod = 1500;
constexpr std::size_t kMostSimulated = 3600;
constexpr std::size_t kEnough = 300;           // iterations of a loop that is always the same
constexpr std::size_t kShortCopy = 64 * 1024;  // travels in the command queue
constexpr double kAlikeSizes = 1.5;            // copies whose sizes differ by less reach the same rate

/// Why there is no prediction.
class Refusal {
 public:
  Refusal(std::string why, bool probe_may_help) : why_(std::move(why)), probe_may_help_(probe_may_help) {}
  const std::string& why() const { return why_; }
  bool probe_may_help() const { return probe_may_help_; }

 private:
  std::string why_;
  bool probe_may_help_;
};

[[noreturn]] void refuse(std::string why, bool probe_may_help = false) {
  throw Refusal(std::move(why), probe_may_help);
}

/// A simulated run, measured in the same way as a recorded one.
struct Outcome {
  Simulation simulation;
  Recording recording;
  double iteration_ns = 0;
  Stretch stretch;
};

class Predictor {
 public:
  Predictor(const Recorded& recorded, const std::atomic<bool>* stop, std::chrono::milliseconds budget)
      : recorded_(recorded), stop_(stop), budget_(budget) {}

  double measure() {
    if (!read()) return 0;
    fit_.emplace(fit_calls(recording_, recorded_.device));
    shadow();
    return measured_ns_;
  }

  void run(const workload::Settings& changed, Prediction& prediction) {
    if (!read()) {
      refuse(tr("only {} iterations are recorded; at least {} are needed", recording_.iterations.size(),
                kLeastIterations));
    }
    if (workload::uses_graph(recorded_.settings)) {
      refuse(tr("with a CUDA graph it is not told apart which kernel is which; a run without the graph shows it"));
    }
    const Prediction blank = prediction;
    std::optional<Refusal> refused;
    try {
      answer(changed, prediction, nullptr);
      if (assumed_ <= kProbeLimit) return;
    } catch (const Refusal& refusal) {
      if (!recorded_.probe || !refusal.probe_may_help()) throw;
      refused = refusal;
    }
    const auto probe = recorded_.probe ? recorded_.probe->with(worth_probing_) : std::nullopt;
    check_stop();
    if (probe) {
      prediction = blank;
      answer(changed, prediction, &*probe);
    } else if (refused) {
      throw Refusal(*refused);
    }
  }

 private:
  /// `probe`: what it measured, or null.
  void answer(const workload::Settings& changed, Prediction& prediction, const calibration::QuickProbe* probe) {
    probe_ = probe;
    fit_.emplace(fit_calls(recording_, recorded_.device, probe));
    const Simulation asked = shadow();
    prediction.measured_ns = measured_ns_;
    if (measured_ns_ <= 0) refuse(tr("the recorded iterations take no time"));
    fit_program(*fit_, recording_, asked, recorded_.device);
    if (2 * fit_->aligned < std::min(recording_.iterations.size(), asked.iterations())) {
      refuse(tr("the recorded calls are not those that {} makes with these settings", recorded_.workload));
    }
    now_iterations_ = recording_.iterations.size();
    if (period_ == 1 && !has_tasks_) now_iterations_ = kEnough;
    calibrate();
    Outcome now = simulated(fit_->machine, recorded_.settings, now_iterations_, period_);
    prediction.reproduced_ns = now.iteration_ns;
    prediction.fidelity_error = std::abs(now.iteration_ns - measured_ns_) / measured_ns_;
    find_scatter(now);
    // A measured time that is uncertain itself cannot be met more exactly.
    if (prediction.fidelity_error > std::clamp(wandered_, kFidelityLimit, kMostFidelityLimit)) {
      refuse(tr("the fitted machine is {:.1f} % off ({} instead of {})", 100 * prediction.fidelity_error,
                base::duration_text(now.iteration_ns), base::duration_text(measured_ns_)),
             true);
    }
    predict_change(changed, now, prediction);
  }

  void check_stop() const {
    if (stop_ != nullptr && *stop_) refuse(tr("it was stopped"));
  }

  bool read() {
    recording_ = read_recording(*recorded_.trace, recorded_.from_ns, recorded_.to_ns, stop_, recorded_.gpu);
    check_stop();
    if (recording_.several_gpus) refuse(tr("the program uses several GPUs, and only one is simulated"));
    if (recording_.iterations.size() < kLeastIterations) return false;
    if (recording_.calls.empty()) refuse(tr("no CPU call is recorded"));
    return true;
  }

  SimulationRequest request(const workload::Settings& settings, std::size_t iterations) const {
    SimulationRequest r;
    r.workload = recorded_.workload;
    r.settings = settings;
    r.first = recording_.iterations.front().number;
    r.iterations = iterations;
    r.budget = budget_;
    return r;
  }

  /// What the workload requests with these settings.
  Simulation asked_for(const workload::Settings& settings) const {
    std::size_t iterations = recording_.iterations.size();
    for (const workload::SettingSpec& spec : settings.specs()) {
      if (spec.type != workload::SettingType::Integer) continue;
      const std::int64_t value = settings.integer(spec.key);
      if (value > 1 && value <= static_cast<std::int64_t>(kMostPeriod)) {
        iterations = std::max(iterations, static_cast<std::size_t>(value) * 9 / 4 + 4);
      }
    }
    Machine machine = fit_->machine;
    machine.profile.cpu.memory_gb_per_s = 1e6;
    machine.profile.cpu.page_fault_us_per_mib = 0;
    SimulationRequest r = request(settings, std::min(iterations, kMostSimulated));
    r.jitter = false;
    Simulation simulation = simulate(machine, r, stop_);
    check_stop();
    return simulation;
  }

  Simulation shadow() {
    Simulation simulation = asked_for(recorded_.settings);
    period_ = period_of(simulation);
    has_tasks_ = !simulation.tasks.empty();
    const Stretch stretch = analysis::whole_periods(recording_.iterations.size(), period_);
    measured_ns_ = mean_iteration_ns(recording_.iterations, stretch);
    find_unsure();
    return simulation;
  }

  /// The time of each whole period, in ns.
  static std::vector<double> periods_of(const std::vector<RecordedIteration>& iterations, std::size_t period) {
    const Stretch stretch = analysis::whole_periods(iterations.size(), period);
    std::vector<double> periods;
    for (std::size_t i = stretch.first; i > 0 && i + period <= stretch.last; i += period) {
      periods.push_back(static_cast<double>(iterations[i + period - 1].done - iterations[i - 1].done));
    }
    return periods;
  }
  /// As a share of the mean; empty if there are too few periods.
  static std::optional<double> scatter_of(const std::vector<RecordedIteration>& iterations, std::size_t period) {
    const std::vector<double> periods = periods_of(iterations, period);
    double sum = 0;
    for (const double p : periods) sum += p;
    if (periods.size() < kFewestBlocks || sum <= 0) return std::nullopt;
    return scatter_of_mean(periods) * static_cast<double>(periods.size()) / sum;
  }

  bool on_real_device() const { return !recorded_.device.virtual_time && !recorded_.device.simulated; }

  void find_unsure() {
    constexpr double kLeast = 0.003, kMost = 0.05;
    unsure_ = std::clamp(scatter_of(recording_.iterations, period_).value_or(kMost), kLeast, kMost);
  }

  /// Sets scatter_ and wandered_ for the recorded run. With few whole periods, its iterations are compared with the
  /// same ones on the fitted machine, `now`: those of a data loader, say, differ by much more than the machine wanders.
  void find_scatter(const Outcome& now) {
    std::vector<double> values = periods_of(recording_.iterations, period_);
    double mean = 0;
    for (const double period : values) mean += period / static_cast<double>(values.size());
    if (values.size() < kFewestBlocks || mean <= 0) {
      values.clear();
      mean = measured_ns_;
      const auto &recorded = recording_.iterations, &fitted = now.recording.iterations;
      const auto took = [](const std::vector<RecordedIteration>& iterations, std::size_t i) {
        return static_cast<double>(iterations[i].done - iterations[i - 1].done);
      };
      const Stretch stretch = analysis::whole_periods(recorded.size(), period_);
      for (std::size_t i = std::max<std::size_t>(stretch.first, 1); i < std::min(stretch.last, fitted.size()); ++i) {
        values.push_back(took(recorded, i) - took(fitted, i));
      }
    }
    scatter_ = scatter_of_mean(values) / mean;
    wandered_ = on_real_device() ? scatter_of_next(values) / mean : 0;
  }

  Outcome simulated(const Machine& machine, const workload::Settings& settings, std::size_t iterations,
                    std::size_t period) const {
    return outcome_of(simulate(machine, request(settings, iterations), stop_), period);
  }

  Outcome outcome_of(Simulation simulation, std::size_t period) const {
    Outcome outcome;
    outcome.simulation = std::move(simulation);
    check_stop();
    const auto [from, to] = outcome.simulation.trace->extent();
    outcome.recording = read_recording(*outcome.simulation.trace, from, to + 1, stop_);
    check_stop();
    outcome.stretch = analysis::whole_periods(outcome.recording.iterations.size(), period);
    outcome.iteration_ns = mean_iteration_ns(outcome.recording.iterations, outcome.stretch);
    return outcome;
  }

  void predict_change(const workload::Settings& changed, const Outcome& now, Prediction& prediction) {
    const Simulation asked = asked_for(changed);
    has_tasks_ = has_tasks_ || !asked.tasks.empty();
    const std::size_t period = period_of(asked);
    prediction.period = period;
    const std::vector<ops::Op> ops = new_ops(*fit_, asked);
    worth_probing_ = worth_probing(*fit_, ops);
    fit_new_ops(*fit_, ops, probe_);
    std::size_t iterations = recording_.iterations.size();
    if (period == 1 && !has_tasks_) iterations = kEnough;
    if (iterations < period + period / 3 + 2) iterations = period + period / 3 + 2;
    const Outcome then = simulated(fit_->machine, changed, iterations, period);
    if (then.iteration_ns <= 0) refuse(tr("the changed loop takes too long to simulate"));
    find_range({recorded_.settings, period_}, {changed, period}, then, prediction);
    prediction.iteration_ns = then.iteration_ns;
    tell_stalls(now, then, prediction);
  }

  /// Settings, and after how many iterations the work repeats with them.
  struct Loop {
    const workload::Settings& settings;
    std::size_t period;
  };

  void find_range(const Loop& now, const Loop& changed, const Outcome& then, Prediction& prediction) {
    const TimeOn time = [&](const Machine& machine, bool with_change) {
      return quick(machine, with_change ? changed : now);
    };
    const OpenEffects effects = open_effects(*fit_, time, unsure_);
    const double then_ns = quick(fit_->machine, changed);
    const Span loose = loose_span(changed, then_ns);
    if (loose.width() > 2 * kOpenLimit) {
      refuse(tr("it depends on whether the work is already done when a wait begins, which is too close to call"), true);
    }
    assumed_ = effects.assumed.width();
    if (probe_ != nullptr && assumed_ > 2 * kOpenLimit) {
      refuse(tr("it depends on {}, which neither this run nor a probe of the device shows",
                effects.largest(Basis::Assumed)));
    }
    name_foreign(effects, prediction);
    const double scatter_then = scatter_of(then.recording.iterations, changed.period).value_or(scatter_);
    const Span again = again_span(changed, then_ns), other = other_size_span(then.recording, changed, then_ns);
    // What is uncertain about the recorded time, and what is not explained of it, may all be in what the change leaves.
    const double of_now = std::max(1.0, measured_ns_ / then.iteration_ns);
    const auto root = [&](std::initializer_list<double> effect_of_each) {
      const double off = of_now * std::hypot(prediction.fidelity_error, kModelError);
      const double recorded_scatter = of_now * scatter_;
      const double again_scatter = std::max(scatter_, scatter_then);
      double squares = recorded_scatter * recorded_scatter + again_scatter * again_scatter +
                       scatter_then * scatter_then + off * off + wandered_ * wandered_;
      for (const double effect : effect_of_each) squares += effect * effect;
      return std::sqrt(squares);
    };
    const double less = root({effects.measured.less, loose.less, again.less, other.less});
    const double more = root({effects.measured.more, loose.more, again.more, other.more});
    prediction.low_ns = then.iteration_ns * (1 + effects.assumed.less) * (1 - std::min(less, 1.0));
    prediction.high_ns = then.iteration_ns * (1 + effects.assumed.more) * (1 + more);
  }

  /// What is not from the recording and matters.
  void name_foreign(const OpenEffects& effects, Prediction& prediction) const {
    constexpr double kMatters = 0.001, kShare = 0.05;  // less than this share of the largest is not worth a word
    double largest = 0;
    for (const Effect& effect : effects.each) {
      if (effect.basis != Basis::Recorded) largest = std::max(largest, effect.span.width());
    }
    for (const Effect& effect : effects.each) {
      if (effect.basis == Basis::Recorded || effect.span.width() < std::max(kMatters, kShare * largest)) continue;
      for (const OpenNumber& open : fit_->open) {
        if (open.what != effect.what || open.basis != effect.basis) continue;
        const auto [low, high] = std::minmax(open.fast, open.slow);
        (effect.basis == Basis::Probed ? prediction.probed : prediction.assumed)
            .push_back({open.what, open.key, open.value, low, high});
      }
    }
  }

  /// Another run on a real machine: its CPU, and its GPU with its link, are a little faster or slower.
  Span again_span(const Loop& changed, double then_ns) const {
    Span both;
    if (!on_real_device()) return both;
    for (const bool cpu : {true, false}) {
      Span span;
      for (const double by : {1 - (cpu ? kAgainCpu : kAgainGpu), 1 + (cpu ? kAgainCpu : kAgainGpu)}) {
        span.include(
            quick(cpu ? with_cpu_times(fit_->machine, by) : with_gpu_times(fit_->machine, by), changed) / then_ns - 1);
      }
      both.less = -std::hypot(both.less, span.less);
      both.more = std::hypot(both.more, span.more);
    }
    return both;
  }

  /// On a real machine, longer and shorter copies reach other rates: the link has to wake up, and bytes of pageable
  /// memory are in a cache or are not. Does the changed loop make copies of a kind and a size that neither the
  /// recording nor the probe shows?
  Span other_size_span(const Recording& then, const Loop& changed, double then_ns) const {
    Span span;
    if (!on_real_device()) return span;
    const std::set<CopyShape> known = copies_in(recording_);
    const auto is_known = [&](const CopyShape& wanted) {
      const auto alike = [&](std::size_t bytes) {
        const auto [less, more] = std::minmax({bytes, wanted.bytes});
        return static_cast<double>(more) <= kAlikeSizes * static_cast<double>(less);
      };
      if (probe_ != nullptr && alike(calibration::kProbedCopyBytes)) return true;
      return std::ranges::any_of(known, [&](const CopyShape& other) {
        return other.upload == wanted.upload && other.pageable == wanted.pageable && alike(other.bytes);
      });
    };
    if (std::ranges::all_of(copies_in(then), is_known)) return span;
    for (const double by : {1 - kOtherSize, 1 + kOtherSize}) {
      span.include(quick(with_copy_times(fit_->machine, by), changed) / then_ns - 1);
    }
    return span;
  }

  struct CopyShape {
    bool upload = false, pageable = false;
    std::size_t bytes = 0;
    auto operator<=>(const CopyShape&) const = default;
  };
  static std::set<CopyShape> copies_in(const Recording& recording) {
    std::set<CopyShape> shapes;
    for (const RecordedOperation& operation : recording.operations) {
      if (operation.event.kind != trace::EventKind::Copy) continue;
      const trace::CopyTraits traits = trace::copy_traits_of(operation.event);
      const std::size_t bytes = trace::bytes_of(operation.event);
      const bool upload = traits.direction == trace::CopyDirection::HostToDevice;
      if (bytes <= kShortCopy || (!upload && traits.direction != trace::CopyDirection::DeviceToHost)) continue;
      shapes.insert({upload, (upload ? traits.source : traits.destination) == trace::MemoryKind::Pageable, bytes});
    }
    return shapes;
  }

  // On a machine with hardly any jitter, two things may happen at the same instant again and again, and which of them
  // is first may make a large difference. A little jitter shows this.
  Span loose_span(const Loop& then, double then_ns) const {
    constexpr double kHardly = 0.03, kUsual = 0.1, kNoise = 0.01;
    Span span;
    Machine machine = fit_->machine;
    if (machine.profile.jitter_spread >= kHardly) return span;
    machine.profile.jitter_spread = kUsual;
    const double moved = quick(machine, then, true) / then_ns - 1;
    if (std::abs(moved) > kNoise) span.include(2 * moved);
    return span;
  }

  /// The names of the open numbers, each once.
  std::vector<std::string> open_things() const {
    std::vector<std::string> things;
    for (const OpenNumber& open : fit_->open) {
      if (std::find(things.begin(), things.end(), open.what) == things.end()) things.push_back(open.what);
    }
    return things;
  }
  Machine with(const std::string& what, double where) const {
    Machine machine = fit_->machine;
    for (const OpenNumber& open : fit_->open) {
      if (open.what == what) open.set(machine, where);
    }
    return machine;
  }

  // The measured time of an iteration determines some of what is open: sets the number that moves this time most, so
  // that the machine reproduces it.
  void calibrate() {
    constexpr double kClose = 0.01;
    const double enough = std::max(kClose, unsure_) * measured_ns_;
    const auto now = [&](const Machine& machine) {
      return simulated(machine, recorded_.settings, now_iterations_, period_).iteration_ns;
    };
    const double now_ns = now(fit_->machine), missing = measured_ns_ - now_ns;
    if (std::abs(missing) < enough) return;
    const double end = missing < 0 ? -1 : 1;
    if ((now(at_the_end(*fit_, end)) - now_ns) * end < enough) return;  // the open numbers cannot explain it
    std::string best;
    double most = 0;
    for (const std::string& what : open_things()) {
      const double moved = (now(with(what, end)) - now_ns) * end;
      if (moved <= most) continue;
      most = moved;
      best = what;
    }
    if (most < enough) return;
    double low = 0, high = 1;
    for (int halving = 0; most > std::abs(missing) && halving < 6; ++halving) {
      const double middle = (low + high) / 2;
      ((now(with(best, middle * end)) - now_ns) * end > std::abs(missing) ? high : low) = middle;
    }
    fit_->machine = with(best, high * end);
  }
  /// Without jitter a few iterations are enough.
  double quick(const Machine& machine, const Loop& loop, bool jitter = false) const {
    constexpr std::size_t kFew = 40;
    // A data loader's queue is longer than that.
    const std::size_t few = has_tasks_ ? std::max(kFew, recording_.iterations.size()) : kFew;
    SimulationRequest r = request(loop.settings, std::max(few, loop.period + loop.period / 3 + 2));
    r.jitter = jitter;
    return outcome_of(simulate(machine, r, stop_), loop.period).iteration_ns;
  }

  void tell_stalls(const Outcome& now, const Outcome& then, Prediction& prediction) const {
    const auto gathered = [&](const Outcome& outcome) {
      const auto& iterations = outcome.recording.iterations;
      return analysis::gather(*outcome.simulation.trace, iterations[outcome.stretch.first].start,
                              iterations[outcome.stretch.last - 1].end, stop_);
    };
    const analysis::Evidence before = gathered(now), after = gathered(then);
    check_stop();
    const auto idle = [](const analysis::Evidence& evidence) {
      const Nanoseconds span = evidence.span_ns();
      return span > 0 ? 1 - static_cast<double>(evidence.summary.gpu_busy_ns) / static_cast<double>(span) : 0;
    };
    prediction.idle_now = idle(before);
    prediction.idle_then = idle(after);
    prediction.stalls = stalls_of(before, now.simulation.trace->names(), after, then.simulation.trace->names());
    prediction.sentence = stall_sentence(prediction.stalls, prediction.reproduced_ns);
  }

  const Recorded& recorded_;
  const std::atomic<bool>* const stop_;
  const std::chrono::milliseconds budget_;
  Recording recording_;
  std::optional<Fit> fit_;
  std::size_t period_ = 1, now_iterations_ = 0;
  double measured_ns_ = 0;
  /// Relative. wandered_: how far the speed of a real machine may be another in another run.
  double scatter_ = 0, wandered_ = 0, unsure_ = 0.003;
  double assumed_ = 0;  // the width that assumed numbers give the range, relative
  const calibration::QuickProbe* probe_ = nullptr;
  std::vector<ops::Op> worth_probing_;
  bool has_tasks_ = false;
};

bool is_workload(const std::string& name) {
  const std::vector<std::string> names = workload::workload_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_request(const Recorded& recorded) {
  if (!is_workload(recorded.workload)) {
    refuse(tr("the recorded program is not one that can be run here again"));
  }
  if (recorded.device.kind == device::DeviceKind::Cpu) {
    refuse(tr("the program runs on a CPU, and only GPUs are fitted"));
  }
  if (recorded.trace == nullptr) refuse(tr("nothing is recorded"));
  if (recorded.trace->recorded_in_parts()) refuse(tr("the program was recorded only in parts"));
}

}  // namespace

std::optional<Recorded> recorded_of(const trace::Trace& trace, const std::string& workload,
                                    const std::map<std::string, std::string>& settings,
                                    const device::DeviceInfo& device) {
  if (!is_workload(workload)) return std::nullopt;
  Recorded recorded;
  recorded.trace = &trace;
  recorded.workload = workload;
  recorded.device = device;
  try {
    recorded.settings = workload::default_settings(workload, device);
    for (const auto& [key, value] : settings) recorded.settings.set_text(key, value);
    workload::check_settings(workload, recorded.settings);
  } catch (const base::UsageError&) {
    return std::nullopt;
  }
  return recorded;
}

Prediction predict(const Recorded& recorded, const std::vector<std::string>& assignments, const std::atomic<bool>* stop,
                   std::chrono::milliseconds budget) {
  workload::Settings changed = recorded.settings;
  for (const std::string& assignment : assignments) changed.assign(assignment);
  Prediction prediction;
  prediction.settings = assignments;
  prediction.work =
      analysis::work_between(workload::batch_size_of(recorded.settings), workload::batch_size_of(changed));
  try {
    check_request(recorded);
    workload::check_settings(recorded.workload, changed);
    Predictor(recorded, stop, budget).run(changed, prediction);
  } catch (const Refusal& refusal) {
    prediction.refused = refusal.why();
  } catch (const base::UsageError&) {
    throw;
  } catch (const base::Error& error) {
    prediction.refused = tr("the loop cannot be simulated: {}", error.what());
  }
  return prediction;
}

std::string text_of(const Foreign& number) {
  constexpr double kExact = 0.01;
  const auto ends_with = [&](std::string_view end) { return number.key.ends_with(end); };
  const char* unit = ends_with("gb_per_s")                                            ? " GB/s"
                     : ends_with("us_per_mib")                                        ? " µs/MiB"
                     : ends_with("tflops")                                            ? " TFLOP/s"
                     : ends_with("cores") || ends_with("slots") || ends_with("depth") ? ""
                                                                                      : " µs";
  const std::string figure = number.high - number.low <= kExact * number.value
                                 ? fmt::format("{:.3g}", number.value)
                                 : tr("{:.3g} to {:.3g}", number.low, number.high);
  return number.value > 0 || number.high > 0 ? figure + unit : std::string();
}

double predicted_gain(const Prediction& prediction) {
  if (!prediction.refused.empty()) return 0;
  return analysis::factor_between(prediction.measured_ns, prediction.iteration_ns, prediction.work);
}

double measured_iteration_ns(const Recorded& recorded, const std::atomic<bool>* stop,
                             std::chrono::milliseconds budget) {
  try {
    check_request(recorded);
    return Predictor(recorded, stop, budget).measure();
  } catch (const Refusal&) {
    return 0;
  } catch (const base::UsageError&) {
    throw;
  } catch (const base::Error&) {
    return 0;
  }
}

}  // namespace lanescope::prediction
