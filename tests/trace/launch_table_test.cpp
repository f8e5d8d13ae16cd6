#include "trace/side_tables.h"

#include <gtest/gtest.h>

namespace lanescope::trace {
namespace {

LaunchShape shape(std::uint32_t blocks) {
  LaunchShape s;
  s.grid = {blocks, 1, 1};
  s.block = {128, 1, 1};
  return s;
}

TEST(LaunchTable, EqualShapesHaveOneNumber) {
  LaunchTable table;
  EXPECT_EQ(table.intern({}), LaunchTable::kNone) << "nothing is known of it";
  const auto first = table.intern(shape(1));
  const auto second = table.intern(shape(2));
  EXPECT_NE(first, second);
  EXPECT_EQ(table.intern(shape(1)), first);
  EXPECT_EQ(table.find(first), shape(1));
  EXPECT_EQ(table.find(second), shape(2));
}

TEST(LaunchTable, UnknownNumbersHaveNoShape) {
  LaunchTable table;
  const auto only = table.intern(shape(1));
  for (const std::uint32_t number : {LaunchTable::kNone, LaunchTable::kOverflow, only + 1, ~0u}) {
    EXPECT_FALSE(table.find(number).has_value()) << number;
  }
}

TEST(LaunchTable, WhenItIsFullWhatItHasStays) {
  LaunchTable table;
  std::uint32_t last = 0, blocks = 0;
  for (std::uint32_t number = 0; number != LaunchTable::kOverflow; number = table.intern(shape(++blocks)))
    last = number;
  EXPECT_EQ(last, LaunchTable::kCapacity - 1);
  EXPECT_EQ(table.intern(shape(1)), 2u);
  EXPECT_EQ(table.find(last), shape(blocks - 1));
}

}  // namespace
}  // namespace lanescope::trace
