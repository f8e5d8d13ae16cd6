#include "prediction/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

namespace lanescope::prediction {

template <std::size_t N>
typename LeastSquares<N>::Answer LeastSquares<N>::solve() const {
  constexpr int kSize = static_cast<int>(N);
  using Square = Eigen::Matrix<double, kSize, kSize>;
  using Column = Eigen::Matrix<double, kSize, 1>;
  Square matrix;
  Column right;
  for (int i = 0; i < kSize; ++i) {
    right(i) = right_[static_cast<std::size_t>(i)];
    for (int j = 0; j < kSize; ++j) matrix(i, j) = matrix_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  const Eigen::LDLT<Square> factors(matrix);
  const Column value = factors.solve(right);
  const Square covariance = factors.solve(Square::Identity());
  Answer answer;
  for (int i = 0; i < kSize; ++i) {
    answer.value[static_cast<std::size_t>(i)] = value(i);
    answer.sigma[static_cast<std::size_t>(i)] = std::sqrt(covariance(i, i));
  }
  return answer;
}

template class LeastSquares<2>;
template class LeastSquares<3>;

}  // namespace lanescope::prediction
