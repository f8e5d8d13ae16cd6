#include "analysis/statement_costs.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analysis/call_names.h"
#include "analysis/event_merge.h"
#include "analysis/kept_range.h"

namespace lanescope::analysis {
namespace {

using trace::EventKind;
using trace::LaneId;
using trace::LaneKind;
using trace::NameId;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
// Work that runs in the stretch was issued at most this many calls before it: a launch queue holds about 1,024.
constexpr std::uint64_t kStatementContextCalls = 3000;
constexpr std::size_t kStatementSlice = std::size_t{1} << 16;

class Costing {
 public:
  Costing(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, std::span<const StatementRanges> statements)
      : trace_(trace),
        from_(from),
        to_(to),
        owners_(trace),
        merge_(trace, {LaneKind::Iterations, LaneKind::Phases, LaneKind::Calls, LaneKind::Kernels, LaneKind::CopyH2D,
                       LaneKind::CopyD2H, LaneKind::CopyOther}),
        roles_(trace.names()),
        covered_(statements.size(), from) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      for (const std::string& name : statements[i].names) {
        Takers& takers = takers_[name];
        if (statements[i].transfers) {
          takers.transfers = i;
        } else {
          takers.turns.push_back(i);
        }
      }
    }
    costs_.statements.resize(statements.size());
    costs_.from_ns = from;
    costs_.to_ns = to;
    find_threads();
    const Nanoseconds context = context_begin();
    merge_.start_at(context, context);
  }

  StatementCosts run(const std::atomic<bool>* stop) {
    while (!merge_.run(to_, kStatementSlice, *this)) {
      if (stop && *stop) return {};
    }
    for (Thread& thread : threads_) leave(thread, std::numeric_limits<Nanoseconds>::max());
    return std::move(costs_);
  }

  // For EventMerge.
  void take(const trace::Event& event, const EventMerge::Source& source) {
    if (trace::is_gpu_work_lane(source.kind)) return take_operation(event, source.lane);
    Thread* thread = thread_of(source.lane);
    if (!thread) return;
    leave(*thread, event.start_ns);
    if (source.kind == LaneKind::Iterations) {
      thread->seen.clear();
      if (event.start_ns >= from_ && event.end_ns <= to_) ++costs_.iterations;
    } else if (source.kind == LaneKind::Phases) {
      take_range(event, source.lane, *thread);
    } else if (event.kind == EventKind::Call) {
      take_call(event, source.lane, *thread);
    }
  }
  void lost() {}

 private:
  struct Takers {
    std::vector<std::size_t> turns;
    std::size_t transfers = kNone;
  };
  struct Open {
    Nanoseconds start, end;
    std::size_t statement;  ///< kNone: a wait that belongs to no statement
    std::size_t transfers;  ///< the statement for copies and synchronisations in it
    bool wait;
    bool timed;                 ///< a stopwatch: it contains the statements that it times
    Nanoseconds elsewhere = 0;  ///< time within the stretch that is not its own CPU time
  };
  struct Thread {
    std::vector<Open> open;  ///< each one inside the one before it
    std::unordered_map<NameId, std::size_t> seen;
  };

  Nanoseconds within(Nanoseconds start, Nanoseconds end) const {
    return std::max<Nanoseconds>(0, std::min(end, to_) - std::max(start, from_));
  }
  bool counts(Nanoseconds start) const { return start >= from_ && start < to_; }
  StatementCost& cost(std::size_t statement) { return costs_.statements[statement]; }

  void find_threads() {
    std::vector<std::pair<trace::ProcessNumber, std::int64_t>> ids;
    const auto id_of = [this](std::size_t l) {
      const auto lane = static_cast<LaneId>(l);
      return std::pair(owners_.process_of(lane), trace_.lane(lane).info().tid);
    };
    const std::size_t count = trace_.lane_count();
    for (std::size_t l = 0; l < count; ++l) {
      if (trace_.lane(static_cast<LaneId>(l)).info().kind != LaneKind::Iterations) continue;
      if (std::find(ids.begin(), ids.end(), id_of(l)) == ids.end()) ids.push_back(id_of(l));
    }
    threads_.resize(ids.size());
    for (std::size_t l = 0; l < count; ++l) {
      const auto found = std::find(ids.begin(), ids.end(), id_of(l));
      lanes_.push_back(found == ids.end() ? kNone : static_cast<std::size_t>(found - ids.begin()));
    }
  }
  Thread* thread_of(LaneId lane) {
    return lane < lanes_.size() && lanes_[lane] != kNone ? &threads_[lanes_[lane]] : nullptr;
  }

  // The start of an iteration, so that ranges with the same name are counted from there.
  Nanoseconds context_begin() const {
    const trace::Trace::ReadLock lock(trace_);
    Nanoseconds begin = from_;
    for (const LaneKind kind : {LaneKind::Calls, LaneKind::Iterations}) {
      const Nanoseconds at = begin;
      for (std::size_t l = 0; l < lanes_.size(); ++l) {
        const trace::Lane& lane = trace_.lane(static_cast<LaneId>(l));
        if (lanes_[l] == kNone || lane.info().kind != kind) continue;
        for (std::size_t r = 0; r < lane.row_count(); ++r) {
          const trace::Row& row = lane.row(r);
          const trace::EventIndex first = row.first(), last = row.last();
          trace::EventIndex i = row.first_starting_at_or_after(at, first, last);
          if (i == first) continue;
          i -= kind == LaneKind::Calls ? std::min(kStatementContextCalls, i - first) : 1;
          begin = std::min(begin, row.start(i));
        }
      }
    }
    return begin;
  }

