#include "model/model.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "analysis/run_figures.h"
#include "base/background_job.h"
#include "base/error.h"
#include "base/time.h"
#include "model/source/live_source.h"
#include "workload/common_settings.h"
#include "workload/settings.h"

namespace lanescope::ui {
namespace {

constexpr std::size_t kEventsPerFrame = 100'000;  // a few milliseconds; 6,000,000 events per second at 60 frames
constexpr std::chrono::milliseconds kSummaryPeriod{80};
constexpr std::chrono::milliseconds kTurn{6};  // of a frame, for a run without a thread of its own

// The source before anything is shown.
class EmptySource final : public Source {
 public:
  const trace::Trace& trace() const override { return trace_; }
  io::RunFacts facts() const override { return {}; }
  std::string title() const override { return {}; }
  device::DeviceInfo device() const override { return {}; }
  bool own() const override { return false; }

 private:
  trace::Trace trace_;
};

}  // namespace

Model::Model() { replace(std::make_unique<EmptySource>(), nullptr); }

Model::~Model() {
  if (Growth* growth = source().growth()) growth->end();
  shown_.reset();
  base::await_background_works();
}

void Model::start_run(const session::SessionOptions& options) { start(run_recipe(options)); }

void Model::start(const Recipe& recipe) {
  if (recipe.exclusive && source().exclusive()) return start_after_the_old(recipe);
  show(recipe.make());
}

void Model::start_after_the_old(const Recipe& recipe) {
  if (recipe.check) recipe.check();
  const std::optional<Recipe> old = restart();
  show_nothing();
  try {
    show(recipe.make());
  } catch (const std::exception& error) {
    start_error_ = error.what();
    failed_ = recipe;
    if (old) show(old->make());
    throw;
  }
}

std::optional<Recipe> Model::restart() const {
  if (const Restarting* restarting = source().restarting()) return restarting->recipe();
  if (!nothing()) return std::nullopt;
  return failed_ ? *failed_ : run_recipe(options_now());
}

void Model::show_nothing() {
  show(analysed(std::make_unique<EmptySource>()));
  nothing_ = true;
}

void Model::show(std::unique_ptr<Source> source) {
  replace(std::move(source), nullptr);
  if (const Steering* steering = this->steering()) last_options_ = steering->options();
  this->source().growth()->start();
}

void Model::show(ReadFile file) {
  replace(std::move(file.source), std::move(file.analysis));
  live_edge_ = trace().extent().second;
  figures_.show(std::move(file.whole));
  once_ = std::move(file.once);
  recent_stale_reads_ = file.stale_reads;
  read_capture();
}

// The memory of a long trace takes a while, for which the window must not wait.
void Model::free_aside(const Shown* shown) noexcept {
  try {
    base::run_aside([shown] { delete shown; });
  } catch (const std::system_error&) {  // no more threads
    delete shown;
  }
}

void Model::replace(std::unique_ptr<Source> source, std::unique_ptr<analysis::LiveAnalysis> analysis) {
  if (shown_) {
    if (const Steering* steering = this->steering()) last_options_ = steering->options();
    if (Growth* growth = this->source().growth()) growth->end();  // the device is then free for the next run
  }
  if (!analysis) analysis = std::make_unique<analysis::LiveAnalysis>(source->trace());
  shown_ = {new Shown{std::move(source), std::move(analysis)}, free_aside};
  ++generation_;
  live_edge_ = now_ = 0;
  open_calls_.clear();
  capture_ = {};
  start_error_.clear();
  figures_.forget();
  once_.reset();
  period_ = 1;
  batch_ = 0;
  recent_stale_reads_ = 0;
  summarised_ = {};
  facts_ = this->source().facts();
  nothing_ = false;
  failed_.reset();
}

void Model::update() {
  if (Growth* runs = source().growth()) runs->advance(base::now() + kTurn);
  const Growth* growth = source().growth();
  if (!growth) return;
  const Nanoseconds known = std::max(live_edge_, growth->live_edge_ns());
  // The drawing and the figures end at the same instant: earlier than `known` if there is too much for one frame.
  const bool all = shown_->analysis->update(known, kEventsPerFrame);
  live_edge_ = all ? known : std::max(live_edge_, std::min(known, analysis().analysed_until()));
  if (const OpenCalls* calls = source().open_calls()) open_calls_ = calls->calls();
  now_ = virtual_time() ? live_edge_ : std::max(live_edge_, growth->now_ns());
  const auto now = base::now();
  const bool turned = analysis().markers().size() != figures_.markers_seen();
  if (turned || now - summarised_ >= kSummaryPeriod) {
    summarised_ = now;
    read_capture();
    summarise();
  }
}

void Model::summarise() {
  if (steering() && !settings_await_their_marker()) {
    const workload::Settings settings = steering()->settings();
    period_ = workload::period_of(steering()->workload().name, settings);
    batch_ = workload::batch_size_of(settings);
  }
  const RecentFigures::Sight sight{analysis(), live_edge_, seen_ns(RecentFigures::kSeconds), period_, batch_};
  if (!figures_.look(sight, base::now())) return;
  recent_stale_reads_ = count_stale_reads(trace(), recent().from_ns, recent().to_ns);
}

std::string Model::last_turn() const { return workload::marker_text(trace().names(), figures_.turn(analysis())); }

std::uint32_t Model::last_turn_version() const {
  const auto& markers = analysis().markers();
  const auto newest = std::find_if(markers.rbegin(), markers.rend(), trace::is_setting_change);
  return newest == markers.rend() ? 0 : trace::change_of(*newest).version;
}

bool Model::recent_is_current() const { return figures_.current(analysis()) && !settings_await_their_marker(); }

// The loop has not applied the newest settings yet, or the events since then have not arrived.
bool Model::settings_await_their_marker() const {
  return steering() && steering()->settings_version() != last_turn_version();
}

void Model::read_capture() {
  capture_.counts = trace().counts();
  capture_.memory_bytes = trace().memory_bytes();
  capture_.memory_cap_bytes = trace().memory_cap_bytes();
  capture_.run = paused() ? RunState::Paused : running() ? RunState::Running : RunState::Ended;
  const CaptureMonitor* monitor = source().capture_monitor();
  if (!monitor) return;
  capture_.simulated = simulated();
  capture_.health = monitor->health();
  capture_.recorder_latency_ms = monitor->recorder_latency_ms();
  capture_.no_gpu = monitor->no_gpu();
}

std::optional<RunNotice> Model::notice() const {
  return live() ? source().growth()->notice() : run_notice(false, start_error_);
}

std::pair<Nanoseconds, Nanoseconds> Model::extent() const {
  auto [from, to] = trace().extent();
  to = live() ? live_edge_ : to;
  return {from, std::max(to, from + 1)};
}

void Model::set_paused(bool paused) {
  if (steering()) steering()->set_paused(paused);
}

void Model::set_memory_cap(std::size_t bytes) {
  last_options_.memory_cap_bytes = bytes;
  if (live()) source().growth()->set_memory_cap(bytes);
  capture_.memory_cap_bytes = trace().memory_cap_bytes();
}

void Model::set_speed(double speed) {
  if (virtual_time()) steering()->set_speed(speed);
}

std::string Model::set(std::string_view key, const workload::Value& value) {
  if (!steering()) return {};
  try {
    steering()->set(key, value);
    return {};
  } catch (const base::Error& error) {
    return error.what();
  }
}

std::string Model::assign(const std::vector<std::string>& assignments) {
  if (!steering()) return {};
  try {
    steering()->assign(assignments);
    return {};
  } catch (const base::Error& error) {
    return error.what();
  }
}

void Model::say_again() { figures_.say_again(); }

analysis::RunConditions Model::conditions() const { return analysis::conditions_of(facts()); }

session::SessionOptions Model::options_now() const {
  if (steering()) return steering()->options();
  session::SessionOptions options = last_options_;
  const auto names = workload::workload_names();
  if (std::find(names.begin(), names.end(), facts_.workload) == names.end()) return options;
  options.workload = facts_.workload;
  options.assignments.clear();
  // The file's settings may not be allowed here, and dispatch costs measured on its device do not apply here.
  workload::Settings settings = workload::default_settings(options.workload, device::DeviceInfo{});
  const workload::Settings standard = settings;
  for (const auto& [key, value] : facts_.settings) {
    try {
      if (const workload::SettingSpec* spec = settings.spec(key); spec && spec->of_device) continue;
      settings.set_text(key, value);
      if (settings.value(key) != standard.value(key)) options.assignments.push_back(key + "=" + value);
    } catch (const base::UsageError&) {
      continue;
    }
  }
  return options;
}

}  // namespace lanescope::ui
