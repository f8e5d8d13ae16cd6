// What the window says of an experiment whose sides are flipped at a chosen moment, in virtual time.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "experiment/measured_run.h"
#include "experiment/published_numbers.h"
#include "model/details/recent_figures.h"
#include "model/experiment/active_experiment.h"
#include "workload/common_settings.h"

namespace lanescope::ui {

using experiment::Experiment;
using experiment::Side;

/// The window's speed for iterations of this length: as slow as experiments start, but so that something happens.
inline double window_speed(double iteration_ns) {
  double speed = 0.01;
  while (speed < 1 && 0.7e9 * speed < iteration_ns) speed *= 10;
  return std::min(speed, 1.0);
}

/// A run that begins with `from` and is flipped when iteration `flip_at` has ended; 0: never.
class FlippedRun {
 public:
  FlippedRun(const Experiment& e, Side from, std::uint64_t iterations, std::uint64_t flip_at)
      : experiment_(e), side_(from) {
    session::SessionOptions options =
        side_options(e, from, {.device = {}, .iterations = iterations, .assignments = {}});
    options.memory_cap_bytes = std::size_t{512} << 20;
    options.hold_back = [this, flip_at](const trace::Trace&) {
      if (flip_at > 0 && session_->runner().iterations_done() >= flip_at) flip();
    };
    session_ = std::make_unique<session::Session>(options);
    before_ = session_->settings();
    standard_ = workload::default_settings(e.workload, session_->device());
    session_->start();
    session_->wait();
    analysis_ = std::make_unique<analysis::LiveAnalysis>(session_->trace());
  }

  /// Looks as often as the window does, to `until` on the trace's clock.
  void follow(Nanoseconds until, double speed) {
    const auto step = static_cast<Nanoseconds>(80e6 * speed);
    for (; now_ns_ < until; now_ns_ += step) {
      analysis_->update(now_ns_);
      const bool flipped = !analysis_->markers().empty();
      const workload::Settings settings = flipped ? session_->settings() : before_;
      figures_.look({*analysis_, now_ns_, static_cast<Nanoseconds>(RecentFigures::kSeconds * speed * 1e9),
                     workload::period_of(experiment_.workload, settings), workload::batch_size_of(settings)},
                    RecentFigures::Clock::time_point(std::chrono::milliseconds(10'000)) +
                        std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(now_ns_) / speed)));
    }
  }
  const RecentFigures& figures() const { return figures_; }
  bool current() const { return figures_.current(*analysis_); }
  const trace::Trace& trace() const { return session_->trace(); }
  const analysis::LiveAnalysis& analysis() const { return *analysis_; }
  workload::Settings settings() const { return session_->settings(); }
  device::DeviceInfo device() const { return session_->device(); }
  Nanoseconds end_ns() const { return trace().extent().second; }
  /// The start of the first iteration with the new settings.
  Nanoseconds flipped_ns() const {
    analysis::LiveAnalysis whole(trace());
    whole.update(end_ns());
    return whole.markers().empty() ? 0 : whole.markers().front().start_ns;
  }

 private:
  void flip() {
    if (flipped_) return;
    flipped_ = true;
    std::vector<std::string> assignments;
    const Side to = side_ == Side::Before ? Side::After : Side::Before;
    for (const auto& [key, value] : side_settings(experiment_, to, standard_))
      assignments.push_back(key + "=" + workload::to_text(value));
    session_->assign(assignments);
  }

  const Experiment& experiment_;
  const Side side_;
  bool flipped_ = false;
  workload::Settings before_, standard_;
  std::unique_ptr<session::Session> session_;
  std::unique_ptr<analysis::LiveAnalysis> analysis_;
  RecentFigures figures_;
  Nanoseconds now_ns_ = 0;
};

}  // namespace lanescope::ui
