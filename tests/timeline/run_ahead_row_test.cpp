#include "timeline/lane_row.h"

#include <gmock/gmock.h>

#include <random>

#include "timeline/drawn.h"

namespace lanescope::ui {
namespace {

using trace::Event;

struct Issued {
  Nanoseconds from, until;  // counted in [from, until)
};

// A program as a device records it: correlation numbers ascend, and each of two streams runs its work in order of
// issue.
std::vector<Issued> random_program(TraceBuilder& build, std::uint64_t seed, int calls) {
  std::mt19937_64 random(seed);
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  std::vector<Issued> issued;
  Nanoseconds now = 10;
  Nanoseconds free[2] = {0, 0};
  for (std::uint32_t correlation = 1; correlation <= static_cast<std::uint32_t>(calls); ++correlation) {
    now += upto(30);
    const int stream = upto(1);
    Nanoseconds& done = free[stream];
    switch (upto(6)) {
      case 0: {  // a synchronisation; it issues nothing
        const Nanoseconds end = std::max(now, done) + upto(10);
        build.sync(now, end, 0, 0).correlation = correlation;
        now = end;
        break;
      }
      case 1: {  // a copy that blocks the CPU: its work is in progress before it returns
        const Nanoseconds start = std::max(done, now + 1 + upto(5));
        const Nanoseconds end = start + 1 + upto(60);
        build.upload(start, end, 100, correlation, stream);
        build.staging_copy(now, end + upto(5), correlation);
        issued.push_back({now, end});
        done = end;
        now = end + 5;
        break;
      }
      case 2: {  // a graph: one launch, and one operation in flight until its last node has ended
        const Nanoseconds back = now + 1 + upto(8);
        build.launch(now, back, correlation);
        done = std::max(done, back + upto(10));
        for (int node = upto(6); node >= 0; --node) {
          const Nanoseconds start = done + upto(4), end = start + 1 + upto(20);
          build.kernel(start, end, correlation, stream);
          done = end;
        }
        issued.push_back({back, done});
        now = back;
        break;
      }
      default: {
        const Nanoseconds back = now + 1 + upto(8);
        const Nanoseconds start = std::max(done, back + upto(10));
        const Nanoseconds end = start + 1 + upto(40);
        build.launch(now, back, correlation);
        build.kernel(start, end, correlation, stream);
        issued.push_back({back, end});
        done = end;
        now = back;
      }
    }
  }
  return issued;
}

// The value of the curve at a time, from everything in the trace.
std::int64_t run_ahead_at(const trace::Trace& trace, Nanoseconds t) {
  const Finished analysis(trace);
  const trace::Trace::ReadLock lock(trace);
  return analysis::InFlight::Reader(analysis.in_flight()).at(t);
}

TEST(RunAhead, AtAnyInstantIsWhatWasIssuedAndHasNotEnded) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    trace::Trace trace;
    TraceBuilder build(trace);
    const std::vector<Issued> issued = random_program(build, seed, 300);
    build.publish();
    const Nanoseconds end = trace.extent().second;
    const Finished analysis(trace);
    const trace::Trace::ReadLock lock(trace);
    analysis::InFlight::Reader in_flight(analysis.in_flight());
    std::int64_t most = 0;
    for (Nanoseconds t = -5; t < end + 20; t += 3) {
      std::int64_t expected = 0;
      for (const Issued& op : issued) expected += op.from <= t && t < op.until ? 1 : 0;
      ASSERT_EQ(in_flight.at(t), expected) << "seed " << seed << " at " << t;
      most = std::max(most, expected);
    }
    EXPECT_GE(most, 3);
  }
}

// Three launches of 100 ns are back at 100, 200 and 300; their kernels end at 500, 700 and 900.
TEST(RunAhead, CountsUpWithLaunchesAndDownWithKernels) {
  trace::Trace trace;
  TraceBuilder build(trace);
  for (int i = 0; i < 3; ++i) build.kernel({i * 100, i * 100 + 100}, {300 + i * 200, 500 + i * 200});
  build.publish();
  const std::vector<std::pair<Nanoseconds, std::int64_t>> expected{{0, 0},   {99, 0},  {100, 1}, {200, 2}, {300, 3},
                                                                   {499, 3}, {500, 2}, {700, 1}, {899, 1}, {900, 0}};
  for (const auto& [t, count] : expected) EXPECT_EQ(run_ahead_at(trace, t), count) << t;
}

// An operation without a known call counts from its own start.
TEST(RunAhead, AnOperationWithoutACallCountsWhileItRuns) {
  trace::Trace trace;
  TraceBuilder build(trace);
  build.kernel({0, 100}, {200, 300});
  build.kernel(600, 700, 0);
  build.publish();
  EXPECT_EQ(run_ahead_at(trace, 150), 1);
  EXPECT_EQ(run_ahead_at(trace, 400), 0);
  EXPECT_EQ(run_ahead_at(trace, 650), 1);
  EXPECT_EQ(run_ahead_at(trace, 700), 0);
}

