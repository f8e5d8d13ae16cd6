// A workload's program as a file that runs: PyTorch, or CUDA C++.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/settings.h"

namespace lanescope::workload {

/// What a script says about itself: in its first lines, and with its result.
struct ScriptFacts {
  std::vector<std::string> title;                          ///< the first lines
  std::vector<std::pair<std::string, std::string>> about;  ///< names and values in its result: "side", "before"
  std::int64_t iterations = 200;                           ///< that are timed, unless an argument says otherwise
};

struct Script {
  std::string text;
  std::string_view suffix;  ///< ".py", ".cu"
};
/// The loop as the code view shows it, with all it needs. It prints the figures as its last line, in JSON: "about",
/// "device", "iterations" (timed), "iterations_per_s", "ms_per_iteration" (both by elapsed time, from one moment at
/// which the GPU has nothing to do to another) and "figures", the means of the workload's own. `on_cpu`: its tensors
/// are on the CPU.
Script workload_script(std::string_view workload, const Settings& settings, bool on_cpu, const ScriptFacts& facts);

}  // namespace lanescope::workload
