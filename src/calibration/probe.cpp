#include "calibration/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::calibration {

using base::tr;
using trace::MemoryKind;

class OperationSink::Writer final : public trace::EventWriter {
 public:
  explicit Writer(OperationSink& sink) : sink_(sink) {}
  void write(const trace::Event& event) noexcept override {
    if (!trace::is_gpu_work(event.kind)) return;
    const std::lock_guard lock(sink_.mutex_);
    sink_.operations_.push_back(event);
  }
  void complete_until(Nanoseconds) noexcept override {}

 private:
  OperationSink& sink_;
};

trace::LaneId OperationSink::lane(const trace::LaneInfo& info) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find(lanes_.begin(), lanes_.end(), info);
  if (found != lanes_.end()) return static_cast<trace::LaneId>(found - lanes_.begin());
  lanes_.push_back(info);
  return static_cast<trace::LaneId>(lanes_.size() - 1);
}

std::unique_ptr<trace::EventWriter> OperationSink::open_writer() { return std::make_unique<Writer>(*this); }

std::vector<trace::Event> OperationSink::take() {
  const std::lock_guard lock(mutex_);
  std::vector<trace::Event> taken = std::exchange(operations_, {});
  std::sort(taken.begin(), taken.end(),
            [](const trace::Event& a, const trace::Event& b) { return a.start_ns < b.start_ns; });
  return taken;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double uncertainty_of_median(std::vector<double> values) {
  constexpr std::size_t kFewest = 4;
  constexpr double kQuartiles = 1.349, kOfMedian = 1.2533;
  if (values.size() < kFewest) return 1;
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const double rest = place - static_cast<double>(below);
    return below + 1 < values.size() ? values[below] * (1 - rest) + values[below + 1] * rest : values[below];
  };
  const double middle = at(0.5);
  if (middle <= 0) return 0;
  return 2 * kOfMedian * (at(0.75) - at(0.25)) / kQuartiles / std::sqrt(static_cast<double>(values.size())) / middle;
}

double undisturbed(std::vector<double> values) {
  const auto quarter = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), quarter, values.end());
  return *quarter;
}

// Single calls would leave out what every few of them take longer, and a virtual machine's CPU keeps its speed for some
// milliseconds.
double undisturbed_mean(const std::vector<double>& times) {
  constexpr std::size_t kGroup = 50;
  const std::size_t each = std::min(kGroup, times.size());
  std::vector<double> means;
  for (std::size_t first = 0; first + each <= times.size(); first += each) {
    const auto from = times.begin() + static_cast<std::ptrdiff_t>(first);
    means.push_back(std::accumulate(from, from + static_cast<std::ptrdiff_t>(each), 0.0) / static_cast<double>(each));
  }
  const auto tenth = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 10);
  std::nth_element(means.begin(), tenth, means.end());
  return *tenth;
}

Probe::Probe(const MakeDevice& make, trace::CaptureLevel capture, std::size_t largest)
    : largest_(largest), sink_(std::make_unique<OperationSink>()) {
  device_ = make(*sink_, capture);
  small_ = device_->allocate(MemoryKind::Device, sizeof(float));
}

void Probe::nothing_recorded() const {
  const trace::CaptureHealth health = device_->capture_health();
  throw base::Error(tr("{}: no GPU operation was recorded (capture {}{}{}); calibration needs them", device_->info().id,
                       trace::to_text(health.state), health.reason.empty() ? "" : ": ", health.reason));
}

void Probe::spin(double ms) {
  device_->launch({ops::OpKind::Spin, 1, 1, 1, static_cast<float>(ms * 1e3)}, {}, Stream::Default, false);
}

void Probe::tiny_kernel(Stream stream) { device_->launch({ops::OpKind::Fill, 1, 1}, {&small_, 1}, stream, false); }

Buffer Probe::buffer(MemoryKind kind, std::size_t bytes) { return device_->allocate(kind, bytes); }

Buffer Probe::host(Path path) {
  const bool pinned = path == Path::H2DPinned || path == Path::D2HPinned;
  Buffer& buffer = pinned ? pinned_ : pageable_;
  if (buffer == Buffer::None) {
    buffer = device_->allocate(pinned ? MemoryKind::Pinned : MemoryKind::Pageable, largest_);
    device_->host_fill(buffer, largest_);  // allocates its pages
  }
  if (on_device_ == Buffer::None) on_device_ = device_->allocate(MemoryKind::Device, largest_);
  return buffer;
}

void Probe::copy(Path path, std::size_t bytes) {
  const Buffer outside = host(path);
  const bool up = path == Path::H2DPinned || path == Path::H2DPageable;
  device_->copy_async({up ? on_device_ : outside, 0}, {up ? outside : on_device_, 0}, bytes, Stream::Default);
}

void Probe::upload_now(std::size_t bytes) {
  const Buffer from = host(Path::H2DPageable);
  device_->copy({on_device_, 0}, {from, 0}, bytes);
}

void Probe::download_now(std::size_t bytes) {
  const Buffer to = host(Path::D2HPageable);
  device_->copy({to, 0}, {on_device_, 0}, bytes);
}

}  // namespace lanescope::calibration
