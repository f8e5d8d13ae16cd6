// Memory for large arrays: address space for the most that they will ever hold, at the start of a huge page. Only what
// has been touched takes up memory.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace lanescope::base {

inline constexpr std::size_t kHugePage = std::size_t{1} << 21;

struct UnmapPages {
  std::size_t bytes = 0;
  void operator()(std::byte* data) const;
};
/// Memory that begins at a huge page and takes up only what has been touched. Not initialised.
using MappedPages = std::unique_ptr<std::byte[], UnmapPages>;
/// `bytes` is rounded up to whole huge pages. The beginning of what was given back is kept for the next caller, up to
/// a limit, since getting new pages can cost more than a short run. Throws std::bad_alloc.
MappedPages map_pages(std::size_t bytes);

/// For a vector that reserves address space for the most it will ever hold. Small arrays are allocated as usual.
template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kHugePage) return std::allocator<T>().allocate(count);
    return reinterpret_cast<T*>(map_pages(bytes).release());
  }
  void deallocate(T* data, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kHugePage) return std::allocator<T>().deallocate(data, count);
    UnmapPages{bytes}(reinterpret_cast<std::byte*>(data));
  }
  bool operator==(const HugePageAllocator&) const = default;
};

/// Reserves a few values first, and then address space for `most`: a large vector must not move.
template <class T>
void reserve_more(std::vector<T, HugePageAllocator<T>>& values, std::size_t most) {
  constexpr std::size_t kFew = 1024;
  values.reserve(values.capacity() == 0 ? std::min(kFew, most) : most);
}

// --- arena -----------------------------------------------------------------------------------------------------------
// Memory that is taken piece by piece, and given back all at once.

/// The first pieces are allocated one by one, so that a small trace stays small; later ones lie in huge pages.
class Arena {
 public:
  /// Not initialised; aligned to a cache line. At most a huge page.
  std::byte* take(std::size_t bytes) {
    constexpr std::size_t kLine = 64;
    bytes = (bytes + kLine - 1) / kLine * kLine;
    if (bytes > left_) return take_slowly(bytes);
    left_ -= bytes;
    return next_ += bytes, next_ - bytes;
  }
  /// The pages within a piece take up no memory until they are written again; what was in them is lost.
  static void give_back(void* piece, std::size_t bytes);

 private:
  struct Delete {
    void operator()(std::byte* data) const;
  };

  std::byte* take_slowly(std::size_t bytes);

  std::vector<std::unique_ptr<std::byte[], Delete>> single_;
  std::size_t single_bytes_ = 0;
  std::vector<MappedPages> regions_;
  std::byte* next_ = nullptr;  // in the newest region
  std::size_t left_ = 0;
};

// --- newest ----------------------------------------------------------------------------------------------------------
// A list of the newest values: beyond its capacity, a new value replaces the oldest.

/// Like a std::deque of which the oldest is removed, but without an allocation every few values: once there are many,
/// address space for all of them is reserved. Oldest first.
template <class T>
class Newest {
 public:
  explicit Newest(std::size_t capacity) : capacity_(capacity) {}

  void push_back(const T& value) {
    if (values_.size() < capacity_) {
      if (values_.size() == values_.capacity()) reserve_more(values_, capacity_);
      values_.push_back(value);
    } else if (capacity_ > 0) {
      values_[oldest_] = value;
      if (++oldest_ == capacity_) oldest_ = 0;
    }
  }

  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const T& operator[](std::size_t i) const { return values_[place(i)]; }
  T& operator[](std::size_t i) { return values_[place(i)]; }
  const T& front() const { return (*this)[0]; }
  const T& back() const { return (*this)[size() - 1]; }

  template <class List, class Value>
  class Iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Value*;
    using reference = Value&;

    Iterator() = default;
    Iterator(List& list, std::size_t i) : list_(&list), i_(static_cast<std::ptrdiff_t>(i)) {}

    reference operator*() const { return (*list_)[static_cast<std::size_t>(i_)]; }
    pointer operator->() const { return &**this; }
    reference operator[](difference_type n) const { return *(*this + n); }
    Iterator& operator++() { return *this += 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    Iterator& operator+=(difference_type n) {
      i_ += n;
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    friend Iterator operator+(Iterator it, difference_type n) { return it += n; }
    friend Iterator operator+(difference_type n, Iterator it) { return it += n; }
    friend Iterator operator-(Iterator it, difference_type n) { return it -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.i_ - b.i_; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }
    friend std::strong_ordering operator<=>(const Iterator& a, const Iterator& b) { return a.i_ <=> b.i_; }

   private:
    List* list_ = nullptr;
    std::ptrdiff_t i_ = 0;
  };
  using const_iterator = Iterator<const Newest, const T>;
  using iterator = Iterator<Newest, T>;

  const_iterator begin() const { return {*this, 0}; }
  const_iterator end() const { return {*this, size()}; }
  iterator begin() { return {*this, 0}; }
  iterator end() { return {*this, size()}; }
  auto rbegin() const { return std::make_reverse_iterator(end()); }
  auto rend() const { return std::make_reverse_iterator(begin()); }

 private:
  std::size_t place(std::size_t i) const {
    const std::size_t p = oldest_ + i;
    return p < values_.size() ? p : p - values_.size();
  }

  std::size_t capacity_;
  std::vector<T, HugePageAllocator<T>> values_;
  std::size_t oldest_ = 0;
};

// --- prefetch --------------------------------------------------------------------------------------------------------
// Asks for memory before it is read, where the next part is too far away for the processor to see it coming.

inline void prefetch(const void* begin, std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  const auto* const first = static_cast<const char*>(begin);
  for (std::size_t at = 0; at < bytes; at += kCacheLine) __builtin_prefetch(first + at);
  if (bytes > 0) __builtin_prefetch(first + bytes - 1);
}

}  // namespace lanescope::base
