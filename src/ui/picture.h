// The timeline as a picture of its own, at any scale, as PNG or SVG, with or without a caption that says what it shows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "analysis/summary.h"
#include "io/chrome_trace.h"
#include "io/png.h"
#include "trace/trace.h"
#include "ui/cause/cause.h"
#include "ui/find/search.h"
#include "ui/lane_layout.h"
#include "ui/marks/marks.h"
#include "ui/picture_sheet.h"
#include "ui/theme.h"
#include "ui/timeline.h"

namespace lanescope::ui {

inline constexpr float kLeastPictureScale = 0.5f, kMostPictureScale = 8;
inline constexpr int kMostPictureSide = 16'384;
inline constexpr std::int64_t kMostPicturePixels = std::int64_t{1} << 27;  ///< half a gigabyte

enum class PictureFormat : std::uint8_t { Png, Svg };
/// ".png"
const char* picture_extension(PictureFormat format);
/// By the file's ending, in capitals or not; throws base::UsageError: the file, and what is allowed.
PictureFormat picture_format(const std::filesystem::path& path);

/// What a person did to a timeline, drawn as it is in the window. Of a run without a window there is none of it.
struct PictureOverlay {
  LaneLayout layout;
  Selection selection;
  Marks marks;
  CauseState cause;
  const SearchState* found = nullptr;
  const AveragePicture* average = nullptr;
  trace::Nanoseconds average_at = 0;
  std::optional<trace::Nanoseconds> trigger;       ///< its flag stands there
  std::optional<trace::Nanoseconds> label_origin;  ///< of the ruler; else the part's beginning
  std::vector<trace::OpenCall> open_calls;
  trace::Nanoseconds now = 0;  ///< how far these reach
};

/// One timeline in the picture; several are drawn below each other at the same time scale, each from its own left edge.
struct PicturePart {
  const trace::Trace* trace = nullptr;
  trace::Nanoseconds from_ns = 0, to_ns = 0;
  std::string title;          ///< "Log interval 1"
  analysis::Summary summary;  ///< its figures are written beside the title
  io::RunFacts facts;
  const analysis::LiveAnalysis* analysis = nullptr;  ///< has read the trace; none: it is read for the picture
  std::optional<trace::Nanoseconds> live_edge;       ///< what is newer is not known; else to_ns
  PictureOverlay over;
};

struct PictureRequest {
  std::vector<PicturePart> parts;
  ThemeName theme = ThemeName::Dark;
  int width = 1600;      ///< logical pixels
  float scale = 2;       ///< pixels per logical pixel, kLeastPictureScale to kMostPictureScale
  std::string headline;  ///< over all parts; empty: the workload's title
  bool caption = true;   ///< off: the lanes alone; what is simulated says so all the same
};

/// In pixels. All lanes have the height that they want, whatever the window had room for.
struct PictureSize {
  int width = 0, height = 0;
};
PictureSize picture_size(const PictureRequest& request);
/// Throws base::UsageError for a scale out of range, base::FileError for a picture that would be too large, with the
/// scale at which it would not be.
void check_picture(const PictureRequest& request);
void check_picture_size(const PictureSize& size, float scale);

/// Needs a current OpenGL context, or makes one without a window. Throws base::FileError when there is no OpenGL, and
/// what check_picture() throws.
io::Image draw_picture(const PictureRequest& request);
/// The same as SVG, without OpenGL. The scale is that of its size; it is sharp at any.
std::string draw_picture_svg(const PictureRequest& request);
/// The picture as plain data, measured with these fonts.
PictureSheet picture_sheet(const PictureRequest& request, const Fonts& fonts);
/// Writes PNG or SVG, as the file's ending says, with the facts of picture_text().
void write_picture(const std::filesystem::path& path, const PictureRequest& request);

/// The facts that go into the PNG's text chunks and the SVG's metadata: workload, settings, device, simulated, figures.
std::map<std::string, std::string> picture_text(const PictureRequest& request);

/// A good stretch of a trace to show: `iterations` of them from the middle of the run, or the whole when there are
/// none.
std::pair<trace::Nanoseconds, trace::Nanoseconds> typical_range(const trace::Trace& trace, int iterations);

}  // namespace lanescope::ui
