// A sorted queue for nearly sorted input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lanescope::capture {

/// Items arrive nearly in order, as CUPTI's records do. They are appended, and sorted on access. Sorting touches only
/// the newest ones.
template <typename T, typename Before>
class SortedQueue {
 public:
  explicit SortedQueue(Before before = {}) : before_(before) {}

  void push(const T& item) {
    if (sorted_ == items_.size() && (empty() || !before_(item, items_.back()))) ++sorted_;
    items_.push_back(item);
  }
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }

  // These sort first. What they return is valid until the next push() or pop().
  void settle() {
    if (sorted_ == items_.size()) return;
    // Items appended in order stay in place; merging starts at the position of the smallest late one.
    const auto tail = items_.begin() + static_cast<std::ptrdiff_t>(std::max(sorted_, head_));
    std::stable_sort(tail, items_.end(), before_);
    const auto from = std::upper_bound(items_.begin() + static_cast<std::ptrdiff_t>(head_), tail, *tail, before_);
    std::inplace_merge(from, tail, items_.end(), before_);
    sorted_ = items_.size();
  }
  const T& front() {
    settle();
    return items_[head_];
  }
  const T* begin() {
    settle();
    return items_.data() + head_;
  }
  const T* end() const { return items_.data() + items_.size(); }
  void pop() { drop(1); }
  /// Removes the first n items.
  void drop(std::size_t n) {
    head_ += n;
    if (head_ == items_.size()) {
      items_.clear();
      head_ = sorted_ = 0;
    } else if (head_ >= kGap && head_ > items_.size() / 2) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      sorted_ -= head_;
      head_ = 0;
    }
  }

 private:
  static constexpr std::size_t kGap = 1024;

  Before before_;
  std::vector<T> items_;  // those before head_ have been removed
  std::size_t head_ = 0;
  std::size_t sorted_ = 0;  // [head_, sorted_) is sorted
};

}  // namespace lanescope::capture
