// The state that the window's panels share, composed of each feature's state. Panels are functions that draw from it
// and change it; they hide no state.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"
#include "inspect/cause.h"
#include "inspect/event_list.h"
#include "inspect/range_figures.h"
#include "inspect/search.h"
#include "model/advice/advice.h"
#include "model/advice/idle_places.h"
#include "model/advice/program_trial.h"
#include "model/advice/try_it.h"
#include "model/code/code_state.h"
#include "model/experiment/settings_history.h"
#include "model/experiment/sweep_state.h"
#include "model/lesson/lesson_state.h"
#include "model/model.h"
#include "model/source/opening.h"
#include "model/timeline/job_state.h"
#include "model/timeline/view_control.h"
#include "picture/font_files.h"
#include "shell/colours.h"
#include "shell/comparison.h"
#include "shell/display.h"
#include "shell/file_dialog.h"
#include "shell/focus_walk.h"
#include "shell/job.h"
#include "shell/lane_hands.h"
#include "shell/looking.h"
#include "shell/navigation.h"
#include "shell/overlays.h"
#include "shell/own_files.h"
#include "shell/picture_state.h"
#include "shell/plots.h"
#include "shell/preferences.h"
#include "shell/presenting.h"
#include "shell/requests.h"
#include "shell/run_controls.h"
#include "shell/scope.h"
#include "shell/selecting.h"
#include "shell/selection_actions.h"
#include "shell/statistics.h"
#include "timeline/lane_layout.h"
#include "timeline/marks.h"

namespace lanescope::ui {

struct ShellState {
  // What is shown.
  Model model;
  Opening opening;  ///< the file being read; until it is ready, the old source stays

  // The timeline: the view, what is pointed at and selected, and what is related to that.
  ViewControl view;
  Timeline timeline;
  std::array<float, kPanes> scroll{};  ///< vertical scroll of its panes' rows
  NavigationState navigation;
  Pointed pointed;
  Selection selection;
  CauseState cause;
  ColourState colours;
  LaneLayout lanes;
  LaneHands lane_hands;
  JobFolder job_folder;
  JobMapView job_map;
  JobState job;
  JobBands job_bands;
  JobPress job_press;
  JobHover job_hover;
  float job_scroll = 0;  ///< many bands are moved up by this
  RankView ranks;
  ScopeState scope;
  LookingState looking;
  Marks marks;
  MarkShapes mark_shapes;           ///< as last drawn
  std::uint64_t marks_written = 0;  ///< Marks::version() of the marks saved beside an opened trace

  // What is shown next to the timeline.
  DrawerTab drawer = DrawerTab::Closed, last_drawer = DrawerTab::Plots;
  bool about_open = false;  ///< the drawer over the lanes with what the experiment, or the trace, is about
  Plots plots;
  SearchState search;
  EventListState event_list;
  RangeFigures range_figures;
  NameFigures name_figures;
  std::optional<CopiedNote> copied;
  StatisticsState statistics;
  AdviceState advice;
  IdlePlaces idle;
  CodeState code;
  TryIt try_it;
  ProgramTrials program_trials;  ///< of a watched program
  Comparison comparison;

  // Controls of the run.
  ExperimentState experiment;
  DeviceMenuState device_menu;
  KnobEditing knob_editing;
  SettingsHistory settings_history;
  SweepState sweep;
  LessonState lesson;
  std::filesystem::path student_file;  ///< where the student's answers are kept; empty: nowhere

  // The window.
  Preferences preferences;
  Presentation presentation;
  bool hide_answers = false;  ///< by hand, see answers_hidden()
  bool full_screen = false;   ///< requested; the window follows
  float content_scale = 1;    ///< of the display
  Overlays overlays;
  FocusWalk focus;
  PictureState pictures;
  FileChoice files;
  OwnFilesState own_files;
  Requests requests;
  /// Of earlier starts, to be offered; empty: none.
  std::filesystem::path crash_report, rescued_run;
  std::optional<Toast> toast;
  TourStep tour = TourStep::Off;
  FrameFigures figures;
  CalmFigures calm;

  /// Something drawn in this frame is still moving. Things that are not drawn never set it.
  bool in_motion = false;
  /// For so many more frames, a text field is about to get the keyboard focus: what is typed is for it.
  int field_awaited = 0;
  void await_field() { field_awaited = 3; }  // what ImGui takes, and one more
  bool selection_first = false;              ///< the details panel begins with the selection instead of the verdict

  /// Where things were drawn in this frame, by name: for tests and for the hints that point to them.
  std::map<std::string, Rect> places;

  /// The factor for all lengths and fonts.
  float scale() const { return preferences.font_scale * content_scale * (presentation.on ? presentation.scale : 1); }
  /// The language of all texts: the user's choice, if there is a font for it.
  base::Language language() const { return has_chinese_font() ? preferences.language : base::Language::English; }
  void show_toast(std::string text, bool error = false) {
    toast = Toast{std::move(text), error, base::now() + std::chrono::seconds(error ? 8 : 5)};
  }
};

}  // namespace lanescope::ui
