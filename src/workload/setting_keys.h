// Keys and choices of settings that more than one place names: the workloads that declare and read them, and the trials
// that a card proposes (prediction/trials.cpp). One that only its own workload knows stands there.
#pragma once

namespace lanescope::workload {

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

}  // namespace lanescope::workload
