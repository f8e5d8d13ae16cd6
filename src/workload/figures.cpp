#include "workload/figures.h"

#include <utility>

#include "workload/loop.h"

namespace lanescope::workload {

std::size_t FigureBoard::add(std::string key, std::string label, std::string unit, bool part) {
  const std::lock_guard lock(mutex_);
  Figure& figure = figures_.emplace_back();
  figure.key = std::move(key);
  figure.label = std::move(label);
  figure.unit = std::move(unit);
  figure.part = part;
  return figures_.size() - 1;
}

void FigureBoard::sample(std::size_t figure, double value) {
  const std::lock_guard lock(mutex_);
  Figure& f = figures_.at(figure);
  f.last = value;
  f.total += value;
  f.mean = f.total / static_cast<double>(++f.count);
}

void FigureBoard::restart() {
  const std::lock_guard lock(mutex_);
  for (Figure& f : figures_) {
    f.count = 0;
    f.last = f.mean = f.total = 0;
  }
}

std::vector<Figure> FigureBoard::read() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

// --- stopwatch -------------------------------------------------------------------------------------------------------

base::Nanoseconds Stopwatch::stop() {
  const base::Nanoseconds now_ns = device_.now_ns();
  if (!lane_) {
    lane_ = device_.sink().lane(program_lane(trace::LaneKind::Phases, "stopwatch"));
    name_ = device_.sink().name("stopwatch");
  }
  trace::Event event;
  event.kind = trace::EventKind::Range;
  trace::set_range_kind(event, trace::RangeKind::Timed);
  event.lane = *lane_;
  event.name = name_;
  event.start_ns = started_ns_;
  event.end_ns = now_ns;
  device_.writer().write(event);
  return now_ns - started_ns_;
}

// --- event timer -----------------------------------------------------------------------------------------------------

void EventTimer::start(device::Stream stream) {
  running_ = {};
  if (!idle_.empty()) {
    running_ = idle_.back();
    idle_.pop_back();
  }
  if (running_.start == device::GpuEvent::None) running_.start = device_.create_timing_event();
  device_.record(running_.start, stream);
}

void EventTimer::stop(device::Stream stream) {
  if (running_.end == device::GpuEvent::None) running_.end = device_.create_timing_event();
  device_.record(running_.end, stream);
  recorded_.push_back(running_);
}

std::optional<base::Nanoseconds> EventTimer::elapsed(const Pair& pair) {
  if (device_.query(pair.start) && device_.query(pair.end)) return device_.elapsed(pair.start, pair.end);
  if (!reads_lane_) reads_lane_ = device_.sink().lane(program_lane(trace::LaneKind::Phases, "reads"));
  trace::Event event;
  event.kind = trace::EventKind::Range;
  event.lane = *reads_lane_;
  event.name = device_.sink().name("not ready: elapsed_time() raises an error");
  event.start_ns = event.end_ns = device_.now_ns();
  device_.writer().write(event);
  return std::nullopt;
}

std::optional<base::Nanoseconds> EventTimer::read_newest() {
  const Pair pair = recorded_.back();
  recorded_.pop_back();
  idle_.push_back(pair);
  return elapsed(pair);
}

bool EventTimer::oldest_happened() { return !recorded_.empty() && device_.query(recorded_.front().end); }

std::optional<base::Nanoseconds> EventTimer::read_oldest() {
  const Pair pair = recorded_.front();
  recorded_.pop_front();
  idle_.push_back(pair);
  return elapsed(pair);
}

}  // namespace lanescope::workload
