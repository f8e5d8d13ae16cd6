// Work in the background, and whether this build can start threads at all.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace lanescope::base {

/// A browser gives threads only to pages whose server isolates them, so the program for the browser does without: runs
/// advance in turns between two frames (workload::Runner::advance), and work in the background is done when its result
/// is asked for. What needs threads of its own (a CPU measured in real time, a GPU) is not offered there.
#ifdef __EMSCRIPTEN__
inline constexpr bool kThreads = false;
#else
inline constexpr bool kThreads = true;
#endif

// --- background job --------------------------------------------------------------------------------------------------
// Runs one piece of work at a time on its own thread. The work owns what it reads: it captures values and shared
// pointers, so nobody has to wait for it when its result is no longer wanted. Only the thread that owns the job may
// call its functions.

/// Set by the owner: the result is no longer wanted.
using Stop = std::atomic<bool>;

namespace detail {
inline std::atomic<int> works{0};
struct CountedWork {
  CountedWork() { ++works; }
  ~CountedWork() { --works; }
};

/// The threads, until they have ended.
class Threads {
 public:
  void keep(std::future<void> thread) {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_,
                  [](const auto& one) { return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
    all_.push_back(std::move(thread));
  }
  void wait() {
    for (std::vector<std::future<void>> some;; some.clear()) {  // which waits, and they may start others
      const std::lock_guard lock(mutex_);
      if (all_.empty()) return;
      some.swap(all_);
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::future<void>> all_;
};
inline Threads& threads() {
  static Threads& all = *new Threads;  // never destroyed: what is destroyed last may start one
  [[maybe_unused]] static const int at_exit = std::atexit([] { all.wait(); });
  return all;
}
}  // namespace detail

/// How many pieces of work are under way, in all jobs of the program.
inline int background_works() { return detail::works.load(std::memory_order_acquire); }
/// Waits for all of them: at the program's end.
inline void await_background_works() { detail::threads().wait(); }

/// Runs `work` on a thread of its own, for which only the program's end waits. `work` must not throw. Without threads:
/// at once.
template <class Work>
void run_aside(Work work) {
  if (!kThreads) return work();
  // What the work owns goes when it ends, on its thread.
  detail::threads().keep(std::async(std::launch::async, [work = std::make_unique<Work>(std::move(work))]() mutable {
    const std::unique_ptr<Work> mine = std::move(work);
    (*mine)();
  }));
}

template <class T>
class BackgroundJob {
 public:
  BackgroundJob() = default;
  BackgroundJob(BackgroundJob&&) noexcept = default;
  BackgroundJob& operator=(BackgroundJob&& other) noexcept {
    leave();
    pending_ = std::move(other.pending_);
    stop_ = std::move(other.stop_);
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
    stop_ = std::make_shared<Stop>(false);
    asked_ = false;
    auto run = [work = std::make_unique<Work>(std::move(work)), stop = stop_,
                counted = std::make_unique<detail::CountedWork>()]() mutable -> T {
      const auto here = std::move(counted);
      const std::unique_ptr<Work> mine = std::move(work);  // ends here, and not where the result is taken
      if constexpr (std::is_invocable_v<Work&, const Stop&>) {
        return (*mine)(*stop);
      } else {
        return (*mine)();
      }
    };
    if constexpr (kThreads) {
      std::packaged_task<T()> task(std::move(run));
      pending_ = task.get_future();
      run_aside(std::move(task));
    } else {
      pending_ = std::async(std::launch::deferred, std::move(run));
    }
  }
  /// Asks the running work to stop and discards its result. The job is busy until the work has noticed.
  void supersede() {
    if (stop_) *stop_ = true;
  }
  /// The same, but the job is free at once, and the work ends by itself.
  void leave() {
    supersede();
    pending_ = {};
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
    std::optional<T> result = pending_.get();
    if (*stop_) result.reset();
    return result;
  }
  /// Blocks until the running work has finished. Its result can still be taken.
  void wait() const {
    if (busy()) pending_.wait();
  }

 private:
  std::shared_ptr<Stop> stop_;  // the work's, too
  std::future<T> pending_;
  mutable bool asked_ = false;  // ready() was, since the start
};

}  // namespace lanescope::base
