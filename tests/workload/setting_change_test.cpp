#include "workload/settings.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "workload/workload.h"

namespace lanescope::workload {
namespace {

class SettingChangeTest : public testing::Test {
 protected:
  using Turn = std::vector<std::array<std::string, 3>>;  // key, before, now

  void change(std::uint32_t version, const Turn& turn) {
    for (const auto& [key, before, now] : turn) {
      trace::Event e;
      e.kind = trace::EventKind::Marker;
      e.name = names_.intern(key + " " + before + " → " + now);
      e.start_ns = e.end_ns = version;
      trace::set_change(e, {version, names_.intern(key), names_.intern(before), names_.intern(now)});
      markers_.push_back(e);
    }
  }
  void note(const char* name) {
    trace::Event e;
    e.kind = trace::EventKind::Marker;
    e.name = names_.intern(name);
    markers_.push_back(e);
  }
  std::string text_of(const std::vector<Turn>& turns) {
    markers_.clear();
    for (const Turn& turn : turns) change(static_cast<std::uint32_t>(markers_.size()) + 1, turn);
    return marker_text(names_, markers_);
  }

  base::NameTable names_;
  std::vector<trace::Event> markers_;
};

TEST_F(SettingChangeTest, TwoOfOneKnobReadAsOne) {
  EXPECT_EQ(text_of({{{"log_interval", "1", "2"}}, {{"log_interval", "50", "100"}}}), "log interval 1 → 100");
  EXPECT_EQ(text_of({{{"log_interval", "1", "2"}}}), "log interval 1 → 2");
  EXPECT_EQ(text_of({{{"log_interval", "1", "2"}}, {{"batch_size", "1", "2"}}}),
            "log interval 1 → 2, batch size 1 → 2");
  EXPECT_EQ(text_of({{{"feed", "resident", "per-iteration"}}, {{"feed", "per-iteration", "resident"}}}),
            "feed resident → per-iteration → resident");
  EXPECT_EQ(text_of({{{"log_interval", "1", "0"}}, {{"log_interval", "0", "1"}}}), "log interval 1 → never → 1");
  EXPECT_EQ(text_of({{{"cuda_graph", "false", "true"}}}), "CUDA graph off → on");
  EXPECT_EQ(text_of({{{"log_interval", "1", "0"}}}), "log interval 1 → never");
  // Two knobs in one turn.
  EXPECT_EQ(text_of({{{"a", "1", "2"}, {"b", "3", "4"}}, {{"a", "2", "3"}}}), "a 1 → 3, b 3 → 4");
  // What it passed on its way is left out, where it turned is not; of many turns, the first and the last ones.
  EXPECT_EQ(text_of({{{"a", "1", "9"}}, {{"a", "9", "30"}}, {{"a", "30", "100"}}, {{"a", "100", "50"}}}),
            "a 1 → 100 → 50");
  EXPECT_EQ(text_of({{{"a", "1", "9"}}, {{"a", "9", "2"}}, {{"a", "2", "8"}}, {{"a", "8", "3"}}, {{"a", "3", "7"}}}),
            "a 1 → … → 3 → 7");
  EXPECT_EQ(text_of({}), "");
}

TEST_F(SettingChangeTest, WhatChangedNoSettingReadsAsItsName) {
  note("no change");
  change(1, {{"log_interval", "1", "2"}});
  EXPECT_EQ(marker_text(names_, markers_), "no change, log interval 1 → 2");
  markers_.clear();
  note("log interval 1 → 2");  // from a file written before markers stated their kind
  trace::set_change(markers_[0], {});
  EXPECT_EQ(marker_text(names_, markers_), "log interval 1 → 2");
}

TEST_F(SettingChangeTest, NamesThatAreNotThereAreEmpty) {
  note("broken");
  trace::set_change(markers_[0], {1, 900'000, 900'001, 900'002});
  EXPECT_EQ(marker_text(names_, markers_), "  → ");
}

// A marker has only the key, so its workload must not matter.
TEST(SettingLabel, OneKeyHasOneLabelInAllWorkloads) {
  for (const std::string& workload : workload_names()) {
    const Settings settings = default_settings(workload, {});
    for (const SettingSpec& spec : settings.specs()) EXPECT_EQ(setting_label(spec.key), spec.label) << workload;
  }
  EXPECT_EQ(setting_label("no_such"), "no_such");
}

TEST(SettingChange, ThreeNamesOfTwentyBitsFit) {
  trace::Event e;
  e.kind = trace::EventKind::Marker;
  constexpr trace::NameId kLast = base::NameTable::kCapacity - 1;
  trace::set_change(e, {0xFFFFFFFF, kLast, 0, kLast - 1});
  const trace::SettingChange change = trace::change_of(e);
  EXPECT_EQ(change.version, 0xFFFFFFFF);
  EXPECT_EQ(change.key, kLast);
  EXPECT_EQ(change.before, 0u);
  EXPECT_EQ(change.now, kLast - 1);
  EXPECT_TRUE(trace::is_setting_change(e));
}

}  // namespace
}  // namespace lanescope::workload
