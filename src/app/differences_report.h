// What differs between two traces: as a table, Markdown, CSV, JSON, and a section of a page.
#pragma once

#include <string>

#include "analysis/differences.h"
#include "app/summary_json.h"
#include "app/terminal.h"

namespace lanescope::app {

/// Why a row differs: "3 → 1", "13 → 9.2 µs each", "only in the second"; translated. Empty: too little to say.
std::string reasons(const analysis::Difference& row, bool per_iteration);

/// The rows that matter most, and how many others there are.
std::string differences_table(const analysis::Differences& differences, const Style& style);
/// For a pull request; names are code, so that nothing in them is markup.
std::string differences_markdown(const analysis::Differences& differences, const std::string& first,
                                 const std::string& second);
/// All rows: kind, name, first_count, second_count, first_ns, second_ns, change_ns, per ("iteration" or "trace").
std::string differences_csv(const analysis::Differences& differences);
/// {"per": "iteration", "rows": [{"kind", "name", "first": {"count", "ns"}, "second": ..., "change_ns", "because"}]}
Json differences_json(const analysis::Differences& differences);
/// A section of a page, as HTML.
std::string differences_section(const analysis::Differences& differences);

}  // namespace lanescope::app
