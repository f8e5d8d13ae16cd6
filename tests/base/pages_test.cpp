#include "base/platform/system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace lanescope::base {
namespace {

constexpr std::size_t kBytes = std::size_t{8} << 20;

TEST(Pages, AreZerosAtAMultipleOfTheAlignment) {
  for (const std::size_t alignment : {std::size_t{1}, std::size_t{1} << 16, std::size_t{1} << 21}) {
    std::byte* const data = take_pages(kBytes, alignment);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % alignment, 0u);
    const std::span all(data, kBytes);
    EXPECT_TRUE(std::ranges::all_of(all, [](std::byte b) { return b == std::byte{0}; }));
    std::ranges::fill(all, std::byte{7});
    EXPECT_EQ(all.back(), std::byte{7});
    return_pages(data, kBytes);
  }
}

TEST(Pages, WhatIsNotWholeIsNotForgotten) {
  std::byte* const data = take_pages(kBytes);
  ASSERT_NE(data, nullptr);
  std::fill_n(data, kBytes, std::byte{7});
  forget_pages(data + 1, kBytes - 2);
  EXPECT_EQ(data[0], std::byte{7});
  EXPECT_EQ(data[kBytes - 1], std::byte{7});
  data[kBytes / 2] = std::byte{1};
  EXPECT_EQ(data[kBytes / 2], std::byte{1}) << "it can be used again";
  return_pages(data, kBytes);
}

}  // namespace
}  // namespace lanescope::base
