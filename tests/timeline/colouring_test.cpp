// What the fill of an event says: by kind, name, duration, stream and thread.
#include "timeline/colouring.h"

#include <gtest/gtest.h>

#include <set>

#include "analysis/trace_builder.h"
#include "timeline/lane_row.h"

namespace lanescope::ui {
namespace {

using trace::Event;
using trace::EventKind;
using trace::LaneKind;

class ColouringTest : public testing::Test {
 protected:
  trace::LaneId lane(LaneKind kind, std::int64_t tid, std::int32_t stream) {
    trace::LaneInfo info;
    info.kind = kind;
    info.pid = 1;
    info.tid = tid;
    info.stream = stream;
    return trace.add_lane(info);
  }
  Event event(EventKind kind, const char* name, Nanoseconds start, Nanoseconds end) {
    Event e;
    e.kind = kind;
    e.name = trace.names().intern(name);
    e.start_ns = start;
    e.end_ns = end;
    return e;
  }
  void put(trace::LaneId on, Event e) {
    e.lane = on;
    trace.append(e);
  }
  EventColours& by(ColourBy mode) {
    colouring.by = mode;
    colours.begin(trace, colour, colouring);
    return colours;
  }
  Paint named(const char* name) const {
    const std::size_t place = category_of_name(name);
    return {colour.categories[place], colour.category_inks[place]};
  }

