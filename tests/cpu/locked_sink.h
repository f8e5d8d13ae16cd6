// Collects what the program's threads write. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "workload/recording_device.h"

namespace lanescope::workload {

class LockedSink final : public trace::EventSink {
 public:
  trace::LaneId lane(const trace::LaneInfo& info) override {
    const std::lock_guard lock(mutex_);
    return kept.lane(info);
  }
  trace::NameId name(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    return kept.name(text);
  }
  std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<Writer>(mutex_, kept); }

  MemorySink kept;  ///< read it only when the threads have finished

 private:
  struct Writer final : trace::EventWriter {
    Writer(std::mutex& m, MemorySink& sink) : mutex(m), inner(sink.open_writer()) {}
    void write(const trace::Event& event) noexcept override {
      const std::lock_guard lock(mutex);
      inner->write(event);
    }
    void complete_until(trace::Nanoseconds) noexcept override {}
    std::mutex& mutex;
    std::unique_ptr<trace::EventWriter> inner;
  };
  std::mutex mutex_;
};

}  // namespace lanescope::workload
