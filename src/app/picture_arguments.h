// The picture options, shared by runs and sweeps.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/screen.h"

namespace lanescope::app {

class PictureArguments {
 public:
  /// `what` is what gets written, for the help text. Only a timeline can be an SVG.
  void add_to(CLI::App& app, const char* what, PictureOptions::Of of);
  /// Throws base::UsageError for an invalid extension or theme, or if there is no file.
  PictureOptions options(const CLI::App& app) const;

 private:
  PictureOptions::Of of_ = PictureOptions::Of::Timeline;
  std::string file_, theme_;
};

}  // namespace lanescope::app
