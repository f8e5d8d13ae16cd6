// A run on a simulated device, to predict from.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "experiment/measured_run.h"
#include "prediction/predict.h"

namespace lanescope::prediction::test {

class RecordedRun {
 public:
  RecordedRun(const std::string& workload, std::vector<std::string> settings, std::uint64_t iterations = 200,
              const std::string& device = "sim:rtx4090") {
    session::SessionOptions options;
    options.workload = workload;
    options.device = device;
    options.assignments = std::move(settings);
    options.iterations = iterations;
    run_ = std::make_unique<experiment::MeasuredRun>(options);
    run_->run();
  }

  const trace::Trace& trace() const { return run_->trace(); }
  Recorded recorded() const {
    Recorded r;
    r.trace = &run_->trace();
    r.from_ns = std::numeric_limits<Nanoseconds>::min();
    r.to_ns = std::numeric_limits<Nanoseconds>::max();
    r.workload = run_->facts().workload;
    r.settings = run_->settings();
    r.device = run_->device();
    return r;
  }
  /// With a probe of the same device.
  Recorded with_probe() const {
    Recorded r = recorded();
    const std::string device = r.device.id;
    r.probe = std::make_shared<DeviceProbe>([device](std::span<const ops::Op> ops) { return probe_here(device, ops); });
    return r;
  }

 private:
  std::unique_ptr<experiment::MeasuredRun> run_;
};

}  // namespace lanescope::prediction::test
