// What the comparison view shows, and how it moves: both runs share one time axis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/compare/compare_state.h"
#include "picture/compare_bands.h"
#include "picture/compare_picture.h"
#include "timeline/time_axis.h"
#include "timeline/view_motion.h"

namespace lanescope::ui {

class CompareView {
 public:
  static constexpr double kMinNsPerPixel = 0.5;

  /// Once per frame: takes over new runs and animates. The axis starts at `left_px` and is `width_px` wide.
  void update(const CompareState& state, float left_px, float width_px, double seconds, bool animated);

  /// The axis with a whole nanosecond at its left edge, as the lanes need it.
  TimeAxis axis() const;
  const Alignment& alignment() const { return alignment_; }
  const SideTexts& texts() const { return texts_; }
  const std::vector<DifferenceRow>& rows() const { return rows_; }
  const CompareWords& words() const { return words_; }
  std::uint64_t version() const { return version_; }
  bool moving() const { return target_ || motion_.moving(); }

  // User input. Part of the runs always stays in view.
  void zoom(double factor, float at_px);
  void pan(float px);
  void push(double pan, double zoom, float at_px) { motion_.push(pan, zoom, at_px); }
  void fit();

  float scroll = 0, table_scroll = 0;
  CompareBands bands;
  BandsPlaces places;

  /// The inputs of the composed sheet: while they stay the same, the sheet is drawn again as it is.
  struct Key {
    std::uint64_t version = 0;
    TimeAxis axis;
    Rect bands, words, table;
    float scroll = 0, table_scroll = 0, scale = 0;
    ThemeName theme = ThemeName::Dark;
    std::string hint;
    const void* fonts = nullptr;

    bool same(const Key& o) const;
  };
  std::optional<Key> composed;
  PictureSheet sheet;

 private:
  void take(const CompareState& state);
  TimeAxis bounded(const TimeAxis& axis) const;
  void go_to(const TimeAxis& axis);

  std::uint64_t version_ = 0;
  bool taken_ = false, by_hand_ = false, wants_fit_ = false;
  CompareAlign align_ = CompareAlign::Iteration;
  SharedSnapshot a_, b_;  // the alignment refers to them
  Alignment alignment_;
  SideTexts texts_;
  std::vector<DifferenceRow> rows_;
  CompareWords words_;
  TimeAxis axis_;
  std::optional<TimeAxis> target_;
  ViewMotion motion_;
  bool animated_ = true;
};

}  // namespace lanescope::ui
