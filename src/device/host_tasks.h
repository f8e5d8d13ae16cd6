// The book of a program's further threads: which tasks each has, and in which order they become ready. Knows no time;
// the simulated and the real threads both keep theirs with it.
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

/// A lane {Phases, name, "lanescope", tid} for each thread, tid from 1. A thread that has gone leaves its lane to the
/// next one of its name, so that workers which are restarted for every epoch stay on theirs.
class HostThreadLanes {
 public:
  explicit HostThreadLanes(trace::EventSink& sink) : sink_(sink) {}

  trace::LaneId take(std::string_view name);
  void give_back(trace::LaneId lane);
  /// Where the thread of a lane shows the CUDA calls that it makes: {Calls, "CUDA calls, NAME", "lanescope", its tid}.
  trace::LaneInfo calls_of(trace::LaneId lane) const;
  /// Where the program's first thread shows its waits: {Phases, "waiting", "lanescope", 0}.
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
    std::shared_ptr<HostDestination> destination;  // gives `to` when the task begins
    // For the thread that does it.
    std::byte* to_data = nullptr;
    const std::byte* from_data = nullptr;
    Nanoseconds start_ns = 0;
    double left_ns = 0;

   private:
    friend class HostTasks;
    bool ended = false;
    HostTask first_dependent = HostTask::None, last_dependent = HostTask::None;
    HostTask next = HostTask::None;  // of its thread's ready tasks, or of the dependents of one task
  };

  explicit HostTasks(trace::EventSink& sink) : sink_(sink), lanes_(sink) {}

  // --- the calling thread; these may throw and allocate
  // ---------------------------------------------------------------
  HostThread create(std::string_view name);
  /// Takes no more tasks.
  void end(HostThread thread);
  /// It has ended and has nothing left to do.
  bool is_done(HostThread thread) const;
  /// Its lane is free for another of its name.
  void remove(HostThread thread);
  /// Threads that are done, for remove().
  std::vector<HostThread> done() const;

  /// `name` is a name of the sink. The task is ready if what it comes after has ended.
  Task& submit(HostThread thread, trace::NameId name, const Device::HostWork& work, HostTask after);
  /// Throws base::Error for a task that was never submitted.
  bool ended(HostTask task) const;
  /// A task that has not ended copies to or from the buffer.
  bool uses(Buffer buffer) const;
  /// A task that has not ended copies to it.
  bool writes(Buffer buffer) const;
  trace::LaneId waiting_lane() { return lanes_.waiting(); }
  trace::LaneInfo calls_lane(HostThread thread) const { return lanes_.calls_of(threads_.at(thread).lane); }

  // --- whoever does the tasks; no allocation, no exception
  // ------------------------------------------------------------
  /// The thread's next ready task, which it does now; null if there is none or it is at one.
  Task* take(HostThread thread) noexcept;
  /// Makes ready what comes after it, as readied(HostThread).
  template <typename Function>
  void finish(Task& task, Function readied) noexcept;

 private:
  struct Thread {
    trace::LaneId lane = 0;
    bool ending = false;
    std::size_t open = 0;  // tasks that have not ended
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
