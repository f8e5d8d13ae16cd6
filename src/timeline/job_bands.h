// One band for each GPU of a job, on the timeline's axis: what it computes, communicates and copies, and the calls of
// its process. Ribbons join the parts of each collective, and a strip above says which GPU arrived last.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/collectives.h"
#include "analysis/live_analysis.h"
#include "timeline/lane_row.h"
#include "timeline/span_batch.h"

namespace lanescope::ui {

/// A GPU's band and what stands beside it.
struct JobBand {
  trace::GpuNumber gpu = 0;
  std::string name;  ///< "rank 3"
  std::string note;  ///< "last in 61 %"
};

struct JobFrame {
  const trace::Trace& trace;
  const analysis::LiveAnalysis* analysis = nullptr;
  const trace::Owners& owners;
  const analysis::Collectives& collectives;
  const Theme& theme;
  Nanoseconds live_edge = 0;
  float scale = 1;
  std::span<const JobBand> bands;       ///< from the top
  std::optional<std::size_t> selected;  ///< among the collectives
};

class JobBands {
 public:
  static constexpr float kStripHeight = 12, kStripGap = 5;
  static constexpr float kBandHeight = 46, kBandGap = 10;
  static constexpr float kLeastRibbon = 3;  ///< narrower collectives have none
  static constexpr std::size_t kMostRibbons = 2000;

  /// The height of so many bands.
  static float height(std::size_t bands, bool strip, float scale);

  void prepare(const JobFrame& frame, const TimeAxis& axis, const Rect& area);
  const SpanBatch& rows() const { return rows_; }    ///< to be clipped to the axis
  const SpanBatch& names() const { return names_; }  ///< left of it
  const std::vector<JobRibbon>& ribbons() const { return ribbons_; }

  /// The collective at this position, as last prepared.
  std::optional<std::size_t> collective_at(const JobFrame& frame, const TimeAxis& axis, float x, float y) const;
  /// The band whose row or name is at this height.
  std::optional<std::size_t> band_at(float y) const;
  /// The whole band, with its name.
  const std::vector<Rect>& places() const { return places_; }
  bool in_strip(float y) const { return strip_.height > 0 && y >= strip_.y && y < strip_.y + strip_.height; }

 private:
  /// The lanes of one GPU, and of its process.
  struct Lanes {
    std::vector<std::unique_ptr<LaneRow>> compute, communication, copies, calls;
  };
  struct Parts {
    float compute, communication, copies, calls, end;  // tops
  };
  static Parts parts_of(float top, float scale);

  void find_lanes(const JobFrame& frame);
  void add_band(const JobFrame& frame, const RowContext& context, const Lanes& lanes, trace::GpuNumber gpu, float top);
  void add_lanes(const RowContext& context, const std::vector<std::unique_ptr<LaneRow>>& lanes, float top, float bottom,
                 std::optional<std::uint32_t> kernel_colour);
  void add_parts(const JobFrame& frame, const TimeAxis& axis, std::size_t band, float top);
  void add_strip(const JobFrame& frame, const TimeAxis& axis, const Rect& strip);
  void add_ribbons(const JobFrame& frame, const TimeAxis& axis);
  void add_names(const JobFrame& frame, const TimeAxis& axis, const Rect& area);

  std::map<trace::GpuNumber, Lanes> lanes_;
  const trace::Trace* lanes_of_ = nullptr;
  std::size_t lanes_seen_ = 0;
  bool collectives_seen_ = false;
  std::vector<Rect> places_;
  Rect strip_;
  SpanBatch rows_, names_, scratch_;
  std::vector<JobRibbon> ribbons_;
};

/// The colour of a GPU in the strip and beside its name.
std::uint32_t gpu_colour(const Theme& theme, trace::GpuNumber gpu);

}  // namespace lanescope::ui
