#include "analysis/replay.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "analysis/event_merge.h"
#include "analysis/lane_facts.h"
#include "analysis/whole_iterations.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;
using trace::EventKind;
using trace::LaneId;
using trace::LaneKind;
using trace::NameId;

// Work that was issued so long before has finished.
constexpr Nanoseconds kContextNs = 100'000'000;
// A wait ends with an operation if that ended so shortly before; the clocks of a CPU and a GPU agree this well.
constexpr Nanoseconds kClocksAgree = 5'000;
constexpr Nanoseconds kReturnsWithin = 100'000;
// An operation that starts so much later than its call and its stream allow has waited for something else.
constexpr Nanoseconds kUnexplained = 5'000;
constexpr double kFewOddities = 0.02;  // of the calls or operations
constexpr std::size_t kReplayed = 64;  // iterations at least, after a first pass that fills the queue
constexpr double kLeastError = 0.02;
constexpr std::size_t kParts = 8;

// What is usual where nothing else is waited for: of the delays, a quarter is shorter. 0 if there are none.
Nanoseconds usual(std::vector<Nanoseconds> delays) {
  if (delays.empty()) return 0;
  const auto quarter = delays.begin() + static_cast<std::ptrdiff_t>(delays.size() / 4);
  std::nth_element(delays.begin(), quarter, delays.end());
  return *quarter;
}

}  // namespace

/// Reads the trace into a Replay.
class ReplayReader {
 public:
  ReplayReader(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu, Replay& replay)
      : lanes_(trace),
        merge_(trace,
               {LaneKind::Phases, LaneKind::Calls, LaneKind::Kernels, LaneKind::CopyH2D, LaneKind::CopyD2H,
                LaneKind::CopyOther},
               gpu),
        recorded_(recorded_iterations(trace, from, to, gpu).iterations),
        replay_(replay) {
    merge_.start_at(from, from - kContextNs);
  }

  void read(const std::atomic<bool>* stop) {
    const Nanoseconds to = recorded_.empty() ? 0 : recorded_.back().to;
    bool all = recorded_.empty();
    while (!all && !(stop && *stop) && calls_.size() + operations_.size() < Replay::kMostEvents)
      all = merge_.run(to, kSlice, *this);
    while (!all && !recorded_.empty() && recorded_.back().to > merge_.stopped_at()) recorded_.pop_back();
    if (recorded_.size() < static_cast<std::size_t>(kFewestWhole)) {
      replay_.refusal_ = tr("fewer than {} iterations were recorded as a whole", kFewestWhole);
      return;
    }
    merge_.run(std::numeric_limits<Nanoseconds>::max(), kLookAhead, *this);
    if (!match()) return;
    if (!lay_out()) return;
    find_delays();
  }

  // For EventMerge.
  void take(const trace::Event& event, const EventMerge::Source& source) {
    if (source.kind == LaneKind::Phases) {
      if (event.kind != EventKind::Range || trace::range_kind_of(event) == trace::RangeKind::Timed) return;
      const std::size_t thread = lanes_.thread_of(source.lane);
      open_.add(thread, event.start_ns, event.end_ns, event.name);
      range_ends_[{thread, event.start_ns, event.name}] = event.end_ns;
    } else if (source.kind == LaneKind::Calls) {
      if (event.kind != EventKind::Call) return;
      const std::size_t thread = lanes_.thread_of(source.lane);
      const RangeAround around = open_.at(thread, event.start_ns);
      Call call{event, thread, around.name, {}, lanes_.key_of(source.lane, event.correlation)};
      if (around.name != 0) call.around = {around.start, range_ends_[{thread, around.start, around.name}]};
      calls_.push_back(call);
      if (event.correlation != 0) newest_[call.key] = calls_.size() - 1;
    } else if (trace::is_gpu_work(event.kind)) {
      const trace::CallKey key = lanes_.key_of(source.lane, event.correlation);
      const auto call = event.correlation == 0 ? newest_.end() : newest_.find(key);
      const std::size_t stream = streams_.try_emplace(lanes_.stream_of(source.lane), streams_.size()).first->second;
      operations_.push_back({event.start_ns, event.end_ns, stream, call == newest_.end() ? Replay::kNone : call->second,
                             source.kind == LaneKind::CopyD2H});
      if (call != newest_.end()) issuing_.insert(calls_[call->second].thread);
    }
  }
  void lost() {}

 private:
  static constexpr std::size_t kSlice = std::size_t{1} << 16, kLookAhead = std::size_t{1} << 14;

  struct Call {
    trace::Event event;
    std::size_t thread;
    NameId range;
    TimeSpan around;  // that range
    trace::CallKey key;
  };
  struct Operation {
    Nanoseconds start, end;
    std::size_t stream, call;  // kNone: its call is not known
    bool download;
  };

