#include "analysis/run_figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/from_chars.h"

namespace lanescope::analysis {

RunConditions conditions_of(const trace::RunFacts& facts) {
  const auto kept = facts.settings.find("persistent_workers");
  return {.real_time = !facts.simulated,  // also of another program, whose device has no id here
          .h2d_peak_gb_per_s = facts.h2d_peak_gb_per_s,
          .d2h_peak_gb_per_s = facts.d2h_peak_gb_per_s,
          .link = facts.h2d_peak_gb_per_s > 0 ? Link{facts.h2d_peak_gb_per_s} : link_of(facts.device_name),
          .workers_kept = kept != facts.settings.end() && kept->second == "true",
          .replay = facts.workload.empty(),
          .clock_error_ns = facts.clock_error_ns};
}

RunFigures figures_of(const trace::Trace& trace, const LiveAnalysis& analysis, const trace::RunFacts& facts) {
  Account account = account_of(trace, analysis, conditions_of(facts));
  RunFigures figures;
  figures.facts = facts;
  figures.summary = std::move(account.summary);
  figures.warm_up_ns = account.warm_up_ns;
  figures.elapsed_ns = account.elapsed_ns;
  figures.once = std::move(account.once);
  figures.events = trace.counts();
  // Added up over ranks, an iteration of the job would count once for each.
  const auto records = analysis.records(figures.summary.verdict_gpu);
  figures.iterations = records.empty() ? 0 : static_cast<std::uint64_t>(records.back().number);
  return figures;
}

Advice advice_of(const trace::Trace& trace, const LiveAnalysis& analysis, const RunFigures& figures) {
  const trace::GpuNumber gpu = figures.summary.verdict_gpu;
  return advice_for(trace, analysis.records(gpu), analysis.analysed_until(), conditions_of(figures.facts), nullptr,
                    gpu);
}

std::optional<AskedWhatIf> what_if_of(const trace::Trace& trace, const LiveAnalysis& analysis,
                                      const RunFigures& figures, std::vector<Edit> edits) {
  if (edits.empty()) return std::nullopt;
  const trace::GpuNumber gpu = figures.summary.verdict_gpu;
  WhatIf answer = what_if(trace, analysis.records(gpu), edits, conditions_of(figures.facts), gpu);
  return AskedWhatIf{std::move(edits), std::move(answer)};
}

Breakdown breakdown_of(const trace::Trace& trace, const LiveAnalysis& analysis, const RunFigures& figures) {
  return break_down(trace, analysis.records(figures.summary.verdict_gpu), figures.summary, analysis.analysed_until(),
                    !conditions_of(figures.facts).replay);
}

double batch_size_of(const trace::RunFacts& facts) {
  const auto setting = facts.settings.find("batch_size");
  if (setting == facts.settings.end()) return 0;
  const std::string& text = setting->second;
  double samples = 0;
  const auto [stop, error] = base::from_chars(text.data(), text.data() + text.size(), samples);
  const bool known = error == std::errc{} && stop == text.data() + text.size() && std::isfinite(samples) && samples > 0;
  const auto text_of = [&](const char* key) {
    const auto found = facts.settings.find(key);
    return found == facts.settings.end() ? std::string() : found->second;
  };
  return !known ? 0 : trace::batch_tells_work(text_of) ? samples : -samples;
}

Gain gain_between(const RunFigures& first, const RunFigures& second) {
  return gain_between(first.summary, batch_size_of(first.facts), second.summary, batch_size_of(second.facts));
}

std::optional<double> RunFigures::samples_per_s() const {
  const double samples = batch_size_of(facts);
  constexpr double kNsPerS = 1e9;
  if (samples <= 0 || !summary.pace.known() || !computes(summary)) return std::nullopt;
  return samples * kNsPerS / summary.pace.ns;
}

}  // namespace lanescope::analysis
