#include "app/compare_files.h"

#include <fmt/format.h>

#include <string>

#include "analysis/differences.h"
#include "app/differences_report.h"
#include "app/html_page.h"
#include "app/outputs.h"
#include "app/read_figures.h"
#include "app/run_report.h"
#include "app/summary_json.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::app {
namespace {

FileFigures read(const std::filesystem::path& path, bool in_detail) {
  FileFigures file = read_figures({path}, in_detail);
  if (file.opened.trace->counts().recorded == 0) {
    throw base::FileError(base::tr("{}: it has no events to compare", path.string()));
  }
  return file;
}

// Their names, or their whole paths where the names are the same.
RunNames names_of(const CompareRequest& request) {
  RunNames names{request.first.filename().string(), request.second.filename().string()};
  if (names.first == names.second) names = {request.first.string(), request.second.string()};
  return {one_line(names.first), one_line(names.second)};
}

std::string json_of(const FileFigures& first, const FileFigures& second, const analysis::Differences& differences) {
  Json json = comparison_json(first.figures, second.figures);
  json["files"] = {first.source.path, second.source.path};
  json["differences"] = differences_json(differences);
  return written(json);
}

}  // namespace

void compare_files(const CompareRequest& request) {
  check_outputs({request.json, request.html, request.csv, request.markdown});
  check_not_input({request.json, request.html, request.csv, request.markdown}, {request.first, request.second});
  const bool in_detail = !request.json.empty() || !request.html.empty();
  const FileFigures first = read(request.first, in_detail), second = read(request.second, in_detail);
  const auto costs = [](const FileFigures& file) {
    return analysis::loop_costs(*file.opened.trace, *file.analysis, file.figures.summary);
  };
  const analysis::Differences differences = analysis::differences(costs(first), costs(second));
  const RunNames names = names_of(request);

  write_json(request.json, request.json.empty() ? std::string() : json_of(first, second, differences));
  write_json(request.csv, request.csv.empty() ? std::string() : differences_csv(differences));
  write_json(request.markdown,
             request.markdown.empty() ? std::string() : differences_markdown(differences, names.first, names.second));
  if (!request.html.empty()) {
    html::Page page{.title = fmt::format("{} → {}", names.first, names.second),
                    .command = request.command,
                    .runs = {},
                    .experiment = nullptr,
                    .ended_early = false,
                    .differences = differences_section(differences)};
    page.runs.push_back(html::page_run(first, names.first));
    page.runs.push_back(html::page_run(second, names.second));
    html::write_page(request.html, page);
  }
  for (const std::string& output : {request.json, request.html, request.csv, request.markdown}) {
    if (output == "-") return;
  }
  const Style style = style_for(stdout);
  write_words(comparison_table(first.figures, second.figures, style, names) + '\n' +
              differences_table(differences, style));
}

}  // namespace lanescope::app
