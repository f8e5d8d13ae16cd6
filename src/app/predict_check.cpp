#include "app/predict_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "app/outputs.h"
#include "app/reports.h"
#include "app/table.h"
#include "base/error.h"
#include "base/platform/terminal.h"
#include "base/time.h"
#include "base/translate.h"
#include "device/catalogue.h"

namespace lanescope::app {
namespace {

using base::tr;
using experiment::MeasuredRun;
using Clock = std::chrono::steady_clock;

struct Loop {
  const char* workload;
  std::vector<std::string> settings;
  std::vector<std::vector<std::string>> changes;
};

const std::vector<Loop>& loops() {
  static const std::vector<Loop> kLoops{
      {"linear-mse",
       {"log_interval=1"},
       {{"log_interval=100"},
        {"log_interval=0"},
        {"feed=per-iteration"},
        {"batch_size=512"},
        {"timing=synchronized"},
        {"dispatch_us=20"}}},
      {"linear-mse",
       {"log_interval=0", "feed=per-iteration"},
       {{"pinned=true"}, {"feed=resident"}, {"log_interval=1"}, {"pinned=true", "non_blocking=true"}}},
      {"iris-mlp", {}, {{"log_interval=100"}, {"hook=reads"}, {"feed=per-iteration"}, {"batch_size=30"}}},
      {"transfer-loop",
       {"batch_size=100000"},
       {{"pinned=true"},
        {"pinned=true", "non_blocking=true"},
        {"pinned=true", "non_blocking=true", "copy_stream=side"},
        {"feed=resident"},
        {"features=6"},
        {"round_trip=true"}}},
      {"control-flow", {}, {{"branch=fixed"}, {"checks=5"}, {"batch_size=512"}, {"network=while-loop"}}},
      {"bandwidth", {}, {{"pinned=true"}, {"direction=d2h"}, {"fresh=true"}, {"bytes=4194304"}, {"pin_first=true"}}},
      {"bandwidth", {"direction=d2h"}, {{"pinned=true"}}},
      {"dataloader",
       {"num_workers=2", "samples=128", "load_ms=1", "model_ms=2"},
       {{"num_workers=4"}, {"pin_memory=true"}, {"storage=cached"}, {"persistent_workers=true"}, {"model_ms=4"}}},
      {"readback",
       {},
       {{"method=one-step-late"}, {"method=stacked"}, {"method=none"}, {"method=print"}, {"model_us=100"}}},
      {"plot-transfer", {}, {{"method=one-step-late"}, {"elements=100000"}, {"plot_interval=20"}, {"part=column"}}},
      {"break-even", {}, {{"problem_size=10000"}, {"batch_size=512"}, {"log_interval=0"}, {"hidden=256"}}},
      {"raw-cuda", {}, {{"copies=async"}, {"pinned=true"}, {"kernel_us=1000"}, {"n=250000"}}},
  };
  return kLoops;
}

/// How long a loop runs: so many iterations in virtual time; otherwise for about a second if it is recorded, and less
/// in each of the runs that verify.
struct Length {
  std::uint64_t least = 300, most = 300;
  std::chrono::milliseconds enough{0}, longest{0};
};
Length length_of(const std::string& workload, bool virtual_time, bool recorded) {
  using std::chrono::milliseconds;
  if (!virtual_time) return {60, 1'000'000, milliseconds(recorded ? 1000 : 300), milliseconds(4000)};
  const std::uint64_t iterations = workload == "bandwidth" ? 60 : workload == "dataloader" ? 192 : 300;
  return {iterations, iterations, milliseconds(0), milliseconds(0)};
}

/// Runs a loop; `least` iterations at least, if that does not take far too long.
std::unique_ptr<MeasuredRun> run_loop(session::SessionOptions options, const Length& length,
                                      const std::function<bool()>& should_stop) {
  options.iterations = length.most;
  auto run = std::make_unique<MeasuredRun>(options);
  std::uint64_t done = 0;
  std::optional<Clock::time_point> first;  // when the first iteration had ended, which loads code
  run->run(
      [&](std::uint64_t iterations) {
        done = iterations;
        if (!first && done > 0) first = Clock::now();
      },
      [&] {
        if (should_stop()) return true;
        if (length.longest.count() == 0 || !first) return false;
        const auto elapsed = Clock::now() - *first;
        return elapsed >= length.longest || (elapsed >= length.enough && done >= length.least);
      });
  return run;
}

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool is_verified(const CheckedPrediction& c) {
  return c.report.prediction.refused.empty() && !c.report.verified_ns.empty();
}

template <typename Of>
std::vector<double> of_verified(const PredictCheck& check, Of of) {
  std::vector<double> values;
  for (const CheckedPrediction& c : check.checked) {
    if (is_verified(c)) values.push_back(of(c.report));
  }
  return values;
}

double width_of(const PredictionReport& report) {
  return (report.prediction.high_ns - report.prediction.low_ns) / report.prediction.iteration_ns;
}

class Checker {
 public:
  Checker(const PredictCheckRequest& request, const std::function<bool()>& should_stop)
      : request_(request), should_stop_(should_stop), info_(device::describe_device(request.device)) {}

