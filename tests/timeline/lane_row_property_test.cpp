// Properties of any lane at any zoom: nothing is lost, nothing is invented, and the cost depends on the screen.
#include <algorithm>
#include <cmath>
#include <random>

#include "timeline/drawn.h"
#include "timeline/lane_row.h"

namespace lanescope::ui {
namespace {

using trace::EventKind;

constexpr float kLeft = 100, kWidth = 900;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t upto(std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(engine_); }
  /// Usually small, sometimes a million times larger.
  Nanoseconds length() {
    return static_cast<Nanoseconds>(std::exp2(std::uniform_real_distribution<>(-1, 20)(engine_)));
  }
  double between(double low, double high) { return std::uniform_real_distribution<>(low, high)(engine_); }

 private:
  std::mt19937_64 engine_;
};

// Bursts and pauses; ranges overlap, so that they are packed into sub-rows.
void fill(trace::Trace& trace, LaneKind kind, int events, Random& random) {
  TraceBuilder build(trace);
  const LaneId lane = build.lane(kind);
  Nanoseconds now = random.upto(1000);
  for (int i = 0; i < events; ++i) {
    const Nanoseconds length = random.upto(3) == 0 ? 0 : random.length();
    if (kind == LaneKind::Calls && random.upto(2) == 0) {
      build.sync(now, now + length, length / 5, length / 4);
    } else {
      build.add(lane, kind == LaneKind::Kernels ? EventKind::Kernel : EventKind::Range, "event", now, now + length);
    }
    now += kind == LaneKind::Phases ? random.upto(length) : length;
    if (random.upto(9) == 0) now += random.length();
  }
  build.publish();
}

class AnyLane : public testing::TestWithParam<std::tuple<LaneKind, int>> {
 protected:
  void SetUp() override {
    const auto [kind, seed] = GetParam();
    Random random(static_cast<std::uint64_t>(seed));
    fill(trace, kind, 3000, random);
    const auto [from, to] = trace.extent();
    for (int i = 0; i < 25; ++i) {
      const double ns_per_pixel = std::pow(10.0, random.between(-1.5, 5.5));
      const Nanoseconds origin = from - 1000 + random.upto(to - from);
      const Nanoseconds edge = random.upto(3) == 0 ? from + random.upto(to - from) : kAllKnown;
      views.push_back({TimeAxis(origin, ns_per_pixel, kLeft, kWidth), edge});
    }
    views.push_back({TimeAxis(0, 1, kLeft, kWidth).fitted(from, to), kAllKnown});
    views.push_back({TimeAxis(0, 1, kLeft, kWidth).fitted(from, from + 2), kAllKnown});
  }

  struct View {
    TimeAxis axis;
    Nanoseconds live_edge;
  };
  struct Drawn {
    LaneRow row{0};
    SpanBatch batch;
  };
  Drawn draw(const View& view) {
    Drawn drawn;
    drawn.row.prepare({trace, nullptr, view.axis, theme(ThemeName::Dark), view.live_edge, 1}, 0, drawn.batch);
    return drawn;
  }

