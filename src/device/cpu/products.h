// Matrix products, using the widest vector instructions of this CPU and, for large ones, several of its cores.
#pragma once

#include <cstddef>
#include <span>

#include "device/op.h"

namespace lanescope::device::cpu {

/// Each thread gets at least about so many operations; fewer are not worth waking it up for.
inline constexpr double kProductFlopPerThread = 1 << 20;
/// The same for operations element by element.
inline constexpr std::size_t kElementsPerThread = 32'768;

/// Computes an op for which ops::is_gemm() holds. The arguments must have been checked.
void compute_product(const ops::Op& op, std::span<const std::span<float>> args);

/// The shape and the arguments as listed at ops::OpKind. Used by code compiled for one instruction set, which must not
/// instantiate any template that the linker could merge with the rest of the program.
struct Product {
  ops::OpKind kind;
  int m, n, k;
  int stride;  ///< from one row of args[0] to the next
  float* args[4];
};
void product_for_any_cpu(const Product& product);
void product_for_avx2(const Product& product);  ///< x86 only

}  // namespace lanescope::device::cpu
