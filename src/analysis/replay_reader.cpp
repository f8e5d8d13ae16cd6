// Reads a recording into what a Replay replays: which operation each call issued, what each of them started after, and
// what each wait was for.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "analysis/event_merge.h"
#include "analysis/lane_facts.h"
#include "analysis/replay.h"
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

// Of these delays one in so many is shorter. 0 if there are none.
Nanoseconds one_in(std::size_t many, std::vector<Nanoseconds> delays) {
  if (delays.empty()) return 0;
  const auto at = delays.begin() + static_cast<std::ptrdiff_t>(delays.size() / many);
  std::nth_element(delays.begin(), at, delays.end());
  return *at;
}
// What is usual where nothing else is waited for.
Nanoseconds usual(std::vector<Nanoseconds> delays) { return one_in(4, std::move(delays)); }

}  // namespace

/// Reads the trace into a Replay.
class ReplayReader {
 public:
  ReplayReader(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu,
               std::span<const TimeSpan> left_out, Replay& replay)
      : lanes_(trace),
        merge_(trace,
               {LaneKind::Phases, LaneKind::Calls, LaneKind::Kernels, LaneKind::CopyH2D, LaneKind::CopyD2H,
                LaneKind::CopyOther},
               gpu),
        replay_(replay) {
    RecordedIterations found = recorded_iterations(trace, from, to, gpu);
    recorded_ = std::move(found.iterations);
    adds_ns_ = found.adds_ns;
    std::erase_if(recorded_, [&](const TimeSpan& iteration) {
      const auto next = std::ranges::upper_bound(left_out, iteration.from, {}, &TimeSpan::to);
      return next != left_out.end() && next->from < iteration.to;
    });
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
    if (adds_ns_ > 0) replay_.take_off_recording(replay_.recorded_ns_ - static_cast<double>(adds_ns_));
  }

