#include "shell/colours.h"

#include "base/time.h"
#include "base/translate.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

constexpr std::chrono::milliseconds kBetweenSamples{500};

bool is_run(const ShellState& state) { return state.model.steering() != nullptr; }

}  // namespace

ColourBy colouring_of(const ShellState& state) {
  return is_run(state) ? state.preferences.colour_by : state.preferences.colour_traces_by;
}

void set_colouring(ShellState& state, ColourBy by) {
  (is_run(state) ? state.preferences.colour_by : state.preferences.colour_traces_by) = by;
}

void update_colours(ShellState& state) {
  ColourState& colours = state.colours;
  colours.colouring.by = colouring_of(state);
  if (colours.generation != state.model.generation()) {
    colours.generation = state.model.generation();
    colours.colouring.scales = {};
    colours.recorded = 0;
  }
  const auto now = base::now();
  const std::uint64_t recorded = state.model.trace().counts().recorded;
  if (colours.colouring.by != ColourBy::Duration || recorded == colours.recorded) return;
  if (colours.recorded > 0 && now - colours.sampled < kBetweenSamples) return;
  colours.recorded = recorded;
  colours.sampled = now;
  colours.colouring.scales = joined(colours.colouring.scales, sampled_scales(state.model.trace()));
}

void colour_by(ShellState& state, ColourBy by) {
  set_colouring(state, by);
  const std::string text = base::tr("colours {}", colour_by_title(by));
  switch (by) {
    case ColourBy::Name:
      return state.show_toast(text + ": " + base::tr("a kernel has the same colour in every run"));
    case ColourBy::Duration:
      return state.show_toast(text + ": " + base::tr("long events stand out, each kind on its own scale"));
    case ColourBy::Stream:
      return state.show_toast(text + ": " + base::tr("a colour for each stream of a GPU"));
    case ColourBy::Thread:
      return state.show_toast(text + ": " + base::tr("a colour for each thread of the CPU"));
    default:
      return state.show_toast(text);
  }
}

}  // namespace lanescope::ui
