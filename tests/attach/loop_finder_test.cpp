#include "attach/loop_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

namespace lanescope::attach {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// Plays a program: functions are numbers, a place is an offset in one.
class Program {
 public:
  void call(std::uint32_t offset) {
    places_.back().offset = offset;
    places_.back().loops = loops;
    std::vector<FramePlace> stack(places_.rbegin(), places_.rend());
    for (FramePlace& place : stack) {
      place.frame = place.code * 1000 + place.offset;
      place.own = own;
      place.read = read;
      place.epochs = epoch ? 1 : 0;
    }
    now_ += 10;
    again.push_back(finder.add(now_, stack, true, alone, launches));
    LoopWatch::Call made{now_, now_ + 5, api, site, always, recorded, alone, launches};
    for (const LoopWatch::Iteration& iteration : watch.add(made, stack)) iterations.push_back(iteration);
  }
  /// By this API, at this site.
  void call(std::uint32_t offset, std::uint32_t by, std::uint32_t at, bool watched_always = false) {
    api = by;
    site = at;
    always = watched_always;
    call(offset);
  }
  template <typename Body>
  void function(std::uint32_t code, std::uint32_t from, Body&& body) {
    if (!places_.empty()) {
      places_.back().offset = from;
      places_.back().loops = loops;
    }
    places_.push_back({code, 0, 0, {}});
    body();
    places_.pop_back();
  }
  /// A loop in main.
  template <typename Body>
  void loop(int rounds, Body&& body) {
    function(1, 0, [&] {
      for (int i = 0; i < rounds; ++i) body(i);
    });
  }
  void rest(Nanoseconds ns) { now_ += ns; }

  std::span<const LoopWatch::Iteration> since(std::size_t first) const { return std::span(iterations).subspan(first); }

  LoopFinder finder;
  LoopWatch watch{0};
  std::array<std::uint32_t, 4> loops{};  // the lines of those around the next call
  std::vector<std::optional<LoopKey>> again;
  std::vector<LoopWatch::Iteration> iterations;
  std::uint32_t api = 1, site = 0;
  bool always = false, recorded = true, alone = false, own = false, launches = true, read = false, epoch = false;

 private:
  std::vector<FramePlace> places_;
  Nanoseconds now_ = 0;
};

void expect_lengths(std::span<const LoopWatch::Iteration> iterations, Nanoseconds each) {
  for (const LoopWatch::Iteration& i : iterations) EXPECT_EQ(i.end_ns - i.start_ns, each);
}

// main (1): for it in range(n): forward (2, at 10): two launches; loss.backward() at 20; step() at 30
void train(Program& p, int rounds) {
  p.loop(rounds, [&](int) {
    p.function(2, 10, [&] {
      p.call(1);
      p.call(2);
    });
    p.call(20);
    p.call(30);
  });
}

TEST(LoopFinder, FindsAPlainLoopWithItsCallsPerRound) {
  Program p;
  train(p, 10);
  const auto loops = p.finder.loops();
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0].key, (LoopKey{0, 1}));
  EXPECT_EQ(loops[0].rounds, 9u);  // it begins again nine times
  EXPECT_EQ(loops[0].calls, 4u);
  EXPECT_EQ(loops[0].round_ns, 40);
  EXPECT_EQ(loops[0].frame, 1010u);  // the first statement of the body with a call
  EXPECT_EQ(p.finder.iteration(), (LoopKey{0, 1}));
}

// Line 1: for batch: line 2: for part in range(4): forward at 10, backward at 20; step at 30. The calls alone would fit
// one loop with a step every fourth time as well.
TEST(LoopFinder, LoopsInOneFunctionAreToldApartByTheirLines) {
  Program p;
  p.loop(10, [&](int) {
    for (int part = 0; part < 4; ++part) {
      p.loops = {1, 2};
      p.call(10);
      p.call(20);
    }
    p.loops = {1};
    p.call(30);
  });
  EXPECT_EQ(p.finder.iteration(), (LoopKey{0, 1, false, 1}));
  const auto loops = p.finder.loops();
  ASSERT_THAT(loops, SizeIs(2));
  EXPECT_EQ(loops[0].key.head, 1u);
  EXPECT_EQ(loops[0].rounds, 9u);
  EXPECT_EQ(loops[0].calls, 9u);
  EXPECT_EQ(loops[1].key.head, 2u);
  EXPECT_EQ(loops[1].rounds, 30u);  // three in each
}

