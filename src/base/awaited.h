// A number whose change threads can wait for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace lanescope::base {

/// Instead of std::atomic's own wait(): where there is no futex, as on Windows, GCC 12's looks at the value before it
/// takes the lock under which it is notified, so that it can miss the change and sleep for ever.
template <typename Number>
class Awaited {
 public:
  explicit Awaited(Number first) : value_(first) {}

  Number load() const { return value_.load(std::memory_order_acquire); }
  /// Both wake who waits. What was written before is seen by who reads the new value.
  void set(Number value) {
    value_.store(value, std::memory_order_release);
    wake();
  }
  void add(Number more) {
    value_.fetch_add(more, std::memory_order_acq_rel);
    wake();
  }
  /// Returns the value as soon as it is another than this one.
  Number wait_for_other_than(Number known) {
    if (const Number now = load(); now != known) return now;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return load() != known; });
    return load();
  }

 private:
  void wake() {
    // Who has looked at the value and does not wait yet holds the lock.
    { const std::lock_guard lock(mutex_); }
    changed_.notify_all();
  }

  std::atomic<Number> value_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace lanescope::base
