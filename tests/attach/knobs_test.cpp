// Knobs of a watched program: what a trial has measured, how one is planned, and the conversation with the program's
// side of it.
#include "attach/knobs.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "attach/attachment.h"
#include "attach/knob_lines.h"
#include "capture/ring_writer.h"
#include "refusal.h"
#include "until.h"

namespace lanescope::attach {
namespace {

using base::kMicrosecond;
using base::kMillisecond;
using base::kSecond;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// --- trials ----------------------------------------------------------------------------------------------------------

TrialBlock block(bool turned, Nanoseconds duration, std::uint32_t iterations = 22) {
  return {turned, iterations, duration};
}

// ln 1.2, ln 1.25 and ln 1.3 are 0.18232, 0.22314 and 0.26236: their mean is 0.22261, their standard deviation 0.04002,
// that of the mean 0.02311. With two degrees of freedom t is 4.3027: 0.22261 +- 0.09943.
TEST(TrialResult, ThreePairsByHand) {
  const std::vector<TrialBlock> blocks{block(false, 1200), block(true, 1000),  block(true, 1000),
                                       block(false, 1250), block(false, 1300), block(true, 1000)};
  const auto result = trial_result(blocks);
  ASSERT_TRUE(result);
  EXPECT_NEAR(result->least, 1.13109, 1e-4);
  EXPECT_NEAR(result->middle, 1.24933, 1e-4);
  EXPECT_NEAR(result->most, 1.37993, 1e-4);
  EXPECT_TRUE(result->differs);
  EXPECT_EQ(result->iterations, 6u * 22);
  EXPECT_EQ(result->before_ns, 57);  // 1250 / 22
  EXPECT_EQ(result->after_ns, 45);   // 1000 / 22
}

TEST(TrialResult, TheOtherWayRoundItIsSlower) {
  const std::vector<TrialBlock> blocks{block(false, 1000), block(true, 1200),  block(true, 1250),
                                       block(false, 1000), block(false, 1000), block(true, 1300)};
  const auto result = trial_result(blocks);
  ASSERT_TRUE(result);
  EXPECT_NEAR(result->least, 1 / 1.37993, 1e-4);
  EXPECT_NEAR(result->most, 1 / 1.13109, 1e-4);
  EXPECT_TRUE(result->differs);
}

// 32 pairs with a difference of exp(0.01) either way: the standard deviation is 0.010160, that of the mean 0.0017961;
// t with 31 degrees of freedom is 2.0395, which is beyond the table.
TEST(TrialResult, NoDifferenceIsOneThatIsNoLargerThanTheInterval) {
  std::vector<TrialBlock> blocks;
  for (int i = 0; i < 32; ++i) {
    const bool turned_first = i % 2 != 0;
    const auto slow = static_cast<Nanoseconds>(std::llround(1e9 * std::exp(0.01)));
    const Nanoseconds off = i < 16 ? slow : 1'000'000'000, on = i < 16 ? 1'000'000'000 : slow;
    blocks.push_back(block(turned_first, turned_first ? on : off));
    blocks.push_back(block(!turned_first, turned_first ? off : on));
  }
  const auto result = trial_result(blocks);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->differs);
  EXPECT_NEAR(result->middle, 1, 1e-9);
  EXPECT_NEAR(result->most, 1.0036698, 2e-7);
  EXPECT_NEAR(result->resolved, 0.0036698, 2e-7);
}

TEST(TrialResult, OnePairTellsNothingAboutTheNoise) {
  EXPECT_FALSE(trial_result({}));
  EXPECT_FALSE(trial_result(std::vector{block(false, 1200), block(true, 1000)}));
  EXPECT_FALSE(trial_result(std::vector{block(false, 1200), block(true, 1000), block(true, 1000)}));
  EXPECT_FALSE(trial_result(std::vector{block(false, 1200), block(true, 0), block(true, 1000, 0), block(false, 1)}));
}

// The second block was dropped at an epoch's end: the pairs after it are neighbours still.
TEST(TrialResult, AMissingBlockBreaksOnlyItsOwnPair) {
  const std::vector<TrialBlock> blocks{block(false, 9999), block(true, 1000), block(false, 1200), block(false, 1200),
                                       block(true, 1000),  block(true, 1000), block(false, 1200)};
  const auto whole = trial_result(std::span(blocks).subspan(3));
  ASSERT_TRUE(whole);
  EXPECT_NEAR(whole->middle, 1.2, 1e-9);
  EXPECT_NEAR(whole->least, 1.2, 1e-9);
  const auto broken = trial_result(std::span(blocks).subspan(2));  // A A B B A
  ASSERT_TRUE(broken);
  EXPECT_NEAR(broken->middle, 1.2, 1e-9);
  EXPECT_NEAR(broken->most, 1.2, 1e-9);
}

TEST(TrialPlan, IsSixtyFourBlocksOfTwentyFiveUnlessTheyTakeTooLongOrNoTime) {
  struct Shape {
    std::uint32_t blocks, iterations, skipped;
    bool operator==(const Shape&) const = default;
  };
  const auto shape = [](Nanoseconds iteration) {
    const TrialPlan plan = plan_for({}, {}, iteration);
    EXPECT_EQ(plan.blocks % 4, 0u);
    EXPECT_LT(plan.skipped, plan.iterations);
    return Shape{plan.blocks, plan.iterations, plan.skipped};
  };
  EXPECT_EQ(shape(0), (Shape{64, 25, 3}));
  EXPECT_EQ(shape(5 * kMillisecond), (Shape{64, 25, 3}));
  EXPECT_EQ(shape(37 * kMillisecond), (Shape{64, 25, 3}));   // 59 s
  EXPECT_EQ(shape(60 * kMillisecond), (Shape{40, 25, 3}));   // 1000 iterations are a minute
  EXPECT_EQ(shape(200 * kMillisecond), (Shape{16, 18, 3}));  // 300
  EXPECT_EQ(shape(500 * kMillisecond), (Shape{12, 10, 3}));  // 120
  EXPECT_EQ(shape(10 * kSecond), (Shape{8, 10, 3}));
  EXPECT_EQ(shape(base::kMaxTime), (Shape{8, 10, 3}));
  EXPECT_EQ(shape(-5), (Shape{64, 25, 3}));
  EXPECT_EQ(shape(100 * kMicrosecond), (Shape{64, 250, 31}));  // 25 ms
  EXPECT_EQ(shape(1), (Shape{64, 2500, 312}));
}

TEST(TrialPlan, WhatIsReadEveryNthTimeIsReadEquallyOftenInEachBlock) {
  Knob read;
  read.kind = KnobKind::ReadEvery;
  TrialPlan plan = plan_for(read, "10", 5 * kMillisecond);
  EXPECT_EQ(plan.value, "10");
  EXPECT_EQ(plan.iterations - plan.skipped, 30u);
  EXPECT_EQ(plan.blocks, 64u);

  Knob variable;
  variable.kind = KnobKind::Variable;
  variable.name = "log_interval";
  variable.value = "10";
  plan = plan_for(variable, "100", 5 * kMillisecond);
  EXPECT_EQ(plan.iterations - plan.skipped, 100u);
  EXPECT_EQ(plan.knob.name, "log_interval");
  plan = plan_for(variable, "100", 20 * kMillisecond);  // 3000 iterations are a minute
  EXPECT_EQ(plan.iterations - plan.skipped, 100u);
  EXPECT_EQ(plan.blocks, 28u);
  plan = plan_for(variable, "100", 1 * kSecond);  // it cannot be
  EXPECT_EQ(plan.iterations, 10u);
  variable.value = "'high'";
  EXPECT_EQ(plan_for(variable, "'low'", 5 * kMillisecond).iterations, 25u);
}

ProgramTrial done(double least, double most, std::uint64_t deferred = 0, KnobKind kind = KnobKind::NonBlocking) {
  ProgramTrial trial;
  trial.state = ProgramTrial::State::Done;
  trial.plan.knob.kind = kind;
  TrialResult& result = trial.result.emplace();
  result.least = least;
  result.most = most;
  result.iterations = 1408;
  result.differs = least > 1 || most < 1;
  if (!result.differs) result.resolved = std::max(most, 1 / least) - 1;
  trial.deferred = deferred;
  return trial;
}

TEST(ResultText, IsAnIntervalThatClaimsNoMoreThanWasMeasured) {
  EXPECT_EQ(result_text(done(1.21, 1.27)), "1.21 to 1.27 times as fast, 1,408 iterations");
  EXPECT_EQ(result_text(done(1.2199, 1.2601)), "1.21 to 1.27 times as fast, 1,408 iterations");
  EXPECT_EQ(result_text(done(1.0021, 1.0079)), "1.002 to 1.008 times as fast, 1,408 iterations");
  EXPECT_EQ(result_text(done(0.90, 0.94)), "0.90 to 0.94 times as fast: slower, 1,408 iterations");
  EXPECT_EQ(result_text(done(0.9931, 0.9972)), "0.993 to 0.998 times as fast: slower, 1,408 iterations");
  EXPECT_EQ(result_text(done(0.99, 1.02)), "no difference above 2 %, 1,408 iterations");
  EXPECT_EQ(result_text(done(0.9951, 1.0042)), "no difference above 0.5 %, 1,408 iterations");
  EXPECT_EQ(result_text(done(1, 1)), "no difference above 0.1 %, 1,408 iterations");
  EXPECT_EQ(result_text(done(0.9, 1.234)), "no difference above 24 %, 1,408 iterations");
}

TEST(ResultText, SaysHowManyValuesWereOld) {
  EXPECT_EQ(result_text(done(1.21, 1.27, 96, KnobKind::ReadLate)),
            "1.21 to 1.27 times as fast, 1,408 iterations; 96 values in the log are those of the iteration before");
  EXPECT_EQ(deferred_text(done(1, 1, 1, KnobKind::ReadLate)), "1 value in the log is that of the iteration before");
  EXPECT_EQ(deferred_text(done(1, 1, 1300, KnobKind::ReadEvery)), "1,300 values in the log are older ones");
  EXPECT_EQ(deferred_text(done(1, 1)), "");
}

TEST(ResultText, BeforeItIsDoneAndIfItFails) {
  ProgramTrial trial;
  EXPECT_EQ(result_text(trial), "waits for the next iteration");
  trial.state = ProgramTrial::State::Running;
  trial.blocks.resize(12);
  EXPECT_EQ(result_text(trial), "12 of 64 blocks measured");
  trial.state = ProgramTrial::State::Done;
  EXPECT_EQ(result_text(trial), "too short to tell");
  trial.ended = "Stopped after 1 of 64 blocks.";
  EXPECT_EQ(result_text(trial), "too short to tell. Stopped after 1 of 64 blocks.");
  trial.state = ProgramTrial::State::Failed;
  trial.ended = "The value decides at train.py:33.";
  trial.deferred = 2;
  EXPECT_EQ(result_text(trial), "The value decides at train.py:33. 2 values in the log are older ones.");
}

// --- names -----------------------------------------------------------------------------------------------------------

Knob knob(KnobKind kind, std::string file = {}, std::uint32_t line = 0, std::string name = {}) {
  Knob knob;
  knob.kind = kind;
  knob.file = std::move(file);
  knob.line = line;
  knob.name = std::move(name);
  return knob;
}

TEST(Knobs, HaveNames) {
  for (int kind = 0; kind <= static_cast<int>(KnobKind::Own); ++kind) {
    EXPECT_EQ(parse_knob_kind(to_text(static_cast<KnobKind>(kind))), static_cast<KnobKind>(kind));
  }
  EXPECT_EQ(parse_knob_kind("non-blocking"), KnobKind::NonBlocking);  // as in --what-if
  EXPECT_FALSE(parse_knob_kind("read_every"));
  EXPECT_FALSE(parse_knob_kind("pin"));
  EXPECT_FALSE(parse_knob_kind(""));
  EXPECT_EQ(knob(KnobKind::NonBlocking, "/home/a/train.py", 31).id(), "non_blocking train.py:31");
  EXPECT_EQ(knob(KnobKind::Pinned).id(), "pinned");
  EXPECT_EQ(knob(KnobKind::Variable, "train.py", 58, "log_interval").id(), "log_interval");
}

TEST(KnobWish, IsWrittenAsAChange) {
  EXPECT_EQ(parse_knob_wish("non_blocking"), (KnobWish{KnobKind::NonBlocking, "", ""}));
  EXPECT_EQ(parse_knob_wish("non-blocking:train.py:31"), (KnobWish{KnobKind::NonBlocking, "", "train.py:31"}));
  EXPECT_EQ(parse_knob_wish("read-every=10:train.py:58"), (KnobWish{KnobKind::ReadEvery, "10", "train.py:58"}));
  EXPECT_EQ(parse_knob_wish("read-every=2"), (KnobWish{KnobKind::ReadEvery, "2", ""}));
  EXPECT_EQ(parse_knob_wish("variable=100:log_interval"), (KnobWish{KnobKind::Variable, "100", "log_interval"}));
  EXPECT_EQ(parse_knob_wish("own='a:b':mode"), (KnobWish{KnobKind::Own, "'a:b'", "mode"}));
  EXPECT_EQ(parse_knob_wish("log_interval=100"), (KnobWish{{}, "100", "log_interval"}));
  EXPECT_EQ(parse_knob_wish("args.log_interval=100"), (KnobWish{{}, "100", "args.log_interval"}));
  for (const char* wrong : {"",
                            "x",
                            "=1",
                            "x=",
                            ":",
                            "pinned=2",
                            "pinned:",
                            "read-every",
                            "read-every=1",
                            "read-every=1.5",
                            "read-every=x:a",
                            "read-every=10x",
                            "read-every=10:",
                            "variable=100",
                            "variable:log_interval",
                            "variable=:x",
                            "variable=1:",
                            "own",
                            "no-wait:train.py:3",
                            "read-evry=10"}) {
    EXPECT_THAT(refusal<base::UsageError>([&] { parse_knob_wish(wrong); }),
                AllOf(HasSubstr(std::string("'") + wrong + "'"), HasSubstr("read-every=N[:PLACE]")));
  }
}

TEST(KnobWish, FindsTheKnobThatIsMeant) {
  const std::vector<Knob> knobs{knob(KnobKind::NonBlocking),
                                knob(KnobKind::NonBlocking, "/a/train.py", 31, "to"),
                                knob(KnobKind::ReadEvery, "/a/train.py", 58, "item"),
                                knob(KnobKind::Pinned, "/a/train.py", 31),
                                knob(KnobKind::Pinned, "/b/train.py", 31),
                                knob(KnobKind::Variable, "/a/train.py", 55, "log_interval")};
  const auto found = [&](const char* wish) { return &find_knob(knobs, parse_knob_wish(wish)) - knobs.data(); };
  EXPECT_EQ(found("non_blocking"), 0);
  EXPECT_EQ(found("non_blocking:train.py:31"), 1);
  EXPECT_EQ(found("read-every=5"), 2);  // the only one
  EXPECT_EQ(found("pinned:/b/train.py:31"), 4);
  std::vector<Knob> one_left = knobs;
  one_left[3].refused = "It is used again.";
  EXPECT_EQ(&find_knob(one_left, parse_knob_wish("pinned")), &one_left[4]);
  EXPECT_EQ(found("variable=1:log_interval"), 5);
  EXPECT_EQ(found("log_interval=1"), 5);
  const auto refused = [&](const char* wish) { return refusal<base::UsageError>([&] { found(wish); }); };
  EXPECT_EQ(refused("pinned:train.py:31"), "there are several: pinned:train.py:31, pinned:train.py:31");
  EXPECT_THAT(refused("read-late:train.py:58"),
              HasSubstr("it has: non_blocking, non_blocking:train.py:31, read-every=N:train.py:58, "));
  EXPECT_THAT(refused("interval=1"), HasSubstr("log_interval=VALUE"));
  EXPECT_EQ(refusal<base::UsageError>([] { find_knob({}, parse_knob_wish("pinned")); }), "the program has no knobs");
  for (const Knob& each : knobs) {  // what is named can be written
    if (each.kind == KnobKind::Pinned) continue;
    std::string wish = wish_for(each);
    if (const auto n = wish.find("=N"); n != wish.npos) wish.replace(n, 2, "=7");
    EXPECT_EQ(&find_knob(knobs, parse_knob_wish(wish)), &each) << wish;
  }
}

// --- the conversation ------------------------------------------------------------------------------------------------

using State = ProgramKnobs::State;

TEST(KnobLines, AWholeConversation) {
  KnobLines lines;
  EXPECT_EQ(lines.look(), "");  // nobody asked for knobs
  lines.begin();
  EXPECT_EQ(lines.known().state, State::Waiting);
  lines.take("able\t3.12.1\t2.14.1");
  EXPECT_EQ(lines.look(), "Klook\n");
  EXPECT_EQ(lines.known().state, State::Looking);
  lines.take("knob\tread-late\t/a/train.py\t58\titem\t\t1\t\tthe log is one step late");
  lines.take("knob\tvariable\t/a/train.py\t55\tlog_interval\t10\t0.1\t\t");
  lines.take("knob\tread-every\t/a/train.py\t61\titem\t\t2.5\tthe value decides at train.py:62\t");
  EXPECT_THAT(lines.known().knobs, IsEmpty());  // all at once
  lines.take("looked\t12\tbackward train.py:40");
  EXPECT_EQ(lines.known().state, State::Ready);
  EXPECT_EQ(lines.known().counted_by, "backward train.py:40");
  ASSERT_THAT(lines.known().knobs, SizeIs(3));
  const Knob late = lines.known().knobs[0];
  EXPECT_EQ(late.id(), "read-late train.py:58");
  EXPECT_EQ(late.name, "item");
  EXPECT_EQ(late.warning, "the log is one step late");
  EXPECT_EQ(lines.known().knobs[1].value, "10");
  EXPECT_EQ(lines.known().knobs[2].calls, 2.5);
  EXPECT_EQ(lines.known().knobs[2].refused, "the value decides at train.py:62");

  TrialPlan plan = plan_for(late, {}, 5 * kMillisecond);
  plan.blocks = 4;
  EXPECT_EQ(lines.try_knob(plan), "Ktry\t1\tread-late\t/a/train.py\t58\titem\t\t4\t25\t3\n");
  EXPECT_TRUE(lines.trying());
  EXPECT_EQ(lines.try_knob(plan), "");  // one at a time
  EXPECT_THAT(lines.known().trials, SizeIs(1));
  lines.take("begun\t1");
  EXPECT_EQ(lines.known().trials[0].state, ProgramTrial::State::Running);
  for (const char* block : {"block\t1\t0\t22\t26400", "block\t1\t1\t22\t22000", "block\t1\t1\t22\t22000"}) {
    EXPECT_FALSE(lines.known().trials[0].result);
    lines.take(block);
  }
  lines.take("block\t1\t0\t22\t26400");
  lines.take("ended\t1\tdone\t44\t");
  const ProgramTrial& trial = lines.known().trials[0];
  EXPECT_EQ(result_text(trial),
            "1.20 to 1.20 times as fast, 88 iterations; 44 values in the log are those of the iteration before");
  EXPECT_FALSE(lines.trying());

  plan = plan_for(lines.known().knobs[1], "100", 5 * kMillisecond);
  EXPECT_EQ(lines.try_knob(plan), "Ktry\t2\tvariable\t/a/train.py\t55\tlog_interval\t100\t64\t103\t3\n");
  lines.take("begun\t2");
  EXPECT_EQ(lines.stop(), "Kstop\n");
  lines.take("ended\t2\tstopped\t0\t");
  EXPECT_EQ(result_text(lines.known().trials[1]), "too short to tell. Stopped after 0 of 64 blocks.");
  EXPECT_EQ(lines.stop(), "");

  // One that never begins does not keep others from being made.
  EXPECT_NE(lines.try_knob(plan), "");
  EXPECT_EQ(lines.stop(), "Kstop\n");
  EXPECT_EQ(result_text(lines.known().trials[2]), "Stopped before it began.");
  for (const char* late : {"begun\t3", "block\t3\t0\t22\t100", "ended\t3\tstopped\t0\t"}) lines.take(late);
  EXPECT_THAT(lines.known().trials[2].blocks, IsEmpty());
  EXPECT_NE(lines.try_knob(plan), "");
  EXPECT_EQ(lines.malformed(), 0u);
}

TEST(KnobLines, ATrialIsHeldBackWhileTheProgramLooks) {
  KnobLines lines;
  lines.begin();
  lines.look();
  lines.take("looked\t12\tx");
  lines.look();
  lines.take("knob\tpinned\ta.py\t5\t\t\t1\t\t");
  EXPECT_EQ(lines.look(), "Klook\n");  // once more: nothing that has come is lost
  EXPECT_EQ(lines.try_knob(plan_for(knob(KnobKind::Pinned), {}, 0)), "");
  EXPECT_TRUE(lines.trying());
  EXPECT_EQ(lines.held_back(), "");
  lines.take("looked\t12\tx");
  EXPECT_THAT(lines.known().knobs, SizeIs(1));
  EXPECT_EQ(lines.held_back(), "Ktry\t1\tpinned\t\t0\t\t\t64\t25\t3\n");
  EXPECT_EQ(lines.held_back(), "");
  lines.take("ended\t1\tfailed\t0\tNo.");

  lines.look();
  lines.try_knob(plan_for(knob(KnobKind::Pinned), {}, 0));
  EXPECT_EQ(lines.stop(), "");  // the program does not know of it
  lines.take("looked\t12\tx");
  EXPECT_EQ(lines.held_back(), "");
  EXPECT_FALSE(lines.trying());
}

TEST(KnobLines, WhatCannotBeTriedFailsWithItsReason) {
  const auto reason = [](const Knob& knob, std::string value) {
    KnobLines lines;
    lines.begin();
    EXPECT_EQ(lines.try_knob(plan_for(knob, std::move(value), 0)), "");
    EXPECT_FALSE(lines.trying());
    EXPECT_EQ(lines.known().trials.at(0).state, ProgramTrial::State::Failed);
    return lines.known().trials[0].ended;
  };
  Knob own = knob(KnobKind::Own, "", 0, "temperature");
  own.value = "1";
  EXPECT_EQ(reason(own, ""), "It needs a value.");
  EXPECT_EQ(reason(own, "1"), "It has this value already.");
  EXPECT_EQ(reason(own, "1\t2"), "A value cannot have a tab or a line break.");
  own.least = 1;
  EXPECT_EQ(reason(own, "0.5"), "'0.5' is not a number from 1 on.");
  own.most = 10;
  EXPECT_EQ(reason(own, "11"), "'11' is not a number from 1 to 10.");
  EXPECT_EQ(reason(own, "x"), "'x' is not a number from 1 to 10.");
  own.choices = {"1", "2"};
  EXPECT_EQ(reason(own, "3"), "'3' is not one of its values: 1, 2.");
  EXPECT_EQ(reason(knob(KnobKind::Pinned, std::string(2000, 'x'), 1), ""), "Its names are too long.");
  Knob decides = knob(KnobKind::ReadLate);
  decides.refused = "the value decides";
  EXPECT_EQ(reason(decides, ""), "the value decides");

  TrialPlan odd;
  odd.blocks = 6;
  KnobLines off, lines;
  EXPECT_EQ(off.try_knob(TrialPlan{}), "");
  EXPECT_THAT(off.known().trials.at(0).ended, HasSubstr("--knobs"));
  lines.begin();
  EXPECT_EQ(lines.try_knob(odd), "");
  EXPECT_EQ(lines.known().trials.at(0).ended, "A trial cannot have 6 blocks of 25 iterations, 3 of them skipped.");
  for (std::size_t i = 0; i < KnobLines::kMostTrials; ++i) lines.try_knob(odd);
  EXPECT_THAT(lines.known().trials, SizeIs(KnobLines::kMostTrials));  // the oldest go
  EXPECT_EQ(lines.known().trials.back().number, KnobLines::kMostTrials + 1);
}

TEST(KnobLines, ARefusalEndsTheTrialAndKeepsWhatTheProgramOffersItself) {
  KnobLines lines;
  lines.begin();
  lines.look();
  lines.take("knob\tpinned\t\t0\t\t\t1\t\t");
  lines.take("looked\t12\tbackward train.py:40");
  lines.take("own\tlog_interval\t10\t1\t1000\t\ttrain.py\t7");
  lines.try_knob(plan_for(lines.known().knobs[0], {}, 0));
  lines.take("unable\tthis is a free-threaded Python");
  EXPECT_EQ(lines.known().state, State::Refused);
  EXPECT_EQ(lines.known().trials[0].ended, "this is a free-threaded Python");
  ASSERT_THAT(lines.known().knobs, SizeIs(1));
  EXPECT_EQ(lines.known().knobs[0].name, "log_interval");
  EXPECT_EQ(lines.look(), "");

  KnobLines rank;
  rank.begin("it is one of a job's ranks");
  EXPECT_EQ(rank.look(), "");
  rank.take("able\t3.12.1\t2.14.1");  // was not asked
  EXPECT_EQ(rank.malformed(), 1u);
  rank.try_knob(TrialPlan{});
  EXPECT_EQ(rank.known().trials.at(0).ended, "it is one of a job's ranks");
}

TEST(KnobLines, OwnKnobsAreKnownAndSetWithoutAnybodyAskingForKnobs) {
  KnobLines lines;
  lines.take("own\tlog_interval\t10\t1\t1000\t\t/a/train.py\t7");
  lines.take("own\tmode\t'fast'\t\t\t'fast'|'exact'\t\t0");
  EXPECT_EQ(lines.known().state, State::Off);
  ASSERT_THAT(lines.known().knobs, SizeIs(2));
  EXPECT_EQ(lines.known().knobs[0].least, 1);
  EXPECT_EQ(lines.known().knobs[0].most, 1000);
  EXPECT_EQ(lines.known().knobs[0].place(), "train.py:7");
  EXPECT_FALSE(lines.known().knobs[1].least);
  EXPECT_THAT(lines.known().knobs[1].choices, ElementsAre("'fast'", "'exact'"));
  EXPECT_EQ(lines.set_own_knob("log_interval", "100"), "Kset\tlog_interval\t100\n");
  EXPECT_EQ(lines.known().knobs[0].value, "100");
  lines.take("own\tlog_interval\t99\t1\t1000\t\t/a/train.py\t7");  // what the program made of it
  EXPECT_EQ(lines.known().knobs[0].value, "99");
  EXPECT_EQ(lines.set_own_knob("log_interval", "0"), "");
  EXPECT_EQ(lines.set_own_knob("log_interval", "5\n"), "");
  EXPECT_EQ(lines.set_own_knob("mode", "'slow'"), "");
  EXPECT_EQ(lines.set_own_knob("nobody's", "1"), "");
  EXPECT_EQ(lines.malformed(), 0u);
}

TEST(KnobLines, WhatCannotBeRightIsCountedAndSkipped) {
  KnobLines lines;
  lines.begin();
  lines.look();
  const char* const kNonsense[] = {
      "",
      "\t",
      "\t\t\t\t\t\t\t\t\t\t",
      "hello",
      "able",
      "unable",
      "begun\t1",
      "block\t1\t0\t22\t100",
      "ended\t1\tdone\t0\t",
      "looked\t-1\tx",
      "looked\t12",
      "knob\tpinned\t\t0\t\t\t1\t",
      "knob\tfastest\t\t0\t\t\t1\t\t",
      "knob\town\t\t0\tx\t\t1\t\t",
      "knob\tpinned\t\t5\t\t\t1\t\t",
      "knob\tpinned\ta.py\t-5\t\t\t1\t\t",
      "knob\tpinned\ta.py\t99999999999\t\t\t1\t\t",
      "knob\tpinned\ta.py\t5\t\t\tnan\t\t",
      "knob\tpinned\ta.py\t5\t\t\tinf\t\t",
      "knob\tpinned\ta.py\t5\t\t\t\t\t",
      "knob\tpinned\ta.py\t5x\t\t\t1\t\t",
      "knob\tvariable\ta.py\t5\t\t10\t1\t\t",
      "own\t\t10\t\t\t\t\t0",
      "own\tx\t10\t5\t1\t\t\t0",
      "own\tx\t10\tlow\t1\t\t\t0",
      "own\tx\t10\tnan\t\t\t\t0",
      "own\tx\t10\t\t\t\t\t",
  };
  for (const char* line : kNonsense) {
    const std::uint64_t before = lines.malformed();
    lines.take(line);
    EXPECT_EQ(lines.malformed(), before + 1) << line;
  }
  EXPECT_THAT(lines.known().knobs, IsEmpty());

  lines.try_knob(plan_for(knob(KnobKind::Pinned), {}, 0));
  lines.take("begun\t1");
  for (const char* line :
       {"begun\t1", "begun\t2", "block\t2\t0\t22\t100", "block\t1\t2\t22\t100", "block\t1\t0\t0\t100",
        "block\t1\t0\t26\t100", "block\t1\t0\t22\t0", "block\t1\t0\t22\t-7", "block\t1\t0\t22\t9999999999999999999",
        "block\t1\t0\t22", "ended\t1\tperhaps\t0\t", "ended\t1\tdone\t-1\t", "ended\t2\tdone\t0\t"}) {
    const std::uint64_t before = lines.malformed();
    lines.take(line);
    EXPECT_EQ(lines.malformed(), before + 1) << line;
  }
  EXPECT_THAT(lines.known().trials.at(0).blocks, IsEmpty());
  for (int i = 0; i < 65; ++i) lines.take(i % 2 != 0 ? "block\t1\t0\t22\t100" : "block\t1\t1\t22\t100");
  EXPECT_THAT(lines.known().trials[0].blocks, SizeIs(64));  // as many as were asked for
  lines.take("ended\t1\tfailed\t3\t");
  EXPECT_EQ(lines.known().trials[0].ended, "It failed, and the program gives no reason.");
}

TEST(KnobLines, ControlCharactersAndTooManyKnobsDoNotReachTheWindow) {
  KnobLines lines;
  lines.begin();
  lines.look();
  lines.take("knob\tpinned\ta\x1b[2J\xff.py\t5\t\t\t1\t\x07no\t");
  for (int i = 0; i < 1000; ++i) lines.take("knob\tpinned\ta.py\t" + std::to_string(i) + "\t\t\t1\t\t");
  for (int i = 0; i < 1000; ++i) lines.take("knob\tpinned\ta.py\t1\t\t\t2\t\t");  // the same one
  lines.take("looked\t12\t\x1b");
  EXPECT_THAT(lines.known().knobs, SizeIs(KnobLines::kMostKnobs));
  EXPECT_EQ(lines.known().knobs[0].file, "a [2J\xEF\xBF\xBD.py");
  EXPECT_EQ(lines.known().knobs[0].refused, " no");
  EXPECT_EQ(lines.known().knobs[2].calls, 2);
  EXPECT_EQ(lines.known().counted_by, " ");
  for (int i = 0; i < 1000; ++i) lines.take("own\tx" + std::to_string(i) + "\t10\t\t\t\t\t0");
  EXPECT_THAT(lines.known().knobs, SizeIs(KnobLines::kMostKnobs));
  std::string choices = "own\ty\t10\t\t\t";
  for (int i = 0; i < 100; ++i) choices += "1|";
  const std::uint64_t before = lines.malformed();
  lines.take(choices + "\t\t0");
  EXPECT_EQ(lines.malformed(), before + 1);
}

// Any line made of the words and characters of the protocol: nothing but counting comes of it, and never more trials
// or blocks than were asked for.
TEST(KnobLines, AnyLineIsTaken) {
  std::mt19937 random(7);
  const std::vector<std::string> parts{"knob", "own",    "looked", "begun", "block", "ended", "able", "1",  "0",
                                       "-",    "pinned", "done",   "\xff",  "22",    "1e9",   "|",    "\t", "\t\t"};
  KnobLines lines;
  lines.begin();
  lines.try_knob(plan_for(knob(KnobKind::Pinned), {}, 0));
  for (int i = 0; i < 200'000; ++i) {
    std::string line;
    for (auto n = random() % 14; n > 0; --n) line += parts[random() % parts.size()] + (random() % 3 != 0 ? "\t" : "");
    lines.take(line);
  }
  EXPECT_GT(lines.malformed(), 100'000u);
  EXPECT_LE(lines.known().knobs.size(), KnobLines::kMostKnobs);
  ASSERT_THAT(lines.known().trials, SizeIs(1));
  EXPECT_LE(lines.known().trials[0].blocks.size(), 64u);
}

TEST(KnobLines, TheKnobsAreLookedForWhenTheLoopIsKnownAndAfterEachTrial) {
  KnobLines lines;
  EXPECT_FALSE(lines.look_is_due(true, 10 * kSecond));  // off
  lines.begin();
  EXPECT_FALSE(lines.look_is_due(false, 10 * kSecond));
  EXPECT_FALSE(lines.look_is_due(true, 20 * kSecond));
  EXPECT_FALSE(lines.look_is_due(true, 21 * kSecond));
  EXPECT_TRUE(lines.look_is_due(true, 22 * kSecond));
  EXPECT_EQ(lines.look(), "Klook\n");
  EXPECT_FALSE(lines.look_is_due(true, 30 * kSecond));
  lines.take("looked\t12\tx");
  EXPECT_FALSE(lines.look_is_due(true, 40 * kSecond));
  lines.try_knob(plan_for(knob(KnobKind::Pinned), {}, 0));
  EXPECT_EQ(lines.look(), "");  // not during a trial
  EXPECT_FALSE(lines.look_is_due(true, 50 * kSecond));
  lines.take("begun\t1");
  lines.take("ended\t1\tdone\t0\t");
  EXPECT_TRUE(lines.look_is_due(true, 51 * kSecond));
}

// --- with a program --------------------------------------------------------------------------------------------------

/// A program that is watched for its knobs, whose library is this test.
class WatchedKnobs : public testing::Test {
 protected:
  static constexpr std::uint32_t kSlots = 1024;

  WatchedKnobs() : folder_(std::filesystem::path(testing::TempDir()) / "watched_knobs") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "library.so") << "no program loads it";
    ::setenv("LANESCOPE_INJECT", (folder_ / "library.so").c_str(), 1);
  }
  ~WatchedKnobs() override {
    ::unsetenv("LANESCOPE_INJECT");
    if (attachment_) attachment_->signal(SIGTERM);
    if (socket_ >= 0) ::close(socket_);
    if (attachment_) attachment_->wait();
    if (memory_) ::munmap(memory_, wire::bytes_for(kSlots));
  }