// Line 1: for batch: forward at 10, step at 15; if batch % 5 == 0: a read at 20.
TEST(LoopFinder, AStatementThatIsNotAlwaysThereIsNoLoop) {
  Program p;
  p.loop(20, [&](int i) {
    p.loops = {1};
    p.call(10);
    p.call(15);
    if (i % 5 == 0) p.call(20);
  });
  const auto loops = p.finder.loops();
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0].key, (LoopKey{0, 1, false, 1}));
  EXPECT_EQ(loops[0].rounds, 19u);
}

// def train_step(): one call a line; for x in dl: train_step(x)
TEST(LoopFinder, OneCallPerLine) {
  Program p;
  p.loop(30, [&](int) { p.function(2, 10, [&] { p.call(1); }); });
  // The stacks are equal, so the deepest frame counts; no other is known.
  const auto loops = p.finder.loops();
  ASSERT_THAT(loops, SizeIs(1));
  EXPECT_EQ(loops[0].rounds, 29u);
  EXPECT_EQ(loops[0].calls, 1u);
}

// for epoch: epoch(); def epoch(): for b: step(), with layers inside: steps are the iteration.
TEST(LoopFinder, EpochsBatchesAndLayers) {
  Program p;
  p.loop(5, [&](int) {
    p.function(2, 10, [&] {
      for (int batch = 0; batch < 10; ++batch) {
        p.function(3, 10, [&] {
          for (int layer = 0; layer < 4; ++layer)
            p.function(4, 10, [&] {
              p.call(1);
              p.call(2);
            });
          p.call(20);
        });
        p.rest(base::kSecond);
      }
    });
  });
  // A step that is called again from the same place looks like a loop in the step itself: 5 * 10 - 1 returns to its
  // beginning. A layer likewise: 3 in each step.
  const auto loops = p.finder.loops();
  ASSERT_THAT(loops, SizeIs(2));
  EXPECT_EQ(loops[0].key, (LoopKey{2, 3}));
  EXPECT_EQ(loops[0].rounds, 49u);
  EXPECT_EQ(loops[0].calls, 9u);  // four layers with two calls, and one
  EXPECT_EQ(loops[0].frame, 3010u);
  EXPECT_EQ(loops[0].caller, 2010u);  // the loop's own statement is around the call
  EXPECT_EQ(loops[1].key, (LoopKey{3, 4}));
  EXPECT_EQ(loops[1].rounds, 150u);
  EXPECT_EQ(p.finder.iteration(), (LoopKey{2, 3}));
}

// for epoch: (validate; for batch: forward; step): both loops in one frame. The rounds are batches.
TEST(LoopFinder, NestedLoopsInOneFunctionCountTheInnerOnes) {
  Program p;
  p.loop(3, [&](int) {
    p.call(5);
    for (int batch = 0; batch < 10; ++batch) {
      p.call(10);
      p.call(20);
    }
  });
  ASSERT_THAT(p.finder.loops(), SizeIs(1));
  EXPECT_EQ(p.finder.loops()[0].rounds, 29u);
}

// An evaluation every fourth round, before the rest, is part of that round.
TEST(LoopFinder, ConditionalWorkDoesNotSplitTheLoop) {
  Program p;
  p.loop(20, [&](int i) {
    if (i % 4 == 0) {
      p.function(5, 5, [&] {
        for (int k = 0; k < 5; ++k) p.call(1);
      });
    }
    p.call(10);
    p.call(20);
  });
  EXPECT_EQ(p.finder.iteration(), (LoopKey{0, 1}));
  EXPECT_EQ(p.finder.loops()[0].rounds, 19u);
}

