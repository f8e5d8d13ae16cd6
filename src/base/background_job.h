// Work in the background, and whether this build can start threads at all.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

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
// Runs one piece of work at a time on its own thread. Work can be superseded before it finishes. Only the thread that
// owns the job may call its functions.

/// Set by the owner: the result is no longer wanted.
using Stop = std::atomic<bool>;

namespace detail {
inline std::atomic<int> works{0};
}
/// How many pieces of work are under way, in all jobs of the program.
inline int background_works() { return detail::works.load(std::memory_order_acquire); }

template <class T>
class BackgroundJob {
 public:
  BackgroundJob() = default;
  BackgroundJob(BackgroundJob&&) noexcept = default;
  BackgroundJob& operator=(BackgroundJob&& other) noexcept {
    end();
    pending_ = std::move(other.pending_);
    stop_ = std::move(other.stop_);
    asked_ = other.asked_;
    return *this;
  }
  ~BackgroundJob() { end(); }

  /// True while work is running, or has finished and its result has not been taken.
  bool busy() const { return pending_.valid(); }
  /// Starts `work` on a new thread. `work` takes a const Stop&, which it should check every few milliseconds, or no
  /// argument if it cannot be stopped. Call only when not busy.
  template <class Work>
  void start(Work work) {
    stop_ = std::make_unique<Stop>(false);
    asked_ = false;
    ++detail::works;
    pending_ = std::async(kThreads ? std::launch::async : std::launch::deferred,
                          [work = std::move(work), stop = stop_.get()]() mutable -> T {
                            const struct Ended {
                              ~Ended() { --detail::works; }
                            } ended;
                            if constexpr (std::is_invocable_v<Work&, const Stop&>) {
                              return work(*stop);
                            } else {
                              return work();
                            }
                          });
  }
  /// Asks the running work to stop and discards its result.
  void supersede() {
    if (stop_) *stop_ = true;
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
  /// Supersedes the work and waits for it. Call this before destroying anything that the work reads.
  void end() {
    supersede();
    wait();
    pending_ = {};
  }

 private:
  std::unique_ptr<Stop> stop_;  // outlives the work that reads it
  std::future<T> pending_;
  mutable bool asked_ = false;  // ready() was, since the start
};

}  // namespace lanescope::base
