#include "app/reports.h"

#include <cmath>

#include "analysis/figure.h"
#include "analysis/stragglers.h"
#include "base/version.h"
#include "device/catalogue.h"

namespace lanescope::app {

Json typed(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  return value.is_boolean() || value.is_number() ? value : Json(text);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

namespace {

// CPU iterations. While the queue fills they only measure issuing, so the basis is stated beside them.
Json iteration_json(const analysis::DurationStats& iteration, const analysis::Pace& pace) {
  if (iteration.count == 0 || !pace.queue_is_steady()) {
    return {{"mean", nullptr}, {"p50", nullptr}, {"p99", nullptr}};
  }
  return {{"mean", iteration.mean_ns}, {"p50", iteration.p50_ns}, {"p99", iteration.p99_ns}};
}

Json pace_json(const analysis::Pace& pace) {
  return {{"ns", pace.known() ? Json(pace.ns) : Json(nullptr)},
          {"basis", analysis::basis_key(pace.basis)},
          {"iterations", pace.iterations}};
}

Json capture_json(const trace::CaptureHealth& h) {
  return {{"state", trace::to_text(h.state)},
          {"reason", text_or_null(h.reason)},
          {"library", text_or_null(h.library)},
          {"received", h.received},
          {"calls", h.calls},
          {"operations", h.operations},
          {"dropped", h.dropped},
          {"untimed", h.untimed},
          {"far_off", h.far_off},
          {"duplicates", h.duplicates},
          {"unknown_kind", h.unknown_kind},
          {"clamped", h.clamped},
          {"late", h.late},
          {"before_call", h.before_call},
          {"launches_unmatched", h.launches_unmatched},
          {"operations_unmatched", h.operations_unmatched},
          {"clock_steps", h.clock_steps},
          {"overhead_ns", h.overhead_ns},
          {"latency_ms", {{"p50", h.latency_p50_ms}, {"p99", h.latency_p99_ms}}}};
}

Json causes_json(const std::array<base::Nanoseconds, analysis::kBubbleCauses>& by_cause) {
  Json json = Json::object();
  for (std::size_t i = 0; i < by_cause.size(); ++i) {
    json[std::string(analysis::cause_key(static_cast<analysis::BubbleCause>(i)))] = by_cause[i];
  }
  return json;
}

// A figure without samples does not exist with these settings.
Json own_json(const std::vector<analysis::OwnFigure>& figures) {
  Json own = Json::object();
  for (const analysis::OwnFigure& f : figures) {
    if (f.count == 0) continue;
    own[f.key] = {{"label", f.label}, {"unit", f.unit}, {"mean", f.mean},
                  {"total", f.total}, {"last", f.last}, {"count", f.count}};
  }
  return own;
}

Json verdict_json(const analysis::Verdict& verdict) {
  Json list = Json::array();
  for (const analysis::VerdictFigure& f : verdict.figures)
    list.push_back({{"label", f.label}, {"value", f.value}, {"unit", f.unit}});
  return list;
}

Json what_if_json(const analysis::AskedWhatIf& asked) {
  Json edits = Json::array();
  for (const analysis::Edit& edit : asked.edits) edits.push_back(analysis::text_of(edit));
  const analysis::WhatIf& answer = asked.answer;
  if (!answer.refusal.empty()) return {{"changes", std::move(edits)}, {"refused", answer.refusal}};
  return {{"changes", std::move(edits)},
          {"least_factor", answer.least_factor},
          {"most_factor", answer.most_factor},
          {"without_ns", answer.without_ns},
          {"gone_ns", answer.gone_ns},
          {"replayed_ns", answer.replayed_ns},
          {"recorded_ns", answer.recorded_ns},
          {"iterations", answer.iterations},
          {"refused", nullptr},
          {"assumed_gb_per_s", answer.assumed_gb_per_s > 0 ? Json(answer.assumed_gb_per_s) : Json(nullptr)}};
}

Json advice_json(const analysis::Advice& advice) {
  Json list = Json::array();
  for (const analysis::Card& card : advice.cards) {
    list.push_back({{"rule", analysis::rule_key(card.rule)},
                    {"weight", analysis::weight_key(card.weight)},
                    {"cost_ns_per_iteration", card.cost_ns},
                    {"share", card.share},
                    {"confidence", card.confidence},
                    {"range", text_or_null(card.range)},
                    {"call", text_or_null(card.call)},
                    {"times_per_iteration", card.per_iteration},
                    {"title", card.title},
                    {"what", card.what},
                    {"gain", text_or_null(card.gain)},
                    {"fix", card.fix},
                    {"fix_to_paste", text_or_null(card.paste)}});
    if (card.what_if) list.back()["what_if"] = what_if_json(*card.what_if);
  }
  const analysis::Summary& s = advice.summary;
  const auto each = [&](std::int64_t sum) {
    return advice.iterations > 0 ? static_cast<double>(sum) / static_cast<double>(advice.iterations) : 0;
  };
  return {{"iterations", advice.iterations},
          {"warm_up", advice.warm_up},
          {"per_iteration",
           {{"syncs", each(s.sync_count)},
            {"launches", each(s.launch_count)},
            {"idle_ns", each(s.bubble_ns)},
            {"wait_ns", each(s.host_wait_ns)},
            {"loader_wait_ns", each(s.loader_wait_ns)},
            {"exposed_copy_ns", each(s.exposed_copy_ns)}}},
          {"run_ahead", {{"mean", s.run_ahead_mean}, {"max", s.run_ahead_max}}},
          {"cards", std::move(list)}};
}

Json sites_json(const analysis::Breakdown& b) {
  Json list = Json::array();
  for (const analysis::SiteRow& site : b.sites) {
    list.push_back({{"range", text_or_null(site.range)},
                    {"call", site.call},
                    {"count", site.count},
                    {"sync_count", site.sync_count},
                    {"needless_count", site.needless_count},
                    {"host_ns", site.host_ns},
                    {"wait_ns", site.wait_ns},
                    {"wait_gpu_busy_ns", site.wait_busy_ns},
                    {"bubble_ns", site.bubbles_ns},
                    {"bubbles_by_fine_cause", causes_json(site.bubble_ns)}});
  }
  return list;
}

Json copies_json(const analysis::Breakdown& b) {
  Json list = Json::array();
  for (const analysis::CopyRow& copy : b.copies) {
    list.push_back({{"range", text_or_null(copy.range)},
                    {"direction", analysis::direction_key(copy.direction)},
                    {"host_memory", analysis::memory_key(copy.memory)},
                    {"asynchronous", copy.asynchronous},
                    {"count", copy.count},
                    {"bytes", copy.bytes},
                    {"gpu_ns", copy.gpu_ns},
                    {"gb_per_s", copy.gb_per_s},
                    {"exposed_ns", copy.exposed_ns},
                    {"host_ns", copy.host_ns},
                    {"host_gpu_idle_ns", copy.held_idle_ns}});
  }
  return list;
}

Json kernels_json(const analysis::Breakdown& b) {
  Json list = Json::array();
  for (const analysis::KernelRow& kernel : b.kernels) {
    list.push_back(
        {{"name", kernel.name},
         {"count", kernel.count},
         {"total_ns", kernel.total_ns},
         {"mean_ns", kernel.mean_ns()},
         {"min_ns", kernel.min_ns},
         {"max_ns", kernel.max_ns},
         {"share",
          b.kernel_time_ns > 0 ? static_cast<double>(kernel.total_ns) / static_cast<double>(b.kernel_time_ns) : 0.0}});
  }
  return list;
}

Json durations_json(const analysis::Breakdown& b, const analysis::Pace& pace) {
  Json json{{"count", b.iteration.count}, {"min_ns", nullptr}, {"max_ns", nullptr}, {"histogram", nullptr}};
  if (b.iteration.count == 0 || !pace.queue_is_steady()) return json;
  json["min_ns"] = b.iteration.min_ns;
  json["max_ns"] = b.iteration.max_ns;
  json["histogram"] = {{"from_ns", b.durations.from_ns},
                       {"width_ns", b.durations.width_ns},
                       {"counts", b.durations.counts},
                       {"longer", b.durations.longer}};
  return json;
}

// How the time of the judged iterations was spent.
Json time_json(const analysis::Judged& judged, base::Nanoseconds host_wait_ns) {
  return {{"span_ns", judged.span_ns()},
          {"iterations", judged.iterations},
          {"sync_count", judged.sync_count},
          {"launch_count", judged.launch_count},
          {"gpu_busy_ns", judged.busy_ns},
          {"kernel_ns", judged.kernel_ns},
          {"host_wait_ns", host_wait_ns},
          {"loader_wait_ns", judged.loader_wait_ns},
          {"exposed_copy_ns", judged.busy_ns - judged.kernel_ns},
          {"bubbles_by_fine_cause", causes_json(judged.bubble_by_cause_ns)}};
}

Json breakdown_json(const analysis::Breakdown& b, const analysis::Summary& summary) {
  return {{"time", time_json(summary.judged, b.host_wait_ns)},
          {"durations", durations_json(b, summary.pace)},
          {"of", {{"from_ns", b.from_ns}, {"to_ns", b.to_ns}, {"iterations", b.iterations}}},
          {"call_sites", sites_json(b)},
          {"call_sites_left_out", b.sites_left_out},
          {"copies", copies_json(b)},
          {"copies_left_out", b.copies_left_out},
          {"kernels", kernels_json(b)},
          {"kernels_left_out", b.kernels_left_out},
          {"kernel_time_ns", b.kernel_time_ns}};
}

Json idle_row_json(const analysis::IdleLedger& ledger, const analysis::IdleRow& row) {
  Json over_time = Json::array();
  for (const double ns : row.over_time) over_time.push_back(std::llround(ns));
  return {{"place", text_or_null(row.place)},
          {"detail", text_or_null(row.detail)},
          {"file", text_or_null(row.file)},
          {"line", row.line > 0 ? Json(row.line) : Json(nullptr)},
          {"cause", analysis::cause_key(row.cause)},
          {"idle_ns", row.idle_ns},
          {"per_iteration_ns", ledger.iterations > 0 ? Json(ledger.each(row.idle_ns)) : Json(nullptr)},
          {"share", ledger.share(row.idle_ns)},
          {"gaps", row.gaps()},
          {"longest", {{"from_ns", row.longest.start_ns}, {"to_ns", row.longest.end_ns}}},
          {"over_time_ns", std::move(over_time)}};
}

// The rows and `other` add up to idle_ns.
Json idle_json(const analysis::IdleLedger& ledger) {
  Json rows = Json::array();
  for (const analysis::IdleRow& row : ledger.rows) rows.push_back(idle_row_json(ledger, row));
  return {{"of", {{"from_ns", ledger.from_ns}, {"to_ns", ledger.to_ns}, {"iterations", ledger.iterations}}},
          {"gpu", text_or_null(ledger.gpu_name)},
          {"span_ns", ledger.span_ns},
          {"idle_ns", ledger.idle_ns},
          {"rows", std::move(rows)},
          {"other",
           {{"places", ledger.other_places},
            {"idle_ns", ledger.other.idle_ns},
            {"gaps", ledger.other.gaps()},
            {"largest_ns", ledger.largest_other_ns}}}};
}

// The stretches add up to the trace's extent, and the rows to rare_ns.
Json once_json(const analysis::Once& once) {
  Json rows = Json::array();
  for (const analysis::RareRow& row : once.rows) {
    rows.push_back({{"place", text_or_null(row.place)},
                    {"detail", text_or_null(row.detail)},
                    {"file", text_or_null(row.file)},
                    {"line", row.line > 0 ? Json(row.line) : Json(nullptr)},
                    {"kind", row.between ? "between_iterations" : "long_iteration"},
                    {"count", row.count()},
                    {"total_ns", row.total_ns},
                    {"longest", {{"from_ns", row.longest.from}, {"to_ns", row.longest.to}}}});
  }
  return {{"stretches",
           {{"set_up_ns", once.set_up_ns},
            {"warm_up_ns", once.warm_up_ns},
            {"steady_ns", once.steady_ns},
            {"rare_ns", once.rare_ns},
            {"end_ns", once.end_ns}}},
          {"iterations", once.iterations},
          {"steady_iterations", once.steady_iterations},
          {"rows", std::move(rows)}};
}

Json collectives_json(const analysis::Collectives& c) {
  Json gpus = Json::array();
  for (const analysis::GpuCollectives& gpu : c.gpus) {
    gpus.push_back({{"gpu", gpu.gpu},
                    {"name", gpu.name},
                    {"count", gpu.count},
                    {"arrived_last", gpu.arrived_last},
                    {"wait_ns", gpu.wait_ns},
                    {"transfer_ns", gpu.transfer_ns},
                    {"communication_ns", gpu.communication_ns},
                    {"exposed_ns", gpu.exposed_ns},
                    {"exposed_transfer_ns", gpu.exposed_transfer_ns},
                    {"delays_ns", gpu.delays_ns}});
  }
  Json rates = Json::array();
  for (const analysis::GroupRate& group : analysis::group_rates(c)) {
    rates.push_back({{"gpus", group.gpus},
                     {"count", group.collectives},
                     {"transfer_ns", group.transfer_ns},
                     {"bus_gb_per_s", group.bytes_per_s / 1e9}});
  }
  return {{"verdict", analysis::verdict_key(c.verdict)},
          {"sentence", c.sentence},
          {"count", c.all.size()},
          {"unmatched", c.unmatched},
          {"gpus", std::move(gpus)},
          {"rates", std::move(rates)}};
}

// Per collective.
Json lateness_json(const analysis::Lateness& late) {
  const auto n = static_cast<double>(late.collectives);
  const auto each = [&](base::Nanoseconds ns) { return static_cast<double>(ns) / n; };
  Json json = {{"gpu", late.gpu},
               {"collectives", late.collectives},
               {"late_ns", each(late.late_ns)},
               {"by", analysis::late_by_key(late.by)},
               {"kernels_ns", each(late.part(analysis::LateBy::Kernels))},
               {"copies_ns", each(late.part(analysis::LateBy::Copies))},
               {"idle_ns", each(late.part(analysis::LateBy::Idle))}};
  return json;
}

// "run_ahead.mean" is the member "mean" of the object "run_ahead".
Json& place_of(Json& json, std::string_view key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return json[std::string(key)];
  return json[std::string(key.substr(0, dot))][std::string(key.substr(dot + 1))];
}

Json figure_json(const analysis::Figure& figure, const analysis::Summary& summary) {
  using enum analysis::FigureUnit;
  const std::optional<double> total = figure.total(summary);
  if (!total) return nullptr;
  const bool whole = figure.unit == Time || figure.unit == Count || figure.unit == Bytes;
  return whole ? Json(static_cast<std::int64_t>(*total)) : Json(*total);
}

}  // namespace

Json summary_json(const analysis::RunFigures& figures) {
  const analysis::Summary& s = figures.summary;
  Json settings = Json::object();
  for (const auto& [key, value] : figures.facts.settings) settings[key] = typed(value);

  Json json;
  json["lanescope"] = base::kVersion;
  json["workload"] = text_or_null(figures.facts.workload);
  if (!figures.facts.program.empty()) json["program"] = figures.facts.program;
  if (!figures.facts.iterations.empty()) json["iterations_by"] = figures.facts.iterations;
  json["device"] = text_or_null(figures.facts.device);
  json["simulated"] = figures.facts.simulated;
  if (device::assumes_pytorch(figures.facts.device)) json["pytorch_costs"] = "assumed";
  json["settings"] = std::move(settings);
  json["iterations"] = figures.iterations;
  json["elapsed_ns"] = figures.elapsed_ns;
  if (figures.warm_up_ns) json["warm_up_ns"] = *figures.warm_up_ns;
  json["pace"] = pace_json(s.pace);
  const std::optional<double> samples = figures.samples_per_s();
  json["samples_per_s"] = samples ? Json(*samples) : Json(nullptr);
  json["iteration_ns"] = iteration_json(s.iteration, s.pace);
  // Idle time by group, as in the verdict, and by cause: both add up to bubble_ns.
  for (const analysis::Figure& figure : analysis::figures()) {
    if (!figure.key.empty()) place_of(json, figure.key) = figure_json(figure, s);
  }
  if (s.in_parts) {
    json["gpu_recorded"] = {{"recorded_ns", s.recorded_ns},
                            {"of_ns", s.window_ns()},
                            {"iterations", s.recorded_iterations},
                            {"adds_ns_per_iteration", s.recording_adds_ns}};
  }
  json["verdict"] = analysis::verdict_key(s.verdict.kind);
  json["events"] = {
      {"recorded", figures.events.recorded}, {"dropped", figures.events.dropped}, {"evicted", figures.events.evicted}};
  json["loss"] = figures.loss ? Json{{"first", figures.loss->first}, {"last", figures.loss->last}} : Json(nullptr);
  json["verdict_sentence"] = s.verdict.sentence;
  json["verdict_figures"] = verdict_json(s.verdict);
  json["verdict_note"] = text_or_null(s.verdict.note);
  if (figures.capture) json["capture"] = capture_json(*figures.capture);
  json["own"] = own_json(figures.own);
  if (figures.idle) json["idle_ledger"] = idle_json(*figures.idle);
  if (figures.once && figures.once->steady_ns != figures.once->all_ns()) json["once"] = once_json(*figures.once);
  if (figures.advice) json["advice"] = advice_json(*figures.advice);
  if (figures.what_if) json["prediction"] = what_if_json(*figures.what_if);
  if (figures.breakdown) json["breakdown"] = breakdown_json(*figures.breakdown, s);
  if (figures.collectives) json["collectives"] = collectives_json(*figures.collectives);
  if (figures.lateness) json["collectives"]["late"] = lateness_json(*figures.lateness);
  return json;
}

std::string written(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'; }

}  // namespace lanescope::app