// for: launch at 10; loss.item() at 20, which copies and synchronises from the same place. The loop is the one around
// both.
TEST(LoopFinder, AStatementWithTwoCallsIsNoLoop) {
  Program p;
  p.loop(10, [&](int) {
    p.call(10);
    p.call(20);
    p.call(20);
  });
  EXPECT_EQ(p.finder.iteration(), (LoopKey{0, 1, false}));
  const auto loops = p.finder.loops();
  ASSERT_THAT(loops, SizeIs(2));
  EXPECT_EQ(loops[0].rounds, 9u);
  EXPECT_EQ(loops[0].calls, 3u);
  EXPECT_TRUE(loops[1].key.repeat);
}

// for (at line 30): graph.replay(), which launches the graph from a function of its own; every fifth time a read. Each
// launch is a round: 19 after the first of 20, the same loop with and without a read in between. One launch a round
// makes it the anchor.
TEST(LoopFinder, EachLaunchOfAGraphIsARound) {
  Program p;
  p.loop(20, [&](int i) {
    p.loops = {30};
    p.function(2, 10, [&] {
      p.loops = {};
      p.alone = true;
      p.call(7, 1, 11, true);
    });
    p.alone = false;
    p.loops = {30};
    if (i % 5 == 4) p.call(20, 2, 12, true);
  });
  EXPECT_EQ(p.finder.iteration(), (LoopKey{0, 1, false, 30}));
  EXPECT_EQ(p.finder.loops()[0].rounds, 19u);
  EXPECT_EQ(p.watch.anchor(), (LoopWatch::Anchor{1, 11, true}));
}

TEST(LoopFinder, AStraightProgramHasNone) {
  Program p;
  p.function(1, 0, [&] {
    for (std::uint32_t line = 1; line < 50; ++line) p.call(line);
  });
  EXPECT_FALSE(p.finder.iteration());
  EXPECT_THAT(p.finder.loops(), SizeIs(0));
}

TEST(LoopWatch, IterationsBeginWithTheFirstCallAfterTheBackEdge) {
  Program p;
  train(p, 20);  // calls at 10, 20, ...; a round of four begins at 10, 50, 90, 130, 170, ...
  // The loop is known after its third return, at 130; its first was at 50. For twelve rounds it waits for an anchor.
  ASSERT_FALSE(p.iterations.empty());
  EXPECT_EQ(p.iterations[0].start_ns, 50);
  EXPECT_EQ(p.iterations[0].end_ns, 90);
  EXPECT_THAT(p.iterations, SizeIs(18));  // 50, 90, ..., 770
}

// A loop that ends before it is settled: its iterations are known at the program's end.
TEST(LoopWatch, AShortProgramHasIterations) {
  Program p;
  p.watch = LoopWatch(base::kSecond);
  train(p, 8);
  EXPECT_THAT(p.iterations, SizeIs(0));
  EXPECT_EQ(p.watch.undecided_since(0), 10);
  const auto found = p.watch.finish();
  ASSERT_THAT(found, SizeIs(6));
  EXPECT_EQ(found[0].start_ns, 50);
  EXPECT_EQ(found[5].end_ns, 290);
  EXPECT_FALSE(p.watch.undecided_since(0));
  EXPECT_THAT(p.watch.finish(), SizeIs(0));
}

