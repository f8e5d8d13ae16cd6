#include "analysis/code_costs.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/event_merge.h"
#include "analysis/lane_facts.h"
#include "analysis/recorded_time.h"

namespace lanescope::analysis {
namespace {

using trace::LaneId;
using trace::LaneKind;
using trace::NameId;

// Work that runs in the stretch was issued at most this many calls before it: a launch queue holds about 1,024.
constexpr std::uint64_t kContextCalls = 3000;
constexpr std::size_t kSlice = std::size_t{1} << 16;

/// Disjoint intervals in time order.
class Intervals {
 public:
  void add(Nanoseconds begin, Nanoseconds end) {
    if (end > begin) all_.emplace_back(begin, end);
  }
  void finish() {
    std::sort(all_.begin(), all_.end());
    std::vector<std::pair<Nanoseconds, Nanoseconds>> merged;
    for (const auto& one : all_) {
      if (!merged.empty() && one.first <= merged.back().second) {
        merged.back().second = std::max(merged.back().second, one.second);
      } else {
        merged.push_back(one);
      }
    }
    all_ = std::move(merged);
  }
  Nanoseconds overlap(Nanoseconds begin, Nanoseconds end) const {
    Nanoseconds sum = 0;
    auto at = std::partition_point(all_.begin(), all_.end(), [&](const auto& one) { return one.second <= begin; });
    for (; at != all_.end() && at->first < end; ++at) sum += std::min(end, at->second) - std::max(begin, at->first);
    return sum;
  }
  bool contains(Nanoseconds t) const { return overlap(t, t + 1) > 0; }
  Nanoseconds length() const {
    Nanoseconds sum = 0;
    for (const auto& [begin, end] : all_) sum += end - begin;
    return sum;
  }

 private:
  std::vector<std::pair<Nanoseconds, Nanoseconds>> all_;
};

class LineCosting {
 public:
  LineCosting(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, LineCosts::Per per)
      : trace_(trace),
        from_(from),
        to_(to),
        owners_(trace),
        merge_(trace, {LaneKind::Phases, LaneKind::Calls, LaneKind::Kernels, LaneKind::CopyH2D, LaneKind::CopyD2H,
                       LaneKind::CopyOther}) {
    costs_.from_ns = from;
    costs_.to_ns = to;
    costs_.per = per;
    find_time();
    const Nanoseconds context = context_begin();
    merge_.start_at(context, context);
  }

  LineCosts run(const std::atomic<bool>* stop) {
    while (!merge_.run(to_, kSlice, *this)) {
      if (stop && *stop) return {};
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].count > 0 || lines_[i].cpu_ns > 0 || lines_[i].wait_ns > 0 || lines_[i].gpu_ns > 0) {
        costs_.lines.emplace(places_[i], lines_[i]);
      }
    }
    return std::move(costs_);
  }

  // For EventMerge.
  void take(const trace::Event& event, const EventMerge::Source& source) {
    if (trace::is_gpu_work_lane(source.kind)) {
      take_operation(event, source.lane);
    } else if (event.kind == trace::EventKind::Call) {
      take_call(event, source.lane);
    } else if (trace::is_host_wait(event)) {
      take_wait(event, source.lane);
    }
  }
  void lost() {}

 private:
  struct Time {  // of one process
    Intervals known, recorded;
  };
  struct Site {
    std::vector<std::size_t> lines;  // one for each file
    NameId own_file = 0;
    bool has_own = false;
  };

  void find_time() {
    const trace::Trace::ReadLock lock(trace_);
    const auto recorded = [&](std::int64_t pid, Nanoseconds begin, Nanoseconds end) {
      const trace::Coverage& coverage = trace_.coverage(pid);
      return coverage.complete() || coverage.recorded_ns(begin, end) == end - begin;
    };
    for (std::size_t l = 0; l < trace_.lane_count(); ++l) {
      const trace::Lane& lane = trace_.lane(static_cast<LaneId>(l));
      const trace::LaneInfo& info = lane.info();
      if (costs_.per == LineCosts::Per::Second) {
        if (info.kind == LaneKind::Calls) add_all_time(info.pid);
        continue;
      }
      for (std::size_t r = 0; info.kind == LaneKind::Iterations && r < lane.row_count(); ++r) {
        const trace::Row& row = lane.row(r);
        const trace::EventIndex last = row.last();
        for (auto i = row.first_starting_at_or_after(from_, row.first(), last); i < last && row.end(i) <= to_; ++i) {
          Time& time = times_[info.pid];
          ++costs_.iterations;
          time.known.add(row.start(i), row.end(i));
          if (!recorded(info.pid, row.start(i), row.end(i))) continue;
          ++costs_.recorded_iterations;
          time.recorded.add(row.start(i), row.end(i));
        }
      }
    }
    for (auto& [pid, time] : times_) {
      time.known.finish();
      time.recorded.finish();
      costs_.known_ns = std::max(costs_.known_ns, time.known.length());
      costs_.recorded_ns = std::max(costs_.recorded_ns, time.recorded.length());
    }
  }

