// The window's content: lays the panels out and carries out what was asked for. Knows ImGui, but no window system.
#pragma once

#include <filesystem>
#include <string_view>

#include "io/png.h"

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
  /// The panels' grounds, to be cleared before the frame is rendered: that costs a tenth of drawing them.
  struct Ground {
    Rect area;
    std::uint32_t colour;
  };
  const std::vector<Ground>& grounds() const { return grounds_; }
  /// Carries out what the frame asked for. Needs the GL context (pictures).
  void perform_requests();
  /// The program's start: an empty window, in which a trace file, or "recorded:NAME", is being opened. Throws
  /// base::UsageError for a recorded run that there is none of.
  void begin_with_file(const std::filesystem::path& path);
  /// Starts an experiment's workload with the settings of a side: on the device it is designed for, or on the real GPU
  /// that is in use. Throws what Model::start_run() throws.
  void start_experiment(const experiment::Experiment& experiment, experiment::Side side);
  /// Throws base::UsageError for an unknown one.
  void start_experiment(std::string_view id_or_name, experiment::Side side);
  /// The program's start: `experiment` with what `session` says beside its workload and settings. A device that was
  /// asked for is taken; "auto" is a GPU of this machine, or the experiment's own device.
  void begin_with(const experiment::Experiment& experiment, session::SessionOptions session);
  /// Flips the experiment that runs: as one turn of its knobs where that is enough, else with a new run.
  void show_side(experiment::Side side);

  bool wants_quit() const { return state_.requests.quit; }
  bool wants_screenshot() const { return state_.requests.screenshot; }
  /// Writes the window's picture into the picture folder; the path, or why not, is shown.
  void save_screenshot(const io::Image& image);
  /// Something on the screen will change without anybody touching it.
  bool animating() const;
  /// The same, the bar of a file that is being opened aside: that one may move slowly.
  bool moving() const;

 private:
  void follow_experiment();
  void adapt_speed();
  void follow_language();
  void start(const Recipe& recipe);
  void begin_anew();
  /// Reads a trace file, or "recorded:NAME", beside the drawing; then it is shown.
  void begin_opening(const std::filesystem::path& path);
  void show_opened();
  void draw_presentation(const Canvas& canvas);
  void draw_workbench(const Canvas& canvas);
  void follow_tour();

  ShellState state_;
  SpanRenderer spans_;
  PlotRenderer plots_;
  std::vector<Ground> grounds_;
};

}  // namespace lanescope::ui
