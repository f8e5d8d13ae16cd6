#include "app/export_file.h"

#include <limits>
#include <memory>
#include <vector>

#include "analysis/live_analysis.h"
#include "app/outputs.h"
#include "io/chrome_trace.h"
#include "io/tables.h"
#include "io/trace_file.h"

namespace lanescope::app {

void export_file(const ExportRequest& request) {
  check_outputs({request.sqlite, request.chrome});
  check_not_input({request.sqlite, request.chrome}, request.files);
  const io::OpenedTrace opened = io::read_traces(request.files);
  std::vector<std::unique_ptr<io::TableSink>> sinks;
  if (!request.csv.empty()) sinks.push_back(io::csv_tables(request.csv));
  if (!request.sqlite.empty()) sinks.push_back(io::sqlite_tables(request.sqlite));
  if (!sinks.empty()) {
    // With all bubbles, of which there are fewer than events.
    analysis::LiveAnalysis analysis(*opened.trace, analysis::LiveAnalysis::kMaxRecords,
                                    opened.trace->counts().recorded);
    analysis.update(std::numeric_limits<base::Nanoseconds>::max());
    analysis.finish();
    for (const auto& sink : sinks) io::write_tables(*sink, *opened.trace, analysis, opened.facts);
  }
  if (!request.chrome.empty()) io::write_chrome_trace(request.chrome, *opened.trace, opened.facts);
  for (const auto& sink : sinks) sink->commit();
}

}  // namespace lanescope::app
