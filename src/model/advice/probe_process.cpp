#include "model/advice/probe_process.h"

#include <chrono>
#include <vector>

#include "base/error.h"
#include "base/platform/child_process.h"
#include "base/platform/paths.h"
#include "base/translate.h"
#include "calibration/quick_probe.h"

namespace lanescope::ui {
namespace {

using base::tr;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongest{10};

/// What the command prints. Kills it when it takes too long.
std::string output_of(const std::vector<std::string>& command) {
  const auto until = Clock::now() + kLongest;
  base::ProgramRun run = base::run_program(command, {.enough = [until] { return Clock::now() > until; }});
  return run.well() ? std::move(run.out) : std::string();
}

}  // namespace

calibration::QuickProbe probe_with(const std::string& program, const std::string& device,
                                   std::span<const ops::Op> ops) {
  std::vector<std::string> command{program, "probe", device};
  for (const ops::Op& op : ops) command.push_back(calibration::to_text(op));
  const auto probe = calibration::parse_quick_probe(output_of(command));
  if (!probe) throw base::Error(tr("{} could not be probed", device));
  return *probe;
}

calibration::QuickProbe probe_in_a_process(const std::string& device, std::span<const ops::Op> ops) {
  return probe_with(base::this_program().string(), device, ops);
}

}  // namespace lanescope::ui
