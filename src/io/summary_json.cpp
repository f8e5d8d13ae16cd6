#include "io/summary_json.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace lanescope::io {
namespace {

using Json = nlohmann::ordered_json;

template <typename Number>
std::optional<Number> parsed(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

Json typed(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (const auto integer = parsed<std::int64_t>(text)) return *integer;
  if (const auto real = parsed<double>(text); real && std::isfinite(*real)) return *real;  // "nan" and "inf" are names
  return text;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json iteration_json(const analysis::DurationStats& iteration) {
  if (iteration.count == 0) return {{"mean", nullptr}, {"p50", nullptr}, {"p99", nullptr}};
  return {{"mean", iteration.mean_ns}, {"p50", iteration.p50_ns}, {"p99", iteration.p99_ns}};
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

// A figure without a sample is one that these settings do not have.
Json own_json(const std::vector<OwnFigure>& figures) {
  Json own = Json::object();
  for (const OwnFigure& f : figures) {
    if (f.count == 0) continue;
    own[f.key] = {{"label", f.label}, {"unit", f.unit}, {"mean", f.mean},
                  {"total", f.total}, {"last", f.last}, {"count", f.count}};
  }
  return own;
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
                    {"fix", card.fix}});
  }
  return {{"iterations", advice.iterations}, {"warm_up", advice.warm_up}, {"cards", std::move(list)}};
}

}  // namespace

std::string summary_json(const RunFigures& figures) {
  const analysis::Summary& s = figures.summary;
  const auto bubble_ns = [&](analysis::BubbleCause cause) {
    return s.bubble_by_cause_ns.at(static_cast<std::size_t>(cause));
  };
  Json settings = Json::object();
  for (const auto& [key, value] : figures.facts.settings) settings[key] = typed(value);

  Json json;
  json["lanescope"] = base::kVersion;
  json["workload"] = text_or_null(figures.facts.workload);
  json["device"] = text_or_null(figures.facts.device);
  json["simulated"] = figures.facts.simulated;
  json["settings"] = std::move(settings);
  json["iterations"] = figures.iterations;
  json["elapsed_ns"] = figures.elapsed_ns;
  if (figures.warm_up_ns) json["warm_up_ns"] = *figures.warm_up_ns;
  json["iteration_ns"] = iteration_json(s.iteration);
  json["gpu_busy_ns"] = s.gpu_busy_ns;
  json["host_wait_ns"] = s.host_wait_ns;
  json["bubble_ns"] = s.bubble_ns;
  json["sync_count"] = s.sync_count;
  json["launch_count"] = s.launch_count;
  json["h2d_bytes"] = s.h2d_bytes;
  json["d2h_bytes"] = s.d2h_bytes;
  json["h2d_gb_per_s"] = s.h2d_gb_per_s();
  json["d2h_gb_per_s"] = s.d2h_gb_per_s();
  json["verdict"] = analysis::verdict_key(s.verdict.kind);
  json["events"] = {
      {"recorded", figures.events.recorded}, {"dropped", figures.events.dropped}, {"evicted", figures.events.evicted}};
  json["loss"] = figures.loss ? Json{{"first", figures.loss->first}, {"last", figures.loss->last}} : Json(nullptr);
  json["verdict_sentence"] = s.verdict.sentence;
  json["bubbles_by_cause"] = {{"after_sync", bubble_ns(analysis::BubbleCause::AfterSync)},
                              {"launch_too_slow", bubble_ns(analysis::BubbleCause::LaunchTooSlow)},
                              {"copy", bubble_ns(analysis::BubbleCause::Copy)},
                              {"start_or_end", bubble_ns(analysis::BubbleCause::StartOrEnd)},
                              {"loader", bubble_ns(analysis::BubbleCause::Loader)}};
  json["run_ahead"] = {{"mean", s.run_ahead_mean}, {"max", s.run_ahead_max}};
  json["loader_wait_ns"] = s.loader_wait_ns;
  if (figures.capture) json["capture"] = capture_json(*figures.capture);
  json["own"] = own_json(figures.own);
  if (figures.advice) json["advice"] = advice_json(*figures.advice);
  // A file's name or settings need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace lanescope::io