  // For EventMerge.
  void take(const trace::Event& event, const EventMerge::Source& source) {
    if (source.kind == LaneKind::Phases) {
      if (event.kind != EventKind::Range || trace::range_kind_of(event) == trace::RangeKind::Timed) return;
      const std::size_t thread = lanes_.thread_of(source.lane);
      if (trace::is_host_wait(event)) data_waits_.push_back({{event.start_ns, event.end_ns}, thread});
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
      Operation& operation = operations_.emplace_back();
      operation.start = event.start_ns;
      operation.end = event.end_ns;
      operation.stream = stream;
      operation.call = call == newest_.end() ? Replay::kNone : call->second;
      operation.name = event.name;
      operation.kind = source.kind;
      if (event.kind == EventKind::Copy) {
        operation.source = trace::copy_traits_of(event).source;
        operation.bytes = trace::bytes_of(event);
      }
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
    NameId name;
    LaneKind kind;
    trace::MemoryKind source;
    std::uint64_t bytes;
  };
  struct DataWait {
    TimeSpan span;
    std::size_t thread;
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

    // Of threads that issue work; where several wait at once, it counts once.
    std::vector<TimeSpan> waits;
    for (const DataWait& wait : data_waits_) {
      if (!issuing_.contains(wait.thread)) continue;
      if (!waits.empty() && wait.span.from <= waits.back().to) {
        waits.back().to = std::max(waits.back().to, wait.span.to);
      } else {
        waits.push_back(wait.span);
      }
    }
    std::size_t call = 0, next = 0, wait = 0;
    Nanoseconds sum = 0, arrived = std::numeric_limits<Nanoseconds>::min();
    // How much of [from, to) is spent waiting for data, and since when the loader was at it.
    const auto take_loading = [&](Nanoseconds from, Nanoseconds to, Replay::Loading& loading) {
      while (wait < waits.size() && waits[wait].to <= from) ++wait;
      for (; wait < waits.size() && waits[wait].from < to; ++wait) {
        const TimeSpan span = waits[wait];
        loading.here += std::min(span.to, to) - std::max(span.from, from);
        if (span.to > to) break;
        loading.all += span.length();
        if (arrived != std::numeric_limits<Nanoseconds>::min()) loading.arrival += span.to - arrived;
        arrived = span.to;
      }
    };
    for (const TimeSpan& iteration : recorded_) {
      while (call < calls_.size() && calls_[call].event.start_ns < iteration.from) ++call;
      Replay::Iteration laid;
      laid.first_call = program().calls.size();
      laid.recorded = iteration;
      laid.duration = iteration.to - iteration.from;
      Nanoseconds until = iteration.from;
      for (; call < calls_.size() && calls_[call].event.start_ns < iteration.to; ++call) {
        const trace::Event& event = calls_[call].event;
        Replay::Call step;
        const Nanoseconds start = std::max(event.start_ns, until);
        step.range = calls_[call].range;
        step.name = event.name;
        step.sync = trace::is_sync(event);
        if (step.range != 0) step.before = start - std::clamp(calls_[call].around.from, until, start);
        step.gap = start - step.before - until;
        take_loading(until, until + step.gap, step.loading);
        until = std::max(event.end_ns, start);
        step.own = until - start;
        step.recorded = {start, until};
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
        program().calls.push_back(step);
      }
      laid.calls = program().calls.size() - laid.first_call;
      laid.rest = std::max<Nanoseconds>(0, iteration.to - until);
      take_loading(until, iteration.to, laid.loading);
      sum += laid.duration;
      program().iterations.push_back(laid);
    }
    program().streams = streams_.size();
    replay_.recorded_ns_ = static_cast<double>(sum) / static_cast<double>(recorded_.size());
    take_the_gpus_pace();
    return true;
  }

  /// Where the CPU runs ahead more and more, the GPU's work sets the pace: from the end of that of one iteration to
  /// that of the next, of those that follow each other.
  void take_the_gpus_pace() {
    std::vector<std::pair<std::size_t, Nanoseconds>> took;  // iteration
    Nanoseconds before = 0, sum = 0;
    for (std::size_t i = 0; i < program().iterations.size(); ++i) {
      const Replay::Iteration& iteration = program().iterations[i];
      Nanoseconds end = 0;
      for (std::size_t c = iteration.first_call; c < iteration.first_call + iteration.calls; ++c) {
        const Replay::Call& call = program().calls[c];
        for (std::size_t o = call.first_operation; o < call.first_operation + call.operations; ++o)
          end = std::max(end, operations_[laid_[o]].end);
      }
      if (i > 0 && before != 0 && end != 0 && recorded_[i].from == recorded_[i - 1].to) {
        took.emplace_back(i, end - before);
        sum += end - before;
      }
      before = end;
    }
    if (took.size() < static_cast<std::size_t>(kFewestWhole)) return;
    const double pace = static_cast<double>(sum) / static_cast<double>(took.size());
    if (pace <= replay_.recorded_ns_) return;
    replay_.recorded_ns_ = pace;
    for (Replay::Iteration& iteration : program().iterations) iteration.duration = std::llround(pace);
    for (const auto& [i, ns] : took) program().iterations[i].duration = ns;
  }
  Replay::Program& program() { return replay_.program_; }
  const trace::Event& call_of(const Operation& operation) const { return calls_[operation.call].event; }

  /// What each operation and each wait depends on.
  void find_delays() {
    // In start order, the operation before each on its stream.
    std::vector<std::size_t> before(operations_.size(), Replay::kNone), newest(streams_.size(), Replay::kNone);
    std::vector<Nanoseconds> latencies, pauses, since_calls;
    for (const Operation& operation : operations_) {
      if (operation.call != Replay::kNone) since_calls.push_back(operation.start - call_of(operation).start_ns);
    }
    // None starts sooner after its call: one whose stream was busy until then need not have waited for it.
    const Nanoseconds soonest = one_in(20, std::move(since_calls));
    const auto is_queued = [&](const Operation& operation, Nanoseconds free_ns) {
      return free_ns >= std::max(call_of(operation).end_ns, call_of(operation).start_ns + soonest);
    };
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const Operation& operation = operations_[i];
      before[i] = newest[operation.stream];
      newest[operation.stream] = i;
      if (operation.call == Replay::kNone || before[i] == Replay::kNone) continue;
      const Operation& previous = operations_[before[i]];
      const bool queued = is_queued(operation, previous.end);
      if (queued) {
        pauses.push_back(std::max<Nanoseconds>(0, operation.start - previous.end));
      } else {
        latencies.push_back(std::max<Nanoseconds>(0, operation.start - call_of(operation).start_ns));
      }
    }
    const Nanoseconds latency = usual(std::move(latencies)), pause = usual(std::move(pauses));
    replay_.pause_ = pause;
    replay_.latency_ = latency;

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
      laid.recorded = operation.start;
      laid.duration = operation.end - operation.start;
      laid.name = operation.name;
      laid.kind = operation.kind;
      laid.source = operation.source;
      laid.bytes = operation.bytes;
      const Nanoseconds from_call = std::max<Nanoseconds>(0, operation.start - call_of(operation).start_ns);
      const bool first = before[i] == Replay::kNone;
      const Nanoseconds free_ns = first ? std::numeric_limits<Nanoseconds>::min() : operations_[before[i]].end;
      const bool queued = !first && is_queued(operation, free_ns);
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
      if (laid.after >= program().operations.size()) laid.after = Replay::kNone;  // only what is replayed before it
      program().operations.push_back(laid);
    }

    for (std::size_t n = 0; n < laid_calls_.size(); ++n) {
      const std::size_t call = laid_calls_[n];
      const trace::Event& event = calls_[call].event;
      Replay::Call& step = program().calls[n];
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
  Nanoseconds adds_ns_ = 0;
  Replay& replay_;
  OpenRanges open_;
  std::map<std::tuple<std::size_t, Nanoseconds, NameId>, Nanoseconds> range_ends_;
  std::vector<Call> calls_;
  std::vector<Operation> operations_;  // by start
  std::vector<DataWait> data_waits_;   // by start
  trace::CallMap<std::size_t> newest_;
  std::map<std::int64_t, std::size_t> streams_;
  std::unordered_set<std::size_t> issuing_;  // threads
  std::vector<std::size_t> laid_;            // the operations of the replay: by number there, here
  std::vector<std::size_t> number_of_;       // and the other way round
  std::vector<std::size_t> laid_calls_;      // the calls of the replay
};

void Replay::read(Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu, const std::atomic<bool>* stop,
                  std::span<const TimeSpan> left_out) {
  ReplayReader(trace_, from, to, gpu, left_out, *this).read(stop);
}

}  // namespace lanescope::analysis
