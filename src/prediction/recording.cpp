#include "prediction/recording.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "device/sim/sim_options.h"
#include "trace/links.h"

namespace lanescope::prediction {
namespace {

using trace::Event;
using trace::LaneKind;

constexpr std::size_t kMostIterations = 3000;
constexpr std::size_t kMostCalls = 120'000;     // of the iterations
constexpr std::size_t kMostElsewhere = 20'000;  // of the run's beginning, and just before the iterations
constexpr std::size_t kAtOnce = 8192;           // events that are read under one lock
constexpr double kMostIncomplete = 0.6;         // share of the iterations whose work has not ended

bool stopped(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

/// The events of a lane that start in [from, to); at most `most` from each of its rows.
void read_lane(const trace::Trace& trace, trace::LaneId id, Nanoseconds from, Nanoseconds to, std::size_t most,
               std::vector<Event>& events) {
  const trace::Lane& lane = trace.lane(id);
  for (std::size_t r = 0; r < lane.row_count(); ++r) {
    const trace::Row& row = lane.row(r);
    trace::EventIndex next = 0;
    std::size_t left = most;
    for (bool more = true; more;) {
      const trace::Trace::ReadLock lock(trace);
      const trace::EventIndex last = row.last();
      next = row.first_starting_at_or_after(from, std::max(next, row.first()), last);
      const trace::EventIndex end = std::min<trace::EventIndex>(last, next + std::min(kAtOnce, left));
      more = end < last && end > next;
      for (; next < end; ++next) {
        if (row.start(next) >= to) {
          more = false;
          break;
        }
        events.push_back(row.event(next));
        events.back().lane = id;
        --left;
      }
      more = more && left > 0;
    }
  }
}

std::vector<trace::LaneId> lanes_of(const trace::Trace& trace, auto&& wanted) {
  std::vector<trace::LaneId> lanes;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto id = static_cast<trace::LaneId>(l);
    if (wanted(trace.lane(id).info())) lanes.push_back(id);
  }
  return lanes;
}

void sort_by_start(std::vector<Event>& events) {
  const auto earlier = [](const Event& a, const Event& b) {
    return a.start_ns < b.start_ns || (a.start_ns == b.start_ns && a.correlation < b.correlation);
  };
  if (!std::is_sorted(events.begin(), events.end(), earlier)) std::stable_sort(events.begin(), events.end(), earlier);
}

class Reader {
 public:
  Reader(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, const std::atomic<bool>* stop,
         trace::GpuNumber gpu)
      : trace_(trace), from_(from), to_(std::min(to, trace.complete_until())), stop_(stop) {
    if (gpu < owners_.gpus().size()) wanted_ = owners_.processes()[owners_.gpus()[gpu].process];
  }

  Recording read() {
    find_iterations();
    if (recording_.iterations.empty() || stopped(stop_)) return {};
    read_calls();
    if (stopped(stop_)) return {};
    read_operations();
    drop_incomplete();
    read_tasks();
    return std::move(recording_);
  }

 private:
  bool own(const trace::LaneInfo& i) const { return i.pid == process_.pid && i.host == process_.host; }

  void find_iterations() {
    const auto lanes = lanes_of(trace_, [this](const trace::LaneInfo& i) {
      return i.kind == LaneKind::Iterations && (!wanted_ || *wanted_ == trace::Process{i.host, i.pid});
    });
    if (lanes.empty()) return;
    const trace::LaneInfo& loop = trace_.lane(lanes.front()).info();
    thread_ = loop.tid;
    process_ = {loop.host, loop.pid};
    const trace::Lane& lane = trace_.lane(lanes.front());
    if (lane.row_count() == 0) return;
    const trace::Trace::ReadLock lock(trace_);
    const trace::Row& row = lane.row(0);
    if (row.first() == 0 && row.last() > 0 && trace::index_of(row.event(0)) == 0) run_start_ = row.start(0);
    trace::EventIndex last = row.first_ending_after(to_, row.first(), row.last());
    trace::EventIndex first = row.first_starting_at_or_after(from_, row.first(), last);
    if (last - first > kMostIterations) first = last - kMostIterations;
    for (; first < last; ++first) {
      RecordedIteration i;
      i.number = trace::index_of(row.event(first));
      i.start = row.start(first);
      i.end = i.done = row.end(first);
      recording_.iterations.push_back(i);
    }
  }