  bool refuse(std::string why) {
    replay_.refusal_ = std::move(why);
    return false;
  }

  /// Leaves the calls of the threads that issue work, which are one chain if they take turns: autograd's thread works
  /// while the one that called backward() waits for it.
  bool match() {
    std::vector<std::size_t> place(calls_.size(), Replay::kNone);
    std::size_t kept = 0, overlapping = 0;
    Nanoseconds until = std::numeric_limits<Nanoseconds>::min();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!issuing_.contains(calls_[i].thread)) continue;
      overlapping += calls_[i].event.start_ns < until ? 1 : 0;
      until = std::max(until, calls_[i].event.end_ns);
      place[i] = kept;
      calls_[kept++] = calls_[i];
    }
    calls_.resize(kept);
    for (Operation& operation : operations_) {
      if (operation.call != Replay::kNone) operation.call = place[operation.call];
    }
    if (static_cast<double>(overlapping) > kFewOddities * static_cast<double>(kept)) {
      return refuse(tr("several threads issue work at the same time: which of them waits for which was not recorded"));
    }
    return true;
  }

  /// The calls and operations of the whole iterations, one after the other.
  bool lay_out() {
    // Operations by call, in start order, which is the order in which they were taken.
    std::vector<std::size_t> order;
    std::size_t homeless = 0;
    const Nanoseconds first = recorded_.front().from, last = recorded_.back().to;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].call != Replay::kNone) {
        order.push_back(i);
      } else if (operations_[i].start >= first && operations_[i].start < last) {
        ++homeless;
      }
    }
    if (order.empty()) return refuse(tr("no operation of the GPU was recorded with the call that issued it"));
    if (static_cast<double>(homeless) > kFewOddities * static_cast<double>(order.size()) + 8) {
      return refuse(tr("{} operations were recorded without the calls that issued them",
                       base::format_count(static_cast<std::int64_t>(homeless))));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return operations_[a].call < operations_[b].call; });
    number_of_.assign(operations_.size(), Replay::kNone);

    std::size_t call = 0, next = 0;
    Nanoseconds sum = 0;
    for (const TimeSpan& iteration : recorded_) {
      while (call < calls_.size() && calls_[call].event.start_ns < iteration.from) ++call;
      Replay::Iteration laid{replay_.calls_.size(), 0, 0, iteration.to - iteration.from};
      Nanoseconds until = iteration.from;
      for (; call < calls_.size() && calls_[call].event.start_ns < iteration.to; ++call) {
        const trace::Event& event = calls_[call].event;
        Replay::Call step;
        const Nanoseconds start = std::max(event.start_ns, until);
        step.range = calls_[call].range;
        if (step.range != 0) step.before = start - std::clamp(calls_[call].around.from, until, start);
        step.gap = start - step.before - until;
        until = std::max(event.end_ns, start);
        step.own = until - start;
        const bool more = call + 1 < calls_.size() && calls_[call + 1].event.start_ns < iteration.to;
        const Nanoseconds next_start = more ? calls_[call + 1].event.start_ns : iteration.to;
        if (step.range != 0)
          step.after = std::clamp(calls_[call].around.to, until, std::max(until, next_start)) - until;
        until += step.after;
        while (next < order.size() && operations_[order[next]].call < call) ++next;
        step.first_operation = laid_.size();
        for (; next < order.size() && operations_[order[next]].call == call; ++next) {
          number_of_[order[next]] = laid_.size();
          laid_.push_back(order[next]);
        }
        step.operations = laid_.size() - step.first_operation;
        laid_calls_.push_back(call);
        replay_.calls_.push_back(step);
      }
      laid.calls = replay_.calls_.size() - laid.first_call;
      laid.rest = std::max<Nanoseconds>(0, iteration.to - until);
      sum += laid.duration;
      replay_.iterations_.push_back(laid);
    }
    replay_.streams_ = streams_.size();
    replay_.recorded_ns_ = static_cast<double>(sum) / static_cast<double>(recorded_.size());
    return true;
  }

  const trace::Event& call_of(const Operation& operation) const { return calls_[operation.call].event; }

  /// What each operation and each wait depends on.
  void find_delays() {
    // In start order, the operation before each on its stream.
    std::vector<std::size_t> before(operations_.size(), Replay::kNone), newest(streams_.size(), Replay::kNone);
    std::vector<Nanoseconds> latencies, pauses;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Operation& operation = operations_[i];
      before[i] = newest[operation.stream];
      newest[operation.stream] = i;
      if (operation.call == Replay::kNone || before[i] == Replay::kNone) continue;
      const Operation& previous = operations_[before[i]];
      const bool queued = previous.end >= call_of(operation).end_ns;
      if (queued) {
        pauses.push_back(std::max<Nanoseconds>(0, operation.start - previous.end));
      } else {
        latencies.push_back(std::max<Nanoseconds>(0, operation.start - call_of(operation).start_ns));
      }
    }
    const Nanoseconds latency = usual(std::move(latencies)), pause = usual(std::move(pauses));

    std::vector<std::size_t> by_end(operations_.size());
    for (std::size_t i = 0; i < by_end.size(); ++i) by_end[i] = i;
    std::sort(by_end.begin(), by_end.end(),
              [&](std::size_t a, std::size_t b) { return operations_[a].end < operations_[b].end; });
    const auto ended_by = [&](Nanoseconds t) {
      return std::upper_bound(by_end.begin(), by_end.end(), t,
                              [&](Nanoseconds time, std::size_t i) { return time < operations_[i].end; });
    };

    for (const std::size_t i : laid_) {
      const Operation& operation = operations_[i];
      Replay::Operation laid;
      laid.stream = operation.stream;
      laid.duration = operation.end - operation.start;
      laid.download = operation.download;
      const Nanoseconds from_call = std::max<Nanoseconds>(0, operation.start - call_of(operation).start_ns);
      const bool first = before[i] == Replay::kNone;
      const Nanoseconds free_ns = first ? std::numeric_limits<Nanoseconds>::min() : operations_[before[i]].end;
      const bool queued = !first && free_ns >= call_of(operation).end_ns;
      laid.after_call = queued ? std::min(latency, from_call) : from_call;
      const Nanoseconds idle = first ? 0 : std::max<Nanoseconds>(0, operation.start - free_ns);
      laid.after_previous = queued ? idle : std::min(pause, idle);
      // Neither its call nor its stream explains when it started: an operation on another stream that ended just before
      // does.
      const Nanoseconds explained =
          std::max(call_of(operation).start_ns + std::min(latency, from_call), first ? free_ns : free_ns + pause);
      if (operation.start - explained > kUnexplained) {
        auto at = ended_by(operation.start);
        while (at != by_end.begin() && operation.start - operations_[*(at - 1)].end <= kUnexplained) {
          --at;
          if (operations_[*at].stream == operation.stream || number_of_[*at] == Replay::kNone) continue;
          laid.after = number_of_[*at];
          laid.after_call = std::min(latency, from_call);
          laid.after_previous = std::min(pause, idle);
          break;
        }
      }
      if (laid.after >= replay_.operations_.size()) laid.after = Replay::kNone;  // only what is replayed before it
      replay_.operations_.push_back(laid);
    }

    for (std::size_t n = 0; n < laid_calls_.size(); ++n) {
      const std::size_t call = laid_calls_[n];
      const trace::Event& event = calls_[call].event;
      Replay::Call& step = replay_.calls_[n];
      const trace::CallParts parts = trace::parts_of(event);
      const Nanoseconds waited = parts.waiting + parts.copying;
      if (!trace::is_blocking(event) || waited + parts.returning == 0) continue;
      step.own = std::min(step.own, parts.own);
      if (!trace::is_sync(event) && trace::is_launch(event) && parts.copying == 0) continue;  // the queue was full
      const Nanoseconds t = event.end_ns - parts.returning;
      auto at = ended_by(t + kClocksAgree);
      for (int looked = 0; at != by_end.begin() && looked < 256 && step.awaited == Replay::kNone; ++looked) {
        const Operation& operation = operations_[*--at];
        if (t - operation.end > kReturnsWithin) break;
        if (operation.call == Replay::kNone || operation.call > call) continue;
        step.awaited = number_of_[*at];
        if (step.awaited == Replay::kNone) break;  // of an iteration that is left out
        step.returning = std::max<Nanoseconds>(0, event.end_ns - std::max(operation.end, event.start_ns + parts.own));
      }
      if (step.awaited == Replay::kNone) step.fixed_wait = std::max<Nanoseconds>(0, event.duration() - parts.own);
    }
  }

  LaneFacts lanes_;
  EventMerge merge_;
  std::vector<TimeSpan> recorded_;
  Replay& replay_;
  OpenRanges open_;
  std::map<std::tuple<std::size_t, Nanoseconds, NameId>, Nanoseconds> range_ends_;
  std::vector<Call> calls_;
  std::vector<Operation> operations_;  // by start
  trace::CallMap<std::size_t> newest_;
  std::map<std::int64_t, std::size_t> streams_;
  std::unordered_set<std::size_t> issuing_;  // threads
  std::vector<std::size_t> laid_;            // the operations of the replay: by number there, here
  std::vector<std::size_t> number_of_;       // and the other way round
  std::vector<std::size_t> laid_calls_;      // the calls of the replay
};

