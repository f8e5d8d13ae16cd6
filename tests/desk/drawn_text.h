// The texts of a frame, whoever draws them: the program's own labels, ImGui's controls, tooltips. They are read from
// what is to be drawn: a rectangle with a letter's place in the font's picture is that letter.
#pragma once

#include <imgui.h>

#include <set>
#include <string>
#include <vector>

namespace lanescope::ui_test {

/// A line of a text and where it is drawn, in pixels.
struct DrawnText {
  std::string text;
  float x = 0, y = 0, width = 0, height = 0;
  bool goes_on = false;  ///< the text of the line before
  bool upright = false;
  bool clipped = false;  ///< its left or right end cannot be seen
};

/// The lines of a frame's texts that can be seen, in the order in which they are drawn.
/// `window`: only of the window of this name; empty: of all.
std::vector<DrawnText> texts_of(const ImDrawData& frame, const std::string& window = {});
/// Before the first frame with other fonts.
void letters_have_changed();

/// While it lives, the texts of the desk's frames are collected.
class DrawnTexts {
 public:
  explicit DrawnTexts(std::string window = {});
  ~DrawnTexts();
  DrawnTexts(const DrawnTexts&) = delete;
  DrawnTexts& operator=(const DrawnTexts&) = delete;

  const std::set<std::string>& texts() const { return texts_; }
  /// Every line that was drawn since forget().
  const std::vector<DrawnText>& places() const { return places_; }
  void add(std::string text) { texts_.insert(std::move(text)); }  ///< one that was not drawn
  void forget();
  /// Called by the desk.
  static void collect(const ImDrawData& frame);

 private:
  std::string window_;
  std::set<std::string> texts_;
  std::vector<DrawnText> places_;
};

}  // namespace lanescope::ui_test
