#include "model/source/capture_text.h"

#include <fmt/format.h>

#include "base/time.h"
#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::CaptureHealth;
using trace::CaptureState;
using trace::TraceCounts;
using Tone = HealthLine::Tone;

std::string count_text(std::uint64_t n) { return base::format_count(static_cast<std::int64_t>(n)); }

HealthLine counted(const char* name, std::uint64_t n, Tone tone = Tone::Plain) {
  return {name, count_text(n), n == 0 ? Tone::Muted : tone};
}

HealthLine milliseconds(const char* name, double ms) {
  if (ms <= 0) return {name, "–", Tone::Muted};
  return {name, fmt::format("{:.{}f} ms", ms, ms < 10 ? 1 : 0), Tone::Plain};
}

HealthLine duration(const char* name, std::uint64_t ns) {
  if (ns == 0) return {name, "0", Tone::Muted};
  return {name, base::format_duration(static_cast<base::Nanoseconds>(ns)), Tone::Plain};
}

// Nothing is being captured, but something should be.
bool is_missing(CaptureState state) {
  return state == CaptureState::Unavailable || state == CaptureState::Busy || state == CaptureState::Denied ||
         state == CaptureState::Unsupported || state == CaptureState::Lost;
}

HealthGroup state_group(const CaptureHealth& h) {
  HealthGroup group{tr("STATE"), {}, {}};
  const bool good = h.state == CaptureState::Running;
  const Tone tone = is_missing(h.state) ? Tone::Loss : good ? Tone::Good : Tone::Doubt;
  group.sentence = good                           ? tr("The GPU lanes show what the GPU really did.")
                   : is_missing(h.state)          ? tr("The GPU lanes stay empty: nothing reports what the GPU does.")
                   : h.state == CaptureState::Off ? tr("The GPU lanes stay empty: capture was not requested.")
                                                  : tr("What is shown is true, but something is missing.");
  if (h.state == CaptureState::Lost) group.sentence = tr("The timeline ends where the capture was lost.");
  group.lines.push_back({tr("state"), trace::to_text(h.state), tone});
  if (!h.reason.empty()) group.lines.push_back({tr("reason"), h.reason, tone});
  group.lines.push_back(
      {tr("library"), h.library.empty() ? "–" : h.library, h.library.empty() ? Tone::Muted : Tone::Plain});
  return group;
}

HealthGroup latency_group(const CaptureHealth& h) {
  return {
      tr("LATENCY"),
      tr("How long after its end an operation appears on the timeline."),
      {milliseconds(tr("half of them within"), h.latency_p50_ms), milliseconds(tr("99 % within"), h.latency_p99_ms)}};
}

HealthGroup arrivals_group(const CaptureHealth& h) {
  return {tr("RECEIVED"),
          tr("The other records describe waits, streams and the capture itself; they are merged into these."),
          {counted(tr("records"), h.received), counted(tr("API calls"), h.calls),
           counted(tr("GPU operations"), h.operations), counted(tr("held back, incomplete"), h.pending)}};
}

HealthGroup losses_group(const CaptureHealth& h) {
  return {tr("LOSSES"),
          tr("These are missing from the timeline; a gap may be one of them."),
          {counted(tr("dropped, no buffer free"), h.dropped, Tone::Loss),
           counted(tr("buffer requests refused"), h.no_buffer, Tone::Loss),
           counted(tr("without a timestamp"), h.untimed, Tone::Loss),
           counted(tr("implausible timestamp"), h.far_off, Tone::Loss),
           counted(tr("unreadable messages"), h.unknown_kind, Tone::Loss),
           // A driver call inside a runtime call: one of the two is enough.
           counted(tr("duplicates skipped"), h.duplicates)}};
}

HealthGroup doubts_group(const CaptureHealth& h) {
  HealthGroup group{tr("IN DOUBT"), tr("These are shown, but not exactly as they were reported."), {}};
  group.lines.push_back(counted(tr("ended before they began"), h.clamped, Tone::Doubt));
  group.lines.push_back(counted(tr("arrived out of order"), h.late, Tone::Doubt));
  group.lines.push_back(counted(tr("operations before their call"), h.before_call, Tone::Doubt));
  if (h.before_call) {
    group.lines.push_back({tr("by at most"), base::format_duration(h.worst_before_call_ns), Tone::Doubt});
  }
  group.lines.push_back(counted(tr("launches without an operation"), h.launches_unmatched, Tone::Doubt));
  group.lines.push_back(counted(tr("operations without a call"), h.operations_unmatched, Tone::Doubt));
  group.lines.push_back(counted(tr("clock jumps"), h.clock_steps, Tone::Doubt));
  return group;
}

