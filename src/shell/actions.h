// Everything the user can do, in one table: the keys, menu, palette, ? overlay and manual are generated from it, and
// all of them ask it what is disabled. A new action is a value of Action and a row in its feature's file, see
// action_rows.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workload/settings.h"

namespace lanescope::ui {

struct ShellState;

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
  UndoTurn,
  RedoTurn,
  DeviceMenu,
  AttachProgram,
  Gallery,
  FlipSide,
  Sweep,
  // lessons and presenting
  Lessons,
  NextStep,
  PreviousStep,
  Reveal,
  AskAgain,
  Hint,
  EndLesson,
  HideAnswers,
  StoryColumn,
  // scope: the ways to look at a live run
  Roll,
  Trigger,
  Single,
  Average,
  TriggerPanel,
  WorstIteration,
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
  // the selection
  ZoomSelection,
  FindSame,
  NameStatistics,
  CopyDetails,
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
  IdleRow1,
  IdleRow2,
  IdleRow3,
  IdleRow4,
  IdleRow5,
  EventList,
  Statistics,
  Ranks,
  CodeView,
  CopyScript,
  CopyLink,
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
  JobBands,
  JobMap,
  ResetLanes,
  // out
  OpenTrace,
  SaveTrace,
  SaveTraceCompressed,
  SaveTraceAs,
  SaveSelection,
  SaveExperiment,
  Screenshot,
  TimelinePicture2x,
  TimelinePicture4x,
  SelectionPicture,
  PicturePanel,
  CopyPicture,
  ComparisonPicture,
  CopyComparison,
  // window
  Palette,
  Menu,
  NextControl,
  PreviousControl,
  Presentation,
  About,
  FullScreen,
  ToggleTheme,
  NextColouring,
  ColourLegend,
  ToggleAnimation,
  ToggleLanguage,
  LargerText,
  SmallerText,
  CaptureHealth,
  Help,
  FirstMinute,
  OpenCrashReports,
  Quit,
};
inline constexpr std::size_t kActionCount = static_cast<std::size_t>(Action::Quit) + 1;

enum class ActionGroup : std::uint8_t { Run, Lesson, Scope, View, Reading, Lanes, Out, Window };
inline constexpr std::size_t kActionGroups = 8;

/// A key and the modifiers held with it, see keys.h.
struct KeyChord {
  int key = 0;
  int modifiers = 0;
  bool operator==(const KeyChord&) const = default;
};

/// Which setting an action turns, and how.
struct SettingTurn {
  workload::SettingAction setting = workload::SettingAction::None;
  int step = 0;  ///< in stops of its slider; 0: to its other value
  bool operator==(const SettingTurn&) const = default;
};

/// A row of the table: everything there is to know about an action.
struct ActionInfo {
  Action action;
  ActionGroup group;
  const char* name;  ///< stable, for the documentation: "screenshot"
  const char* text;  ///< what it does, in words (translated where shown)
  std::vector<KeyChord> keys;
  void (*perform)(ShellState& state);
  /// Why the action is disabled now; empty, or no function: it is enabled. Called while a menu is drawn, so it must be
  /// cheap.
  std::string (*why_disabled)(const ShellState& state) = nullptr;
  /// Called if not disabled: why the action would not quite do what its text says; empty, or no function: it would.
  std::string (*remark)(const ShellState& state) = nullptr;
  /// Acts while the key is down (panning, zooming): called every frame.
  void (*held)(ShellState& state) = nullptr;
  SettingTurn turns{};
};

/// The table with the keys in force, including the user's own (bindings.h).
std::span<const ActionInfo> actions();
const ActionInfo& info(Action action);
/// Performs the action; if it is disabled, only shows why.
void perform(ShellState& state, Action action);
/// The action's key is down in this frame.
void hold(ShellState& state, Action action);
/// Why an action would not have its effect now: it is disabled or has a remark; otherwise empty.
std::string why_without_effect(const ShellState& state, Action action);
/// The action that turns a setting by this step; empty: no key does that.
std::optional<Action> action_for(workload::SettingAction setting, int step);
/// The table without the user's own keys.
std::span<const ActionInfo> standard_actions();
/// For bindings.h: sets the keys of actions(), in the table's order. An action without keys gets one {0, 0}, so that
/// every action has a first key to show.
void set_keys(std::vector<std::vector<KeyChord>> keys);
/// "Ctrl+S", "[", "W · ↑"; empty without a key.
std::string keys_text(const ActionInfo& info);
std::string key_text(KeyChord chord);  ///< "–" for no key
/// "fit (F)"; the text alone if the action has no key.
std::string with_keys(const std::string& text, Action action);
/// Its first key is worth knowing, and therefore in the list of keys. Other keys are those of many programs, or second
/// ones; everything else is found in the palette by its name.
bool is_listed(const ActionInfo& info);
const char* group_title(ActionGroup group);  ///< "THE RUN"
const char* group_name(ActionGroup group);   ///< "Run", for the menu

/// Mouse gestures, for the ? overlay: the gesture and what it does.
struct Gesture {
  const char* gesture;
  const char* text;
};
std::span<const Gesture> gestures();

}  // namespace lanescope::ui
