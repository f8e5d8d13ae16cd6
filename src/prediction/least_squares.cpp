#include "prediction/least_squares.h"

#include <cmath>

namespace lanescope::prediction {

// By Gauss and Jordan; a positive definite matrix needs no exchange of rows.
template <std::size_t N>
typename LeastSquares<N>::Answer LeastSquares<N>::solve() const {
  std::array<Row, N> matrix = matrix_, inverse{};
  for (std::size_t i = 0; i < N; ++i) inverse[i][i] = 1;
  for (std::size_t k = 0; k < N; ++k) {
    for (std::size_t i = 0; i < N; ++i) {
      if (i == k) continue;
      const double factor = matrix[i][k] / matrix[k][k];
      for (std::size_t j = 0; j < N; ++j) {
        matrix[i][j] -= factor * matrix[k][j];
        inverse[i][j] -= factor * inverse[k][j];
      }
    }
  }
  Answer answer;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < N; ++j) answer.value[i] += inverse[i][j] / matrix[i][i] * right_[j];
    answer.sigma[i] = std::sqrt(inverse[i][i] / matrix[i][i]);
  }
  return answer;
}

template class LeastSquares<2>;
template class LeastSquares<3>;

}  // namespace lanescope::prediction
