// What is in the pictures of an animation, and how it becomes a file.
#include "picture/animation.h"

#include <gmock/gmock.h>

#include "analysis/trace_builder.h"
#include "base/error.h"
#include "read_gif.h"
#include "render/draw_animation.h"
#include "render/imgui_image.h"
#include "render/offscreen.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// `count` iterations of `length`, back to back, each with a kernel in its first half, and the time per iteration of a
// run that ended; or of none.
SharedSnapshot run_of(Nanoseconds length, const std::string& log_interval, int count = 12, bool paced = true) {
  trace::Trace trace;
  TraceBuilder build(trace);
  for (int i = 0; i < count; ++i) {
    const Nanoseconds at = i * length;
    build.iteration(at, at + length);
    build.launch(at, at + length / 10, static_cast<std::uint32_t>(i + 1));
    build.kernel(at + length / 10, at + length / 2, static_cast<std::uint32_t>(i + 1));
  }
  build.publish();
  SnapshotPlan plan;
  plan.source = &trace;
  plan.to_ns = count * length;
  if (paced) {
    plan.summary.pace.basis = analysis::PaceBasis::Elapsed;
    plan.summary.pace.ns = static_cast<double>(length);
    plan.summary.pace.iterations = count;
  }
  plan.title = "Linear and MSE";
  plan.facts.workload = "linear-mse";
  plan.facts.device = "sim:rtx4090";
  plan.facts.device_name = "RTX 4090";
  plan.facts.simulated = true;
  plan.facts.settings = {{"log_interval", log_interval}, {"batch_size", "64"}};
  return take_snapshot(std::move(plan));
}

std::vector<std::string> words_of(const AnimationSheet& sheet) {
  std::vector<std::string> found;
  for (const PictureSheet* s : {&sheet.sheet, sheet.large ? &*sheet.large : nullptr}) {
    if (!s) continue;
    for (const PictureLayer& layer : s->layers) {
      for (const Label& label : layer.batch.labels) found.push_back(label.text);
    }
  }
  return found;
}

// The left edges of the kernels, in order, without those that begin left of the lanes.
std::vector<float> kernels_of(const AnimationSheet& sheet) {
  std::vector<float> found;
  for (const PictureLayer& layer : sheet.sheet.layers) {
    for (const Span& span : layer.batch.spans) {
      if (span.colour == theme(ThemeName::Dark)[Colour::Kernel] && span.x0 > layer.clip.x + 1) found.push_back(span.x0);
    }
  }
  return found;
}

class AnimationLayoutTest : public testing::Test {
 protected:
  Animation animation{run_of(90'000, "1"), run_of(60'000, "100"), "Linear and MSE", {}};

  AnimationSheet sheet(const AnimationStep& step) {
    AnimationLayout layout(animation);
    AnimationSheet drawn;
    with_picture_fonts(1, {}, [&](const Fonts& fonts) { drawn = layout.sheet(step, fonts); });
    return drawn;
  }
};

// 250 hundredths of a second each in pictures of 5: 50 of either side, each after one that stands still.
TEST(AnimationStepsTest, BothSidesMoveEquallyFarInEqualTime) {
  for (const int interval : {5, 10}) {
    const std::vector<AnimationStep> steps = animation_steps(interval);
    std::array<int, 2> pictures{}, last{};
    int centiseconds = 0;
    for (const AnimationStep& step : steps) {
      centiseconds += step.centiseconds;
      if (step.part != AnimationPart::Before && step.part != AnimationPart::After) continue;
      const std::size_t side = step.part == AnimationPart::After ? 1 : 0;
      if (step.moved == last[side]) continue;
      EXPECT_EQ(step.moved - last[side], 600 * interval / 250) << "always by the same number of pixels";
      last[side] = step.moved;
      ++pictures[side];
    }
    EXPECT_THAT(pictures, testing::Each(250 / interval));
    EXPECT_NEAR(centiseconds, 1000, 100);
    EXPECT_EQ(steps.front().part, AnimationPart::Before);
    EXPECT_EQ(steps.back().part, AnimationPart::Result);
  }
}

// The slower run's iteration is 300 pixels long: 90 µs, so 60 µs are 200. A kernel begins after a tenth of it.
TEST_F(AnimationLayoutTest, TheSameScaleOnBothSides) {
  const std::vector<float> before = kernels_of(sheet({AnimationPart::Before, 0, false, 5}));
  const std::vector<float> after = kernels_of(sheet({AnimationPart::After, 0, false, 5}));
  ASSERT_GE(before.size(), 2u);
  ASSERT_GE(after.size(), 3u);
  EXPECT_NEAR(before[1] - before[0], 300, 0.1);
  EXPECT_NEAR(after[1] - after[0], 200, 0.1);
  EXPECT_NEAR(before[0] - after[0], 30 - 20, 0.1) << "both begin with an iteration";
  // Moved by 12 pixels, everything is 12 pixels further left.
  const std::vector<float> moved = kernels_of(sheet({AnimationPart::Before, 12, false, 5}));
  EXPECT_NEAR(moved[0], before[0] - 12, 0.01);
}