// Bursts of four rounds (two launches and a copy, which is always watched; rounds begin at 10, 40, 70, ...), each
// followed by four rounds of which only the copy is seen. The first burst, until 120, makes the loop known, with two
// whole rounds; the third one that an anchor needs is in the second, from 250. Then all 24 copies count: the first one
// returned at 35.
TEST(LoopWatch, IterationsFromBeforeTheAnchorCount) {
  Program p;
  p.loop(24, [&](int i) {
    if (i % 4 == 0) {
      p.recorded = i % 8 == 0;
      p.watch.recording_changed();
    }
    if (!p.recorded) p.rest(20);
    if (p.recorded) p.call(10, 1, 1);
    if (p.recorded) p.call(20, 1, 2);
    p.call(30, 2, 3, true);
  });
  ASSERT_TRUE(p.watch.anchor());
  ASSERT_FALSE(p.iterations.empty());
  EXPECT_EQ(p.iterations.front().start_ns, 35);
  EXPECT_EQ(p.iterations.back().end_ns, 24 * 30 + 5);
  EXPECT_THAT(p.iterations, SizeIs(23));
  expect_lengths(p.iterations, 30);
}

// A few reads while the program is set up, then a pause, then the loop. What comes after the pause does not settle the
// reads' loop. That of the training is known at its third return, at 2130, and settled 50 later by the one at 2210; its
// first round, from 2050, counts.
TEST(LoopWatch, APauseDoesNotSettleALoop) {
  Program p;
  p.watch = LoopWatch(50);
  p.function(1, 0, [&] {
    for (int i = 0; i < 6; ++i)
      p.function(3, 5, [&] {
        p.call(1);
        p.call(2);
      });
  });
  p.rest(1880);
  EXPECT_THAT(p.iterations, SizeIs(0));
  train(p, 20);
  ASSERT_FALSE(p.iterations.empty());
  EXPECT_EQ(p.iterations[0].start_ns, 2050);
  EXPECT_EQ(p.iterations.back().end_ns, 2010 + 19 * 40);
}

// A loop of the user's is settled by its hundredth round after it is known (four calls of 10 each): at its third
// return, at 130, and so at 130 + 100 * 40; then twelve more may bring an anchor. One in a library is not.
TEST(LoopWatch, ManyRoundsSettleALoopOfTheUsers) {
  for (const bool own : {true, false}) {
    Program p;
    p.own = own;
    p.watch = LoopWatch(base::kSecond);
    train(p, 104 + 12);
    EXPECT_THAT(p.iterations, SizeIs(own ? 114 : 0));
  }
}

// In the first iteration, from 110 to 1730, a statement compiles 16 kernels, one after another. Its calls are no
// iterations; the loop's are known from when it first begins again.
TEST(LoopWatch, AStatementThatCompilesIsNoLoop) {
  Program p;
  p.watch = LoopWatch(1000);
  p.loop(50, [&](int i) {
    if (i == 0) p.rest(100);
    p.call(10);
    for (int k = 0; k < (i == 0 ? 16 : 1); ++k) {
      if (i == 0) p.rest(90);
      p.call(20);
    }
    p.call(30);
  });
  ASSERT_FALSE(p.iterations.empty());
  EXPECT_EQ(p.iterations[0].start_ns, 1730);
  expect_lengths(p.iterations, 30);
}

// A library sets up its buffers in 50 rounds of four calls, 2000 in all, and launches nothing; that is no iteration.
// Those of the training, which are settled after 1000, are known from the first one on, at 2050; what the library does
// when all is over has no iterations either, and the training's loop stays the one that is counted.
TEST(LoopWatch, ALoopWithoutLaunchesIsNoIteration) {
  Program p;
  p.watch = LoopWatch(1000);
  p.launches = false;
  p.function(1, 0, [&] { p.function(4, 5, [&] { train(p, 50); }); });
  p.launches = true;
  train(p, 50);
  ASSERT_FALSE(p.iterations.empty());
  EXPECT_EQ(p.iterations[0].start_ns, 2050);
  EXPECT_THAT(p.iterations, SizeIs(48));
  const auto counted = p.watch.counted();
  p.launches = false;
  p.function(1, 0, [&] { p.function(4, 40, [&] { train(p, 50); }); });
  EXPECT_THAT(p.iterations, SizeIs(48));
  EXPECT_EQ(p.watch.counted(), counted);
}

