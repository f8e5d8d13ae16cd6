#include "ui/actions.h"

#include <GLFW/glfw3.h>

#include <array>

#include "base/translate.h"
#include "ui/bindings.h"

namespace lanescope::ui {
namespace {

using enum Action;
using enum ActionGroup;
constexpr int kCtrl = GLFW_MOD_CONTROL;
constexpr int kShift = GLFW_MOD_SHIFT;
constexpr int kAlt = GLFW_MOD_ALT;

}  // namespace

std::span<const ActionInfo> standard_actions() {
  static const std::vector<ActionInfo> table{
      {PauseRun, Run, "pause", N_("pause or continue the run"), {{GLFW_KEY_SPACE}}},
      {RestartRun, Run, "restart", N_("restart the run"), {{GLFW_KEY_R}}},
      {Slower, Run, "slower", N_("slow the simulation down"), {{GLFW_KEY_MINUS}}},
      {Faster, Run, "faster", N_("speed the simulation up"), {{GLFW_KEY_EQUAL}}},
      {MoreReads, Run, "log-interval-down", N_("read the loss more often"), {{GLFW_KEY_LEFT_BRACKET}}},
      {FewerReads, Run, "log-interval-up", N_("read the loss less often"), {{GLFW_KEY_RIGHT_BRACKET}}},
      {TogglePinned, Run, "pinned", N_("pinned host memory on or off"), {{GLFW_KEY_P}}},
      {ToggleNonBlocking, Run, "non-blocking", N_("non_blocking copies on or off"), {{GLFW_KEY_N}}},
      {ToggleFeed, Run, "feed", N_("fresh batch every iteration on or off"), {{GLFW_KEY_B}}},
      {DeviceMenu, Run, "device-menu", N_("devices: GPUs, simulated devices, recorded runs"), {{GLFW_KEY_G}}},
      {Action::Sweep, Run, "sweep", N_("sweep: many values of a knob in one chart"), {{GLFW_KEY_C}}},
      {Gallery, Run, "gallery", N_("all experiments"), {{GLFW_KEY_E}}},
      {FlipSide, Run, "flip", N_("switch to the experiment's other side"), {{GLFW_KEY_TAB}}},

      {Roll, Scope, "roll", N_("roll: newest events at the right edge"), {{GLFW_KEY_1}}},
      {Trigger, Scope, "trigger", N_("trigger: hold the picture at each trigger"), {{GLFW_KEY_2}}},
      {Single, Scope, "single", N_("single: one picture at the next trigger"), {{GLFW_KEY_3}}},
      {Average, Scope, "average", N_("average of the last pictures, with their spread"), {{GLFW_KEY_4}}},
      {TriggerPanel, Scope, "trigger-panel", N_("trigger settings: source, hold-off, pre-trigger"), {{GLFW_KEY_O}}},
      {Resume, Scope, "resume", N_("follow the run again, at this zoom"), {{GLFW_KEY_L}, {GLFW_KEY_HOME}}},

      {ZoomIn, View, "zoom-in", N_("zoom in"), {{GLFW_KEY_W}, {GLFW_KEY_UP}}, true},
      {ZoomOut, View, "zoom-out", N_("zoom out (S tapped briefly: picture)"), {{GLFW_KEY_S}, {GLFW_KEY_DOWN}}, true},
      {PanLeft, View, "pan-left", N_("pan to earlier"), {{GLFW_KEY_A}, {GLFW_KEY_LEFT}}, true},
      {PanRight, View, "pan-right", N_("pan to later"), {{GLFW_KEY_D}, {GLFW_KEY_RIGHT}}, true},
      {ScrollUp, View, "scroll-up", N_("scroll up to the lanes above"), {{GLFW_KEY_PAGE_UP}}},
      {ScrollDown, View, "scroll-down", N_("scroll down to the lanes below"), {{GLFW_KEY_PAGE_DOWN}}},
      {Fit, View, "fit", N_("centre the selection; again: fit it; else: fit all"), {{GLFW_KEY_F}}},
      {FitAll, View, "fit-all", N_("show the whole run"), {{GLFW_KEY_F, kShift}}},
      {ViewBack, View, "view-back", N_("previous view"), {{GLFW_KEY_Z, kCtrl}, {GLFW_KEY_LEFT, kAlt}}},
      {ViewForward, View, "view-forward", N_("next view"), {{GLFW_KEY_Y, kCtrl}, {GLFW_KEY_RIGHT, kAlt}}},
      {GoTo, View, "go-to", N_("go to a time or an iteration"), {{GLFW_KEY_J}, {GLFW_KEY_G, kCtrl}}},
      {ToBegin, View, "to-begin", N_("go to the start of the run"), {{GLFW_KEY_HOME, kCtrl}}},
      {ToEnd, View, "to-end", N_("go to the end of the run"), {{GLFW_KEY_END}, {GLFW_KEY_END, kCtrl}}},
      {PreviousEvent, View, "previous-event", N_("previous event on the lane"), {{GLFW_KEY_COMMA}}},
      {NextEvent, View, "next-event", N_("next event on the lane"), {{GLFW_KEY_PERIOD}}},
      {PreviousSameName, View, "previous-same", N_("previous event of the same name"), {{GLFW_KEY_COMMA, kShift}}},
      {NextSameName, View, "next-same", N_("next event of the same name"), {{GLFW_KEY_PERIOD, kShift}}},
      {EventAbove, View, "event-above", N_("nearest event on the lane above"), {{GLFW_KEY_UP, kCtrl}}},
      {EventBelow, View, "event-below", N_("nearest event on the lane below"), {{GLFW_KEY_DOWN, kCtrl}}},
      {FollowLink, View, "follow-link", N_("from a call to its GPU work, and back"), {{GLFW_KEY_ENTER}}},
      {SelectIteration, View, "select-iteration", N_("select the iteration it belongs to"), {{GLFW_KEY_I}}},
      {ClearSelection, View, "clear-selection", N_("clear the selection, close open panels"), {{GLFW_KEY_ESCAPE}}},

      {AddRuler, Reading, "ruler", N_("ruler: on the selection, or at the mouse"), {{GLFW_KEY_M}}},
      {RemoveRulers, Reading, "remove-rulers", N_("remove all rulers"), {{GLFW_KEY_M, kShift}}},
      {PinTooltip, Reading, "pin-tooltip", N_("pin the tooltip to the screen"), {{GLFW_KEY_Q}}},
      {AddBookmark, Reading, "bookmark", N_("bookmark: this view, this moment, this lane"), {{GLFW_KEY_K}}},
      {AddNote, Reading, "note", N_("a note at this moment on this lane"), {{GLFW_KEY_K, kShift}}},
      {PreviousBookmark, Reading, "previous-mark", N_("previous bookmark or note"), {{GLFW_KEY_PAGE_UP, kCtrl}}},
      {NextBookmark, Reading, "next-mark", N_("next bookmark or note"), {{GLFW_KEY_PAGE_DOWN, kCtrl}}},
      {MarksList, Reading, "marks", N_("list of rulers, bookmarks and notes"), {{GLFW_KEY_V, kShift}}},
      {Search, Reading, "search", N_("search events by name"), {{GLFW_KEY_SLASH}, {GLFW_KEY_F, kCtrl}}},
      {NextFound, Reading, "next-found", N_("next event found"), {{GLFW_KEY_F3}}},
      {PreviousFound, Reading, "previous-found", N_("previous event found"), {{GLFW_KEY_F3, kShift}}},
      {EventList, Reading, "event-list", N_("list of events, linked to the timeline"), {{GLFW_KEY_V}}},
      {CodeView, Reading, "code-view", N_("code view: what each statement costs"), {{GLFW_KEY_F4}}},
      {ShowPlots, Reading, "plots", N_("show the plots"), {{GLFW_KEY_V, kCtrl}}},
      {TogglePlotAxis, Reading, "plot-axis", N_("plots: timeline axis or history"), {{GLFW_KEY_X}}},
      {TogglePlotLog, Reading, "plot-log", N_("plots: logarithmic or linear"), {{GLFW_KEY_X, kShift}}},
      {PinGhost, Reading, "ghost", N_("keep this run's curves as a ghost; again: remove"), {{GLFW_KEY_Y}}},
      {PinA, Reading, "pin-a", N_("pin this run as A; what runs next is B"), {{GLFW_KEY_A, kShift}}},
      {UnpinA, Reading, "unpin-a", N_("unpin A"), {{GLFW_KEY_A, kShift | kCtrl}}},
      {Action::CompareView, Reading, "compare", N_("compare A and B on one clock"), {{GLFW_KEY_B, kShift}}},
      {Action::CompareAlign,
       Reading,
       "compare-align",
       N_("A and B: align by iteration or by time"),
       {{GLFW_KEY_B, kAlt}}},
      {RenewB, Reading, "renew-b", N_("measure B again, from now on"), {{GLFW_KEY_B, kCtrl}}},

      {CollapseLane, Lanes, "collapse", N_("fold or unfold the lane under the mouse"), {{GLFW_KEY_BACKSLASH}}},
      {HideLane, Lanes, "hide-lane", N_("hide the lane under the mouse"), {{GLFW_KEY_DELETE}}},
      {ShowAllLanes, Lanes, "show-lanes", N_("show all hidden lanes"), {{GLFW_KEY_DELETE, kShift}}},
      {PinLane, Lanes, "pin-lane", N_("pin the lane to the top, or unpin it"), {{GLFW_KEY_APOSTROPHE}}},
      {LaneUp, Lanes, "lane-up", N_("move the lane up"), {{GLFW_KEY_UP, kAlt}}},
      {LaneDown, Lanes, "lane-down", N_("move the lane down"), {{GLFW_KEY_DOWN, kAlt}}},
      {TallerLane, Lanes, "taller", N_("taller lane"), {{GLFW_KEY_EQUAL, kShift}}},
      {ShorterLane, Lanes, "shorter", N_("shorter lane"), {{GLFW_KEY_MINUS, kShift}}},
      {GroupLanes, Lanes, "group", N_("group lanes by stream, process or device, or not"), {{GLFW_KEY_U}}},
      {ResetLanes, Lanes, "reset-lanes", N_("reset the lanes"), {{GLFW_KEY_U, kShift}}},

      {Screenshot, Out, "screenshot", N_("picture of the window"), {{GLFW_KEY_S}, {GLFW_KEY_F12}}},
      {TimelinePicture2x, Out, "timeline-picture-2x", N_("picture of the timeline, 2x"), {{GLFW_KEY_S, kShift}}},
      {TimelinePicture4x,
       Out,
       "timeline-picture-4x",
       N_("picture of the timeline, 4x"),
       {{GLFW_KEY_S, kShift | kCtrl}}},
      {SelectionPicture, Out, "selection-picture", N_("picture of the selection, 2x"), {{GLFW_KEY_S, kAlt}}},
      {PicturePanel, Out, "picture-panel", N_("picture: content, format, scale, caption"), {{GLFW_KEY_S, kCtrl}}},
      {CopyPicture, Out, "copy-picture", N_("copy a picture of the timeline"), {{GLFW_KEY_C, kCtrl}}},
      {ComparisonPicture,
       Out,
       "comparison-picture",
       N_("picture of A and B with their figures, 2x"),
       {{GLFW_KEY_B, kCtrl | kShift}}},
      {CopyComparison,
       Out,
       "copy-comparison",
       N_("copy the figures of A and B (Markdown)"),
       {{GLFW_KEY_C, kCtrl | kShift}}},
      {SaveTrace, Out, "save-trace", N_("save the trace as JSON"), {{GLFW_KEY_E, kCtrl}}},
      {SaveTraceCompressed,
       Out,
       "save-trace-gz",
       N_("save the trace as JSON, compressed"),
       {{GLFW_KEY_E, kCtrl | kShift}}},

      {Palette,
       Window,
       "palette",
       N_("find and run any command by name"),
       {{GLFW_KEY_P, kCtrl | kShift}, {GLFW_KEY_K, kCtrl}}},
      {Menu, Window, "menu", N_("open the menu"), {{GLFW_KEY_F10}}},
      {Presentation, Window, "presentation", N_("presentation: large text, lanes and verdict"), {{GLFW_KEY_F5}}},
      {FullScreen, Window, "full-screen", N_("full screen"), {{GLFW_KEY_F11}}},
      {ToggleTheme, Window, "theme", N_("theme: dark, light or high contrast"), {{GLFW_KEY_T}}},
      {ToggleAnimation, Window, "animation", N_("animation on or off"), {{GLFW_KEY_T, kShift}}},
      {ToggleLanguage, Window, "language", N_("language: English or Chinese"), {{GLFW_KEY_Z}}},
      {LargerText, Window, "larger-text", N_("larger text"), {{GLFW_KEY_EQUAL, kCtrl}, {GLFW_KEY_KP_ADD, kCtrl}}},
      {SmallerText,
       Window,
       "smaller-text",
       N_("smaller text"),
       {{GLFW_KEY_MINUS, kCtrl}, {GLFW_KEY_KP_SUBTRACT, kCtrl}}},
      {CaptureHealth, Window, "capture-health", N_("capture health: what arrived, what was lost"), {{GLFW_KEY_H}}},
      {KeysPanel, Window, "change-keys", N_("change the keys"), {{GLFW_KEY_F2}}},
      {Help, Window, "help", N_("this list of keys"), {{GLFW_KEY_SLASH, kShift}, {GLFW_KEY_F1}}},
      {Quit, Window, "quit", N_("quit"), {{GLFW_KEY_Q, kCtrl}}},
  };
  return table;
}

// The window draws and presses keys on one thread.
static std::vector<ActionInfo>& table_in_force() {
  static std::vector<ActionInfo> table(standard_actions().begin(), standard_actions().end());
  return table;
}

std::span<const ActionInfo> actions() { return table_in_force(); }

void set_keys(std::vector<std::vector<KeyChord>> keys) {
  std::vector<ActionInfo>& table = table_in_force();
  for (std::size_t i = 0; i < table.size() && i < keys.size(); ++i) {
    table[i].keys = std::move(keys[i]);
    if (table[i].keys.empty()) table[i].keys.push_back({});
  }
}

const ActionInfo& info(Action action) {
  for (const ActionInfo& a : actions()) {
    if (a.action == action) return a;
  }
  return actions().front();
}

std::string key_text(KeyChord chord) {
  std::string text;
  if (chord.key == 0) return "–";
  if (chord.key == GLFW_KEY_SLASH && chord.modifiers == kShift) return "?";
  if (chord.modifiers & kCtrl) text += "Ctrl+";
  if (chord.modifiers & kAlt) text += "Alt+";
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
    case GLFW_KEY_END:
      return text + base::tr("End");
    case GLFW_KEY_PAGE_UP:
      return text + base::tr("PgUp");
    case GLFW_KEY_PAGE_DOWN:
      return text + base::tr("PgDn");
    case GLFW_KEY_DELETE:
      return text + base::tr("Del");
    case GLFW_KEY_ENTER:
      return text + base::tr("Enter");
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
    case GLFW_KEY_BACKSPACE:
      return text + base::tr("Backspace");
    case GLFW_KEY_INSERT:
      return text + base::tr("Ins");
    default:
      break;
  }
  if (chord.key >= 128 && (chord.key < GLFW_KEY_F1 || chord.key > GLFW_KEY_F25)) return chord_name(chord);
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
      return base::tr("RUN");
    case Scope:
      return base::tr("SCOPE");
    case View:
      return base::tr("VIEW");
    case Reading:
      return base::tr("READING");
    case Lanes:
      return base::tr("LANES");
    case Out:
      return base::tr("PICTURES AND FILES");
    default:
      return base::tr("WINDOW");
  }
}

