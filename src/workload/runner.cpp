#include "workload/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"
#include "workload/loop.h"
#include "workload/settings.h"

namespace lanescope::workload {
namespace {

double checked_speed(double speed) {
  if (!std::isfinite(speed) || speed <= 0) {
    throw base::UsageError(base::tr("speed {} is not possible; allowed: numbers above 0", speed));
  }
  return speed;
}

base::Nanoseconds nanoseconds_between(VirtualClock::WallTime from, VirtualClock::WallTime to) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
}

}  // namespace

VirtualClock::VirtualClock(double speed, WallTime now) : speed_(checked_speed(speed)), anchor_wall_(now) {}

base::Nanoseconds VirtualClock::at(WallTime now) const {
  if (paused_) return anchor_virtual_;
  const double elapsed = static_cast<double>(nanoseconds_between(anchor_wall_, now)) * speed_;
  return anchor_virtual_ + std::llround(std::min(elapsed, 4e18));
}

VirtualClock::WallTime VirtualClock::when(base::Nanoseconds t) const {
  if (paused_) return WallTime::max();
  const double wait_ns = std::ceil(static_cast<double>(t - anchor_virtual_) / speed_);
  const double hour_ns = 3600e9;
  return anchor_wall_ + std::chrono::nanoseconds(std::llround(std::clamp(wait_ns, 0.0, hour_ns)));
}

void VirtualClock::anchor(base::Nanoseconds t, WallTime now) {
  anchor_virtual_ = t;
  anchor_wall_ = now;
}

void VirtualClock::set_speed(double speed, WallTime now) {
  const double checked = checked_speed(speed);
  anchor(at(now), now);
  speed_ = checked;
}

void VirtualClock::pause(bool paused, base::Nanoseconds t, WallTime now) {
  if (paused == paused_) return;
  anchor(t, now);
  paused_ = paused;
}

void VirtualClock::hold_back(base::Nanoseconds t, WallTime now) {
  if (paused_) return;
  const double behind_ns = static_cast<double>(at(now) - t) / speed_;
  if (behind_ns > static_cast<double>(std::chrono::nanoseconds(kSlack).count())) anchor(t, now);
}

// --- pacer -----------------------------------------------------------------------------------------------------------

Pacer::Pacer(bool paced, double speed, Waits waits) : paced_(paced), waits_(waits), clock_(speed, base::now()) {}

void Pacer::wait_for(base::Nanoseconds t) {
  std::unique_lock lock(mutex_);
  frontier_ = std::max(frontier_, t);
  if (!paced_ || stopped_ || fast_ || waits_ == Waits::InTurns) return;
  clock_.hold_back(t, base::now());
  for (;;) {
    const Clock::time_point wall = base::now();
    if (stopped_ || clock_.at(wall) >= t) return;
    if (clock_.paused()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, std::max(clock_.when(t), wall + kNap));
    }
  }
}

bool Pacer::due() const {
  const std::lock_guard lock(mutex_);
  return !paced_ || stopped_ || fast_ || (!clock_.paused() && clock_.at(base::now()) >= frontier_);
}

void Pacer::hold_back() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point wall = base::now();
  if (paced_ && !clock_.paused() && clock_.at(wall) > frontier_) clock_.jump(frontier_, wall);
}

base::Nanoseconds Pacer::seen_at(Clock::time_point wall) const {
  return paced_ && !fast_ ? std::min(clock_.at(wall), frontier_) : frontier_;
}

base::Nanoseconds Pacer::now_ns() const {
  const std::lock_guard lock(mutex_);
  return seen_at(base::now());
}

void Pacer::set_speed(double speed) {
  const std::lock_guard lock(mutex_);
  clock_.set_speed(speed, base::now());
  changed_.notify_all();
}

double Pacer::speed() const {
  const std::lock_guard lock(mutex_);
  return clock_.speed();
}

void Pacer::pause(bool paused) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point wall = base::now();
  clock_.pause(paused, seen_at(wall), wall);
  changed_.notify_all();
}

bool Pacer::paused() const {
  const std::lock_guard lock(mutex_);
  return clock_.paused();
}

void Pacer::wait_while_paused() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopped_ || !clock_.paused(); });
}

void Pacer::fast_forward(bool on) {
  const std::lock_guard lock(mutex_);
  if (fast_ && !on) clock_.jump(frontier_, base::now());
  fast_ = on;
}

