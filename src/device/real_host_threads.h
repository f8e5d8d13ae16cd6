// The program's further threads on a device in real time: threads, each with a lane and a writer of its own.
//
// A task's computing is slept through, and only its last 100 us are spun, so that it ends on time. In life it would be
// work of a process of its own; eight of them spinning on the two cores of a small machine would slow the very thread
// that is being measured. So more threads than cores do not slow each other down here, except by the bytes they copy,
// which really move. A task whose destination is found when it begins makes real CUDA calls on its thread.
//
// A device in real time hands its five functions on to one of these, and destroys it before its memory goes. All
// functions are for the program's one thread.
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
  /// Makes, on the program's thread, the calls of one host thread, which are then made on that thread: with its writer,
  /// and the lane that they belong on.
  using MakeCalls = std::function<std::unique_ptr<HostThreadCalls>(trace::EventWriter&, const trace::LaneInfo&)>;

  /// Uses the device's now_ns(), sink(), writer() and host_data(), the last one from any thread if `make_calls` is
  /// given. Without it tasks with a destination are refused.
  explicit RealHostThreads(Device& device, MakeCalls make_calls = {});
  /// Cuts short what the threads are at and joins them.
  ~RealHostThreads();
  RealHostThreads(const RealHostThreads&) = delete;
  RealHostThreads& operator=(const RealHostThreads&) = delete;

  HostThread create(std::string_view name);
  void end(HostThread thread);
  HostTask submit(HostThread thread, const Device::HostWork& work, HostTask after);
  bool ended(HostTask task) const;
  /// Throws what the task's destination has thrown.
  void wait_for(HostTask task, std::string_view what);
  /// Throws base::Error if a task that has not ended copies to or from the buffer.
  void check_release(Buffer buffer) const;

 private:
  struct Worker {
    std::condition_variable wake;
    std::thread thread;
    trace::EventWriter* writer = nullptr;    // the thread's own
    std::unique_ptr<HostThreadCalls> calls;  // made for its first task with a destination
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
  std::map<HostTask, std::exception_ptr> failures_;  // of destinations; with the mutex
  std::condition_variable ended_;
  std::map<HostThread, std::unique_ptr<Worker>> workers_;  // the program's thread alone changes it, with the mutex
  std::atomic<bool> stop_{false};
};

}  // namespace lanescope::device
