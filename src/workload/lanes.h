// The lanes that a workload and its runner write to.
#pragma once

#include <string>
#include <utility>

#include "trace/sink.h"

namespace lanescope::workload {

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

}  // namespace lanescope::workload
