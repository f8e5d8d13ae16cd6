#include "model/source/memory_cap.h"

#include <gmock/gmock.h>

namespace lanescope::ui {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kGib = std::size_t{1} << 30;

TEST(MemoryCap, IsAQuarterOfTheMachineIfNothingWasChosen) {
  EXPECT_EQ(automatic_memory_cap(16 * kGib), 4 * kGib);
  EXPECT_EQ(automatic_memory_cap(0), kGib) << "not known";
  EXPECT_EQ(automatic_memory_cap(512 * kGib), 16 * kGib);
  EXPECT_EQ(memory_cap_of(kAutomaticMemory, 16 * kGib), 4 * kGib);
  EXPECT_EQ(memory_cap_of(0.5, 16 * kGib), 500'000'000u);
}

TEST(MemoryCap, TheChoicesLeaveHalfOfTheMachine) {
  EXPECT_THAT(memory_choices_gb(16 * kGib), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(memory_choices_gb(15 * kGib), ElementsAre(1, 2, 4, 8)) << "8 of 16.1";
  EXPECT_THAT(memory_choices_gb(0), ElementsAre(1));
  EXPECT_THAT(memory_choices_gb(2'000 * kGib), ElementsAre(1, 2, 4, 8, 16, 32, 64));
}

}  // namespace
}  // namespace lanescope::ui
