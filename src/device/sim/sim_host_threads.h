// The program's other threads in virtual time: a small discrete-event simulation beside that of the GPU.
//
// - A thread runs one task at a time, in the order in which they become ready (see HostTasks).
// - A task computes for busy_ns and then copies its bytes at one thread's memory bandwidth. Fresh pages of the
//   destination cost their page faults. The bytes move when the task ends.
// - If more threads are busy than the machine has cores, all slow down equally: each runs at cores / threads of its
// full
//   speed. The program's main thread is neither counted nor slowed down. Nothing else is shared: neither memory
//   bandwidth nor Python's interpreter lock.
// - A task whose destination is determined at its start makes that thread's CUDA calls first. They take their own cost,
//   whatever other threads do.
// - A task is written when it ends. Nothing is decided that a later submit() could still change: the device advances
//   time here before it reports how far its record is complete.
#pragma once

#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "device/host_tasks.h"
#include "device/sim/memory.h"
#include "device/sim/profile.h"

namespace lanescope::device::sim {

class SimHostThreads {
 public:
  static constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

  /// Determines the destination of a task that begins now, and sets task.to. Its calls go to the lane `calls`. Returns
  /// the time at which the thread has finished them.
  using Prepare = std::function<Nanoseconds(HostTasks::Task& task, trace::LaneId calls, Nanoseconds now)>;

  /// `sink`, `writer` and `memory` must outlive it. Without `prepare`, tasks with a destination throw base::Error.
  SimHostThreads(const DeviceProfile::Cpu& cpu, trace::EventSink& sink, trace::EventWriter& writer, Memory& memory,
                 Prepare prepare = {});

  HostThread create(std::string_view name);
  void end(HostThread thread);
  /// `now` is the calling thread's clock, as last passed to advance_to().
  HostTask submit(HostThread thread, const Device::HostWork& work, HostTask after, Nanoseconds now);
  bool ended(HostTask task) const { return tasks_.ended(task); }
  /// Blocks the calling thread from `now` until the task has ended. `advance(t)` must move the device's clock to t and
  /// call advance_to(t); `report()` must report the record's progress. Advances in steps, so that a live
  /// display sees time pass.
  void wait_for(HostTask task, std::string_view what, Nanoseconds now, const std::function<void(Nanoseconds)>& advance,
                const std::function<void()>& report);

  /// When the next task ends, or finishes its calls, if nothing else is submitted before.
  Nanoseconds next_end() const { return next_end_; }
  /// Ends the tasks that end by `now`, moving their bytes and writing them.
  void advance_to(Nanoseconds now);
  /// Called when the program ends: cuts running tasks short and drops the others.
  void close(Nanoseconds now);

  Nanoseconds last_call_end() const { return last_call_end_; }

  // Used by Device::host_read() and release().
  bool writes(Buffer buffer) const { return tasks_.writes(buffer); }
  /// Throws base::Error if an unfinished task copies to or from the buffer.
  void check_release(Buffer buffer) const;

 private:
  double rate() const;
  void pass_until(Nanoseconds t);
  void end_ripe_tasks();
  void begin_next(HostThread thread);
  void begin_work(HostTasks::Task& task);
  void end_ripe_calls();
  void find_next_end();
  void write(const HostTasks::Task& task, Nanoseconds end_ns);

  trace::EventSink& sink_;
  trace::EventWriter& writer_;
  Memory& memory_;
  HostTasks tasks_;
  const double cores_, copy_ns_per_byte_, fault_ns_per_byte_;
  const Prepare prepare_;
  struct Calling {
    Nanoseconds end_ns = 0;
    HostTasks::Task* task = nullptr;
  };
  std::vector<Calling> calling_;           // tasks that are still making their calls
  std::vector<HostTasks::Task*> running_;  // in the order in which they began
  Nanoseconds last_call_end_ = 0;
  Nanoseconds clock_ = 0;
  Nanoseconds next_end_ = kNever;
};

}  // namespace lanescope::device::sim
