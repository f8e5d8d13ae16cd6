#include "workload/runner.h"

#include <cctype>
#include <utility>

#include "base/error.h"
#include "base/translate.h"
#include "workload/lanes.h"

namespace lanescope::workload {
namespace {

// "log interval 1 → 100, feed resident → per-iteration"
std::string describe_change(const Settings& before, const Settings& now) {
  std::string text;
  for (const SettingSpec& spec : now.specs()) {
    const Value &from = before.value(spec.key), &to = now.value(spec.key);
    if (from == to) continue;
    std::string label = spec.label;
    for (char& c : label) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    text += (text.empty() ? "" : ", ") + label + " " + to_text(from) + " → " + to_text(to);
  }
  return text;
}

}  // namespace

Runner::Runner(device::Device& device, std::unique_ptr<Workload> workload, Settings settings, std::uint64_t iterations,
               Pacer* pacer)
    : device_(device),
      workload_(std::move(workload)),
      pacer_(pacer),
      iterations_(iterations),
      settings_(std::move(settings)) {}

Runner::~Runner() {
  stop();
  wait();
}

void Runner::start() {
  const std::lock_guard lock(thread_mutex_);
  if (thread_.joinable()) throw base::Error("a runner starts only once");
  running_.store(true, std::memory_order_release);
  thread_ = std::thread([this] { run(); });
}

void Runner::stop() {
  stop_.store(true, std::memory_order_release);
  if (pacer_ != nullptr) pacer_->stop();
}

void Runner::wait() {
  const std::lock_guard lock(thread_mutex_);
  if (thread_.joinable()) thread_.join();
}

bool Runner::should_stop() const {
  return stop_.load(std::memory_order_acquire) || (pacer_ != nullptr && pacer_->stopped());
}

void Runner::set_settings(const Settings& settings) {
  const std::lock_guard lock(mutex_);
  settings_ = settings;
  settings_version_.fetch_add(1, std::memory_order_release);
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
  const std::lock_guard lock(mutex_);
  return first_loss_;
}

std::optional<double> Runner::last_loss() const {
  const std::lock_guard lock(mutex_);
  return last_loss_;
}

std::string Runner::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void Runner::run() {
  std::string why;
  try {
    run_iterations();
  } catch (const device::DeviceLost& error) {
    why = error.what();
    device_lost_.store(true, std::memory_order_release);
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {
    why = base::tr("the workload ended for an unknown reason");
  }
  ended_ns_.store(device_.now_ns(), std::memory_order_release);
  {
    const std::lock_guard lock(mutex_);
    error_ = std::move(why);
  }
  running_.store(false, std::memory_order_release);
}

void Runner::run_iterations() {
  trace::EventSink& sink = device_.sink();
  const Lanes lanes{.iterations = sink.lane(program_lane(trace::LaneKind::Iterations, "iteration")),
                    .markers = sink.lane(program_lane(trace::LaneKind::Markers, "markers")),
                    .loss = sink.lane(program_lane(trace::LaneKind::Counter, "loss")),
                    .iteration_name = sink.name("iteration"),
                    .loss_name = sink.name("loss")};
  std::uint64_t version = settings_version_.load(std::memory_order_acquire);
  Settings now = settings();
  if (pacer_ != nullptr) pacer_->fast_forward(true);
  workload_->set_up(now);
  if (pacer_ != nullptr) pacer_->fast_forward(false);
  started_ns_.store(device_.now_ns(), std::memory_order_release);
  for (std::uint64_t number = 0; (iterations_ == 0 || number < iterations_) && !should_stop(); ++number) {
    stand_while_paused(lanes);
    if (should_stop()) break;
    if (const std::uint64_t newest = settings_version_.load(std::memory_order_acquire); newest != version) {
      version = newest;
      const Settings before = std::exchange(now, settings());
      if (const std::string change = describe_change(before, now); !change.empty()) {
        write_marker(lanes, change);
        workload_->figures().restart();
      }
    }
    const base::Nanoseconds start_ns = device_.now_ns();
    workload_->iterate(number, now);
    write_range(lanes, number, start_ns);
    sample_loss(lanes);
    if (number == 0 && !device_.info().virtual_time) workload_->figures().restart();  // it has loaded code
    done_.store(number + 1, std::memory_order_release);
  }
  workload_->finish();
}

void Runner::write_range(const Lanes& lanes, std::uint64_t number, base::Nanoseconds start_ns) {
  trace::Event range;
  range.kind = trace::EventKind::Range;
  range.lane = lanes.iterations;
  range.name = lanes.iteration_name;
  range.start_ns = start_ns;
  range.end_ns = device_.now_ns();
  range.a = static_cast<std::uint32_t>(number);
  device_.writer().write(range);
}

// In virtual time the device's own calls wait in the pacer.
void Runner::stand_while_paused(const Lanes& lanes) {
  if (pacer_ == nullptr || device_.info().virtual_time || !pacer_->paused()) return;
  write_marker(lanes, N_("paused"));
  device_.writer().complete_until(device_.now_ns());  // up to here a person sees it all the while
  pacer_->wait_while_paused();
}

void Runner::write_marker(const Lanes& lanes, std::string_view text) {
  trace::Event marker;
  marker.kind = trace::EventKind::Marker;
  marker.lane = lanes.markers;
  marker.name = device_.sink().name(text);
  marker.start_ns = marker.end_ns = device_.now_ns();
  device_.writer().write(marker);
}

void Runner::sample_loss(const Lanes& lanes) {
  if (workload_->losses_read() == losses_seen_) return;
  losses_seen_ = workload_->losses_read();
  const std::optional<double> loss = workload_->last_loss();
  if (!loss) return;
  {
    const std::lock_guard lock(mutex_);
    if (!first_loss_) first_loss_ = loss;
    last_loss_ = loss;
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
