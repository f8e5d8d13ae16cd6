#include "experiment/session.h"

#include <algorithm>

#include "device/catalogue.h"

namespace lanescope::session {
namespace {

std::uint64_t seed_of(const workload::Settings& settings) {
  return static_cast<std::uint64_t>(settings.integer("seed"));
}

}  // namespace

Session::Session(const SessionOptions& options)
    : options_(options),
      in_turns_(options.in_turns && device::describe_device(options.device).virtual_time),
      trace_(options.memory_cap_bytes),
      pacer_(options.paced, options.speed,
             in_turns_ ? workload::Pacer::Waits::InTurns : workload::Pacer::Waits::OnItsThread) {
  const device::DeviceInfo described = device::describe_device(options.device);
  workload_info_ = workload::workload_info(options.workload);
  workload::Settings settings = workload::default_settings(options.workload, described);
  for (const std::string& assignment : options.assignments) settings.assign(assignment);
  workload::check_settings(options.workload, settings);

  // A virtual-time device can wait for the capture to keep up; a real one cannot. What is not paced is not watched.
  const auto when_full = !described.virtual_time       ? capture::WhenFull::Drop
                         : options.paced && !in_turns_ ? capture::WhenFull::Wait
                                                       : capture::WhenFull::Direct;
  recorder_ = std::make_unique<capture::Recorder>(trace_, when_full);
  device::DeviceContext context;
  context.sink = recorder_.get();
  context.seed = seed_of(settings);
  context.capture = options.capture;
  if (options.paced) {
    context.advanced = [this](base::Nanoseconds t) { pacer_.wait_for(t); };
  } else if (options.hold_back) {
    context.recorded = [this] { options_.hold_back(trace_); };
  }
  device_ = device::make_device(options.device, std::move(context));
  info_ = device_->info();
  runner_ = std::make_unique<workload::Runner>(
      *device_, workload::make_workload(options.workload, *device_), std::move(settings), options.iterations, &pacer_,
      in_turns_ ? workload::Runner::Runs::InTurns : workload::Runner::Runs::OnItsThread);
}

Session::~Session() {
  stop();
  runner_.reset();
  device_.reset();  // closes its writer before the recorder is destroyed
}

void Session::start() {
  runner_->start();
  const std::lock_guard lock(flush_mutex_);
  started_ = true;
}

void Session::wait() {
  runner_->wait();
  flush();
}

void Session::advance(std::chrono::steady_clock::time_point until) {
  if (!in_turns_ || !runner_->running()) return;
  runner_->advance(until);
  recorder_->publish_direct();
}

void Session::flush() {
  const std::lock_guard lock(flush_mutex_);
  if (flushed_) return;
  // The GPU's work first, because it is written to the recorder.
  if (started_) device_->flush_capture();
  recorder_->flush();
  flushed_ = started_;
}

void Session::stop() {
  runner_->stop();
  pacer_.stop();
  wait();
}

void Session::release() {
  stop();
  if (!device_) return;
  last_health_ = device_->capture_health();
  runner_->release_workload();
  device_.reset();
  recorder_->flush();  // unfinished tasks of other threads end with the device
}

std::vector<trace::OpenCall> Session::open_calls() const {
  return device_ ? device_->open_calls() : std::vector<trace::OpenCall>();
}

void Session::set(std::string_view key, const workload::Value& value) {
  workload::Settings settings = runner_->settings();
  settings.set(key, value);
  workload::check_settings(workload_info_.name, settings);
  runner_->set_settings(settings);
}

void Session::assign(const std::vector<std::string>& assignments) {
  workload::Settings settings = runner_->settings();
  for (const std::string& assignment : assignments) settings.assign(assignment);
  workload::check_settings(workload_info_.name, settings);
  runner_->set_settings(settings);
}

void Session::set_memory_cap(std::size_t bytes) {
  options_.memory_cap_bytes = bytes;
  trace_.set_memory_cap_bytes(bytes);
}

base::Nanoseconds Session::live_edge_ns() const {
  const base::Nanoseconds known = trace_.complete_until();
  return options_.paced && info_.virtual_time ? std::min(known, pacer_.now_ns()) : known;
}

base::Nanoseconds Session::now_ns() const {
  if (!info_.virtual_time && device_) return device_->now_ns();
  return options_.paced && info_.virtual_time ? pacer_.now_ns() : trace_.complete_until();
}

}  // namespace lanescope::session

namespace lanescope::experiment {

// --- facts of a run --------------------------------------------------------------------------------------------------

trace::RunFacts facts_of(const session::Session& session) {
  const device::DeviceInfo& device = session.device();
  trace::RunFacts facts;
  facts.workload = session.workload().name;
  facts.device = device.id;
  facts.device_name = device.name;
  facts.simulated = device.simulated;
  facts.sm_count = device.sm_count;
  facts.h2d_peak_gb_per_s = device.h2d_peak_gb_per_s;
  facts.d2h_peak_gb_per_s = device.d2h_peak_gb_per_s;
  const workload::Settings settings = session.settings();
  for (const workload::SettingSpec& spec : settings.specs()) {
    facts.settings[spec.key] = workload::to_text(settings.value(spec.key));
  }
  return facts;
}

device::DeviceInfo device_of(const trace::RunFacts& facts) {
  device::DeviceInfo device;
  device.id = facts.device;
  device.name = facts.device_name;
  device.simulated = facts.simulated;
  device.sm_count = facts.sm_count;
  device.h2d_peak_gb_per_s = facts.h2d_peak_gb_per_s;
  device.d2h_peak_gb_per_s = facts.d2h_peak_gb_per_s;
  device.kind = device::kind_named(facts.device);
  if (facts.simulated) device.profile = device::profile_named(facts.device);
  return device;
}

}  // namespace lanescope::experiment
