// The options for pictures, which runs and sweeps share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/screen.h"

namespace lanescope::app {

class PictureArguments {
 public:
  /// `what` is written: for the help. Only a timeline has a caption to leave out, and can be an SVG.
  void add_to(CLI::App& app, const char* what, PictureOptions::Of of);
  /// Throws base::UsageError: an ending, a scale or a theme that is not possible, or no file.
  PictureOptions options(const CLI::App& app) const;

 private:
  PictureOptions::Of of_ = PictureOptions::Of::Timeline;
  std::string file_, scale_, theme_;
  bool no_caption_ = false;
};

}  // namespace lanescope::app
