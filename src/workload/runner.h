// Runs a workload on its own thread, or in turns on the caller's, iteration by iteration.
#pragma once

#include <atomic>
#include <chrono>
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

/// Records an Iterations range per iteration and a Marker per changed setting. Passes the workload one snapshot of the
/// settings per iteration. Samples the loss as a Counter whenever the program has read a new one. While the pacer is
/// paused, a real-time device stops between two iterations, which also leaves a Marker.
class Runner {
 public:
  enum class Runs : std::uint8_t { OnItsThread, InTurns };

  /// `iterations` 0: run until stop(). The device must outlive the runner. `pacer` may be null: as fast as possible.
  /// In turns, only one thread may call the runner's functions, and the device is a simulated one.
  Runner(device::Device& device, std::unique_ptr<Workload> workload, Settings settings, std::uint64_t iterations,
         Pacer* pacer, Runs runs = Runs::OnItsThread);
  ~Runner();  ///< stops and joins
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Call before start(). The loop waits for the device after every `iterations`, and stretches() tells how long each
  /// of these stretches took. 0: no stretches.
  void cut_into_stretches(std::uint64_t iterations) { stretch_ = iterations; }

  void start();  ///< call once
  void stop();   ///< after the current iteration, which is no longer paced; does not wait
  void wait();   ///< waits until the run has ended; in turns: runs it to its end
  /// In turns: runs iterations until `until`, or until the pacer has none due. Otherwise does nothing.
  void advance(std::chrono::steady_clock::time_point until);
  /// Call after the run has ended; the device is not used from then on.
  void release_workload();
  bool running() const { return running_.load(std::memory_order_acquire); }
  std::uint64_t iterations_done() const { return done_.load(std::memory_order_acquire); }
  /// Takes effect at the next iteration. Any thread.
  void set_settings(const Settings& settings);
  Settings settings() const;  ///< the newest, even if the loop has not taken them yet
  /// The version of settings(). 0 stands for the initial ones. Every later version that the loop takes leaves markers
  /// with its number (trace::SettingChange). Settings reverted before the loop took them keep the earlier version.
  std::uint32_t settings_version() const;
  /// The workload's own figures since the settings last changed (in real time, without the first iteration).
  std::vector<Figure> figures() const;
  std::optional<double> first_loss() const;
  std::optional<double> last_loss() const;
  /// On the device's clock: the start of the first iteration and the end of the last operation (after finish()).
  base::Nanoseconds started_ns() const { return started_ns_.load(std::memory_order_acquire); }
  base::Nanoseconds ended_ns() const { return ended_ns_.load(std::memory_order_acquire); }
  /// What an iteration took in each whole stretch, the wait at its end included, in ns. Call after the run has ended.
  const std::vector<double>& stretches() const { return stretches_; }
  /// Why the run ended early; empty if it did not.
  std::string error() const;
  /// True if the run ended because the device has failed for good; a new device may work again.
  bool device_lost() const { return device_lost_.load(std::memory_order_acquire); }

 private:
  struct Lanes {
    trace::LaneId markers, loss;
    trace::NameId loss_name;
  };
  class Loop;   // applies pausing, stopping and changed settings
  class Turns;  // the loop between two turns

  void run();
  template <typename Work>
  void guarded(Work work);  // what it throws ends the run
  void end(std::string why);
  bool take_turn(std::chrono::steady_clock::time_point until);
  bool should_stop() const;
  Settings first_settings();
  Settings take_settings();
  void write_change(const Lanes& lanes, const Settings& before, const Settings& now);
  trace::Event marker(const Lanes& lanes, std::string_view text) const;
  void stand_while_paused(const Lanes& lanes);
  void sample_loss(const Lanes& lanes);

  device::Device& device_;
  std::unique_ptr<Workload> workload_;
  std::vector<Figure> last_figures_;  // as of the workload's release
  Pacer* pacer_;
  const Runs runs_;
  std::unique_ptr<Turns> turns_;  // in turns, while the run lasts
  const std::uint64_t iterations_;
  mutable std::mutex mutex_;
  Settings settings_, taken_;        // as last set, and as taken by the loop
  std::uint32_t taken_version_ = 0;  // guarded by the mutex, like the settings
  std::atomic<std::uint32_t> settings_version_{0};
  std::atomic<double> first_loss_{0}, last_loss_{0};  // if loss_known_
  std::atomic<bool> loss_known_{false};
  std::uint64_t losses_seen_ = 0;  // workload's thread only
  std::uint64_t stretch_ = 0;      // iterations
  std::vector<double> stretches_;  // written by the workload's thread
  std::string error_;
  std::atomic<bool> running_{false}, stop_{false}, device_lost_{false};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<base::Nanoseconds> started_ns_{0}, ended_ns_{0};
  std::mutex thread_mutex_;  // start() and wait() may be called from different threads
  std::thread thread_;
};

}  // namespace lanescope::workload
