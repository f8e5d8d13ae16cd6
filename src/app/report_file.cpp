#include "app/report_file.h"

#include <string>

#include "app/html_page.h"
#include "app/outputs.h"
#include "app/read_figures.h"
#include "app/run_report.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/translate.h"

namespace lanescope::app {

void report_file(const ReportRequest& request) {
  check_outputs({request.json, request.html, request.trace});
  check_not_input({request.json, request.html, request.trace}, request.files);
  const FileFigures file = read_figures(request.files, !request.json.empty() || !request.html.empty());
  const io::OpenedTrace& opened = file.opened;
  if (!request.html.empty() && opened.trace->counts().recorded == 0) {
    throw base::FileError(base::tr("{}: it has no events to show on a page", file.source.path));
  }
  if (!request.trace.empty()) {
    io::write_trace(request.trace, *opened.trace, opened.facts, opened.health ? &*opened.health : nullptr);
  }
  write_json(request.json, request.json.empty() ? std::string() : written(file_json(file.figures, file.source)));
  if (!request.html.empty()) {
    html::Page page{.title = {}, .command = request.command, .runs = {}, .experiment = nullptr, .ended_early = false};
    page.runs.push_back(html::page_run(file, {}));
    html::write_page(request.html, page);
  }
  if (request.json != "-" && request.html != "-") {
    write_words(file_table(file.figures, file.source, style_for(stdout)));
  }
}

}  // namespace lanescope::app