  void add_all_time(std::int64_t pid) {
    const auto [at, is_new] = times_.try_emplace(pid);
    if (!is_new) return;
    at->second.known.add(from_, to_);
    const trace::Coverage& coverage = trace_.coverage(pid);
    if (coverage.complete()) return at->second.recorded.add(from_, to_);
    for (auto i = coverage.first_ending_after(from_); i < coverage.last(); ++i) {
      const trace::Coverage::Interval interval = coverage.interval(i);
      if (interval.begin >= to_) break;
      at->second.recorded.add(std::max(interval.begin, from_), std::min(interval.end, to_));
    }
  }

  // So that the calls are seen whose work still runs in the stretch.
  Nanoseconds context_begin() const {
    const trace::Trace::ReadLock lock(trace_);
    Nanoseconds begin = from_;
    for (std::size_t l = 0; l < trace_.lane_count(); ++l) {
      const trace::Lane& lane = trace_.lane(static_cast<LaneId>(l));
      for (std::size_t r = 0; lane.info().kind == LaneKind::Calls && r < lane.row_count(); ++r) {
        const trace::Row& row = lane.row(r);
        const trace::EventIndex first = row.first();
        const trace::EventIndex i = row.first_starting_at_or_after(from_, first, row.last());
        if (i > first) begin = std::min(begin, row.start(i - std::min(kContextCalls, i - first)));
      }
    }
    return begin;
  }

  const Site& site(std::uint32_t number) {
    const auto [known, is_new] = sites_.try_emplace(number);
    Site& site = known->second;
    if (!is_new || number == 0) return site;
    const trace::CallSites::Stack stack = trace_.sites().stack(number);
    std::vector<NameId> files;
    for (const trace::Frame& frame : stack.frames) {
      if (frame.line == 0 || std::find(files.begin(), files.end(), frame.file) != files.end()) continue;
      files.push_back(frame.file);
      const LinePlace place{frame.file, frame.line};
      const auto [line, first] = numbers_.try_emplace(place, lines_.size());
      if (first) {
        places_.push_back(place);
        lines_.emplace_back();
        covered_.push_back(from_);
      }
      site.lines.push_back(line->second);
    }
    if (const trace::Frame* own = stack.own_frame()) {
      site.own_file = own->file;
      site.has_own = true;
    }
    return site;
  }

  void take_call(const trace::Event& call, LaneId lane) {
    const std::uint32_t number = trace_.sites().at(lane, call.start_ns);
    if (lane >= calls_until_.size()) calls_until_.resize(lane + std::size_t{1}, from_);
    // A call within another one on the same thread is part of it.
    const Nanoseconds begin = std::max(call.start_ns, calls_until_[lane]);
    calls_until_[lane] = std::max(calls_until_[lane], call.end_ns);
    if (number == 0) return;
    const Site& from = site(number);
    if (call.correlation != 0) issued_by_[{owners_.process_of(lane), call.correlation}] = number;
    const auto time = times_.find(trace_.lane(lane).info().pid);
    if (time == times_.end() || begin >= call.end_ns) return;
    const Nanoseconds own_end =
        trace::is_blocking(call) ? std::min(call.end_ns, call.start_ns + trace::parts_of(call).own) : call.end_ns;
    const Nanoseconds cpu = begin < own_end ? time->second.recorded.overlap(begin, own_end) : 0;
    const Nanoseconds wait = time->second.known.overlap(std::max(begin, own_end), call.end_ns);
    const bool counts = time->second.recorded.contains(call.start_ns);
    if (from.has_own && wait > 0) costs_.waiting[from.own_file] += wait;
    for (const std::size_t i : from.lines) {
      lines_[i].cpu_ns += cpu;
      lines_[i].wait_ns += wait;
      lines_[i].count += counts ? 1 : 0;
      note_example(lines_[i], call, lane);
    }
  }

