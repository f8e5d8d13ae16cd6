// Text that another program sent, or that is in somebody else's file, as one line that can be shown.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace lanescope::base {

/// Valid UTF-8 without control characters, of at most the first `most` bytes.
inline std::string clean_text(std::string_view raw, std::size_t most = std::string_view::npos) {
  std::string text = valid_utf8(raw.substr(0, most));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return text;
}

}  // namespace lanescope::base
