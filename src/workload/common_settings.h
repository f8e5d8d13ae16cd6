// The settings that several training workloads share.
#pragma once

#include <cstdint>
#include <string>

#include "device/device.h"
#include "workload/settings.h"

namespace lanescope::workload {

struct BatchLimits {
  std::int64_t standard = 1;
  std::int64_t maximum = 1;
};

// Single settings, for workloads that have only some of them.
SettingSpec log_interval_setting(std::int64_t standard);
SettingSpec feed_setting(std::string standard);
SettingSpec pinned_setting();
SettingSpec non_blocking_setting();
SettingSpec batch_size_setting(const BatchLimits& batch);
SettingSpec dispatch_setting(const device::DeviceInfo& device);  ///< the device's own by default
SettingSpec seed_setting();

/// log_interval, feed, pinned, non_blocking, batch_size, dispatch_us (by default the device's) and seed.
Settings training_settings(const device::DeviceInfo& device, const BatchLimits& batch);

/// Samples per iteration: the setting batch_size; 0 if there is none.
double batch_size_of(const Settings& settings);

/// The period of a loop that reads one value every log_interval iterations. 1 from 100 on: such a read costs at most an
/// iteration's time, and so less than a hundredth.
std::int64_t reads_period(const Settings& settings);

/// The settings of one iteration, by name.
struct TrainingSettings {
  explicit TrainingSettings(const Settings& settings);

  std::uint64_t log_interval;  ///< 0: the loss is never read
  bool feed_each_iteration;    ///< a fresh host batch is made and copied in every iteration
  bool pinned;
  bool non_blocking;
  std::int32_t batch_size;
  double dispatch_us;
  std::uint64_t seed;
};

}  // namespace lanescope::workload
