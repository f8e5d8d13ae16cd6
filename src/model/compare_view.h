// What the view of two runs shows of them, and how it moves: one clock for both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/compare_state.h"
#include "picture/compare_bands.h"
#include "picture/compare_table.h"
#include "timeline/time_axis.h"
#include "timeline/view_motion.h"

namespace lanescope::ui {

class CompareView {
 public:
  static constexpr double kMinNsPerPixel = 0.5;

  /// Once per frame: takes over new runs, and moves. The axis is `left_px` wide from there on.
  void update(const CompareState& state, float left_px, float width_px, double seconds, bool animated);

  /// With a whole nanosecond at its left, as the lanes want it.
  TimeAxis axis() const;
  const Alignment& alignment() const { return alignment_; }
  const SideTexts& texts() const { return texts_; }
  const std::vector<DifferenceRow>& rows() const { return rows_; }
  const CompareWords& words() const { return words_; }
  std::uint64_t version() const { return version_; }
  bool moving() const { return target_ || motion_.moving(); }

  // By hand. A part of the runs stays in view.
  void zoom(double factor, float at_px);
  void pan(float px);
  void push(double pan, double zoom, float at_px) { motion_.push(pan, zoom, at_px); }
  void fit();

  float scroll = 0, table_scroll = 0;
  CompareBands bands;
  BandsPlaces places;

  /// What was composed, and of what: as long as that stays it is drawn again.
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
  SharedSnapshot a_, b_;  // the alignment looks into them
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
