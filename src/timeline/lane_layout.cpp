#include "timeline/lane_layout.h"

#include <algorithm>
#include <iterator>

namespace lanescope::ui {

std::string lane_key(const trace::LaneInfo& info, std::size_t place) {
  std::string key = std::to_string(static_cast<int>(info.kind)) + '|' + info.name + '|' + info.process + '|' +
                    std::to_string(info.device) + '|' + std::to_string(info.stream);
  if (place > 0) key += '|' + std::to_string(place);
  return key;
}

std::vector<std::string> lane_keys(const trace::Trace& trace) {
  std::map<std::string, std::size_t> alike;
  std::vector<std::string> keys;
  const std::size_t lanes = trace.lane_count();
  keys.reserve(lanes);
  for (std::size_t l = 0; l < lanes; ++l) {
    const trace::LaneInfo& info = trace.lane(static_cast<trace::LaneId>(l)).info();
    keys.push_back(lane_key(info, alike[lane_key(info)]++));
  }
  return keys;
}

void LaneLayout::set_grouping(LaneGrouping grouping) {
  grouping_ = grouping;
  order_.clear();
  ++version_;
}

void LaneLayout::fold_group(const std::string& group, bool folded) {
  if (folded) {
    folded_groups_.insert(group);
    kept_open_.erase(group);
  } else {
    folded_groups_.erase(group);
    kept_open_.insert(group);
  }
  ++version_;
}

LaneChoice LaneLayout::choice(const std::string& key) const {
  const auto found = choices_.find(key);
  if (found != choices_.end()) return found->second;
  LaneChoice usual;
  usual.folded = std::any_of(folded_at_first_.begin(), folded_at_first_.end(),
                             [&](const std::string& name) { return key.find('|' + name + '|') != std::string::npos; });
  return usual;
}

void LaneLayout::fold_at_first(std::vector<std::string> names) {
  if (names == folded_at_first_) return;
  folded_at_first_ = std::move(names);
  ++version_;
}

void LaneLayout::set(const std::string& key, const LaneChoice& choice) {
  choices_[key] = choice;
  choices_[key].height = std::clamp(choice.height, kLeastHeight, kMostHeight);
  ++version_;
}

void LaneLayout::set_order(std::vector<std::string> order) {
  order_ = std::move(order);
  ++version_;
}

void LaneLayout::reorder(const std::vector<std::string>& shown) {
  std::vector<std::string> order = shown;
  for (auto key = order_.begin(); key != order_.end(); ++key) {
    if (std::find(order.begin(), order.end(), *key) != order.end()) continue;
    auto behind = order.begin();
    if (key != order_.begin()) behind = std::next(std::find(order.begin(), order.end(), *std::prev(key)));
    order.insert(behind, *key);
  }
  set_order(std::move(order));
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