TEST_F(AnimationLayoutTest, TheKnobTurnsAndTheTimesAreThoseOfTheRuns) {
  const auto before = words_of(sheet({AnimationPart::Before, 0, false, 5}));
  EXPECT_THAT(before, testing::IsSupersetOf({"Linear and MSE", "SIMULATED · rtx4090", "before", "log interval 1",
                                             "90 µs per iteration"}));
  EXPECT_THAT(words_of(sheet({AnimationPart::Turn, 600, true, 5})), Contains("log interval 1 → 100"));
  const auto after = words_of(sheet({AnimationPart::After, 0, false, 5}));
  EXPECT_THAT(after, testing::IsSupersetOf({"after", "log interval 100", "60 µs per iteration"}));
  const auto result = words_of(sheet({AnimationPart::Result, 600, false, 5}));
  EXPECT_THAT(result, testing::IsSupersetOf({"1.50x faster", "per iteration, by elapsed time; 12 iterations each",
                                             "90 µs", "60 µs", "log interval 1 → 100", "SIMULATED · rtx4090"}));
  // The knob is highlighted only while it turns.
  const auto lit = [&](bool on) {
    int count = 0;
    for (const PictureLayer& layer : sheet({AnimationPart::Before, 600, on, 5}).sheet.layers) {
      for (const Span& span : layer.batch.spans) count += span.colour == theme(ThemeName::Dark)[Colour::Marker] ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(lit(true), 1);
  EXPECT_EQ(lit(false), 0);
}

TEST_F(AnimationLayoutTest, TheOtherWayRoundIsSlowerAndEqualTimesAreTheSame) {
  EXPECT_EQ(animation_result(*animation.after, *animation.before).headline, "1.50x slower");
  EXPECT_EQ(animation_result(*animation.after, *run_of(60'000, "7")).headline, "the same");
}

TEST_F(AnimationLayoutTest, OtherBatchSizesAreComparedPerSample) {
  auto other = std::make_shared<RunSnapshot>(*animation.after);
  other->facts.settings["batch_size"] = "128";
  // 90 µs for 64 samples, 60 µs for 128: 1.406 µs and 0.469 µs for one, three times as fast.
  const AnimationResult result = animation_result(*animation.before, *other);
  EXPECT_EQ(result.headline, "3.00x faster");
  EXPECT_THAT(result.basis, HasSubstr("per sample"));
  EXPECT_NEAR(result.ns[0], 1406.25, 0.01);
  EXPECT_NEAR(result.ns[1], 468.75, 0.01);
}

TEST_F(AnimationLayoutTest, WithoutATimePerIterationThereIsNoFactor) {
  animation.after = run_of(60'000, "100", 1, false);
  const auto words = words_of(sheet({AnimationPart::Result, 600, false, 5}));
  EXPECT_THAT(words, testing::IsSupersetOf({"no factor", "the time of an iteration is not known on both sides",
                                            "no iterations to tell from", "90 µs"}));
  for (const std::string& word : words) EXPECT_THAT(word, Not(HasSubstr("faster")));
  EXPECT_THAT(words_of(sheet({AnimationPart::After, 0, false, 5})), Contains("no iterations to tell from"));
}

// Every text is within the picture, and not cut.
TEST_F(AnimationLayoutTest, NothingIsCutOff) {
  animation.title = "P09 Reading the loss every iteration, with a title that is longer than any of the program's own";
  animation.labels = {"a read every iteration", "a read every hundred iterations"};
  AnimationLayout layout(animation);
  with_picture_fonts(1.5f, {}, [&](const Fonts& fonts) {
    for (const AnimationPart part :
         {AnimationPart::Before, AnimationPart::Turn, AnimationPart::After, AnimationPart::Result}) {
      const AnimationSheet drawn = layout.sheet({part, 0, true, 5}, fonts);
      std::vector<const SpanBatch*> batches{&drawn.sheet.layers.back().batch};
      if (drawn.large) batches.push_back(&drawn.large->layers.back().batch);
      for (const SpanBatch* batch : batches) {
        for (const Label& label : batch->labels) {
          EXPECT_LE(text_width(fonts, label.font, label.text), label.max_width) << label.text;
        }
      }
    }
  });
}

std::string film_of(AnimationFilm& film) {
  while (film.draw()) film.encode();
  return film.take_bytes();
}

TEST(AnimationFilmTest, BecomesSmallerUntilItFits) {
  const OffscreenContext context;
  Animation animation{run_of(90'000, "1"), run_of(60'000, "100"), "Linear and MSE", {}};
  animation.scale = 0.5f;
  AnimationFilm whole(animation);
  const std::string bytes = film_of(whole);
  EXPECT_EQ(whole.note(), "");
  EXPECT_EQ(whole.pictures_per_second(), 20);
  EXPECT_EQ(test::read_gif(bytes).width, 424);

  AnimationFilm less(animation, bytes.size() * 3 / 4);
  const std::string fewer = film_of(less);
  EXPECT_LE(fewer.size(), bytes.size() * 3 / 4);
  EXPECT_EQ(less.pictures_per_second(), 10);
  EXPECT_EQ(test::read_gif(fewer).width, 424) << "first fewer pictures";
  EXPECT_THAT(less.note(), HasSubstr("10 pictures per second of 424 x "));

  AnimationFilm smaller(animation, fewer.size() * 4 / 5);
  EXPECT_LT(test::read_gif(film_of(smaller)).width, 424);

  AnimationFilm none(animation, 2'000);
  try {
    film_of(none);
    ADD_FAILURE() << "2 kB are not enough";
  } catch (const base::FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not fit"));
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
  }
}

}  // namespace
}  // namespace lanescope::ui