  CheckedPrediction check(const CheckedChange& change) {
    CheckedPrediction checked{change, {}, {}};
    PredictionReport& report = checked.report;
    report.asked_to_verify = true;
    report.prediction.settings = change.change;
    try {
      record(change);
      report.prediction = prediction::predict(recorded_of(*run_), change.change, nullptr, kPredictionBudget);
      if (report.prediction.refused.empty()) verify(change, report);
    } catch (const base::Error& error) {
      checked.failed = error.what();
    }
    return checked;
  }

 private:
  session::SessionOptions options_of(const CheckedChange& change) const {
    session::SessionOptions options;
    options.device = request_.device;
    options.workload = change.workload;
    options.assignments = change.settings;
    options.assignments.push_back(fmt::format("seed={}", request_.seed));
    return options;
  }

  /// The loop without the change; kept for further changes of the same loop.
  void record(const CheckedChange& change) {
    if (run_ && workload_ == change.workload && settings_ == change.settings) return;
    run_.reset();
    run_ = run_loop(options_of(change), length_of(change.workload, info_.virtual_time, true), should_stop_);
    workload_ = change.workload;
    settings_ = change.settings;
  }

  void verify(const CheckedChange& change, PredictionReport& report) {
    constexpr std::uint64_t kOtherSeed = 1000;  // so that the recorded run's jitter does not repeat
    session::SessionOptions options = options_of(change);
    options.assignments.insert(options.assignments.end(), change.change.begin(), change.change.end());
    if (info_.virtual_time) options.assignments.push_back(fmt::format("seed={}", request_.seed + kOtherSeed));
    Length length = length_of(change.workload, info_.virtual_time, false);
    length.least = std::max(length.least, report.prediction.period * 4 / 3 + 2);
    length.most = std::max(length.most, length.least);
    const session::SessionOptions unchanged = options_of(change);
    const auto time = [&](bool with_change) {
      const auto again = run_loop(with_change ? options : unchanged, length, should_stop_);
      return prediction::measured_iteration_ns(recorded_of(*again), nullptr, kPredictionBudget);
    };
    verify_in_turns(report, info_.virtual_time, time, should_stop_);
  }

