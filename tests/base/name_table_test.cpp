#include "base/name_table.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace lanescope::base {
namespace {

TEST(NameTable, StartsWithTheTwoNamesThatAlwaysExist) {
  NameTable names;
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names.text(NameTable::kEmpty), "");
  EXPECT_EQ(names.text(NameTable::kOverflow), "(name table full)");
  EXPECT_EQ(names.intern(""), NameTable::kEmpty);
}

TEST(NameTable, StoresADistinctTextOnce) {
  NameTable names;
  const NameId launch = names.intern("cudaLaunchKernel");
  const NameId copy = names.intern("cudaMemcpyAsync");
  EXPECT_NE(launch, copy);
  EXPECT_EQ(names.intern(std::string("cudaLaunch") + "Kernel"), launch);
  EXPECT_EQ(names.text(launch), "cudaLaunchKernel");
  EXPECT_EQ(names.find("cudaMemcpyAsync"), copy);
  EXPECT_EQ(names.size(), 4u);
}

TEST(NameTable, UnknownIdsAndTextsAreEmpty) {
  NameTable names;
  EXPECT_EQ(names.text(2), "");
  EXPECT_EQ(names.text(NameTable::kCapacity + 5), "");
  EXPECT_EQ(names.find("never seen"), NameTable::kEmpty);
  EXPECT_EQ(names.size(), 2u);
}

TEST(NameTable, TextsStayWhereTheyAreWhenTheTableGrows) {
  NameTable names;
  const std::string_view early = names.text(names.intern("short"));
  for (int i = 0; i < 5'000; ++i) names.intern("name " + std::to_string(i));
  EXPECT_EQ(early, "short");
  EXPECT_EQ(names.text(names.find("short")).data(), early.data());
  EXPECT_EQ(names.text(names.find("name 4999")), "name 4999");
}

TEST(NameTable, WhatDoesNotFitIsCounted) {
  NameTable names;
  for (NameId i = 2; i < NameTable::kCapacity; ++i) names.intern(std::to_string(i));
  EXPECT_EQ(names.size(), NameTable::kCapacity);
  EXPECT_EQ(names.overflowed(), 0u);
  EXPECT_EQ(names.intern("one too many"), NameTable::kOverflow);
  EXPECT_EQ(names.intern("and another"), NameTable::kOverflow);
  EXPECT_EQ(names.overflowed(), 2u);
  EXPECT_EQ(names.intern("777"), 777u);  // known names are still found
}

TEST(NameTable, ReadersNeedNoLock) {
  NameTable names;
  constexpr NameId kLast = 20'000;
  std::thread writer([&] {
    for (NameId i = 2; i < kLast; ++i) names.intern("n" + std::to_string(i));
  });
  NameId seen = 0;
  bool all_right = true;
  while (seen < kLast) {
    seen = names.size();
    all_right = all_right && (seen <= 2 || names.text(seen - 1) == "n" + std::to_string(seen - 1));
  }
  writer.join();
  EXPECT_TRUE(all_right);
}

}  // namespace
}  // namespace lanescope::base
