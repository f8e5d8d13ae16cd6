// The rows of "Where the GPU idles" change only where it matters.
#include "model/advice/idle_places.h"

#include <gtest/gtest.h>

namespace lanescope::ui {
namespace {

analysis::IdleLedger of(std::initializer_list<std::pair<const char*, Nanoseconds>> rows) {
  analysis::IdleLedger ledger;
  ledger.span_ns = 10'000;
  for (const auto& [place, ns] : rows) {
    analysis::IdleRow& row = ledger.rows.emplace_back();
    row.place = place;
    row.idle_ns = ns;
    ledger.idle_ns += ns;
  }
  return ledger;
}

// 1,000 ns may become 1,050; 10 may become 20, because a hundredth of all is 10.
TEST(IdlePlaces, ChangeByMoreThanATwentieth) {
  const auto shown = of({{"a", 1000}, {"b", 10}});
  EXPECT_FALSE(worth_showing(shown, of({{"a", 1050}, {"b", 10}})));
  EXPECT_TRUE(worth_showing(shown, of({{"a", 1052}, {"b", 10}})));
  EXPECT_FALSE(worth_showing(shown, of({{"a", 1000}, {"b", 20}})));
  EXPECT_FALSE(worth_showing(shown, of({{"b", 20}, {"a", 1000}}))) << "the order alone is no news";
  EXPECT_TRUE(worth_showing(shown, of({{"a", 1000}, {"c", 10}})));
  EXPECT_TRUE(worth_showing(shown, of({{"a", 1000}})));
}

TEST(IdlePlaces, TheFirstAreShown) { EXPECT_TRUE(worth_showing({}, of({{"a", 1}}))); }

}  // namespace
}  // namespace lanescope::ui
