// The names and owners of a capture's lanes. The sink returns the same lane for the same description, so all code
// describes lanes through this class.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "trace/sink.h"

namespace lanescope::capture {

/// By default of a capture within this program.
struct LaneNames {
  std::string process = "lanescope";
  std::int64_t pid = 0;
  /// A thread's own name; empty or none: unknown.
  std::function<std::string(std::uint32_t thread)> thread{};
  std::optional<int> rank{};  ///< of the process in a job of several

  /// The API calls of a thread. Those of the main thread are next to the program's own ranges (tid 0).
  trace::LaneInfo calls(std::uint32_t thread, bool is_main) const;
  /// A stream's kernels, or its copies in one direction.
  trace::LaneInfo stream(trace::LaneKind kind, std::uint32_t device, std::uint32_t stream, bool is_default) const;
  /// Messages about the capture itself.
  trace::LaneInfo markers() const;

 private:
  trace::LaneInfo lane(trace::LaneKind kind, std::string name) const;
};

}  // namespace lanescope::capture
