// What the frame asked for: carried out after it is drawn, because it replaces what the frame draws or needs the
// window.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "experiment/experiment.h"
#include "model/source.h"
#include "shell/actions.h"

namespace lanescope::ui {

struct Requests {
  std::vector<Action> actions;
  std::optional<session::SessionOptions> run;  ///< start this
  std::optional<Recipe> source;                ///< or this
  /// Start this experiment on this side, or flip the one that runs to a side.
  std::optional<std::pair<const experiment::Experiment*, experiment::Side>> experiment;
  std::optional<experiment::Side> side;
  std::optional<std::filesystem::path> file;  ///< open this
  bool screenshot = false, quit = false;
};

}  // namespace lanescope::ui
