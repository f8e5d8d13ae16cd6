// The animation options of a run.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/screen.h"

namespace lanescope::app {

class AnimationArguments {
 public:
  void add_to(CLI::App& app);
  /// Throws base::UsageError for an invalid extension, scale or theme, or if there is no file.
  AnimationOptions options(const CLI::App& app) const;

 private:
  std::string file_, scale_, theme_;
};

}  // namespace lanescope::app
