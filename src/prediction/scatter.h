// How far the mean of a recorded stretch may be from that of another run, as the stretch itself shows it.
#pragma once

#include <cstddef>
#include <span>

namespace lanescope::prediction {

/// The 97.5 % quantile of Student's t distribution: t = z + (z^3 + z) / 4v + (5z^5 + 16z^3 + 3z) / 96v^2
/// + (3z^7 + 19z^5 + 17z^3 - 15z) / 384v^3, z = 1.96 (M. Abramowitz and I. Stegun, "Handbook of Mathematical
/// Functions", 26.7.5). Within 1 % for v >= 4 degrees of freedom.
double student_t(std::size_t degrees_of_freedom);

/// Half the 95 % confidence interval of the mean, in the unit of the values. Neighbouring values depend on each other
/// (run-ahead, the operating system, clock rates), so the series is cut into b blocks of equally many neighbours:
///
///   t(b - 1) * sqrt(sum (m_i - m)^2 / (b - 1) / b),   m_i the means of the blocks, m their mean
///
/// With 10 to 30 blocks, this depends little on their number (B. Schmeiser, "Batch size effects in the analysis of
/// simulation output", Operations Research 30, 1982, 556 to 568); b is 10, or as many as there are values. A rest that
/// does not fill a block is left out at the beginning. 0 if there are fewer than kFewestBlocks values.
double scatter_of_mean(std::span<const double> values);
/// The same for a machine whose speed wanders slowly, as a shared CPU's does: a whole other run may be as fast or as
/// slow as one of the blocks was, so it is expected where one more block is,
///
///   t(b - 1) * sqrt(sum (m_i - m)^2 / (b - 1) * (1 + 1 / b)),   around the mean of the recorded ones
double scatter_of_next(std::span<const double> values);
inline constexpr std::size_t kFewestBlocks = 5, kMostBlocks = 10;

}  // namespace lanescope::prediction
