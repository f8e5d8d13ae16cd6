// The version of this program. Keep in step with CMakeLists.txt.
#pragma once

#include <string_view>

namespace lanescope::base {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace lanescope::base
