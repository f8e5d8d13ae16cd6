// One complete run: device, workload thread, capture and trace, created and destroyed together.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/background_job.h"
#include "capture/recorder.h"
#include "device/catalogue.h"
#include "trace/run_facts.h"
#include "trace/trace.h"
#include "workload/runner.h"

namespace lanescope::session {

struct SessionOptions {
  std::string workload = "linear-mse";
  std::string device = "auto";
  std::vector<std::string> assignments;  ///< "key=value", applied in order over the defaults
  std::uint64_t iterations = 0;          ///< 0: until stopped
  bool paced = true;                     ///< virtual time: if false, runs as fast as possible (headless)
  double speed = 1.0;                    ///< paced: virtual time per wall time
  std::size_t memory_cap_bytes = std::size_t{2} << 30;
  trace::CaptureLevel capture = trace::CaptureLevel::All;  ///< for a GPU's work
  /// Not paced, virtual time: called on the workload's thread as its clock advances. A reader that must see every event
  /// before the memory cap evicts it blocks the workload here.
  std::function<void(const trace::Trace&)> hold_back;
  /// Virtual time: on the caller's thread, by advance(), instead of threads of its own.
  bool in_turns = !base::kThreads;
};

class Session {
 public:
  /// Throws base::UsageError, base::FileError or base::Error (an unusable GPU). Does not start the run.
  explicit Session(const SessionOptions& options);
  ~Session();  ///< stops the workload and the capture
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start();
  /// Blocks until the workload has ended and everything it recorded is in the trace.
  void wait();
  /// Where the run takes turns with its reader (SessionOptions::in_turns): runs iterations until `until`, or until none
  /// is due, and publishes what they recorded. Otherwise does nothing.
  void advance(std::chrono::steady_clock::time_point until);
  void stop();
  /// Calls stop(), then releases the device and its capture, of which a process can have only one at a time. The trace,
  /// the settings and the figures remain.
  void release();

  const SessionOptions& options() const { return options_; }
  const trace::Trace& trace() const { return trace_; }
  const device::DeviceInfo& device() const { return info_; }
  const workload::WorkloadInfo& workload() const { return workload_info_; }
  workload::Runner& runner() { return *runner_; }
  const workload::Runner& runner() const { return *runner_; }
  workload::Pacer& pacer() { return pacer_; }
  const workload::Pacer& pacer() const { return pacer_; }
  const capture::Recorder& recorder() const { return *recorder_; }
  /// For a second writer beside the device; the trace then contains more than this run.
  capture::Recorder& recorder() { return *recorder_; }

  workload::Settings settings() const { return runner_->settings(); }
  std::uint32_t settings_version() const { return runner_->settings_version(); }
  /// Takes effect at the next iteration. Throws base::UsageError if the value is not allowed.
  void set(std::string_view key, const workload::Value& value);
  /// Sets several ("key=value") as one change, whose markers share a version. All or none; throws base::UsageError.
  void assign(const std::vector<std::string>& assignments);

  /// See trace::Trace::set_memory_cap_bytes(); options() says so, too.
  void set_memory_cap(std::size_t bytes);

  /// The newest time that is both known and reached; everything later is drawn as unknown.
  base::Nanoseconds live_edge_ns() const;
  /// The current time on the trace's clock. In real time, the device's clock; in virtual time, the time reached.
  base::Nanoseconds now_ns() const;

  /// The health of the capture of a GPU's work; state None for a simulated device.
  trace::CaptureHealth capture_health() const { return device_ ? device_->capture_health() : last_health_; }
  std::vector<trace::OpenCall> open_calls() const;
  /// True if the run ended because the device has failed for good; runner().error() gives the reason. A new session may
  /// work again.
  bool device_lost() const { return runner_->device_lost(); }

 private:
  /// After the workload has ended, writes everything it caused to the trace, once.
  void flush();

  SessionOptions options_;
  const bool in_turns_;
  trace::Trace trace_;
  workload::Pacer pacer_;
  std::unique_ptr<capture::Recorder> recorder_;
  std::unique_ptr<device::Device> device_;  // null after release()
  device::DeviceInfo info_;
  trace::CaptureHealth last_health_;
  workload::WorkloadInfo workload_info_;
  std::unique_ptr<workload::Runner> runner_;
  std::mutex flush_mutex_;
  bool started_ = false, flushed_ = false;  // guarded by the mutex
};

}  // namespace lanescope::session

namespace lanescope::experiment {

// --- facts of a run --------------------------------------------------------------------------------------------------
// Converts between a session and the facts about a run that are stored in a file beside its trace.

/// Includes the current settings.
trace::RunFacts facts_of(const session::Session& session);
/// The device of a file's run, as far as the file describes it.
device::DeviceInfo device_of(const trace::RunFacts& facts);

}  // namespace lanescope::experiment
