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
  // scope: the ways to look at a live run
  Roll,
  Trigger,
  Single,
  Average,
  TriggerPanel,
  Resume,
  // view
  ZoomIn,
  ZoomOut,
  PanLeft,
  PanRight,
  ScrollUp,
  ScrollDown,
  Fit,
  FitAll,
  ViewBack,
  ViewForward,
  GoTo,
  ToBegin,
  ToEnd,
  PreviousEvent,
  NextEvent,
  PreviousSameName,
  NextSameName,
  EventAbove,
  EventBelow,
  FollowLink,
  SelectIteration,
  ClearSelection,
  // reading
  AddRuler,
  RemoveRulers,
  PinTooltip,
  AddBookmark,
  AddNote,
  PreviousBookmark,
  NextBookmark,
  MarksList,
  Search,
  NextFound,
  PreviousFound,
  EventList,
  CodeView,
  ShowPlots,
  TogglePlotAxis,
  TogglePlotLog,
  PinGhost,
  PinA,
  UnpinA,
  CompareView,
  CompareAlign,
  RenewB,
  // lanes
  CollapseLane,
  HideLane,
  ShowAllLanes,
  PinLane,
  LaneUp,
  LaneDown,
  TallerLane,
  ShorterLane,
  GroupLanes,
  ResetLanes,
  // out
  Screenshot,
  TimelinePicture2x,
  TimelinePicture4x,
  SelectionPicture,
  PicturePanel,
  CopyPicture,
  ComparisonPicture,
  CopyComparison,
  SaveTrace,
  SaveTraceCompressed,
  // window
  Palette,
  Menu,
  Presentation,
  FullScreen,
  ToggleTheme,
  ToggleAnimation,
  ToggleLanguage,
  LargerText,
  SmallerText,
  CaptureHealth,
  KeysPanel,
  Help,
  Quit,
};
inline constexpr std::size_t kActionCount = static_cast<std::size_t>(Action::Quit) + 1;

enum class ActionGroup : std::uint8_t { Run, Scope, View, Reading, Lanes, Out, Window };
inline constexpr std::size_t kActionGroups = 7;

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

/// The table with the keys that are in force: a person's own where there are any (bindings.h).
std::span<const ActionInfo> actions();
const ActionInfo& info(Action action);
/// The table as it is without anybody's own keys.
std::span<const ActionInfo> standard_actions();
/// For bindings.h: the keys of actions() from now on, in the table's order. No key at all is one {0, 0}, so that every
/// action has a first one to show.
void set_keys(std::vector<std::vector<KeyChord>> keys);
/// "Ctrl+S", "[", "W · ↑"; without a key "–".
std::string keys_text(const ActionInfo& info);
std::string key_text(KeyChord chord);
const char* group_title(ActionGroup group);  ///< "THE RUN"
const char* group_name(ActionGroup group);   ///< "Run", for the menu

/// The mouse, for the ? overlay: gesture and what it does.
struct Gesture {
  const char* gesture;
  const char* text;
};
std::span<const Gesture> gestures();

}  // namespace lanescope::ui