HealthGroup cost_group(const CaptureHealth& h) {
  return {
      tr("WHAT IT COSTS"),
      tr("CPU time that the program would not have spent without the capture, and time it spent launching into full "
         "queues."),
      {duration(tr("the capture itself"), h.overhead_ns), duration(tr("launches into a full queue"), h.queue_full_ns)}};
}

HealthLine memory_line(const CaptureFacts& facts) {
  if (facts.memory_cap_bytes == 0) return {tr("memory"), "–", Tone::Muted};
  const auto text = [](std::size_t bytes) { return base::format_bytes(static_cast<std::int64_t>(bytes)); };
  return {tr("memory"), tr("{} of {}", text(facts.memory_bytes), text(facts.memory_cap_bytes)), Tone::Plain};
}

HealthGroup trace_group(const CaptureFacts& facts) {
  const TraceCounts& c = facts.counts;
  return {tr("TRACE"),
          tr("The timeline is drawn from this; when its memory is full, the oldest events are evicted."),
          {counted(tr("events recorded"), c.recorded), counted(tr("dropped by the recorder"), c.dropped, Tone::Loss),
           counted(tr("evicted (the oldest)"), c.evicted), memory_line(facts),
           counted(tr("late events"), c.late, Tone::Doubt), counted(tr("clamped to instants"), c.clamped, Tone::Doubt),
           milliseconds(tr("recorder latency"), facts.recorder_latency_ms)}};
}

const char* run_text(RunState run) {
  return run == RunState::Paused ? tr("paused") : run == RunState::Ended ? tr("ended") : tr("running");
}

// A device that writes its own events captures nothing: it says what it is, and what is missing.
StatusText own_status(const CaptureFacts& facts) {
  const TraceCounts& c = facts.counts;
  StatusText status;
  status.text = facts.simulated ? tr("simulated") : fmt::format("{} {}", count_text(c.recorded), tr("events"));
  if (!facts.no_gpu.empty()) {
    const std::string why = facts.no_gpu.substr(0, facts.no_gpu.find(": "));
    status.text = facts.simulated ? tr("{}: simulated", why) : fmt::format("{}: {}", tr("no GPU"), why);
    status.aside = fmt::format("{}: {}", tr("no GPU"), facts.no_gpu);
  }
  if (c.dropped) status.text += fmt::format(" · {} {}", count_text(c.dropped), tr("dropped"));
  if (c.evicted && facts.memory_cap_bytes) {
    const double gb = static_cast<double>(facts.memory_cap_bytes) * 1e-9;
    status.text += " · " + tr("the {:.1f} GB for events are full: the oldest are evicted", gb);
  }
  status.warning = c.dropped > 0;
  return status;
}

}  // namespace

StatusText capture_status(const CaptureFacts& facts) {
  const CaptureHealth& h = facts.health;
  if (h.state == CaptureState::None) return own_status(facts);
  StatusText status;
  status.text = std::string(tr("capture")) + ": ";
  // A paused or ended run is not a problem; a capture problem is reported in any run state.
  status.text += h.state == CaptureState::Running ? run_text(facts.run) : trace::to_text(h.state);
  if (h.state != CaptureState::Running) {
    status.warning = h.state != CaptureState::Off;
    if (!h.reason.empty()) status.text += " (" + h.reason + ")";
  }
  const std::uint64_t dropped = h.dropped + facts.counts.dropped;
  if (!is_missing(h.state) && h.state != CaptureState::Off) {
    status.text += fmt::format(", {} {}", count_text(dropped), tr("dropped"));
    if (h.latency_p50_ms > 0) status.text += fmt::format(", {} {:.0f} ms", tr("latency"), h.latency_p50_ms);
    status.warning = status.warning || dropped > 0;
  }
  return status;
}

std::vector<HealthGroup> health_groups(const CaptureFacts& facts) {
  const CaptureHealth& h = facts.health;
  if (h.state == CaptureState::None) {
    HealthGroup state{tr("STATE"), tr("Nothing needs to be captured: this device writes its own events."), {}};
    state.lines.push_back({tr("state"), trace::to_text(h.state), Tone::Muted});
    if (!facts.no_gpu.empty()) state.lines.push_back({tr("no GPU"), facts.no_gpu, Tone::Muted});
    return {std::move(state), trace_group(facts)};
  }
  return {state_group(h),  arrivals_group(h), latency_group(h),  losses_group(h),
          doubts_group(h), cost_group(h),     trace_group(facts)};
}

std::optional<RunNotice> run_notice(bool device_lost, const std::string& error) {
  if (device_lost) {
    return RunNotice{tr("The device was lost"), error.empty() ? tr("it accepts no more calls") : error,
                     tr("Restart device")};
  }
  if (error.empty()) return std::nullopt;
  return RunNotice{tr("The run has failed"), error, tr("Run again")};
}

}  // namespace lanescope::ui
