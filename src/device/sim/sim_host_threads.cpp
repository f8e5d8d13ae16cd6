#include "device/sim/sim_host_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/translate.h"

namespace lanescope::device::sim {

using base::tr;

namespace {

// The rest of a task is counted in fractional nanoseconds; less than this counts as done.
constexpr double kNothing = 1e-3;
// Maximum step in which a wait advances.
constexpr Nanoseconds kWaitStep = 2 * base::kMillisecond;

}  // namespace

SimHostThreads::SimHostThreads(const DeviceProfile::Cpu& cpu, trace::EventSink& sink, trace::EventWriter& writer,
                               Memory& memory, Prepare prepare)
    : sink_(sink),
      writer_(writer),
      memory_(memory),
      tasks_(sink),
      cores_(cpu.cores),
      copy_ns_per_byte_(1 / DeviceProfile::copy_rate(cpu)),
      fault_ns_per_byte_(cpu.page_fault_us_per_mib * 1e3 / (1024.0 * 1024.0)),
      prepare_(std::move(prepare)) {}

HostThread SimHostThreads::create(std::string_view name) {
  for (const HostThread done : tasks_.done()) tasks_.remove(done);
  return tasks_.create(name);
}

void SimHostThreads::end(HostThread thread) { tasks_.end(thread); }

HostTask SimHostThreads::submit(HostThread thread, const Device::HostWork& work, HostTask after, Nanoseconds now) {
  if (work.destination != nullptr && !prepare_) throw base::Error(tr("submit: a destination needs a GPU"));
  if (work.bytes > 0) {
    const bool to_host =
        work.destination != nullptr || memory_.check({work.to}, work.bytes, "submit") != MemoryKind::Device;
    const bool from_host = memory_.check({work.from}, work.bytes, "submit") != MemoryKind::Device;
    if (!to_host || !from_host) {
      throw base::Error(tr("submit: a buffer is on the device; allowed: pageable, pinned"));
    }
  }
  pass_until(now);
  const HostTask task = tasks_.submit(thread, sink_.name(work.name), work, after).id;
  begin_next(thread);
  find_next_end();
  return task;
}

void SimHostThreads::wait_for(HostTask task, std::string_view what, Nanoseconds now,
                              const std::function<void(Nanoseconds)>& advance, const std::function<void()>& report) {
  if (tasks_.ended(task)) return;
  trace::Event wait;
  wait.kind = trace::EventKind::Range;
  wait.flags = trace::kWaitFlag;
  trace::set_range_kind(wait, trace::RangeKind::Load);
  wait.lane = tasks_.waiting_lane();
  wait.name = sink_.name(what);
  wait.start_ns = wait.end_ns = now;
  // Every thread with a ready task is running, and a task depends only on earlier ones, so there is always a next end.
  while (!tasks_.ended(task)) {
    wait.end_ns = std::min(wait.end_ns + kWaitStep, std::max(next_end_, wait.end_ns));
    advance(wait.end_ns);
    if (tasks_.ended(task) && wait.end_ns > wait.start_ns) writer_.write(wait);
    report();
  }
}

void SimHostThreads::check_release(Buffer buffer) const {
  if (tasks_.uses(buffer)) throw base::Error(tr("release: a task of a host thread still uses the buffer"));
}

double SimHostThreads::rate() const {
  const auto threads = static_cast<double>(running_.size());
  return threads <= cores_ ? 1 : cores_ / threads;
}

void SimHostThreads::pass_until(Nanoseconds t) {
  if (t <= clock_) return;
  const double done = static_cast<double>(t - clock_) * rate();
  for (HostTasks::Task* task : running_) task->left_ns -= done;
  clock_ = t;
}

void SimHostThreads::find_next_end() {
  next_end_ = kNever;
  for (const Calling& calling : calling_) next_end_ = std::min(next_end_, calling.end_ns);
  if (running_.empty()) return;
  double least = running_.front()->left_ns;
  for (const HostTasks::Task* task : running_) least = std::min(least, task->left_ns);
  // Rounded up, so that nothing is left at that time.
  next_end_ =
      std::min(next_end_, clock_ + static_cast<Nanoseconds>(std::ceil(std::max(0.0, least - kNothing) / rate())));
}

void SimHostThreads::begin_next(HostThread thread) {
  HostTasks::Task* task = tasks_.take(thread);
  if (task == nullptr) return;
  task->start_ns = clock_;
  if (task->destination == nullptr) return begin_work(*task);
  const Nanoseconds back = prepare_(*task, sink_.lane(tasks_.calls_lane(thread)), clock_);
  if (task->bytes > 0) memory_.check({task->to}, task->bytes, "submit");
  last_call_end_ = std::max(last_call_end_, back);
  if (back <= clock_) return begin_work(*task);
  calling_.push_back({back, task});
}

void SimHostThreads::begin_work(HostTasks::Task& task) {
  task.left_ns = static_cast<double>(task.busy_ns) + static_cast<double>(task.bytes) * copy_ns_per_byte_;
  if (task.bytes > 0) {
    task.left_ns += static_cast<double>(memory_.touch({task.to}, task.bytes)) * fault_ns_per_byte_;
  }
  running_.push_back(&task);
}

void SimHostThreads::end_ripe_calls() {
  std::erase_if(calling_, [&](const Calling& calling) {
    if (calling.end_ns > clock_) return false;
    begin_work(*calling.task);
    return true;
  });
}

void SimHostThreads::advance_to(Nanoseconds now) {
  while (next_end_ <= now) {
    pass_until(next_end_);
    end_ripe_calls();
    end_ripe_tasks();
    find_next_end();
  }
}

// Tasks that end at the same time end in order of submission.
void SimHostThreads::end_ripe_tasks() {
  const auto ripe = std::stable_partition(running_.begin(), running_.end(),
                                          [](const HostTasks::Task* task) { return task->left_ns > kNothing; });
  std::vector<HostTasks::Task*> ended(ripe, running_.end());
  running_.erase(ripe, running_.end());
  std::sort(ended.begin(), ended.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  std::vector<HostThread> free;
  for (HostTasks::Task* task : ended) {
    if (task->bytes > 0 && memory_.copies_values(task->to, task->from)) {
      Work work;
      work.kind = Work::Kind::Copy;
      work.to = {task->to};
      work.from = {task->from};
      work.bytes = task->bytes;
      memory_.run(work);
    }
    write(*task, clock_);
    free.push_back(task->thread);
    tasks_.finish(*task, [&](HostThread thread) { free.push_back(thread); });
  }
  for (const HostThread thread : free) begin_next(thread);
}

void SimHostThreads::write(const HostTasks::Task& task, Nanoseconds end_ns) {
  trace::Event event;
  event.kind = trace::EventKind::Range;
  trace::set_range_kind(event, trace::RangeKind::Load);
  event.lane = task.lane;
  event.name = task.name;
  event.a = task.index;
  event.start_ns = task.start_ns;
  event.end_ns = end_ns;
  writer_.write(event);
}

void SimHostThreads::close(Nanoseconds now) {
  advance_to(now);
  for (const HostTasks::Task* task : running_) {
    if (task->start_ns < now) write(*task, now);
  }
  for (const Calling& calling : calling_) {
    if (calling.task->start_ns < now) write(*calling.task, now);
  }
  running_.clear();
  calling_.clear();
  next_end_ = kNever;
}

}  // namespace lanescope::device::sim
