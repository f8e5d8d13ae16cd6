// How the figures of a run or of a saved trace are written: as JSON and as a table. All texts end with a line feed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/terminal.h"
#include "io/summary_json.h"

namespace lanescope::app {

using io::RunFigures;

/// Where the figures of a saved trace come from.
struct FileFacts {
  std::string path;
  bool own = false;
  std::uint64_t events_read = 0, events_skipped = 0, events_malformed = 0;
  std::map<std::string, std::uint64_t> read_by_category, skipped_by_category;
};

/// {"runs": [first, second], "ratio": {...}}; a ratio is second / first, null where the first is 0. Without a second
/// run (it was ended early) "ratio" is null. The runs are as io::summary_json() writes them.
std::string comparison_json(const RunFigures& first, const std::optional<RunFigures>& second);
/// As io::summary_json(), with the facts of the file under "source".
std::string file_json(const RunFigures& figures, const FileFacts& source);

std::string run_table(const RunFigures& figures, const Style& style);
/// Without names the runs are called by the settings that they differ in.
struct RunNames {
  std::string first, second;
};
std::string comparison_table(const RunFigures& first, const RunFigures& second, const Style& style,
                             const RunNames& names = {});
/// With up to four digits: "3.4", "0.000412", "1,600".
std::string figure_number(double value);
std::string file_table(const RunFigures& figures, const FileFacts& source, const Style& style);

}  // namespace lanescope::app
