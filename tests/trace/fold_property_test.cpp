// Properties of the fold of any row at any zoom, from one nanosecond to hours: nothing lost, nothing invented.
#include <gtest/gtest.h>

#include <random>

#include "trace/trace.h"

namespace lanescope::trace {
namespace {

constexpr Nanoseconds kHour = Nanoseconds{3'600} * 1'000'000'000;
constexpr EventIndex kEvents = 6 * kBlockEvents + 500;

// The shape of a row: lengths and gaps as powers of two up to these, with instants in between.
struct Kind {
  const char* name;
  int length_bits, gap_bits;
  std::uint64_t instants;  // one in this many
  Nanoseconds origin;
};

class AnyRow : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    const Kind kind = GetParam();
    std::mt19937_64 random(kind.length_bits * 131 + kind.gap_bits);
    const auto any = [&](int bits) {
      const std::uint64_t most = std::uint64_t{1} << (bits == 0 ? 0 : random() % static_cast<std::uint64_t>(bits + 1));
      return static_cast<Nanoseconds>(random() % (most + 1));
    };
    Event event;
    event.lane = trace.add_lane({});
    event.end_ns = kind.origin;
    for (EventIndex i = 0; i < kEvents; ++i) {
      event.start_ns = event.end_ns + any(kind.gap_bits);
      event.end_ns = event.start_ns + (random() % kind.instants == 0 ? 0 : any(kind.length_bits));
      trace.append(event);
    }
    trace.publish();
    for (Nanoseconds width = 1; width < 10 * kHour; width = width * 7 + 1) widths.push_back(width);
  }
  const Row& row() const { return trace.lane(0).row(0); }

  // All folds of the row from `first` on, as a lane is drawn.
  template <typename Look>
  void each_fold(EventIndex first, Nanoseconds width, Look&& look) {
    for (EventIndex i = first; i < row().last();) {
      const Fold fold = row().fold(i, width, row().last());
      ASSERT_GT(fold.last, i);
      look(i, fold);
      if (HasFatalFailure()) return;
      i = fold.last;
    }
  }

  Trace trace;
  std::vector<Nanoseconds> widths;
};

TEST_P(AnyRow, NothingIsLostAndTheOrderIsKept) {
  for (const Nanoseconds width : widths) {
    EventIndex next = 0;
    Nanoseconds end = row().start(0);
    each_fold(0, width, [&](EventIndex first, const Fold& fold) {
      ASSERT_EQ(first, next);
      ASSERT_LE(fold.last, row().last());
      ASSERT_GE(fold.start, end) << "folds do not overlap";
      next = fold.last;
      end = fold.end;
    });
    ASSERT_EQ(next, row().last()) << width << " ns wide";
  }
}

TEST_P(AnyRow, NoBusyTimeIsInvented) {
  for (const Nanoseconds width : widths) {
    Nanoseconds all = 0;
    each_fold(0, width, [&](EventIndex first, const Fold& fold) {
      Nanoseconds busy = 0;
      for (EventIndex i = first; i < fold.last; ++i) busy += row().end(i) - row().start(i);
      ASSERT_EQ(fold.busy_ns, busy);
      ASSERT_EQ(fold.start, row().start(first));
      ASSERT_EQ(fold.end, row().end(fold.last - 1));
      ASSERT_LE(fold.busy_ns, fold.end - fold.start);
      ASSERT_GE(fold.busy_ns, 0);
      all += fold.busy_ns;
    });
    ASSERT_EQ(all, row().busy_ns(0, row().last()));
  }
}

TEST_P(AnyRow, WhatIsWideEnoughIsSeenAlone) {
  for (const Nanoseconds width : widths) {
    each_fold(0, width, [&](EventIndex first, const Fold& fold) {
      if (fold.last - first == 1) return;
      ASSERT_LT(fold.end - fold.start, width);
      for (EventIndex i = first; i < fold.last; ++i) ASSERT_LT(row().end(i) - row().start(i), width);
    });
  }
}

// Short folds are found event by event; only long ones may end with a step of the summaries.
TEST_P(AnyRow, AShortFoldHoldsAllThatFits) {
  for (const Nanoseconds width : widths) {
    each_fold(0, width, [&](EventIndex first, const Fold& fold) {
      if (fold.last - first >= 4 * kBusyStep || fold.last == row().last()) return;
      ASSERT_GE(row().end(fold.last) - fold.start, width) << fold.last - first << " events";
    });
  }
}

// The cost of a picture depends on its columns: two consecutive folds are together wider than the maximum for one,
// except for a step of the summaries.
TEST_P(AnyRow, ThereAreNotMoreFoldsThanColumns) {
  const Nanoseconds span = row().end(row().last() - 1) - row().start(0);
  for (const Nanoseconds width : widths) {
    std::uint64_t folds = 0;
    each_fold(0, width, [&](EventIndex, const Fold&) { ++folds; });
    EXPECT_LE(folds / 3, static_cast<std::uint64_t>(span / width) + kEvents / (4 * kBusyStep)) << width << " ns wide";
  }
}

// After scrolling anywhere, the same holds for the rest.
TEST_P(AnyRow, FromAnywhere) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const Nanoseconds width = widths[random() % widths.size()];
    const EventIndex first = random() % row().last();
    const EventIndex to = first + 1 + random() % (row().last() - first);
    const Fold fold = row().fold(first, width, to);
    ASSERT_GT(fold.last, first);
    ASSERT_LE(fold.last, to);
    ASSERT_EQ(fold.busy_ns, row().busy_ns(first, fold.last));
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, AnyRow,
                         testing::Values(Kind{"Dense", 3, 0, 5, 0}, Kind{"Instants", 1, 2, 1, 0},
                                         Kind{"Calls", 12, 10, 50, -5'000'000}, Kind{"Bursts", 4, 34, 9, 1'000},
                                         Kind{"Hours", 30, 30, 100, 0},
                                         Kind{"FarAway", 10, 10, 20, Nanoseconds{1} << 61},
                                         Kind{"LongAgo", 20, 14, 20, -(Nanoseconds{1} << 61)}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace lanescope::trace
