#include "device/cpu/products.h"

#include <cstddef>

#define LANESCOPE_PRODUCT product_for_any_cpu
#include "device/cpu/products_eigen.h"

namespace lanescope::device::cpu {

void compute_product(const ops::Op& op, std::span<const std::span<float>> args) {
  Product product{op.kind, op.m, op.n, op.k, {}};
  for (std::size_t i = 0; i < args.size(); ++i) product.args[i] = args[i].data();
#if defined(__x86_64__)
  static const bool kAvx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (kAvx2) return product_for_avx2(product);
#endif
  product_for_any_cpu(product);
}

}  // namespace lanescope::device::cpu
