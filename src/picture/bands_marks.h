// What is drawn over and between the lanes of two runs: the ruler, the start and end of iterations, and their
// difference.
#pragma once

#include <optional>

#include "picture/compare_bands.h"

namespace lanescope::ui {

/// The axis of a piece on the screen, in the run's own time; empty if it is out of view.
std::optional<TimeAxis> axis_of(const Alignment::Piece& piece, const TimeAxis& axis);
/// The zero of the ruler, in the run's own time: the start of the piece's iteration; when aligned by time, the start of
/// the typical iteration.
Nanoseconds label_origin(const Alignment& alignment, const Alignment::Piece& piece);

void add_bands_ruler(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet);
/// A bar for each iteration with its length, and a line through the lanes at its end. Time in which one run has
/// finished before the other is coloured.
void add_iteration_marks(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet);
/// A bracket from the end of one run's typical iteration to that of the other.
void add_bracket(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet);

}  // namespace lanescope::ui
