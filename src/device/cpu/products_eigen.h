// The body of the functions of products.h. Each file compiled for one instruction set includes it once and defines
// LANESCOPE_PRODUCT as the function's name.
#pragma once

#include <Eigen/Core>

#include "device/cpu/products.h"

namespace lanescope::device::cpu {

void LANESCOPE_PRODUCT(const Product& p) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Row = Eigen::Matrix<float, 1, Eigen::Dynamic>;
  // A part of a product may read some of the columns only.
  const auto first = [&](int rows, int columns) {
    return Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(p.args[0], rows, columns, Eigen::OuterStride<>(p.stride));
  };
  const auto matrix = [](float* values, int rows, int columns) { return Eigen::Map<Matrix>(values, rows, columns); };
  switch (p.kind) {
    case ops::OpKind::LinearForward: {
      auto out = matrix(p.args[3], p.m, p.n);
      out.noalias() = first(p.m, p.k) * matrix(p.args[1], p.n, p.k).transpose();
      out.rowwise() += Eigen::Map<Row>(p.args[2], p.n);
      return;
    }
    case ops::OpKind::LinearWeightGrad:
      matrix(p.args[2], p.n, p.k).noalias() = first(p.m, p.n).transpose() * matrix(p.args[1], p.m, p.k);
      return;
    case ops::OpKind::LinearInputGrad:
      matrix(p.args[2], p.m, p.k).noalias() = first(p.m, p.n) * matrix(p.args[1], p.n, p.k);
      return;
    default:
      return;
  }
}

}  // namespace lanescope::device::cpu
