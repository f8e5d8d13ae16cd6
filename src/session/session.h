// One run from end to end: device, workload thread, capture and trace, made and torn down together.
#pragma once

#include <functional>
#include <memory>
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
  bool paced = true;                     ///< false: as fast as possible (headless)
  double speed = 1.0;                    ///< paced: virtual time per wall time
  std::size_t memory_cap_bytes = std::size_t{2} << 30;
  /// Not paced, virtual time: called on the workload's thread as its clock advances. A reader that must see every event
  /// before the memory cap pushes it out keeps the workload here.
  std::function<void(const trace::Trace&)> hold_back;
};

class Session {
 public:
  /// Throws base::UsageError or base::FileError; starts nothing.
  explicit Session(const SessionOptions& options);
  ~Session();  ///< stops the workload and the capture
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start();
  /// Waits until the workload has ended and everything it recorded is in the trace.
  void wait();
  void stop();

  const SessionOptions& options() const { return options_; }
  const trace::Trace& trace() const { return trace_; }
  const device::DeviceInfo& device() const { return device_->info(); }
  const workload::WorkloadInfo& workload() const { return workload_info_; }
  workload::Runner& runner() { return *runner_; }
  const workload::Runner& runner() const { return *runner_; }
  workload::Pacer& pacer() { return pacer_; }
  const capture::Recorder& recorder() const { return *recorder_; }

  workload::Settings settings() const { return runner_->settings(); }
  /// Takes effect at the next iteration; throws base::UsageError when out of range.
  void set(std::string_view key, const workload::Value& value);

  /// The newest instant that is both known and reached: what is later is drawn as unknown.
  base::Nanoseconds live_edge_ns() const;

 private:
  SessionOptions options_;
  trace::Trace trace_;
  workload::Pacer pacer_;
  std::unique_ptr<capture::Recorder> recorder_;
  std::unique_ptr<device::Device> device_;
  workload::WorkloadInfo workload_info_;
  std::unique_ptr<workload::Runner> runner_;
};

}  // namespace lanescope::session
