#include "device/real_host_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/translate.h"

namespace lanescope::device {

using base::tr;

namespace {

// Sleeping overshoots by tens of microseconds.
constexpr Nanoseconds kSpin = 100 * base::kMicrosecond;
// A thread reports its progress at least this often: the live edge is the earliest of all writers' progress.
constexpr Nanoseconds kThreadReportEvery = 5 * base::kMillisecond;

}  // namespace

RealHostThreads::RealHostThreads(Device& device, MakeCalls make_calls)
    : device_(device), make_calls_(std::move(make_calls)), tasks_(device.sink()) {}

RealHostThreads::~RealHostThreads() {
  stop_.store(true, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);  // a thread that has read it as false is waiting by now
    for (const auto& [thread, worker] : workers_) worker->wake.notify_one();
  }
  for (const auto& [thread, worker] : workers_) worker->thread.join();
}

void RealHostThreads::join_done() {
  std::vector<HostThread> done;
  {
    const std::lock_guard lock(mutex_);
    done = tasks_.done();
  }
  for (const HostThread thread : done) {
    workers_.at(thread)->thread.join();
    const std::lock_guard lock(mutex_);
    workers_.erase(thread);
    tasks_.remove(thread);
  }
}

HostThread RealHostThreads::create(std::string_view name) {
  join_done();
  auto writer = device_.sink().open_writer();
  const std::lock_guard lock(mutex_);
  const HostThread thread = tasks_.create(name);
  const auto worker = workers_.emplace(thread, std::make_unique<Worker>()).first;
  Worker& self = *worker->second;
  self.writer = writer.get();
  try {
    // The writer is closed together with its thread: an open, silent one would hold back the live edge.
    self.thread =
        std::thread([this, thread, &self, writer = std::move(writer)]() noexcept { work(thread, self, *writer); });
  } catch (const std::system_error& error) {
    workers_.erase(worker);
    tasks_.remove(thread);
    throw base::Error(tr("the thread '{}' cannot be started: {}", name, error.what()));
  }
  return thread;
}

void RealHostThreads::end(HostThread thread) {
  const std::lock_guard lock(mutex_);
  tasks_.end(thread);
  workers_.at(thread)->wake.notify_one();
}

HostTask RealHostThreads::submit(HostThread thread, const Device::HostWork& work, HostTask after) {
  if (work.destination != nullptr && !make_calls_) throw base::Error(tr("submit: a destination needs a GPU"));
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  if (work.bytes > 0) {
    const std::span<std::byte> source = device_.host_data(work.from);
    const std::span<std::byte> target = work.destination != nullptr ? source : device_.host_data(work.to);
    if (const std::size_t room = std::min(target.size(), source.size()); work.bytes > room) {
      throw base::Error(tr("submit: {} bytes do not fit in a buffer of {} bytes", work.bytes, room));
    }
    to = target.data();
    from = source.data();
  }
  const trace::NameId name = device_.sink().name(work.name);
  const std::lock_guard lock(mutex_);
  HostTasks::Task& task = tasks_.submit(thread, name, work, after);
  task.to_data = to;
  task.from_data = from;
  Worker& worker = *workers_.at(thread);
  if (work.destination != nullptr && worker.calls == nullptr) {
    worker.calls = make_calls_(*worker.writer, tasks_.calls_lane(thread));
  }
  worker.wake.notify_one();
  return task.id;
}

bool RealHostThreads::ended(HostTask task) const {
  const std::lock_guard lock(mutex_);
  return tasks_.ended(task);
}

void RealHostThreads::check_release(Buffer buffer) const {
  const std::lock_guard lock(mutex_);
  if (tasks_.uses(buffer)) throw base::Error(tr("release: a task of a host thread still uses the buffer"));
}

void RealHostThreads::throw_failure(HostTask task) {
  std::exception_ptr failure;
  {
    const std::lock_guard lock(mutex_);
    const auto found = failures_.find(task);
    if (found == failures_.end()) return;
    failure = found->second;
  }
  std::rethrow_exception(failure);
}

void RealHostThreads::wait_for(HostTask task, std::string_view what) {
  if (ended(task)) return throw_failure(task);
  trace::Event wait;
  wait.kind = trace::EventKind::Range;
  wait.flags = trace::kWaitFlag;
  trace::set_range_kind(wait, trace::RangeKind::Load);
  wait.lane = tasks_.waiting_lane();
  wait.name = device_.sink().name(what);
  wait.start_ns = device_.now_ns();
  {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::nanoseconds(kThreadReportEvery), [&] { return tasks_.ended(task); })) {
      device_.writer().complete_until(device_.now_ns());
    }
  }
  wait.end_ns = device_.now_ns();
  device_.writer().write(wait);
  throw_failure(task);
}

// --- on the threads ------------------------------------------------------------------------------------------------

void RealHostThreads::compute(Nanoseconds until, trace::EventWriter& writer) const noexcept {
  for (Nanoseconds now = device_.now_ns(); now < until && !stop_.load(std::memory_order_relaxed);
       now = device_.now_ns()) {
    writer.complete_until(now);
    if (until - now <= kSpin) continue;
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(until - now - kSpin, kThreadReportEvery)));
  }
}

// An exception is kept for the thread that waits for the task, as PyTorch's pin thread does. Nothing is copied then.
void RealHostThreads::find_destination(HostTasks::Task& task, Worker& self) noexcept {
  Buffer found = Buffer::None;
  std::exception_ptr failure;
  try {
    found = task.destination->find(*self.calls);
    const std::span<std::byte> target = device_.host_data(found);
    if (target.size() < task.bytes) {
      throw base::Error(tr("submit: {} bytes do not fit in a buffer of {} bytes", task.bytes, target.size()));
    }
    task.to_data = target.data();
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  task.to = found;
  if (failure == nullptr) return;
  task.bytes = 0;
  failures_[task.id] = failure;
}

void RealHostThreads::write(trace::EventWriter& writer, const HostTasks::Task& task, Nanoseconds start) const noexcept {
  trace::Event event;
  event.kind = trace::EventKind::Range;
  trace::set_range_kind(event, trace::RangeKind::Load);
  event.lane = task.lane;
  event.name = task.name;
  event.a = task.index;
  event.start_ns = start;
  event.end_ns = device_.now_ns();
  writer.write(event);
  writer.complete_until(event.end_ns);
}

void RealHostThreads::work(HostThread me, Worker& self, trace::EventWriter& writer) noexcept {
  std::unique_lock lock(mutex_);
  while (!stop_.load(std::memory_order_relaxed)) {
    HostTasks::Task* task = tasks_.take(me);
    if (task == nullptr) {
      if (tasks_.is_done(me)) return;
      writer.complete_until(device_.now_ns());
      self.wake.wait_for(lock, std::chrono::nanoseconds(kThreadReportEvery));
      continue;
    }
    lock.unlock();
    const Nanoseconds start = device_.now_ns();
    Nanoseconds began = start;
    if (task->destination != nullptr) {
      find_destination(*task, self);
      began = device_.now_ns();
    }
    compute(began + task->busy_ns, writer);
    if (task->bytes > 0) std::memmove(task->to_data, task->from_data, task->bytes);
    write(writer, *task, start);
    lock.lock();
    tasks_.finish(*task, [&](HostThread thread) { workers_.find(thread)->second->wake.notify_one(); });
    ended_.notify_all();
  }
}

}  // namespace lanescope::device