void Pacer::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

// --- runner ----------------------------------------------------------------------------------------------------------

Runner::Runner(device::Device& device, std::unique_ptr<Workload> workload, Settings settings, std::uint64_t iterations,
               Pacer* pacer, Runs runs)
    : device_(device),
      workload_(std::move(workload)),
      pacer_(pacer),
      runs_(runs),
      iterations_(iterations),
      settings_(std::move(settings)),
      taken_(settings_) {}

Runner::~Runner() {
  stop();
  wait();
}

void Runner::start() {
  const std::lock_guard lock(thread_mutex_);
  if (thread_.joinable() || turns_) throw base::Error("a runner starts only once");
  running_.store(true, std::memory_order_release);
  if (runs_ == Runs::OnItsThread) thread_ = std::thread([this] { run(); });
}

void Runner::stop() {
  stop_.store(true, std::memory_order_release);
  if (pacer_ != nullptr) pacer_->stop();
}

void Runner::wait() {
  const std::lock_guard lock(thread_mutex_);
  if (thread_.joinable()) thread_.join();
  while (runs_ == Runs::InTurns && running()) advance(std::chrono::steady_clock::time_point::max());
}

bool Runner::should_stop() const {
  return stop_.load(std::memory_order_acquire) || (pacer_ != nullptr && pacer_->stopped());
}

void Runner::set_settings(const Settings& settings) {
  const std::lock_guard lock(mutex_);
  if (settings == settings_) return;
  settings_ = settings;
  // A version that the loop has not taken yet appears nowhere, so its number can be reused.
  settings_version_.store(settings == taken_ ? taken_version_ : taken_version_ + 1, std::memory_order_release);
}

std::uint32_t Runner::settings_version() const { return settings_version_.load(std::memory_order_acquire); }

// Settings changed before the loop began need no marker, because no iteration ran with the old ones.
Settings Runner::first_settings() {
  const std::lock_guard lock(mutex_);
  settings_version_.store(0, std::memory_order_release);
  return taken_ = settings_;
}

Settings Runner::take_settings() {
  const std::lock_guard lock(mutex_);
  taken_ = settings_;
  taken_version_ = settings_version_.load(std::memory_order_relaxed);
  return taken_;
}

Settings Runner::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void Runner::release_workload() {
  last_figures_ = figures();
  workload_.reset();
}

std::vector<Figure> Runner::figures() const { return workload_ ? workload_->figures().read() : last_figures_; }

std::optional<double> Runner::first_loss() const {
  if (!loss_known_.load(std::memory_order_acquire)) return std::nullopt;
  return first_loss_.load(std::memory_order_relaxed);
}

std::optional<double> Runner::last_loss() const {
  if (!loss_known_.load(std::memory_order_acquire)) return std::nullopt;
  return last_loss_.load(std::memory_order_relaxed);
}

std::string Runner::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

template <typename Work>
void Runner::guarded(Work work) {
  std::string why;
  try {
    if (work()) return;
  } catch (const device::DeviceLost& error) {
    why = error.what();
    device_lost_.store(true, std::memory_order_release);
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = base::tr("the workload ended for an unknown reason");
  }
  end(std::move(why));
}

void Runner::end(std::string why) {
  turns_.reset();
  ended_ns_.store(device_.now_ns(), std::memory_order_release);
  {
    const std::lock_guard lock(mutex_);
    error_ = std::move(why);
  }
  running_.store(false, std::memory_order_release);
}

class Runner::Loop final : public LoopControl {
 public:
  explicit Loop(Runner& runner) : runner_(runner) {}

