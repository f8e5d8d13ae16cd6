// Formats the figures of a run or of a saved trace as JSON and as a table. Tables end with a line feed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "analysis/run_figures.h"
#include "app/summary_json.h"
#include "app/terminal.h"

namespace lanescope::app {

using analysis::RunFigures;

/// The source of a saved trace's figures.
struct FileFacts {
  std::string path;
  bool own = false;
  std::string incomplete;  ///< see io::OpenedTrace
  std::uint64_t events_read = 0, events_skipped = 0, events_malformed = 0;
  std::map<std::string, std::uint64_t> read_by_category, skipped_by_category;
};

/// {"runs": [first, second], "ratio": {...}}. A ratio is second / first, or null if the first is 0. Without a second
/// run (ended early), "ratio" is null. The runs are formatted like summary_json().
Json comparison_json(const RunFigures& first, const std::optional<RunFigures>& second);
/// Like summary_json(), with the facts about the file under "source".
Json file_json(const RunFigures& figures, const FileFacts& source);

std::string run_table(const RunFigures& figures, const Style& style);
/// If empty, the runs are named by the settings that differ.
struct RunNames {
  std::string first, second;
};
std::string comparison_table(const RunFigures& first, const RunFigures& second, const Style& style,
                             const RunNames& names = {});
/// With up to four significant digits: "3.4", "0.000412", "1,600".
std::string figure_number(double value);
std::string file_table(const RunFigures& figures, const FileFacts& source, const Style& style);

}  // namespace lanescope::app
