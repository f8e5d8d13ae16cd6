#include "io/trace_assembly.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "base/json_text.h"
#include "base/platform/system.h"
#include "base/time.h"
#include "base/translate.h"
#include "trace/owners.h"

namespace lanescope::io {
namespace {

using base::tr;
using trace::Event;
using trace::LaneId;
using trace::LaneKind;

// Memory per event: its place here, and later in the trace; and an index or two.
constexpr std::size_t kEventBytes = sizeof(trace::Block) / trace::kBlockEvents + 2 * sizeof(std::uint32_t);
constexpr std::size_t kMostBlockBytes = 250;  // per event: if rows have few of them, their blocks are hardly filled
constexpr std::size_t kAssemblyLeastTraceBytes = std::size_t{2} << 30;
// Limits that real files never reach, against hostile ones that would exhaust the memory.
constexpr std::size_t kMaxSyncs = std::size_t{32} << 20;
constexpr std::size_t kMaxNames = 65'536;
constexpr std::size_t kAssemblyMemoryMargin = 64u << 20;
constexpr std::uint64_t kArgumentShare = 8;       // of the memory for events, at most, goes to arguments
constexpr std::uint64_t kArgumentOverhead = 100;  // of a text in a NameTable
constexpr std::size_t kPublishEvery = 64 * 1024;
constexpr std::size_t kAssemblyReportEvery = 4096;
constexpr std::size_t kKnownLaunches = 1024;
constexpr std::size_t kMostSampled = std::size_t{1} << 20;  // for the middle of their times

const char* lane_name(LaneKind kind) {
  switch (kind) {
    case LaneKind::Iterations:
      return "iteration";
    case LaneKind::Phases:
      return "operators";
    case LaneKind::Calls:
      return "CUDA calls";
    case LaneKind::Kernels:
      return "kernels";
    case LaneKind::CopyH2D:
      return "copies H2D";
    case LaneKind::CopyD2H:
      return "copies D2H";
    case LaneKind::CopyOther:
      return "other copies";
    case LaneKind::GpuRanges:
      return "ranges";
    case LaneKind::Markers:
      return "markers";
    case LaneKind::Counter:
      return "counter";
  }
  return "";
}

/// The PyTorch profiler writes "thread 22 (pt_main_thread)"; threads without a name of their own have the program's.
std::string own_thread_name(std::string_view written, std::string_view process) {
  if (written.starts_with("thread ") && written.ends_with(')')) {
    const std::size_t open = written.find('(');
    if (open != std::string_view::npos) written = written.substr(open + 1, written.size() - open - 2);
  }
  return written == process || written.starts_with("thread ") ? std::string() : std::string(written);
}

std::uint64_t memory_for_events(const ReadLimits& limits) {
  if (limits.memory_bytes > 0) return limits.memory_bytes;
  const std::uint64_t machine = base::machine_memory_bytes();
  return machine > 0 ? machine / 2 : kAssemblyLeastTraceBytes;
}

OpenedTrace opened_with_room_for(std::uint64_t bytes) {
  OpenedTrace opened;
  opened.trace = std::make_unique<trace::Trace>(std::max<std::size_t>(kAssemblyLeastTraceBytes, bytes));
  return opened;
}

}  // namespace

std::size_t TraceAssembly::LaneKeyHash::operator()(const LaneKey& key) const {
  std::uint64_t hash = static_cast<std::uint64_t>(key.kind);
  for (const std::int64_t part : {key.owner, key.part, key.process, std::int64_t{key.label}}) {
    hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

TraceAssembly::TraceAssembly(const ByteSource& source, ReadProgress& progress, const ReadLimits& limits)
    : source_(source),
      progress_(progress),
      memory_bytes_(memory_for_events(limits)),
      half_of_the_machine_(limits.memory_bytes == 0 && base::machine_memory_bytes() > 0),
      most_events_(std::min<std::uint64_t>(memory_bytes_ / kEventBytes, EventStore::kMostEvents)),
      stop_(progress),
      opened_(opened_with_room_for(memory_bytes_)),
      events_(*opened_.trace),
      name_cache_(opened_.trace->names()),
      argument_cache_(opened_.trace->arguments()),
      frames_(*opened_.trace),
      known_launches_(kKnownLaunches) {}

bool TraceAssembly::take_times(base::Nanoseconds start, base::Nanoseconds end, Event& event) {
  event.start_ns = start;
  event.end_ns = end;
  const auto valid = [](base::Nanoseconds t) { return t >= -base::kMaxTime && t <= base::kMaxTime; };
  if (valid(start) && valid(end)) return true;
  ++opened_.events_malformed;
  return false;
}

bool TraceAssembly::take_lane(const LaneKey& key, Event& event) {
  KnownLane& latest = known_lanes_[static_cast<std::size_t>(key.kind) % known_lanes_.size()];
  if (latest.used && latest.key == key) {
    event.lane = latest.lane;
    return true;
  }
  const auto found = lane_of_.find(key);
  if (found != lane_of_.end()) {
    event.lane = found->second;
    latest = {key, event.lane, true};
    return true;
  }
  if (lanes_.size() >= trace::Trace::kMaxLanes) {
    ++opened_.events_malformed;
    return false;
  }
  trace::LaneInfo info;
  info.kind = key.kind;
  info.name = key.label == 0 ? lane_name(key.kind) : std::string(trace().names().text(key.label));
  if (trace::is_cpu_lane(key.kind)) {
    info.pid = key.owner;
    info.tid = key.part;
  } else {
    info.device = static_cast<std::int32_t>(key.owner);
    info.stream = static_cast<std::int32_t>(key.part);
  }
  event.lane = static_cast<LaneId>(lanes_.size());
  lane_of_.emplace(key, event.lane);
  lanes_.push_back(std::move(info));
  file_process_.push_back(trace::is_cpu_lane(key.kind) ? key.owner : key.process);
  return true;
}

void TraceAssembly::keep(const Event& event, const trace::LaneInfo& lane) {
  if (events_.size() >= most_events_) {
    const std::string events = base::format_count(static_cast<std::int64_t>(most_events_));
    const std::string memory = base::format_bytes(static_cast<std::int64_t>(memory_bytes_));
    source_.fail(
        half_of_the_machine_
            ? tr("too large: more than {} events, which is all that {} of memory (half of this machine's) can hold",
                 events, memory)
            : tr("too large: more than {} events, which is all that {} of memory can hold", events, memory));
  }
  events_.push_back(event);
  earliest_ = std::min(earliest_, event.start_ns);
  latest_ = std::max({latest_, event.start_ns, event.end_ns});
  progress_.picture.add(event.lane, lane, event.start_ns, event.end_ns);
  if (events_.size() % kAssemblyReportEvery != 0) return;
  progress_.events.store(events_.size(), std::memory_order_relaxed);
  progress_.picture.show();
}

void TraceAssembly::keep_sync(const SyncRecord& sync) {
  if (sync.correlation != 0 && syncs_.size() < kMaxSyncs) syncs_.push_back(sync);
}

void TraceAssembly::keep_window(const Recorded& window) {
  constexpr std::size_t kMostWindows = 4096;
  const bool valid = base::in_reach(window.from_ns) && base::in_reach(window.to_ns) && window.from_ns < window.to_ns;
  if (valid && windows_.size() < kMostWindows) windows_.push_back(window);
}

// Arguments that differ in every event could take more memory than the events.
trace::NameId TraceAssembly::number_of_arguments(std::string_view arguments) {
  if (arguments.empty()) return base::NameTable::kEmpty;
  return argument_cache_.find_or(arguments, [&] {
    base::NameTable& table = opened_.trace->arguments();
    if (argument_bytes_ > memory_bytes_ / kArgumentShare) {
      const trace::NameId known = table.find(arguments);
      return known != base::NameTable::kEmpty ? known : base::NameTable::kOverflow;
    }
    const trace::NameId before = table.size();
    const trace::NameId number = table.intern(arguments);
    if (number >= before) argument_bytes_ += arguments.size() + kArgumentOverhead;
    return number;
  });
}

std::uint32_t TraceAssembly::number_of_launch(const trace::LaunchShape& shape) {
  KnownLaunch& known = known_launches_[trace::hash_of(shape) % known_launches_.size()];
  if (known.shape != shape) known = {shape, opened_.trace->launches().intern(shape)};
  return known.number;
}

void TraceAssembly::name_process(std::int64_t pid, std::string_view name) {
  if (!name.empty() && process_names_.size() < kMaxNames) process_names_[pid] = name;
}

void TraceAssembly::name_thread(std::int64_t pid, std::int64_t tid, std::string_view name) {
  if (!name.empty() && thread_names_.size() < kMaxNames) thread_names_[{pid, tid}] = name;
}

std::string_view TraceAssembly::process_name(std::int64_t pid) const {
  const auto found = process_names_.find(pid);
  return found == process_names_.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view TraceAssembly::thread_name(std::int64_t pid, std::int64_t tid) const {
  const auto found = thread_names_.find({pid, tid});
  return found == thread_names_.end() ? std::string_view() : std::string_view(found->second);
}

void TraceAssembly::begin_arranging() {
  if (!lanes_.empty()) leave_out_zeros();  // a file of our own has none here, and its times are known
  leave_out_strays();
  if (!lanes_.empty()) leave_out_empty_step();
  opened_.events_read = events_.size();
  progress_.events.store(events_.size(), std::memory_order_relaxed);
  progress_.picture.show();
  progress_.done.store(0, std::memory_order_relaxed);
  progress_.total.store(events_.size(), std::memory_order_relaxed);
  progress_.stage.store(ReadStage::Arranging, std::memory_order_relaxed);
}

// Profilers write 0 for a time that they do not know. Where all others are far from it, it is none.
void TraceAssembly::leave_out_zeros() {
  constexpr base::Nanoseconds kFar = base::kSecond;
  if (events_.empty() || earliest_ != 0) return;
  base::Nanoseconds first = std::numeric_limits<base::Nanoseconds>::max(), last = 0;
  std::size_t at_zero = 0, on_gpu = 0;
  bool certain = false;  // what runs on the GPU or calls it has a time
  events_.for_each([&](EventStore::Handle h) {
    stop_();
    const base::Nanoseconds start = events_.start(h);
    if (start > 0) {
      first = std::min(first, start);
      last = std::max({last, start, events_.end(h)});
      return;
    }
    ++at_zero;
    const trace::LaneKind kind = lanes_[events_.lane(h)].kind;
    on_gpu += trace::is_gpu_work_lane(kind) ? 1 : 0;
    certain |= trace::is_gpu_lane(kind) || kind == LaneKind::Calls || kind == LaneKind::Iterations;
  });
  if (at_zero == events_.size() || first < kFar || first < last - first) return;
  if (!certain && at_zero < 2) return;
  earliest_ = first;
  events_.keep_if([&](EventStore::Handle h) {
    stop_();
    return events_.start(h) > 0;
  });
  opened_.events_malformed += at_zero;
  timeless_ = on_gpu;
}

// One event with a wrong time would make the trace years long: those that are far from the middle one are left out.
void TraceAssembly::leave_out_strays() {
  if (events_.empty() || latest_ - earliest_ <= base::kLongestTrace) return;
  const std::size_t every = events_.size() / kMostSampled + 1;
  std::vector<base::Nanoseconds> starts;
  std::size_t n = 0;
  events_.for_each([&](EventStore::Handle h) {
    stop_();
    if (n++ % every == 0) starts.push_back(events_.start(h));
  });
  const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
  std::nth_element(starts.begin(), middle, starts.end());
  const base::Nanoseconds from = *middle - base::kLongestTrace / 2, to = *middle + base::kLongestTrace / 2;
  earliest_ = to;
  const std::size_t all = events_.size();
  events_.keep_if([&](EventStore::Handle h) {
    stop_();
    const base::Nanoseconds start = events_.start(h), end = events_.end(h);
    if (start < from || end < from || start > to || end > to) return false;
    earliest_ = std::min(earliest_, start);
    return true;
  });
  opened_.events_malformed += all - events_.size();
}

// The profiler's step() at the end of the last turn opens one more step, in which nothing is done. It stays as a range.
void TraceAssembly::leave_out_empty_step() {
  for (std::size_t steps = 0; steps < events_.lane_count(); ++steps) {
    const std::size_t count = events_.size(steps);
    if (lanes_[steps].kind != trace::LaneKind::Iterations || count < 2) continue;
    std::size_t last = 0;
    base::Nanoseconds from = events_.start(events_.handle(steps, 0)), first = from;
    for (std::size_t i = 1; i < count; ++i) {
      const base::Nanoseconds start = events_.start(events_.handle(steps, i));
      first = std::min(first, start);
      if (start <= from) continue;
      from = start;
      last = i;
    }
    trace::Event step = events_[events_.handle(steps, last)];
    bool works = false, worked = false;
    for (std::size_t lane = 0; lane < events_.lane_count() && !works; ++lane) {
      const trace::LaneInfo& info = lanes_[lane];
      const bool calls = info.kind == trace::LaneKind::Calls;
      if (info.pid != lanes_[steps].pid || (!calls && info.kind != trace::LaneKind::Phases)) continue;
      for (std::size_t i = events_.size(lane); i-- > 0 && !works;) {  // the newest are the last
        stop_();
        const EventStore::Handle h = events_.handle(lane, i);
        const base::Nanoseconds start = events_.start(h);
        if (start < first || start > step.end_ns || (worked && start < from)) continue;
        if (!calls && trace::range_kind_of(events_[h]) != trace::RangeKind::Operator) continue;
        (start < from ? worked : works) = true;
      }
    }
    const LaneKey ranges{trace::LaneKind::Phases, lanes_[steps].pid, lanes_[steps].tid};
    if (works || !worked || !take_lane(ranges, step)) continue;
    events_.remove(steps, last);
    trace::set_range_kind(step, trace::RangeKind::Phase);
    events_.push_back(step);
    return;
  }
}

void TraceAssembly::arrange() {
  stop_.now();
  const RecordFaults faults = infer_calls(events_, lanes_, trace().names(), syncs_, progress_);
  if (!events_.empty()) opened_.time_offset_ns = earliest_;
  take_recordings();
  name_lanes();
  const std::vector<LaneId> ids = add_lanes();
  note_stacks(ids);
  fill(ids);
  take_faults(faults);
}

void TraceAssembly::say(const std::string& remark) { add_sentence(opened_.incomplete, remark); }

// Where kernels lack their records the GPU is not idle: what it did is not known.
void TraceAssembly::take_faults(const RecordFaults& faults) {
  using Act = trace::RecordingChange::Act;
  constexpr std::size_t kMany = 50;  // launches: one of so many
  const auto count = [](std::size_t n) { return base::format_count(static_cast<std::int64_t>(n)); };
  // Of those that were left out for their time it is said already.
  const std::size_t without = faults.without > timeless_ ? faults.without - timeless_ : 0;
  if (kMany * without > faults.launches) {
    say(tr("{} of {} launches have no record of what they launched: what the GPU did then is not known.",
           count(without), count(faults.launches)));
    std::set<std::int64_t> begun;
    for (const RecordFaults::Unknown& unknown : faults.unknown) {
      if (faults.without == faults.launches) break;  // there is no other time
      // Of several recordings it is said already when they were.
      if (!begun.contains(unknown.pid) && !trace().coverage(unknown.pid).complete()) continue;
      if (begun.insert(unknown.pid).second) {
        trace().change_recording({Act::Nothing, unknown.pid, 0, 0});
        if (unknown.from != RecordFaults::kBegin) trace().begin_recorded(unknown.pid, 0);
      }
      if (unknown.from != RecordFaults::kBegin)
        trace().end_recorded(unknown.pid, unknown.from - opened_.time_offset_ns);
      if (unknown.to != RecordFaults::kEnd) {
        trace().begin_recorded(unknown.pid, unknown.to - opened_.time_offset_ns,
                               unknown.calls_from - opened_.time_offset_ns);
      }
    }
  }
  if (2 * faults.early > faults.launches) {
    say(tr("The clocks of CPU and GPU differ: {} of {} launches begin after what they launch, by up to {}.",
           count(faults.early), count(faults.launches), base::format_duration(faults.most_early_ns)));
  }
  if (repeated_ > 0) say(tr("{} operations are in the file twice; each counts once.", count(repeated_)));
}

void TraceAssembly::note_stacks(const std::vector<LaneId>& ids) {
  for (std::size_t l = 0; l < events_.lane_count(); ++l) {
    if (lanes_[l].kind != LaneKind::Phases) continue;
    bool any = false;
    for (std::size_t i = 0; i < events_.size(l) && !any; ++i) {
      stop_();
      any = frames_.frame(events_[events_.handle(l, i)].name) != nullptr;
    }
    if (!any) continue;
    std::optional<std::size_t> calls;
    if (const auto found = lane_of_.find({LaneKind::Calls, lanes_[l].pid, lanes_[l].tid}); found != lane_of_.end())
      calls = found->second;
    put_in_order(l);
    if (calls) put_in_order(*calls);
    note_python_stacks(events_, l, ids[l], calls, calls ? ids[*calls] : LaneId{0}, opened_.time_offset_ns, frames_,
                       trace(), stop_);
  }
}

void TraceAssembly::take_recordings() {
  std::size_t most = 0;
  for (const auto& [pid, recordings] : recordings_in(events_, lanes_, windows_, stop_)) {
    using Act = trace::RecordingChange::Act;
    trace().change_recording({Act::Nothing, pid, 0, 0});
    for (const Recorded& at : recordings) {
      trace().begin_recorded(pid, at.from_ns - opened_.time_offset_ns);
      trace().end_recorded(pid, at.to_ns - opened_.time_offset_ns);
    }
    most = std::max(most, recordings.size());
  }
  if (most > 1) say(tr("{} recordings in one file: nothing is known of the time between.", most));
}

void TraceAssembly::name_lanes() {
  // A thread has its creator's name unless it was given one: a name that several have tells none of them apart.
  std::map<std::pair<std::int64_t, std::string>, int> called;
  for (const auto& [thread, name] : thread_names_) {
    ++called[{thread.first, own_thread_name(name, process_names_[thread.first])}];
  }
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    const auto found = process_names_.find(file_process_[l]);
    if (found != process_names_.end()) {
      lanes_[l].process = found->second;
      lanes_[l].rank = trace::rank_in(found->second);
    }
    if (!trace::is_cpu_lane(lanes_[l].kind)) continue;
    const auto named = thread_names_.find({lanes_[l].pid, lanes_[l].tid});
    if (named == thread_names_.end()) continue;
    std::string name = own_thread_name(named->second, lanes_[l].process);
    if (called[{lanes_[l].pid, name}] < 2) lanes_[l].thread = std::move(name);
  }
}

std::vector<LaneId> TraceAssembly::add_lanes() {
  // Threads with iterations first, because the loop is of most interest.
  const auto has_iterations = [&](const trace::LaneInfo& info) {
    return lane_of_.contains({LaneKind::Iterations, info.pid, info.tid});
  };
  std::vector<LaneId> order(lanes_.size());
  std::iota(order.begin(), order.end(), LaneId{0});
  const auto place = [&](LaneId l) {
    const trace::LaneInfo& i = lanes_[l];
    const bool cpu = trace::is_cpu_lane(i.kind);
    return std::tuple(!cpu, cpu && !has_iterations(i), i.pid, i.tid, i.device, i.stream, i.kind);
  };
  std::sort(order.begin(), order.end(), [&](LaneId a, LaneId b) { return place(a) < place(b); });
  std::vector<LaneId> ids(lanes_.size());
  for (const LaneId l : order) ids[l] = opened_.trace->add_lane(lanes_[l]);
  return ids;
}

// By start; of events that start together, the longest first.
void TraceAssembly::put_in_order(std::size_t lane) {
  const std::size_t size = events_.size(lane);
  const auto before = [&](std::size_t i, std::size_t k) {
    stop_();
    const EventStore::Handle a = events_.handle(lane, i), b = events_.handle(lane, k);
    return std::tuple(events_.start(a), events_.end(b), i) < std::tuple(events_.start(b), events_.end(a), k);
  };
  std::size_t sorted = 1;
  while (sorted < size && before(sorted - 1, sorted)) ++sorted;
  if (sorted >= size) return;
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), before);
  // In place, because the memory would not be there for all of them again.
  for (std::size_t i = 0; i < size; ++i) {
    stop_();
    if (order[i] == i) continue;
    const Event first = events_[events_.handle(lane, i)];
    std::size_t to = i;
    for (std::size_t from = order[i]; from != i; from = order[to]) {
      events_.set(events_.handle(lane, to), events_[events_.handle(lane, from)]);
      order[to] = static_cast<std::uint32_t>(to);
      to = from;
    }
    events_.set(events_.handle(lane, to), first);
    order[to] = static_cast<std::uint32_t>(to);
  }
}

void TraceAssembly::fill(const std::vector<LaneId>& lane_ids) {
  const std::size_t most_bytes =
      std::max(kAssemblyLeastTraceBytes, kMostBlockBytes * events_.size()) + kAssemblyMemoryMargin;
  constexpr std::size_t kDeep = 8;            // from here on a row is not searched for, but known
  constexpr std::size_t kRoomForOthers = 64;  // rows that only operators and annotations may take
  constexpr std::size_t kMostFrames = trace::Lane::kMaxRows - kRoomForOthers;
  trace::Trace& trace = *opened_.trace;
  std::size_t appended = 0, deep_frames = 0;
  std::vector<base::Nanoseconds> open;  // ends of the ranges around the next one, outermost first
  for (std::size_t lane = 0; lane < events_.lane_count(); ++lane) {
    stop_.now();
    put_in_order(lane);
    Event last;
    open.clear();
    for (std::size_t i = 0; i < events_.size(lane); ++i) {
      if (i % EventStore::kPiece == 0 && i > 0) events_.give_back(lane, i - 1);
      // Thousands of lanes with a few overlapping events each would need a block per event.
      if (trace.memory_bytes() > std::min(most_bytes, trace.memory_cap_bytes() + kAssemblyMemoryMargin)) {
        trace.count_dropped(1);
        continue;
      }
      Event event = events_[events_.handle(lane, i)];
      event.lane = lane_ids[lane];
      if (trace::is_gpu_work_lane(trace.lane(event.lane).info().kind) && event.correlation != 0) {
        const auto same = [&](const Event& e) {
          return std::tuple(e.start_ns, e.end_ns, e.name, e.correlation) ==
                 std::tuple(event.start_ns, event.end_ns, event.name, event.correlation);
        };
        if (i > 0 && same(last)) {  // some profilers write records twice
          ++repeated_;
          continue;
        }
        last = event;
      }
      event.start_ns -= opened_.time_offset_ns;
      event.end_ns -= opened_.time_offset_ns;
      while (!open.empty() && open.back() <= event.start_ns) open.pop_back();
      if (open.size() >= kMostFrames && event.kind == trace::EventKind::Range && frames_.frame(event.name) != nullptr) {
        ++deep_frames;
        continue;
      }
      if (open.size() < kDeep || !trace.append_in_row(open.size(), event)) trace.append(event);
      open.push_back(event.end_ns);
      if (++appended % kPublishEvery != 0) continue;
      trace.publish();
      progress_.done.store(appended, std::memory_order_relaxed);
      stop_.now();
    }
    if (events_.size(lane) > 0) events_.give_back(lane, events_.size(lane) - 1);
  }
  if (deep_frames > 0) {
    trace.count_dropped(deep_frames);
    say(tr("{} Python functions in more than {} others are left out.", deep_frames, kMostFrames));
  }
  trace.forget_unused();
  trace.publish();
}

}  // namespace lanescope::io
