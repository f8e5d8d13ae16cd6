#include "io/chrome_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>

#include "base/machine_memory.h"
#include "base/time.h"
#include "base/translate.h"
#include "io/chrome_vocabulary.h"
#include "io/json_text.h"
#include "trace/links.h"

namespace lanescope::io {
namespace {

using base::tr;
using trace::Event;
using trace::EventKind;
using trace::LaneId;
using trace::LaneKind;

// Memory per event: here, its index, and its place in the trace.
constexpr std::size_t kEventBytes = sizeof(Event) + sizeof(std::uint32_t) + sizeof(trace::Block) / trace::kBlockEvents;
constexpr std::size_t kLeastTraceBytes = std::size_t{2} << 30;
// A limit that real files never reach, against hostile ones that would exhaust the memory.
constexpr std::size_t kMaxSyncs = std::size_t{32} << 20;
constexpr std::size_t kMaxOpenRanges = 100'000;
constexpr std::size_t kMaxCategories = 500;
constexpr std::size_t kMaxTextIds = 65'536;
constexpr std::size_t kMemoryMargin = 64u << 20;
constexpr std::uint64_t kArgumentShare = 8;       // of the memory for events, at most, goes to arguments
constexpr std::uint64_t kArgumentOverhead = 100;  // of a text in a NameTable
constexpr std::size_t kPublishEvery = 64 * 1024;
constexpr std::size_t kReportEvery = 4096;
constexpr std::int64_t kFirstTextId = std::int64_t{1} << 40;  // beyond all process and thread ids

template <typename Number>
Number number_or(const std::optional<std::int64_t>& value, Number otherwise) {
  if (!value || *value < std::int64_t{std::numeric_limits<Number>::min()} ||
      *value > std::int64_t{std::numeric_limits<Number>::max()}) {
    return otherwise;
  }
  return static_cast<Number>(*value);
}

LaneKind copy_lane(trace::CopyDirection direction) {
  if (direction == trace::CopyDirection::HostToDevice) return LaneKind::CopyH2D;
  if (direction == trace::CopyDirection::DeviceToHost) return LaneKind::CopyD2H;
  return LaneKind::CopyOther;
}

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

void count(std::map<std::string, std::uint64_t>& counts, const std::string& category) {
  const auto found = counts.find(category);
  if (found != counts.end()) {
    ++found->second;
  } else {
    ++counts[counts.size() < kMaxCategories ? category : "(others)"];
  }
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
    bytes += static_cast<char>(static_cast<unsigned char>(value));
  }
  return bytes;
}

std::uint64_t memory_for_events(const ReadLimits& limits) {
  if (limits.memory_bytes > 0) return limits.memory_bytes;
  const std::uint64_t machine = base::machine_memory_bytes();
  return machine > 0 ? machine / 2 : kLeastTraceBytes;
}

/// Parses "a,b,c,flags" in hexadecimal: the raw fields of an event that its arguments do not describe.
void take_raw(std::string_view raw, Event& event) {
  std::uint32_t values[4] = {};
  const char* at = raw.data();
  const char* const end = raw.data() + raw.size();
  for (std::uint32_t& value : values) {
    at = std::from_chars(at, end, value, 16).ptr;
    if (at < end) ++at;
  }
  event.a = values[0];
  event.b = values[1];
  event.c = values[2];
  event.flags = static_cast<std::uint8_t>(values[3]);
}

}  // namespace

