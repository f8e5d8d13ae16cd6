// The search in a row compared with a linear search, on rows of various regularity.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <tuple>

#include "trace/trace.h"

namespace lanescope::trace {
namespace {

constexpr EventIndex kSearchEvents = 5 * kBlockEvents + 300;

// A row with gaps and durations from `next`, searched for many times in many stretches.
void check_against_looking(const std::function<Nanoseconds(std::mt19937_64&)>& next) {
  std::mt19937_64 random(7);
  Trace trace;
  Event event;
  event.lane = trace.add_lane({});
  std::vector<Nanoseconds> ends;
  for (EventIndex i = 0; i < kSearchEvents; ++i) {
    event.start_ns = event.end_ns + next(random);
    event.end_ns = event.start_ns + next(random);
    trace.append(event);
    ends.push_back(event.end_ns);
  }
  trace.publish();
  const Row& row = trace.lane(event.lane).row(0);
  ASSERT_EQ(row.last(), kSearchEvents);

  const auto looked_for = [&](Nanoseconds t, EventIndex from, EventIndex to) {
    EventIndex i = from;
    while (i < to && ends[i] <= t) ++i;
    return i;
  };
  std::uniform_int_distribution<EventIndex> any(0, kSearchEvents);
  for (int round = 0; round < 4'000; ++round) {
    EventIndex from = any(random), to = any(random);
    if (from > to) std::swap(from, to);
    if (round % 4 == 0) from = from / kBlockEvents * kBlockEvents;
    if (round % 5 == 0) to = std::max(from, to / kBlockEvents * kBlockEvents);
    // Mostly an instant at which something ends, or a nanosecond beside it.
    const EventIndex near = std::min(any(random), kSearchEvents - 1);
    const Nanoseconds t = round % 9 == 0 ? ends.back() + 5 : ends[near] + round % 3 - 1;
    ASSERT_EQ(row.first_ending_after(t, from, to), looked_for(t, from, to))
        << "t " << t << " in [" << from << ", " << to << ")";
  }
}

// A fold starts and ends where its events do, is as busy as they are, and leaves out less than a step of what would
// fit.
void check_fold(const Row& row, EventIndex first, Nanoseconds width) {
  const Fold fold = row.fold(first, width, row.last());
  EventIndex fits = first + 1;
  if (row.end(first) - row.start(first) < width) {
    while (fits < row.last() && row.end(fits) < row.start(first) + width) ++fits;
  }
  ASSERT_LE(fold.last, fits);
  ASSERT_GT(fold.last + (fold.last - first >= 4 * kSectionEvents ? kSectionEvents : kBusyStep), fits);
  if (fits - first < 4 * kBusyStep) {
    ASSERT_EQ(fold.last, fits);
  }
  ASSERT_EQ(fold.start, row.start(first));
  ASSERT_EQ(fold.end, row.end(fold.last - 1));
  Nanoseconds busy = 0, wait = 0;
  for (EventIndex i = first; i < fold.last; ++i) {
    busy += row.end(i) - row.start(i);
    wait += row.end(i) - row.start(i) - parts_of(row.event(i)).own;
  }
  ASSERT_EQ(fold.busy_ns, busy);
  ASSERT_EQ(row.wait_ns(first, fold.last), wait);
}

// The appearance of an event matches the event, even where it is stored separately.
TEST(Fold, KnowsHowItsFirstEventLooks) {
  Trace trace;
  Event event;
  event.lane = trace.add_lane({});
  for (std::uint32_t i = 0; i < 3 * kBlockEvents; ++i) {
    event.name = i % 1'000;
    event.kind = static_cast<EventKind>(i % 7);
    event.flags = static_cast<std::uint8_t>(i % 250);
    event.a = i * 3;
    trace.append(event);
  }
  trace.publish();
  const Row& row = trace.lane(event.lane).row(0);
  for (EventIndex i = 0; i < row.last(); ++i) {
    const Event looks = row.look(i), whole = row.event(i);
    ASSERT_EQ(std::tuple(looks.name, looks.kind, looks.flags, looks.a),
              std::tuple(whole.name, whole.kind, whole.flags, whole.a));
  }
}

TEST(Fold, IsExactInWhatItSaysAndCoarseOnlyInWhereItEnds) {
  std::mt19937_64 random(11);
  Trace trace;
  Event event;
  event.lane = trace.add_lane({});
  for (EventIndex i = 0; i < 4 * kBlockEvents + 77; ++i) {
    event.start_ns = event.end_ns + static_cast<Nanoseconds>(random() % 200 == 0 ? 5'000 : random() % 3);
    event.end_ns = event.start_ns + static_cast<Nanoseconds>(random() % 7);
    event.kind = EventKind::Call;
    event.flags = 0;
    if (event.duration() >= 4 && random() % 3 == 0) set_parts(event, {1, event.duration() - 3, 1, 1});
    trace.append(event);
    if (i % 1'000 == 0) trace.publish();
  }
  trace.publish();
  const Row& row = trace.lane(event.lane).row(0);
  for (const Nanoseconds width : {1, 3, 40, 500, 3'000, 20'000, 1'000'000'000}) {
    for (EventIndex first = 0; first < row.last(); first = row.fold(first, width, row.last()).last) {
      ASSERT_NO_FATAL_FAILURE(check_fold(row, first, width)) << "from " << first << ", " << width << " ns wide";
    }
  }
  for (int round = 0; round < 500; ++round) {
    const EventIndex first = random() % row.last();
    ASSERT_NO_FATAL_FAILURE(check_fold(row, first, static_cast<Nanoseconds>(random() % 30'000)));
  }
}

TEST(Search, FindsWhatLookingFindsInARegularRow) {
  check_against_looking([](std::mt19937_64&) { return 10; });
}

TEST(Search, FindsWhatLookingFindsInARandomRow) {
  check_against_looking([](std::mt19937_64& random) { return static_cast<Nanoseconds>(random() % 100); });
}

TEST(Search, FindsWhatLookingFindsWhereEventsComeInBursts) {
  check_against_looking([](std::mt19937_64& random) {
    return random() % 300 == 0 ? Nanoseconds{1'000'000'000} : static_cast<Nanoseconds>(random() % 3);
  });
}

TEST(Search, FindsWhatLookingFindsAmongInstants) {
  check_against_looking([](std::mt19937_64& random) { return random() % 50 == 0 ? Nanoseconds{1} : Nanoseconds{0}; });
}

TEST(Search, FindsWhatLookingFindsWhereTheStepsGrow) {
  Nanoseconds step = 1;
  check_against_looking([step](std::mt19937_64& random) mutable {
    if (random() % 100 == 0) step += step / 4 + 1;
    return step;
  });
}

}  // namespace
}  // namespace lanescope::trace
