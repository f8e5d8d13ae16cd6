// What needs OpenGL: the window, and pictures. A server build has neither (no_graphics.cpp) and reports that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "experiment/experiment.h"
#include "experiment/measured_run.h"
#include "experiment/session.h"
#include "experiment/sweep.h"
#include "lesson/lesson.h"
#include "trace/run_facts.h"

namespace lanescope::ui {
class Source;
}

namespace lanescope::app {

/// `lanescope`: the window.
struct WindowRequest {
  session::SessionOptions session;
  std::vector<std::filesystem::path> open;      ///< trace, or traces, to show instead of a run; empty: a run
  std::optional<std::size_t> memory_cap_bytes;  ///< for events; empty: from the preferences
  std::string theme;                            ///< empty: from the preferences
  std::optional<base::Language> language;       ///< empty: from the preferences
  std::filesystem::path shader_dir;
  /// Id of the experiment to start with, on session.device ("auto": a GPU of this machine, or the device it is designed
  /// for), with session.assignments over its own settings. Empty: start with the session.
  std::string experiment;
  const lesson::Lesson* lesson = nullptr;  ///< begin with this lesson instead
  std::string student;                     ///< whose answers are kept
  bool plain = false;                      ///< a workload was given, so no experiment
  /// Show this instead of a run (watched_window.h). It is given how much memory its events may take up.
  std::function<std::unique_ptr<ui::Source>(std::size_t memory_bytes)> source;
  experiment::Side side = experiment::Side::Before;
};

/// Throws base::UsageError if this build has no window, or the theme is unknown.
void check_window(const WindowRequest& request);
void show_window(const WindowRequest& request);

enum class WindowMeasure : std::uint8_t { Frames, LargeFrames, Rest, Start };
/// Returns one line of JSON, for benchmarks.
std::string measure_window(WindowMeasure what, const WindowRequest& request);

/// A picture to be written by a command.
struct PictureOptions {
  enum class Content : std::uint8_t { Timeline, Sweep };
  std::filesystem::path file;  ///< .png or .svg; empty: no picture
  Content content = Content::Timeline;
  std::string theme;  ///< empty: dark
};

/// Throws base::UsageError for an invalid file extension or theme.
void check_picture(const PictureOptions& options);

/// Draws runs one below the other to a PNG or SVG; two of them as A and B with the table of differences. Created before
/// the runs, so that a machine without OpenGL fails early; an SVG needs none.
class Painter {
 public:
  explicit Painter(const PictureOptions& options);  ///< throws base::FileError or base::UsageError
  ~Painter();
  struct Part {
    const experiment::MeasuredRun* run = nullptr;
    std::string title;  ///< of both, if there are two; empty: the workload's title
    std::string label;  ///< of this run; empty: derived from its settings
  };
  void write(std::span<const Part> parts);

 private:
  bool write_both(const Part& a, const Part& b);

  class Canvas;
  PictureOptions options_;
  std::unique_ptr<Canvas> canvas_;
};

/// A timeline for a page that follows the reader's theme.
struct TimelineSvg {
  struct Paint {
    std::uint32_t dark = 0, light = 0;  ///< bytes R, G, B, A, starting with the lowest
  };
  std::string svg;            ///< an <svg> element; empty: this build cannot draw
  std::vector<Paint> paints;  ///< the CSS variables it uses: --PREFIX0, --PREFIX1, ...
};
struct TimelineView {
  const trace::Trace* trace = nullptr;
  const analysis::LiveAnalysis* analysis = nullptr;  ///< of the trace
  base::Nanoseconds from_ns = 0, to_ns = 0;
  trace::RunFacts facts;
  std::optional<analysis::Bubble> path_to;  ///< also draw the path that leads to this bubble
  int width = 1080;
  bool low = false;  ///< for a small picture: no headings of groups, and lanes without events as strips
  std::string prefix, alt;
};
TimelineSvg draw_timeline(const TimelineView& view);

/// Draws a sweep's chart to a PNG. Created before the runs, like a Painter.
class SweepPainter {
 public:
  explicit SweepPainter(const PictureOptions& options);  ///< throws base::FileError or base::UsageError
  ~SweepPainter();
  /// An empty `headline` means the workload's title.
  void write(const experiment::SweepSpec& spec, std::span<const experiment::SweepPoint> points, const std::string& unit,
             const std::string& headline);

 private:
  class Canvas;
  PictureOptions options_;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace lanescope::app
