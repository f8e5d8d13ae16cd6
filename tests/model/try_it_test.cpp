#include "model/advice/try_it.h"

#include <gmock/gmock.h>

#include "model/model.h"
#include "until.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using analysis::WhatIf;
using std::chrono::milliseconds;

workload::Settings loop() { return workload::default_settings("linear-mse", device::DeviceInfo{}); }

WhatIf predicted(double now, double least, double most) {
  WhatIf prediction;
  prediction.recorded_ns = now;
  prediction.least_factor = least;
  prediction.most_factor = most;
  return prediction;
}

TEST(TryItTest, SaysWhatIsTurnedInWords) {
  workload::Settings s = loop();
  EXPECT_EQ(trial_text(s, {"log_interval=100"}), "log interval 100");
  EXPECT_EQ(turn_text(s, {"log_interval=100"}), "log interval 1 → 100");
  EXPECT_EQ(trial_text(s, {"pinned=true", "log_interval=0"}), "log interval never, pinned memory on");
  EXPECT_EQ(turn_text(s, {"pinned=true"}), "pinned memory off → on");
}

// Two looks that agree within 1 %, 1.5 s after the first at the earliest, of 12 iterations at least.
TEST(TryItTest, IsMeasuredWhenItStandsStill) {
  const Settling::Clock::time_point t{};
  Settling settling;
  EXPECT_FALSE(settling.look(100, 50, t));
  EXPECT_FALSE(settling.look(100, 50, t + milliseconds(1499))) << "too soon";
  EXPECT_FALSE(settling.look(102, 50, t + milliseconds(1500))) << "2 % more";
  EXPECT_FALSE(settling.look(102.5, 11, t + milliseconds(2000))) << "too few";
  EXPECT_TRUE(settling.look(103, 50, t + milliseconds(2500)));
}

Tried trial(double before, std::optional<WhatIf> prediction, double measured) {
  Tried tried;
  tried.state = Tried::State::Done;
  tried.workload = "linear-mse";
  tried.device = "sim:rtx4090";
  tried.text = "log interval 1 → 100";
  tried.before_ns = before;
  tried.prediction = std::move(prediction);
  tried.measured_ns = measured;
  return tried;
}

// 160 µs / 1.6 = 100 µs, between 160 / 2 and 160 / 1.28; (100 - 80) / 80 = 25 %
TEST(TryItTest, TheTableHasEveryTrial) {
  std::vector<Tried> rows{trial(160e3, predicted(160e3, 1.28, 2), 80e3), trial(160e3, std::nullopt, 120e3)};
  WhatIf refused;
  refused.refusal = "it depends on \"this\", which was not shown";
  rows.push_back(trial(100e3, refused, 80e3));
  rows.push_back(trial(100e3, std::nullopt, 0));
  rows.back().state = Tried::State::Overtaken;
  ASSERT_TRUE(rows[0].error().has_value());
  EXPECT_DOUBLE_EQ(*rows[0].error(), 0.25);
  EXPECT_EQ(rows[1].error(), std::nullopt);
  EXPECT_EQ(rows[2].error(), std::nullopt);
  EXPECT_EQ(tried_csv(rows),
            "workload,device,change,work,before_us,predicted_us,predicted_low_us,predicted_high_us,measured_us,"
            "error_percent,note\n"
            "linear-mse,sim:rtx4090,\"log interval 1 → 100\",1,160.000,100.000,80.000,125.000,80.000,25.00,\"\"\n"
            "linear-mse,sim:rtx4090,\"log interval 1 → 100\",1,160.000,,,,120.000,,\"\"\n"
            "linear-mse,sim:rtx4090,\"log interval 1 → 100\",1,100.000,,,,80.000,,"
            "\"it depends on \"\"this\"\", which was not shown\"\n"
            "linear-mse,sim:rtx4090,\"log interval 1 → 100\",1,100.000,,,,,,\"changed before it was measured\"\n");
  EXPECT_THAT(tried_markdown(rows), testing::HasSubstr("| log interval 1 → 100 | 160.0 | 100.0 | 80.0 | +25.0 |  |\n"));
}

