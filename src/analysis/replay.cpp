#include "analysis/replay.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/lane_facts.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;
using trace::LaneKind;
using trace::NameId;

constexpr std::size_t kReplayed = 64;  // iterations at least, after a first pass that fills the queue
constexpr double kLeastError = 0.02;
constexpr std::size_t kParts = 8;
constexpr double kOfTakenOff = 0.1;
constexpr Nanoseconds kMostPerCall = base::kMillisecond, kCloseEnough = 20;

}  // namespace

Replay::Replay(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu,
               const std::atomic<bool>* stop, std::span<const TimeSpan> left_out)
    : trace_(trace) {
  read(from, to, gpu, stop, left_out);
  if (!refusal_.empty()) return;
  replayed_ns_ = pace(program_);
  const double off = replayed_ns_ / recorded_ns_ - 1;
  if (std::abs(off) > kReplayFidelity) {
    refusal_ =
        tr("replayed as it was, an iteration takes {} instead of {}: something that it depends on was not recorded",
           base::format_duration(std::llround(replayed_ns_)), base::format_duration(std::llround(recorded_ns_)));
  }
}

// The time per iteration once the queue has filled or stays empty: of whole passes over all iterations, from the end of
// the first, with all that was issued.
double Replay::pace(const Program& program, const Watched* watched) const {
  const std::vector<Operation>& operations = program.operations;
  const std::size_t passes = 1 + (kReplayed + program.iterations.size() - 1) / program.iterations.size();
  std::vector<Nanoseconds> stream_end(program.streams, 0), end(operations.size(), 0);
  std::map<NameId, Nanoseconds> awaited_before;  // by range: when what was awaited there had ended
  struct Reads {
    std::uint64_t in = 0, times = 0;  // the newest iteration with a read in this range, and how many had one
  };
  std::map<NameId, Reads> reads;
  Nanoseconds cpu = 0, gpu = 0, filled = 0, began = 0, began_before = 0, arrived = 0;
  const auto load = [&](const Loading& loading) {
    if (!program.data_arrives) {
      cpu += loading.here;
    } else if (loading.arrival > 0) {
      arrived += loading.arrival;
      cpu = std::max(cpu, arrived);
    } else if (loading.all > 0) {
      cpu += loading.all;
      arrived = std::max(arrived, cpu);
    }
  };
  std::uint64_t number = 0;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (const Iteration& iteration : program.iterations) {
      const auto index = static_cast<std::size_t>(&iteration - program.iterations.data());
      ReplayedIteration* seen = watched && pass + 1 == passes && index == watched->iteration ? &watched->seen : nullptr;
      began_before = std::exchange(began, cpu);
      const auto at = [&](Nanoseconds t) { return iteration.recorded.from + t - began; };
      if (seen) seen->cpu.push_back({iteration.recorded.from, iteration.recorded.from});
      for (std::size_t c = iteration.first_call; c < iteration.first_call + iteration.calls; ++c) {
        const Call& call = program.calls[c];
        KeptPart kept = call.kept;
        if (call.every != 0) {
          Reads& read = reads[call.range];
          if (std::exchange(read.in, number + 1) != number + 1) ++read.times;
          if (read.times % call.every == 1) kept = KeptPart::All;
        }
        cpu += call.gap - call.loading.here;
        load(call.loading);
        if (seen && kept == KeptPart::Nothing) seen->cpu.push_back({call.recorded.from, at(cpu)});
        if (seen && kept == KeptPart::Nothing) seen->cpu.push_back({call.recorded.to, at(cpu)});
        if (kept == KeptPart::Nothing) continue;
        cpu += call.before;
        if (seen) seen->cpu.push_back({call.recorded.from, at(cpu)});
        for (std::size_t o = call.first_operation; o < call.first_operation + call.operations; ++o) {
          const Operation& operation = operations[o];
          const Nanoseconds issued = operation.ahead ? began_before : cpu;
          Nanoseconds start =
              std::max(issued + operation.after_call, stream_end[operation.stream] + operation.after_previous);
          if (operation.after != kNone) start = std::max(start, end[operation.after]);
          end[o] = stream_end[operation.stream] = start + operation.duration;
          gpu = std::max(gpu, end[o]);
          if (seen) seen->operations.push_back({operation.name, operation.recorded, at(start), at(end[o])});
        }
        cpu += call.own;
        if (kept == KeptPart::All) {
          if (call.awaited != kNone) {
            const Nanoseconds until =
                call.late ? std::exchange(awaited_before[call.range], end[call.awaited]) : end[call.awaited];
            cpu = std::max(cpu, until);
          }
          cpu += call.returning + call.fixed_wait;
        }
        if (seen) seen->cpu.push_back({call.recorded.to, at(cpu)});
        cpu += call.after;
      }
      cpu += iteration.rest - iteration.loading.here;
      load(iteration.loading);
      if (seen) seen->cpu.push_back({std::max(iteration.recorded.to, seen->cpu.back().recorded_ns), at(cpu)});
      ++number;
    }
    if (pass == 0) filled = std::max(cpu, gpu);
  }
  return static_cast<double>(std::max(cpu, gpu) - filled) /
         static_cast<double>((passes - 1) * program.iterations.size());
}

