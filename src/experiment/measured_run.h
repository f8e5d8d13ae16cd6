// One headless run: a session, and an analysis that reads along while it records.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "experiment/figure.h"
#include "io/summary_json.h"
#include "session/session.h"

namespace lanescope::experiment {

class MeasuredRun {
 public:
  /// Checks the request and starts nothing. Throws base::UsageError or base::FileError.
  explicit MeasuredRun(session::SessionOptions options);
  ~MeasuredRun();
  MeasuredRun(const MeasuredRun&) = delete;
  MeasuredRun& operator=(const MeasuredRun&) = delete;

  /// Runs to the end, or until `should_stop` says so, and gives the device back. Both are asked every few
  /// milliseconds, with the number of iterations done; both may be empty. Throws base::Error when the workload fails.
  void run(const std::function<void(std::uint64_t iterations_done)>& progress = {},
           const std::function<bool()>& should_stop = {});

  /// Throws base::UsageError when another run of this workload could not have these settings.
  void check(const std::vector<std::string>& assignments) const;

  const trace::Trace& trace() const { return session_->trace(); }
  workload::Settings settings() const { return session_->settings(); }
  /// After run().
  io::RunFigures figures() const;
  /// What makes the GPU idle, and what would help; figures() leaves it empty.
  analysis::Advice advice() const;
  /// Tables of the run whose figures these are; figures() leaves it empty, too.
  analysis::Breakdown breakdown(const io::RunFigures& figures) const;
  const analysis::LiveAnalysis& analysis() const { return *analysis_; }
  io::RunFacts facts() const;
  const device::DeviceInfo& device() const { return session_->device(); }
  /// What experiment/figure.h works from.
  Measured measured() const {
    return {figures().summary, session_->runner().figures(), batch_size_of(session_->settings())};
  }

 private:
  void hold_back(const trace::Trace& trace);
  void follow();
  std::optional<analysis::IterationRecord> warm_up() const;

  const std::uint64_t events_ahead_;  // the workload may record this many that the analysis has not read
  std::atomic<std::uint64_t> events_read_{0};
  std::atomic<bool> released_{false};
  bool reading_ = false;
  std::unique_ptr<session::Session> session_;
  std::unique_ptr<analysis::LiveAnalysis> analysis_;
};

}  // namespace lanescope::experiment
