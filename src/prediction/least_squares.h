// Weighted least squares with few unknowns, each with what is thought of it beforehand, so that there is always an
// answer: where nothing is measured, the thought itself, and how unsure it is.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace lanescope::prediction {

template <std::size_t N>
class LeastSquares {
 public:
  using Row = std::array<double, N>;

  /// row * unknowns = value, give or take sigma.
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
  Answer solve() const {
    // Gauss and Jordan; with an expectation for each unknown the matrix is positive.
    std::array<std::array<double, 2 * N>, N> rows{};
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) rows[i][j] = matrix_[i][j];
      rows[i][N + i] = 1;
    }
    for (std::size_t i = 0; i < N; ++i) {
      const double pivot = rows[i][i];
      for (double& cell : rows[i]) cell /= pivot;
      for (std::size_t k = 0; k < N; ++k) {
        if (k == i) continue;
        const double factor = rows[k][i];
        for (std::size_t j = 0; j < 2 * N; ++j) rows[k][j] -= factor * rows[i][j];
      }
    }
    Answer answer;
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) answer.value[i] += rows[i][N + j] * right_[j];
      answer.sigma[i] = std::sqrt(rows[i][N + i]);
    }
    return answer;
  }

 private:
  std::array<Row, N> matrix_{};
  Row right_{};
};

}  // namespace lanescope::prediction
