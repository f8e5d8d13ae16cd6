// The user's arrangement of the lanes: hidden, folded, pinned, moved, resized, grouped. Lanes are identified by their
// properties (trace::LaneInfo), so that the arrangement also applies to the next run.
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
  float height = 1;  ///< relative to the default height, 0.5 to 4

  bool operator==(const LaneChoice&) const = default;
};

/// The key of a lane in a layout: kind, name, process, device and stream, and the thread's index among the threads.
/// Never a process or thread id, which differ in every run. `place` distinguishes lanes that differ only in such ids,
/// numbered from 0 in order of appearance.
std::string lane_key(const trace::LaneInfo& info, std::size_t place = 0);
/// The keys of all lanes of a trace.
std::vector<std::string> lane_keys(const trace::Trace& trace);
/// The run-ahead curve is treated like a lane.
inline constexpr const char* kRunAheadKey = "run-ahead";

class LaneLayout {
 public:
  static constexpr float kLeastHeight = 0.5f, kMostHeight = 4;

  LaneGrouping grouping() const { return grouping_; }
  /// Resets the order, which applied within the previous groups.
  void set_grouping(LaneGrouping grouping);
  bool group_folded(const std::string& group) const { return folded_groups_.contains(group); }
  /// Unfolded by hand, it is also kept open: it does not fold by itself when it has no events in view.
  void fold_group(const std::string& group, bool folded);
  bool kept_open(const std::string& group) const { return kept_open_.contains(group); }
  LaneChoice choice(const std::string& key) const;
  /// The names of lanes that are folded as long as the user has not chosen anything for them.
  void fold_at_first(std::vector<std::string> names);
  void set(const std::string& key, const LaneChoice& choice);
  /// The user's order, as keys; lanes not in it keep their default position.
  const std::vector<std::string>& order() const { return order_; }
  void set_order(std::vector<std::string> order);
  /// The same for the lanes shown now: lanes that this run lacks keep their place after their predecessor.
  void reorder(const std::vector<std::string>& shown);
  std::size_t hidden_count() const;
  void show_all();
  void reset();
  /// Incremented by every change above.
  std::uint64_t version() const { return version_; }

 private:
  LaneGrouping grouping_ = LaneGrouping::Owner;
  std::map<std::string, LaneChoice> choices_;
  std::vector<std::string> folded_at_first_;
  std::set<std::string> folded_groups_, kept_open_;
  std::vector<std::string> order_;
  std::uint64_t version_ = 1;
};

}  // namespace lanescope::ui
