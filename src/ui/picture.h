// The timeline as a picture of its own, drawn offscreen at any scale, with a caption that says what it shows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/summary.h"
#include "io/chrome_trace.h"
#include "io/png.h"
#include "trace/trace.h"
#include "ui/theme.h"

namespace lanescope::ui {

/// One timeline in the picture; several are drawn below each other at the same time scale, each from its own left edge.
struct PicturePart {
  const trace::Trace* trace = nullptr;
  trace::Nanoseconds from_ns = 0, to_ns = 0;
  std::string title;          ///< "Log interval 1"
  analysis::Summary summary;  ///< its figures are written beside the title
  io::RunFacts facts;
};

struct PictureRequest {
  std::vector<PicturePart> parts;
  ThemeName theme = ThemeName::Dark;
  int width = 1600;      ///< logical pixels
  float scale = 2;       ///< pixels per logical pixel: 1 to 4
  std::string headline;  ///< over all parts; empty: the workload's title
};

/// Needs a current OpenGL context, or makes one without a window. Throws base::FileError when there is no OpenGL.
io::Image draw_picture(const PictureRequest& request);

/// The facts that go into the PNG's text chunks: workload, settings, device, simulated, figures.
std::map<std::string, std::string> picture_text(const PictureRequest& request);

/// A good stretch of a trace to show: `iterations` of them from the middle of the run, or the whole when there are
/// none.
std::pair<trace::Nanoseconds, trace::Nanoseconds> typical_range(const trace::Trace& trace, int iterations);

}  // namespace lanescope::ui
