// The window's content: lays out the panels and carries out requests. Uses ImGui, but no window system.
#pragma once

#include <filesystem>
#include <string_view>

#include "io/png.h"
#include "model/source/source.h"
#include "render/plot_renderer.h"
#include "render/span_renderer.h"
#include "window/canvas.h"

namespace lanescope::ui {

class Shell {
 public:
  explicit Shell(Preferences preferences);

  ShellState& state() { return state_; }
  const ShellState& state() const { return state_; }

  /// One ImGui frame, between NewFrame and Render.
  void draw(const Fonts& fonts);
  /// The panels' backgrounds, to be cleared before the frame is rendered: clearing costs a tenth of drawing them.
  struct Ground {
    Rect area;
    std::uint32_t colour;
  };
  const std::vector<Ground>& grounds() const { return grounds_; }
  /// Carries out the frame's requests. Needs the GL context (pictures).
  void perform_requests();
  /// At program start: an empty window that opens a trace file or "recorded:NAME". Throws base::UsageError for an
  /// unknown recorded run.
  void begin_with_files(const std::vector<std::filesystem::path>& files);
  void begin_with_source(std::unique_ptr<Source> source);  ///< likewise
  /// Starts an experiment's workload with the settings of a side, on the experiment's device or on the real GPU in use.
  /// Throws what Model::start_run() throws.
  void start_experiment(const experiment::Experiment& experiment, experiment::Side side);
  /// Throws base::UsageError for an unknown experiment.
  void start_experiment(std::string_view id_or_name, experiment::Side side);
  /// At program start: starts `experiment` with the options of `session` apart from its workload and settings. An
  /// explicitly requested device is used; "auto" means a GPU of this machine or, without one, the experiment's own
  /// device.
  void begin_with(const experiment::Experiment& experiment, session::SessionOptions session);
  /// Begins a lesson. With a student, the answers are kept in a file in the current folder, and a lesson whose file is
  /// already there goes on. Throws base::UsageError for an impossible name, base::FileError for an unusable file.
  void begin_lesson(const lesson::Lesson& lesson, const std::string& student);
  /// Flips the running experiment: as one turn of its knobs if that is enough, otherwise with a new run.
  void show_side(experiment::Side side);

  bool wants_quit() const { return state_.requests.quit; }
  bool wants_screenshot() const { return state_.requests.screenshot; }
  /// Writes the window's picture to the picture folder; shows the path or the error.
  void save_screenshot(const io::Image& image);
  /// Something on the screen will change without user input.
  bool animating() const;
  /// The same, not counting the progress bars of files being opened, which may move slowly.
  bool moving() const;

 private:
  void begin_view();
  void leave_view();
  void show_view();
  void follow_experiment();
  std::size_t continue_lesson(const lesson::Lesson& lesson, const std::string& student);
  void start_step(std::size_t number);
  void restore_settings(experiment::Side side);
  void follow_lesson();
  void keep_answers();
  void hurry_measurement();
  void adapt_speed();
  void follow_language();
  void start(const Recipe& recipe);
  void begin_anew();
  /// Reads a trace file or "recorded:NAME" in the background, and then shows it.
  void begin_opening(const std::vector<std::filesystem::path>& files);
  void show_opened();
  void show_job_map();
  void draw_presentation(const Canvas& canvas);
  void draw_workbench(const Canvas& canvas);
  void draw_drawers_over_lanes(const Canvas& canvas, const Rect& room);

  ShellState state_;
  std::uint64_t task_seen_ = 0;  // the figures that a task was last checked with
  std::size_t kept_step_ = 0;    // of the lesson, as last written to the student's file
  LessonPhase kept_phase_ = LessonPhase::Reading;
  bool about_was_open_ = false;
  std::uint64_t shown_over_ = 0;  // the generation that the drawers over the lanes were last drawn of
  std::chrono::steady_clock::time_point unsteady_since_{};  // the launch queue fills or drains
  std::size_t unsteady_from_ = 0;                           // iterations then
  std::optional<double> hurried_from_;  // the speed before a measurement that takes long was hurried
  SpanRenderer spans_;
  PlotRenderer plots_;
  std::vector<Ground> grounds_;
};

}  // namespace lanescope::ui
