// What a person did to the lanes: hidden, folded, pinned, moved, resized, grouped. Lanes are known by what they are
// (trace::LaneInfo), so that it holds in the next run as well.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lanescope::ui {

enum class LaneGrouping : std::uint8_t { Owner /*thread, stream*/, Process, Device, None };

struct LaneChoice {
  bool hidden = false, folded = false, pinned = false;
  float height = 1;  ///< times the usual height, 0.5 to 4

  bool operator==(const LaneChoice&) const = default;
};

/// The name of a lane in a layout: kind, name, process, device and stream, and the thread's place among the threads;
/// never a process or thread number, which differ in every run.
std::string lane_key(const trace::LaneInfo& info);

class LaneLayout {
 public:
  LaneGrouping grouping() const { return grouping_; }
  void set_grouping(LaneGrouping grouping);
  LaneChoice choice(const std::string& key) const;
  void set(const std::string& key, const LaneChoice& choice);
  /// The order a person gave, as keys; lanes that are not in it stand where they would without it.
  const std::vector<std::string>& order() const { return order_; }
  void set_order(std::vector<std::string> order);
  std::size_t hidden_count() const;
  void show_all();
  void reset();
  /// Changes with every change above.
  std::uint64_t version() const { return version_; }

 private:
  LaneGrouping grouping_ = LaneGrouping::Owner;
  std::map<std::string, LaneChoice> choices_;
  std::vector<std::string> order_;
  std::uint64_t version_ = 1;
};

}  // namespace lanescope::ui
