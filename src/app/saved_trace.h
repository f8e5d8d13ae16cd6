// A saved trace, read and analysed.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "analysis/live_analysis.h"
#include "app/reports.h"
#include "io/trace_file.h"

namespace lanescope::app {

struct FileFigures {
  io::OpenedTrace opened;
  std::unique_ptr<analysis::LiveAnalysis> analysis;  ///< of opened.trace, finished
  RunFigures figures;
  FileFacts source;
};
/// Several files become one trace. `in_detail`: with the tables of the JSON and of the page. Throws base::FileError.
FileFigures read_figures(const std::vector<std::filesystem::path>& files, bool in_detail,
                         const std::vector<analysis::Edit>& what_if = {});

}  // namespace lanescope::app
