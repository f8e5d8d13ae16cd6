// Runs a workload on its own thread, or in turns on the caller's, iteration by iteration.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/time.h"
#include "workload/workload.h"

namespace lanescope::workload {

// --- virtual clock ---------------------------------------------------------------------------------------------------
// The arithmetic of pacing: maps wall time to virtual time. Uses no threads and reads no clock.

/// virtual time = anchor + (wall time - wall time at the anchor) * speed; stands still while paused.
class VirtualClock {
 public:
  using WallTime = std::chrono::steady_clock::time_point;
  /// A simulation may catch up if it is at most this much wall time behind; otherwise time is held back.
  static constexpr std::chrono::milliseconds kSlack{20};

  /// Starts at virtual time 0. Throws base::UsageError unless speed is a positive number.
  VirtualClock(double speed, WallTime now);

  base::Nanoseconds at(WallTime now) const;
  /// The wall time at which at() reaches t; WallTime::max() while paused, and at most an hour from the anchor.
  WallTime when(base::Nanoseconds t) const;

  double speed() const { return speed_; }
  bool paused() const { return paused_; }
  void set_speed(double speed, WallTime now);
  /// Stops at `t`, or continues from there.
  void pause(bool paused, base::Nanoseconds t, WallTime now);
  /// The simulation has only reached t: if that is too far behind, time continues from t.
  void hold_back(base::Nanoseconds t, WallTime now);
  /// Continues from t, whatever the current time.
  void jump(base::Nanoseconds t, WallTime now) { anchor(t, now); }

 private:
  void anchor(base::Nanoseconds t, WallTime now);

  double speed_;
  bool paused_ = false;
  base::Nanoseconds anchor_virtual_ = 0;
  WallTime anchor_wall_;
};

// --- pacer -----------------------------------------------------------------------------------------------------------
// Ties a device's virtual time to the wall clock at a given speed, so that a simulated run can be watched; and holds a
// run while it is paused.

/// The workload's thread calls wait_for(); any thread may call now_ns(), change the speed, pause and stop. Without
/// pacing, wait_for() returns at once.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Waits : std::uint8_t {
    OnItsThread,  ///< wait_for() waits
    InTurns,      ///< it never does: whoever runs the loop goes on with it once due()
  };

  explicit Pacer(bool paced, double speed = 1.0, Waits waits = Waits::OnItsThread);

  /// Returns when virtual time has reached t, or at once if stopped or not paced. May return up to kNap later, so that
  /// a workload with a call every few microseconds does not sleep at each. If the simulation cannot keep up with the
  /// wall clock, virtual time is held back instead of jumping later.
  void wait_for(base::Nanoseconds t);
  static constexpr std::chrono::milliseconds kNap{1};
  /// In turns: true if the next iteration is to begin, because what was simulated so far is over.
  bool due() const;
  /// In turns: the simulation cannot keep up with the wall clock, so time goes on from where it is.
  void hold_back();
  /// The virtual time to display: never beyond the last t of wait_for().
  base::Nanoseconds now_ns() const;
  void set_speed(double speed);  ///< 1 is real time; throws base::UsageError unless positive
  double speed() const;
  void pause(bool paused);
  /// While on, wait_for() does not wait; afterwards, time continues from the newest t. For stretches not worth
  /// watching, such as set-up. Workload's thread only.
  void fast_forward(bool on);
  bool paused() const;
  /// For real-time devices, whose clock cannot be held: returns once the run is not paused, or is stopped.
  void wait_while_paused();
  void stop();  ///< wakes the waiting thread for good
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }

 private:
  base::Nanoseconds seen_at(Clock::time_point wall) const;  // requires the mutex

  const bool paced_;
  const Waits waits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  VirtualClock clock_;
  std::atomic<bool> stopped_{false};  // written with the mutex
  bool fast_ = false;
  base::Nanoseconds frontier_ = 0;  // the newest t of wait_for()
};

// --- runner ----------------------------------------------------------------------------------------------------------

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
  std::string error_;
  std::atomic<bool> running_{false}, stop_{false}, device_lost_{false};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<base::Nanoseconds> started_ns_{0}, ended_ns_{0};
  std::mutex thread_mutex_;  // start() and wait() may be called from different threads
  std::thread thread_;
};

}  // namespace lanescope::workload
