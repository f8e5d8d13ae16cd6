// The loop around a workload: set up, iterate, finish, with a recorded range for each iteration. Runner uses it for
// live and headless runs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "trace/sink.h"
#include "workload/workload.h"

namespace lanescope::workload {

// --- lanes -----------------------------------------------------------------------------------------------------------
// The lanes that a workload and its runner write to.

/// A lane of the program's main thread, the one that makes the API calls.
inline trace::LaneInfo program_lane(trace::LaneKind kind, std::string name,
                                    trace::LaneRole role = trace::LaneRole::None) {
  trace::LaneInfo info;
  info.kind = kind;
  info.role = role;
  info.name = std::move(name);
  info.process = "lanescope";
  return info;
}

// --- loop ------------------------------------------------------------------------------------------------------------

/// The variable parts of a loop. All functions are called on the thread that runs it.
class LoopControl {
 public:
  /// The settings for set-up; they must stay valid until it has ended.
  virtual const Settings& begin() = 0;
  virtual void set_up_done() {}
  /// The settings of the next iteration, or null to end the loop. They must stay valid until it has ended.
  virtual const Settings* next(std::uint64_t number) = 0;
  /// Called after the iteration has been recorded.
  virtual void iterated(std::uint64_t /*number*/) {}

 protected:
  ~LoopControl() = default;
};

/// The loop in steps; `first` is the number of the first iteration. The three must outlive it.
class SteppedLoop {
 public:
  /// Sets the workload up.
  SteppedLoop(device::Device& device, Workload& workload, std::uint64_t first, LoopControl& control);
  /// One iteration; false, without one, if the loop is to end.
  bool iterate();
  void finish();  ///< call once, at the end

 private:
  device::Device& device_;
  Workload& workload_;
  LoopControl& control_;
  std::uint64_t number_;  // of the next iteration
  trace::Event range_;
};

/// Runs the whole loop.
void run_loop(device::Device& device, Workload& workload, std::uint64_t first, LoopControl& control);

}  // namespace lanescope::workload
