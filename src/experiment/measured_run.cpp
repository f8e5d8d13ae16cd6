#include "experiment/measured_run.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <thread>
#include <utility>

#include "base/error.h"

namespace lanescope::experiment {
namespace {

constexpr std::chrono::milliseconds kLook{2};

bool has_iterations(const trace::Trace& trace) {
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<trace::LaneId>(l));
    if (lane.info().kind == trace::LaneKind::Iterations && lane.row_count() > 0 && lane.row(0).last() > 0) return true;
  }
  return false;
}

}  // namespace

// Half of what the memory cap holds: the analysis then never meets a block that has gone.
MeasuredRun::MeasuredRun(session::SessionOptions options)
    : events_ahead_(options.memory_cap_bytes / sizeof(trace::Block) * trace::kBlockEvents / 2) {
  options.paced = false;
  options.hold_back = [this](const trace::Trace& trace) { hold_back(trace); };
  session_ = std::make_unique<session::Session>(options);
  analysis_ = std::make_unique<analysis::LiveAnalysis>(session_->trace());
}

MeasuredRun::~MeasuredRun() {
  released_.store(true, std::memory_order_release);
  events_read_.fetch_add(1, std::memory_order_release);  // a changed value wakes the workload
  events_read_.notify_all();
}

// On the workload's thread. Without it a simulation that is faster than the analysis would push events out of the
// memory cap before they were counted, and the figures would depend on the speed of this machine.
void MeasuredRun::hold_back(const trace::Trace& trace) {
  for (;;) {
    const std::uint64_t read = events_read_.load(std::memory_order_acquire);
    if (trace.counts().recorded <= read + events_ahead_ || released_.load(std::memory_order_acquire)) return;
    events_read_.wait(read, std::memory_order_acquire);
  }
}

void MeasuredRun::follow() {
  const std::uint64_t recorded = trace().counts().recorded;
  // A range is recorded when it ends. Before the first iteration is in the trace its start is not known, and what
  // belongs to it could be taken for the program's preparations. (No iteration holds as many events as may wait to be
  // read.)
  reading_ = reading_ || has_iterations(trace()) || recorded > events_ahead_ || !session_->runner().running();
  if (!reading_) return;
  analysis_->update(trace().complete_until());
  if (recorded == events_read_.load(std::memory_order_relaxed)) return;
  events_read_.store(recorded, std::memory_order_release);
  events_read_.notify_all();
}

void MeasuredRun::run(const std::function<void(std::uint64_t)>& progress, const std::function<bool()>& should_stop) {
  workload::Runner& runner = session_->runner();
  session_->start();
  while (runner.running()) {
    follow();
    if (progress) progress(runner.iterations_done());
    if (should_stop && should_stop()) runner.stop();
    std::this_thread::sleep_for(kLook);
  }
  session_->wait();
  if (const std::string error = runner.error(); !error.empty()) throw base::Error(error);
  follow();
  analysis_->finish();
  session_->release();
}

void MeasuredRun::check(const std::vector<std::string>& assignments) const {
  workload::Settings settings = workload::default_settings(session_->workload().name, session_->device());
  for (const std::string& assignment : assignments) settings.assign(assignment);
  workload::check_settings(session_->workload().name, settings);
}

// On a real GPU the first iteration loads code and libraries, which is no part of the loop.
std::optional<analysis::IterationRecord> MeasuredRun::warm_up() const {
  constexpr std::size_t kEnough = 10;
  constexpr base::Nanoseconds kFactor = 5;
  const std::span<const analysis::IterationRecord> records = analysis_->records();
  if (session_->device().virtual_time || records.size() < kEnough || records[0].number != 1) return std::nullopt;
  const analysis::Summary rest = analysis_->window(records[0].end_ns, std::numeric_limits<base::Nanoseconds>::max());
  if (records[0].duration() < kFactor * rest.iteration.p50_ns) return std::nullopt;
  return records[0];
}

io::RunFigures MeasuredRun::figures() const {
  const workload::Runner& runner = session_->runner();
  io::RunFigures figures;
  figures.facts = facts();
  figures.summary = analysis_->since_first_iteration();
  figures.events = trace().counts();
  figures.iterations = runner.iterations_done();
  if (const trace::CaptureHealth health = session_->capture_health(); health.state != trace::CaptureState::None) {
    figures.capture = health;
  }
  figures.elapsed_ns = runner.ended_ns() - runner.started_ns();
  if (const auto first = warm_up()) {
    figures.warm_up_ns = first->duration();
    figures.summary = analysis_->since(*first);
    figures.elapsed_ns = runner.ended_ns() - first->end_ns;
  }
  if (const auto first = runner.first_loss(), last = runner.last_loss(); first && last) figures.loss = {*first, *last};
  for (const workload::Figure& f : runner.figures()) {
    figures.own.push_back({f.key, f.label, f.unit, f.mean, f.total, f.last, f.count});
  }
  return figures;
}

analysis::Advice MeasuredRun::advice() const {
  const analysis::AdviceContext link{device().h2d_peak_gb_per_s, device().d2h_peak_gb_per_s};
  return analysis::advice_for(trace(), analysis_->records(), session_->runner().ended_ns(), link);
}

analysis::Breakdown MeasuredRun::breakdown(const io::RunFigures& figures) const {
  return analysis::break_down(trace(), analysis_->records(), figures.summary, session_->runner().ended_ns());
}

io::RunFacts MeasuredRun::facts() const {
  io::RunFacts facts;
  facts.workload = session_->workload().name;
  facts.device = session_->device().id;
  facts.device_name = session_->device().name;
  facts.simulated = session_->device().simulated;
  const workload::Settings settings = session_->settings();
  for (const workload::SettingSpec& spec : settings.specs()) {
    facts.settings[spec.key] = workload::to_text(settings.value(spec.key));
  }
  return facts;
}

}  // namespace lanescope::experiment