  void start(bool knobs, wire::Job job = {}) {
    AttachOptions options;
    options.knobs = knobs;
    options.command.folder = folder_;
    options.command.words = {"sh", "-c", "echo \"$LANESCOPE_ATTACH\" > new; mv new socket; exec sleep 600"};
    options.memory_cap_bytes = std::size_t{16} << 20;
    attachment_.emplace(options);
    attachment_->start();
    ASSERT_TRUE(until([&] { return std::filesystem::exists(folder_ / "socket"); }));
    report_in(job);
    ASSERT_TRUE(until([&] { return !attachment_->state().processes.empty(); }));
  }

  void say(std::string_view line) {
    std::vector<unsigned char> content(sizeof(wire::TextMessage));
    const wire::TextMessage head{static_cast<std::uint32_t>(line.size())};
    std::memcpy(content.data(), &head, sizeof(head));
    content.insert(content.end(), line.begin(), line.end());
    ASSERT_TRUE(ring_->send(wire::MessageKind::Knobs, 0, content));
  }
  /// The next so many bytes from the viewer, without those that only wake.
  std::string asked(std::size_t bytes) {
    std::string text;
    until([&] { return text.size() >= bytes; },
          [&] {
            std::array<char, 4096> more{};
            const ssize_t n = ::recv(socket_, more.data(), std::min(more.size(), bytes - text.size()), 0);
            if (n <= 0) return text.resize(bytes, '?');  // the test fails
            text.append(more.data(), static_cast<std::size_t>(n));
          });
    return text;
  }
  ProgramKnobs knobs() const { return attachment_->state().processes.at(0).knobs; }
  std::uint32_t pid() const { return static_cast<std::uint32_t>(::getpid()); }

