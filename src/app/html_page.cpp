#include "app/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/html_charts.h"
#include "app/html_text.h"
#include "app/terminal_output.h"
#include "base/translate.h"
#include "base/version.h"
#include "device/device.h"
#include "io/atomic_file.h"
#include "lanescope_report.h"
#include "workload/workload.h"

namespace lanescope::app::html {
namespace {

using base::tr;

// Forbids scripts and requests, no matter what the names in a file contain.
constexpr const char* kNoRequests =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";

std::string_view asset(std::string_view path) {
  const report::File* file = report::find(path);
  return file ? file->text : std::string_view();
}

// The page follows the reader's theme. With the switch on, it has the other theme; on paper, the light theme.
std::string style(const Pictures& pictures) {
  const std::string light = std::string(asset("light.css")) + pictures.colours(false);
  const std::string dark = std::string(asset("dark.css")) + pictures.colours(true);
  return fmt::format(
      "<style>\n:root {{\n{0}}}\n"
      "@media screen and (prefers-color-scheme: dark) {{ :root:not(:has(#flip:checked)) {{\n{1}}} }}\n"
      "@media screen and (prefers-color-scheme: light) {{ :root:has(#flip:checked) {{\n{1}}} }}\n{2}</style>\n",
      light, dark, asset("page.css"));
}

std::string page_title_of(const Page& page) {
  if (!page.title.empty()) return page.title;
  const PageRun& run = page.runs.front();
  const std::string& name = run.figures.facts.workload;
  const std::vector<std::string> known = workload::workload_names();
  if (std::find(known.begin(), known.end(), name) != known.end())
    return tr(workload::workload_info(name).title.c_str());
  if (run.source) return std::filesystem::path(run.source->path).filename().string();
  return name.empty() ? tr("A run") : name;
}

std::string under_title(const PageRun& run) {
  const RunFigures& f = run.figures;
  std::string text = "<p class=\"under\">";
  const auto add = [&](const std::string& html) { text += "<span>" + html + "</span>"; };
  if (!f.facts.workload.empty()) add(code(f.facts.workload));
  if (!f.facts.program.empty()) add(code(f.facts.program));
  if (!f.facts.device_name.empty()) add(escaped(device::name_in_words(f.facts.device_name)));
  if (f.iterations > 0) add(iterations(static_cast<std::int64_t>(f.iterations)));
  add(duration(static_cast<double>(f.elapsed_ns)));
  return text + "</p>\n";
}

std::string head_bar(const Page& page) {
  const bool simulated =
      std::any_of(page.runs.begin(), page.runs.end(), [](const PageRun& r) { return r.figures.facts.simulated; });
  return fmt::format(
      "<header class=\"bar\"><svg class=\"mark\" viewBox=\"0 0 22 22\" aria-hidden=\"true\">"
      "<rect x=\"1\" y=\"3\" width=\"13\" height=\"4\" rx=\"1.5\" fill=\"var(--launch)\"/>"
      "<rect x=\"5\" y=\"9\" width=\"12\" height=\"4\" rx=\"1.5\" fill=\"var(--kernel)\"/>"
      "<rect x=\"13\" y=\"15\" width=\"8\" height=\"4\" rx=\"1.5\" fill=\"var(--wait)\"/></svg>"
      "<strong>Lanescope</strong><span>{}</span><span class=\"end\">{}"
      "<label class=\"flip\" title=\"{}\"><input type=\"checkbox\" id=\"flip\" aria-label=\"{}\">"
      "<svg width=\"18\" height=\"18\" viewBox=\"0 0 18 18\" aria-hidden=\"true\"><circle cx=\"9\" cy=\"9\" r=\"7\" "
      "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\"/><path d=\"M9 2a7 7 0 0 1 0 14z\" "
      "fill=\"currentColor\"/></svg></label></span></header>\n",
      words("Report"), simulated ? "<b class=\"badge\">" + words("SIMULATED") + "</b>" : "", words("Switch the theme"),
      words("Switch the theme"));
}

struct Section {
  const char *anchor, *name;
  std::string html;
};

std::vector<Section> run_sections(const PageRun& run, Pictures& pictures, const SectionIds& id) {
  return {{"idle", N_("Where the GPU idles"), idle_section(run, id)},
          {"once", N_("Now and then, left out of the figures"), once_section(run, id)},
          {"advice", N_("What to change"), cards_section(run, id)},
          {"prediction", N_("Prediction"), prediction_section(run, id)},
          {"timeline", N_("Timeline"), pictures_section(run, pictures, id)},
          {"time", N_("Where the time goes"), time_section(run, id)},
          {"iterations", N_("Iterations"), iterations_section(run, id)},
          {"calls", N_("Calls"), sites_section(run, id)},
          {"copies", N_("Copies"), copies_section(run, id)},
          {"kernels", N_("Kernels"), kernels_section(run, id)},
          {"collectives", N_("Collectives"), collectives_section(run, id)},
          {"settings", N_("Settings"), settings_section(run, id)},
          {"machine", N_("Machine"), machine_section(run, id)},
          {"losses", N_("What was dropped"), losses_section(run, id)}};
}

std::string navigation(const std::vector<Section>& sections, const SectionIds& id) {
  std::string text = fmt::format("<nav aria-label=\"{}\">", words("Sections"));
  for (const Section& section : sections) {
    if (!section.html.empty()) text += fmt::format("<a href=\"#{}\">{}</a>", id(section.anchor), words(section.name));
  }
  return text + "</nav>\n";
}

std::string joined(const std::vector<Section>& sections) {
  std::string text;
  for (const Section& section : sections) text += section.html;
  return text;
}

std::string making_section(const Page& page) {
  std::string body;
  if (!page.command.empty()) body = "<pre><code>" + escaped(page.command, 4000) + "</code></pre>\n";
  std::string lede = words("The command that reproduces this page.");
  if (page.runs.front().figures.facts.simulated && page.runs.front().device && !page.ended_early) {
    lede += ' ' + words("On a simulated device the same command gives the same page.");
  }
  if (page.ended_early) lede = words("The run was ended early; the figures cover what had run by then.") + ' ' + lede;
  return section("making", tr("How this page was made"), lede, body);
}

std::string one_run(const Page& page, Pictures& pictures) {
  const PageRun& run = page.runs.front();
  const SectionIds id;
  const std::vector<Section> sections = run_sections(run, pictures, id);
  std::string text = under_title(run) + navigation(sections, id) + verdict_section(run);
  if (page.experiment) text += experiment_section(*page.experiment);
  return text + joined(sections);
}

std::string several_runs(const Page& page, Pictures& pictures) {
  std::string text = under_title(page.runs.front());
  std::string links = fmt::format("<nav aria-label=\"{}\">", words("Sections"));
  for (std::size_t r = 0; r < page.runs.size(); ++r) {
    links += fmt::format("<a href=\"#run-{}\">{}</a>", r + 1, escaped(page.runs[r].title));
  }
  text += links + "</nav>\n" + comparison_headline(page.runs[0], page.runs[1]);
  if (page.experiment) text += experiment_section(*page.experiment);
  text += comparison_section(page.runs[0], page.runs[1]) + page.differences;
  for (std::size_t r = 0; r < page.runs.size(); ++r) {
    const SectionIds id{fmt::format("-{}", r + 1)};
    const std::vector<Section> sections = run_sections(page.runs[r], pictures, id);
    text += fmt::format("<div class=\"run side\" id=\"run-{}\"><h2 class=\"name\">{}</h2>\n{}{}{}{}</div>\n", r + 1,
                        escaped(page.runs[r].title), under_title(page.runs[r]), navigation(sections, id),
                        verdict_section(page.runs[r]), joined(sections));
  }
  return text;
}

}  // namespace

PageRun page_run(const experiment::MeasuredRun& run, const RunFigures& figures, std::string title) {
  PageRun page;
  page.title = std::move(title);
  page.figures = figures;
  page.trace = &run.trace();
  page.analysis = &run.analysis();
  page.device = run.device();
  return page;
}

PageRun page_run(const FileFigures& file, std::string title) {
  PageRun page;
  page.title = std::move(title);
  page.figures = file.figures;
  page.trace = file.opened.trace.get();
  page.analysis = file.analysis.get();
  page.source = file.source;
  return page;
}

std::string page_text(const Page& page) {
  Pictures pictures;
  const std::string title = page_title_of(page);
  const std::string body = page.runs.size() > 1 ? several_runs(page, pictures) : one_run(page, pictures);
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n{}"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"Lanescope {}\">\n<title>{} · Lanescope</title>\n{}</head>\n<body>\n{}"
      "<div class=\"page\">\n{}<main>\n<h1>{}</h1>\n{}{}</main>\n<footer>{}</footer>\n</div>\n</body>\n</html>\n",
      base::language() == base::Language::Chinese ? "zh-CN" : "en", kNoRequests, base::kVersion, escaped(title),
      style(pictures), chart_patterns(), head_bar(page), escaped(title), body, making_section(page),
      words("Hatched: a wait, or idle time by its cause. Dashed: the GPU has nothing to run."));
}

std::string paper(const std::string& title, const char* kind, const std::string& body, const Pictures& pictures) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n{}"
      "<meta name=\"generator\" content=\"Lanescope {}\">\n<title>{} · Lanescope</title>\n<style>\n:root "
      "{{\n{}{}}}\n{}{}</style>\n</head>\n<body class=\"paper {}\">\n<main>\n{}</main>\n</body>\n</html>\n",
      base::language() == base::Language::Chinese ? "zh-CN" : "en", kNoRequests, base::kVersion, escaped(title),
      asset("light.css"), pictures.colours(false), asset("page.css"), asset("paper.css"), kind, body);
}

void write_page(const std::string& html, const Page& page) { write_page(html, page_text(page)); }

void write_page(const std::string& html, const std::string& text) {
  if (html == "-") {
    write_out(text);
  } else {
    io::write_text_file(html, text);
  }
}

}  // namespace lanescope::app::html