  trace::Trace trace;
  std::vector<View> views;
};

TEST_P(AnyLane, EveryVisibleEventIsInExactlyOneGlyph) {
  for (const View& view : views) {
    const Drawn drawn = draw(view);
    const Nanoseconds end = std::min(view.axis.end_ns(), view.live_edge);
    for (std::size_t r = 0; r < trace.lane(0).row_count(); ++r) {
      const trace::Row& row = trace.lane(0).row(r);
      EventIndex next = 0;
      bool any = false;
      for (const LaneRow::Glyph& glyph : drawn.row.glyphs()) {
        if (glyph.row != r) continue;
        ASSERT_LT(glyph.first, glyph.last);
        if (any) {
          ASSERT_EQ(glyph.first, next) << "an event between two glyphs is lost, or in both";
        }
        any = true;
        next = glyph.last;
      }
      const auto covered = [&](EventIndex i) {
        return std::any_of(drawn.row.glyphs().begin(), drawn.row.glyphs().end(),
                           [&](const auto& g) { return g.row == r && g.first <= i && i < g.last; });
      };
      // The first and the last visible event are in a glyph; those between are, because glyphs skip no events.
      EventIndex first = row.last();
      EventIndex last = 0;
      for (EventIndex i = row.first(); i < row.last(); ++i) {
        if (row.start(i) >= end || row.end(i) < view.axis.begin_ns()) continue;
        first = std::min(first, i);
        last = i;
      }
      if (first == row.last()) {
        EXPECT_FALSE(any);
        continue;
      }
      ASSERT_TRUE(covered(first)) << "event " << first;
      ASSERT_TRUE(covered(last)) << "event " << last;
    }
  }
}

TEST_P(AnyLane, GlyphsAreInOrderAndHardlyOverlap) {
  for (const View& view : views) {
    const Drawn drawn = draw(view);
    const LaneRow::Glyph* before = nullptr;
    for (const LaneRow::Glyph& glyph : drawn.row.glyphs()) {
      ASSERT_GE(glyph.x1 - glyph.x0, 0.999f);
      if (before && before->row == glyph.row) {
        ASSERT_GE(glyph.x0, before->x0);
        ASSERT_GE(glyph.x0, before->x1 - 1.001f);
      }
      before = &glyph;
    }
  }
}

// A glyph is where its events are: from the first one's start to the last one's end, cut at the edges.
TEST_P(AnyLane, GlyphsAreWhereTheirEventsAre) {
  for (const View& view : views) {
    const Drawn drawn = draw(view);
    const Nanoseconds end = std::min(view.axis.end_ns(), view.live_edge);
    for (const LaneRow::Glyph& glyph : drawn.row.glyphs()) {
      const trace::Row& row = trace.lane(0).row(glyph.row);
      const float x0 = view.axis.to_px(row.start(glyph.first));
      const float x1 = view.axis.to_px(std::min(row.end(glyph.last - 1), end));
      ASSERT_FLOAT_EQ(glyph.x0, x0);
      ASSERT_FLOAT_EQ(glyph.x1, std::max(x1, x0 + 1));
      ASSERT_LE(row.start(glyph.first), end);
      if (glyph.last - glyph.first > 1) {
        // Only events too narrow to be seen individually are folded, and a fold is no wider than necessary.
        const Nanoseconds narrow = std::max<Nanoseconds>(1, view.axis.length_ns(LaneRow::kFoldPx));
        ASSERT_LE(row.end(glyph.last - 1) - row.start(glyph.first), narrow);
      }
    }
  }
}

TEST_P(AnyLane, AFoldIsAsBusyAsItsEvents) {
  std::size_t folds_seen = 0;
  for (const View& view : views) {
    const Drawn drawn = draw(view);
    const std::vector<Span> folded = spans_of(drawn.batch, SpanStyle::Folded);
    std::size_t next = 0;
    for (const LaneRow::Glyph& glyph : drawn.row.glyphs()) {
      if (glyph.last - glyph.first == 1) continue;
      ASSERT_LT(next, folded.size());
      const Span& span = folded[next++];
      const trace::Row& row = trace.lane(0).row(glyph.row);
      double busy = 0;
      for (EventIndex i = glyph.first; i < glyph.last; ++i) busy += static_cast<double>(row.end(i) - row.start(i));
      const auto stretch = static_cast<double>(row.end(glyph.last - 1) - row.start(glyph.first));
      ASSERT_NEAR(static_cast<double>(span.busy), stretch > 0 ? busy / stretch : 0, 1e-5);
      ASSERT_FLOAT_EQ(span.x0, glyph.x0);
      ASSERT_FLOAT_EQ(span.x1, glyph.x1);
    }
    EXPECT_EQ(next, folded.size());
    folds_seen += next;
  }
  EXPECT_GT(folds_seen, 100u);
}

// In a fold of calls, the hatched part is as high as the share of its time in which the CPU waited.
TEST_P(AnyLane, AFoldOfCallsIsHatchedAsFarAsItWaits) {
  if (trace.lane(0).info().kind != LaneKind::Calls) return;
  std::size_t hatched = 0;
  for (const View& view : views) {
    const Drawn drawn = draw(view);
    for (std::size_t i = 0; i + 1 < drawn.batch.spans.size(); ++i) {
      const Span& fold = drawn.batch.spans[i];
      const Span& wait = drawn.batch.spans[i + 1];
      if (fold.style != SpanStyle::Folded) continue;
      const auto glyph = std::find_if(drawn.row.glyphs().begin(), drawn.row.glyphs().end(),
                                      [&](const auto& g) { return g.x0 == fold.x0 && g.last - g.first > 1; });
      ASSERT_NE(glyph, drawn.row.glyphs().end());
      const trace::Row& row = trace.lane(0).row(glyph->row);
      Nanoseconds waited = 0;
      for (EventIndex e = glyph->first; e < glyph->last; ++e) {
        const trace::CallParts parts = trace::parts_of(row.event(e));
        waited += parts.waiting + parts.copying + parts.returning;
      }
      const auto stretch = static_cast<double>(row.end(glyph->last - 1) - row.start(glyph->first));
      const double share = stretch > 0 ? static_cast<double>(waited) / stretch : 0;
      const bool has_wait = wait.style == SpanStyle::Hatched && wait.x0 == fold.x0;
      ASSERT_EQ(has_wait, share > 0.005) << share;
      if (!has_wait) continue;
      ++hatched;
      ASSERT_FLOAT_EQ(wait.y1, fold.y1);
      ASSERT_NEAR(wait.y1 - wait.y0, share * static_cast<double>(fold.y1 - fold.y0), 1e-3);
    }
  }
  EXPECT_GT(hatched, 100u);
}

// Only busy time is drawn as busy, except for the pixel that even an instant gets.
TEST_P(AnyLane, BusyTimeIsNotInvented) {
  for (const View& view : views) {
    const Drawn drawn = draw(view);
    for (const LaneRow::Glyph& glyph : drawn.row.glyphs()) {
      const trace::Row& row = trace.lane(0).row(glyph.row);
      Nanoseconds busy = 0;
      for (EventIndex i = glyph.first; i < glyph.last; ++i) busy += row.end(i) - row.start(i);
      double drawn_px = static_cast<double>(glyph.x1 - glyph.x0);
      if (glyph.last - glyph.first > 1) {
        const auto stretch = static_cast<double>(row.end(glyph.last - 1) - row.start(glyph.first));
        drawn_px *= stretch > 0 ? static_cast<double>(busy) / stretch : 0;
      }
      ASSERT_LE(drawn_px, static_cast<double>(view.axis.length_px(busy)) + 1.001);
    }
  }
}

TEST_P(AnyLane, WhatIsUnderTheMouseIsWhatIsDrawnThere) {
  Random random(99);
  for (const View& view : views) {
    const Drawn drawn = draw(view);
    const float pitch = drawn.row.strip_pitch();
    for (int i = 0; i < 200; ++i) {
      const auto x = static_cast<float>(random.between(kLeft, kLeft + kWidth));
      const auto y = static_cast<float>(
          random.between(0, static_cast<double>(pitch * static_cast<float>(trace.lane(0).row_count()))));
      const auto hit = drawn.row.hit(x, y);
      const auto strip = static_cast<std::size_t>(y / pitch);
      bool near_any = false;
      bool hit_is_near = false;
      bool on_one = false;
      bool hit_is_on = false;
      for (const LaneRow::Glyph& g : drawn.row.glyphs()) {
        if (g.row != strip) continue;
        const bool same = hit && hit->row == g.row && hit->first == g.first && hit->last == g.last;
        const bool reached = g.x0 - 1.5f <= x && x <= g.x1 + 1.5f;
        const bool on = g.x0 <= x && x <= g.x1;
        near_any |= reached;
        hit_is_near |= reached && same;
        on_one |= on;
        hit_is_on |= on && same;
      }
      ASSERT_EQ(hit.has_value(), near_any);
      if (hit) {
        ASSERT_TRUE(hit_is_near);
      }
      if (on_one) {
        ASSERT_TRUE(hit_is_on) << "a neighbour that is only near took the place of what is there";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, AnyLane,
                         testing::Combine(testing::Values(LaneKind::Kernels, LaneKind::Calls, LaneKind::Phases),
                                          testing::Values(1, 2, 3)));

// Two glyphs in a row begin at least three pixels apart, so a sub-row has at most 2 * width / 3 of them, and a few.
TEST(LaneRow, DrawsWhatTheScreenHasWhateverTheNumberOfEvents) {
  constexpr float kFew = 4;
  for (const int events : {1'000, 30'000, 300'000}) {
    trace::Trace trace;
    TraceBuilder build(trace);
    const LaneId lane = build.lane(LaneKind::Kernels);
    build.events.reserve(static_cast<std::size_t>(events));
    Random random(5);
    Nanoseconds now = 0;
    for (int i = 0; i < events; ++i) {
      const Nanoseconds length = 1 + random.upto(2000);
      build.add(lane, EventKind::Kernel, "kernel", now, now + length);
      now += length + random.upto(500);
    }
    build.publish();
    for (const double part : {1.0, 0.1, 0.003}) {
      const auto to = static_cast<Nanoseconds>(static_cast<double>(now) * part);
      const TimeAxis axis = TimeAxis(0, 1, 0, kWidth).fitted(0, to);
      LaneRow row(lane);
      SpanBatch batch;
      row.prepare({trace, nullptr, axis, theme(ThemeName::Dark), kAllKnown, 1}, 0, batch);
      const float bound = 2 * kWidth / LaneRow::kFoldPx + kFew;
      EXPECT_LE(static_cast<float>(row.glyphs().size()), bound) << events << " events, " << part;
      EXPECT_LE(static_cast<float>(batch.spans.size()), bound);
      EXPECT_FALSE(row.glyphs().empty());
    }
  }
}

TEST(WaitShare, OfManyCallsIsWhatTheirPartsAddUpTo) {
  trace::Trace trace;
  TraceBuilder build(trace);
  std::uint32_t correlation = 0;
  // Ten calls of 40 ns and a wait of 600 ns in each iteration of 1000 ns: 540 waiting, 60 returning.
  for (Nanoseconds start = 0; start < 200'000; start += 1000) {
    build.iteration(start, start + 1000);
    for (int i = 0; i < 10; ++i) {
      build.launch(start + i * 40, start + i * 40 + 40, ++correlation);
      build.kernel(start + 50 + i * 50, start + 90 + i * 50, correlation);
    }
    build.sync(start + 400, start + 1000, 0, 60);
  }
  build.publish();
  const trace::Row& calls = trace.lane(build.lane(LaneKind::Calls)).row(0);
  const EventIndex first = 11 * 20;
  EXPECT_NEAR(wait_share(calls, first, first + 11 * 100), 0.6, 1e-9);
  EXPECT_NEAR(wait_share(calls, first, first + 11 * 3), 0.6, 1e-9);
}

}  // namespace
}  // namespace lanescope::ui
