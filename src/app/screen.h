// What needs OpenGL: the window, and pictures. A build for servers has neither (no_screen.cpp) and says so.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "experiment/experiment.h"
#include "experiment/measured_run.h"
#include "experiment/sweep.h"
#include "io/chrome_trace.h"
#include "session/session.h"

namespace lanescope::app {

/// `lanescope`: the window.
struct WindowRequest {
  session::SessionOptions session;
  std::string open;                        ///< show this trace instead of a run; empty: a run
  std::string theme;                       ///< empty: as remembered
  std::optional<base::Language> language;  ///< empty: as remembered
  std::filesystem::path shader_dir;
  /// Start with this one (its id): on session.device ("auto": a GPU of this machine, or the one it is designed for),
  /// with session.assignments over its own settings. Empty: with the session.
  std::string experiment;
  bool plain = false;  ///< a workload was named: no experiment
  experiment::Side side = experiment::Side::Before;
};

/// Throws base::UsageError when this build has no window, or the theme is unknown.
void check_window(const WindowRequest& request);
void show_window(const WindowRequest& request);

enum class WindowMeasure : std::uint8_t { Frames, Rest };
/// One line of JSON, for the benchmarks.
std::string measure_window(WindowMeasure what, const WindowRequest& request);

/// A picture that a command writes.
struct PictureOptions {
  enum class Of : std::uint8_t { Timeline, Sweep };
  std::filesystem::path file;  ///< .png or .svg; empty: none is wanted
  Of of = Of::Timeline;
  float scale = 2;
  bool caption = true;
  std::string theme;  ///< empty: dark
};

/// Throws base::UsageError for a file's ending or a theme that is not possible.
void check_picture(const PictureOptions& options);

/// Draws runs below each other into a PNG or SVG, two of them as A and B with the table of differences. Made before the
/// runs, since a machine without OpenGL should not have to run first; an SVG needs none.
class Painter {
 public:
  explicit Painter(const PictureOptions& options);  ///< throws base::FileError or base::UsageError
  ~Painter();
  struct Part {
    const experiment::MeasuredRun* run = nullptr;
    std::string title;  ///< of both, where there are two; empty: the workload's
    std::string label;  ///< which of them it is; empty: what is set tells
  };
  void write(std::span<const Part> parts);

 private:
  bool write_both(const Part& a, const Part& b);

  class Canvas;
  PictureOptions options_;
  std::unique_ptr<Canvas> canvas_;
};

/// A timeline to stand in a page that follows the reader's theme.
struct TimelineSvg {
  struct Paint {
    std::uint32_t dark = 0, light = 0;  ///< the bytes R, G, B, A from the lowest
  };
  std::string svg;            ///< an <svg> element; empty: this build draws none
  std::vector<Paint> paints;  ///< the variables of the page that it uses: --PREFIX0, --PREFIX1, ...
};
struct TimelineView {
  const trace::Trace* trace = nullptr;
  const analysis::LiveAnalysis* analysis = nullptr;  ///< of the trace
  base::Nanoseconds from_ns = 0, to_ns = 0;
  io::RunFacts facts;
  std::optional<analysis::Bubble> path_to;  ///< with the path that leads to this bubble
  int width = 1080;
  std::string prefix, alt;
};
TimelineSvg draw_timeline(const TimelineView& view);

/// Draws the chart of a sweep into a PNG. Made before the runs, as a Painter is.
class SweepPainter {
 public:
  explicit SweepPainter(const PictureOptions& options);  ///< throws base::FileError or base::UsageError
  ~SweepPainter();
  /// `headline` empty: the workload's title.
  void write(const experiment::SweepSpec& spec, std::span<const experiment::SweepPoint> points, const std::string& unit,
             const std::string& headline);

 private:
  class Canvas;
  PictureOptions options_;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace lanescope::app
