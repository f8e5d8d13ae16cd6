// The settings that several training workloads share.
#pragma once

#include <cstdint>
#include <string>

#include "device/device.h"
#include "workload/settings.h"

namespace lanescope::workload {

// --- setting keys ----------------------------------------------------------------------------------------------------
// Keys and choices of settings that more than one place names: the workloads that declare and read them, and the trials
// that a card proposes (model/advice/trials.cpp). One that only its own workload knows stands there.

namespace key {
inline constexpr const char* kLogInterval = "log_interval";
inline constexpr const char* kFeed = "feed";
inline constexpr const char* kPinned = "pinned";
inline constexpr const char* kNonBlocking = "non_blocking";
inline constexpr const char* kBatchSize = "batch_size";
inline constexpr const char* kDispatchUs = "dispatch_us";
inline constexpr const char* kCudaGraph = "cuda_graph";
inline constexpr const char* kMethod = "method";                         ///< of readback and plot-transfer
inline constexpr const char* kBranch = "branch";                         ///< of control-flow
inline constexpr const char* kTiming = "timing";                         ///< of linear-mse
inline constexpr const char* kCopyStream = "copy_stream";                ///< of transfer-loop
inline constexpr const char* kPlotInterval = "plot_interval";            ///< of plot-transfer
inline constexpr const char* kPinFirst = "pin_first";                    ///< of bandwidth
inline constexpr const char* kSync = "sync";                             ///< of bandwidth
inline constexpr const char* kPinMemory = "pin_memory";                  ///< of dataloader
inline constexpr const char* kNumWorkers = "num_workers";                ///< of dataloader
inline constexpr const char* kPrefetchFactor = "prefetch_factor";        ///< of dataloader
inline constexpr const char* kPersistentWorkers = "persistent_workers";  ///< of dataloader
}  // namespace key

namespace choice {
// Of key::kMethod.
inline constexpr const char* kItem = "item";
inline constexpr const char* kPrint = "print";
inline constexpr const char* kFstring = "fstring";
inline constexpr const char* kStacked = "stacked";
inline constexpr const char* kOneStepLate = "one-step-late";
inline constexpr const char* kCpuNumpy = "cpu-numpy";
inline constexpr const char* kFixedBranch = "fixed";          ///< of key::kBranch
inline constexpr const char* kSynchronized = "synchronized";  ///< of key::kTiming
inline constexpr const char* kSideStream = "side";            ///< of key::kCopyStream
}  // namespace choice

// --- common settings -------------------------------------------------------------------------------------------------

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
SettingSpec model_us_setting();

/// log_interval, feed, pinned, non_blocking, batch_size, dispatch_us (by default the device's) and seed.
Settings training_settings(const device::DeviceInfo& device, const BatchLimits& batch);

/// Samples per iteration: the setting batch_size; 0 if there is none; negative if they do not tell its work
/// (trace::batch_tells_work).
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
