// One run from end to end: device, workload thread, capture and trace, made and torn down together.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "capture/recorder.h"
#include "device/catalogue.h"
#include "trace/trace.h"
#include "workload/runner.h"

namespace lanescope::session {

struct SessionOptions {
  std::string workload = "linear-mse";
  std::string device = "auto";
  std::vector<std::string> assignments;  ///< "key=value", applied in order over the defaults
  std::uint64_t iterations = 0;          ///< 0: until stopped
  bool paced = true;                     ///< virtual time: false is as fast as possible (headless)
  double speed = 1.0;                    ///< paced: virtual time per wall time
  std::size_t memory_cap_bytes = std::size_t{2} << 30;
  device::CaptureLevel capture = device::CaptureLevel::All;  ///< of a GPU's work
  /// Not paced, virtual time: called on the workload's thread as its clock advances. A reader that must see every event
  /// before the memory cap pushes it out keeps the workload here.
  std::function<void(const trace::Trace&)> hold_back;
};

class Session {
 public:
  /// Throws base::UsageError, base::FileError or base::Error (a GPU that cannot be used); starts nothing.
  explicit Session(const SessionOptions& options);
  ~Session();  ///< stops the workload and the capture
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start();
  /// Waits until the workload has ended and everything it recorded is in the trace.
  void wait();
  void stop();
  /// stop(), and then gives the device and its capture back, of which a process can have one at a time. What was
  /// recorded, the settings and the figures stay.
  void release();

  const SessionOptions& options() const { return options_; }
  const trace::Trace& trace() const { return trace_; }
  const device::DeviceInfo& device() const { return info_; }
  const workload::WorkloadInfo& workload() const { return workload_info_; }
  workload::Runner& runner() { return *runner_; }
  const workload::Runner& runner() const { return *runner_; }
  workload::Pacer& pacer() { return pacer_; }
  const capture::Recorder& recorder() const { return *recorder_; }
  /// For another writer beside the device: what the trace shows then is not only this run's.
  capture::Recorder& recorder() { return *recorder_; }

  workload::Settings settings() const { return runner_->settings(); }
  /// Takes effect at the next iteration; throws base::UsageError when out of range.
  void set(std::string_view key, const workload::Value& value);
  /// Several at once ("key=value"), as one change with one marker; all of them or none.
  void assign(const std::vector<std::string>& assignments);

  /// The newest instant that is both known and reached: what is later is drawn as unknown.
  base::Nanoseconds live_edge_ns() const;
  /// The present on the trace's clock: of a device in real time what its clock says; in virtual time what is reached.
  base::Nanoseconds now_ns() const;

  /// How the recording of a GPU's work goes, or went; of a simulated device there is nothing to say.
  trace::CaptureHealth capture_health() const { return device_ ? device_->capture_health() : last_health_; }
  std::vector<trace::OpenCall> open_calls() const;
  /// The run ended because the device has failed for good; runner().error() says why. A new session may work again.
  bool device_lost() const { return runner_->device_lost(); }

 private:
  /// After the workload has ended: everything it caused goes into the trace, once.
  void flush();

  SessionOptions options_;
  trace::Trace trace_;
  workload::Pacer pacer_;
  std::unique_ptr<capture::Recorder> recorder_;
  std::unique_ptr<device::Device> device_;  // null after release()
  device::DeviceInfo info_;
  trace::CaptureHealth last_health_;
  workload::WorkloadInfo workload_info_;
  std::unique_ptr<workload::Runner> runner_;
  std::mutex flush_mutex_;
  bool started_ = false, flushed_ = false;  // with the mutex held
};

}  // namespace lanescope::session
