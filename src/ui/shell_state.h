// All that the window's panels share. Panels are functions that draw from it and change it; nothing is hidden in them.
#pragma once

#include <array>
#include <chrono>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"

#include "ui/actions.h"
#include "ui/active_experiment.h"
#include "ui/advice/try_it.h"
#include "ui/advice/update_advice.h"
#include "ui/cause/cause.h"
#include "ui/code/code_state.h"
#include "ui/compare/compare_state.h"
#include "ui/compare/compare_view.h"
#include "ui/device_menu.h"
#include "ui/find/event_list.h"
#include "ui/find/range_figures.h"
#include "ui/find/search.h"
#include "ui/gallery_list.h"
#include "ui/ghost.h"
#include "ui/lane_hands.h"
#include "ui/lane_layout.h"
#include "ui/marks/mark_shapes.h"
#include "ui/marks/marks.h"
#include "ui/model.h"
#include "ui/navigation_state.h"
#include "ui/opening.h"
#include "ui/palette_list.h"
#include "ui/picture_state.h"
#include "ui/plot_set.h"
#include "ui/plots_view.h"
#include "ui/preferences.h"
#include "ui/scope/scope_state.h"
#include "ui/sweep_state.h"
#include "ui/timeline.h"
#include "ui/view_control.h"

namespace lanescope::ui {

class SpanRenderer;

/// A short message that goes by itself.
struct Toast {
  std::string text;
  bool error = false;
  std::chrono::steady_clock::time_point until{};
};

/// What the lower part of the middle shows.
enum class DrawerTab : std::uint8_t { Plots, Code, Events, Found, Marks, Statistics /* of the selected stretch */ };

/// What the mouse points at in the timeline, in this frame.
struct Pointed {
  std::optional<TimelineHit> hit;
  std::optional<trace::LaneId> lane;   ///< over its row or its name
  std::optional<Nanoseconds> at;       ///< over the lanes or the ruler
  std::optional<Nanoseconds> snapped;  ///< the same, on the edge of an event where one is near
  std::optional<MarkHit> mark;         ///< a ruler, a bookmark or a note
};

/// The overlay with all experiments.
struct GalleryState {
  bool open = false;
  bool just_opened = false;
  std::string filter;
  GalleryList list;          ///< what the filter leaves
  std::size_t selected = 0;  ///< in the list
  bool scroll_to_selected = false;
  std::string checked;                 ///< the experiment whose machines these are
  experiment::FittedSides machines{};  ///< those that it is told on
};

/// How fast a run must go so that something happens to look at: while it is on, ten times as fast when nothing does.
struct AutoSpeed {
  bool on = false;
  double set = 0;  ///< when the speed is another one, a person has chosen it
  std::size_t iterations = 0;
  std::chrono::steady_clock::time_point since{};
};

enum class TourStep : std::uint8_t { Off, TurnThis, WatchThat, PressS };

/// The menu: groups, and the actions of the chosen one.
struct MenuState {
  bool open = false;
  std::size_t group = 0;
  std::optional<std::size_t> item;  ///< of the group; empty: the groups have the arrow keys
};

/// The panel in which a person changes keys.
struct KeysPanelState {
  bool open = false, just_opened = false;
  std::string filter;
  std::optional<std::pair<Action, std::size_t>> waits_for;  ///< the key (by number) of an action that is to be pressed
  std::optional<KeyChord> pressed;                          ///< it was; the panel takes it
  std::optional<KeyChord> conflict;                         ///< it is another action's: what now?
};

struct FrameFigures {
  double frame_ms = 0;  ///< the work of a frame, smoothed
};

struct ShellState {
  Model model;
  ViewControl view;
  NavigationState navigation;
  Timeline timeline;
  PlotSet plots;
  PlotsView plots_view;
  Selection selection;
  RangeFigures range_figures;
  Pointed pointed;
  ScopeState scope;
  LaneLayout lanes;
  LaneHands lane_hands;
  Marks marks;
  MarkShapes mark_shapes;           ///< as they were drawn last
  std::uint64_t marks_written = 0;  ///< Marks::version() of what is in the file beside an opened trace
  SearchState search;
  EventListState event_list;
  CauseState cause;
  AdviceState advice;
  CodeState code;
  TryIt try_it;
  GhostRun ghost;
  CompareState compare;
  CompareView compare_view;
  std::uint64_t compare_ghost = 0;  ///< the ghost that was pinned together with A
  DrawerTab drawer = DrawerTab::Plots;
  bool go_to_open = false, picture_panel_open = false;
  bool presentation = false;        ///< big type, only the lanes and the verdict
  float presentation_scale = 1.5f;  ///< how much larger everything is then, by the window's height
  bool full_screen = false;         ///< asked for; the window follows
  PaletteState palette;
  MenuState menu;
  KeysPanelState keys_panel;
  Preferences preferences;
  FrameFigures figures;
  float content_scale = 1;  ///< of the display
  std::optional<Toast> toast;
  TourStep tour = TourStep::Off;
  std::optional<ActiveExperiment> experiment;
  std::uint64_t experiment_generation = 0;  ///< the run that it was last told of
  std::uint64_t experiment_summary = 0;     ///< the figures that it was last given
  std::string real_gpu;                     ///< the one in use last, unless a simulated one was chosen since
  AutoSpeed auto_speed;
  GalleryState gallery;
  bool shows_open = false, correction_open = false;  ///< long texts, unfolded
  bool help_open = false;
  bool health_open = false;
  bool device_menu_open = false;
  bool toggle_device_menu = false;  ///< requested; the top bar opens it with fresh lists, or closes it
  std::vector<device::CatalogueEntry> devices;
  std::vector<RecordedCapture> recorded = recorded_captures();
  std::optional<bool> plots_on_timeline_axis;  ///< empty: by the view (roll: the timeline's, else history)
  float scroll = 0;                            ///< of the timeline's rows
  std::string editing_setting;                 ///< the knob whose value is being typed
  std::string edit_text;
  std::vector<Action> requests;                    ///< what was asked for in this frame; performed after it is drawn
  std::optional<session::SessionOptions> new_run;  ///< start this after the frame
  /// Start this experiment, or flip it to this side, after the frame.
  std::optional<std::pair<const experiment::Experiment*, experiment::Side>> wanted_experiment;
  std::optional<experiment::Side> wanted_side;
  std::optional<std::filesystem::path> file_to_open;  ///< open this after the frame
  Opening opening;                                    ///< of the file that is being read; what is shown stays till then
  SweepState sweep;
  PictureState pictures;
  std::future<std::string> saving;  ///< a file that is being written; gives the toast's text

  /// Where things were drawn in this frame, by name: for tests and for the hints that point at them.
  std::map<std::string, Rect> places;

  /// What all lengths and fonts are multiplied by.
  float scale() const { return preferences.font_scale * content_scale * (presentation ? presentation_scale : 1); }
  /// Of everything: as a person has chosen, where there are letters for it.
  base::Language language() const { return has_chinese_font() ? preferences.language : base::Language::English; }
  void show_toast(std::string text, bool error = false);
};

/// What a panel draws with.
struct Canvas {
  ShellState& state;
  const Theme& theme;
  const Fonts& fonts;
  float scale;  ///< font scale; lengths are multiplied by it
  SpanRenderer& spans;
  PlotRenderer& plots;
};

}  // namespace lanescope::ui
