// Makes things on a thread of their own, a few ahead of those who use them: what is read from a file, while what was
// read before is put in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "io/reading.h"

namespace lanescope::io {

/// `make(item)` fills an item, which may be one that was used before, and returns false if there are no more. What it
/// throws, next() throws in its place. Without a thread, next() calls it.
template <class Item>
class Producer {
 public:
  Producer(Threads threads, std::size_t most, std::function<bool(Item&)> make) : most_(most), make_(std::move(make)) {
    if (threads == Threads::One) return;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {  // there are too many
    }
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;
  /// Waits for the thread. It ends when it has made the item that it is at.
  ~Producer() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// Empty at the end. `used` is an item that is no longer needed, and is filled anew.
  std::optional<Item> next(Item used) {
    if (!thread_.joinable()) {
      if (!make_(used)) return std::nullopt;
      return used;
    }
    std::unique_lock lock(mutex_);
    used_.push_back(std::move(used));
    changed_.wait(lock, [&] { return !made_.empty() || ended_; });
    if (made_.empty()) {
      if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
      return std::nullopt;
    }
    Item item = std::move(made_.front());
    made_.pop_front();
    const bool few = made_.size() <= most_ / 2;
    lock.unlock();
    if (few) changed_.notify_all();  // not for each: waking the thread costs as much as some items do
    return item;
  }

 private:
  void run() {
    std::exception_ptr error;
    try {
      for (;;) {
        Item item;
        {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [&] { return stop_ || made_.size() < most_; });
          if (stop_) return;
          if (!used_.empty()) {
            item = std::move(used_.back());
            used_.pop_back();
          }
        }
        if (!make_(item)) break;
        {
          const std::lock_guard lock(mutex_);
          made_.push_back(std::move(item));
        }
        changed_.notify_all();
      }
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      error_ = std::move(error);
    }
    changed_.notify_all();
  }

  const std::size_t most_;
  const std::function<bool(Item&)> make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> made_;
  std::vector<Item> used_;
  bool ended_ = false, stop_ = false;
  std::exception_ptr error_;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace lanescope::io
