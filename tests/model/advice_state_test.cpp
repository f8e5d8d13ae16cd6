#include <gmock/gmock.h>

#include "analysis/trace_builder.h"
#include "model/advice/advice.h"
#include "model/model.h"
#include "model/source/file_source.h"
#include "until.h"

namespace lanescope::ui {
namespace {

using analysis::Card;
using analysis::IterationRecord;
using analysis::Rule;
using analysis::Weight;
using analysis_test::TraceBuilder;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

Card card(Rule rule, double cost, Weight weight = Weight::Costs) {
  Card c;
  c.rule = rule;
  c.cost_ns = cost;
  c.weight = weight;
  return c;
}

std::vector<Rule> rules(const std::vector<AdviceCard>& cards) {
  std::vector<Rule> found;
  for (const AdviceCard& c : cards) found.push_back(c.card.rule);
  return found;
}

constexpr Rule kA = Rule::SyncBubble, kB = Rule::PageableCopy, kC = Rule::LaunchBound, kD = Rule::StaleRead;

TEST(AdviceStateTest, TheOrderStaysUntilACostDiffersByMoreThanAQuarter) {
  const auto shown = keyed({card(kA, 100), card(kB, 90), card(kC, 80)});
  const auto now = [&](double a, double b, double c) {
    std::vector<Card> cards{card(kA, a), card(kB, b), card(kC, c)};
    std::sort(cards.begin(), cards.end(), [](const Card& x, const Card& y) { return x.cost_ns > y.cost_ns; });
    return rules(in_shown_order(shown, keyed(cards)));
  };
  EXPECT_THAT(now(100, 90, 80), ElementsAre(kA, kB, kC));
  EXPECT_THAT(now(90, 100, 110), ElementsAre(kA, kB, kC));
  EXPECT_THAT(now(80, 100, 60), ElementsAre(kA, kB, kC)) << "80 is four fifths of 100";
  EXPECT_THAT(now(79, 100, 60), ElementsAre(kB, kA, kC));
  // 101 is more than 75 by over a quarter, but not more than 90: the 90 stays before it, the 75 does not.
  EXPECT_THAT(now(75, 90, 101), ElementsAre(kB, kC, kA));
}

TEST(AdviceStateTest, WhatIsWrongComesFirstWhateverWasShown) {
  const auto shown = keyed({card(kA, 100), card(kB, 90)});
  const auto found = keyed({card(kD, 0, Weight::Wrong), card(kB, 110), card(kA, 100), card(kC, 0, Weight::Harmless)});
  EXPECT_THAT(rules(in_shown_order(shown, found)), ElementsAre(kD, kA, kB, kC));
}

TEST(AdviceStateTest, ACardThatIsNotFoundStaysForOneMoreLook) {
  auto shown = next_cards({}, keyed({card(kA, 100), card(kB, 50)}));
  shown = next_cards(shown, keyed({card(kA, 100)}));
  EXPECT_THAT(rules(shown), ElementsAre(kA, kB));
  auto back = next_cards(shown, keyed({card(kA, 100), card(kB, 50)}));
  back = next_cards(back, keyed({card(kA, 100)}));
  EXPECT_THAT(rules(back), ElementsAre(kA, kB)) << "it was found in between";
  shown = next_cards(shown, keyed({card(kA, 100)}));
  EXPECT_THAT(rules(shown), ElementsAre(kA));
}

TEST(AdviceStateTest, CardsThatDifferInNothingElseAreNumbered) {
  const auto cards = keyed({card(kB, 100), card(kA, 90), card(kB, 50)});
  EXPECT_EQ(cards[0].key.nth, 0);
  EXPECT_EQ(cards[2].key.nth, 1);
  EXPECT_NE(cards[0].key, cards[2].key);
}

TEST(AdviceStateTest, TheCostHasTwoDigits) {
  Card c = card(kA, 56'234);
  c.share = 0.337;
  EXPECT_EQ(cost_text(c), "56 µs · 34 %");
  c.cost_ns = 9'960;
  EXPECT_EQ(cost_text(c), "10 µs · 34 %");
  c.cost_ns = 1'234'000;
  c.share = 0.004;
  EXPECT_EQ(cost_text(c), "1.2 ms · < 1 %");
  c.cost_ns = 0;
  EXPECT_EQ(cost_text(c), "");
}

// Iterations of 1000 ns, three events in each: itself, a call and a kernel. The first one is warm-up.
class NewestStretchTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 10; ++i) {
      const Nanoseconds t = i * 1000;
      build.iteration(t, t + 900);
      build.sync(t + 100, t + 400, 10, 10);
      build.kernel(t + 50, t + 390);
      IterationRecord record;
      record.start_ns = t;
      record.end_ns = t + 900;
      record.number = i + 1;
      records.push_back(record);
    }
    build.publish();
  }
  auto stretch(Nanoseconds from, Nanoseconds to, std::int64_t most) {
    return analysis::steady_stretch(trace, records, {.from_ns = from, .to_ns = to, .most_events = most});
  }
  trace::Trace trace;
  TraceBuilder build{trace};
  std::vector<IterationRecord> records;
};

