#include "app/run_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/reports.h"
#include "app/table.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"
#include "prediction/device_probe.h"
#include "prediction/prediction_text.h"
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

}  // namespace lanescope::app
