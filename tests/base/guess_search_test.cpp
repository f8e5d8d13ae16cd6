#include "base/guess_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace lanescope::base {
namespace {

// The same as std::upper_bound, on regular, random and clustered values, in any stretch of them.
TEST(GuessSearch, FindsWhatASearchByHalvesFinds) {
  std::mt19937_64 random(5);
  for (const std::uint64_t spread : {1u, 3u, 1'000u, 0u}) {
    std::vector<std::int64_t> values;
    std::int64_t now = -(std::int64_t{1} << 61);
    for (int i = 0; i < 3'000; ++i) {
      now += spread == 0 ? (random() % 100 == 0 ? std::int64_t{1} << 40 : 1)
                         : static_cast<std::int64_t>(random() % spread);
      values.push_back(now);
    }
    for (int round = 0; round < 5'000; ++round) {
      std::size_t from = random() % (values.size() + 1), to = random() % (values.size() + 1);
      if (from > to) std::swap(from, to);
      const std::int64_t t = values[random() % values.size()] + static_cast<std::int64_t>(random() % 3) - 1;
      const auto begin = values.begin();
      const auto wanted =
          std::upper_bound(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to), t) -
          begin;
      ASSERT_EQ(first_above(from, to, t, [&](std::size_t i) { return values[i]; }), static_cast<std::size_t>(wanted));
    }
    EXPECT_EQ(first_above(0, values.size(), std::numeric_limits<std::int64_t>::max(),
                          [&](std::size_t i) { return values[i]; }),
              values.size());
  }
}

// The same wherever the search starts, also outside the stretch; near the guess it reads only a few values.
TEST(GuessSearch, MayStartAnywhere) {
  std::mt19937_64 random(6);
  std::vector<std::int64_t> values;
  for (int i = 0; i < 500; ++i) values.push_back(static_cast<std::int64_t>(random() % 300));
  std::sort(values.begin(), values.end());
  for (int round = 0; round < 20'000; ++round) {
    std::size_t from = random() % (values.size() + 1), to = random() % (values.size() + 1);
    if (from > to) std::swap(from, to);
    const std::int64_t t = static_cast<std::int64_t>(random() % 304) - 2;
    const auto begin = values.begin();
    const auto wanted = static_cast<std::size_t>(
        std::upper_bound(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to), t) -
        begin);
    int reads = 0;
    const auto value = [&](std::size_t i) {
      EXPECT_TRUE(i >= from && i < to);
      ++reads;
      return values[i];
    };
    ASSERT_EQ(first_above_near(random() % 600, from, to, t, value), wanted) << from << ' ' << to << ' ' << t;
    reads = 0;
    ASSERT_EQ(first_above_near(wanted, from, to, t, value), wanted);
    EXPECT_LE(reads, 4);
  }
}

// Regular values are found in a few steps, however many there are.
TEST(GuessSearch, LooksSeldom) {
  int looks = 0;
  const auto value = [&](std::size_t i) {
    ++looks;
    return static_cast<std::int64_t>(i) * 1'000 + static_cast<std::int64_t>(i * 7 % 13);
  };
  EXPECT_EQ(first_above(0, 100'000'000, 77'777'777'020, value), 77'777'778u);
  EXPECT_LT(looks, 12);
}

}  // namespace
}  // namespace lanescope::base
