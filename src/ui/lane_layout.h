// What a person did to the lanes: hidden, folded, pinned, moved, resized, grouped. Lanes are known by what they are
// (trace::LaneInfo), so that it holds in the next run as well.
#pragma once

#include <cstdint>
#include <map>
#include <set>
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
/// never a process or thread number, which differ in every run. `place`: of lanes that are alike but for such numbers,
/// which one, counted from 0 as they came.
std::string lane_key(const trace::LaneInfo& info, std::size_t place = 0);
/// The keys of all lanes of a trace.
std::vector<std::string> lane_keys(const trace::Trace& trace);
/// The curve of what is in flight is a lane like the others.
inline constexpr const char* kRunAheadKey = "run-ahead";

class LaneLayout {
 public:
  static constexpr float kLeastHeight = 0.5f, kMostHeight = 4;

  LaneGrouping grouping() const { return grouping_; }
  /// Forgets the order, which was one within the groups that there were.
  void set_grouping(LaneGrouping grouping);
  bool group_folded(const std::string& group) const { return folded_groups_.contains(group); }
  void fold_group(const std::string& group, bool folded);
  LaneChoice choice(const std::string& key) const;
  void set(const std::string& key, const LaneChoice& choice);
  /// The order a person gave, as keys; lanes that are not in it stand where they would without it.
  const std::vector<std::string>& order() const { return order_; }
  void set_order(std::vector<std::string> order);
  /// The same for what is shown now: lanes that this run does not have keep their place behind what stood before them.
  void reorder(const std::vector<std::string>& shown);
  std::size_t hidden_count() const;
  void show_all();
  void reset();
  /// Changes with every change above.
  std::uint64_t version() const { return version_; }

 private:
  LaneGrouping grouping_ = LaneGrouping::Owner;
  std::map<std::string, LaneChoice> choices_;
  std::set<std::string> folded_groups_;
  std::vector<std::string> order_;
  std::uint64_t version_ = 1;
};

}  // namespace lanescope::ui