std::size_t TraceBuilder::LaneKeyHash::operator()(const LaneKey& key) const {
  std::uint64_t hash = static_cast<std::uint64_t>(key.kind);
  for (const std::int64_t part : {key.owner, key.part, key.process}) {
    hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

TraceBuilder::TraceBuilder(const FileHead& head, const ByteSource& source, ReadProgress& progress,
                           const ReadLimits& limits)
    : head_(head),
      source_(source),
      progress_(progress),
      memory_bytes_(memory_for_events(limits)),
      half_of_the_machine_(limits.memory_bytes == 0 && base::machine_memory_bytes() > 0),
      most_events_(std::min<std::uint64_t>(memory_bytes_ / kEventBytes, std::numeric_limits<std::uint32_t>::max())),
      stop_(progress) {
  opened_.trace = std::make_unique<trace::Trace>(std::max<std::size_t>(kLeastTraceBytes, memory_bytes_));
}

TraceBuilder::~TraceBuilder() = default;

void TraceBuilder::add(RawEvent& raw) {
  if (head_.own) {
    if (head_.format > kFileFormat) source_.fail(tr("written by a newer Lanescope; this one cannot read it"));
    if (raw.lane) return add_own(raw);
  }
  const char phase = raw.phase.size() == 1 ? raw.phase[0] : '\0';
  switch (phase) {
    case 'X':
      return head_.own ? void(++opened_.events_malformed) : add_foreign(raw);
    case 'B':
      return begin_range(raw);
    case 'E':
      return end_range(raw);
    case 'M':
      return add_metadata(raw);
    case 's':
    case 't':
    case 'f':
      return;  // calls and operations are linked by their correlation
    default:
      skip(raw);
  }
}

void TraceBuilder::add_own(const RawEvent& raw) {
  const auto kind = kind_of_category(raw.category);
  const auto lane = static_cast<std::uint64_t>(*raw.lane);
  Event event;
  if (!kind || lane >= head_.lanes.size() || !head_.lanes[lane]) return void(++opened_.events_malformed);
  if (!take_times(raw, event)) return;
  event.kind = *kind;
  event.lane = static_cast<LaneId>(lane);
  event.correlation = number_or<std::uint32_t>(raw.correlation, 0);
  event.flags = number_or<std::uint8_t>(raw.flags, 0);
  switch (event.kind) {
    case EventKind::Range:
      event.a = number_or<std::uint32_t>(raw.index, 0);
      break;
    case EventKind::Call:
      event.a = number_or<std::uint32_t>(raw.own_ns, 0);
      event.b = number_or<std::uint32_t>(raw.copying_ns, 0);
      event.c = number_or<std::uint32_t>(raw.returning_ns, 0);
      break;
    case EventKind::Copy:
    case EventKind::Memset:
      trace::set_bytes(event, static_cast<std::uint64_t>(raw.bytes.value_or(0)));
      break;
    case EventKind::Counter:
      trace::set_value(event, raw.value.value_or(0));
      break;
    case EventKind::Kernel:
    case EventKind::Marker:
      break;
  }
  if (!raw.raw.empty()) take_raw(raw.raw, event);
  const std::string own_name = !raw.label_hex.empty() ? from_hex(raw.label_hex) : raw.label ? *raw.label : raw.name;
  event.name = opened_.trace->names().intern(own_name);
  take_facts(raw, own_name, event);
  if (head_.detailed && raw.raw.empty()) take_details(raw, event);
  keep(event, raw.category);
}

void TraceBuilder::take_facts(const RawEvent& raw, std::string_view name, Event& event) {
  if (event.kind == EventKind::Range) {
    if (const auto kind = range_kind_from_key(raw.range_kind)) trace::set_range_kind(event, *kind);
    if (!head_.marked) trace::set_range_kind(event, kind_of_unmarked(*head_.lanes[event.lane], name));
  } else if (event.kind == EventKind::Marker) {
    base::NameTable& names = opened_.trace->names();
    const auto kind = marker_kind_from_key(raw.marker_kind);
    if (kind) trace::set_marker_kind(event, *kind);
    if (!head_.marked && names_a_setting_change(name)) trace::set_change(event, {});
    if (kind != trace::MarkerKind::Setting) return;
    trace::set_change(event, {number_or<std::uint32_t>(raw.version, 0), names.intern(raw.key), names.intern(raw.before),
                              names.intern(raw.now)});
  }
}

void TraceBuilder::take_details(const RawEvent& raw, Event& event) {
  const bool copy = event.kind == EventKind::Copy || event.kind == EventKind::Memset;
  if (event.kind != EventKind::Kernel && event.kind != EventKind::Range && !copy) return;
  if (event.kind == EventKind::Kernel) trace::set_launch(event, opened_.trace->launches().intern(raw.launch));
  if (!copy) {
    // Many tools repeat the correlation here, which says nothing more.
    const auto id = number_or<std::uint32_t>(raw.external_id, 0);
    trace::set_external_id(event, id == event.correlation ? 0 : id);
  }
  if (!copy || raw.launch.context == trace::LaunchShape::kUnknown) {
    return trace::set_arguments(event, number_of_arguments(raw.arguments));
  }
  arguments_ = "\"context\":" + std::to_string(raw.launch.context);
  if (!raw.arguments.empty()) arguments_ += ',' + raw.arguments;
  trace::set_arguments(event, number_of_arguments(arguments_));
}

// Arguments that differ in every event could take more memory than the events.
trace::NameId TraceBuilder::number_of_arguments(std::string_view arguments) {
  if (arguments.empty()) return base::NameTable::kEmpty;
  base::NameTable& table = opened_.trace->arguments();
  if (argument_bytes_ > memory_bytes_ / kArgumentShare) {
    const trace::NameId known = table.find(arguments);
    return known != base::NameTable::kEmpty ? known : base::NameTable::kOverflow;
  }
  const trace::NameId before = table.size();
  const trace::NameId number = table.intern(arguments);
  if (number >= before) argument_bytes_ += arguments.size() + kArgumentOverhead;
  return number;
}

void TraceBuilder::add_foreign(const RawEvent& raw) {
  const Meaning meaning = meaning_of_category(raw.category);
  if (meaning == Meaning::Nothing) return skip(raw);
  if (meaning == Meaning::Sync) return add_sync(raw);
  Event event;
  if (!take_times(raw, event)) return;
  event.correlation = number_or<std::uint32_t>(raw.correlation, 0);
  LaneKey key{LaneKind::Phases, number_of(raw.process), number_of(raw.thread)};
  if (meaning != Meaning::Range && meaning != Meaning::Call) {
    key.process = key.owner;
    key.owner = number_or<std::int32_t>(raw.device, number_or<std::int32_t>(key.owner, 0));
    key.part = number_or<std::int32_t>(raw.stream, number_or<std::int32_t>(key.part, 0));
  }
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, raw.bytes.value_or(0)));
  switch (meaning) {
    case Meaning::Call:
      event.kind = EventKind::Call;
      key.kind = LaneKind::Calls;
      break;
    case Meaning::Kernel:
      event.kind = EventKind::Kernel;
      key.kind = LaneKind::Kernels;
      break;
    case Meaning::Memset:
      event.kind = EventKind::Memset;
      key.kind = LaneKind::Kernels;
      trace::set_bytes(event, bytes);
      break;
    case Meaning::Copy: {
      event.kind = EventKind::Copy;
      const trace::CopyTraits traits = traits_of_copy_name(raw.name);
      key.kind = copy_lane(traits.direction);
      trace::set_bytes(event, bytes);
      trace::set_copy_traits(event, traits);
      break;
    }
    case Meaning::GpuRange:
      key.kind = LaneKind::GpuRanges;
      break;
    default:
      trace::set_range_kind(event, kind_of_foreign_range(raw.category, raw.name));
      if (const auto number = step_number(raw.name)) {
        key.kind = LaneKind::Iterations;
        event.a = *number;
      }
  }
  if (!take_lane(key, event)) return;
  event.name = opened_.trace->names().intern(raw.name);
  take_details(raw, event);
  keep(event, raw.category);
}

