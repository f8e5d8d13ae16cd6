// An animation that the window is making: two runs in the background, then one picture after each frame, each encoded
// in the background.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/background_job.h"
#include "render/draw_animation.h"
#include "session/session.h"

namespace lanescope::ui {

struct ShellState;

/// What an animation will show: A and B as they are, or two runs to be made.
struct AnimationPlan {
  Animation animation;                             ///< without its runs, if they are still to be made
  std::array<session::SessionOptions, 2> options;  ///< before and after
  bool run = true;                                 ///< false: the animation has its runs
};

struct AnimationState {
  Animation animation;
  base::BackgroundJob<std::array<SharedSnapshot, 2>> runs;
  std::unique_ptr<AnimationFilm> film;
  base::BackgroundJob<bool> encoding;  ///< of a picture of `film`, which it uses

  bool busy() const { return runs.busy() || film != nullptr; }
  void end();
};

/// The two sides of the experiment that runs, the last turn of a knob, or A and B. Simulated runs are made again;
/// others are never repeated, so they need A and B. Throws base::UsageError: why there is nothing to show.
AnimationPlan plan_animation(const ShellState& state);
/// After a frame: draws one more picture, or has the file written. Needs the GL context. Throws what the runs and the
/// drawing throw, and then no animation is being made any more.
void work_on_animation(ShellState& state);
/// The action: begins one, and why it cannot.
void make_animation(ShellState& state);
std::string no_animation(const ShellState& state);

}  // namespace lanescope::ui
