#include "base/huge_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lanescope::base {
namespace {

std::vector<int> all(const Newest<int>& list) { return {list.begin(), list.end()}; }

TEST(Newest, KeepsTheNewestOldestFirst) {
  Newest<int> list(3);
  EXPECT_TRUE(list.empty());
  list.push_back(1);
  list.push_back(2);
  EXPECT_EQ(all(list), (std::vector<int>{1, 2}));
  for (int i = 3; i <= 8; ++i) list.push_back(i);
  EXPECT_EQ(all(list), (std::vector<int>{6, 7, 8}));
  EXPECT_EQ(list.front(), 6);
  EXPECT_EQ(list.back(), 8);
  EXPECT_EQ(list[1], 7);
  EXPECT_EQ(std::vector<int>(list.rbegin(), list.rend()), (std::vector<int>{8, 7, 6}));
}

TEST(Newest, WithoutCapacityKeepsNothing) {
  Newest<int> list(0);
  list.push_back(1);
  EXPECT_TRUE(list.empty());
}

// 5,000 of 6,000: the oldest place is in the middle of the storage, and a search still finds its way.
TEST(Newest, IsSearchedInOrder) {
  Newest<std::int64_t> list(5000);
  for (std::int64_t i = 0; i < 6000; ++i) list.push_back(i * 10);
  const auto found = std::lower_bound(list.begin(), list.end(), std::int64_t{43'215});
  EXPECT_EQ(found - list.begin(), 4322 - 1000);
  EXPECT_EQ(*found, 43'220);
  list[0] = 7;
  EXPECT_EQ(list.front(), 7);
}

}  // namespace
}  // namespace lanescope::base