// Where only what blocks is watched, launches are not seen; that does not keep a loop from being the iteration. It is
// settled after 1000 of the 2000, and kept from its second round on.
TEST(LoopWatch, LaunchesThatAreNotWatchedMayBeThere) {
  Program p;
  p.watch = LoopWatch(1000);
  p.recorded = p.launches = false;
  p.always = true;
  train(p, 50);
  EXPECT_THAT(p.iterations, SizeIs(testing::Ge(40u)));
}

// A program that runs ahead of the GPU: twenty rounds of 40, then it is stopped for 4000, which are more than twenty
// rounds. From the second time on, that is known not to be the end. 200 rounds are 198 whole iterations after the
// first.
TEST(LoopWatch, BeingStoppedNowAndThenIsNotTheEnd) {
  Program p;
  p.watch = LoopWatch(1000);
  p.loop(200, [&](int i) {
    for (const std::uint32_t line : {10, 20, 30, 40}) p.call(line);
    if (i % 20 == 19) p.rest(4000);
  });
  EXPECT_THAT(p.iterations, SizeIs(198));
}

// A statement of an iteration waits for 4000 once, a hundred rounds of 40, and more of its calls follow: the loop has
// not ended. Ten rounds are nine whole iterations after the first, and eight after the one that settles it.
TEST(LoopWatch, OneLongCallIsNotTheEnd) {
  Program p;
  p.watch = LoopWatch(100);
  p.loop(20, [&](int i) {
    p.call(10);
    if (i == 10) p.rest(4000);
    for (const std::uint32_t line : {20, 30, 40}) p.call(line);
    EXPECT_TRUE(i < 4 || p.watch.loop().has_value()) << i;
  });
  EXPECT_THAT(p.iterations, SizeIs(18));
}

