#include "analysis/figure.h"
#include "app/run_report.h"

namespace lanescope::app {
namespace {

Json divided(const Json& by, const Json& what) {
  if (!by.is_number() || !what.is_number() || by.get<double>() == 0) return nullptr;
  return what.get<double>() / by.get<double>();
}

Json ratio_of(const Json& first, const Json& second) {
  Json ratio;
  const auto add = [&](const std::string& key) { ratio[key] = divided(first.at(key), second.at(key)); };
  add("elapsed_ns");
  ratio["pace"] = divided(first.at("pace").at("ns"), second.at("pace").at("ns"));
  add("samples_per_s");
  for (const analysis::Figure& figure : analysis::figures()) {
    if (first.contains(figure.key)) add(std::string(figure.key));
  }
  return ratio;
}

// How many times as fast the second run does the same work.
Json gain_json(const analysis::Gain& gain) {
  return {{"factor", gain.known() ? Json(gain.factor) : Json(nullptr)},
          {"per", gain.per_sample ? "sample" : "iteration"}};
}

}  // namespace

Json comparison_json(const RunFigures& first, const std::optional<RunFigures>& second) {
  Json runs = Json::array({summary_json(first)});
  if (second) runs.push_back(summary_json(*second));
  Json json;
  json["runs"] = runs;
  json["ratio"] = second ? ratio_of(runs[0], runs[1]) : Json(nullptr);
  if (second) json["gain"] = gain_json(analysis::gain_between(first, *second));
  return json;
}

Json file_json(const RunFigures& figures, const FileFacts& source) {
  Json json = summary_json(figures);
  json["source"] = {{"file", source.path},
                    {"own", source.own},
                    {"incomplete", source.incomplete},
                    {"events_read", source.events_read},
                    {"events_skipped", source.events_skipped},
                    {"events_malformed", source.events_malformed},
                    {"read_by_category", source.read_by_category},
                    {"skipped_by_category", source.skipped_by_category}};
  return json;
}

}  // namespace lanescope::app
