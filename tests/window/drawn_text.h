// Every text that ImGui's draw lists are given, whoever draws it: the program's own labels, ImGui's controls, tooltips.
// The test program is linked so that ImDrawList::AddText comes here first (tests/CMakeLists.txt).
#pragma once

#include <imgui.h>

#include <set>
#include <string>

namespace lanescope::ui_test {

#if IMGUI_VERSION_NUM < 19200
inline constexpr bool kDrawnTextIsSeen = true;
#else
inline constexpr bool kDrawnTextIsSeen = false;  // its signature is another one
#endif

/// While it lives, what is drawn is collected.
class DrawnTexts {
 public:
  DrawnTexts();
  ~DrawnTexts();
  DrawnTexts(const DrawnTexts&) = delete;
  DrawnTexts& operator=(const DrawnTexts&) = delete;

  const std::set<std::string>& texts() const { return texts_; }
  void add(const char* begin, const char* end);
  void forget() { texts_.clear(); }

 private:
  std::set<std::string> texts_;
};

}  // namespace lanescope::ui_test
