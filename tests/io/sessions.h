// Sessions with something of everything, and what makes two of them the same.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/session_file.h"
#include "io/session_format.h"
#include "io/trace_file.h"
#include "scratch.h"
#include "traces.h"

namespace lanescope::io {

using base::Nanoseconds;

inline trace::ClockFacts some_clock(int readings) {
  trace::ClockFacts clock;
  clock.host = "n1";
  clock.boot_id = "6f7f2a4e-3a3c-4f0e-8f5e-0d9a4a6a2f11";
  clock.time_namespace = "time:[4026531834]";
  clock.origin_ns = 104'778'000'000'123;
  for (int i = 0; i < readings; ++i) {
    // Of the one without a word of the kernel's, nothing else is known.
    clock.readings.push_back(i == 1
                                 ? trace::ClockReading{clock.origin_ns + i, 1'796'077'000'000'000'001, 129, -1, 0, 0, 0}
                                 : trace::ClockReading{clock.origin_ns + i * trace::kClockEvery,
                                                       1'796'077'000'000'000'000 + i * trace::kClockEvery, 85, 0x2001,
                                                       312'500, 27, -1'234'567 - i});
  }
  return clock;
}

inline RunFacts full_facts() {
  RunFacts facts;
  facts.workload = "linear-mse";
  facts.program = "train.py";
  facts.iterations = "train.py:41  for batch in loader:";
  facts.device = "sim:rtx4090";
  facts.device_name = "RTX 4090";
  facts.simulated = true;
  facts.sm_count = 128;
  facts.h2d_peak_gb_per_s = 0.1 + 0.2;  // needs all 17 digits
  facts.d2h_peak_gb_per_s = 26.3;
  facts.settings = {{"pinned", "true"}, {"batch", "64"}, {"empty", ""}};
  facts.clock = some_clock(3);
  facts.marks = std::string("{\"rulers\":[\"\xff\"]}\0", 17);
  return facts;
}

inline trace::CaptureHealth some_health() {
  trace::CaptureHealth health;
  health.state = trace::CaptureState::Degraded;
  health.reason = "no records of graphs";
  health.library = "libcupti.so.13";
  std::uint64_t n = 0;
  session::for_each_number(health, [&](const char*, auto& number) {
    number = static_cast<std::remove_reference_t<decltype(number)>>(++n * 1'000'000'007u);
  });
  return health;
}

inline void expect_same_sites(const trace::Trace& a, const trace::Trace& b) {
  ASSERT_EQ(a.sites().size(), b.sites().size());
  for (std::uint32_t site = 1; site <= a.sites().size(); ++site) {
    EXPECT_EQ(a.sites().stack(site).frames, b.sites().stack(site).frames);
    EXPECT_EQ(a.sites().stack(site).own, b.sites().stack(site).own);
  }
  EXPECT_EQ(a.sites().noted(), b.sites().noted());
  for (std::size_t l = 0; l < a.lane_count(); ++l) {
    const auto all = [&](const trace::Trace& t) {
      return t.sites().between(static_cast<LaneId>(l), std::numeric_limits<Nanoseconds>::min(),
                               std::numeric_limits<Nanoseconds>::max());
    };
    const auto notes = all(a), others = all(b);
    ASSERT_EQ(notes.size(), others.size());
    for (std::size_t i = 0; i < notes.size(); ++i) {
      EXPECT_EQ(notes[i].start_ns, others[i].start_ns);
      EXPECT_EQ(notes[i].site, others[i].site);
    }
  }
}

inline std::vector<trace::Coverage::Interval> intervals_of(const trace::Trace& trace, std::int64_t pid) {
  const trace::Coverage& coverage = trace.coverage(pid);
  std::vector<trace::Coverage::Interval> intervals;
  for (auto i = coverage.first(); i < coverage.last(); ++i) intervals.push_back(coverage.interval(i));
  return intervals;
}

// Row by row, not only the same set of events.
inline void expect_same_rows(const trace::Trace& a, const trace::Trace& b) {
  ASSERT_EQ(lanes_of(a), lanes_of(b));
  for (std::size_t l = 0; l < a.lane_count(); ++l) {
    const trace::Lane &lane = a.lane(static_cast<LaneId>(l)), &other = b.lane(static_cast<LaneId>(l));
    ASSERT_EQ(lane.row_count(), other.row_count());
    EXPECT_EQ(events_of(a, l), events_of(b, l));
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      ASSERT_EQ(lane.row(r).last() - lane.row(r).first(), other.row(r).last());
      for (trace::EventIndex i = 0; i < other.row(r).last(); ++i) {
        const trace::EventIndex from = lane.row(r).first() + i;
        ASSERT_EQ(lane.row(r).start(from), other.row(r).start(i));
        ASSERT_EQ(lane.row(r).end(from), other.row(r).end(i));
      }
    }
  }
}

inline void note_some_sites(trace::Trace& trace) {
  const base::NameId file = trace.names().intern("/home/ann/train.py"),
                     library = trace.names().intern("/lib/python3/x.py"), main = trace.names().intern("main"),
                     item = trace.names().intern("item");
  const std::array<trace::Frame, 2> deep{trace::Frame{library, item, 0}, trace::Frame{file, main, 57}};
  const std::array<trace::Frame, 1> flat{trace::Frame{file, main, 41}};
  const auto a = trace.sites().intern(deep, 1), b = trace.sites().intern(flat, 0);
  for (int i = 0; i < 100; ++i) trace.sites().note(3, i * 1'000 - 500, i % 3 == 0 ? a : b);
}

/// A session in four steps.
inline std::string small_file(const std::filesystem::path& path) {
  trace::Trace trace;
  SessionWriter writer(path, trace);
  const LaneId lane = trace.add_lane(cpu_lane(LaneKind::Calls, "calls"));
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < 20; ++i) {
      trace.append(make_event(trace, lane, EventKind::Call, "call " + std::to_string(i), step * 1'000 + i * 10,
                              step * 1'000 + i * 10 + 5, static_cast<std::uint32_t>(i)));
    }
    trace.publish();
    trace.set_complete_until((step + 1) * 1'000);
    writer.append({});
  }
  writer.finish({});
  return read_bytes(path);
}

}  // namespace lanescope::io