// Of each call the same, as far as it lasts: of what it does and of the CPU's work around it.
void Replay::take_off_recording(double unwatched_ns) {
  if (unwatched_ns >= recorded_ns_) return;
  const auto slimmed = [&](Nanoseconds each) {
    Program program = program_;
    for (Call& call : program.calls) {
      Nanoseconds left = each;
      const auto take = [&](Nanoseconds& from, Nanoseconds most) {
        const Nanoseconds taken = std::clamp<Nanoseconds>(most, 0, left);
        from -= taken;
        left -= taken;
      };
      take(call.own, call.own * 3 / 4);
      const Nanoseconds earlier = each - left;
      for (std::size_t o = call.first_operation; o < call.first_operation + call.operations; ++o) {
        Nanoseconds& after = program.operations[o].after_call;
        after = std::max<Nanoseconds>(0, after - earlier);
      }
      take(call.before, call.before);
      take(call.gap, call.gap - call.loading.here);
      take(call.after, call.after);
    }
    return program;
  };
  Nanoseconds least = 0, most = 1;
  while (most < kMostPerCall && pace(slimmed(most)) > unwatched_ns) least = std::exchange(most, 2 * most);
  while (most - least > kCloseEnough) {
    const Nanoseconds middle = least + (most - least) / 2;
    (pace(slimmed(middle)) > unwatched_ns ? least : most) = middle;
  }
  program_ = slimmed(most);
  taken_off_ = 1 - unwatched_ns / std::exchange(recorded_ns_, unwatched_ns);
}

// That of the replay, a part of what was taken off, and the standard deviation of the means of eight parts of the
// recording.
double Replay::error() const {
  const std::vector<Iteration>& iterations = program_.iterations;
  const double replay = std::max(kLeastError, std::abs(replayed_ns_ / recorded_ns_ - 1)) + kOfTakenOff * taken_off_;
  const std::size_t each = iterations.size() / kParts;
  if (each == 0) return replay;
  double all = 0;
  for (const Iteration& iteration : iterations) all += static_cast<double>(iteration.duration);
  const double mean = all / static_cast<double>(iterations.size());
  double squares = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    double sum = 0;
    for (std::size_t i = part * each; i < (part + 1) * each; ++i) sum += static_cast<double>(iterations[i].duration);
    const double off = sum / static_cast<double>(each) / mean - 1;
    squares += off * off;
  }
  return replay + std::sqrt(squares / (kParts - 1));
}

/// Makes the edits in a copy of what was recorded.
class Replay::Editor {
 public:
  /// `gone`: of a wait that goes, the statement goes with it, where nothing else needs it.
  Editor(const Replay& replay, const Link& link, bool gone)
      : replay_(replay), link_(link), gone_(gone), program_(replay.program_) {}

