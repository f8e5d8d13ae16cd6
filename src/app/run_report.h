// The figures of one run or one saved trace, and how they are written: as JSON and as a table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/summary.h"
#include "app/terminal.h"
#include "trace/trace.h"
#include "workload/settings.h"

namespace lanescope::app {

struct RunReport {
  struct Loss {
    double first = 0, last = 0;
  };

  std::string workload;     ///< empty: unknown
  std::string device;       ///< id; empty: unknown
  std::string device_name;  ///< for a person
  bool simulated = false;
  std::vector<std::pair<std::string, workload::Value>> settings;
  std::uint64_t iterations = 0;
  base::Nanoseconds elapsed_ns = 0;
  analysis::Summary summary;
  trace::TraceCounts events;
  std::optional<Loss> loss;
};

/// Where the figures of a saved trace come from.
struct FileFacts {
  std::string path;
  bool own = false;
  std::uint64_t events_read = 0, events_skipped = 0, events_malformed = 0;
  std::map<std::string, std::uint64_t> read_by_category, skipped_by_category;
};

/// All texts end with a line feed.
std::string run_json(const RunReport& report);
/// {"runs": [first, second], "ratio": {...}}; a ratio is second / first, null where the first is 0. Without a second
/// run (it was ended early) "ratio" is null.
std::string comparison_json(const RunReport& first, const std::optional<RunReport>& second);
/// As run_json(), with the facts of the file under "source".
std::string file_json(const RunReport& report, const FileFacts& source);

std::string run_table(const RunReport& report, const Style& style);
std::string comparison_table(const RunReport& first, const RunReport& second, const Style& style);
std::string file_table(const RunReport& report, const FileFacts& source, const Style& style);

}  // namespace lanescope::app
