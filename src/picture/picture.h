// The timeline as a picture at any scale, as PNG or SVG, with an optional caption that describes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "analysis/summary.h"
#include "inspect/cause.h"
#include "inspect/search.h"
#include "timeline/job_bands.h"
#include "timeline/lane_layout.h"
#include "timeline/marks.h"
#include "timeline/span_batch.h"
#include "timeline/text.h"
#include "timeline/theme.h"
#include "timeline/timeline.h"
#include "trace/run_facts.h"
#include "trace/trace.h"

namespace lanescope::ui {

// --- picture sheet ---------------------------------------------------------------------------------------------------
// A picture as plain data: the source of both PNG and SVG, and readable by tests.

/// Spans with labels above them, and ribbons above these, clipped to `clip`.
struct PictureLayer {
  Rect clip;
  SpanBatch batch;
  std::vector<JobRibbon> ribbons{};
};

/// Layers from the bottom up, on a uniform background. Logical pixels.
struct PictureSheet {
  float width = 0, height = 0;
  std::uint32_t ground = 0;
  std::vector<PictureLayer> layers;
};

// --- picture ---------------------------------------------------------------------------------------------------------

inline constexpr float kLeastPictureScale = 0.5f, kMostPictureScale = 8;
inline constexpr int kMostPictureSide = 16'384;
inline constexpr std::int64_t kMostPicturePixels = std::int64_t{1} << 27;  ///< half a gigabyte

enum class PictureFormat : std::uint8_t { Png, Svg };
/// ".png"
const char* picture_extension(PictureFormat format);
/// By the file's extension, ignoring case. Throws base::UsageError with the file and the valid extensions.
PictureFormat picture_format(const std::filesystem::path& path);

/// The bands of several GPUs.
struct PictureJob {
  const analysis::Collectives* collectives = nullptr;
  std::vector<JobBand> bands;           ///< from the top; none: nothing is drawn
  std::optional<std::size_t> selected;  ///< among the collectives
  std::string heading, sentence;        ///< above them
};

/// The user's changes to a timeline, drawn as in the window. Empty for a run without a window.
struct PictureOverlay {
  LaneLayout layout;
  Selection selection;
  Marks marks;
  CauseState cause;
  const SearchState* found = nullptr;
  const AveragePicture* average = nullptr;
  trace::Nanoseconds average_at = 0;
  std::optional<trace::Nanoseconds> trigger;       ///< where its flag is drawn
  std::optional<trace::Nanoseconds> label_origin;  ///< of the ruler; empty: the part's start
  std::vector<trace::OpenCall> open_calls;
  trace::Nanoseconds now = 0;  ///< end of the open calls
  Colouring colouring;
  PictureJob job;
};

/// One timeline in the picture. Several are drawn one below the other at the same time scale, each from its own left
/// edge.
struct PicturePart {
  const trace::Trace* trace = nullptr;
  trace::Nanoseconds from_ns = 0, to_ns = 0;
  std::string title;          ///< "Log interval 1"
  analysis::Summary summary;  ///< its figures are shown beside the title
  trace::RunFacts facts;
  const analysis::LiveAnalysis* analysis = nullptr;  ///< must have read the trace; null: the trace is analysed for the
                                                     ///< picture
  std::optional<trace::Nanoseconds> live_edge;       ///< what is newer is unknown; empty: to_ns
  PictureOverlay over;
};

struct PictureRequest {
  std::vector<PicturePart> parts;
  ThemeName theme = ThemeName::Dark;
  int width = 1600;      ///< logical pixels
  float scale = 2;       ///< pixels per logical pixel, kLeastPictureScale to kMostPictureScale
  std::string headline;  ///< above all parts; empty: the workload's title
  bool caption = true;   ///< off: only the lanes; simulated runs are still marked
};

/// In pixels. All lanes have their full height, regardless of the space in the window.
struct PictureSize {
  int width = 0, height = 0;
};
PictureSize picture_size(const PictureRequest& request);
/// Throws base::UsageError for a scale out of range, and base::FileError for a picture that would be too large, with a
/// scale that would fit.
void check_picture(const PictureRequest& request);
void check_picture_size(const PictureSize& size, float scale);

/// A picture with its lanes laid out. Laying them out takes most of the time and needs no fonts. The request must
/// outlive it.
class PictureLayout {
 public:
  explicit PictureLayout(const PictureRequest& request);
  ~PictureLayout();
  PictureLayout(const PictureLayout&) = delete;
  PictureLayout& operator=(const PictureLayout&) = delete;

  int height() const;        ///< in logical pixels
  PictureSize size() const;  ///< in pixels
  /// The picture as plain data, measured with these fonts.
  PictureSheet sheet(const TextMeasure& fonts);

 private:
  class Composition;
  std::unique_ptr<Composition> composition_;
  float scale_;
};

/// The text above all parts.
std::string picture_headline(const PictureRequest& request);
/// The Chinese characters it needs; only their glyphs are loaded.
ChineseTexts picture_letters(const PictureRequest& request);

/// The facts for the PNG's text chunks and the SVG's metadata: workload, settings, device, simulated, figures.
std::map<std::string, std::string> picture_text(const PictureRequest& request);

/// A representative stretch of a trace: `iterations` iterations from the middle of the run, or the whole trace if it
/// has none.
std::pair<trace::Nanoseconds, trace::Nanoseconds> typical_range(const trace::Trace& trace, int iterations);

}  // namespace lanescope::ui