  std::filesystem::path folder_;
  std::optional<Attachment> attachment_;
  std::optional<capture::RingWriter> ring_;
  int socket_ = -1;

 private:
  void report_in(wire::Job job) {
    const std::size_t bytes = wire::bytes_for(kSlots);
    const int file = ::memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(::ftruncate(file, static_cast<off_t>(bytes)), 0);
    ASSERT_EQ(::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    memory_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ASSERT_NE(memory_, MAP_FAILED);
    ring_.emplace(memory_, kSlots);
    ring_->memory().job = job;

    std::string path;
    std::getline(std::ifstream(folder_ / "socket"), path);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof(address.sun_path));
    std::copy(path.begin(), path.end(), address.sun_path);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    const timeval patience{60, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    wire::Hello hello{wire::kMagic, wire::kVersion, pid(), 1, static_cast<std::uint32_t>(bytes)};
    iovec part{&hello, sizeof(hello)};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &file, sizeof(int));
    ASSERT_EQ(::sendmsg(socket_, &message, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof(hello)));
    ::close(file);
    ASSERT_EQ(asked(1), "\1");  // the controls are as they should be
  }

  void* memory_ = nullptr;
};

TEST_F(WatchedKnobs, ATrialIsAskedForAndItsResultIsInTheState) {
  ASSERT_NO_FATAL_FAILURE(start(true));
  EXPECT_EQ(ring_->memory().controls.knobs.load(), 1u);
  EXPECT_EQ(knobs().state, State::Waiting);
  attachment_->look_for_knobs(pid());
  ASSERT_EQ(asked(6), "Klook\n");
  say("able\t3.12.1\t2.14.1");
  say("knob\tnon_blocking\t/a/train.py\t31\tto\t\t1\t\t");
  say("looked\t12\tbackward train.py:40");
  ASSERT_TRUE(until([&] { return knobs().state == State::Ready; }));
  TrialPlan plan = plan_for(knobs().knobs.at(0), {}, 5 * kMillisecond);
  plan.blocks = 4;
  attachment_->try_knob(pid(), plan);
  const std::string_view line = "Ktry\t1\tnon_blocking\t/a/train.py\t31\tto\t\t4\t25\t3\n";
  ASSERT_EQ(asked(line.size()), line);
  ASSERT_TRUE(until([&] { return knobs().trials.size() == 1; }));
  say("begun\t1");
  for (const char* block : {"block\t1\t0\t22\t26400", "block\t1\t1\t22\t22000", "block\t1\t1\t22\t22000"}) say(block);
  ASSERT_TRUE(until([&] { return knobs().trials.at(0).blocks.size() == 3; }));
  attachment_->stop_trial(pid());
  ASSERT_EQ(asked(6), "Kstop\n");
  say("block\t1\t0\t22\t26400");
  say("ended\t1\tstopped\t0\t");
  say("nonsense");
  ASSERT_TRUE(until([&] { return knobs().trials.at(0).over(); }));
  EXPECT_EQ(result_text(knobs().trials[0]), "1.20 to 1.20 times as fast, 88 iterations. Stopped after 4 of 4 blocks.");
  EXPECT_TRUE(until([&] { return attachment_->state().processes.at(0).malformed == 1; }));

  attachment_->try_knob(pid(), plan);
  ASSERT_TRUE(until([&] { return knobs().trials.size() == 2; }));
  ::close(std::exchange(socket_, -1));
  EXPECT_TRUE(until([&] { return attachment_->state().processes.at(0).ended; }));
  EXPECT_EQ(result_text(knobs().trials.at(1)), "It was not over when the program ended.");
  EXPECT_EQ(ring_->memory().controls.knobs.load(), 0u);
}

