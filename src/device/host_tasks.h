// Bookkeeping for a program's other threads: their tasks, and the order in which these become ready. It has no notion
// of time; simulated and real threads both use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace lanescope::device {

/// One lane {Phases, name, "lanescope", tid} per thread, with tid counted from 1. When a thread ends, the next one of
/// its name takes over its lane, so that workers restarted in every epoch keep their lanes.
class HostThreadLanes {
 public:
  explicit HostThreadLanes(trace::EventSink& sink) : sink_(sink) {}

  trace::LaneId take(std::string_view name);
  void give_back(trace::LaneId lane);
  /// The lane for the CUDA calls of a lane's thread: {Calls, "CUDA calls, NAME", "lanescope", its tid}.
  trace::LaneInfo calls_of(trace::LaneId lane) const;
  /// The lane for the main thread's waits: {Phases, "waiting", "lanescope", 0}.
  trace::LaneId waiting();

 private:
  struct Known {
    std::string name;
    trace::LaneId lane;
    bool taken;
  };
  trace::EventSink& sink_;
  std::vector<Known> known_;  // a few dozen
};

class HostTasks {
 public:
  struct Task {
    HostTask id = HostTask::None;
    HostThread thread = HostThread::None;
    trace::NameId name = 0;
    trace::LaneId lane = 0;
    Nanoseconds busy_ns = 0;
    Buffer to = Buffer::None, from = Buffer::None;
    std::size_t bytes = 0;
    std::uint32_t index = 0;
    std::shared_ptr<HostDestination> destination;  // determines `to` when the task begins
    // Used by the thread that runs the task.
    std::byte* to_data = nullptr;
    const std::byte* from_data = nullptr;
    Nanoseconds start_ns = 0;
    double left_ns = 0;

   private:
    friend class HostTasks;
    bool ended = false;
    HostTask first_dependent = HostTask::None, last_dependent = HostTask::None;
    HostTask next = HostTask::None;  // the next ready task of its thread, or the next dependent of the same task
  };

  explicit HostTasks(trace::EventSink& sink) : sink_(sink), lanes_(sink) {}

  // --- the calling thread; these may throw and allocate -------------------------------------------------------------
  HostThread create(std::string_view name);
  /// No further tasks may be submitted to it.
  void end(HostThread thread);
  /// The thread was ended and has no tasks left.
  bool is_done(HostThread thread) const;
  /// Makes its lane available to another thread of the same name.
  void remove(HostThread thread);
  /// Threads that can be passed to remove().
  std::vector<HostThread> done() const;

  /// `name` comes from the sink. The task is ready if `after` has ended.
  Task& submit(HostThread thread, trace::NameId name, const Device::HostWork& work, HostTask after);
  /// Throws base::Error for a task that was never submitted.
  bool ended(HostTask task) const;
  /// True if an unfinished task copies to or from the buffer.
  bool uses(Buffer buffer) const;
  /// True if an unfinished task copies to the buffer.
  bool writes(Buffer buffer) const;
  trace::LaneId waiting_lane() { return lanes_.waiting(); }
  trace::LaneInfo calls_lane(HostThread thread) const { return lanes_.calls_of(threads_.at(thread).lane); }

  // --- the thread that runs the tasks; no allocation, no exceptions -------------------------------------------------
  /// Starts the thread's next ready task. Null if there is none or the thread is busy.
  Task* take(HostThread thread) noexcept;
  /// Makes the dependents ready and calls readied(HostThread) for each.
  template <typename Function>
  void finish(Task& task, Function readied) noexcept;

 private:
  struct Thread {
    trace::LaneId lane = 0;
    bool ending = false;
    std::size_t open = 0;  // unfinished tasks
    HostTask current = HostTask::None;
    HostTask first_ready = HostTask::None, last_ready = HostTask::None;
  };

  Thread& thread_at(HostThread thread, std::string_view call);
  Task& at(HostTask task) noexcept { return tasks_[static_cast<std::uint64_t>(task) - first_]; }
  const Task& at(HostTask task) const noexcept { return tasks_[static_cast<std::uint64_t>(task) - first_]; }
  void append(HostTask& first, HostTask& last, Task& task) noexcept;
  void make_ready(Task& task) noexcept;
  void forget_ended() noexcept;

  trace::EventSink& sink_;
  HostThreadLanes lanes_;
  std::map<HostThread, Thread> threads_;
  std::deque<Task> tasks_;   // those before first_ have ended
  std::uint64_t first_ = 1;  // the id of tasks_.front()
  std::uint32_t next_thread_ = 1;
};

template <typename Function>
void HostTasks::finish(Task& task, Function readied) noexcept {
  task.ended = true;
  task.destination.reset();
  Thread& thread = threads_.find(task.thread)->second;
  thread.current = HostTask::None;
  --thread.open;
  for (HostTask next = task.first_dependent; next != HostTask::None;) {
    Task& dependent = at(next);
    next = dependent.next;
    make_ready(dependent);
    readied(dependent.thread);
  }
  forget_ended();
}

}  // namespace lanescope::device