const char* group_name(ActionGroup group) {
  switch (group) {
    case Run:
      return base::tr("Run");
    case Scope:
      return base::tr("Scope");
    case View:
      return base::tr("View");
    case Reading:
      return base::tr("Reading");
    case Lanes:
      return base::tr("Lanes");
    case Out:
      return base::tr("Pictures and files");
    default:
      return base::tr("Window");
  }
}

std::span<const Gesture> gestures() {
  static constexpr std::array<Gesture, 13> table{{
      {N_("wheel"), N_("zoom at the cursor (Ctrl: finer, Shift: coarser); sideways: pan")},
      {N_("drag"), N_("pan; let go while moving to glide on")},
      {N_("drag on the ruler"), N_("select a time range; its figures are on the right")},
      {N_("Shift+drag"), N_("the same, for the lanes it touches; edges snap to events (Alt: no snapping)")},
      {N_("drag an edge of the range"), N_("move it")},
      {N_("Ctrl+drag, or the middle button"), N_("zoom to the dragged range (Esc: cancel)")},
      {N_("Alt+drag, or Ctrl and the middle button"), N_("zoom out: the view shrinks into the dragged range")},
      {N_("click"), N_("select an event or a bubble: details on the right, an arrow to what it caused")},
      {N_("double-click"), N_("zoom to an event")},
      {N_("wheel over the lane names"), N_("scroll the lanes")},
      {N_("whole run: click, or drag beside the window"), N_("go there; show that range")},
      {N_("whole run: drag the window, or its edges"), N_("move the view; make it wider or narrower")},
      {N_("drop a .json or .json.gz on the window"), N_("open a trace")},
  }};
  return table;
}

}  // namespace lanescope::ui
