// A table indexed by a number that CUPTI increments.
#pragma once

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
