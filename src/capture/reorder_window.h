// Puts the events of one lane back into start order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "trace/event.h"

namespace lanescope::capture {

/// Holds back up to `window` events. Output is in start order; of two that start together the longer comes first, so
/// that a range precedes its contents. An event that arrives more than `window` events late is output at once and
/// counted.
class ReorderWindow {
 public:
  explicit ReorderWindow(std::size_t window) : window_(window) { held_.reserve(window + 1); }

  template <typename Emit>
  void add(const trace::Event& event, Emit&& emit) {
    held_.push_back(event);
    std::push_heap(held_.begin(), held_.end(), comes_later);
    if (held_.size() > window_) emit_first(emit);
  }
  template <typename Emit>
  void flush(Emit&& emit) {
    while (!held_.empty()) emit_first(emit);
  }
  std::uint64_t late() const { return late_; }

 private:
  static bool comes_later(const trace::Event& x, const trace::Event& y) {
    return x.start_ns != y.start_ns ? x.start_ns > y.start_ns : x.end_ns < y.end_ns;
  }
  template <typename Emit>
  void emit_first(Emit& emit) {
    std::pop_heap(held_.begin(), held_.end(), comes_later);
    const trace::Event event = held_.back();
    held_.pop_back();
    if (event.start_ns < newest_start_) ++late_;
    newest_start_ = std::max(newest_start_, event.start_ns);
    emit(event);
  }

  std::size_t window_;
  std::vector<trace::Event> held_;  // a heap with the earliest start at the front
  trace::Nanoseconds newest_start_ = std::numeric_limits<trace::Nanoseconds>::min();
  std::uint64_t late_ = 0;
};

}  // namespace lanescope::capture
