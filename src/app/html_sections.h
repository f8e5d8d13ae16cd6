// The sections of a page about one run. Each function returns HTML, or empty text if there is nothing to show.
#pragma once

#include <string>

#include "app/html_charts.h"
#include "app/html_page.h"

namespace lanescope::app::html {

/// The anchors of a second run end in "-2".
struct SectionIds {
  std::string suffix;
  std::string operator()(const char* name) const { return name + suffix; }
};

std::string verdict_section(const PageRun& run);
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
