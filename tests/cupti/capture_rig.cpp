#include "cupti/capture_rig.h"

#include <ctime>
#include <thread>

namespace lanescope::capture::cupti {

class KeepingSink::Writer final : public trace::EventWriter {
 public:
  explicit Writer(KeepingSink& sink) : sink_(sink) {}
  void write(const trace::Event& event) noexcept override {
    while (sink_.stuck) {
      sink_.waiting = true;
      std::this_thread::yield();
    }
    const std::lock_guard lock(sink_.mutex_);
    sink_.events_.push_back(event);
    ++sink_.written_;
  }
  void complete_until(trace::Nanoseconds) noexcept override {}

 private:
  KeepingSink& sink_;
};

trace::LaneId KeepingSink::lane(const trace::LaneInfo& info) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i] == info) return static_cast<trace::LaneId>(i);
  }
  lanes_.push_back(info);
  return static_cast<trace::LaneId>(lanes_.size() - 1);
}

trace::NameId KeepingSink::name(std::string_view text) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == text) return static_cast<trace::NameId>(i + 1);
  }
  names_.emplace_back(text);
  return static_cast<trace::NameId>(names_.size());
}

std::unique_ptr<trace::EventWriter> KeepingSink::open_writer() { return std::make_unique<Writer>(*this); }

std::vector<trace::Event> KeepingSink::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}
std::vector<trace::LaneInfo> KeepingSink::lanes() const {
  const std::lock_guard lock(mutex_);
  return lanes_;
}
std::string KeepingSink::name_of(trace::NameId id) const {
  const std::lock_guard lock(mutex_);
  return id == 0 || id > names_.size() ? "" : names_[id - 1];
}

std::int64_t monotonic_now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

CaptureOptions small_buffers() {
  CaptureOptions options;
  options.origin_ns = monotonic_now_ns();
  options.buffer_bytes = 1024;  // 25 records of 40 bytes
  options.buffers = 128;
  options.max_buffers = 512;
  options.flush_ms = 5;
  return options;
}

}  // namespace lanescope::capture::cupti
