#include "cuda_backend/mean_slots.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace lanescope::cuda_backend {
namespace {

device::cuda::StreamHandle stream(std::uintptr_t number) {
  return reinterpret_cast<device::cuda::StreamHandle>(number * 16);
}

TEST(MeanSlots, GiveEveryStreamItsOwn) {
  MeanSlots slots;
  std::set<unsigned> given;
  for (std::uintptr_t i = 0; i < kMeanSlots; ++i) given.insert(slots.slot_of(0, stream(i)));
  EXPECT_EQ(given.size(), kMeanSlots);
  EXPECT_EQ(*given.rbegin(), kMeanSlots - 1);
  EXPECT_EQ(slots.slot_of(0, stream(5)), slots.slot_of(0, stream(5)));
  EXPECT_EQ(slots.slot_of(0, stream(1000)), kNoMeanSlot) << "none is left";
  EXPECT_LT(slots.slot_of(1, stream(1000)), kMeanSlots) << "another GPU has its own";
}

TEST(MeanSlots, AreGivenAgainAfterTheirRelease) {
  MeanSlots slots;
  for (std::uintptr_t i = 0; i < kMeanSlots; ++i) slots.slot_of(0, stream(i));
  const unsigned freed = slots.slot_of(0, stream(7));
  EXPECT_TRUE(slots.has_slot(0, stream(7)));
  slots.release(0, stream(7));
  slots.release(0, stream(7));
  EXPECT_FALSE(slots.has_slot(0, stream(7)));
  EXPECT_EQ(slots.slot_of(0, stream(1000)), freed);
  slots.slot_of(1, stream(3));
  slots.release_all(0);
  EXPECT_FALSE(slots.has_slot(0, stream(1000)));
  EXPECT_TRUE(slots.has_slot(1, stream(3)));
  EXPECT_EQ(slots.slot_of(0, stream(1)), 0u);
}

}  // namespace
}  // namespace lanescope::cuda_backend
