// The sections of a page that are about one run. Each is HTML, or empty where there is nothing to say.
#pragma once

#include <string>

#include "app/html_page.h"
#include "app/html_pictures.h"

namespace lanescope::app::html {

/// Anchors of a second run end in "-2".
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

std::string settings_section(const PageRun& run, const SectionIds& id);
std::string machine_section(const PageRun& run, const SectionIds& id);
std::string losses_section(const PageRun& run, const SectionIds& id);

/// Of an experiment: what it shows, and what was published beside what was had here.
std::string experiment_section(const ExperimentReport& report);
/// What two runs come to, large; empty where there are no iterations.
std::string comparison_headline(const PageRun& first, const PageRun& second);
/// The figures of two runs side by side.
std::string comparison_section(const PageRun& first, const PageRun& second);

/// <section id="..."><h2>title</h2><p>lede</p>body</section>; `lede` and `body` are HTML, `title` is plain text.
std::string section(const std::string& id, const std::string& title, const std::string& lede, const std::string& body);
/// A figure, large, what it is, and a note; all HTML.
std::string tile(const std::string& figure, const std::string& name, const std::string& note = {});
/// A table that scrolls by itself where a screen is narrow. `head` are plain texts; those that begin with ">" stand
/// right. `rows` are HTML.
std::string table(const std::vector<std::string>& head, const std::string& rows, const std::string& caption = {});
/// How many of what the figures are divided by: iterations, or 1 where there are none.
double divisor(const PageRun& run);

}  // namespace lanescope::app::html