Replay::Replay(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu,
               const std::atomic<bool>* stop) {
  ReplayReader(trace, from, to, gpu, *this).read(stop);
  if (!refusal_.empty()) return;
  replayed_ns_ = pace([](const Call&) { return KeptPart::All; });
  const double off = replayed_ns_ / recorded_ns_ - 1;
  if (std::abs(off) > kReplayFidelity) {
    refusal_ =
        tr("replayed as it was, an iteration takes {} instead of {}: something that it depends on was not recorded",
           base::format_duration(std::llround(replayed_ns_)), base::format_duration(std::llround(recorded_ns_)));
  }
}

// The time per iteration once the queue has filled or stays empty: of whole passes over all iterations, from the end of
// the first, with all that was issued.
template <class Keep>
double Replay::pace(const Keep& keep) const {
  const std::size_t passes = 1 + (kReplayed + iterations_.size() - 1) / iterations_.size();
  std::vector<Nanoseconds> stream_end(streams_, 0), end(operations_.size(), 0);
  Nanoseconds cpu = 0, gpu = 0, filled = 0;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (const Iteration& iteration : iterations_) {
      for (std::size_t c = iteration.first_call; c < iteration.first_call + iteration.calls; ++c) {
        const Call& call = calls_[c];
        const KeptPart kept = keep(call);
        cpu += call.gap;
        if (kept == KeptPart::Nothing) continue;
        cpu += call.before;
        for (std::size_t o = call.first_operation; o < call.first_operation + call.operations; ++o) {
          const Operation& operation = operations_[o];
          Nanoseconds start =
              std::max(cpu + operation.after_call, stream_end[operation.stream] + operation.after_previous);
          if (operation.after != kNone) start = std::max(start, end[operation.after]);
          end[o] = stream_end[operation.stream] = start + operation.duration;
          gpu = std::max(gpu, end[o]);
        }
        cpu += call.own;
        if (kept == KeptPart::All) {
          if (call.awaited != kNone) cpu = std::max(cpu, end[call.awaited]);
          cpu += call.returning + call.fixed_wait;
        }
        cpu += call.after;
      }
      cpu += iteration.rest;
    }
    if (pass == 0) filled = std::max(cpu, gpu);
  }
  return static_cast<double>(std::max(cpu, gpu) - filled) / static_cast<double>((passes - 1) * iterations_.size());
}

