// The names of kernels as people say them.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::trace {

/// "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)" becomes "vectorized_elementwise_kernel".
std::string short_kernel_name(std::string_view name);

}  // namespace lanescope::trace
