#include "ui/lane_layout.h"

#include <algorithm>

namespace lanescope::ui {

std::string lane_key(const trace::LaneInfo& info) {
  return std::to_string(static_cast<int>(info.kind)) + '|' + info.name + '|' + info.process + '|' +
         std::to_string(info.device) + '|' + std::to_string(info.stream);
}

void LaneLayout::set_grouping(LaneGrouping grouping) {
  grouping_ = grouping;
  ++version_;
}

LaneChoice LaneLayout::choice(const std::string& key) const {
  const auto found = choices_.find(key);
  return found == choices_.end() ? LaneChoice{} : found->second;
}

void LaneLayout::set(const std::string& key, const LaneChoice& choice) {
  choices_[key] = choice;
  ++version_;
}

void LaneLayout::set_order(std::vector<std::string> order) {
  order_ = std::move(order);
  ++version_;
}

std::size_t LaneLayout::hidden_count() const {
  return static_cast<std::size_t>(
      std::count_if(choices_.begin(), choices_.end(), [](const auto& c) { return c.second.hidden; }));
}

void LaneLayout::show_all() {
  for (auto& [key, choice] : choices_) choice.hidden = false;
  ++version_;
}

void LaneLayout::reset() {
  const std::uint64_t version = version_ + 1;
  *this = {};
  version_ = version;
}

}  // namespace lanescope::ui