  void read_calls() {
    auto lanes = lanes_of(
        trace_, [&](const trace::LaneInfo& i) { return i.kind == LaneKind::Calls && i.tid == thread_ && own(i); });
    if (lanes.empty()) {
      lanes =
          lanes_of(trace_, [&](const trace::LaneInfo& i) { return i.kind == LaneKind::Calls && (!wanted_ || own(i)); });
    }
    if (!lanes.empty()) calling_ = owners_.process_of(lanes.front());
    std::vector<RecordedIteration>& iterations = recording_.iterations;
    limit_iterations(lanes);
    if (iterations.empty()) return;  // the newest alone has too many calls
    std::vector<Event> events;
    const Nanoseconds begin = iterations.front().start;
    Nanoseconds lead = begin;
    for (const trace::LaneId id : lanes) lead = std::min(lead, start_before(id, begin));
    for (const trace::LaneId id : lanes) {
      read_lane(trace_, id, std::numeric_limits<Nanoseconds>::min(), lead, kMostElsewhere, events);
    }
    for (const trace::LaneId id : lanes) {
      read_lane(trace_, id, lead, iterations.back().end, kMostCalls + kMostElsewhere, events);
    }
    sort_by_start(events);
    recording_.calls.reserve(events.size());
    std::size_t i = 0;
    for (const Event& event : events) {
      if (event.kind != trace::EventKind::Call) continue;
      RecordedCall call;
      call.api = api_of(event.name);
      call.start = event.start_ns;
      call.end = event.end_ns;
      call.parts = trace::parts_of(event);
      call.blocking = trace::is_blocking(event);
      call.correlation = event.correlation;
      while (i < iterations.size() && event.start_ns >= iterations[i].end) close(i++);
      if (i < iterations.size() && event.start_ns >= iterations[i].start) {
        if (iterations[i].last_call == 0) iterations[i].first_call = recording_.calls.size();
        iterations[i].last_call = recording_.calls.size() + 1;
        call.iteration = i;
      }
      if (run_start_ && event.start_ns < *run_start_) {
        if (recording_.setup_calls == 0) recording_.setup_start = event.start_ns;
        ++recording_.setup_calls;
      }
      recording_.calls.push_back(call);
    }
    while (i < iterations.size()) close(i++);
    if (run_start_) recording_.setup_end = *run_start_;
  }

  /// An iteration without calls gets an empty range where its calls would be.
  void close(std::size_t i) {
    RecordedIteration& iteration = recording_.iterations[i];
    if (iteration.last_call == 0) iteration.first_call = iteration.last_call = recording_.calls.size();
  }

  /// Drops the oldest iterations, so that there are at most kMostCalls calls.
  void limit_iterations(const std::vector<trace::LaneId>& lanes) {
    std::vector<RecordedIteration>& iterations = recording_.iterations;
    Nanoseconds begin = iterations.front().start;
    for (const trace::LaneId id : lanes) {
      const trace::Trace::ReadLock lock(trace_);
      const trace::Lane& lane = trace_.lane(id);
      for (std::size_t r = 0; r < lane.row_count(); ++r) {
        const trace::Row& row = lane.row(r);
        const trace::EventIndex last = row.first_starting_at_or_after(iterations.back().end, row.first(), row.last());
        if (last - row.first() > kMostCalls) begin = std::max(begin, row.start(last - kMostCalls));
      }
    }
    std::erase_if(iterations, [&](const RecordedIteration& i) { return i.start < begin; });
  }

  Nanoseconds start_before(trace::LaneId id, Nanoseconds t) const {
    Nanoseconds start = t;
    const trace::Trace::ReadLock lock(trace_);
    const trace::Lane& lane = trace_.lane(id);
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const trace::EventIndex here = row.first_starting_at_or_after(t, row.first(), row.last());
      if (here == row.first()) continue;
      const trace::EventIndex first = here - row.first() > kMostElsewhere ? here - kMostElsewhere : row.first();
      start = std::min(start, row.start(first));
    }
    return start;
  }

