#include "base/huge_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace lanescope::base {
namespace {

TEST(HugePages, BeginAtAHugePageAndCanBeWrittenToTheirEnd) {
  const std::size_t bytes = 2 * kHugePage + 5;
  const MappedPages pages = map_pages(bytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.get()) % kHugePage, 0u);
  pages[0] = std::byte{1};
  pages[bytes - 1] = std::byte{2};
  EXPECT_EQ(pages[bytes - 1], std::byte{2});
}

// What was given back serves the next caller who wants as much, unless somebody holds it.
TEST(HugePages, AreKeptForTheNextCaller) {
  constexpr std::size_t kRegion = 17 * kHugePage;
  const std::byte* first = map_pages(kRegion).get();  // given back at once
  const MappedPages again = map_pages(kRegion);
  EXPECT_EQ(again.get(), first);
  const MappedPages other = map_pages(kRegion);
  EXPECT_NE(other.get(), first);
}

// A few values at first, and then room for all: the vector moves only once.
TEST(HugePages, AVectorThatKnowsItsLimitMovesOnce) {
  std::vector<std::uint64_t, HugePageAllocator<std::uint64_t>> values;
  constexpr std::size_t kMost = 1'000'000;
  int moves = 0;
  for (std::size_t i = 0; i < kMost; ++i) {
    const std::uint64_t* before = values.data();
    if (values.size() == values.capacity()) reserve_more(values, kMost);
    values.push_back(i);
    moves += i > 0 && values.data() != before;
  }
  EXPECT_EQ(moves, 1);
  EXPECT_EQ(values[kMost - 1], kMost - 1);
}

}  // namespace
}  // namespace lanescope::base
