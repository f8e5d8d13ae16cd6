// Whether the program lives in a web page.
#pragma once

#include <string>

namespace lanescope::base {

#ifdef __EMSCRIPTEN__
inline constexpr bool kInPage = true;
/// Of the page, without what follows '#'.
std::string page_address();
#else
inline constexpr bool kInPage = false;
inline std::string page_address() { return {}; }
#endif

}  // namespace lanescope::base
