// Runs a workload iteration by iteration on a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "workload/pacer.h"
#include "workload/workload.h"

namespace lanescope::workload {

/// Records an Iterations range per iteration and a Marker when settings changed ("log interval 1 → 100"), hands the
/// workload one settings snapshot per iteration, and samples the loss as a Counter when the program has read a new one.
/// A device in real time stands between two iterations while the pacer is paused, which leaves a Marker, too.
class Runner {
 public:
  /// `iterations` 0: until stop(). The device must outlive the runner; `pacer` may be null (as fast as possible).
  Runner(device::Device& device, std::unique_ptr<Workload> workload, Settings settings, std::uint64_t iterations,
         Pacer* pacer);
  ~Runner();  ///< stops and joins
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void start();  ///< once
  void stop();   ///< after the iteration that is running, which is paced no more; does not wait
  void wait();   ///< until it has ended
  /// After it has ended: the device is not used any more.
  void release_workload();
  bool running() const { return running_.load(std::memory_order_acquire); }
  std::uint64_t iterations_done() const { return done_.load(std::memory_order_acquire); }
  /// Taken at the next iteration. Any thread.
  void set_settings(const Settings& settings);
  Settings settings() const;  ///< as last set
  /// The workload's own, since the settings were last changed (in real time, without the first iteration).
  std::vector<Figure> figures() const;
  std::optional<double> first_loss() const;
  std::optional<double> last_loss() const;
  /// Device clock: the first iteration's start and the end of the last operation (after finish()).
  base::Nanoseconds started_ns() const { return started_ns_.load(std::memory_order_acquire); }
  base::Nanoseconds ended_ns() const { return ended_ns_.load(std::memory_order_acquire); }
  /// Why the run ended early; empty if it did not.
  std::string error() const;
  /// It ended because the device has failed for good: a new device may work again.
  bool device_lost() const { return device_lost_.load(std::memory_order_acquire); }

 private:
  struct Lanes {
    trace::LaneId iterations, markers, loss;
    trace::NameId iteration_name, loss_name;
  };

  void run();
  void run_iterations();
  bool should_stop() const;
  void write_range(const Lanes& lanes, std::uint64_t number, base::Nanoseconds start_ns);
  void write_marker(const Lanes& lanes, std::string_view text);
  void stand_while_paused(const Lanes& lanes);
  void sample_loss(const Lanes& lanes);

  device::Device& device_;
  std::unique_ptr<Workload> workload_;
  std::vector<Figure> last_figures_;  // when the workload is released
  Pacer* pacer_;
  const std::uint64_t iterations_;
  mutable std::mutex mutex_;
  Settings settings_;
  std::atomic<std::uint64_t> settings_version_{0};
  std::optional<double> first_loss_, last_loss_;
  std::uint64_t losses_seen_ = 0;  // workload thread only
  std::string error_;
  std::atomic<bool> running_{false}, stop_{false}, device_lost_{false};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<base::Nanoseconds> started_ns_{0}, ended_ns_{0};
  std::mutex thread_mutex_;  // start() and wait() may come from different threads
  std::thread thread_;
};

}  // namespace lanescope::workload
