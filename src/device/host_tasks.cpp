#include "device/host_tasks.h"

#include <fmt/format.h>

#include "base/translate.h"

namespace lanescope::device {

using base::tr;

namespace {

trace::LaneInfo lane_info(std::string_view name, std::int64_t tid) {
  trace::LaneInfo info;
  info.kind = trace::LaneKind::Phases;
  info.role = tid == 0 ? trace::LaneRole::None : trace::LaneRole::Helper;  // 0: the main thread
  info.name = name;
  info.process = "lanescope";
  info.tid = tid;
  return info;
}

}  // namespace

trace::LaneId HostThreadLanes::take(std::string_view name) {
  for (Known& known : known_) {
    if (known.taken || known.name != name) continue;
    known.taken = true;
    return known.lane;
  }
  const auto tid = static_cast<std::int64_t>(known_.size()) + 1;
  known_.push_back({std::string(name), sink_.lane(lane_info(name, tid)), true});
  return known_.back().lane;
}

void HostThreadLanes::give_back(trace::LaneId lane) {
  for (Known& known : known_) {
    if (known.lane == lane) known.taken = false;
  }
}

trace::LaneInfo HostThreadLanes::calls_of(trace::LaneId lane) const {
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (known_[i].lane != lane) continue;
    trace::LaneInfo info = lane_info("CUDA calls, " + known_[i].name, static_cast<std::int64_t>(i) + 1);
    info.kind = trace::LaneKind::Calls;
    return info;
  }
  return {};
}

trace::LaneId HostThreadLanes::waiting() { return sink_.lane(lane_info("waiting", 0)); }

HostTasks::Thread& HostTasks::thread_at(HostThread thread, std::string_view call) {
  const auto found = threads_.find(thread);
  if (found == threads_.end() || found->second.ending) {
    const auto number = static_cast<std::uint32_t>(thread);
    const bool made = number != 0 && number < next_thread_;
    throw base::Error(made ? tr("{}: host thread {} has already ended", call, number)
                           : tr("{}: host thread {} was never created", call, number));
  }
  return found->second;
}

HostThread HostTasks::create(std::string_view name) {
  const auto thread = static_cast<HostThread>(next_thread_++);
  threads_[thread].lane = lanes_.take(name);
  return thread;
}

void HostTasks::end(HostThread thread) { thread_at(thread, "end_host_thread").ending = true; }

bool HostTasks::is_done(HostThread thread) const {
  const auto found = threads_.find(thread);
  return found == threads_.end() || (found->second.ending && found->second.open == 0);
}

void HostTasks::remove(HostThread thread) {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return;
  lanes_.give_back(found->second.lane);
  threads_.erase(found);
}

std::vector<HostThread> HostTasks::done() const {
  std::vector<HostThread> found;
  for (const auto& [thread, state] : threads_) {
    if (state.ending && state.open == 0) found.push_back(thread);
  }
  return found;
}

HostTasks::Task& HostTasks::submit(HostThread thread, trace::NameId name, const Device::HostWork& work,
                                   HostTask after) {
  Thread& owner = thread_at(thread, "submit");
  if (work.busy_ns < 0) {
    throw base::Error(tr("submit: {} ns is not allowed; at least 0", work.busy_ns));
  }
  const bool at_once = after == HostTask::None || ended(after);
  Task& task = tasks_.emplace_back();
  task.id = static_cast<HostTask>(first_ + tasks_.size() - 1);
  task.thread = thread;
  task.name = name;
  task.lane = owner.lane;
  task.busy_ns = work.busy_ns;
  task.to = work.to;
  task.from = work.from;
  task.bytes = work.bytes;
  task.index = work.index;
  task.destination = work.destination;
  ++owner.open;
  if (at_once) {
    make_ready(task);
  } else {
    Task& before = at(after);
    append(before.first_dependent, before.last_dependent, task);
  }
  return task;
}

bool HostTasks::ended(HostTask task) const {
  const auto id = static_cast<std::uint64_t>(task);
  if (id == 0 || id >= first_ + tasks_.size()) {
    throw base::Error(tr("host task {} was never submitted", id));
  }
  return id < first_ || at(task).ended;
}

bool HostTasks::uses(Buffer buffer) const {
  for (const Task& task : tasks_) {
    if (!task.ended && task.bytes > 0 && (task.to == buffer || task.from == buffer)) return true;
  }
  return false;
}

bool HostTasks::writes(Buffer buffer) const {
  for (const Task& task : tasks_) {
    if (!task.ended && task.bytes > 0 && task.to == buffer) return true;
  }
  return false;
}

HostTasks::Task* HostTasks::take(HostThread thread) noexcept {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return nullptr;
  Thread& owner = found->second;
  if (owner.current != HostTask::None || owner.first_ready == HostTask::None) return nullptr;
  Task& task = at(owner.first_ready);
  owner.current = task.id;
  owner.first_ready = task.next;
  if (owner.first_ready == HostTask::None) owner.last_ready = HostTask::None;
  task.next = HostTask::None;
  return &task;
}

void HostTasks::append(HostTask& first, HostTask& last, Task& task) noexcept {
  task.next = HostTask::None;
  if (last == HostTask::None) {
    first = task.id;
  } else {
    at(last).next = task.id;
  }
  last = task.id;
}

void HostTasks::make_ready(Task& task) noexcept {
  Thread& owner = threads_.find(task.thread)->second;
  append(owner.first_ready, owner.last_ready, task);
}

void HostTasks::forget_ended() noexcept {
  while (!tasks_.empty() && tasks_.front().ended) {
    tasks_.pop_front();
    ++first_;
  }
}

}  // namespace lanescope::device
