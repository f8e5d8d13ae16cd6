// The program's other threads on a real-time device: system threads, each with its own lane and writer.
//
// A task's computing time is slept, with only the last 100 us spun, so that it ends on time. In a real program, it
// would be the work of another process; eight of them spinning on a two-core machine would slow down the very thread
// being measured. Hence threads in excess of the cores do not slow each other down here, except by their copies, which
// are real. A task whose destination is determined at its start makes real CUDA calls on its thread.
//
// A real-time device forwards its five host-thread functions to one of these, and destroys it before its memory. Call
// all functions from the program's main thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "device/host_tasks.h"

namespace lanescope::device {

class RealHostThreads {
 public:
  /// Creates, on the main thread, the object through which one host thread makes its calls, given that thread's writer
  /// and the lane for its calls. The calls are then made on the host thread.
  using MakeCalls = std::function<std::unique_ptr<HostThreadCalls>(trace::EventWriter&, const trace::LaneInfo&)>;

  /// Uses the device's now_ns(), sink(), writer() and host_data(); with `make_calls`, the last one from any thread.
  /// Without it, tasks with a destination throw base::Error.
  explicit RealHostThreads(Device& device, MakeCalls make_calls = {});
  /// Cuts running tasks short and joins the threads.
  ~RealHostThreads();
  RealHostThreads(const RealHostThreads&) = delete;
  RealHostThreads& operator=(const RealHostThreads&) = delete;

  HostThread create(std::string_view name);
  void end(HostThread thread);
  HostTask submit(HostThread thread, const Device::HostWork& work, HostTask after);
  bool ended(HostTask task) const;
  /// Rethrows an exception of the task's destination.
  void wait_for(HostTask task, std::string_view what);
  /// Throws base::Error if an unfinished task copies to or from the buffer.
  void check_release(Buffer buffer) const;

 private:
  struct Worker {
    std::condition_variable wake;
    std::thread thread;
    trace::EventWriter* writer = nullptr;    // the thread's own
    std::unique_ptr<HostThreadCalls> calls;  // created for its first task with a destination
  };

  void join_done();
  void work(HostThread me, Worker& self, trace::EventWriter& writer) noexcept;
  void find_destination(HostTasks::Task& task, Worker& self) noexcept;
  void throw_failure(HostTask task);
  void compute(Nanoseconds until, trace::EventWriter& writer) const noexcept;
  void write(trace::EventWriter& writer, const HostTasks::Task& task, Nanoseconds start) const noexcept;

  Device& device_;
  const MakeCalls make_calls_;
  mutable std::mutex mutex_;  // guards tasks_
  HostTasks tasks_;
  std::map<HostTask, std::exception_ptr> failures_;  // of destinations; guarded by mutex_
  std::condition_variable ended_;
  std::map<HostThread, std::unique_ptr<Worker>> workers_;  // changed by the main thread only, holding mutex_
  std::atomic<bool> stop_{false};
};

}  // namespace lanescope::device
