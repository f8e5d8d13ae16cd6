// Weighted least squares with few unknowns. Each has an expected value, so there is always a solution: without
// measurements, it is the expected value with its uncertainty.
#pragma once

#include <array>
#include <cstddef>

namespace lanescope::prediction {

template <std::size_t N>
class LeastSquares {
 public:
  using Row = std::array<double, N>;

  /// Adds the equation row * unknowns = value, with standard deviation sigma.
  void add(const Row& row, double value, double sigma) {
    const double weight = 1 / (sigma * sigma);
    for (std::size_t i = 0; i < N; ++i) {
      right_[i] += weight * row[i] * value;
      for (std::size_t j = 0; j < N; ++j) matrix_[i][j] += weight * row[i] * row[j];
    }
  }
  void expect(std::size_t unknown, double value, double sigma) {
    Row row{};
    row[unknown] = 1;
    add(row, value, sigma);
  }

  struct Answer {
    Row value{}, sigma{};
  };
  /// Unique if there is an expectation for each unknown.
  Answer solve() const;

 private:
  std::array<Row, N> matrix_{};
  Row right_{};
};

}  // namespace lanescope::prediction
