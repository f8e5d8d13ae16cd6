// The state of the run and its capture, in words: for the status bar, the capture health panel, and the bar over the
// timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/capture_health.h"
#include "trace/trace.h"

namespace lanescope::ui {

enum class RunState : std::uint8_t { Running, Paused, Ended };

/// The facts that the texts are made from.
struct CaptureFacts {
  trace::CaptureHealth health;
  trace::TraceCounts counts;
  std::size_t memory_bytes = 0, memory_cap_bytes = 0;  ///< of the trace; a cap of 0 (none) is not mentioned
  double recorder_latency_ms = 0;                      ///< from a writer to the trace
  RunState run = RunState::Running;
  std::string no_gpu;      ///< why "auto" chose no GPU; empty if the device was named, or is a GPU
  bool simulated = false;  ///< by a device in virtual time: nothing is captured
};

struct StatusText {
  std::string text;
  bool warning = false;  ///< something is missing
  std::string aside;     ///< for who asks: the whole reason
};
StatusText capture_status(const CaptureFacts& facts);

struct HealthLine {
  enum class Tone : std::uint8_t {
    Plain,
    Muted,  ///< zero or unknown: nothing to look at
    Loss,   ///< something is missing in the picture
    Doubt,  ///< something was repaired or looks odd
    Good,
  };
  std::string name, value;
  Tone tone = Tone::Plain;
};
struct HealthGroup {
  std::string title;
  std::string sentence;  ///< what it means for what is shown
  std::vector<HealthLine> lines;
};
std::vector<HealthGroup> health_groups(const CaptureFacts& facts);

/// Shown over the timeline when the run has failed.
struct RunNotice {
  std::string title, text, button;
};
std::optional<RunNotice> run_notice(bool device_lost, const std::string& error);

}  // namespace lanescope::ui
