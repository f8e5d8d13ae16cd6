#include "model/source/capture_text.h"

#include <gmock/gmock.h>

#include <set>

namespace lanescope::ui {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using trace::CaptureState;
using Tone = HealthLine::Tone;

CaptureFacts running() {
  CaptureFacts facts;
  facts.health.state = CaptureState::Running;
  facts.health.library = "libcupti.so.13 (API 130001)";
  facts.health.latency_p50_ms = 34.4;
  facts.health.latency_p99_ms = 61;
  facts.counts.recorded = 1'204'331;
  return facts;
}

TEST(CaptureStatus, OfARealDevice) {
  CaptureFacts facts = running();
  EXPECT_EQ(capture_status(facts).text, "capture: running, 0 dropped, latency 34 ms");
  EXPECT_FALSE(capture_status(facts).warning);
  facts.run = RunState::Paused;
  EXPECT_EQ(capture_status(facts).text, "capture: paused, 0 dropped, latency 34 ms");
  facts.run = RunState::Ended;
  facts.health.latency_p50_ms = 0;  // nothing was measured
  EXPECT_EQ(capture_status(facts).text, "capture: ended, 0 dropped");
}

// What CUPTI dropped and what the recorder dropped are both missing in the picture: 3 + 1,000 = 1,003.
TEST(CaptureStatus, EverythingThatWasDroppedIsAddedUp) {
  CaptureFacts facts = running();
  facts.health.dropped = 3;
  facts.counts.dropped = 1000;
  EXPECT_EQ(capture_status(facts).text, "capture: running, 1,003 dropped, latency 34 ms");
  EXPECT_TRUE(capture_status(facts).warning);
}

TEST(CaptureStatus, TroublesStandOutWithTheirReason) {
  CaptureFacts facts = running();
  facts.health.state = CaptureState::Degraded;
  facts.health.reason = "CUPTI dropped 214 records";
  facts.health.dropped = 214;
  EXPECT_EQ(capture_status(facts).text, "capture: degraded (CUPTI dropped 214 records), 214 dropped, latency 34 ms");
  EXPECT_TRUE(capture_status(facts).warning);
  for (const CaptureState state : {CaptureState::Busy, CaptureState::Unavailable, CaptureState::Denied,
                                   CaptureState::Unsupported, CaptureState::Lost}) {
    facts.health.state = state;
    facts.health.reason = "the reason";
    const StatusText status = capture_status(facts);
    EXPECT_EQ(status.text, std::string("capture: ") + trace::to_text(state) + " (the reason)");
    EXPECT_TRUE(status.warning) << status.text;
  }
  facts.health.state = CaptureState::Off;  // as it was asked for
  facts.health.reason.clear();
  EXPECT_EQ(capture_status(facts).text, "capture: off");
  EXPECT_FALSE(capture_status(facts).warning);
}

// Nothing is captured of a simulation: no latency and no drops, but what it is and why.
TEST(CaptureStatus, OfASimulatedDeviceIsWhyThereIsNoGpu) {
  CaptureFacts facts;
  facts.simulated = true;
  facts.counts.recorded = 8912;
  facts.recorder_latency_ms = 1.6;
  EXPECT_EQ(capture_status(facts).text, "simulated") << "the device was named: nobody asked for a GPU";
  EXPECT_THAT(capture_status(facts).aside, IsEmpty());
  facts.no_gpu = "no NVIDIA driver here: libcuda.so.1: cannot open shared object file";
  EXPECT_EQ(capture_status(facts).text, "no NVIDIA driver here: simulated");
  EXPECT_EQ(capture_status(facts).aside, "no GPU: no NVIDIA driver here: libcuda.so.1: cannot open shared object file");
  EXPECT_FALSE(capture_status(facts).warning);
  facts.counts.evicted = 5;
  facts.memory_cap_bytes = 4'000'000'000;
  EXPECT_THAT(capture_status(facts).text, HasSubstr(" · the 4.0 GB for events are full: the oldest are evicted"));
  facts.counts.dropped = 3;
  EXPECT_THAT(capture_status(facts).text, HasSubstr(" · 3 dropped"));
  EXPECT_TRUE(capture_status(facts).warning);
}

TEST(CaptureStatus, OfTheCpuOfThisMachine) {
  CaptureFacts facts;
  facts.counts.recorded = 8912;
  EXPECT_EQ(capture_status(facts).text, "8,912 events");
}

const HealthLine& line(const std::vector<HealthGroup>& groups, std::string_view group, std::string_view name) {
  for (const HealthGroup& g : groups) {
    if (g.title != group) continue;
    for (const HealthLine& l : g.lines) {
      if (l.name == name) return l;
    }
  }
  ADD_FAILURE() << "no line '" << name << "' under '" << group << "'";
  static const HealthLine none;
  return none;
}

// Each count has a line of its own: all are set to numbers that are found again.
TEST(HealthGroups, EveryFigureIsShown) {
  CaptureFacts facts = running();
  trace::CaptureHealth& h = facts.health;
  std::uint64_t next = 11;
  std::vector<std::uint64_t> counts;
  for (std::uint64_t* field : {&h.received,
                               &h.calls,
                               &h.operations,
                               &h.pending,
                               &h.dropped,
                               &h.no_buffer,
                               &h.untimed,
                               &h.far_off,
                               &h.duplicates,
                               &h.unknown_kind,
                               &h.clamped,
                               &h.late,
                               &h.before_call,
                               &h.launches_unmatched,
                               &h.operations_unmatched,
                               &h.clock_steps,
                               &facts.counts.recorded,
                               &facts.counts.evicted,
                               &facts.counts.dropped,
                               &facts.counts.late,
                               &facts.counts.clamped}) {
    counts.push_back(*field = next++);
  }
  h.worst_before_call_ns = 2300;
  h.queue_full_ns = 5'100'000;
  h.overhead_ns = 7'200'000;
  facts.recorder_latency_ms = 1.5;
  std::multiset<std::string> values;
  for (const HealthGroup& group : health_groups(facts)) {
    EXPECT_THAT(group.sentence, Not(IsEmpty())) << group.title;
    for (const HealthLine& l : group.lines) values.insert(l.value);
  }
  for (const std::uint64_t count : counts) EXPECT_EQ(values.count(std::to_string(count)), 1u) << count;
  for (const char* text :
       {"2.3 µs", "5.1 ms", "7.2 ms", "34 ms", "61 ms", "1.5 ms", "running", "libcupti.so.13 (API 130001)"}) {
    EXPECT_EQ(values.count(text), 1u) << text;
  }
}

TEST(HealthGroups, ZerosAreMutedAndLossesStandOut) {
  CaptureFacts facts = running();
  auto groups = health_groups(facts);
  for (const HealthGroup& group : groups) {
    if (group.title != "LOSSES" && group.title != "IN DOUBT") continue;
    for (const HealthLine& l : group.lines) EXPECT_EQ(l.tone, Tone::Muted) << l.name;
  }
  EXPECT_EQ(line(groups, "STATE", "state").tone, Tone::Good);
  facts.health.dropped = 1;
  facts.health.far_off = 1;
  facts.health.duplicates = 1;  // left out on purpose: no loss
  facts.health.clamped = 1;
  facts.counts.dropped = 1;
  groups = health_groups(facts);
  EXPECT_EQ(line(groups, "LOSSES", "dropped, no buffer free").tone, Tone::Loss);
  EXPECT_EQ(line(groups, "LOSSES", "implausible timestamp").tone, Tone::Loss);
  EXPECT_EQ(line(groups, "LOSSES", "duplicates skipped").tone, Tone::Plain);
  EXPECT_EQ(line(groups, "LOSSES", "without a timestamp").tone, Tone::Muted);
  EXPECT_EQ(line(groups, "IN DOUBT", "ended before they began").tone, Tone::Doubt);
  EXPECT_EQ(line(groups, "TRACE", "dropped by the recorder").tone, Tone::Loss);
  // The worst is named only if there is one.
  for (const HealthGroup& group : groups) {
    for (const HealthLine& l : group.lines) EXPECT_THAT(l.name, Not(HasSubstr("worst")));
  }
}

TEST(HealthGroups, TheStateHasItsReasonAndWhatItMeans) {
  CaptureFacts facts = running();
  const auto state_sentence = [&](CaptureState state) {
    facts.health.state = state;
    return health_groups(facts).front().sentence;
  };
  facts.health.reason = "another profiler holds CUPTI";
  EXPECT_THAT(state_sentence(CaptureState::Busy), HasSubstr("stay empty"));
  EXPECT_EQ(line(health_groups(facts), "STATE", "reason").value, "another profiler holds CUPTI");
  EXPECT_EQ(line(health_groups(facts), "STATE", "state").tone, Tone::Loss);
  EXPECT_THAT(state_sentence(CaptureState::Off), HasSubstr("not requested"));
  EXPECT_THAT(state_sentence(CaptureState::Degraded), HasSubstr("something is missing"));
  EXPECT_THAT(state_sentence(CaptureState::Lost), HasSubstr("ends where"));
}

TEST(HealthGroups, ASimulatedDeviceNeedsNone) {
  CaptureFacts facts;
  facts.counts.recorded = 42;
  const auto groups = health_groups(facts);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0].sentence, HasSubstr("Nothing needs to be captured"));
  EXPECT_EQ(groups[1].title, "TRACE");
  EXPECT_EQ(line(groups, "TRACE", "events recorded").value, "42");
}

TEST(RunNotice, SaysWhatHappenedAndWhatToDo) {
  EXPECT_FALSE(run_notice(false, "").has_value());
  const auto failed = run_notice(false, "there is no host memory for a buffer of 5 bytes");
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->title, "The run has failed");
  EXPECT_EQ(failed->text, "there is no host memory for a buffer of 5 bytes");
  EXPECT_EQ(failed->button, "Run again");
  const auto lost = run_notice(true, "cudaStreamSynchronize: cudaErrorIllegalAddress");
  ASSERT_TRUE(lost.has_value());
  EXPECT_EQ(lost->title, "The device was lost");
  EXPECT_EQ(lost->text, "cudaStreamSynchronize: cudaErrorIllegalAddress");
  EXPECT_EQ(lost->button, "Restart device");
}

}  // namespace
}  // namespace lanescope::ui