void TraceBuilder::add_sync(const RawEvent& raw) {
  skip(raw);
  const auto correlation = number_or<std::uint32_t>(raw.correlation, 0);
  if (correlation == 0 || !raw.start.ns || syncs_.size() >= kMaxSyncs) return;
  const auto stream = number_or<std::int32_t>(raw.wait_on_stream, number_or<std::int32_t>(raw.stream, -1));
  syncs_.push_back(
      {number_of(raw.process), correlation, *raw.start.ns, number_or<std::int32_t>(raw.device, -1), stream});
}

void TraceBuilder::add_metadata(const RawEvent& raw) {
  if (raw.new_name.empty()) return;
  if (raw.name == "process_name" && process_names_.size() < kMaxTextIds) {
    process_names_[number_of(raw.process)] = raw.new_name;
  } else if (raw.name == "thread_name" && thread_names_.size() < kMaxTextIds) {
    thread_names_[{number_of(raw.process), number_of(raw.thread)}] = raw.new_name;
  }
}

void TraceBuilder::begin_range(const RawEvent& raw) {
  if (open_range_count_ >= kMaxOpenRanges) return void(++opened_.events_malformed);
  ++open_range_count_;
  open_ranges_[{number_of(raw.process), number_of(raw.thread)}].push_back(raw);
}

