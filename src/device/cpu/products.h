// Matrix products on the calling thread, with the widest instructions that this CPU has.
#pragma once

#include <span>

#include "ops/op.h"

namespace lanescope::device::cpu {

/// Computes an op of which ops::is_gemm() holds; its arguments have been checked.
void compute_product(const ops::Op& op, std::span<const std::span<float>> args);

/// The shape and the arguments as they are listed at ops::OpKind, for code that is compiled for one kind of CPU: it
/// must not instantiate anything that the linker could merge with the rest of the program's.
struct Product {
  ops::OpKind kind;
  int m, n, k;
  float* args[4];
};
void product_for_any_cpu(const Product& product);
void product_for_avx2(const Product& product);  ///< x86 only

}  // namespace lanescope::device::cpu
