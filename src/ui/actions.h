// Everything a person can do, in one table: key bindings, the ? overlay and the manual are made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanescope::ui {

enum class Action : std::uint8_t {
  // run
  PauseRun,
  RestartRun,
  Faster,
  Slower,
  FewerReads,
  MoreReads,
  TogglePinned,
  ToggleNonBlocking,
  ToggleFeed,
  DeviceMenu,
  Gallery,
  FlipSide,
  Sweep,
  // view
  Roll,
  Trigger,
  Single,
  Resume,
  ZoomIn,
  ZoomOut,
  PanLeft,
  PanRight,
  Fit,
  ClearSelection,
  TogglePlotAxis,
  // out
  Screenshot,
  TimelinePicture2x,
  TimelinePicture4x,
  SaveTrace,
  SaveTraceCompressed,
  // window
  ToggleTheme,
  ToggleLanguage,
  LargerText,
  SmallerText,
  CaptureHealth,
  Help,
  Quit,
};

enum class ActionGroup : std::uint8_t { Run, View, Out, Window };

/// A key as GLFW numbers it, with GLFW's modifier bits.
struct KeyChord {
  int key = 0;
  int modifiers = 0;
  bool operator==(const KeyChord&) const = default;
};

struct ActionInfo {
  Action action;
  ActionGroup group;
  const char* name;  ///< stable, for the documentation: "screenshot"
  const char* text;  ///< what it does, for a person (translated where it is shown)
  std::vector<KeyChord> keys;
  bool held = false;  ///< acts for as long as the key is down (panning, zooming)
};

std::span<const ActionInfo> actions();
const ActionInfo& info(Action action);
/// "Ctrl+S", "[", "W or ↑".
std::string keys_text(const ActionInfo& info);
std::string key_text(KeyChord chord);
const char* group_title(ActionGroup group);

/// The mouse, for the ? overlay: gesture and what it does.
struct Gesture {
  const char* gesture;
  const char* text;
};
std::span<const Gesture> gestures();

}  // namespace lanescope::ui
