// A loop that issues ops, copies and reads, one iteration at a time, controlled by settings.
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
  std::string summary;      ///< two or three sentences for the panel: what it does, and what to look for
  std::string experiments;  ///< "P08 to P10"
  /// Figures published by the tutorial, shown beside this run's: {"no read", "0.8 s"}.
  std::vector<std::pair<std::string, std::string>> published;
  /// PyTorch-like code with the default settings, line by line; code.h provides it for any settings.
  std::vector<std::string> code;
  bool computes_values = false;  ///< false: timing only, so there is no loss
};

class Workload {
 public:
  virtual ~Workload() = default;
  virtual const WorkloadInfo& info() const = 0;
  /// Allocates what the workload needs. Called once, on the workload's thread, before the first iteration.
  virtual void set_up(const Settings& settings) = 0;
  /// Runs one iteration, numbered from 0, with the settings in force.
  virtual void iterate(std::uint64_t number, const Settings& settings) = 0;
  /// Called after the last iteration: does what PyTorch would do before stopping the clock (synchronise the device).
  virtual void finish() = 0;
  /// The newest loss that the program has read; empty if there is none yet, or with timing only.
  virtual std::optional<double> last_loss() const { return last_loss_; }
  /// How often the program has read the loss. Counts new reads even if the value is the same.
  virtual std::uint64_t losses_read() const { return losses_read_; }

  FigureBoard& figures() { return figures_; }
  const FigureBoard& figures() const { return figures_; }

 protected:
  /// Call when the program has read its loss. A workload that only models time never does.
  void loss_was_read(double loss) {
    last_loss_ = loss;
    ++losses_read_;
  }

 private:
  FigureBoard figures_;
  std::optional<double> last_loss_;
  std::uint64_t losses_read_ = 0;
};

/// The names of all workloads, in teaching order.
std::vector<std::string> workload_names();
WorkloadInfo workload_info(std::string_view name);  ///< throws base::UsageError, which lists the names
/// The settings of a workload, with the device's typical dispatch cost as that setting's default.
Settings default_settings(std::string_view workload, const device::DeviceInfo& device);
/// Checks limits that involve several settings. Throws base::UsageError: one line that names the settings and what is
/// allowed.
void check_settings(std::string_view workload, const Settings& settings);
/// After how many iterations the loop repeats, as far as that matters to the time per iteration; 1: every iteration is
/// alike. Of several periods, the longest.
std::int64_t period_of(std::string_view workload, const Settings& settings);
std::unique_ptr<Workload> make_workload(std::string_view name, device::Device& device);

}  // namespace lanescope::workload
