// The lanes that a workload and its runner write to.
#pragma once

#include <string>
#include <utility>

#include "trace/sink.h"

namespace lanescope::workload {

/// A lane of the program's one thread, the same as that of its API calls.
inline trace::LaneInfo program_lane(trace::LaneKind kind, std::string name) {
  trace::LaneInfo info;
  info.kind = kind;
  info.name = std::move(name);
  info.process = "lanescope";
  return info;
}

}  // namespace lanescope::workload