TEST_F(WatchedKnobs, WithoutTheOptionOnlyItsOwnAreKnown) {
  ASSERT_NO_FATAL_FAILURE(start(false));
  EXPECT_EQ(ring_->memory().controls.knobs.load(), 0u);
  say("own\tlog_interval\t10\t\t\t\t\t0");
  ASSERT_TRUE(until([&] { return knobs().knobs.size() == 1; }));
  attachment_->try_knob(pid(), plan_for(knobs().knobs[0], "100", 0));
  ASSERT_TRUE(until([&] { return knobs().trials.size() == 1; }));
  EXPECT_THAT(result_text(knobs().trials[0]), HasSubstr("--knobs"));
  attachment_->set_own_knob(pid() + 1, "log_interval", "7");  // another process
  attachment_->set_own_knob(pid(), "log_interval", "100");
  EXPECT_EQ(asked(22), "Kset\tlog_interval\t100\n");
  EXPECT_TRUE(until([&] { return knobs().knobs.at(0).value == "100"; }));
}

TEST_F(WatchedKnobs, ARankOfAJobIsNotTriedAlone) {
  ASSERT_NO_FATAL_FAILURE(start(true, {2, 2, 8}));
  EXPECT_EQ(ring_->memory().controls.knobs.load(), 0u);
  EXPECT_EQ(knobs().state, State::Refused);
  EXPECT_THAT(knobs().why, HasSubstr("ranks"));
}

