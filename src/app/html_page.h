// A report as a single self-contained page: no scripts, no requests, both themes, printable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "app/html_charts.h"
#include "app/reports.h"
#include "app/run_prediction.h"
#include "app/saved_trace.h"
#include "device/device.h"
#include "experiment/measured_run.h"

namespace lanescope::app::html {

/// One run on the page. The trace and its analysis must exist until the page has been made.
struct PageRun {
  std::string title;   ///< a side's, or the settings that differ; empty: the only run
  RunFigures figures;  ///< with advice and breakdown, and with trials if there are predictions
  const trace::Trace* trace = nullptr;
  const analysis::LiveAnalysis* analysis = nullptr;
  std::optional<device::DeviceInfo> device;    ///< empty if unknown, as for a file
  std::optional<FileFacts> source;             ///< set for a file only
  std::optional<PredictionReport> prediction;  ///< if requested
};

struct Page {
  std::string title;    ///< empty: the workload's title
  std::string command;  ///< that reproduces the page
  std::vector<PageRun> runs;
  const ExperimentReport* experiment = nullptr;
  bool ended_early = false;
  std::string differences = {};  ///< of two runs: a section, as HTML; may be empty
};

/// A finished run, with everything the page needs.
PageRun page_run(const experiment::MeasuredRun& run, const RunFigures& figures, std::string title);
/// A file that was read in detail; it must exist until the page has been made.
PageRun page_run(const FileFigures& file, std::string title);

std::string page_text(const Page& page);

/// Writes to standard output ("-") or atomically to a file. Throws base::FileError.
void write_page(const std::string& html, const Page& page);
void write_page(const std::string& html, const std::string& text);

/// A page to print, always light. `kind` is its class in paper.css; `body` is HTML.
std::string paper(const std::string& title, const char* kind, const std::string& body, const Pictures& pictures);

}  // namespace lanescope::app::html
