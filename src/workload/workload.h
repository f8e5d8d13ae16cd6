// A loop that issues ops, copies and reads, one iteration at a time, steered by settings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "workload/figures.h"
#include "workload/settings.h"

namespace lanescope::workload {

struct WorkloadInfo {
  std::string name;         ///< "linear-mse"
  std::string title;        ///< "Reading the loss every iteration"
  std::string summary;      ///< two or three sentences for the panel: what it does, what to watch
  std::string experiments;  ///< "P08 to P10"
  /// What the tutorial published, beside which the panel writes this run's figure: {"no read", "0.8 s"}.
  std::vector<std::pair<std::string, std::string>> published;
  /// PyTorch-like pseudo-code with the standard settings, a line each; code.h has it with any settings.
  std::vector<std::string> code;
  bool computes_values = false;  ///< false: timing only, there is no loss to show
};

class Workload {
 public:
  virtual ~Workload() = default;
  virtual const WorkloadInfo& info() const = 0;
  /// Allocates what it needs. Called once, on the workload's thread, before the first iteration.
  virtual void set_up(const Settings& settings) = 0;
  /// One iteration, numbered from 0, with the settings that hold for it.
  virtual void iterate(std::uint64_t number, const Settings& settings) = 0;
  /// After the last iteration: whatever PyTorch would do before the clock is stopped (a device synchronise).
  virtual void finish() = 0;
  /// The newest loss that the program itself has read back; none yet, or timing only: empty.
  virtual std::optional<double> last_loss() const = 0;
  /// How often the program has read the loss so far: a reading is a new one even if the value is the same.
  virtual std::uint64_t losses_read() const = 0;

  FigureBoard& figures() { return figures_; }
  const FigureBoard& figures() const { return figures_; }

 private:
  FigureBoard figures_;
};

/// The names of all workloads, in the order of a lesson.
std::vector<std::string> workload_names();
WorkloadInfo workload_info(std::string_view name);  ///< throws base::UsageError that lists the names
/// The settings a workload understands, with the device's usual dispatch cost as that setting's default.
Settings default_settings(std::string_view workload, const device::DeviceInfo& device);
/// What no single setting's limits can say; throws base::UsageError: one line that names the settings and what is
/// allowed.
void check_settings(std::string_view workload, const Settings& settings);
std::unique_ptr<Workload> make_workload(std::string_view name, device::Device& device);

}  // namespace lanescope::workload