// The socket takes some 100 lines at once; the rest is sent as the library reads, and none is torn.
TEST_F(WatchedKnobs, ALibraryThatReadsSlowlyGetsWholeLines) {
  ASSERT_NO_FATAL_FAILURE(start(false));
  say("own\tname\tx\t\t\t\t\t0");
  ASSERT_TRUE(until([&] { return knobs().knobs.size() == 1; }));
  std::string expected;
  for (int i = 0; i < 140; ++i) {
    const std::string value = std::to_string(i) + std::string(900, 'v');
    attachment_->set_own_knob(pid(), "name", value);
    expected += "Kset\tname\t" + value + '\n';
  }
  ASSERT_TRUE(until([&] { return knobs().knobs.at(0).value.starts_with("139v"); }));
  EXPECT_EQ(asked(expected.size()), expected);
}

TEST_F(WatchedKnobs, ALibraryThatDoesNotReadFailsTheTrial) {
  ASSERT_NO_FATAL_FAILURE(start(true));
  say("own\tname\tx\t\t\t\t\t0");
  ASSERT_TRUE(until([&] { return knobs().knobs.size() == 1; }));
  attachment_->try_knob(pid(), plan_for(knobs().knobs[0], "y", 0));
  ASSERT_TRUE(until([&] { return knobs().trials.size() == 1; }));
  for (int i = 0; i < 4000 && !knobs().trials[0].over(); ++i) {
    attachment_->set_own_knob(pid(), "name", std::to_string(i) + std::string(900, 'v'));
  }
  ASSERT_TRUE(until([&] { return knobs().trials[0].over(); }));
  EXPECT_EQ(result_text(knobs().trials[0]), "The program does not answer.");
}

}  // namespace
}  // namespace lanescope::attach