void TraceBuilder::end_range(const RawEvent& raw) {
  const auto found = open_ranges_.find({number_of(raw.process), number_of(raw.thread)});
  if (found == open_ranges_.end() || found->second.empty()) return void(++opened_.events_malformed);
  RawEvent range = std::move(found->second.back());
  found->second.pop_back();
  --open_range_count_;
  range.duration = {true, std::nullopt};
  if (range.start.ns && raw.start.ns) range.duration.ns = *raw.start.ns - *range.start.ns;
  add_foreign(range);
}

bool TraceBuilder::take_times(const RawEvent& raw, Event& event) {
  const bool instant = !raw.duration.present && head_.own;
  if (!raw.start.ns || (!instant && !raw.duration.ns)) {
    ++opened_.events_malformed;
    return false;
  }
  event.start_ns = *raw.start.ns;
  event.end_ns = event.start_ns + raw.duration.ns.value_or(0);
  if (event.end_ns > kMaxTime || event.end_ns < -kMaxTime) {
    ++opened_.events_malformed;
    return false;
  }
  return true;
}

bool TraceBuilder::take_lane(const LaneKey& key, Event& event) {
  const auto found = lane_of_.find(key);
  if (found != lane_of_.end()) {
    event.lane = found->second;
    return true;
  }
  if (lanes_.size() >= trace::Trace::kMaxLanes) {
    ++opened_.events_malformed;
    return false;
  }
  trace::LaneInfo info;
  info.kind = key.kind;
  info.name = lane_name(key.kind);
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

std::int64_t TraceBuilder::number_of(const RawId& id) {
  if (!id.is_text) return id.number;
  if (text_ids_.size() >= kMaxTextIds && !text_ids_.contains(id.text)) return kFirstTextId - 1;
  const auto [it, added] = text_ids_.try_emplace(id.text, kFirstTextId + static_cast<std::int64_t>(text_ids_.size()));
  if (added) process_names_.try_emplace(it->second, id.text);
  return it->second;
}

void TraceBuilder::keep(const Event& event, const std::string& category) {
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
  if (events_.size() % kReportEvery == 0) progress_.events.store(events_.size(), std::memory_order_relaxed);
  count(opened_.read_by_category, category);
}

void TraceBuilder::skip(const RawEvent& raw) {
  ++opened_.events_skipped;
  count(opened_.skipped_by_category, !raw.category.empty() ? raw.category : "(phase " + raw.phase.substr(0, 8) + ")");
}

OpenedTrace TraceBuilder::finish() {
  if (head_.own && head_.format > kFileFormat)
    source_.fail(tr("written by a newer Lanescope; this one cannot read it"));
  // Until here its events were read as another program's, and their lanes are not those of the head.
  if (head_.own && !lanes_.empty())
    source_.fail(tr("otherData says that Lanescope wrote the file, but comes after the events"));
  for (const auto& [thread, ranges] : open_ranges_) opened_.events_malformed += ranges.size();  // they never ended
  opened_.own = head_.own;
  opened_.events_read = events_.size();
  progress_.events.store(events_.size(), std::memory_order_relaxed);
  progress_.done.store(0, std::memory_order_relaxed);
  progress_.total.store(events_.size(), std::memory_order_relaxed);
  progress_.stage.store(ReadStage::Arranging, std::memory_order_relaxed);
  trace::Trace& trace = *opened_.trace;
  if (head_.own) {
    opened_.facts = head_.facts;
    fill_trace(make_own_lanes());
    take_coverage();
    // An event evicted before the file was written is as lost as a dropped one.
    trace.count_dropped(head_.counts.dropped + head_.counts.evicted);
    trace.count_late(head_.counts.late);
    trace.count_clamped(head_.counts.clamped);
  } else {
    opened_.facts.version.clear();
    opened_.facts.device_name = head_.device_name;
    stop_.now();
    claim_gpu_lanes();
    infer_calls(events_, lanes_, trace.names(), syncs_, progress_);
    move_to_zero();
    fill_trace(make_foreign_lanes());
  }
  trace.set_complete_until(head_.own ? head_.complete_until_ns.value_or(trace.extent().second) : trace.extent().second);
  return std::move(opened_);
}

// Its times need not make sense; those that do not ascend are cut by the trace.
void TraceBuilder::take_coverage() {
  using trace::Coverage;
  using Act = trace::RecordingChange::Act;
  constexpr std::int64_t kFar = std::int64_t{1} << 61;
  const auto in_reach = [](std::int64_t t) { return t >= -kFar && t <= kFar; };
  trace::Trace& trace = *opened_.trace;
  for (const FileHead::Recorded& process : head_.recorded) {
    trace.change_recording({Act::Bursts, process.pid, process.burst_ns, process.period_ns});
    const std::vector<std::int64_t>& times = process.intervals_ns;
    std::size_t i = 0;
    if (times.size() >= 3 && times[1] == Coverage::kAlways && in_reach(times[2])) {
      trace.end_recorded(process.pid, times[2]);
      i = 3;
    }
    trace.change_recording({Act::Nothing, process.pid, 0, 0});
    for (; i + 1 < times.size(); i += 3) {
      const bool open = i + 2 == times.size();
      if (!in_reach(times[i]) || !in_reach(times[i + 1]) || (!open && !in_reach(times[i + 2]))) continue;
      trace.begin_recorded(process.pid, times[i + 1], times[i]);
      if (!open) trace.end_recorded(process.pid, times[i + 2]);
    }
  }
}

// A profiler uses the device's number as the process of GPU work. It belongs to the only process that makes calls; of
// several, to the one whose calls issued it: most of its operations have a correlation that this process has given to
// an earlier call. If that is ambiguous, the file's process number decides, and then which process has fewest.
void TraceBuilder::claim_gpu_lanes() {
  std::vector<std::int64_t> callers;
  std::map<std::int64_t, trace::ProcessNumber> caller_number;
  for (const trace::LaneInfo& lane : lanes_) {
    if (lane.kind != LaneKind::Calls) continue;
    if (caller_number.try_emplace(lane.pid, static_cast<trace::ProcessNumber>(callers.size())).second)
      callers.push_back(lane.pid);
  }
  if (callers.empty()) return;
  using Place = std::pair<std::int64_t, std::int64_t>;  // process in the file, device
  std::map<Place, std::vector<std::size_t>> votes;
  std::vector<std::vector<std::size_t>*> votes_of_lane(lanes_.size());
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    if (trace::is_gpu_lane(lanes_[l].kind))
      votes_of_lane[l] = &votes.try_emplace({file_process_[l], lanes_[l].device}, callers.size()).first->second;
  }
  if (callers.size() > 1) {
    trace::CallMap<base::Nanoseconds> called;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      stop_();
      const Event& e = events_[i];
      if (e.kind == EventKind::Call && e.correlation != 0)
        called.try_emplace({caller_number[lanes_[e.lane].pid], e.correlation}, e.start_ns);
    }
    for (std::size_t i = 0; i < events_.size(); ++i) {
      stop_();
      const Event& e = events_[i];
      if (!trace::is_gpu_work(e.kind) || e.correlation == 0) continue;
      for (std::size_t c = 0; c < callers.size(); ++c) {
        const auto call = called.find({static_cast<trace::ProcessNumber>(c), e.correlation});
        if (call != called.end() && call->second <= e.start_ns) ++(*votes_of_lane[e.lane])[c];
      }
    }
  }
  // Unambiguous ones first.
  std::map<Place, std::int64_t> claimed;
  std::vector<std::size_t> gpus_of(callers.size());
  for (const bool doubtful : {false, true}) {
    for (const auto& [gpu, of_callers] : votes) {
      const std::size_t most = *std::max_element(of_callers.begin(), of_callers.end());
      if ((std::count(of_callers.begin(), of_callers.end(), most) > 1) != doubtful) continue;
      std::size_t best = callers.size();
      for (std::size_t c = 0; c < callers.size(); ++c) {
        const auto rank = [&](std::size_t i) { return std::tuple(callers[i] != gpu.first, gpus_of[i], callers[i]); };
        if (of_callers[c] == most && (best == callers.size() || rank(c) < rank(best))) best = c;
      }
      claimed[gpu] = callers[best];
      ++gpus_of[best];
    }
  }
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    if (votes_of_lane[l] != nullptr) lanes_[l].pid = claimed[{file_process_[l], lanes_[l].device}];
  }
  for (SyncRecord& sync : syncs_) {
    const auto found = claimed.find({sync.pid, sync.device});
    sync.pid = found != claimed.end() ? found->second : caller_number.contains(sync.pid) ? sync.pid : callers.front();
  }
}

