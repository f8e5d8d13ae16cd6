// How the run and its capture are doing, in words: the status bar, the capture health panel, the bar over the timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/capture_health.h"
#include "trace/trace.h"

namespace lanescope::ui {

enum class RunState : std::uint8_t { Running, Paused, Ended };

/// What the words are made from.
struct CaptureFacts {
  trace::CaptureHealth health;
  trace::TraceCounts counts;
  std::size_t memory_bytes = 0, memory_cap_bytes = 0;  ///< of the trace; no cap: nothing is said of it
  double recorder_latency_ms = 0;                      ///< from a writer to the trace
  RunState run = RunState::Running;
  std::string no_gpu;  ///< why "auto" took none; empty when the device was named, or is one
};

struct StatusText {
  std::string text;
  bool warning = false;  ///< something is missing
  std::string aside;     ///< second rank, cut where there is no room: why no GPU is used
};
StatusText capture_status(const CaptureFacts& facts);

struct HealthLine {
  enum class Tone : std::uint8_t {
    Plain,
    Muted,  ///< zero, or not known: nothing to look at
    Loss,   ///< something is missing in the picture
    Doubt,  ///< something was repaired or looks odd
    Good,
  };
  std::string name, value;
  Tone tone = Tone::Plain;
};
struct HealthGroup {
  std::string title;
  std::string sentence;  ///< what it means for the picture
  std::vector<HealthLine> lines;
};
std::vector<HealthGroup> health_groups(const CaptureFacts& facts);

/// What stands over the timeline when the run has ended by a failure.
struct RunNotice {
  std::string title, text, button;
};
std::optional<RunNotice> run_notice(bool device_lost, const std::string& error);

}  // namespace lanescope::ui