  /// Why the edit cannot be made; empty: it is made.
  std::string make(const Edit& edit) {
    place_ = edit.place;
    places_.clear();
    switch (edit.kind) {
      case EditKind::NoWait:
        return no_wait([](Call&) {});
      case EditKind::ReadEvery:
        return no_wait([&](Call& call) { call.every = static_cast<std::uint32_t>(edit.value); });
      case EditKind::ReadLate:
        return late();
      case EditKind::Pinned:
        return pinned();
      case EditKind::NonBlocking:
        return non_blocking();
      case EditKind::CopyStream:
        return copy_stream();
      case EditKind::Loader:
        return loader(0);
      case EditKind::Workers:
        return loader(edit.value);
      case EditKind::Graph:
        return graph();
      case EditKind::Faster:
        return faster(edit.value);
      case EditKind::NoStraggler:
        return tr("a replay is of one GPU: ask for this change alone");
    }
    return {};
  }
  std::string no_wait(NameId range) {
    only_ = range;
    return no_wait([](Call&) {});
  }
  const Program& program() const { return program_; }

 private:
  static bool waits(const Call& c) { return c.awaited != kNone || c.fixed_wait > 0; }
  bool here(NameId name) {
    if (only_) return name == *only_;
    if (place_.empty()) return true;
    const auto [at, is_new] = places_.try_emplace(name, false);
    if (is_new) {
      const std::string_view text = replay_.trace_.names().text(name);
      at->second =
          text == place_ || (text.starts_with(place_) && text.size() > place_.size() && text[place_.size()] == ' ');
    }
    return at->second;
  }
  bool here(const Call& c) { return here(c.range) || (!only_ && c.range == 0 && !place_.empty() && here(c.name)); }
  std::span<Operation> of(const Call& c) {
    return std::span(program_.operations).subspan(c.first_operation, c.operations);
  }
  bool uploads(const Call& c) {
    return std::ranges::any_of(of(c), [](const Operation& o) { return o.kind == LaneKind::CopyH2D; });
  }
  bool launches(const Call& c) {
    return c.operations > 0 && !c.sync && std::ranges::none_of(of(c), [](const Operation& o) {
             return o.kind == LaneKind::CopyH2D || o.kind == LaneKind::CopyD2H;
           });
  }
  /// The waits for what an upload in the same range does.
  bool waits_for_upload(const Call& c) const {
    return c.awaited != kNone && program_.operations[c.awaited].kind == LaneKind::CopyH2D;
  }

  template <class And>
  std::string no_wait(const And& and_then) {
    bool any = false;
    for (Call& call : program_.calls) {
      if (!here(call)) continue;
      const bool reads = replay_.only_reads(call);
      if (!waits(call) && !(gone_ && reads)) continue;
      any |= waits(call);
      call.kept = gone_ && reads ? KeptPart::Nothing : KeptPart::CallOnly;
      and_then(call);
    }
    return any ? std::string() : tr("there is no wait here in the iterations that were recorded as a whole");
  }

  std::string late() {
    bool any = false;
    for (Call& call : program_.calls) {
      if (!here(call) || call.awaited == kNone || waits_for_upload(call)) continue;
      any = call.late = true;
    }
    return any ? std::string() : tr("there is no wait here in the iterations that were recorded as a whole");
  }

