// The memory of a trace: taken piece by piece, given back all at once.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/huge_pages.h"

namespace lanescope::trace {

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
  std::vector<base::MappedPages> regions_;
  std::byte* next_ = nullptr;  // in the newest region
  std::size_t left_ = 0;
};

}  // namespace lanescope::trace
