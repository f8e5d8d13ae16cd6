// What is known of each thread that makes calls: a fixed number of them, found through thread-local storage.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lanescope::inject {

struct alignas(64) ThreadState {
  std::atomic<std::uint32_t> id;  ///< the system's; 0: this state is free
  std::uint32_t index;

  // The call in progress; only this thread touches it.
  bool open;
  std::uint8_t domain;
  std::uint16_t mark;
  std::uint32_t call, correlation, stack, name, generation;
  std::uint32_t number;  ///< numbered(correlation), at its start
  std::int64_t start_ns;
  bool walked;  ///< its frames were read once, with care
  // The stack lent to it last, with the innermost frame, and when that thread had made its last call: as long as both
  // are the same, so is the stack.
  std::uint32_t lent_stack;
  std::uint64_t lent_frame;
  std::int64_t lent_since_ns;
  /// Ranges of NVTX that are pushed, in each of the thread's first domains.
  struct Pushed {
    std::uint64_t domain;  ///< the hash of its name: the program may create it more than once
    std::uint32_t depth;
  };
  static constexpr std::size_t kDomains = 6;
  Pushed pushed[kDomains];

  // Counts, of all threads that have had this state; written by this thread, added up by the library's.
  std::atomic<std::uint64_t> calls, launches, walks;
  std::atomic<std::uint32_t> newest_call;  ///< its correlation; written by this thread

  // Also read by the library's thread.
  std::atomic<std::int64_t> quiet_since_ns;  ///< the end of the last call; 0: in a call
  std::atomic<std::uint64_t> python;         ///< PyThreadState; 0: none
  std::atomic<std::int64_t> walked_ns;       ///< when `python` was seen last
  std::uint32_t comm;                        ///< the text sent last as its name
};

inline constexpr std::size_t kThreads = 1024;
extern ThreadState threads[kThreads];
/// An upper bound of the states in use.
extern std::atomic<std::size_t> threads_used;

/// Cheaper than an atomic addition: only one thread writes it.
inline void add(std::atomic<std::uint64_t>& own) {
  own.store(own.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}
/// Adds up what the threads have counted, into Status; returns the launches. The library's thread only.
std::uint64_t add_up_counts();

/// The correlation of the newest call that any thread has been seen in; 0: none has. They count up, and may wrap.
std::uint32_t newest_call();
/// The correlation of the first call since this was set to 0.
inline std::atomic<std::uint32_t> first_call{0};

/// Null if there are more than kThreads threads.
ThreadState* this_thread();
/// What was counted and sent of them: for a new beginning.
void forget_counts();
/// Frees the states of threads that have ended. The library's thread only.
void forget_ended_threads();
/// Sends the names of threads whose names have changed. The library's thread only.
void send_thread_names();
/// A name given by the program (NVTX). It is not replaced by the system's.
void name_thread(std::uint32_t thread, const char* name, std::size_t bytes);

/// Reads a small file of /proc; returns its length, or 0. The text ends with 0.
std::size_t read_file(const char* path, char* out, std::size_t room);

}  // namespace lanescope::inject