  std::string pinned() {
    const double bytes_per_ns = rate();
    bool any = false;
    for (Call& call : program_.calls) {
      if (!here(call) || !uploads(call)) continue;
      for (Operation& o : of(call)) {
        if (o.kind != LaneKind::CopyH2D || o.source != trace::MemoryKind::Pageable) continue;
        const bool small = o.bytes < kTellsTheRate;  // it takes as long from any memory
        if (bytes_per_ns <= 0 && !small)
          return tr("no copy from pinned memory was recorded, and the rate of the link is not known");
        any = true;
        o.source = trace::MemoryKind::Pinned;
        if (bytes_per_ns > 0) {
          const Nanoseconds copying = std::llround(static_cast<double>(o.bytes) / bytes_per_ns);
          o.duration = std::min(o.duration, kShortestCopy + copying);
        }
        o.after_call = std::min(o.after_call, replay_.latency_);
        // It was staged by the CPU. Now the call only enqueues it, unless it waits by its nature.
        call.fixed_wait = call.returning = 0;
        call.awaited = call.sync ? static_cast<std::size_t>(&o - program_.operations.data()) : kNone;
      }
    }
    pinned_ = any;
    return any ? std::string() : tr("nothing is copied from pageable memory to the GPU here");
  }
  /// Of copies from pinned memory that were recorded, or the link's.
  double rate() const {
    double bytes = 0, ns = 0;
    for (const Operation& o : program_.operations) {
      if (o.kind != LaneKind::CopyH2D || o.source != trace::MemoryKind::Pinned || o.bytes < kTellsTheRate) continue;
      bytes += static_cast<double>(o.bytes);
      ns += static_cast<double>(o.duration);
    }
    return ns > 0 ? bytes / ns : link_.h2d_gb_per_s;
  }

  std::string non_blocking() {
    bool any = false;
    for (Call& call : program_.calls) {
      if (!here(call) || !waits_for_upload(call)) continue;
      if (program_.operations[call.awaited].source == trace::MemoryKind::Pageable)
        return tr("a copy from pageable memory blocks all the same: with pinned memory as well");
      any = true;
      // Instead of a call that waits after the copy, an event is recorded.
      call.awaited = kNone;
      call.returning = call.fixed_wait = 0;
      if (call.operations == 0) call.own = std::min(call.own, kRecordsAnEvent);
    }
    // What the CPU no longer stages may not be waited for any more.
    return any || pinned_ ? std::string() : tr("no copy to the GPU is waited for here");
  }

  std::string copy_stream() {
    const std::size_t stream = program_.streams;
    bool any = false;
    for (const Iteration& iteration : program_.iterations) {
      std::size_t copied = kNone, from = kNone;
      for (std::size_t c = iteration.first_call; c < iteration.first_call + iteration.calls; ++c) {
        Call& call = program_.calls[c];
        // The batches take turns in memory that is pinned once.
        if (names_.role(call.name) == CallRole::Pinning) call.own = 0;
        const bool moves = here(call) && uploads(call);
        for (std::size_t o = call.first_operation; o < call.first_operation + call.operations; ++o) {
          Operation& operation = program_.operations[o];
          if (moves && operation.kind == LaneKind::CopyH2D) {
            if (operation.source == trace::MemoryKind::Pageable)
              return tr("a copy from pageable memory blocks all the same: with pinned memory as well");
            from = operation.stream;
            copied = o;
            any = operation.ahead = true;
            operation.stream = stream;
            operation.after = kNone;
            operation.after_previous = std::min(operation.after_previous, replay_.pause_);
          } else if (copied != kNone && operation.stream == from) {
            operation.after = std::exchange(copied, kNone);  // the first that may need it
          }
        }
      }
    }
    program_.streams += any ? 1 : 0;
    return any ? std::string() : tr("nothing is copied to the GPU here");
  }

