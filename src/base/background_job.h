// Runs one piece of work at a time on its own thread. The work owns what it reads: it captures values and shared
// pointers. So nobody waits for it: work that is not wanted any more ends by itself. Only the thread that owns the job
// may call its functions.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/threads.h"

namespace lanescope::base {

/// Set by the owner: the result is no longer wanted.
using Stop = std::atomic<bool>;

namespace detail {
inline std::atomic<int> works{0};

/// What runs on, and nobody asks for.
class Left {
 public:
  void keep(std::future<void> work) {
    const auto is = [](const std::future<void>& one, std::future_status status) {
      return one.wait_for(std::chrono::seconds(0)) == status;
    };
    if (is(work, std::future_status::deferred)) {  // without threads: never begun
      --works;
      return;
    }
    std::vector<std::future<void>> ended;  // goes without the lock
    const std::lock_guard lock(mutex_);
    for (std::future<void>& one : works_) {
      if (is(one, std::future_status::ready)) ended.push_back(std::move(one));
    }
    std::erase_if(works_, [](const std::future<void>& one) { return !one.valid(); });
    works_.push_back(std::move(work));
  }
  void wait() {
    for (std::vector<std::future<void>> some;; some.clear()) {  // which waits; they may leave something, too
      const std::lock_guard lock(mutex_);
      if (works_.empty()) return;
      some.swap(works_);
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::future<void>> works_;
};
inline Left& left() {
  static Left& all = *new Left;  // never destroyed: whatever is destroyed last may leave something
  [[maybe_unused]] static const int waits = std::atexit([] { all.wait(); });
  return all;
}
}  // namespace detail

/// How many pieces of work are under way, in all jobs of the program.
inline int background_works() { return detail::works.load(std::memory_order_acquire); }
/// Waits for everything that was left or runs aside: at the program's end.
inline void await_left() { detail::left().wait(); }

/// Runs `work`, which does not throw, on a thread that nobody waits for before the program's end. Without threads, or
/// where there are no more, at once.
template <class Work>
void run_aside(const Work& work) {
  if (!kThreads) return work();
  try {
    detail::left().keep(std::async(std::launch::async, work));
  } catch (const std::system_error&) {
    work();
  }
}

template <class T>
class BackgroundJob {
 public:
  BackgroundJob() = default;
  BackgroundJob(BackgroundJob&&) noexcept = default;
  BackgroundJob& operator=(BackgroundJob&& other) noexcept {
    leave();
    run_ = std::move(other.run_);
    pending_ = std::move(other.pending_);
    asked_ = other.asked_;
    return *this;
  }
  ~BackgroundJob() { leave(); }

  /// True while work is running, or has finished and its result has not been taken.
  bool busy() const { return pending_.valid(); }
  /// Starts `work` on a new thread, and leaves what was under way. `work` takes a const Stop&, which it should check
  /// every few milliseconds, or no argument if it cannot be stopped.
  template <class Work>
  void start(Work work) {
    leave();
    run_ = std::make_shared<Run>();
    asked_ = false;
    ++detail::works;
    pending_ = std::async(kThreads ? std::launch::async : std::launch::deferred,
                          [work = std::make_unique<Work>(std::move(work)), run = run_]() mutable {
                            const struct Ended {
                              ~Ended() { --detail::works; }
                            } ended;
                            // What the work owns goes when it ends, on its thread.
                            const std::shared_ptr<Run> here = std::move(run);
                            const std::unique_ptr<Work> mine = std::move(work);
                            if constexpr (std::is_invocable_v<Work&, const Stop&>) {
                              here->result.emplace((*mine)(here->stop));
                            } else {
                              here->result.emplace((*mine)());
                            }
                          });
  }
  /// Asks the running work to stop and discards its result. The job stays busy until the work has noticed.
  void supersede() {
    if (run_) run_->stop = true;
  }
  /// The same, but the job is free at once: the work ends by itself.
  void leave() {
    supersede();
    run_.reset();
    if (busy()) detail::left().keep(std::move(pending_));
  }
  /// True if the work has finished and its result has not been taken.
  bool ready() const {
    if (!busy()) return false;
    // Without threads the work is done here, but not at the first question: what says that it is under way is drawn
    // before.
    if (!kThreads && std::exchange(asked_, true)) pending_.wait();
    return pending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  /// Returns the result once it is ready, unless the work was superseded. Rethrows what `work` threw. The job is no
  /// longer busy after this.
  std::optional<T> take() {
    if (!ready()) return std::nullopt;
    const std::shared_ptr<Run> run = std::move(run_);
    pending_.get();
    if (run->stop) return std::nullopt;
    return std::move(run->result);
  }
  /// Blocks until the running work has finished. Its result can still be taken.
  void wait() const {
    if (busy()) pending_.wait();
  }

 private:
  struct Run {
    Stop stop{false};
    std::optional<T> result;
  };
  std::shared_ptr<Run> run_;  // the work's, too
  std::future<void> pending_;
  mutable bool asked_ = false;  // ready() was, since the start
};

}  // namespace lanescope::base