  std::size_t api_of(base::NameId name) {
    const auto [known, is_new] = apis_.try_emplace(name, kOtherApi);
    if (is_new) {
      for (std::size_t a = 0; a < device::kCudaCalls; ++a) {
        if (device::call_name(static_cast<CudaCall>(a)) == trace_.names().text(name)) known->second = a;
      }
    }
    return known->second;
  }

  std::optional<ops::OpKind> kind_of(base::NameId name) {
    const auto [known, is_new] = kinds_.try_emplace(name);
    for (std::size_t k = 0; is_new && k < device::sim::kOpKinds; ++k) {
      const auto kind = static_cast<ops::OpKind>(k);
      if (ops::kernel_name(kind) == trace_.names().text(name)) known->second = kind;
    }
    return known->second;
  }

  void read_operations() {
    // Not trace::Links: only a part of the trace is read, and calls are looked up by their index in that part.
    trace::CallMap<std::size_t> issued;
    issued.reserve(recording_.calls.size());
    for (std::size_t c = 0; c < recording_.calls.size(); ++c) {
      if (recording_.calls[c].correlation != 0) issued[{calling_, recording_.calls[c].correlation}] = c;
    }
    std::vector<Event> events;
    if (recording_.calls.empty()) return;
    const auto lanes = lanes_of(trace_, [](const trace::LaneInfo& i) { return trace::is_gpu_work_lane(i.kind); });
    const std::size_t most = recording_.calls.size() + kMostElsewhere;
    // Operations between the run's beginning and the calls just before the iterations are not needed.
    Nanoseconds last = std::numeric_limits<Nanoseconds>::min();
    for (std::size_t c = 1; c < recording_.calls.size(); ++c) {
      if (recording_.calls[c].start - recording_.calls[c - 1].end > base::kSecond) last = recording_.calls[c].start;
    }
    for (const trace::LaneId id : lanes) {
      if (last > recording_.calls.front().start) {
        read_lane(trace_, id, recording_.calls.front().start, last, kMostElsewhere, events);
        read_lane(trace_, id, last, trace_.complete_until(), most, events);
      } else {
        read_lane(trace_, id, recording_.calls.front().start, trace_.complete_until(), most, events);
      }
    }
    sort_by_start(events);
    events.erase(std::unique(events.begin(), events.end()), events.end());
    recording_.operations.reserve(events.size());
    std::optional<trace::GpuNumber> gpu;
    for (const Event& event : events) {
      if (!trace::is_gpu_work(event.kind)) continue;
      const auto found =
          event.correlation != 0 ? issued.find({owners_.process_of(event.lane), event.correlation}) : issued.end();
      if (found == issued.end()) continue;
      const trace::GpuNumber ran_on = owners_.gpu_of(event.lane);
      if (!gpu) gpu = ran_on;
      recording_.several_gpus |= *gpu != ran_on;
      RecordedOperation operation;
      operation.event = event;
      operation.call = found->second;
      operation.name = trace_.names().text(event.name);
      if (event.kind == trace::EventKind::Kernel) operation.kind = kind_of(event.name);
      RecordedCall& call = recording_.calls[found->second];
      if (call.operation == kNone) call.operation = recording_.operations.size();
      recording_.operations.push_back(operation);
      // A graph's call has many, and the iteration is done with the last.
      if (call.iteration != kNone) {
        Nanoseconds& done = recording_.iterations[call.iteration].done;
        done = std::max(done, event.end_ns);
      }
    }
    Nanoseconds ended = std::numeric_limits<Nanoseconds>::min();
    for (const RecordedCall& call : recording_.calls) {
      if (call.operation == kNone) continue;
      RecordedOperation& operation = recording_.operations[call.operation];
      operation.before = ended;
      ended = std::max(ended, operation.event.end_ns);
    }
    Nanoseconds done = std::numeric_limits<Nanoseconds>::min();
    for (RecordedIteration& i : recording_.iterations) done = i.done = std::max(done, i.done);
  }

