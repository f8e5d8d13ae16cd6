// A program that takes every change, from any thread, and can be asked what it has taken.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "attach/steering_server.h"

namespace lanescope::attach {

class Steered final : public Steerable {
 public:
  explicit Steered(AttachState state) : state_(std::move(state)) {}

  AttachState state() const override {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  Intensity intensity() const override {
    const std::lock_guard lock(mutex_);
    return intensity_;
  }
  void set_intensity(const Intensity& intensity) override {
    const std::lock_guard lock(mutex_);
    intensity_ = intensity;
  }
  base::Nanoseconds boosted_ns() const override {
    const std::lock_guard lock(mutex_);
    return boosted_;
  }
  void record_for(base::Nanoseconds duration) override {
    const std::lock_guard lock(mutex_);
    boosted_ = duration;
  }
  void choose_loop(std::uint32_t pid, std::optional<LoopKey> loop) override {
    const std::lock_guard lock(mutex_);
    for (ProcessState& process : state_.processes) {
      if (process.pid == pid) process.chosen = loop;
    }
  }
  /// In its first process.
  std::optional<LoopKey> chosen() const { return state().processes[0].chosen; }

 private:
  mutable std::mutex mutex_;
  AttachState state_;
  Intensity intensity_;
  base::Nanoseconds boosted_ = 0;
};

}  // namespace lanescope::attach