// As DistributedDataParallel waits in its first ten iterations, and in every hundredth afterwards: a call that is
// always watched, and comes once in a round. When three rounds have passed without it, another one is the anchor: a
// launch of a rare kind.
TEST(LoopWatch, AnAnchorThatNoLongerComesIsReplaced) {
  Program p;
  const auto round = [&](bool waits) {
    if (waits) {
      p.call(10, 1, 11, true);
    }
    p.call(20, 2, 22);
    for (const std::uint32_t line : {30, 40}) p.call(line, 3, 33);
    p.rest(300'000);
  };
  p.function(1, 0, [&] {
    for (int i = 0; i < 10; ++i) round(true);
    ASSERT_TRUE(p.watch.anchor());
    EXPECT_EQ(*p.watch.anchor(), (LoopWatch::Anchor{1, 11, true}));
    for (int i = 0; i < 10; ++i) round(false);
    ASSERT_TRUE(p.watch.anchor());
    EXPECT_EQ(*p.watch.anchor(), (LoopWatch::Anchor{2, 22, false}));
    const std::size_t before = p.iterations.size();
    for (int i = 0; i < 100; ++i) round(i == 50);
    EXPECT_EQ(p.iterations.size(), before + 100);
    EXPECT_EQ(*p.watch.anchor(), (LoopWatch::Anchor{2, 22, false}));
  });
  for (const LoopWatch::Iteration& iteration : p.iterations) EXPECT_LT(iteration.end_ns - iteration.start_ns, 400'000);
}

// Until the library watches it, the anchor is not seen between bursts: the first iteration across a gap is unknown.
// An anchor that is found late leaves no hole: the iteration in which it is found ends where it returns.
TEST(LoopWatch, ALateAnchorLeavesNoHole) {
  Program p;
  p.loop(30, [&](int i) {
    p.call(10, 1, 1);
    p.call(20, 2, i < 20 ? 0 : 2, true);  // its place is not known at first
    if (i < 20) p.call(30, 1, static_cast<std::uint32_t>(100 + i));
    if (i < 20) p.call(40, 1, 1);
  });
  ASSERT_TRUE(p.watch.anchor());
  ASSERT_FALSE(p.iterations.empty());
  for (std::size_t i = 1; i < p.iterations.size(); ++i)
    EXPECT_EQ(p.iterations[i].start_ns, p.iterations[i - 1].end_ns) << i;
  EXPECT_EQ(p.iterations.back().end_ns, 20 * 40 + 10 * 20 + 5);
}

TEST(LoopWatch, ANewAnchorMayNotBeWatchedYet) {
  Program p;
  const auto round = [&] {
    p.call(20, 2, 22);
    if (p.recorded) p.call(30, 3, 33);
    p.rest(300'000);
  };
  p.function(1, 0, [&] {
    for (int i = 0; i < 8; ++i) round();
    ASSERT_TRUE(p.watch.anchor());
    p.watch.recording_changed();
    p.recorded = false;
    p.rest(3'000'000);  // ten rounds, unseen
    for (int i = 0; i < 5; ++i) round();
    p.watch.recording_changed();
    p.recorded = true;
    for (int i = 0; i < 5; ++i) round();
  });
  ASSERT_FALSE(p.iterations.empty());
  for (const LoopWatch::Iteration& iteration : p.iterations) EXPECT_LT(iteration.end_ns - iteration.start_ns, 400'000);
}

// Rounds of 30; for 10 of them nothing is watched. They are counted all the same, in one piece.
TEST(LoopWatch, RoundsInAMomentWithoutCallsAreCountedByTheirPace) {
  Program p;
  const auto rounds = [&](int n) {
    for (int i = 0; i < n; ++i) {
      for (const std::uint32_t at : {10, 20, 30}) p.call(at, at, at, true);
    }
  };
  p.function(1, 0, [&] {
    rounds(50);
    p.watch.calls_missed(0);
    p.rest(300);
    rounds(50);
  });
  std::uint32_t counted = 0;
  for (const auto& one : p.iterations) {
    counted += one.rounds;
    EXPECT_EQ(one.end_ns - one.start_ns, 30 * one.rounds);
  }
  EXPECT_NEAR(counted, 109, 3);
  EXPECT_EQ(std::ranges::max(p.iterations, {}, &LoopWatch::Iteration::rounds).rounds, 11u);
}

// Twice within one round, in which calls were held up for 60: that makes 3 rounds more of the 150, not 5. And after a
// time of 2,000 rounds nobody can say how many there were.
TEST(LoopWatch, RoundsThatWereHeldUpOrMissedForLongAreNotCounted) {
  Program p;
  const auto rounds = [&](int n) {
    for (int i = 0; i < n; ++i) {
      for (const std::uint32_t at : {10, 20, 30}) p.call(at, at, at, true);
    }
  };
  p.function(1, 0, [&] {
    rounds(50);
    for (int i = 0; i < 2; ++i) {
      p.watch.calls_missed(30);
      p.rest(75);
    }
    rounds(50);
    p.watch.calls_missed(0);
    p.rest(60'000);
    rounds(50);
  });
  EXPECT_EQ(std::ranges::max(p.iterations, {}, &LoopWatch::Iteration::rounds).rounds, 4u);
}

// Where no call is always watched, one of a rare kind is the anchor, if its callbacks cost less than half a per cent:
// one microsecond in 300. Of the other kind there are two in each round.
TEST(LoopWatch, ALaunchIsTheAnchorWhereNothingIsAlwaysWatched) {
  for (const bool rare : {true, false}) {
    Program p;
    p.loop(8, [&](int) {
      p.call(10, 1, 11);
      p.call(20, 1, 12);
      p.call(30, 2, 77);
      p.rest(rare ? 300'000 : 100'000);
    });
    ASSERT_EQ(p.watch.anchor().has_value(), rare);
    if (!rare) continue;
    EXPECT_EQ(*p.watch.anchor(), (LoopWatch::Anchor{2, 77, false}));
  }
}

// for: launch, launch, item(): the read is always watched, and there is one per round, so it carries the iterations on
// between the bursts.
TEST(LoopWatch, AnAnchorCarriesTheIterationsOn) {
  Program p;
  const auto rounds = [&](int n, bool recorded) {
    p.recorded = recorded;
    for (int i = 0; i < n; ++i) {
      if (recorded) {
        p.call(10, 1, 0);
        p.call(20);
      } else {
        p.rest(20);
      }
      p.call(30, 2, 77, true);
    }
  };
  p.function(1, 0, [&] {
    rounds(12, true);
    ASSERT_TRUE(p.watch.anchor());
    EXPECT_EQ(p.watch.anchor()->site, 77u);
    const std::size_t before = p.iterations.size();
    p.watch.recording_changed();
    rounds(10, false);
    EXPECT_EQ(p.iterations.size(), before + 10);
    p.watch.recording_changed();
    rounds(3, true);
    EXPECT_EQ(p.iterations.size(), before + 13);
    expect_lengths(p.since(before), 30);  // three calls of 10
  });
}

// for: two copies by one statement, which are always watched, then a launch that is not: the copies are the anchor, the
// second of them ends an iteration. In the gap there are ten.
TEST(LoopWatch, TwoCallsOfAStatementAreAnAnchor) {
  Program p;
  const auto rounds = [&](int n, bool recorded) {
    p.recorded = recorded;
    for (int i = 0; i < n; ++i) {
      p.call(10, 2, 77, true);
      p.call(10);
      if (recorded) {
        p.call(20, 1, 11);
      } else {
        p.rest(10);
      }
    }
  };
  p.function(1, 0, [&] {
    rounds(12, true);
    EXPECT_EQ(p.watch.anchor(), (LoopWatch::Anchor{2, 77, true, 2}));
    const std::size_t before = p.iterations.size();
    p.watch.recording_changed();
    rounds(10, false);
    p.watch.recording_changed();
    rounds(3, true);
    EXPECT_EQ(p.iterations.size(), before + 13);
    expect_lengths(p.since(before), 30);
  });
}

// The loop is settled only after a gap in which nobody watched the launch that is its anchor: the iterations on both
// sides are known, none across it. A round of 30 and a rest of 300,000, five of them, on either side: four each, and
// two more that are only known once the next has begun.
TEST(LoopWatch, NothingIsKnownOfAGapBeforeThereWasAnAnchor) {
  Program p;
  p.watch = LoopWatch(base::kSecond);
  const auto rounds = [&](int n) {
    for (int i = 0; i < n; ++i) {
      p.call(10, 1, 11);
      p.call(20);
      p.call(30, 2, 77);
      p.rest(300'000);
    }
  };
  p.function(1, 0, [&] {
    rounds(6);
    p.watch.recording_changed();
    p.rest(5'000'000);
    p.watch.recording_changed();
    rounds(6);
  });
  const auto found = p.watch.finish();
  ASSERT_TRUE(p.watch.anchor());
  EXPECT_FALSE(p.watch.anchor()->always_watched);
  EXPECT_THAT(found, SizeIs(10));
  expect_lengths(found, 300'030);
}

TEST(LoopWatch, WithoutAnAnchorTheIterationAcrossAGapIsUnknown) {
  Program p;
  train(p, 8);
  const std::size_t before = p.iterations.size();
  p.watch.recording_changed();
  p.rest(1000);
  p.watch.recording_changed();
  train(p, 3);
  expect_lengths(p.since(before), 40);
}

TEST(StepRanges, AStepIsARangeThatComesAgainAndNamesAStep) {
  StepRanges steps;
  EXPECT_FALSE(steps.add("forward", 1));
  EXPECT_FALSE(steps.add("ProfilerStep#1", 1));
  EXPECT_FALSE(steps.add("ProfilerStep#2", 1));
  EXPECT_TRUE(steps.add("ProfilerStep#3", 1));
  EXPECT_FALSE(steps.add("ProfilerStep#4", 2));  // another thread's
  EXPECT_TRUE(steps.add("ProfilerStep#5", 1));
  EXPECT_EQ(steps.name(), "ProfilerStep#");

  StepRanges optimizer;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(optimizer.add("Optimizer.step#SGD.step", 1));
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(optimizer.add("step " + std::to_string(i), 1));
  EXPECT_TRUE(optimizer.add("step 2", 1));
}

// for i in range(300):     line 5, in module 1
//   train_step(i)          place 10, function 2, which makes three calls
//   clock.tick()           place 20: reads once, in the 40th round
// A loop whose only statement with calls is a step function, and which once made another call.
TEST(LoopFinder, AStepFunctionBelongsToTheLoopThatCallsIt) {
  Program p;
  p.read = p.own = p.launches = true;
  p.rest(30 * base::kSecond);  // the program starts up
  p.function(1, 0, [&] {
    for (int i = 0; i < 300; ++i) {
      p.loops = {5};
      p.function(2, 10, [&] {
        p.loops = {};
        for (const std::uint32_t at : {1, 2, 3}) p.call(at);
      });
      p.loops = {5};
      if (i == 39) p.call(20);
    }
  });
  const auto found = p.finder.iteration();
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (LoopKey{0, 1, false, 5}));
  ASSERT_THAT(p.finder.loops(), SizeIs(1));
  EXPECT_EQ(p.finder.loops()[0].rounds, 299u);
  const std::size_t last = p.watch.finish().size();
  EXPECT_GE(p.iterations.size() + last, 298u);
}

// Without its source it is not known whether the function has a loop of its own.
TEST(LoopFinder, AnUnreadFunctionKeepsItsLoop) {
  Program p;
  p.function(1, 0, [&] {
    for (int i = 0; i < 10; ++i) {
      p.loops = {5};
      p.function(2, 10, [&] {
        p.loops = {};
        for (const std::uint32_t at : {1, 2, 3}) p.call(at);
      });
    }
  });
  EXPECT_EQ(*p.finder.iteration(), (LoopKey{1, 2, false, 0}));
}

// for e in range(6):                line 3
//   for i in range(100): step()     line 4, three calls
//   for i in range(20): evaluate()  line 6, two calls
// The iterations are those of the training, and none of them holds an evaluation.
TEST(LoopFinder, TrainingIsToldFromEvaluation) {
  Program p;
  p.read = p.own = p.launches = true;
  p.function(1, 0, [&] {
    for (int e = 0; e < 6; ++e) {
      p.loops = {3, 4};
      for (int i = 0; i < 100; ++i) {
        for (const std::uint32_t at : {11, 12, 13}) p.call(at);
      }
      p.loops = {3, 6};
      for (int i = 0; i < 20; ++i) {
        for (const std::uint32_t at : {21, 22}) p.call(at);
      }
    }
  });
  EXPECT_EQ(*p.finder.iteration(), (LoopKey{0, 1, false, 4}));
  auto all = p.iterations;
  for (const auto& one : p.watch.finish()) all.push_back(one);
  EXPECT_NEAR(static_cast<double>(all.size()), 600, 12);
  for (const auto& one : all) EXPECT_EQ(one.end_ns - one.start_ns, 30);
}

// Epochs of three steps are epochs if the program calls them so.
TEST(LoopFinder, AnEpochSaysItsName) {
  for (const bool named : {true, false}) {
    Program p;
    p.read = p.own = p.launches = true;
    p.epoch = named;
    p.function(1, 0, [&] {
      for (int e = 0; e < 20; ++e) {
        p.loops = {3, 4};
        for (int i = 0; i < 3; ++i) {
          for (const std::uint32_t at : {11, 12, 13}) p.call(at);
        }
        p.loops = {3};
        p.call(30);
      }
    });
    EXPECT_EQ(p.finder.iteration()->head, named ? 4u : 3u);
  }
}

}  // namespace
}  // namespace lanescope::attach