  const Settings& begin() override {
    trace::EventSink& sink = runner_.device_.sink();
    lanes_ = {.markers = sink.lane(program_lane(trace::LaneKind::Markers, "markers")),
              .loss = sink.lane(program_lane(trace::LaneKind::Counter, "loss", trace::LaneRole::Loss)),
              .loss_name = sink.name("loss")};
    now_ = runner_.first_settings();
    if (runner_.pacer_ != nullptr) runner_.pacer_->fast_forward(true);
    return now_;
  }
  void set_up_done() override {
    if (runner_.pacer_ != nullptr) runner_.pacer_->fast_forward(false);
    runner_.started_ns_.store(runner_.device_.now_ns(), std::memory_order_release);
  }
  const Settings* next(std::uint64_t number) override {
    if ((runner_.iterations_ != 0 && number >= runner_.iterations_) || runner_.should_stop()) return nullptr;
    runner_.stand_while_paused(lanes_);
    if (runner_.should_stop()) return nullptr;
    if (runner_.settings_version() != runner_.taken_version_) {
      const Settings before = std::exchange(now_, runner_.take_settings());
      if (now_ != before) {
        runner_.write_change(lanes_, before, now_);
        runner_.workload_->figures().restart();
      }
    }
    return &now_;
  }
  void iterated(std::uint64_t number) override {
    runner_.sample_loss(lanes_);
    // On a real device, the first iteration loads code (see analysis/warm_up.h).
    if (number == 0 && !runner_.device_.info().virtual_time) runner_.workload_->figures().restart();
    runner_.done_.store(number + 1, std::memory_order_release);
  }

 private:
  Runner& runner_;
  Lanes lanes_{};
  Settings now_;
};

void Runner::run() {
  guarded([this] {
    Loop loop(*this);
    run_loop(device_, *workload_, 0, loop);
    return false;
  });
}

class Runner::Turns {
 public:
  explicit Turns(Runner& runner) : control_(runner), loop_(runner.device_, *runner.workload_, 0, control_) {}
  SteppedLoop& loop() { return loop_; }

 private:
  Loop control_;
  SteppedLoop loop_;
};

void Runner::advance(std::chrono::steady_clock::time_point until) {
  if (runs_ == Runs::InTurns && running()) guarded([&] { return take_turn(until); });
}

// False if the run has ended.
bool Runner::take_turn(std::chrono::steady_clock::time_point until) {
  if (!turns_) turns_ = std::make_unique<Turns>(*this);
  while (pacer_ == nullptr || pacer_->due()) {
    if (!turns_->loop().iterate()) {
      turns_->loop().finish();
      return false;
    }
    if (base::now() >= until) {
      if (pacer_ != nullptr) pacer_->hold_back();
      return true;
    }
  }
  return true;
}

// On a virtual clock, the device's calls wait in the pacer instead.
void Runner::stand_while_paused(const Lanes& lanes) {
  if (pacer_ == nullptr || device_.info().virtual_time || !pacer_->paused()) return;
  trace::Event pause = marker(lanes, N_("paused"));
  trace::set_marker_kind(pause, trace::MarkerKind::Pause);
  device_.writer().write(pause);
  device_.writer().complete_until(device_.now_ns());  // so that the live edge keeps moving
  pacer_->wait_while_paused();
}

void Runner::write_change(const Lanes& lanes, const Settings& before, const Settings& now) {
  trace::EventSink& sink = device_.sink();
  for (const SettingSpec& spec : now.specs()) {
    const Value &was = before.value(spec.key), &is = now.value(spec.key);
    if (was == is) continue;
    trace::Event change = marker(lanes, change_text(spec, to_text(was), to_text(is)));
    trace::set_change(change, {taken_version_, sink.name(spec.key), sink.name(to_text(was)), sink.name(to_text(is))});
    device_.writer().write(change);
  }
}

trace::Event Runner::marker(const Lanes& lanes, std::string_view text) const {
  trace::Event marker;
  marker.kind = trace::EventKind::Marker;
  marker.lane = lanes.markers;
  marker.name = device_.sink().name(text);
  marker.start_ns = marker.end_ns = device_.now_ns();
  return marker;
}

void Runner::sample_loss(const Lanes& lanes) {
  if (workload_->losses_read() == losses_seen_) return;
  losses_seen_ = workload_->losses_read();
  const std::optional<double> loss = workload_->last_loss();
  if (!loss) return;
  last_loss_.store(*loss, std::memory_order_relaxed);
  if (!loss_known_.load(std::memory_order_relaxed)) {
    first_loss_.store(*loss, std::memory_order_relaxed);
    loss_known_.store(true, std::memory_order_release);
  }
  trace::Event sample;
  sample.kind = trace::EventKind::Counter;
  sample.lane = lanes.loss;
  sample.name = lanes.loss_name;
  sample.start_ns = sample.end_ns = device_.now_ns();
  trace::set_value(sample, *loss);
  device_.writer().write(sample);
}

}  // namespace lanescope::workload
