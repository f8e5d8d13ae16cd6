// Every text that ImGui's draw lists are given, whoever draws it: the program's own labels, ImGui's controls, tooltips.
// The test program is linked so that ImDrawList::AddText comes here first (tests/CMakeLists.txt).
#pragma once

#include <imgui.h>

#include <set>
#include <string>
#include <vector>

namespace lanescope::ui_test {

#if IMGUI_VERSION_NUM < 19200
inline constexpr bool kDrawnTextIsSeen = true;
#else
inline constexpr bool kDrawnTextIsSeen = false;  // its signature is another one
#endif

/// A text and where it was drawn, in pixels.
struct DrawnText {
  std::string text;
  float x = 0, y = 0, width = 0, height = 0;
};

/// While it lives, what is drawn is collected.
class DrawnTexts {
 public:
  DrawnTexts();
  ~DrawnTexts();
  DrawnTexts(const DrawnTexts&) = delete;
  DrawnTexts& operator=(const DrawnTexts&) = delete;

  const std::set<std::string>& texts() const { return texts_; }
  /// Every text that was drawn since forget(), also one that is clipped.
  const std::vector<DrawnText>& places() const { return places_; }
  void add(const char* begin, const char* end);  ///< only the text
  void add(const char* begin, const char* end, const ImFont* font, float size, const ImVec2& at);
  void forget() {
    texts_.clear();
    places_.clear();
  }

 private:
  std::set<std::string> texts_;
  std::vector<DrawnText> places_;
};

}  // namespace lanescope::ui_test
