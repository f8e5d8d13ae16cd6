// The figures of a run as JSON, the output of `lanescope run --json`, with its field names and their order.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/run_figures.h"

namespace lanescope::app {

using Json = nlohmann::ordered_json;

/// Unknown values (a foreign trace's workload, the mean of no iterations, a NaN) are null. Settings have their types.
Json summary_json(const analysis::RunFigures& figures);

/// A setting's value with its type: boolean, number or text.
Json typed(const std::string& text);
Json text_or_null(const std::string& text);  ///< null if it is empty

/// Indented by two, ends with a line feed; equal figures give equal text. What is not UTF-8, as a file's name or a
/// category of a foreign trace may be, is replaced.
std::string written(const Json& json);

}  // namespace lanescope::app
