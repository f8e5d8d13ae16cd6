#include "app/run_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "app/argument_checks.h"
#include "app/reports.h"
#include "app/table.h"
#include "app/terminal_output.h"
#include "base/error.h"
#include "base/platform/terminal.h"
#include "base/time.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "prediction/device_probe.h"
#include "prediction/predict.h"
#include "prediction/trials.h"
#include "workload/workload.h"

namespace lanescope::app {
namespace {

using base::tr;
using experiment::MeasuredRun;
using prediction::Prediction;

constexpr std::size_t kPredictionWidth = 100;

Json numbers_json(const std::vector<prediction::Foreign>& numbers) {
  Json list = Json::array();
  for (const prediction::Foreign& number : numbers) {
    list.push_back({{"what", number.what},
                    {"key", number.key},
                    {"value", number.value},
                    {"low", number.low},
                    {"high", number.high},
                    {"text", prediction::text_of(number)}});
  }
  return list;
}

std::vector<std::string> sentences_of(const std::vector<prediction::Foreign>& numbers) {
  std::vector<std::string> sentences;
  for (std::string& text : prediction::texts_of(numbers)) sentences.push_back(tr("{}.", text));
  return sentences;
}

}  // namespace

double PredictionReport::slower() const {
  if (unchanged_ns.empty() || prediction.measured_ns <= 0) return 1;
  return unchanged_ns[unchanged_ns.size() / 2] / prediction.measured_ns;
}

bool PredictionReport::in_range() const {
  const auto [least, most] = std::minmax({median_ns(), median_ns() / slower()});
  return prediction.low_ns <= most && least <= prediction.high_ns;
}

void verify_in_turns(PredictionReport& report, bool virtual_time, const std::function<double(bool changed)>& time,
                     const std::function<bool()>& should_stop) {
  const auto add = [&](std::vector<double>& times, bool changed) {
    if (should_stop()) return;
    if (const double ns = time(changed); ns > 0) times.push_back(ns);
  };
  const int runs = virtual_time ? 1 : 3;
  for (int i = 0; i < runs; ++i) {
    add(report.verified_ns, true);
    if (!virtual_time) add(report.unchanged_ns, false);
  }
  std::ranges::sort(report.verified_ns);
  std::ranges::sort(report.unchanged_ns);
}

prediction::Recorded recorded_of(const MeasuredRun& run) {
  prediction::Recorded recorded;
  recorded.trace = &run.trace();
  recorded.workload = run.facts().workload;
  recorded.settings = run.settings();
  recorded.device = run.device();
  if (recorded.device.kind == device::DeviceKind::Gpu) {
    const std::string device = recorded.device.id;  // the run has released it
    recorded.probe = prediction::probe_of(
        device, [device](std::span<const ops::Op> ops) { return prediction::probe_here(device, ops); });
  }
  return recorded;
}

std::optional<prediction::Recorded> recorded_of(const trace::Trace& trace, const trace::RunFacts& facts) {
  auto recorded = prediction::recorded_of(trace, facts.workload, facts.settings, experiment::device_of(facts));
  if (recorded) recorded->probe = prediction::probe_of_simulated(recorded->device);
  return recorded;
}

std::vector<std::optional<analysis::PredictedTrial>> trials_of(const prediction::Recorded& recorded,
                                                               const analysis::Advice& advice) {
  prediction::KnownPredictions known;
  std::vector<std::optional<analysis::PredictedTrial>> trials;
  for (const analysis::Card& card : advice.cards) {
    std::optional<analysis::PredictedTrial>& trial = trials.emplace_back();
    if (card.weight != analysis::Weight::Costs) continue;
    if (const auto best = prediction::best_trial(card, recorded, known, kPredictionBudget)) {
      const Prediction& p = best->prediction;
      trial = {.settings = best->trial.assignments,
               .work = best->trial.work,
               .gain = prediction::predicted_gain(p),
               .measured_ns = p.measured_ns,
               .iteration_ns = p.iteration_ns,
               .low_ns = p.low_ns,
               .high_ns = p.high_ns,
               .probed = prediction::texts_of(p.probed),
               .assumed = prediction::texts_of(p.assumed),
               .refused = p.refused};
    }
  }
  return trials;
}

PredictionReport predict_run(const MeasuredRun& run, const session::SessionOptions& options,
                             const std::vector<std::string>& assignments, bool verify,
                             const std::function<bool()>& should_stop) {
  PredictionReport report;
  report.asked_to_verify = verify;
  report.prediction = prediction::predict(recorded_of(run), assignments, nullptr, kPredictionBudget);
  if (!verify || !report.prediction.refused.empty()) return report;
  session::SessionOptions changed = options;
  changed.assignments.insert(changed.assignments.end(), assignments.begin(), assignments.end());
  // Enough iterations for a whole period of the work after the part that is left out.
  changed.iterations = std::max(changed.iterations, report.prediction.period * 4 / 3 + 2);
  const auto time = [&](bool with_change) {
    MeasuredRun again(with_change ? changed : options);
    Progress progress(changed.workload, with_change ? changed.iterations : options.iterations);
    again.run([&](std::uint64_t done) { progress.update(done); }, should_stop);
    return prediction::measured_iteration_ns(recorded_of(again), nullptr, kPredictionBudget);
  };
  verify_in_turns(report, run.device().virtual_time, time, should_stop);
  return report;
}

Json prediction_json(const PredictionReport& report) {
  const Prediction& p = report.prediction;
  Json json;
  json["settings"] = Json::object();
  for (const std::string& assignment : p.settings) {
    const std::size_t equals = assignment.find('=');
    json["settings"][assignment.substr(0, equals)] = typed(assignment.substr(equals + 1));
  }
  const bool given = p.refused.empty();
  json["iteration_ns"] = given ? Json{{"mean", p.iteration_ns}, {"low", p.low_ns}, {"high", p.high_ns}} : Json(nullptr);
  json["probed"] = numbers_json(p.probed);
  json["assumed"] = numbers_json(p.assumed);
  json["measured_ns"] = p.measured_ns > 0 ? Json(p.measured_ns) : Json(nullptr);
  json["reproduced_ns"] = p.reproduced_ns > 0 ? Json(p.reproduced_ns) : Json(nullptr);
  json["fidelity_error"] = p.reproduced_ns > 0 ? Json(p.fidelity_error) : Json(nullptr);
  json["refused"] = given ? Json(nullptr) : Json(p.refused);
  json["idle"] = given ? Json{{"now", p.idle_now}, {"then", p.idle_then}} : Json(nullptr);
  json["stalls"] = Json::array();
  for (const prediction::Stall& stall : p.stalls) {
    json["stalls"].push_back(
        {{"range", stall.range}, {"call", stall.call}, {"now_ns", stall.now_ns}, {"then_ns", stall.then_ns}});
  }
  json["sentence"] = p.sentence;
  if (report.asked_to_verify) {
    json["verified"] = report.verified_ns.empty() ? Json(nullptr)
                                                  : Json{{"iteration_ns", {{"mean", report.median_ns()}}},
                                                         {"runs_ns", report.verified_ns},
                                                         {"unchanged_runs_ns", report.unchanged_ns},
                                                         {"error", report.error()},
                                                         {"in_range", report.in_range()}};
  }
  return json;
}

std::vector<Definition> prediction_lines(const PredictionReport& report) {
  const Prediction& p = report.prediction;
  if (!p.refused.empty()) return {{tr("no prediction"), {p.refused}}};
  std::vector<Definition> lines;
  lines.push_back({tr("an iteration now"), {base::duration_text(p.measured_ns)}});
  const std::string range = tr("between {} and {}", base::duration_text(p.low_ns), base::duration_text(p.high_ns));
  const std::string gain = prediction::gain_sentence(p);
  const bool narrow = p.high_ns - p.low_ns <= 0.002 * p.iteration_ns;
  const std::string predicted = !p.assumed.empty() ? tr("{}; {}", range, gain)
                                : narrow           ? tr("{}; {}", base::duration_text(p.iteration_ns), gain)
                                                   : tr("{}, {}; {}", base::duration_text(p.iteration_ns), range, gain);
  lines.push_back({tr("predicted"), {predicted}});
  if (!p.probed.empty()) lines.push_back({tr("probed"), sentences_of(p.probed)});
  if (!p.assumed.empty()) lines.push_back({tr("assumed"), sentences_of(p.assumed)});
  if (!report.verified_ns.empty()) {
    constexpr double kShown = 0.0005;
    std::string then = base::duration_text(report.median_ns());
    if (report.verified_ns.size() > 1) {
      then += tr(", median of {} runs, {} to {}", report.verified_ns.size(),
                 base::duration_text(report.verified_ns.front()), base::duration_text(report.verified_ns.back()));
    }
    then += std::abs(report.error()) < kShown ? std::string(tr("; the prediction is less than 0.1 % off"))
                                              : tr("; the prediction is {:+.1f} % off", 100 * report.error());
    if (!report.unchanged_ns.empty()) {
      then += tr("; without the change it now takes {}",
                 base::duration_text(report.unchanged_ns[report.unchanged_ns.size() / 2]));
    }
    if (!report.in_range()) then += tr(", and the range is missed");
    lines.push_back({tr("measured"), {then}});
  }
  lines.push_back(
      {tr("GPU idle"), {tr("{:.0f} % now, {:.0f} % with the change", 100 * p.idle_now, 100 * p.idle_then)}});
  lines.push_back({tr("waiting"), {tr("{}.", p.sentence)}});
  lines.push_back({tr("fitted machine"),
                   {tr("without the change it takes {}, {:.1f} % off the measured time",
                       base::duration_text(p.reproduced_ns), 100 * p.fidelity_error)}});
  return lines;
}

std::string prediction_text(const PredictionReport& report, const Style& style) {
  std::string text = fmt::format("\n{}", style.bold);
  text += tr("Prediction for {}", fmt::join(report.prediction.settings, ", "));
  text += fmt::format("{}\n", style.off);
  return text + definition_list(prediction_lines(report), kPredictionWidth, style);
}

// --- predict check ---------------------------------------------------------------------------------------------------

namespace {

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
