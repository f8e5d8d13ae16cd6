// Requests made during a frame: carried out after it is drawn, because they replace what the frame draws or need the
// window.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "experiment/experiment.h"
#include "lesson/lesson.h"
#include "model/source/source.h"
#include "shell/actions.h"

namespace lanescope::ui {

struct Requests {
  std::vector<Action> actions;
  std::optional<session::SessionOptions> run;  ///< start this run
  std::optional<Recipe> source;                ///< or start this source
  std::optional<Recipe> attach;                ///< or this program, from the dialog: it closes, or says why not
  /// Start this experiment on this side, or flip the running one to a side.
  std::optional<std::pair<const experiment::Experiment*, experiment::Side>> experiment;
  std::optional<experiment::Side> side;
  const lesson::Lesson* lesson = nullptr;    ///< begin this lesson
  std::optional<std::size_t> step;           ///< go to this step of the lesson
  std::vector<std::filesystem::path> files;  ///< open this file, or these as one trace
  bool as_lanes = false;                     ///< these, even if they are a job of many ranks
  bool job_map = false;                      ///< back to it
  bool screenshot = false, quit = false;
};

}  // namespace lanescope::ui
