// A report as one page that needs nothing else: no scripts, no requests, both themes, and paper.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "app/experiment_report.h"
#include "app/run_prediction.h"
#include "app/run_report.h"
#include "device/device.h"
#include "experiment/measured_run.h"

namespace lanescope::app::html {

/// One run on the page. The trace and its analysis are needed until the page is made.
struct PageRun {
  std::string title;   ///< of a side, or the settings that differ; empty: the only run
  RunFigures figures;  ///< with advice and breakdown, and with trials where there are predictions
  const trace::Trace* trace = nullptr;
  const analysis::LiveAnalysis* analysis = nullptr;
  std::optional<device::DeviceInfo> device;    ///< not known of a file
  std::optional<FileFacts> source;             ///< only of a file
  std::optional<PredictionReport> prediction;  ///< that was asked for
};

struct Page {
  std::string title;    ///< empty: the workload's
  std::string command;  ///< that makes the page again
  std::vector<PageRun> runs;
  const ExperimentReport* experiment = nullptr;
  bool ended_early = false;
};

/// A finished run, with everything that is worked out for the page.
PageRun page_run(const experiment::MeasuredRun& run, const RunFigures& figures, std::string title);

std::string page_text(const Page& page);

/// "-" is standard output, else a path; the file appears whole or not at all. Throws base::FileError.
void write_page(const std::string& html, const Page& page);

}  // namespace lanescope::app::html