  /// `times` as many workers; 0: the data is always there.
  std::string loader(double times) {
    bool any = false;
    std::vector<Loading*> loadings;
    for (Call& call : program_.calls) loadings.push_back(&call.loading);
    for (Iteration& iteration : program_.iterations) loadings.push_back(&iteration.loading);
    std::vector<Nanoseconds> arrivals;
    for (const Loading* loading : loadings)
      if (loading->arrival > 0) arrivals.push_back(loading->arrival);
    std::ranges::sort(arrivals);
    const Nanoseconds typical = arrivals.empty() ? 0 : arrivals[arrivals.size() / 2];
    for (Loading* loading : loadings) {
      any |= loading->here > 0;
      if (loading->all > 0 && loading->arrival == 0) loading->arrival = typical;
      if (static_cast<double>(loading->arrival) > kFirstOfAnEpoch * static_cast<double>(typical)) {
        loading->arrival = 0;  // workers that have just been started: more of them are no faster
      } else if (times != 0) {
        loading->arrival = std::llround(static_cast<double>(loading->arrival) / times);
      }
    }
    if (times == 0) {
      for (Call& call : program_.calls) call.gap -= std::exchange(call.loading, {}).here;
      for (Iteration& iteration : program_.iterations) iteration.rest -= std::exchange(iteration.loading, {}).here;
    }
    program_.data_arrives = times != 0;
    return any ? std::string() : tr("nothing waits for data in the iterations that were recorded as a whole");
  }

  std::string graph() {
    std::size_t launched = 0;
    for (const Iteration& iteration : program_.iterations) {
      std::size_t first = kNone, last = kNone;
      const auto calls = std::span(program_.calls).subspan(iteration.first_call, iteration.calls);
      for (std::size_t c = 0; c < calls.size(); ++c) {
        if (!launches(calls[c])) continue;
        if (first == kNone) first = c;
        last = c;
      }
      if (first == kNone) continue;
      for (std::size_t c = first; c <= last; ++c) {
        Call& call = calls[c];
        if (!gone_ && c != first && launches(call)) calls[first].own += kGraphNode;
        if (waits(call) && call.kept == KeptPart::All && !call.late && !waits_for_upload(call))
          return tr("there is a wait between the launches of a step: what is launched next may depend on it");
        if (!launches(call)) continue;
        ++launched;
        if (c != first) {
          call.gap = call.loading.here;
          call.before = call.own = 0;
        }
        call.after = 0;
        for (Operation& o : of(call)) o.after_previous = std::min(o.after_previous, replay_.pause_);
        // Whether a graph that is queued begins as soon as a kernel would depends on the driver.
        if (c == first && !gone_) of(call).front().after_previous += replay_.latency_;
      }
    }
    return launched > program_.iterations.size() ? std::string() : tr("a step has no launches that could become one");
  }

  std::string faster(double times) {
    bool any = false;
    for (Call& call : program_.calls) {
      for (Operation& o : of(call)) {
        if (!here(o.name) && !here(call.range)) continue;
        any = true;
        o.duration = std::llround(static_cast<double>(o.duration) / times);
      }
    }
    return any ? std::string()
               : tr("the GPU does nothing of this name in the iterations that were recorded as a whole");
  }

  static constexpr Nanoseconds kShortestCopy = 1'000, kRecordsAnEvent = 1'000;
  static constexpr Nanoseconds kGraphNode = 412;  // of its launch, at most: see graph_node_us in assets/profiles
  static constexpr double kFirstOfAnEpoch = 2.5;  // times as long as usual between two batches
  static constexpr std::uint64_t kTellsTheRate = 64 << 10;

  const Replay& replay_;
  const Link link_;
  const bool gone_;
  Program program_;
  bool pinned_ = false;
  std::string place_;
  std::optional<NameId> only_;
  std::map<NameId, bool> places_;
  CallNames names_{replay_.trace_.names()};
};

// Nothing else needs it: it waits, or copies something to the host.
bool Replay::only_reads(const Call& call) const {
  if (call.operations == 0) return call.awaited != kNone || call.fixed_wait > 0;
  const auto first = program_.operations.begin() + static_cast<std::ptrdiff_t>(call.first_operation);
  return std::all_of(first, first + static_cast<std::ptrdiff_t>(call.operations),
                     [](const Operation& operation) { return operation.kind == LaneKind::CopyD2H; });
}

