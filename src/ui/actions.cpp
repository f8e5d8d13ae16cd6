#include "ui/actions.h"

#include <GLFW/glfw3.h>

#include <array>

#include "base/translate.h"

// Marks a text for translation where it stands in a table; it is translated where it is shown.
#define N_(text) text

namespace lanescope::ui {
namespace {

using enum Action;
using enum ActionGroup;
constexpr int kCtrl = GLFW_MOD_CONTROL;
constexpr int kShift = GLFW_MOD_SHIFT;

}  // namespace

std::span<const ActionInfo> actions() {
  static const std::vector<ActionInfo> table{
      {PauseRun, Run, "pause", N_("pause or continue the run"), {{GLFW_KEY_SPACE}}},
      {RestartRun, Run, "restart", N_("start the run again"), {{GLFW_KEY_R}}},
      {Slower, Run, "slower", N_("slow the simulation down"), {{GLFW_KEY_COMMA}}},
      {Faster, Run, "faster", N_("speed the simulation up"), {{GLFW_KEY_PERIOD}}},
      {MoreReads, Run, "log-interval-down", N_("read the loss more often"), {{GLFW_KEY_LEFT_BRACKET}}},
      {FewerReads, Run, "log-interval-up", N_("read the loss less often"), {{GLFW_KEY_RIGHT_BRACKET}}},
      {TogglePinned, Run, "pinned", N_("pinned host memory on or off"), {{GLFW_KEY_P}}},
      {ToggleNonBlocking, Run, "non-blocking", N_("non_blocking copies on or off"), {{GLFW_KEY_N}}},
      {ToggleFeed, Run, "feed", N_("fresh batch every iteration on or off"), {{GLFW_KEY_B}}},
      {DeviceMenu, Run, "device-menu", N_("device menu: GPUs, simulated ones, recorded runs"), {{GLFW_KEY_G}}},
      {Sweep, Run, "sweep", N_("sweep: run with many values of a knob, and see the chart"), {{GLFW_KEY_C}}},
      {Gallery, Run, "gallery", N_("all experiments"), {{GLFW_KEY_E}}},
      {FlipSide, Run, "flip", N_("the experiment's other side: before or after"), {{GLFW_KEY_TAB}}},
      {Roll, View, "roll", N_("roll: the newest at the right edge"), {{GLFW_KEY_1}}},
      {Trigger, View, "trigger", N_("trigger: stand at the start of an iteration"), {{GLFW_KEY_2}}},
      {Single, View, "single", N_("single: take one picture and freeze"), {{GLFW_KEY_3}}},
      {Resume, View, "resume", N_("follow the run again, at this zoom"), {{GLFW_KEY_L}, {GLFW_KEY_HOME}}},
      {ZoomIn, View, "zoom-in", N_("zoom in"), {{GLFW_KEY_W}, {GLFW_KEY_UP}}, true},
      {ZoomOut,
       View,
       "zoom-out",
       N_("zoom out (hold S; a tap takes a screenshot)"),
       {{GLFW_KEY_S}, {GLFW_KEY_DOWN}},
       true},
      {PanLeft, View, "pan-left", N_("earlier"), {{GLFW_KEY_A}, {GLFW_KEY_LEFT}}, true},
      {PanRight, View, "pan-right", N_("later"), {{GLFW_KEY_D}, {GLFW_KEY_RIGHT}}, true},
      {Fit, View, "fit", N_("fit the selection, or everything"), {{GLFW_KEY_F}}},
      {ClearSelection, View, "clear-selection", N_("clear the selection, close what is open"), {{GLFW_KEY_ESCAPE}}},
      {TogglePlotAxis, View, "plot-axis", N_("plots: timeline's axis or history"), {{GLFW_KEY_X}}},
      {Screenshot, Out, "screenshot", N_("picture of the window"), {{GLFW_KEY_S}, {GLFW_KEY_F12}}},
      {TimelinePicture2x, Out, "timeline-picture-2x", N_("picture of the timeline, 2x"), {{GLFW_KEY_S, kShift}}},
      {TimelinePicture4x,
       Out,
       "timeline-picture-4x",
       N_("picture of the timeline, 4x"),
       {{GLFW_KEY_S, kShift | kCtrl}}},
      {SaveTrace, Out, "save-trace", N_("save the trace as JSON"), {{GLFW_KEY_E, kCtrl}}},
      {SaveTraceCompressed,
       Out,
       "save-trace-gz",
       N_("save the trace as JSON, compressed"),
       {{GLFW_KEY_E, kCtrl | kShift}}},
      {ToggleTheme, Window, "theme", N_("dark or light"), {{GLFW_KEY_T}}},
      {ToggleLanguage, Window, "language", N_("experiments in English or Chinese"), {{GLFW_KEY_Z}}},
      {LargerText, Window, "larger-text", N_("larger text"), {{GLFW_KEY_EQUAL, kCtrl}, {GLFW_KEY_KP_ADD, kCtrl}}},
      {SmallerText,
       Window,
       "smaller-text",
       N_("smaller text"),
       {{GLFW_KEY_MINUS, kCtrl}, {GLFW_KEY_KP_SUBTRACT, kCtrl}}},
      {CaptureHealth, Window, "capture-health", N_("capture health: what came, what was lost"), {{GLFW_KEY_H}}},
      {Help, Window, "help", N_("this list of keys"), {{GLFW_KEY_SLASH, kShift}, {GLFW_KEY_F1}}},
      {Quit, Window, "quit", N_("quit"), {{GLFW_KEY_Q, kCtrl}}},
  };
  return table;
}

const ActionInfo& info(Action action) {
  for (const ActionInfo& a : actions()) {
    if (a.action == action) return a;
  }
  return actions().front();
}

std::string key_text(KeyChord chord) {
  std::string text;
  if (chord.key == GLFW_KEY_SLASH && chord.modifiers == kShift) return "?";
  if (chord.modifiers & kCtrl) text += "Ctrl+";
  if (chord.modifiers & kShift) text += "Shift+";
  switch (chord.key) {
    case GLFW_KEY_SPACE:
      return text + base::tr("Space");
    case GLFW_KEY_ESCAPE:
      return text + "Esc";
    case GLFW_KEY_TAB:
      return text + "Tab";
    case GLFW_KEY_HOME:
      return text + base::tr("Home");
    case GLFW_KEY_UP:
      return text + "↑";
    case GLFW_KEY_DOWN:
      return text + "↓";
    case GLFW_KEY_LEFT:
      return text + "←";
    case GLFW_KEY_RIGHT:
      return text + "→";
    case GLFW_KEY_EQUAL:
      return text + "=";
    case GLFW_KEY_MINUS:
      return text + "−";
    default:
      break;
  }
  if (chord.key >= GLFW_KEY_F1 && chord.key <= GLFW_KEY_F25)
    return text + "F" + std::to_string(chord.key - GLFW_KEY_F1 + 1);
  return text + static_cast<char>(chord.key);  // printable keys have their character's number
}

std::string keys_text(const ActionInfo& info) {
  std::string text;
  for (const KeyChord& chord : info.keys) {
    if (chord.key == GLFW_KEY_KP_ADD || chord.key == GLFW_KEY_KP_SUBTRACT) continue;  // another + and −
    text += (text.empty() ? "" : " · ") + key_text(chord);
  }
  return text;
}

const char* group_title(ActionGroup group) {
  switch (group) {
    case Run:
      return base::tr("THE RUN");
    case View:
      return base::tr("THE VIEW");
    case Out:
      return base::tr("PICTURES AND FILES");
    default:
      return base::tr("THE WINDOW");
  }
}

std::span<const Gesture> gestures() {
  static constexpr std::array<Gesture, 7> table{{
      {N_("wheel"), N_("zoom at the cursor (Ctrl: finer, Shift: coarser)")},
      {N_("drag"), N_("pan")},
      {N_("drag on the ruler, or Shift+drag"), N_("select a stretch of time: its figures are on the right")},
      {N_("click"), N_("select an event or a bubble: details on the right, arrow to what it caused")},
      {N_("double-click"), N_("zoom to an event")},
      {N_("wheel over the names"), N_("scroll the lanes")},
      {N_("drop a .json or .json.gz on the window"), N_("open a trace")},
  }};
  return table;
}

}  // namespace lanescope::ui
