// Weighted least squares with few unknowns. Each has an expected value, so there is always a solution: without
// measurements, it is the expected value with its uncertainty.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace lanescope::prediction {

// --- samples ---------------------------------------------------------------------------------------------------------
// Repeated measurements of one number.

class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  double median() const { return quantile(0.5); }
  double quantile(double share) const {
    if (values_.empty()) return 0;
    std::vector<double> sorted = values_;
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sorted.size() - 1) + 0.5);
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
  }
  double mean() const {
    double sum = 0;
    for (const double value : values_) sum += value;
    return empty() ? 0 : sum / static_cast<double>(size());
  }
  /// The half-width of a triangular distribution with these quartiles, relative to its middle.
  double spread() const {
    constexpr double kQuartiles = 0.5858;  // interquartile range relative to the half-width: 2 - sqrt(2)
    const double middle = median();
    return middle > 0 ? (quantile(0.75) - quantile(0.25)) / kQuartiles / middle : 0;
  }
  /// The relative uncertainty of the mean: two standard errors, from the variation of the values, or from `spread` if
  /// there are few.
  double relative(double spread) const {
    if (empty()) return 1;
    const double middle = mean();
    double squares = spread * spread / 6 * middle * middle;
    constexpr std::size_t kMany = 8;
    if (size() >= kMany) {
      double sum = 0;
      for (const double value : values_) sum += (value - middle) * (value - middle);
      squares = std::max(size() >= 3 * kMany ? 0 : squares, sum / static_cast<double>(size() - 1));
    }
    return middle > 0 ? 2 * std::sqrt(squares / static_cast<double>(size())) / middle : 1;
  }

 private:
  std::vector<double> values_;
};

/// Samples from the recorded iterations, and from elsewhere in the run. The latter count only while there are few of
/// the former.
struct TwoSamples {
  Samples here, elsewhere;
  bool is_here() const {
    constexpr std::size_t kEnough = 3;
    return here.size() >= kEnough || here.size() >= elsewhere.size();
  }
  bool empty() const { return here.empty() && elsewhere.empty(); }
  const Samples& best() const { return is_here() ? here : elsewhere; }
  /// For samples from the iterations, the mean, which includes occasional delays by the operating system, like the
  /// measured time. For samples from elsewhere, where code is loaded, the median.
  double mean() const { return is_here() || elsewhere.size() < 3 ? best().mean() : elsewhere.median(); }
  double relative(double spread) const { return best().relative(spread); }
  Samples& of(bool in_the_iterations) { return in_the_iterations ? here : elsewhere; }
};

// --- least squares ---------------------------------------------------------------------------------------------------

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