/// `edit(Editor&)` makes the edits, or says why they cannot be made.
template <class Edit>
WhatIf Replay::answer(const Link& link, const Edit& edit) const {
  WhatIf answer;
  answer.refusal = refusal_;
  answer.iterations = static_cast<std::int64_t>(program_.iterations.size());
  answer.recorded_ns = recorded_ns_;
  answer.replayed_ns = replayed_ns_;
  for (const bool gone : {false, true}) {
    if (!answer.refusal.empty()) return answer;
    Editor editor(*this, link, gone);
    answer.refusal = edit(editor);
    if (answer.refusal.empty()) (gone ? answer.gone_ns : answer.without_ns) = pace(editor.program());
  }
  const auto [least, most] = std::minmax({replayed_ns_ / answer.without_ns, replayed_ns_ / answer.gone_ns});
  answer.least_factor = least * (1 - error());
  answer.most_factor = most * (1 + error());
  return answer;
}

std::string Replay::make(std::span<const Edit> edits, Editor& editor) {
  // In the order of their kinds: a wait that goes is not in the way of a graph.
  std::vector<Edit> in_order(edits.begin(), edits.end());
  std::ranges::stable_sort(in_order, {}, &Edit::kind);
  for (const Edit& edit : in_order) {
    if (std::string why = editor.make(edit); !why.empty()) return tr("{}: {}", text_of(edit), why);
  }
  return {};
}

std::optional<ReplayedIteration> Replay::iteration(std::span<const Edit> edits, const Link& link) const {
  if (!refusal_.empty()) return std::nullopt;
  Editor editor(*this, link, false);
  if (!make(edits, editor).empty()) return std::nullopt;
  const auto away = [&](const Iteration& one) { return std::abs(static_cast<double>(one.duration) - recorded_ns_); };
  const auto typical = std::ranges::min_element(program_.iterations, {}, away);
  ReplayedIteration seen;
  seen.recorded = typical->recorded;
  const Watched watched{static_cast<std::size_t>(typical - program_.iterations.begin()), seen};
  const auto each = std::max<Nanoseconds>(1, std::llround(pace(editor.program(), &watched)));
  seen.end_ns = seen.recorded.from + each;
  if (seen.operations.empty()) return seen;
  const Nanoseconds ahead = (seen.operations.front().start_ns - seen.recorded.from) / each * each;
  for (ReplayedIteration::Operation& operation : seen.operations) {
    operation.start_ns -= ahead;
    operation.end_ns -= ahead;
  }
  return seen;
}

Nanoseconds ReplayedIteration::replayed(Nanoseconds recorded_ns) const {
  const auto next = std::ranges::upper_bound(cpu, recorded_ns, {}, &Moment::recorded_ns);
  if (next == cpu.begin()) return cpu.front().replayed_ns;
  const Moment& before = next[-1];
  if (next == cpu.end()) return before.replayed_ns;
  const double share = static_cast<double>(recorded_ns - before.recorded_ns) /
                       static_cast<double>(next->recorded_ns - before.recorded_ns);
  return before.replayed_ns + std::llround(share * static_cast<double>(next->replayed_ns - before.replayed_ns));
}

WhatIf Replay::with(std::span<const Edit> edits, const Link& link) const {
  const auto at = [&](double gb_per_s) {
    return answer({gb_per_s}, [&](Editor& editor) { return make(edits, editor); });
  };
  WhatIf said = at(link.h2d_gb_per_s);
  if (!link.assumed || !said.refusal.empty()) return said;
  const WhatIf slower = at(link.h2d_gb_per_s / 2);
  if (slower == said) return said;
  said.least_factor = slower.least_factor;
  said.assumed_gb_per_s = link.h2d_gb_per_s;
  return said;
}

WhatIf Replay::without(NameId range) const {
  WhatIf answer = this->answer({}, [&](Editor& editor) { return editor.no_wait(range); });
  // A wait that goes makes nothing slower.
  answer.least_factor = std::max(1.0, answer.least_factor);
  answer.most_factor = std::max(1.0, answer.most_factor);
  return answer;
}

}  // namespace lanescope::analysis