void TraceBuilder::move_to_zero() {
  if (events_.empty()) return;
  opened_.time_offset_ns = events_[0].start_ns;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    stop_();
    opened_.time_offset_ns = std::min(opened_.time_offset_ns, events_[i].start_ns);
  }
  for (std::size_t i = 0; i < events_.size(); ++i) {
    stop_();
    events_[i].start_ns -= opened_.time_offset_ns;
    events_[i].end_ns -= opened_.time_offset_ns;
  }
}

std::vector<LaneId> TraceBuilder::make_own_lanes() {
  std::vector<LaneId> ids(head_.lanes.size(), 0);
  for (std::size_t l = 0; l < ids.size(); ++l) {
    if (!head_.lanes[l]) continue;
    if (l >= trace::Trace::kMaxLanes) source_.fail(tr("too many lanes"));
    ids[l] = opened_.trace->add_lane(*head_.lanes[l]);
  }
  return ids;
}

std::vector<LaneId> TraceBuilder::make_foreign_lanes() {
  // A thread has its creator's name unless it was given one: a name that several have tells none of them apart.
  std::map<std::pair<std::int64_t, std::string>, int> called;
  for (const auto& [thread, name] : thread_names_) {
    ++called[{thread.first, own_thread_name(name, process_names_[thread.first])}];
  }
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    const auto found = process_names_.find(file_process_[l]);
    if (found != process_names_.end()) lanes_[l].process = found->second;
    if (!trace::is_cpu_lane(lanes_[l].kind)) continue;
    const auto named = thread_names_.find({lanes_[l].pid, lanes_[l].tid});
    if (named == thread_names_.end()) continue;
    std::string name = own_thread_name(named->second, lanes_[l].process);
    if (called[{lanes_[l].pid, name}] < 2) lanes_[l].thread = std::move(name);
  }
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