// That of the replay, and the standard deviation of the means of eight parts of the recording.
double Replay::error() const {
  const double replay = std::max(kLeastError, std::abs(replayed_ns_ / recorded_ns_ - 1));
  const std::size_t each = iterations_.size() / kParts;
  if (each == 0) return replay;
  double squares = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    double sum = 0;
    for (std::size_t i = part * each; i < (part + 1) * each; ++i) sum += static_cast<double>(iterations_[i].duration);
    const double off = sum / static_cast<double>(each) / recorded_ns_ - 1;
    squares += off * off;
  }
  return replay + std::sqrt(squares / (kParts - 1));
}

// Nothing else needs it: it waits, or copies something to the host.
bool Replay::only_reads(const Call& call) const {
  if (call.operations == 0) return call.awaited != kNone || call.fixed_wait > 0;
  const auto first = operations_.begin() + static_cast<std::ptrdiff_t>(call.first_operation);
  return std::all_of(first, first + static_cast<std::ptrdiff_t>(call.operations),
                     [](const Operation& operation) { return operation.download; });
}

WithoutWait Replay::without(NameId range) const {
  WithoutWait answer;
  answer.refusal = refusal_;
  answer.iterations = static_cast<std::int64_t>(iterations_.size());
  answer.recorded_ns = recorded_ns_;
  answer.replayed_ns = replayed_ns_;
  if (!refusal_.empty()) return answer;
  const auto here = [&](const Call& c) { return c.range == range; };
  const auto waits = [](const Call& c) { return c.awaited != kNone || c.fixed_wait > 0; };
  if (std::ranges::none_of(calls_, [&](const Call& c) { return here(c) && waits(c); })) {
    answer.refusal = tr("there is no wait here in the iterations that were recorded as a whole");
    return answer;
  }
  answer.without_ns = pace([&](const Call& c) { return here(c) ? KeptPart::CallOnly : KeptPart::All; });
  answer.gone_ns = pace([&](const Call& c) {
    if (!here(c)) return KeptPart::All;
    return only_reads(c) ? KeptPart::Nothing : KeptPart::CallOnly;
  });
  answer.least_factor = std::max(1.0, replayed_ns_ / answer.without_ns * (1 - error()));
  answer.most_factor = std::max(1.0, replayed_ns_ / answer.gone_ns * (1 + error()));
  return answer;
}

}  // namespace lanescope::analysis
