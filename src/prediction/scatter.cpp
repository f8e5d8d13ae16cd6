#include "prediction/scatter.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lanescope::prediction {

double student_t(std::size_t degrees_of_freedom) {
  constexpr double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  const double v = static_cast<double>(std::max<std::size_t>(degrees_of_freedom, 1));
  return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

namespace {

struct Blocks {
  std::size_t count = 0;
  double variance = 0;  ///< of their means
};

Blocks blocks_of(std::span<const double> values) {
  if (values.size() < kFewestBlocks) return {};
  const std::size_t blocks = std::min(kMostBlocks, values.size());
  const std::size_t each = values.size() / blocks;
  values = values.last(blocks * each);
  std::vector<double> means;
  double mean = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    double sum = 0;
    for (const double value : values.subspan(b * each, each)) sum += value;
    means.push_back(sum / static_cast<double>(each));
    mean += means.back() / static_cast<double>(blocks);
  }
  double squares = 0;
  for (const double m : means) squares += (m - mean) * (m - mean);
  return {blocks, squares / static_cast<double>(blocks - 1)};
}

}  // namespace

double scatter_of_mean(std::span<const double> values) {
  const Blocks blocks = blocks_of(values);
  if (blocks.count == 0) return 0;
  return student_t(blocks.count - 1) * std::sqrt(blocks.variance / static_cast<double>(blocks.count));
}

double scatter_of_next(std::span<const double> values) {
  const Blocks blocks = blocks_of(values);
  if (blocks.count == 0) return 0;
  return student_t(blocks.count - 1) * std::sqrt(blocks.variance * (1 + 1 / static_cast<double>(blocks.count)));
}

}  // namespace lanescope::prediction