  void take_range(const trace::Event& range, LaneId lane, Thread& thread) {
    const auto [takers, turn] = takers_of(range.name, thread);
    const bool wait = trace::is_host_wait(range);
    if (!takers && !wait) return;
    const bool timed = trace::range_kind_of(range) == trace::RangeKind::Timed;
    Open open{range.start_ns, range.end_ns, kNone, kNone, wait, timed};
    if (takers) {
      open.transfers = takers->transfers;
      if (!takers->turns.empty()) open.statement = takers->turns[std::min(turn, takers->turns.size() - 1)];
    }
    if (open.statement != kNone && counts(range.start_ns)) {
      ++cost(open.statement).count;
      note_example(open.statement, lane, range);
    }
    if (range.end_ns <= range.start_ns) return;  // an empty range cannot contain anything
    // Of ranges with the same start, the longer one is outside; of ranges with the same end, too, the stopwatch.
    const auto around = [&open](const Open& other) {
      return open.start == other.start && (open.end > other.end || (open.end == other.end && open.timed));
    };
    auto before = thread.open.end();
    while (before != thread.open.begin() && around(*std::prev(before))) --before;
    thread.open.insert(before, open);
  }

  std::pair<const Takers*, std::size_t> takers_of(NameId name, Thread& thread) {
    const auto [known, is_new] = takers_by_id_.try_emplace(name, nullptr);
    if (is_new) {
      const auto found = takers_.find(std::string(trace_.names().text(name)));
      if (found != takers_.end()) known->second = &found->second;
    }
    const Takers* takers = known->second;
    return {takers, takers && takers->turns.size() > 1 ? thread.seen[name]++ : 0};
  }

  // Settles the ranges that have ended by now, innermost first.
  void leave(Thread& thread, Nanoseconds now) {
    while (!thread.open.empty() && thread.open.back().end <= now) {
      const Open ended = thread.open.back();
      thread.open.pop_back();
      const Nanoseconds lasted = within(ended.start, ended.end);
      std::size_t of = ended.statement;
      if (!thread.open.empty()) {
        Open& around = thread.open.back();
        around.elsewhere += within(std::max(ended.start, around.start), std::min(ended.end, around.end));
        for (auto o = thread.open.rbegin(); of == kNone && o != thread.open.rend(); ++o) of = o->statement;
      }
      if (of == kNone) continue;
      if (ended.wait) {
        cost(of).wait_ns += lasted;
      } else {
        cost(of).cpu_ns += lasted - ended.elsewhere;
      }
    }
  }

  void take_call(const trace::Event& call, LaneId lane, Thread& thread) {
    Open* around = thread.open.empty() ? nullptr : &thread.open.back();
    std::size_t of = kNone;
    for (auto o = thread.open.rbegin(); of == kNone && o != thread.open.rend(); ++o) of = o->statement;
    const bool transfer = trace::is_sync(call) || roles_.role(call.name) == CallRole::MemoryCopy;
    const bool moves = transfer && around && around->transfers != kNone;
    if (moves) of = around->transfers;
    if (of == kNone) return;
    if (call.correlation != 0) issued_by_[{owners_.process_of(lane), call.correlation}] = of;
    if (around->wait) return;  // all of the surrounding range already counts as a wait
    const Nanoseconds own_end = call.start_ns + trace::parts_of(call).own;
    const Nanoseconds waited = trace::is_blocking(call) ? within(own_end, call.end_ns) : 0;
    cost(of).wait_ns += waited;
    around->elsewhere += waited;
    if (!moves) return;
    const Nanoseconds own = within(call.start_ns, call.end_ns) - waited;
    cost(of).cpu_ns += own;
    around->elsewhere += own;
    if (!counts(call.start_ns)) return;
    ++cost(of).count;
    note_example(of, lane, call);
  }

  void note_example(std::size_t statement, LaneId lane, const trace::Event& event) {
    Place& example = cost(statement).example;
    if (event.duration() > example.end_ns - example.start_ns) example = {lane, event.start_ns, event.end_ns};
  }

  // Operations arrive in start order.
  void take_operation(const trace::Event& operation, LaneId lane) {
    if (operation.correlation == 0) return;
    const auto issued = issued_by_.find({owners_.process_of(lane), operation.correlation});
    if (issued == issued_by_.end()) return;
    Nanoseconds& covered = covered_[issued->second];
    cost(issued->second).gpu_ns += within(std::max(operation.start_ns, covered), operation.end_ns);
    covered = std::max(covered, operation.end_ns);
  }

  const trace::Trace& trace_;
  const Nanoseconds from_, to_;
  const trace::Owners owners_;
  EventMerge merge_;
  CallNames roles_;
  std::unordered_map<std::string, Takers> takers_;
  std::unordered_map<NameId, const Takers*> takers_by_id_;
  std::vector<std::size_t> lanes_;  // the index of a lane's thread; kNone: a thread without iterations
  std::vector<Thread> threads_;
  trace::CallMap<std::size_t> issued_by_;
  std::vector<Nanoseconds> covered_;  // by statement: GPU time is counted up to here
  StatementCosts costs_;
};

}  // namespace

StatementCosts statement_costs(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                               std::span<const StatementRanges> statements, const std::atomic<bool>* stop) {
  const KeptRange kept = kept_range(trace);
  if (kept.empty) return {};
  from = std::max(from, kept.from);
  to = std::min(to, std::min(kept.to, trace.complete_until()));
  return from < to ? Costing(trace, from, to, statements).run(stop) : StatementCosts{};
}

}  // namespace lanescope::analysis
