// What stands over and between the lanes of two runs: the ruler, where iterations begin and end, and by how much they
// differ.
#pragma once

#include <optional>

#include "ui/compare/compare_bands.h"

namespace lanescope::ui {

/// The part of the screen that a piece has, with the run's own time on it; empty where none of it is in view.
std::optional<TimeAxis> axis_of(const Alignment::Piece& piece, const TimeAxis& axis);
/// In the run's own time, what the ruler counts from: the start of its iteration, by time that of the typical one.
Nanoseconds label_origin(const Alignment& alignment, const Alignment::Piece& piece);

void add_bands_ruler(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet);
/// A bar for each iteration with its length, a line through the lanes where it ends; where one run has to wait for the
/// other, that time has a colour.
void add_iteration_marks(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet);
/// From the end of one run's typical iteration to that of the other.
void add_bracket(const BandsScene& scene, const TimeAxis& axis, const BandsPlaces& places, PictureSheet& sheet);

}  // namespace lanescope::ui
