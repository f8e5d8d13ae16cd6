// Work beside the drawing: one piece at a time, which can be superseded before it is done.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <utility>

namespace lanescope::ui {

/// Set by another thread: what is being worked out is not wanted any more.
using Stop = std::atomic<bool>;

template <class T>
class BackgroundJob {
 public:
  BackgroundJob() = default;
  BackgroundJob(BackgroundJob&&) = default;
  BackgroundJob& operator=(BackgroundJob&& other) noexcept {
    end();
    pending_ = std::move(other.pending_);
    stop_ = std::move(other.stop_);
    return *this;
  }
  ~BackgroundJob() { end(); }

  bool busy() const { return pending_.valid(); }
  /// `work` is called with a const Stop&, which it looks at every few milliseconds. Only when nothing is under way.
  template <class Work>
  void start(Work work) {
    stop_ = std::make_unique<Stop>(false);
    pending_ =
        std::async(std::launch::async, [work = std::move(work), stop = stop_.get()]() mutable { return work(*stop); });
  }
  /// What comes of the piece under way is dropped.
  void supersede() {
    if (stop_) *stop_ = true;
  }
  /// The result, once it is there and has not been superseded.
  std::optional<T> take() {
    if (!busy() || pending_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    std::optional<T> result = pending_.get();
    if (*stop_) result.reset();
    return result;
  }
  /// Nothing is under way afterwards: call it before what the work reads goes.
  void end() {
    supersede();
    if (busy()) pending_.wait();
    pending_ = {};
  }

 private:
  std::unique_ptr<Stop> stop_;  // outlives the piece that looks at it
  std::future<T> pending_;
};

}  // namespace lanescope::ui
