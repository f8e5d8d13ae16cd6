#include <nlohmann/json.hpp>
#include <variant>

#include "app/run_report.h"
#include "base/version.h"

namespace lanescope::app {
namespace {

using Json = nlohmann::ordered_json;

Json settings_json(const RunReport& report) {
  Json settings = Json::object();
  for (const auto& [key, value] : report.settings) {
    std::visit([&, name = key](const auto& v) { settings[name] = v; }, value);
  }
  return settings;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json to_json(const RunReport& r) {
  const analysis::Summary& s = r.summary;
  Json json;
  json["lanescope"] = std::string(base::kVersion);
  json["workload"] = text_or_null(r.workload);
  json["device"] = text_or_null(r.device);
  json["simulated"] = r.simulated;
  json["settings"] = settings_json(r);
  json["iterations"] = r.iterations;
  json["elapsed_ns"] = r.elapsed_ns;
  if (s.iteration.count > 0) {
    json["iteration_ns"] = {{"mean", s.iteration.mean_ns}, {"p50", s.iteration.p50_ns}, {"p99", s.iteration.p99_ns}};
  } else {
    json["iteration_ns"] = {{"mean", nullptr}, {"p50", nullptr}, {"p99", nullptr}};
  }
  json["gpu_busy_ns"] = s.gpu_busy_ns;
  json["host_wait_ns"] = s.host_wait_ns;
  json["bubble_ns"] = s.bubble_ns;
  json["sync_count"] = s.sync_count;
  json["launch_count"] = s.launch_count;
  json["h2d_bytes"] = s.h2d_bytes;
  json["d2h_bytes"] = s.d2h_bytes;
  json["h2d_gb_per_s"] = s.h2d_gb_per_s();
  json["d2h_gb_per_s"] = s.d2h_gb_per_s();
  json["verdict"] = std::string(analysis::verdict_key(s.verdict.kind));
  json["events"] = {{"recorded", r.events.recorded}, {"dropped", r.events.dropped}, {"evicted", r.events.evicted}};
  json["loss"] = r.loss ? Json{{"first", r.loss->first}, {"last", r.loss->last}} : Json(nullptr);
  return json;
}

// Every figure of `first` that is a number becomes second / first.
Json ratio_of(const Json& first, const Json& second) {
  static constexpr const char* kFigures[] = {"elapsed_ns", "iteration_ns", "gpu_busy_ns",  "host_wait_ns",
                                             "bubble_ns",  "sync_count",   "launch_count", "h2d_bytes",
                                             "d2h_bytes",  "h2d_gb_per_s", "d2h_gb_per_s"};
  const auto divide = [](const Json& a, const Json& b) -> Json {
    if (!a.is_number() || !b.is_number() || a.get<double>() == 0) return nullptr;
    return b.get<double>() / a.get<double>();
  };
  Json ratio;
  for (const char* figure : kFigures) {
    if (!first[figure].is_object()) {
      ratio[figure] = divide(first[figure], second[figure]);
      continue;
    }
    for (const auto& [part, value] : first[figure].items()) ratio[figure][part] = divide(value, second[figure][part]);
  }
  return ratio;
}

std::string written(const Json& json) {
  // A file name or a name in a foreign trace need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string run_json(const RunReport& report) { return written(to_json(report)); }

std::string comparison_json(const RunReport& first, const std::optional<RunReport>& second) {
  Json runs = Json::array({to_json(first)});
  if (second) runs.push_back(to_json(*second));
  Json json;
  json["runs"] = runs;
  json["ratio"] = second ? ratio_of(runs[0], runs[1]) : Json(nullptr);
  return written(json);
}

std::string file_json(const RunReport& report, const FileFacts& source) {
  Json json = to_json(report);
  json["source"] = {{"file", source.path},
                    {"own", source.own},
                    {"events_read", source.events_read},
                    {"events_skipped", source.events_skipped},
                    {"events_malformed", source.events_malformed},
                    {"read_by_category", source.read_by_category},
                    {"skipped_by_category", source.skipped_by_category}};
  return written(json);
}

}  // namespace lanescope::app