TEST_F(NewestStretchTest, IsCutToWholeIterationsThatHoldSoManyEvents) {
  EXPECT_EQ(stretch(0, 10'000, 1000), std::pair(Nanoseconds{1000}, Nanoseconds{9900})) << "without the warm-up";
  EXPECT_EQ(stretch(0, 9'899, 1000), std::pair(Nanoseconds{1000}, Nanoseconds{8900})) << "the last has not ended";
  EXPECT_EQ(stretch(2500, 10'000, 1000), std::pair(Nanoseconds{3000}, Nanoseconds{9900}));
  EXPECT_EQ(stretch(0, 10'000, 11), std::pair(Nanoseconds{7000}, Nanoseconds{9900})) << "three of them: nine events";
  EXPECT_EQ(stretch(0, 10'000, 1), std::pair(Nanoseconds{9000}, Nanoseconds{9900})) << "one at least";
  EXPECT_EQ(stretch(9500, 10'000, 1000), std::nullopt);
  records.clear();
  EXPECT_EQ(stretch(0, 10'000, 1000), std::nullopt);
}

TEST_F(NewestStretchTest, TheExampleIsFoundByWhereItIs) {
  const trace::LaneId calls = build.lane(trace::LaneKind::Calls);
  const auto found = event_of(trace, {calls, 3100, 3400});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(trace.names().text(found->event.name), "cudaStreamSynchronize");
  EXPECT_EQ(found->event.start_ns, 3100);
  EXPECT_EQ(event_of(trace, {calls, 3100, 3401}), std::nullopt);
  EXPECT_EQ(event_of(trace, {}), std::nullopt);
}

// A stopwatch around all of a run whose first iteration takes 1,000 µs, the other nine 100.
TEST(AdviceOfARunTest, SaysThatTheStopwatchTimesTheWarmUpToo) {
  io::OpenedTrace opened;
  opened.trace = std::make_unique<trace::Trace>();
  TraceBuilder build(*opened.trace);
  build.iteration(0, 1'000'000);
  for (Nanoseconds t = 1'000'000; t < 1'900'000; t += 100'000) {
    build.iteration(t, t + 100'000);
    build.kernel(t, t + 100'000);
  }
  build.stopwatch(0, 1'900'000);
  build.publish();
  Model model;
  model.show(analysed(std::make_unique<FileSource>(std::move(opened), std::vector<std::filesystem::path>{"run.json"})));
  AdviceState advice;
  ASSERT_TRUE(
      until([&] { return !advice.cards().empty(); }, [&] { advice.update(model, true, AdviceState::Clock::now()); }));
  EXPECT_EQ(advice.cards().front().card.rule, Rule::MeasuringError);
  EXPECT_EQ(advice.cards().front().card.title, "The stopwatch also times the warm-up");
}

TEST(AdviceOfARunTest, FollowsTheRunAndItsKnobs) {
  Model model;
  AdviceState advice;
  session::SessionOptions options;
  options.device = "sim:teaching";
  options.speed = 0.1;
  model.start_run(options);
  const auto until = [&](const auto& done) {
    return lanescope::until(done, [&] {
      model.update();
      advice.update(model, true, AdviceState::Clock::now());
    });
  };
  ASSERT_TRUE(until([&] { return !advice.cards().empty(); }));
  EXPECT_THAT(rules(advice.cards()), Contains(kA));
  ASSERT_EQ(model.set("log_interval", std::int64_t{0}), "");
  ASSERT_TRUE(until([&] { return model.recent_is_current() && model.recent().sync_count == 0; }));
  EXPECT_TRUE(until([&] { return !testing::Value(rules(advice.cards()), Contains(kA)); }));
  advice = {};
  EXPECT_THAT(advice.cards(), IsEmpty());
  EXPECT_FALSE(advice.busy());
}

}  // namespace
}  // namespace lanescope::ui
