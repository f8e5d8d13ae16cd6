#include "experiment/measured_run.h"

#include <chrono>
#include <thread>
#include <utility>

#include "analysis/run_figures.h"
#include "base/error.h"
#include "base/time.h"

namespace lanescope::experiment {
namespace {

// A simulated run may be over in milliseconds; a real one should be left alone.
constexpr std::chrono::microseconds kLook{2000}, kLookAtVirtual{250};
constexpr std::chrono::milliseconds kTurn{5};
// After this many events, there may be as many already. Whoever sleeps then has all the more to read when the run ends.
constexpr std::uint64_t kMany = 4096;

bool has_iterations(const trace::Trace& trace) {
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
    if (lane.info().kind == trace::LaneKind::Iterations && lane.row_count() > 0 && lane.row(0).last() > 0) return true;
  }
  return false;
}

}  // namespace

// Half of the memory cap, so that the analysis never meets an evicted block.
MeasuredRun::MeasuredRun(session::SessionOptions options, analysis::LiveAnalysis::Detail detail)
    : events_ahead_(options.memory_cap_bytes / sizeof(trace::Block) * trace::kBlockEvents / 2) {
  options.paced = false;
  options.hold_back = [this](const trace::Trace& trace) { hold_back(trace); };
  session_ = std::make_unique<session::Session>(options);
  using analysis::LiveAnalysis;
  analysis_ =
      std::make_unique<LiveAnalysis>(session_->trace(), LiveAnalysis::kMaxRecords, LiveAnalysis::kMaxBubbles, detail);
}

MeasuredRun::~MeasuredRun() {
  released_.store(true, std::memory_order_release);
  ++events_read_;  // wakes the workload
  events_read_.notify_all();
}

// On the workload's thread. Otherwise a simulation faster than the analysis would evict events before they were
// counted, and the figures would depend on the speed of this machine.
void MeasuredRun::hold_back(const trace::Trace& trace) {
  for (;;) {
    const std::uint64_t read = events_read_.load();
    if (trace.counts().recorded <= read + events_ahead_ || released_.load(std::memory_order_acquire)) return;
    if (session_->options().in_turns) return void(follow());
    events_read_.wait(read);
  }
}

bool MeasuredRun::follow() {
  const std::uint64_t recorded = trace().counts().recorded;
  // A range is recorded when it ends. Until the first iteration is in the trace, its start is unknown, and its events
  // could be mistaken for set-up. (No iteration has as many events as may be unread.)
  reading_ = reading_ || has_iterations(trace()) || recorded > events_ahead_ || !session_->runner().running();
  if (!reading_) return false;
  analysis_->update(trace().complete_until());
  const std::uint64_t read = events_read_.load();
  if (recorded == read) return false;
  events_read_ = recorded;
  events_read_.notify_all();
  return recorded - read >= kMany;
}

void MeasuredRun::run(const std::function<void(std::uint64_t)>& progress, const std::function<bool()>& should_stop) {
  workload::Runner& runner = session_->runner();
  const auto look = device().virtual_time ? kLookAtVirtual : kLook;
  session_->start();
  while (runner.running()) {
    session_->advance(base::now() + kTurn);
    const bool busy = follow() || session_->options().in_turns;
    if (progress) progress(runner.iterations_done());
    if (should_stop && should_stop()) runner.stop();
    if (!busy) std::this_thread::sleep_for(look);
  }
  session_->wait();
  if (const std::string error = runner.error(); !error.empty()) throw base::Error(error);
  follow();
  session_->release();  // ends the tasks of other threads, which then are in the trace
  follow();
  analysis_->finish();
}

void MeasuredRun::check(const std::vector<std::string>& assignments) const {
  workload::Settings settings = workload::default_settings(session_->workload().name, session_->device());
  for (const std::string& assignment : assignments) settings.assign(assignment);
  workload::check_settings(session_->workload().name, settings);
}

analysis::RunFigures MeasuredRun::figures() const {
  const workload::Runner& runner = session_->runner();
  analysis::RunFigures figures = analysis::figures_of(trace(), *analysis_, facts());
  if (const trace::CaptureHealth health = session_->capture_health(); health.state != trace::CaptureState::None) {
    figures.capture = health;
  }
  if (const auto first = runner.first_loss(), last = runner.last_loss(); first && last) figures.loss = {*first, *last};
  for (const workload::Figure& f : runner.figures()) {
    figures.own.push_back({f.key, f.label, f.unit, f.mean, f.total, f.last, f.count});
  }
  return figures;
}

analysis::Advice MeasuredRun::advice(const analysis::RunFigures& figures) const {
  return analysis::advice_of(trace(), *analysis_, figures);
}

analysis::Breakdown MeasuredRun::breakdown(const analysis::RunFigures& figures) const {
  return analysis::breakdown_of(trace(), *analysis_, figures);
}

}  // namespace lanescope::experiment