  /// At the live edge, the GPU has not yet run everything that the CPU has issued.
  void drop_incomplete() {
    std::vector<RecordedIteration>& iterations = recording_.iterations;
    const auto complete = [&](const RecordedIteration& i) {
      const auto calls = recording_.calls_of(i);
      return std::all_of(calls.begin(), calls.end(), [](const RecordedCall& call) {
        return !(call.is(CudaCall::LaunchKernel) || call.is(CudaCall::GraphLaunch)) || call.operation != kNone;
      });
    };
    std::size_t n = iterations.size();
    while (n > 0 && !complete(iterations[n - 1])) --n;
    if (static_cast<double>(n) < (1 - kMostIncomplete) * static_cast<double>(iterations.size())) return;
    iterations.resize(n);
  }

  /// A pin thread's task may begin with a cudaHostAlloc, which is not part of the copying.
  void leave_out_calls(std::int64_t thread, Nanoseconds from, Nanoseconds to, std::span<Event> tasks) const {
    std::vector<Event> calls;
    for (const trace::LaneId id : lanes_of(trace_, [&](const trace::LaneInfo& i) {
           return i.kind == LaneKind::Calls && i.tid == thread && own(i);
         })) {
      read_lane(trace_, id, from, to, kMostElsewhere, calls);
    }
    sort_by_start(calls);
    for (Event& task : tasks) {
      auto call = std::lower_bound(calls.begin(), calls.end(), task.start_ns,
                                   [](const Event& c, Nanoseconds start) { return c.start_ns < start; });
      for (; call != calls.end() && call->end_ns <= task.end_ns; ++call) task.start_ns = call->end_ns;
    }
  }

  void read_tasks() {
    if (recording_.iterations.empty()) return;
    const Nanoseconds from = recording_.iterations.front().start, to = recording_.iterations.back().end;
    const auto lanes = lanes_of(trace_, [&](const trace::LaneInfo& i) {
      return i.kind == LaneKind::Phases && i.tid != thread_ && i.tid > 0 && own(i);
    });
    std::vector<Event> events;
    for (const trace::LaneId id : lanes) {
      const std::size_t first = events.size();
      read_lane(trace_, id, from, to, kMostElsewhere, events);
      leave_out_calls(trace_.lane(id).info().tid, from, to, std::span(events).subspan(first));
    }
    sort_by_start(events);
    std::vector<Nanoseconds> ends;
    for (const Event& event : events) {
      std::erase_if(ends, [&](Nanoseconds end) { return end <= event.start_ns; });
      ends.push_back(event.end_ns);
      recording_.most_tasks_at_once = std::max(recording_.most_tasks_at_once, ends.size());
      recording_.tasks.push_back({std::string(trace_.names().text(event.name)), event.start_ns, event.end_ns});
    }
  }

  const trace::Trace& trace_;
  const Nanoseconds from_, to_;
  const std::atomic<bool>* const stop_;
  const trace::Owners owners_{trace_};
  std::optional<trace::Process> wanted_;
  std::int64_t thread_ = 0;  // the thread with the iterations
  trace::Process process_;
  trace::ProcessNumber calling_ = 0;
  std::optional<Nanoseconds> run_start_;
  std::unordered_map<base::NameId, std::size_t> apis_;
  std::unordered_map<base::NameId, std::optional<ops::OpKind>> kinds_;
  Recording recording_;
};

}  // namespace

Recording read_recording(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, const std::atomic<bool>* stop,
                         trace::GpuNumber gpu) {
  return Reader(trace, from, to, stop, gpu).read();
}

double mean_iteration_ns(const std::vector<RecordedIteration>& iterations, Stretch stretch) {
  if (stretch.count() == 0 || stretch.first == 0 || stretch.last > iterations.size()) return 0;
  return static_cast<double>(iterations[stretch.last - 1].done - iterations[stretch.first - 1].done) /
         static_cast<double>(stretch.count());
}

}  // namespace lanescope::prediction
