// Which plots a person has chosen to see, in which order, and how high each is.
#pragma once

#include <string>
#include <vector>

namespace lanescope::ui {

struct ChosenPlot {
  std::string key;   ///< PlotInfo::key
  float height = 1;  ///< as a share of what all have together

  bool operator==(const ChosenPlot&) const = default;
};

class PlotChoice {
 public:
  static constexpr float kLeastHeight = 0.25f, kMostHeight = 8;

  PlotChoice() { reset(); }
  const std::vector<ChosenPlot>& plots() const { return plots_; }
  bool has(const std::string& key) const;
  /// Puts it at the end.
  void add(const std::string& key);
  void remove(const std::string& key);
  /// Moves it to the place of `before`; `before` empty: to the end.
  void move(const std::string& key, const std::string& before);
  /// The divider between two plots is moved: `share` of their heights together is then the upper one's.
  void divide(const std::string& upper, const std::string& lower, float share);
  void reset();

  /// As it is remembered: the key, and after a tab its height where it is not 1; and back. What cannot be read is left
  /// out; nothing at all: as at first.
  std::vector<std::string> texts() const;
  void set_texts(const std::vector<std::string>& texts);

  bool operator==(const PlotChoice&) const = default;

 private:
  std::vector<ChosenPlot> plots_;
};

}  // namespace lanescope::ui
