// A report as a single self-contained page: no scripts, no requests, both themes, printable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "app/html_charts.h"
#include "app/reports.h"
#include "app/saved_trace.h"
#include "device/device.h"
#include "experiment/measured_run.h"

namespace lanescope::app::html {

/// One run on the page. The trace and its analysis must exist until the page has been made.
struct PageRun {
  std::string title;   ///< a side's, or the settings that differ; empty: the only run
  RunFigures figures;  ///< with advice and breakdown
  const trace::Trace* trace = nullptr;
  const analysis::LiveAnalysis* analysis = nullptr;
  std::optional<device::DeviceInfo> device;  ///< empty if unknown, as for a file
  std::optional<FileFacts> source;           ///< set for a file only
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

// --- html sections ---------------------------------------------------------------------------------------------------
// The sections of a page about one run. Each function returns HTML, or empty text if there is nothing to show.

/// The anchors of a second run end in "-2".
struct SectionIds {
  std::string suffix;
  std::string operator()(const char* name) const { return name + suffix; }
};

std::string verdict_section(const PageRun& run);
std::string idle_section(const PageRun& run, const SectionIds& id);
std::string once_section(const PageRun& run, const SectionIds& id);
std::string cards_section(const PageRun& run, const SectionIds& id);
std::string prediction_section(const PageRun& run, const SectionIds& id);
std::string pictures_section(const PageRun& run, Pictures& pictures, const SectionIds& id);
std::string time_section(const PageRun& run, const SectionIds& id);
std::string sites_section(const PageRun& run, const SectionIds& id);
std::string copies_section(const PageRun& run, const SectionIds& id);
std::string iterations_section(const PageRun& run, const SectionIds& id);
std::string kernels_section(const PageRun& run, const SectionIds& id);
std::string collectives_section(const PageRun& run, const SectionIds& id);

std::string settings_section(const PageRun& run, const SectionIds& id);
std::string machine_section(const PageRun& run, const SectionIds& id);
std::string losses_section(const PageRun& run, const SectionIds& id);

/// For an experiment: what it shows, and the published numbers beside those of this run.
std::string experiment_section(const ExperimentReport& report);
/// The comparison of two runs in large type; empty if there are no iterations.
std::string comparison_headline(const PageRun& first, const PageRun& second);
/// The figures of two runs side by side.
std::string comparison_section(const PageRun& first, const PageRun& second);

/// <section id="..."><h2>title</h2><p>lede</p>body</section>; `lede` and `body` are HTML, `title` is plain text.
std::string section(const std::string& id, const std::string& title, const std::string& lede, const std::string& body);
/// A figure in large type, what it is, and a note; all HTML.
std::string tile(const std::string& figure, const std::string& name, const std::string& note = {});
/// A table that scrolls by itself on a narrow screen. `head` is plain text; a leading ">" means right-aligned. `rows`
/// is HTML.
std::string table(const std::vector<std::string>& head, const std::string& rows, const std::string& caption = {});
/// The number by which figures are divided: the iterations, or 1 if there are none.
double divisor(const PageRun& run);

}  // namespace lanescope::app::html
