// Undo and redo for the knobs. Whatever turned them (a slider, a key, the palette, a card, the other side of an
// experiment) is seen as a change of the settings, so nothing has to announce it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/settings.h"

namespace lanescope::ui {

class Model;

class SettingsHistory {
 public:
  /// Once per frame: notes what has changed since the last one. While `held` (a slider is being dragged), all changes
  /// are one step. A new run begins anew, unless it has the workload, device and settings of the one before (a
  /// restart).
  void update(const Model& model, bool held);

  bool can_undo() const { return !undo_.empty(); }
  bool can_redo() const { return !redo_.empty(); }
  /// One turn of one or more knobs.
  struct Turn {
    workload::Settings before, after;
  };
  /// The last one that was not undone; null: none in this run.
  const Turn* last_turn() const { return undo_.empty() ? nullptr : &undo_.back(); }
  /// Sets all knobs that the last step turned to what they were before it. Returns what was turned: "log interval
  /// 100 → 1". Throws base::UsageError if the run refuses it; the step then stays.
  std::string undo(Model& model);
  std::string redo(Model& model);

 private:
  std::string go(Model& model, const workload::Settings& to);

  std::uint64_t generation_ = 0;
  std::string workload_, device_;
  workload::Settings now_;
  std::vector<Turn> undo_, redo_;
  bool in_drag_ = false;  // the newest step still grows
};

}  // namespace lanescope::ui
