// One headless run: a session, and an analysis that follows it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "analysis/run_figures.h"
#include "experiment/named_figure.h"
#include "experiment/session.h"
#include "workload/common_settings.h"

namespace lanescope::experiment {

class MeasuredRun {
 public:
  /// Checks the request without starting the run. Throws base::UsageError or base::FileError.
  /// `detail`: Timeline if the run is to be drawn.
  explicit MeasuredRun(session::SessionOptions options,
                       analysis::LiveAnalysis::Detail detail = analysis::LiveAnalysis::Detail::Figures);
  ~MeasuredRun();
  MeasuredRun(const MeasuredRun&) = delete;
  MeasuredRun& operator=(const MeasuredRun&) = delete;

  /// Runs to the end, or until `should_stop` returns true, and releases the device. Both functions are called every few
  /// milliseconds with the number of iterations done, and may be empty. Throws base::Error if the workload fails.
  void run(const std::function<void(std::uint64_t iterations_done)>& progress = {},
           const std::function<bool()>& should_stop = {});

  /// Throws base::UsageError if another run of this workload could not use these settings.
  void check(const std::vector<std::string>& assignments) const;

  /// Changes settings ("key=value") while it runs: all or none. Throws base::UsageError.
  void assign(const std::vector<std::string>& assignments) { session_->assign(assignments); }

  const trace::Trace& trace() const { return session_->trace(); }
  workload::Settings settings() const { return session_->settings(); }
  /// Call after run().
  analysis::RunFigures figures() const;
  /// What makes the GPU idle, and what would help, of the run whose figures these are; figures() leaves it empty.
  analysis::Advice advice(const analysis::RunFigures& figures) const;
  /// Tables of it; figures() leaves them empty, too.
  analysis::Breakdown breakdown(const analysis::RunFigures& figures) const;
  const analysis::LiveAnalysis& analysis() const { return *analysis_; }
  trace::RunFacts facts() const { return facts_of(*session_); }
  trace::CaptureHealth capture_health() const { return session_->capture_health(); }
  const device::DeviceInfo& device() const { return session_->device(); }
  /// The input of experiment/named_figure.h.
  Measured measured() const {
    return {figures().summary, session_->runner().figures(), workload::batch_size_of(session_->settings())};
  }

 private:
  void hold_back(const trace::Trace& trace);
  bool follow();  ///< true: it had much to read

  const std::uint64_t events_ahead_;  // the maximum number of recorded events not yet analysed
  std::atomic<std::uint64_t> events_read_{0};
  std::atomic<bool> released_{false};
  bool reading_ = false;
  std::unique_ptr<session::Session> session_;
  std::unique_ptr<analysis::LiveAnalysis> analysis_;
};

}  // namespace lanescope::experiment
