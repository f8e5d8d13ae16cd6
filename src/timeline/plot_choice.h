// The user's choice of plots, with their order and heights.
#pragma once

#include <string>
#include <vector>

namespace lanescope::ui {

struct ChosenPlot {
  std::string key;          ///< PlotInfo::key
  float height = 1;         ///< share of the total height
  bool by_default = false;  ///< nobody asked for it: shown only if it has data

  bool operator==(const ChosenPlot&) const = default;
};

class PlotChoice {
 public:
  static constexpr float kLeastHeight = 0.25f, kMostHeight = 8;

  PlotChoice() { reset(); }
  const std::vector<ChosenPlot>& plots() const { return plots_; }
  bool has(const std::string& key) const;
  /// Appends it, or keeps one of the default's even without data.
  void add(const std::string& key);
  void remove(const std::string& key);
  /// Moves it before `before`, or to the end if that is empty.
  void move(const std::string& key, const std::string& before);
  /// Moves the divider between two plots: the upper one gets `share` of their combined height.
  void divide(const std::string& upper, const std::string& lower, float share);
  void reset();
  /// What reset() chooses; empty: the usual ones. Applies at once if nothing else was chosen.
  void set_default(std::vector<std::string> keys);

  /// For preferences: the key, followed by a tab and the height unless that is 1, and by a tab and "default"; and back.
  /// Invalid entries are skipped; without any valid one, the default.
  std::vector<std::string> texts() const;
  void set_texts(const std::vector<std::string>& texts);

  bool operator==(const PlotChoice&) const = default;

 private:
  std::vector<ChosenPlot> plots_;
  std::vector<std::string> default_;
};

}  // namespace lanescope::ui