TEST(RunAhead, OfAnEmptyTraceIsNothing) {
  trace::Trace trace;
  EXPECT_EQ(run_ahead_at(trace, 0), 0);
  EXPECT_EQ(run_ahead_at(trace, kAllKnown), 0);
}

class RunAheadRowTest : public DrawnTrace {
 protected:
  const SpanBatch& draw(Nanoseconds live_edge = kAllKnown) {
    batch.clear();
    const Finished analysis(trace);
    row.prepare({trace, &analysis, axis, colours, live_edge, 1}, 0, batch);
    return batch;
  }
  /// The curve's height above the row's bottom at a pixel, as drawn; -1 if nothing is drawn.
  float height_at(float x) const {
    float top = 1000;
    for (const Span& span : spans_filled(batch, with_alpha(colours[Colour::Accent], 0.22f))) {
      if (span.x0 <= x && x < span.x1) top = std::min(top, span.y0);
    }
    return top < 1000 ? 58 - top : -1;
  }

  const TimeAxis axis{0, 10, 0, 200};  // 0 to 2000 ns
  RunAheadRow row;
  SpanBatch batch;
};

// Two in flight from 300 to 500 ns (pixels 30 to 50), one until 900. The scale goes to 4 at least, over 54 of the 58
// pixels: one is 13.5 high, two are 27.
TEST_F(RunAheadRowTest, DrawsTheCurveInSteps) {
  build.kernel({0, 100}, {250, 500});
  build.kernel({200, 300}, {500, 900});
  build.kernel(1990, 2000);  // so that the end is known
  build.publish();
  draw();
  EXPECT_EQ(row.peak(), 2);
  EXPECT_NEAR(height_at(5), 0, 1e-3);
  EXPECT_NEAR(height_at(20), 13.5, 1e-3);
  EXPECT_NEAR(height_at(40), 27, 1e-3);
  EXPECT_NEAR(height_at(70), 13.5, 1e-3);
  EXPECT_NEAR(height_at(120), 0, 1e-3);
  for (const Span& span : batch.spans) {
    EXPECT_GE(span.y0, -1);
    EXPECT_LE(span.y1, 59);
  }
}

// Each iteration of 1000 ns launches nine kernels, the k-th from (k - 1) * 10 ns on, which ends at 100 + 90 k: it is in
// flight for 110 + 80 k, which adds up to 4590 over k = 1..9. A column of 40 iterations shows the mean, 4.59, as 5; an
// instant of it would show anything from none to nine.
TEST_F(RunAheadRowTest, AColumnOfManyIterationsShowsTheirMean) {
  constexpr Nanoseconds kIterations = 4000, kLength = 1000;
  build.events.reserve(kIterations * 19);
  for (Nanoseconds start = 0; start < kIterations * kLength; start += kLength) {
    build.iteration(start, start + kLength);
    for (Nanoseconds k = 1; k <= 9; ++k) {
      build.kernel({start + (k - 1) * 10, start + k * 10}, {start + 10 + 90 * k, start + 100 + 90 * k});
    }
  }
  build.publish();
  const Finished analysis(trace);
  const TimeAxis whole = TimeAxis(0, 1, 0, 200).fitted(0, kIterations * kLength);
  row.prepare({trace, &analysis, whole, colours, kAllKnown, 1}, 0, batch);
  EXPECT_EQ(row.peak(), 5);
  for (float x = 5; x < 195; x += 10) EXPECT_NEAR(height_at(x), height_at(100), 1e-3) << x;
}

TEST_F(RunAheadRowTest, NothingIsKnownBeyondTheLiveEdge) {
  build.kernel({0, 100}, {250, 1900});
  build.publish();
  draw(600);
  EXPECT_NEAR(height_at(55), 13.5, 1e-3);
  EXPECT_EQ(height_at(65), -1);
}

// A hundred in flight: the scale grows at once, so that the curve stays in its row, and shrinks gradually.
TEST_F(RunAheadRowTest, TheScaleGrowsAtOnceAndShrinksSlowly) {
  for (int i = 0; i < 100; ++i) build.kernel({i, i + 1}, {1000 + i, 1001 + i});
  build.publish();
  draw();
  EXPECT_EQ(row.peak(), 100);
  EXPECT_NEAR(height_at(50), 54 / 1.1, 1e-3);
  const TimeAxis later(1500, 10, 0, 200);
  batch.clear();
  const Finished analysis(trace);
  row.prepare({trace, &analysis, later, colours, kAllKnown, 1}, 0, batch);
  EXPECT_EQ(row.peak(), 0);
  draw();
  EXPECT_NEAR(height_at(50), 54 / 1.1, 1e-3);
}

}  // namespace
}  // namespace lanescope::ui
