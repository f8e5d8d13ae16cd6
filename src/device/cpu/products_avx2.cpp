// Compiled for CPUs with AVX2 and FMA; called only on those.
#include "device/cpu/products.h"

#if defined(__AVX2__)
#define LANESCOPE_PRODUCT product_for_avx2
#include "device/cpu/products_eigen.h"
#endif
