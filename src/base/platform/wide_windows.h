// UTF-8 and the UTF-16 of Windows. What cannot be converted becomes U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::base {

std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

}  // namespace lanescope::base
