#include "timeline/plot_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lanescope::ui {
namespace {

// Separates a key from its height; no counter name contains it.
constexpr char kSeparator = '\t';
constexpr const char* kByDefault = "default";

auto with_key(const std::string& key) {
  return [&key](const ChosenPlot& plot) { return plot.key == key; };
}

}  // namespace

bool PlotChoice::has(const std::string& key) const { return std::any_of(plots_.begin(), plots_.end(), with_key(key)); }

void PlotChoice::add(const std::string& key) {
  const auto found = std::find_if(plots_.begin(), plots_.end(), with_key(key));
  if (found == plots_.end()) {
    plots_.push_back({key});
  } else {
    found->by_default = false;
  }
}

void PlotChoice::remove(const std::string& key) { std::erase_if(plots_, with_key(key)); }

void PlotChoice::move(const std::string& key, const std::string& before) {
  const auto found = std::find_if(plots_.begin(), plots_.end(), with_key(key));
  if (found == plots_.end() || key == before) return;
  const ChosenPlot moved = *found;
  plots_.erase(found);
  plots_.insert(std::find_if(plots_.begin(), plots_.end(), with_key(before)), moved);
}

void PlotChoice::divide(const std::string& upper, const std::string& lower, float share) {
  const auto a = std::find_if(plots_.begin(), plots_.end(), with_key(upper));
  const auto b = std::find_if(plots_.begin(), plots_.end(), with_key(lower));
  if (a == plots_.end() || b == plots_.end() || a == b || std::isnan(share)) return;
  const float both = a->height + b->height;
  const float least = std::min(kLeastHeight, both / 2);
  a->height = std::clamp(both * share, least, both - least);
  b->height = both - a->height;
}

void PlotChoice::reset() {
  plots_.clear();
  for (const std::string& key : default_) plots_.push_back({key, 1, true});
  if (!default_.empty()) return;
  for (const char* key : {"rate", "gpu-busy", "cpu-waiting", "h2d", "d2h", "loss"}) plots_.push_back({key, 1, true});
}

void PlotChoice::set_default(std::vector<std::string> keys) {
  PlotChoice usual;
  usual.default_ = default_;
  usual.reset();
  const bool untouched = plots_ == usual.plots_;
  default_ = std::move(keys);
  if (untouched) reset();
}

std::vector<std::string> PlotChoice::texts() const {
  std::vector<std::string> texts;
  for (const ChosenPlot& plot : plots_) {
    std::string& text = texts.emplace_back(plot.key);
    if (plot.height != 1) text += fmt::format("{}{:.2f}", kSeparator, plot.height);
    if (plot.by_default) text += kSeparator + std::string(kByDefault);
  }
  return texts;
}

void PlotChoice::set_texts(const std::vector<std::string>& texts) {
  plots_.clear();
  for (const std::string& text : texts) {
    const std::size_t end = text.find(kSeparator);
    const std::string key = text.substr(0, end);
    if (key.empty() || has(key)) continue;
    float height = 1;
    if (end != std::string::npos) height = std::strtof(text.c_str() + end + 1, nullptr);
    if (!(height >= kLeastHeight && height <= kMostHeight)) height = 1;
    plots_.push_back({key, height, text.ends_with(kSeparator + std::string(kByDefault))});
  }
  if (plots_.empty()) reset();
}

}  // namespace lanescope::ui
