// What the tests of the analysis have in common: traces read to their end, gaps with their causes, costs.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <string_view>
#include <vector>

#include "analysis/live_analysis.h"
#include "analysis/trace_builder.h"

namespace lanescope::analysis_test {

inline constexpr Nanoseconds kEver = std::numeric_limits<Nanoseconds>::max();

/// The analysis of a trace to which nothing is added any more.
struct Finished : analysis::LiveAnalysis {
  template <typename... Limits>
  explicit Finished(const trace::Trace& trace, Limits... limits) : LiveAnalysis(trace, limits...) {
    update(kEver);
    finish();
  }
};

/// Everything of this process is recorded in these stretches only.
inline void record_in(trace::Trace& trace, std::initializer_list<Span> stretches, std::int64_t pid = 0) {
  for (const auto& [from, to] : stretches) {
    trace.begin_recorded(pid, from);
    trace.end_recorded(pid, to);
  }
}

/// Of a statement or a line.
template <typename Cost>
void expect_cost(const Cost& cost, std::int64_t count, Nanoseconds cpu, Nanoseconds wait, Nanoseconds gpu) {
  EXPECT_EQ(cost.count, count);
  EXPECT_EQ(cost.cpu_ns, cpu);
  EXPECT_EQ(cost.wait_ns, wait);
  EXPECT_EQ(cost.gpu_ns, gpu);
}

/// Of whatever has a beginning and an end.
template <typename Stretch>
void expect_span(const Stretch& s, Nanoseconds from, Nanoseconds to) {
  if constexpr (requires { s.from_ns; }) {
    EXPECT_EQ(s.from_ns, from);
    EXPECT_EQ(s.to_ns, to);
  } else {
    EXPECT_EQ(s.start_ns, from);
    EXPECT_EQ(s.end_ns, to);
  }
}
inline void expect_bubbles(const analysis::Summary& s, std::int64_t count, Nanoseconds ns) {
  EXPECT_EQ(s.bubble_count, count);
  EXPECT_EQ(s.bubble_ns, ns);
}
inline void expect_run_ahead(const analysis::Summary& s, double mean, std::int64_t most) {
  EXPECT_DOUBLE_EQ(s.run_ahead_mean, mean);
  EXPECT_EQ(s.run_ahead_max, most);
}

class TraceTest : public testing::Test {
 protected:
  trace::Trace trace;
  TraceBuilder t{trace};
};

/// Gaps between operations. A first kernel starts with the trace, so that the first gap is between two operations.
class GapTest : public TraceTest {
 protected:
  using Bubble = analysis::Bubble;
  using BubbleCause = analysis::BubbleCause;

  std::vector<Bubble> bubbles() {
    t.publish();
    const Finished live(trace);
    return {live.bubbles().begin(), live.bubbles().end()};
  }
  Bubble only() {
    const std::vector<Bubble> all = bubbles();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Bubble{} : all.front();
  }
  /// Adds a kernel [0,100) and, after a gap of 60 if not told otherwise, one with its launch. The gap between them.
  Bubble gap(Span launched = {150, 155}, Span runs = {160, 200}, int thread = 0) {
    t.kernel(0, 100);
    t.kernel(launched, runs, 0, thread);
    return only();
  }
  /// A gap's causes, each with how long: "CPU work 10, pinning memory 40".
  std::string parts() {
    std::string text;
    for (const Bubble& b : bubbles()) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cause_name(b.cause), b.duration());
      EXPECT_EQ(b.continues, text.find(',') != std::string::npos) << "of one gap";
    }
    return text;
  }
  /// The same of gap().
  std::string gap_parts(Span launched = {150, 155}, Span runs = {160, 200}) {
    t.kernel(0, 100);
    t.kernel(launched, runs);
    return parts();
  }
  /// That its cause and its parts are these, and that it has no others.
  void expect(const Bubble& b, BubbleCause cause, Nanoseconds wake, Nanoseconds cpu, Nanoseconds launch) {
    EXPECT_EQ(cause_name(b.cause), cause_name(cause));
    EXPECT_EQ(b.wake_ns, wake);
    EXPECT_EQ(b.cpu_ns, cpu);
    EXPECT_EQ(b.launch_ns, launch);
    EXPECT_EQ(b.wake_ns + b.cpu_ns + b.launch_ns, b.duration());
  }
  void expect(const Bubble& b, BubbleCause cause, Nanoseconds wake, Nanoseconds cpu, Nanoseconds launch,
              std::string_view call) {
    expect(b, cause, wake, cpu, launch);
    EXPECT_EQ(call_of(b), call);
  }
  std::string_view call_of(const Bubble& b) const { return trace.names().text(b.call); }
};

}  // namespace lanescope::analysis_test