  // The thread waits for another one, at a known place: for the next batch.
  void take_wait(const trace::Event& range, LaneId lane) {
    const std::uint32_t number = trace_.sites().at(lane, range.start_ns);
    const auto time = times_.find(trace_.lane(lane).info().pid);
    if (number == 0 || time == times_.end()) return;
    const Site& from = site(number);
    const Nanoseconds wait = time->second.known.overlap(range.start_ns, range.end_ns);
    if (from.has_own && wait > 0) costs_.waiting[from.own_file] += wait;
    for (const std::size_t i : from.lines) {
      lines_[i].wait_ns += wait;
      note_example(lines_[i], range, lane);
    }
  }

  void note_example(LineCost& line, const trace::Event& event, LaneId lane) const {
    if (event.start_ns < from_ || event.duration() <= line.example.end_ns - line.example.start_ns) return;
    line.example = {lane, event.start_ns, event.end_ns};
  }

  // Operations arrive in start order.
  void take_operation(const trace::Event& operation, LaneId lane) {
    if (operation.correlation == 0) return;
    const auto issued = issued_by_.find({owners_.process_of(lane), operation.correlation});
    const auto time = times_.find(trace_.lane(lane).info().pid);
    if (issued == issued_by_.end() || time == times_.end()) return;
    for (const std::size_t i : site(issued->second).lines) {
      const Nanoseconds begin = std::max(operation.start_ns, covered_[i]);
      if (begin < operation.end_ns) lines_[i].gpu_ns += time->second.recorded.overlap(begin, operation.end_ns);
      covered_[i] = std::max(covered_[i], operation.end_ns);
    }
  }

  const trace::Trace& trace_;
  const Nanoseconds from_, to_;
  const trace::Owners owners_;
  EventMerge merge_;
  std::unordered_map<std::int64_t, Time> times_;  // by process
  std::unordered_map<std::uint32_t, Site> sites_;
  std::map<LinePlace, std::size_t> numbers_;
  std::vector<LinePlace> places_;
  std::vector<LineCost> lines_;
  std::vector<Nanoseconds> covered_;      // by line: GPU time is counted up to here
  std::vector<Nanoseconds> calls_until_;  // by lane
  trace::CallMap<std::uint32_t> issued_by_;
  LineCosts costs_;
};

}  // namespace

double LineCosts::of_recorded(double sum) const {
  if (per == Per::Iteration) return recorded_iterations > 0 ? sum / static_cast<double>(recorded_iterations) : 0;
  return recorded_ns > 0 ? sum * static_cast<double>(base::kSecond) / static_cast<double>(recorded_ns) : 0;
}

double LineCosts::time_of_recorded(Nanoseconds sum) const {
  if (recorded_ns <= 0) return 0;
  const double span =
      per == Per::Iteration ? of_all(static_cast<double>(known_ns)) : static_cast<double>(base::kSecond);
  return static_cast<double>(sum) / static_cast<double>(recorded_ns) * span;
}

double LineCosts::of_all(double sum) const {
  if (per == Per::Iteration) return iterations > 0 ? sum / static_cast<double>(iterations) : 0;
  return known_ns > 0 ? sum * static_cast<double>(base::kSecond) / static_cast<double>(known_ns) : 0;
}

std::uint32_t innermost_line(const trace::CallSites::Stack& stack, NameId file) {
  for (const trace::Frame& frame : stack.frames) {
    if (frame.file == file && frame.line != 0) return frame.line;
  }
  return 0;
}

LineCosts line_costs(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, LineCosts::Per per,
                     const std::atomic<bool>* stop) {
  const KeptRange kept = kept_range(trace);
  if (kept.empty || trace.sites().empty()) return {};
  from = std::max(from, kept.from);
  to = std::min(to, std::min(kept.to, trace.complete_until()));
  return from < to ? LineCosting(trace, from, to, per).run(stop) : LineCosts{};
}

// --- statement costs -------------------------------------------------------------------------------------------------

namespace {

using trace::EventKind;

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