class TryItRunTest : public testing::Test {
 protected:
  void SetUp() override {
    session::SessionOptions options;
    options.device = "sim:rtx4090";
    options.speed = 0.1;
    model_.start_run(options);
  }
  template <class Done>
  bool until(Done done) {
    return lanescope::until(done, [&] {
      const auto now = TryIt::Clock::now();
      model_.update();
      advice_.update(model_, true, now);
      try_it_.update(model_, advice_.cards(), own_, true, now);
    });
  }
  const Offer* first_offer() const {
    return advice_.cards().empty() ? nullptr : try_it_.offer(advice_.cards().front().key);
  }
  Model model_;
  AdviceState advice_;
  TryIt try_it_;
  std::vector<std::string> own_;  // knobs of an experiment
};

TEST_F(TryItRunTest, WhatIsTriedComesOutAsPredicted) {
  ASSERT_TRUE(until([&] { return first_offer() != nullptr; }));
  ASSERT_EQ(first_offer()->text, "log interval 100");
  EXPECT_EQ(first_offer()->prediction->refusal, "");
  ASSERT_EQ(try_it_.press(model_, advice_.cards().front().key), "");
  ASSERT_EQ(try_it_.tried().size(), 1u);
  EXPECT_EQ(model_.steering()->settings().integer("log_interval"), 100);
  ASSERT_TRUE(until([&] { return !try_it_.measuring(); }));
  const Tried tried = try_it_.tried().back();
  EXPECT_EQ(tried.state, Tried::State::Done);
  ASSERT_TRUE(tried.error().has_value());
  EXPECT_LT(std::abs(*tried.error()), 0.05) << tried_csv({&tried, 1});
  EXPECT_LT(tried.measured_ns, tried.before_ns);

  EXPECT_EQ(try_it_.turn_back(model_, tried), "");
  EXPECT_EQ(model_.steering()->settings(), tried.before);
  ASSERT_TRUE(until([&] { return try_it_.tried().empty(); })) << "it was of other settings";
}

// Flipping to the other side and back, as often as a person likes: the button and its prediction are there again at
// once, and neither changes while the settings do not.
TEST_F(TryItRunTest, APredictionStaysOverFlips) {
  ASSERT_TRUE(until([&] { return first_offer() != nullptr; }));
  const std::string text = first_offer()->text;
  const WhatIf prediction = *first_offer()->prediction;
  ASSERT_EQ(prediction.refusal, "");
  for (int flip = 0; flip < 5; ++flip) {
    ASSERT_EQ(model_.set("log_interval", std::int64_t{100}), "");
    ASSERT_TRUE(until([&] { return model_.recent_is_current(); }));
    ASSERT_EQ(model_.set("log_interval", std::int64_t{1}), "");
    ASSERT_TRUE(until([&] { return first_offer() && first_offer()->text == text; }));
    EXPECT_EQ(*first_offer()->prediction, prediction) << flip;
  }
}

TEST_F(TryItRunTest, AnotherKnobEndsATrial) {
  ASSERT_TRUE(until([&] { return first_offer() != nullptr; }));
  ASSERT_EQ(try_it_.press(model_, advice_.cards().front().key), "");
  ASSERT_EQ(model_.set("batch_size", std::int64_t{64}), "");
  ASSERT_TRUE(until([&] { return try_it_.tried().empty(); }));
}

// The first card is about item(). If the experiment is about CUDA graphs, its button waits behind theirs: no other knob
// before the experiment's own.
TEST_F(TryItRunTest, NoOtherKnobComesBeforeTheExperimentsOwn) {
  own_ = {"cuda_graph"};
  const auto offer_of = [&](analysis::Rule rule) -> const Offer* {
    const auto card = std::ranges::find(advice_.cards(), rule, [](const AdviceCard& c) { return c.key.rule; });
    return card == advice_.cards().end() ? nullptr : try_it_.offer(card->key);
  };
  ASSERT_TRUE(until([&] { return offer_of(analysis::Rule::LaunchBound) != nullptr; }));
  EXPECT_TRUE(offer_of(analysis::Rule::LaunchBound)->own);
  EXPECT_EQ(offer_of(analysis::Rule::LaunchBound)->text, "CUDA graph on") << "and not the batch that gains more";
  ASSERT_EQ(advice_.cards().front().key.rule, analysis::Rule::SyncBubble);
  EXPECT_EQ(first_offer(), nullptr);
}

}  // namespace
}  // namespace lanescope::ui