// The events' indices, lane by lane, ordered by start; of events that start together, the longest first.
std::vector<std::uint32_t> TraceBuilder::in_order() {
  std::vector<std::size_t> ends;  // of the lanes
  for (std::size_t i = 0; i < events_.size(); ++i) {
    stop_();
    const LaneId lane = events_[i].lane;
    if (lane >= ends.size()) ends.resize(std::size_t{lane} + 1);
    ++ends[lane];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> order(events_.size());
  for (std::size_t i = events_.size(); i-- > 0;) {
    stop_();
    order[--ends[events_[i].lane]] = static_cast<std::uint32_t>(i);
  }
  const auto before = [&](std::uint32_t i, std::uint32_t k) {
    stop_();
    const Event& a = events_[i];
    const Event& b = events_[k];
    return std::tuple(a.start_ns, b.end_ns, i) < std::tuple(b.start_ns, a.end_ns, k);
  };
  for (std::size_t lane = 0; lane < ends.size(); ++lane) {  // these are now their starts
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(ends[lane]);
    const auto end = lane + 1 < ends.size() ? order.begin() + static_cast<std::ptrdiff_t>(ends[lane + 1]) : order.end();
    if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
  }
  return order;
}

void TraceBuilder::fill_trace(const std::vector<LaneId>& lane_ids) {
  stop_.now();
  const std::vector<std::uint32_t> order = in_order();
  const std::size_t most_bytes = std::max(kLeastTraceBytes, 3 * kEventBytes * events_.size()) + kMemoryMargin;
  trace::Trace& trace = *opened_.trace;
  std::size_t appended = 0;
  for (const std::uint32_t i : order) {
    // Thousands of lanes with a few overlapping events each would need a block per event.
    if (trace.memory_bytes() > std::min(most_bytes, trace.memory_cap_bytes() + kMemoryMargin)) {
      trace.count_dropped(1);
      continue;
    }
    Event event = events_[i];
    event.lane = lane_ids[event.lane];
    trace.append(event);
    if (++appended % kPublishEvery != 0) continue;
    trace.publish();
    progress_.done.store(appended, std::memory_order_relaxed);
    stop_.now();
  }
  trace.publish();
}

}  // namespace lanescope::io