  trace::Trace trace;
  const Theme& colour = theme(ThemeName::Dark);
  Colouring colouring;
  EventColours colours;
};

// The published values of 64-bit FNV-1a, with their halves joined: "" has 0xcbf29ce484222325, "a" 0xaf63dc4c8601ec8c,
// "foobar" 0x85944171f73967e8.
TEST_F(ColouringTest, ANameHasTheSameColourEverywhere) {
  for (const auto& [name, hash] : {std::pair<const char*, std::uint64_t>{"", 0xcbf29ce484222325},
                                   {"a", 0xaf63dc4c8601ec8c},
                                   {"foobar", 0x85944171f73967e8}}) {
    EXPECT_EQ(category_of_name(name), (hash ^ hash >> 32) % kCategories) << name;
  }
  EXPECT_EQ(category_of_name("ProfilerStep#7"), category_of_name("ProfilerStep#812")) << "a number is no name";
  std::set<std::size_t> used;
  for (int i = 0; i < 200; ++i) used.insert(category_of_name("kernel_" + std::to_string(i)));
  EXPECT_EQ(used.size(), kCategories) << "all are used";
  const trace::LaneId kernels = lane(LaneKind::Kernels, 0, 7);
  EXPECT_EQ(by(ColourBy::Name).paint(kernels, event(EventKind::Kernel, "gemm", 0, 9)), named("gemm"));
  EXPECT_EQ(by(ColourBy::Kind).paint(kernels, event(EventKind::Kernel, "gemm", 0, 9)).fill, colour[Colour::Kernel]);
}

TEST_F(ColouringTest, WaitsEarlyReadsAndIterationsKeepTheirColour) {
  const trace::LaneId phases = lane(LaneKind::Phases, 1, 0);
  const trace::LaneId iterations = lane(LaneKind::Iterations, 1, 0);
  Event wait = event(EventKind::Range, "wait for batch", 0, 9);
  wait.flags = trace::kWaitFlag;
  Event early = event(EventKind::Range, "not arrived yet", 0, 9);
  early.flags = trace::kNotArrivedFlag;
  for (const ColourBy mode : kColourings) {
    EXPECT_EQ(by(mode).paint(phases, wait).fill, colour[Colour::LoaderWait]) << colour_by_key(mode);
    EXPECT_EQ(by(mode).paint(phases, early).fill, colour[Colour::NotArrived]) << colour_by_key(mode);
    EXPECT_EQ(by(mode).paint(iterations, event(EventKind::Range, "iteration", 0, 9)).fill, colour[Colour::Range]);
  }
}

// Kernels are told apart by name; what the lanes of the CPU show is known by its place.
TEST_F(ColouringTest, OnlyKernelsAreColouredByName) {
  const trace::LaneId kernels = lane(LaneKind::Kernels, 0, 7);
  const trace::LaneId phases = lane(LaneKind::Phases, 1, 0);
  const trace::LaneId calls = lane(LaneKind::Calls, 1, 0);
  Event op = event(EventKind::Range, "addmm", 0, 9);
  EXPECT_EQ(by(ColourBy::Name).paint(phases, op).fill, colour[Colour::Phase]);
  trace::set_range_kind(op, trace::RangeKind::Compute);
  EXPECT_EQ(by(ColourBy::Name).paint(phases, op), named("addmm")) << "a CPU device's kernel";
  EXPECT_EQ(by(ColourBy::Name).paint(calls, event(EventKind::Call, "cudaMalloc", 0, 9)).fill, colour[Colour::Call]);
  EXPECT_EQ(by(ColourBy::Name).paint(kernels, event(EventKind::Kernel, "addmm", 0, 9)), named("addmm"));
}

// A wait is hatched in its own colours, whatever they say; the own cost of its call has the colour of a call.
TEST_F(ColouringTest, TheHatchingOfAWaitIsTheSameInEveryMode) {
  const trace::LaneId calls = lane(LaneKind::Calls, 1, 0);
  Event sync = event(EventKind::Call, "cudaStreamSynchronize", 0, 100'000);
  trace::set_parts(sync, {10'000, 0, 20'000, 10'000});
  put(calls, sync);
  trace.publish();
  const TimeAxis axis = TimeAxis(0, 1, 0, 1000).fitted(0, 100'000);
  for (const ColourBy mode : kColourings) {
    RowContext context{trace, nullptr, axis, colour, 200'000};
    context.colours = &by(mode);
    LaneRow row(calls);
    SpanBatch batch;
    row.prepare(context, 0, batch);
    ASSERT_EQ(batch.spans.size(), 3u);
    EXPECT_EQ(batch.spans[0].colour, by(mode).paint(calls, sync).fill) << "its own cost is no wait";
    EXPECT_EQ(batch.spans[1].style, SpanStyle::Hatched);
    EXPECT_EQ(batch.spans[1].ink, wait_hatching(colour, false).ink);
  }
}

// Up to eight events are read: here "b" takes 5 of 9 ns. Nine have the colour of their kind.
TEST_F(ColouringTest, AFoldHasTheColourOfTheNameThatFillsIt) {
  const trace::LaneId kernels = lane(LaneKind::Kernels, 0, 7);
  const char* names[] = {"a", "b", "a", "c", "b"};
  const Nanoseconds lengths[] = {2, 3, 1, 1, 2};
  Nanoseconds at = 0;
  for (int i = 0; i < 5; ++i) {
    put(kernels, event(EventKind::Kernel, names[i], at, at + lengths[i]));
    at += lengths[i];
  }
  for (int i = 0; i < 4; ++i, at += 1) put(kernels, event(EventKind::Kernel, "b", at, at + 1));
  trace.publish();
  const trace::Row& row = trace.lane(kernels).row(0);
  EXPECT_EQ(by(ColourBy::Name).paint_fold(kernels, row, 0, {5, 0, 9, 9}), named("b"));
  EXPECT_EQ(by(ColourBy::Name).paint_fold(kernels, row, 0, {9, 0, 13, 13}).fill, colour[Colour::Kernel]);
  EXPECT_EQ(by(ColourBy::Kind).paint_fold(kernels, row, 0, {5, 0, 9, 9}).fill, colour[Colour::Kernel]);
}

// 1 µs to 1 ms in six steps: a step is half a decade, so 10 µs begins the third, and 9 µs is in the second.
TEST_F(ColouringTest, TheStepsOfTheRampGrowByAConstantFactor) {
  const DurationScale scale{1'000, 1'000'000};
  EXPECT_EQ(scale.step(1), 0u);
  EXPECT_EQ(scale.step(1'000), 0u);
  EXPECT_EQ(scale.step(9'000), 1u);
  EXPECT_EQ(scale.step(11'000), 2u);
  EXPECT_EQ(scale.step(999'999), 5u);
  EXPECT_EQ(scale.step(1'000'000'000), 5u);
  EXPECT_EQ(DurationScale{}.step(5), 0u);
  // A fold has the colour of its mean: 9 ns in 3 events on a scale from 1 to 100 ns, whose second step begins at 2.15.
  const trace::LaneId kernels = lane(LaneKind::Kernels, 0, 7);
  for (int i = 0; i < 3; ++i) put(kernels, event(EventKind::Kernel, "k", 10 * i, 10 * i + 3));
  trace.publish();
  colouring.scales[static_cast<std::size_t>(DurationGroup::Kernels)] = {1, 100};
  EXPECT_EQ(by(ColourBy::Duration).paint_fold(kernels, trace.lane(kernels).row(0), 0, {3, 0, 23, 9}).fill,
            colour.ramp[1]);
}

// 100 kernels of 2 µs to 200 µs: the 1st percentile is 4 µs, rounded down to 3 µs; the 99th is 198 µs, up to 300 µs.
// Copies of one length get a decade.
TEST_F(ColouringTest, ScalesAreOfThePercentilesOfEachKind) {
  const trace::LaneId kernels = lane(LaneKind::Kernels, 0, 7);
  const trace::LaneId copies = lane(LaneKind::CopyH2D, 0, 7);
  Nanoseconds at = 0;
  for (int i = 1; i <= 100; ++i) {
    put(kernels, event(EventKind::Kernel, "k", at, at + 2'000 * i));
    at += 2'000 * i;
  }
  put(copies, event(EventKind::Copy, "c", 0, 5'000));
  trace.publish();
  const DurationScales scales = sampled_scales(trace);
  EXPECT_EQ(scales[static_cast<std::size_t>(DurationGroup::Kernels)], (DurationScale{3'000, 300'000}));
  EXPECT_EQ(scales[static_cast<std::size_t>(DurationGroup::Copies)], (DurationScale{3'000, 30'000}));
  EXPECT_FALSE(scales[static_cast<std::size_t>(DurationGroup::Calls)].known());
  DurationScales before{};
  before[0] = {10'000, 1'000'000};
  EXPECT_EQ(joined(before, scales)[0], (DurationScale{3'000, 1'000'000})) << "a scale only grows";
}

TEST_F(ColouringTest, LanesOfAStreamOrAThreadShareAColour) {
  const trace::LaneId calls = lane(LaneKind::Calls, 11, 0);
  const trace::LaneId phases = lane(LaneKind::Phases, 11, 0);
  const trace::LaneId other = lane(LaneKind::Phases, 12, 0);
  const trace::LaneId kernels = lane(LaneKind::Kernels, 0, 7);
  const trace::LaneId copies = lane(LaneKind::CopyH2D, 0, 7);
  const trace::LaneId second = lane(LaneKind::Kernels, 0, 20);
  const auto fill = [&](ColourBy mode, trace::LaneId on, EventKind kind) {
    return by(mode).paint(on, event(kind, "x", 0, 9)).fill;
  };
  EXPECT_EQ(fill(ColourBy::Stream, kernels, EventKind::Kernel), colour.categories[0]);
  EXPECT_EQ(fill(ColourBy::Stream, copies, EventKind::Copy), colour.categories[0]);
  EXPECT_EQ(fill(ColourBy::Stream, second, EventKind::Kernel), colour.categories[1]);
  EXPECT_EQ(fill(ColourBy::Stream, phases, EventKind::Range), colour[Colour::Phase]) << "no stream: its kind";
  EXPECT_EQ(fill(ColourBy::Thread, calls, EventKind::Call), colour.categories[0]);
  EXPECT_EQ(fill(ColourBy::Thread, phases, EventKind::Range), colour.categories[0]);
  EXPECT_EQ(fill(ColourBy::Thread, other, EventKind::Range), colour.categories[1]);
  EXPECT_EQ(fill(ColourBy::Thread, kernels, EventKind::Kernel), colour[Colour::Kernel]);
  EXPECT_EQ(colours.owners().size(), 2u);
}

TEST_F(ColouringTest, TheModesFollowOneAnotherAndAreParsed) {
  ColourBy at = ColourBy::Kind;
  for (const ColourBy next : {ColourBy::Name, ColourBy::Duration, ColourBy::Stream, ColourBy::Thread, ColourBy::Kind}) {
    EXPECT_EQ(at = next_colour_by(at), next);
    EXPECT_EQ(parse_colour_by(colour_by_key(at)), at);
  }
  EXPECT_FALSE(parse_colour_by("rainbow"));
  EXPECT_EQ(colouring_text({}), "");
  Colouring lengths{ColourBy::Duration, {}};
  lengths.scales[0] = {1'000, 100'000};
  EXPECT_EQ(colouring_text(lengths), "colours by duration (kernels 1 µs – 100 µs)");
}

// One colour, one meaning: a verdict and a cause look like the same thing on the lanes, and amber is for bytes only.
TEST(MeaningOfColours, VerdictsAndCausesLookLikeTheLanes) {
  using analysis::CauseGroup;
  using analysis::VerdictKind;
  EXPECT_EQ(colour_of(VerdictKind::SyncBound), Colour::Wait);
  EXPECT_EQ(colour_of(VerdictKind::LaunchBound), Colour::Launch);
  EXPECT_EQ(colour_of(VerdictKind::LoaderBound), Colour::LoaderWait);
  EXPECT_EQ(colour_of(CauseGroup::AfterSync), colour_of(VerdictKind::SyncBound));
  EXPECT_EQ(colour_of(CauseGroup::Launch), colour_of(VerdictKind::LaunchBound));
  EXPECT_EQ(colour_of(CauseGroup::Copy), colour_of(VerdictKind::CopyBound));
  EXPECT_EQ(colour_of(CauseGroup::Loader), colour_of(VerdictKind::LoaderBound));
}

}  // namespace
}  // namespace lanescope::ui
