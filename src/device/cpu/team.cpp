#include "device/cpu/team.h"

#include <algorithm>

namespace lanescope::device::cpu {
namespace {

constexpr int kMost = 256;
// A thread that slept takes tens of microseconds to wake up, and the next product often follows at once.
constexpr int kSpins = 4000;

template <typename Value>
Value wait_for_other(const std::atomic<Value>& value, Value known) {
  for (int i = 0; i < kSpins; ++i) {
    if (const Value now = value.load(); now != known) return now;
  }
  value.wait(known);
  return value.load();
}

}  // namespace

Team& Team::of_process() {
  static Team team(static_cast<int>(std::thread::hardware_concurrency()));
  return team;
}

Team::Team(int size) {
  for (int part = 1; part < std::clamp(size, 1, kMost); ++part) {
    threads_.emplace_back([this, part] { serve(part); });
  }
}

Team::~Team() {
  ending_.store(true, std::memory_order_relaxed);
  task_ += kParts + 1;
  task_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(int parts, const std::function<void(int)>& work) {
  if (parts <= 1) return work(0);
  const std::lock_guard lock(turn_);
  work_ = &work;
  unfinished_ = parts - 1;
  const std::uint64_t number = task_.load() >> kPartBits;
  task_ = (number + 1) << kPartBits | static_cast<std::uint64_t>(parts);
  task_.notify_all();
  work(0);
  for (int left = unfinished_.load(); left > 0;) left = wait_for_other(unfinished_, left);
}

void Team::serve(int part) {
  for (std::uint64_t task = 0;;) {
    task = wait_for_other(task_, task);
    if (ending_.load(std::memory_order_relaxed)) return;
    if (static_cast<std::uint64_t>(part) >= (task & kParts)) continue;
    (*work_)(part);
    if (--unfinished_ == 0) unfinished_.notify_all();
  }
}

}  // namespace lanescope::device::cpu