  const PredictCheckRequest& request_;
  const std::function<bool()>& should_stop_;
  const device::DeviceInfo info_;
  std::unique_ptr<MeasuredRun> run_;
  std::string workload_;
  std::vector<std::string> settings_;
};

}  // namespace

const std::vector<CheckedChange>& changes_to_check() {
  static const std::vector<CheckedChange> kChanges = [] {
    std::vector<CheckedChange> all;
    for (const Loop& loop : loops()) {
      for (const std::vector<std::string>& change : loop.changes) all.push_back({loop.workload, loop.settings, change});
    }
    return all;
  }();
  return kChanges;
}

std::size_t PredictCheck::verified() const {
  return static_cast<std::size_t>(std::count_if(checked.begin(), checked.end(), is_verified));
}

std::size_t PredictCheck::refused() const {
  return static_cast<std::size_t>(std::count_if(checked.begin(), checked.end(),
                                                [](const auto& c) { return !c.report.prediction.refused.empty(); }));
}

std::size_t PredictCheck::in_range() const {
  return static_cast<std::size_t>(std::count_if(checked.begin(), checked.end(),
                                                [](const auto& c) { return is_verified(c) && c.report.in_range(); }));
}

double PredictCheck::median_width() const { return middle(of_verified(*this, width_of)); }

double PredictCheck::median_error() const {
  return middle(of_verified(*this, [](const PredictionReport& r) { return std::abs(r.error()); }));
}

double PredictCheck::worst_error() const {
  const std::vector<double> errors = of_verified(*this, [](const PredictionReport& r) { return std::abs(r.error()); });
  return errors.empty() ? 0 : *std::max_element(errors.begin(), errors.end());
}

PredictCheck check_predictions(const PredictCheckRequest& request, const std::function<bool()>& should_stop,
                               const std::function<void(const CheckedChange&)>& progress) {
  const auto until = Clock::now() + std::chrono::duration<double, std::ratio<60>>(request.minutes);
  const device::DeviceInfo info = device::describe_device(request.device);
  PredictCheck check;
  check.device = info.id;
  check.device_name = info.name;
  Checker checker(request, should_stop);
  for (const CheckedChange& change : changes_to_check()) {
    if (!request.workload.empty() && change.workload != request.workload) continue;
    if (should_stop() || Clock::now() > until) {
      ++check.left_out;
      continue;
    }
    if (progress) progress(change);
    check.checked.push_back(checker.check(change));
  }
  return check;
}

std::string predict_check_json(const PredictCheck& check) {
  Json all;
  all["device"] = check.device;
  all["device_name"] = check.device_name;
  all["verified"] = check.verified();
  all["in_range"] = check.in_range();
  all["refused"] = check.refused();
  all["left_out"] = check.left_out;
  all["median_width"] = check.median_width();
  all["median_error"] = check.median_error();
  all["worst_error"] = check.worst_error();
  all["changes"] = Json::array();
  for (const CheckedPrediction& c : check.checked) {
    Json change{{"workload", c.change.workload}, {"base", c.change.settings}, {"change", c.change.change}};
    change["failed"] = c.failed.empty() ? Json(nullptr) : Json(c.failed);
    change["prediction"] = prediction_json(c.report);
    all["changes"].push_back(std::move(change));
  }
  return written(all);
}

std::string predict_check_text(const PredictCheck& check, const Style& style) {
  std::string text = fmt::format("{}{}{}\n", style.bold, check.device_name, style.off);
  std::vector<std::vector<std::string>> rows{
      {tr("workload"), tr("change"), tr("now"), tr("predicted"), tr("range"), tr("measured"), ""}};
  for (const CheckedPrediction& c : check.checked) {
    const prediction::Prediction& p = c.report.prediction;
    std::vector<std::string> row{c.change.workload, fmt::format("{}", fmt::join(c.change.change, " "))};
    if (is_verified(c)) {
      const bool in = c.report.in_range();
      row.insert(row.end(), {base::duration_text(p.measured_ns), base::duration_text(p.iteration_ns),
                             fmt::format("{} – {}", base::duration_text(p.low_ns), base::duration_text(p.high_ns)),
                             base::duration_text(c.report.median_ns()),
                             fmt::format("{:+.1f} %{}", 100 * c.report.error(), in ? "" : tr(", out of range"))});
    } else {
      row.insert(row.end(), {"", "", "", "", !c.failed.empty() ? c.failed : p.refused});
    }
    rows.push_back(std::move(row));
  }
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += "  " + row[i];
      if (i + 1 < row.size()) text += std::string(widths[i] - display_width(row[i]), ' ');
    }
    text += '\n';
  }
  text += '\n';
  text +=
      tr("{} of {} predictions are in their range, {} refused; error {:.1f} % in the median, {:.1f} % at worst; "
         "ranges {:.1f} % wide in the median",
         check.in_range(), check.verified(), check.refused(), 100 * check.median_error(), 100 * check.worst_error(),
         100 * check.median_width());
  return text + '\n';
}

int run_predict_check(const PredictCheckRequest& request) {
  check_outputs({request.json});
  const base::Interrupt interrupt;
  const PredictCheck check = check_predictions(
      request, [&] { return interrupt.asked(); },
      [](const CheckedChange& change) { say(tr("checking {}: {}", change.workload, fmt::join(change.change, " "))); });
  if (!request.json.empty()) write_json(request.json, predict_check_json(check));
  if (request.json != "-") write_words(predict_check_text(check, style_for(stdout)));
  const auto promised = kPromisedCoverage * static_cast<double>(check.verified());
  return check.verified() > 0 && static_cast<double>(check.in_range()) >= promised ? 0 : 1;
}

}  // namespace lanescope::app
