#include "model/details/event_facts.h"

#include <gmock/gmock.h>

#include "analysis/trace_builder.h"
#include "inspect/cause.h"

namespace lanescope::ui {
namespace {

using analysis_test::TraceBuilder;
using testing::HasSubstr;
using testing::Not;
using trace::EventKind;
using trace::LaneKind;

class EventFactsTest : public testing::Test {
 protected:
  EventRef first_on(LaneKind kind) {
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const auto lane = static_cast<trace::LaneId>(l);
      if (trace.lane(lane).info().kind == kind) return event_ref(lane, 0, trace.lane(lane).row(0), 0);
    }
    ADD_FAILURE() << "no such lane";
    return {};
  }
  std::string text_of(LaneKind kind, const std::optional<EventRef>& linked = {}, int sm_count = 0) {
    t.publish();
    links.update();
    return facts_text(trace, event_facts(links, first_on(kind), linked, 0, sm_count));
  }

  trace::Trace trace;
  TraceBuilder t{trace};
  trace::Links links{trace};
};

// 864 blocks of 256 threads: 221,184 threads; on 108 multiprocessors 8 blocks each, which are 8 * 256 / 32 = 64 warps.
TEST_F(EventFactsTest, AKernelWithAllThatIsKnown) {
  t.add(t.lane(LaneKind::Phases, 0, "operators"), EventKind::Range, "aten::mm", 100, 400);
  t.launch(120, 130, 5);
  const trace::LaunchShape shape{.grid = {864, 1, 1},
                                 .block = {256, 1, 1},
                                 .registers_per_thread = 47,
                                 .shared_bytes = 50'176,
                                 .static_shared_bytes = 1'024,
                                 .dynamic_shared_bytes = 49'152,
                                 .context = 1};
  trace::Event& kernel =
      t.add(t.lane(LaneKind::Kernels, 7, "kernels"), EventKind::Kernel, "void ns::gemm<4>(int)", 200, 260, 5);
  trace::set_launch(kernel, trace.launches().intern(shape));
  trace::set_external_id(kernel, 77);
  trace::set_arguments(kernel, trace.arguments().intern(R"("priority":-1,"note":"a \"b\"")"));
  t.publish();
  EXPECT_EQ(text_of(LaneKind::Kernels, first_on(LaneKind::Calls), 108),
            "void ns::gemm<4>(int)\n"
            "duration: 60 ns\nstart: 200 ns\nend: 260 ns\n"
            "issued by: cudaLaunchKernel\nlaunch to start: 80 ns\n"
            "grid: 864 × 1 × 1\nblock: 256 × 1 × 1\nthreads: 221,184\nregisters per thread: 47\n"
            "shared memory, static: 1,024 B\nshared memory, dynamic: 48.0 KiB\n"
            "blocks per SM: 8\nwarps per SM: 64\ncontext: 1\n"
            "device · stream: 0 · 7\ncorrelation: 5\nexternal id: 77\n"
            "inside, innermost first:\n  aten::mm\n"
            "priority: -1\nnote: a \"b\"\n");
}

// One launch ran three kernels: the launch says how many, a kernel which of them it is.
// Only a session file can have them.
TEST_F(EventFactsTest, ArgumentsThatAreNestedWithoutEndAreCut) {
  const std::string deep = R"("deep":[1,)" + std::string(400'000, '[') + std::string(400'000, ']') + R"(],"next":2)";
  trace::Event& kernel = t.add(t.lane(LaneKind::Kernels, 7, "kernels"), EventKind::Kernel, "k", 200, 260, 5);
  trace::set_arguments(kernel, trace.arguments().intern(deep));
  const std::string text = text_of(LaneKind::Kernels);
  EXPECT_THAT(text, HasSubstr("next"));
  EXPECT_LT(text.size(), 5'000u);
}

TEST_F(EventFactsTest, TheNodesOfAGraphAreNumbered) {
  t.call("cudaGraphLaunch", 100, 103, 5).flags = trace::kLaunchFlag;
  for (const Nanoseconds start : {110, 120, 130}) t.kernel(start, start + 10, 5);
  t.kernel(150, 160, 6);
  t.publish();
  links.update();
  const EventRef call = first_on(LaneKind::Calls), first = first_on(LaneKind::Kernels);
  EXPECT_THAT(text_of(LaneKind::Calls, first), HasSubstr("runs as: a graph of 3 nodes\nlaunch to start: 10 ns\n"));
  EXPECT_THAT(text_of(LaneKind::Kernels, call),
              HasSubstr("graph node: 1 of 3\nlaunched by: cudaGraphLaunch\nlaunch to start: 10 ns\n"));
  const trace::Row& row = trace.lane(first.lane).row(0);
  const EventRef last = event_ref(first.lane, 0, row, 2), alone = event_ref(first.lane, 0, row, 3);
  EXPECT_THAT(facts_text(trace, event_facts(links, last, call, 0, 0)), HasSubstr("graph node: 3 of 3"));
  EXPECT_EQ(graph_nodes(links, call).size(), 3u);
  EXPECT_EQ(graph_nodes(links, last).size(), 3u);
  EXPECT_TRUE(graph_nodes(links, alone).empty());
}

// A kernel launched by itself is no graph.
TEST_F(EventFactsTest, AKernelByItselfHasNoNumber) {
  t.kernel({100, 103}, {110, 120});
  t.publish();
  EXPECT_THAT(text_of(LaneKind::Kernels, first_on(LaneKind::Calls)), Not(HasSubstr("graph")));
  EXPECT_TRUE(graph_nodes(links, first_on(LaneKind::Calls)).empty());
}

// A simulated kernel has no grid, and none is made up.
TEST_F(EventFactsTest, WhatIsUnknownHasNoLine) {
  t.kernel(0, 10, 3);
  const std::string text = text_of(LaneKind::Kernels, {}, 108);
  for (const char* unknown : {"grid", "block", "registers", "shared", "SM", "occupancy", "issued by", "inside"}) {
    EXPECT_THAT(text, Not(HasSubstr(unknown)));
  }
}

// 4,000 bytes in 2,000 ns are 2 GB/s.
TEST_F(EventFactsTest, ACopy) {
  trace::Event& copy = t.add(t.lane(LaneKind::CopyH2D, 7, "copy H2D"), EventKind::Copy, "Memcpy HtoD", 0, 2'000, 6);
  trace::set_bytes(copy, 4'000);
  trace::set_copy_traits(
      copy, {trace::CopyDirection::HostToDevice, trace::MemoryKind::Pageable, trace::MemoryKind::Device, true});
  EXPECT_EQ(text_of(LaneKind::CopyH2D),
            "Memcpy HtoD\nduration: 2 µs\nstart: 0 ns\nend: 2 µs\nbytes: 4,000 (4 kB)\nrate: 2.00 GB/s\n"
            "memory: pageable → device\ndevice · stream: 0 · 7\ncorrelation: 6\n");
}

// More than any memory holds, and than a signed number does.
TEST_F(EventFactsTest, ACopyThatClaimsExabytes) {
  trace::Event& copy = t.add(t.lane(LaneKind::CopyH2D, 7, "copy H2D"), EventKind::Copy, "Memcpy HtoD", 0, 2'000, 6);
  trace::set_bytes(copy, 11'000'000'000'000'000'000u);
  EXPECT_THAT(text_of(LaneKind::CopyH2D), HasSubstr("bytes: 9,223,372,036,854,775,807 (9223 PB)\n"));
}

// A wait in [20, 230): 5 of its own, 10 of return, so 195 of waiting.
TEST_F(EventFactsTest, AWaitInItsParts) {
  t.sync(20, 230, 5, 10);
  EXPECT_THAT(text_of(LaneKind::Calls),
              HasSubstr("own cost: 5 ns\nwaiting for GPU: 195 ns\ncopying: 0 ns\nreturn: 10 ns\n"));
}

}  // namespace
}  // namespace lanescope::ui
