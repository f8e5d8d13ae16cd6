// The program's further threads in virtual time: a small discrete-event simulation beside that of the GPU.
//
// - A thread does one task at a time, in the order in which they become ready (see HostTasks).
// - A task computes for busy_ns and then copies its bytes at the rate of one thread's memory bandwidth; fresh pages of
//   the buffer it copies to cost their page faults. The bytes move when it ends.
// - With more threads at work than the machine has cores, all of them are slowed alike: each does cores / threads of
// the
//   work it would do alone. The program's first thread is not counted and not slowed, and nothing else is shared: not
//   the memory's bandwidth, and not Python's interpreter lock.
// - A task whose destination is found when it begins makes that thread's CUDA calls first; they take their own cost,
//   whatever other threads do.
// - A task is written when it ends. Nothing is decided that a later submit() could still change: the device lets time
//   pass here before it says how far its record is complete.
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

  /// Finds the destination of a task that begins now, and sets task.to; its calls go to the lane `calls`. Returns when
  /// the thread is through with them.
  using Prepare = std::function<Nanoseconds(HostTasks::Task& task, trace::LaneId calls, Nanoseconds now)>;

  /// All three must outlive it. Without `prepare` tasks with a destination are refused.
  SimHostThreads(const DeviceProfile::Cpu& cpu, trace::EventSink& sink, trace::EventWriter& writer, Memory& memory,
                 Prepare prepare = {});

  HostThread create(std::string_view name);
  void end(HostThread thread);
  /// `now` is the calling thread's clock, to which advance_to() has come.
  HostTask submit(HostThread thread, const Device::HostWork& work, HostTask after, Nanoseconds now);
  bool ended(HostTask task) const { return tasks_.ended(task); }
  /// The calling thread is held from `now` until the task has ended. `advance(t)` moves the device's clock on to t and
  /// calls advance_to(t); `tell()` says that the record is complete so far. In steps, so that who watches sees time
  /// pass.
  void wait_for(HostTask task, std::string_view what, Nanoseconds now, const std::function<void(Nanoseconds)>& advance,
                const std::function<void()>& tell);

  /// When the next task ends, or is through with its calls, if nothing is submitted before that.
  Nanoseconds next_end() const { return next_end_; }
  /// Tasks that end until then end; each moves its bytes and is written.
  void advance_to(Nanoseconds now);
  /// The program ends: tasks at work are cut short, and the others are not begun.
  void close(Nanoseconds now);

  Nanoseconds last_call_end() const { return last_call_end_; }

  // For Device::host_read() and release().
  bool writes(Buffer buffer) const { return tasks_.writes(buffer); }
  /// Throws base::Error if a task that has not ended copies to or from the buffer.
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
  std::vector<Calling> calling_;           // tasks that are still at their calls
  std::vector<HostTasks::Task*> running_;  // in the order in which they began
  Nanoseconds last_call_end_ = 0;
  Nanoseconds clock_ = 0;
  Nanoseconds next_end_ = kNever;
};

}  // namespace lanescope::device::sim
