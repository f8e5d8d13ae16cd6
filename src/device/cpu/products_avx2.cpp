// Compiled for CPUs with AVX2 and FMA, and called only on one of them.
#include "device/cpu/products.h"

#if defined(__AVX2__)
#define LANESCOPE_PRODUCT product_for_avx2
#include "device/cpu/products_eigen.h"
#endif
