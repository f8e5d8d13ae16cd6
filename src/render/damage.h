// What looks different than in the last frame. With a software renderer, the cost of a frame is its pixels: a window
// that keeps its content draws only these areas again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "render/grounds.h"

struct ImDrawData;

namespace lanescope::ui {

/// Divides the framebuffer into tiles, and compares for each what is drawn in it, as a hash of the draw data: a moved
/// label changes the tiles where it was and where it is.
class Damage {
 public:
  /// The content is lost, or fonts or shaders are new: everything will be drawn again.
  void forget() { last_.clear(); }

  /// Areas that do not overlap and contain every change since the last call. `grounds` is what is painted below the
  /// draw data, whose scale must be 1. If `only` names areas, the changes outside of them are left for
  /// later calls.
  std::vector<PixelArea> since_last_frame(const ImDrawData& data, std::span<const PixelGround> grounds, int width,
                                          int height, std::span<const PixelArea> only = {});

 private:
  std::vector<std::uint64_t> last_;  // a hash per tile, by row
  int width_ = 0, height_ = 0;
  std::uint64_t frame_ = 0;
};

/// Changes the draw data so that it only draws within these areas, which must not overlap.
void restrict_to(ImDrawData& data, std::span<const PixelArea> areas);

/// For the commands of a draw list that are callbacks: tells what they draw, piece by piece.
class DrawnPieces {
 public:
  virtual ~DrawnPieces() = default;
  // In pixels from the top left.
  /// `look`: a hash of all that matters, its place included.
  virtual void piece(float left, float top, float right, float bottom, std::uint64_t look) = 0;
  /// Looks the same everywhere except at its edges, so that it may become larger without a change in its middle. `look`
  /// excludes its place.
  virtual void uniform(float left, float top, float right, float bottom, float rounding, std::uint64_t look) = 0;
};

/// A hash of a few words: fast, and good enough to see a change.
class Hash {
 public:
  Hash& add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9E3779B97F4A7C15u;
    value_ ^= value_ >> 29;
    return *this;
  }
  Hash& add(float a, float b);
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x243F6A8885A308D3u;
};

// --- coarseness ------------------------------------------------------------------------------------------------------
// Whether a machine is too busy to draw all of a moving picture in time.

/// If frames come too slowly, each draws the lanes and one of the other panels, in turn: on a software renderer, a
/// frame costs its pixels. All of it is drawn again as soon as there is time to spare.
class Coarseness {
 public:
  static constexpr double kSlow_ms = 40;   ///< between frames, smoothed: drawn coarser from there
  static constexpr double kSpare_ms = 20;  ///< drawn coarser, frames must stay below this to become fine again

  /// A frame of a moving picture begins, this long after the one before. `now_s` is on any clock that does not step.
  void frame(double now_s, double interval_ms);
  bool coarse() const { return coarse_; }
  std::uint64_t turn() const { return turn_; }  ///< counts the frames
  double frames_per_second() const { return 1000 / interval_ms_; }

 private:
  double smoothed_ms_ = 16;  // long pauses shortened
  double interval_ms_ = 16;  // smoothed as it is
  bool coarse_ = false;
  std::uint64_t turn_ = 0;
  double busy_s_ = 0;      // when there was last no time to spare
  double patience_s_ = 0;  // how long there must be
  double fine_s_ = -1e9;   // since when it is fine again
};

}  // namespace lanescope::ui
