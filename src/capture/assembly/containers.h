// A queue for nearly sorted input, and a table indexed by a number that CUPTI increments.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/time.h"

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

// --- paged table -----------------------------------------------------------------------------------------------------
// A table indexed by a number that CUPTI increments.

/// Neighbouring numbers share a page, and whole pages are dropped when they are old or too many. CUPTI's numbers are
/// dense, so a page holds events of about the same time.
template <typename Entry>
class PagedTable {
 public:
  explicit PagedTable(std::size_t most_pages) : most_pages_(most_pages) {}

  /// Null if the number's page does not exist; otherwise an entry, possibly empty (equal to Entry{}).
  Entry* find(std::uint64_t number) {
    Page* page = page_of(number / kPageEntries);
    return page ? &page->entries[number % kPageEntries] : nullptr;
  }
  /// Finds or creates the entry. Its page is kept until everything in it is old. Valid until the next call.
  Entry& add(std::uint64_t number, base::Nanoseconds time) {
    Page* page = page_of(number / kPageEntries);
    if (!page) page = make(number / kPageEntries);
    if (time > page->newest) page->newest = time;
    return page->entries[number % kPageEntries];
  }
  void forget_before(base::Nanoseconds time) {
    while (!pages_.empty() && pages_.front()->newest < time) forget_oldest();
  }

 private:
  static constexpr std::uint64_t kPageEntries = 64;
  struct Page {
    std::uint64_t number = 0;
    base::Nanoseconds newest = std::numeric_limits<base::Nanoseconds>::min();
    std::array<Entry, kPageEntries> entries{};
  };

  Page* page_of(std::uint64_t number) {
    if (last_ && last_->number == number) return last_;
    const auto found = by_number_.find(number);
    if (found == by_number_.end()) return nullptr;
    return last_ = found->second;
  }
  Page* make(std::uint64_t number) {
    if (pages_.size() >= most_pages_) forget_oldest();
    std::unique_ptr<Page> page;
    if (spare_.empty()) {
      page = std::make_unique<Page>();
    } else {
      page = std::move(spare_.back());
      spare_.pop_back();
      *page = Page{};
    }
    page->number = number;
    last_ = page.get();
    by_number_.emplace(number, last_);
    pages_.push_back(std::move(page));
    return last_;
  }
  void forget_oldest() {
    last_ = nullptr;
    by_number_.erase(pages_.front()->number);
    if (spare_.size() < kSpare) spare_.push_back(std::move(pages_.front()));
    pages_.pop_front();
  }
  static constexpr std::size_t kSpare = 64;

  const std::size_t most_pages_;
  Page* last_ = nullptr;
  std::unordered_map<std::uint64_t, Page*> by_number_;
  std::deque<std::unique_ptr<Page>> pages_;  // in order of creation
  std::vector<std::unique_ptr<Page>> spare_;
};

}  // namespace lanescope::capture
