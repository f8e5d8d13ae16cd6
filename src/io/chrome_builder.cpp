#include "io/chrome_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "base/error.h"
#include "base/json_text.h"
#include "base/platform/system.h"
#include "base/time.h"
#include "base/translate.h"
#include "io/chrome_parser.h"
#include "io/chrome_vocabulary.h"
#include "io/trace_file.h"
#include "trace/links.h"

namespace lanescope::io {
namespace {

using base::tr;
using trace::Event;
using trace::EventKind;
using trace::LaneId;
using trace::LaneKind;

// Limits that real files never reach, against hostile ones that would exhaust the memory.
constexpr std::size_t kMaxOpenRanges = 100'000;
constexpr std::size_t kMaxCategories = 500;
constexpr std::size_t kKnownCategories = 64;
constexpr std::size_t kMaxTextIds = 65'536;
constexpr std::size_t kMaxCallBytes = std::size_t{4} << 20;
constexpr std::int64_t kFirstTextId = std::int64_t{1} << 40;  // beyond all process and thread ids

template <typename Number>
Number number_or(const std::optional<std::int64_t>& value, Number otherwise) {
  if (!value || *value < std::int64_t{std::numeric_limits<Number>::min()} ||
      *value > std::int64_t{std::numeric_limits<Number>::max()}) {
    return otherwise;
  }
  return static_cast<Number>(*value);
}

/// 3 of "/device:TPU:3"; empty if there is none.
std::optional<std::int64_t> number_at_end(std::string_view text) {
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

LaneKind copy_lane(trace::CopyDirection direction) {
  if (direction == trace::CopyDirection::HostToDevice) return LaneKind::CopyH2D;
  if (direction == trace::CopyDirection::DeviceToHost) return LaneKind::CopyD2H;
  return LaneKind::CopyOther;
}

std::uint64_t& count_of(std::map<std::string, std::uint64_t>& counts, std::string_view category) {
  std::string name(category);
  const auto found = counts.find(name);
  if (found != counts.end()) return found->second;
  return counts[counts.size() < kMaxCategories ? std::move(name) : "(others)"];
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

TraceBuilder::TraceBuilder(const FileHead& head, const ByteSource& source, ReadProgress& progress,
                           const ReadLimits& limits)
    : head_(head), source_(source), out_(source, progress, limits), categories_(kKnownCategories) {}

TraceBuilder::~TraceBuilder() = default;

// The texts that a range of another program can have. Those of its process and thread are its end's, too.
TraceBuilder::OpenRange::OpenRange(const RawEvent& raw)
    : raw_(raw), category_(raw.category), name_(raw.name), arguments_(raw.arguments) {
  raw_.process.text = raw_.thread.text = raw_.phase = raw_.new_name = {};
  raw_.details = raw_.label_hex = raw_.raw = raw_.range_kind = raw_.marker_kind = raw_.key = raw_.before =
      raw_.now = {};
  raw_.label.reset();
}

RawEvent TraceBuilder::OpenRange::event() const {
  RawEvent raw = raw_;
  raw.category = category_;
  raw.name = name_;
  raw.arguments = arguments_;
  return raw;
}

void TraceBuilder::add(const RawEvent& raw) {
  if (head_.own) {
    if (head_.format > kFileFormat) source_.fail(tr("written by a newer Lanescope; this one cannot read it"));
    if (raw.lane) return add_own(raw);
  }
  const char phase = raw.phase.size() == 1 ? raw.phase[0] : '\0';
  switch (phase) {
    case 'X':
      if (head_.own) return void(++out_.opened().events_malformed);
      return add_foreign(jax_.any() ? jax_.translated(raw) : raw);
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
      if (jax_.any() && raw.phase.empty() && raw.name.empty()) return;  // "{}" ends XProf's list
      skip(raw);
  }
}

void TraceBuilder::add_own(const RawEvent& raw) {
  Category& known = category(raw.category);
  const auto kind = known.own_kind;
  const auto lane = static_cast<std::uint64_t>(*raw.lane);
  Event event;
  if (!kind || lane >= head_.lanes.size() || !head_.lanes[lane]) return void(++out_.opened().events_malformed);
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
  const std::string decoded = from_hex(raw.label_hex);
  const std::string_view own_name = !raw.label_hex.empty() ? decoded : raw.label ? *raw.label : raw.name;
  event.name = out_.number_of_name(own_name);
  take_facts(raw, own_name, event);
  if (head_.detailed && raw.raw.empty()) take_details(raw, event);
  keep(event, *head_.lanes[lane], known);
}

void TraceBuilder::take_facts(const RawEvent& raw, std::string_view name, Event& event) {
  if (event.kind == EventKind::Range) {
    if (const auto kind = range_kind_from_key(raw.range_kind)) trace::set_range_kind(event, *kind);
    if (!head_.marked) trace::set_range_kind(event, kind_of_unmarked(*head_.lanes[event.lane], name));
  } else if (event.kind == EventKind::Marker) {
    base::NameTable& names = out_.trace().names();
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
  if (event.kind == EventKind::Kernel) trace::set_launch(event, out_.number_of_launch(raw.launch));
  if (!copy) {
    // Many tools repeat the correlation here, which says nothing more.
    const auto id = number_or<std::uint32_t>(raw.external_id, 0);
    trace::set_external_id(event, id == event.correlation ? 0 : id);
  }
  if (!copy || raw.launch.context == trace::LaunchShape::kUnknown) {
    return trace::set_arguments(event, out_.number_of_arguments(raw.arguments));
  }
  arguments_ = "\"context\":" + std::to_string(raw.launch.context);
  if (!raw.arguments.empty()) (arguments_ += ',') += raw.arguments;
  trace::set_arguments(event, out_.number_of_arguments(arguments_));
}

void TraceBuilder::add_foreign(const RawEvent& raw) {
  Category& known = category(raw.category);
  Meaning meaning = known.meaning;
  if (meaning == Meaning::Kernel) meaning = meaning_of_kernel(raw.name);
  if (meaning == Meaning::Nothing) {
    const bool ran = raw.category == "Trace" && raw.start.ns && raw.duration.ns;
    if (raw.category == "overhead") note_overhead(raw);
    if (ran) out_.keep_window({*raw.start.ns, *raw.start.ns + *raw.duration.ns});
    return skip(raw);
  }
  if (meaning == Meaning::Sync) return add_sync(raw);
  Event event;
  if (!take_times(raw, event)) return;
  event.correlation = correlation_of(raw);
  LaneKey key{LaneKind::Phases, number_of(raw.process), number_of(raw.thread)};
  if (meaning != Meaning::Range && meaning != Meaning::Call) {
    key.process = key.owner;
    key.owner = number_or<std::int32_t>(raw.device, number_or<std::int32_t>(key.owner, 0));
    key.part = stream_of(raw.stream.value_or(key.part));
  }
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, raw.bytes.value_or(0)));
  switch (meaning) {
    case Meaning::Call:
      event.kind = EventKind::Call;
      key.kind = LaneKind::Calls;
      if (bytes > 0 && call_bytes_.size() < kMaxCallBytes) call_bytes_[{key.owner, event.correlation}] = bytes;
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
      if (moves_pages(raw.name)) trace::set_migration(event);
      break;
    }
    case Meaning::GpuRange:
      key.kind = LaneKind::GpuRanges;
      if (raw.label) key.label = out_.trace().names().intern(*raw.label);
      break;
    default: {
      event.name = out_.number_of_name(raw.name);
      const RangeFacts facts = range_facts(raw, known, event.name);
      trace::set_range_kind(event, facts.kind);
      if (facts.kind == trace::RangeKind::Load) event.flags |= trace::kWaitFlag;
      if (facts.step) {
        key.kind = LaneKind::Iterations;
        event.a = *facts.step;
        numbered_steps_ = true;
      } else if (facts.named) {
        take_details(raw, event);
        event.a = facts.named->number;
        if (known.read == nullptr) known.read = &count_of(out_.opened().read_by_category, known.text);
        ++*known.read;
        return loops_.add(facts.named->word, {event, key.owner, key.part});
      } else if (facts.optimizer && raw.category == "user_annotation") {
        optimizer_steps_.add(out_.trace().names().text(event.name), {event, key.owner, key.part});
      }
    }
  }
  if (!out_.take_lane(key, event)) return;
  if (meaning != Meaning::Range) event.name = out_.number_of_name(raw.name);
  take_details(raw, event);
  keep(event, out_.lanes()[event.lane], known);
}

void TraceBuilder::add_sync(const RawEvent& raw) {
  skip(raw);
  if (!raw.start.ns) return;
  constexpr std::int64_t kInvalid = std::numeric_limits<std::uint32_t>::max();  // CUPTI's number for "none"
  const auto known = [](const std::optional<std::int64_t>& s) { return s && *s != kInvalid; };
  const std::int32_t stream = known(raw.wait_on_stream) ? stream_of(*raw.wait_on_stream)
                              : known(raw.stream)       ? stream_of(*raw.stream)
                                                        : -1;
  out_.keep_sync(
      {number_of(raw.process), correlation_of(raw), *raw.start.ns, number_or<std::int32_t>(raw.device, -1), stream});
}

void TraceBuilder::keep_optimizer_iterations() {
  for (NamedLoops::Range& turn : optimizer_steps_.turns()) {
    turn.event.name = out_.number_of_name("optimizer step");
    if (out_.take_lane({LaneKind::Iterations, turn.process, turn.thread}, turn.event)) out_.keep(turn.event);
  }
}

void TraceBuilder::keep_named_iterations() {
  const std::string outermost = numbered_steps_ ? std::string() : loops_.outermost();
  for (auto& [word, ranges] : loops_.by_word) {
    const bool iterations = word == outermost;
    for (NamedLoops::Range& range : ranges) {
      if (iterations) trace::set_range_kind(range.event, trace::RangeKind::Iteration);
      if (!iterations) range.event.a = 0;
      const LaneKey key{iterations ? LaneKind::Iterations : LaneKind::Phases, range.process, range.thread};
      if (out_.take_lane(key, range.event)) out_.keep(range.event);
    }
    ranges = {};
  }
}

// Loading code and a full queue of the driver are no work of the profiler, although it records them there.
void TraceBuilder::note_overhead(const RawEvent& raw) {
  constexpr std::size_t kMostNames = 32;
  constexpr base::Nanoseconds kMost = base::kLongestTrace;
  const base::Nanoseconds ns = raw.duration.ns.value_or(0);
  const auto names = [&](std::string_view word) { return raw.name.find(word) != std::string_view::npos; };
  if (ns <= 0 || ns > kMost || names("oading") || names("ommand")) return;
  const auto known = overhead_ns_.find(raw.name);
  base::Nanoseconds& sum = known != overhead_ns_.end()        ? known->second
                           : overhead_ns_.size() < kMostNames ? overhead_ns_[std::string(raw.name)]
                                                              : overhead_ns_.begin()->second;
  sum = std::min(sum + ns, kMost);
}

void TraceBuilder::say_overhead() {
  constexpr base::Nanoseconds kMatters = 50;  // of the trace: one part of so many
  const auto [from, to] = out_.trace().extent();
  base::Nanoseconds all = 0;
  for (const auto& [name, ns] : overhead_ns_) all = std::min(all + ns, base::kLongestTrace);
  if (all == 0 || all < (to - from) / kMatters) return;
  const auto most = std::ranges::max_element(overhead_ns_, {}, [](const auto& o) { return o.second; });
  add_sentence(out_.opened().incomplete, tr("The profiler's own work, such as “{}”, took {} of this.",
                                            beginning_of(most->first, 100), base::format_duration(all)));
}

namespace {

/// What a process of a trace is, if it is a device that is not understood; empty: none.
std::string device_in(std::string_view process) {
  constexpr std::string_view kDevice = "/device:";
  const auto has = [process](std::string_view word) {  // not in another one, such as "INPUT"
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    const std::size_t at = process.find(word), end = at + word.size();
    return at != std::string_view::npos && (at == 0 || !letter(process[at - 1])) &&
           (end >= process.size() || !letter(process[end]));
  };
  if (has("TPU")) return "TPU";
  if (has("Ascend") || has("NPU")) return "Ascend NPU";
  if (!process.starts_with(kDevice) || process.starts_with("/device:GPU") || process.starts_with("/device:CPU"))
    return {};
  return std::string(
      beginning_of(process.substr(kDevice.size(), process.find(':', kDevice.size()) - kDevice.size()), 30));
}

}  // namespace

void TraceBuilder::take_other_devices() {
  constexpr std::string_view kOldGpu = "CUDA functions", kOldCpu = "CPU functions";  // of torch.autograd.profiler
  constexpr std::string_view kXlaOps = "XLA Ops";
  std::set<std::int64_t> programs, with_xla_ops;
  for (std::size_t l = 0; l < out_.lanes().size(); ++l) {
    const trace::LaneInfo& lane = out_.lanes()[l];
    if (lane.kind == LaneKind::Iterations || lane.kind == LaneKind::Calls) programs.insert(lane.pid);
    if (out_.thread_name(lane.pid, lane.tid) == kXlaOps) with_xla_ops.insert(lane.pid);
  }
  std::string device;
  bool old = false;
  for (std::size_t l = 0; l < out_.lanes().size(); ++l) {
    trace::LaneInfo& lane = out_.lanes()[l];
    if (lane.kind != LaneKind::Phases || programs.contains(lane.pid)) continue;
    const std::int64_t process = lane.pid, thread = lane.tid;
    const std::string_view name = out_.process_name(process);
    const bool old_gpu = name == kOldGpu;
    old |= old_gpu || name == kOldCpu;
    std::string kind = device_in(name);
    if (kind.empty() && !old_gpu) continue;
    const bool work = !with_xla_ops.contains(process) || out_.thread_name(process, thread) == kXlaOps;
    const std::string_view row = out_.thread_name(process, thread);
    lane = {};
    lane.kind = work ? LaneKind::Kernels : LaneKind::GpuRanges;
    lane.name = !work && !row.empty() ? std::string(row) : work ? "kernels" : "ranges";
    lane.device = old_gpu ? number_or<std::int32_t>(thread, 0) : number_or<std::int32_t>(number_at_end(name), 0);
    lane.stream = old_gpu ? 0 : stream_of(thread);
    lane.pid = programs.size() == 1 ? *programs.begin() : process;
    if (!old_gpu) device = std::move(kind);
    for (std::size_t i = 0; work && i < out_.events().size(l); ++i) {
      out_.stop()();
      const Event range = out_.events()[out_.events().handle(l, i)];
      Event kernel;
      kernel.start_ns = range.start_ns;
      kernel.end_ns = range.end_ns;
      kernel.kind = EventKind::Kernel;
      kernel.name = range.name;
      kernel.lane = range.lane;
      kernel.correlation = range.correlation;
      trace::set_arguments(kernel, trace::arguments_of(range));
      out_.events().set(out_.events().handle(l, i), kernel);
    }
  }
  std::string& incomplete = out_.opened().incomplete;
  if (!device.empty()) {
    add_sentence(incomplete,
                 tr("This trace is of a device that Lanescope does not support: {}. Its operations are shown "
                    "as a GPU's, but not why it idles: how they are launched is not understood.",
                    device));
  }
  if (old) {
    add_sentence(incomplete, tr("This is a trace of PyTorch's old profiler (torch.autograd.profiler), which does not "
                                "say what launched the work of the GPU; torch.profiler does."));
  }
}

void TraceBuilder::take_cpu_only() {
  if (!head_.device_name.empty()) return;  // the machine has a GPU: only its records may be missing
  for (const trace::LaneInfo& lane : out_.lanes()) {
    if (trace::is_gpu_lane(lane.kind) || lane.kind == LaneKind::Calls) return;
  }
  out_.events().for_each([&](EventStore::Handle h) {
    out_.stop()();
    Event e = out_.events()[h];
    if (e.kind != EventKind::Range || trace::range_kind_of(e) != trace::RangeKind::Operator) return;
    trace::set_range_kind(e, trace::RangeKind::Compute);
    out_.events().set(h, e);
  });
}

void TraceBuilder::move_ranges_of_streams() {
  std::map<std::pair<std::int64_t, std::int64_t>, trace::LaneInfo> streams;  // by process and stream, as in the file
  std::set<std::int64_t> callers;
  for (std::size_t l = 0; l < out_.lanes().size(); ++l) {
    const trace::LaneInfo& lane = out_.lanes()[l];
    if (lane.kind == LaneKind::Calls) callers.insert(lane.pid);
    if (trace::is_gpu_work_lane(lane.kind)) streams.try_emplace({out_.file_process()[l], lane.stream}, lane);
  }
  for (trace::LaneInfo& lane : out_.lanes()) {
    if (lane.kind != LaneKind::Phases || callers.contains(lane.pid)) continue;
    const auto stream = streams.find({lane.pid, lane.tid});
    if (stream == streams.end()) continue;
    lane = stream->second;
    lane.kind = LaneKind::GpuRanges;
    lane.name = "other events";
  }
}

void TraceBuilder::add_metadata(const RawEvent& raw) {
  if (raw.new_name.empty()) return;
  if (raw.name == "process_name") {
    out_.name_process(number_of(raw.process), raw.new_name);
    jax_.name_process(number_of(raw.process), raw.new_name);
  } else if (raw.name == "thread_name") {
    out_.name_thread(number_of(raw.process), number_of(raw.thread), raw.new_name);
    jax_.name_thread(number_of(raw.process), number_of(raw.thread), raw.new_name);
  }
}

void TraceBuilder::begin_range(const RawEvent& raw) {
  if (open_range_count_ >= kMaxOpenRanges) return void(++out_.opened().events_malformed);
  ++open_range_count_;
  open_ranges_[{number_of(raw.process), number_of(raw.thread)}].emplace_back(raw);
}

void TraceBuilder::end_range(const RawEvent& raw) {
  const auto found = open_ranges_.find({number_of(raw.process), number_of(raw.thread)});
  if (found == open_ranges_.end() || found->second.empty()) return void(++out_.opened().events_malformed);
  const OpenRange begun = std::move(found->second.back());
  found->second.pop_back();
  --open_range_count_;
  RawEvent range = begun.event();
  range.process = raw.process;
  range.thread = raw.thread;
  range.duration = {true, std::nullopt};
  if (range.start.ns && raw.start.ns) range.duration.ns = *raw.start.ns - *range.start.ns;
  add_foreign(range);
}

bool TraceBuilder::take_times(const RawEvent& raw, Event& event) {
  const bool instant = !raw.duration.present && head_.own;
  if (!raw.start.ns || (!instant && !raw.duration.ns)) {
    ++out_.opened().events_malformed;
    return false;
  }
  return out_.take_times(*raw.start.ns, *raw.start.ns + raw.duration.ns.value_or(0), event);
}

std::int64_t TraceBuilder::number_of(const RawId& id) {
  if (!id.is_text) return id.number;
  const std::string text(id.text);
  if (text_ids_.size() >= kMaxTextIds && !text_ids_.contains(text)) return kFirstTextId - 1;
  const auto [it, added] = text_ids_.try_emplace(text, kFirstTextId + static_cast<std::int64_t>(text_ids_.size()));
  if (added) out_.name_process(it->second, id.text);
  return it->second;
}

std::uint32_t TraceBuilder::correlation_of(const RawEvent& raw) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  constexpr std::size_t kMostLarge = std::size_t{64} << 20;
  const std::int64_t written = raw.correlation.value_or(0);
  if (written <= std::int64_t{kMost}) return written < 0 ? 0 : static_cast<std::uint32_t>(written);
  if (large_correlations_.size() >= kMostLarge) return 0;
  // From the top, where numbers that fit hardly ever are.
  const auto number = kMost - static_cast<std::uint32_t>(large_correlations_.size());
  return large_correlations_.try_emplace(written, number).first->second;
}

std::int32_t TraceBuilder::stream_of(std::int64_t written) {
  constexpr std::int32_t kFirstOfHandles = 1001;
  constexpr std::size_t kMostHandles = trace::Trace::kMaxLanes;
  if (written >= std::numeric_limits<std::int32_t>::min() && written <= std::numeric_limits<std::int32_t>::max())
    return static_cast<std::int32_t>(written);
  if (large_streams_.size() >= kMostHandles) return 0;
  const auto number = kFirstOfHandles + static_cast<std::int32_t>(large_streams_.size());
  return large_streams_.try_emplace(written, number).first->second;
}

void TraceBuilder::keep(const Event& event, const trace::LaneInfo& lane, Category& category) {
  out_.keep(event, lane);
  if (category.read == nullptr) category.read = &count_of(out_.opened().read_by_category, category.text);
  ++*category.read;
}

void TraceBuilder::skip(const RawEvent& raw) {
  ++out_.opened().events_skipped;
  if (raw.category.empty()) {
    ++count_of(out_.opened().skipped_by_category, "(phase " + std::string(raw.phase.substr(0, 8)) + ")");
    return;
  }
  Category& known = category(raw.category);
  if (known.skipped == nullptr) known.skipped = &count_of(out_.opened().skipped_by_category, raw.category);
  ++*known.skipped;
}

TraceBuilder::Category& TraceBuilder::category(std::string_view text) {
  const auto end = [&](bool last) {
    return static_cast<std::size_t>(static_cast<unsigned char>(last ? text.back() : text.front()));
  };
  const std::size_t place = text.empty() ? 0 : text.size() * 5 + end(false) + 3 * end(true);
  Category& known = categories_[place % categories_.size()];
  if (known.text != text || known.number == 0) {
    known = {std::string(text), ++category_count_, meaning_of_category(text), kind_of_category(text), nullptr, nullptr};
  }
  return known;
}

TraceBuilder::RangeFacts TraceBuilder::range_facts(const RawEvent& raw, const Category& category, trace::NameId name) {
  if (name < range_facts_.size() && range_facts_[name].category == category.number) return range_facts_[name];
  RangeFacts facts{category.number, kind_of_foreign_range(raw.category, raw.name), step_number(raw.name)};
  if (name == base::NameTable::kOverflow) return facts;
  const bool by_a_person = facts.kind == trace::RangeKind::Other && raw.category != "python_function";
  facts.optimizer = raw.name.starts_with("Optimizer.step#");
  if (by_a_person && !facts.step) facts.named = iteration_name(out_.trace().names().text(name));
  if (name >= range_facts_.size()) range_facts_.resize(std::size_t{name} + 1);
  return range_facts_[name] = facts;
}

OpenedTrace TraceBuilder::finish() {
  if (head_.own && head_.format > kFileFormat)
    source_.fail(tr("written by a newer Lanescope; this one cannot read it"));
  // Until here its events were read as another program's, and their lanes are not those of the head.
  if (head_.own && !out_.lanes().empty())
    source_.fail(tr("otherData says that Lanescope wrote the file, but comes after the events"));
  for (const auto& [thread, ranges] : open_ranges_)
    out_.opened().events_malformed += ranges.size();  // they never ended
  if (!head_.own && !numbered_steps_ && loops_.by_word.empty()) keep_optimizer_iterations();
  if (!head_.own) keep_named_iterations();
  out_.opened().own = head_.own;
  out_.opened().events_malformed += head_.damaged_events;
  add_sentence(out_.opened().incomplete, head_.damage);
  out_.begin_arranging();
  trace::Trace& trace = out_.trace();
  if (head_.own) {
    out_.opened().facts = head_.facts;
    out_.fill(make_own_lanes());
    take_coverage();
    // An event evicted before the file was written is as lost as a dropped one.
    trace.count_dropped(head_.counts.dropped + head_.counts.evicted);
    trace.count_late(head_.counts.late);
    trace.count_clamped(head_.counts.clamped);
  } else {
    out_.opened().facts.version.clear();
    out_.opened().facts.device_name = head_.device_name.empty() ? jax_.device_name() : head_.device_name;
    out_.opened().rank = head_.rank;
    out_.opened().world_size = head_.world_size > head_.rank ? head_.world_size : 0;
    move_ranges_of_streams();
    claim_gpu_lanes();
    take_other_devices();
    take_cpu_only();
    take_bytes_of_calls();
    out_.arrange();
    say_overhead();
    base::Nanoseconds& offset = out_.opened().time_offset_ns;
    offset = std::min(std::clamp(offset, -base::kMaxTime, base::kMaxTime) + head_.base_time_ns, base::kMaxTime);
  }
  trace.set_complete_until(head_.own ? head_.complete_until_ns.value_or(trace.extent().second) : trace.extent().second);
  return std::move(out_.opened());
}

// ROCm's older versions write how much is copied only at the call.
void TraceBuilder::take_bytes_of_calls() {
  if (call_bytes_.empty()) return;
  out_.events().for_each([&](EventStore::Handle h) {
    out_.stop()();
    Event e = out_.events()[h];
    const bool moves = e.kind == EventKind::Copy || e.kind == EventKind::Memset;
    if (!moves || e.correlation == 0 || trace::bytes_of(e) > 0) return;
    const auto call = call_bytes_.find({out_.lanes()[e.lane].pid, e.correlation});
    if (call == call_bytes_.end()) return;
    trace::set_bytes(e, call->second);
    out_.events().set(h, e);
  });
}

// Its times need not make sense; those that do not ascend are cut by the trace.
void TraceBuilder::take_coverage() {
  using trace::Coverage;
  using Act = trace::RecordingChange::Act;
  trace::Trace& trace = out_.trace();
  for (const FileHead::Recorded& process : head_.recorded) {
    trace.change_recording({Act::Bursts, process.pid, process.burst_ns, process.period_ns});
    const std::vector<std::int64_t>& times = process.intervals_ns;
    std::size_t i = 0;
    if (times.size() >= 3 && times[1] == Coverage::kAlways && base::in_reach(times[2])) {
      trace.end_recorded(process.pid, times[2]);
      i = 3;
    }
    trace.change_recording({Act::Nothing, process.pid, 0, 0});
    for (; i + 1 < times.size(); i += 3) {
      const bool open = i + 2 == times.size();
      if (!base::in_reach(times[i]) || !base::in_reach(times[i + 1]) || (!open && !base::in_reach(times[i + 2])))
        continue;
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
  for (const trace::LaneInfo& lane : out_.lanes()) {
    if (lane.kind != LaneKind::Calls) continue;
    if (caller_number.try_emplace(lane.pid, static_cast<trace::ProcessNumber>(callers.size())).second)
      callers.push_back(lane.pid);
  }
  if (callers.empty()) return;
  using Place = std::pair<std::int64_t, std::int64_t>;  // process in the file, device
  std::map<Place, std::vector<std::size_t>> votes;
  std::vector<std::vector<std::size_t>*> votes_of_lane(out_.lanes().size());
  for (std::size_t l = 0; l < out_.lanes().size(); ++l) {
    if (trace::is_gpu_lane(out_.lanes()[l].kind))
      votes_of_lane[l] =
          &votes.try_emplace({out_.file_process()[l], out_.lanes()[l].device}, callers.size()).first->second;
  }
  if (callers.size() > 1) {
    trace::CallMap<base::Nanoseconds> called;
    out_.events().for_each([&](EventStore::Handle h) {
      out_.stop()();
      const Event e = out_.events()[h];
      if (e.kind != EventKind::Call || e.correlation == 0) return;
      const auto [call, added] =
          called.try_emplace({caller_number[out_.lanes()[e.lane].pid], e.correlation}, e.start_ns);
      if (!added) call->second = std::min(call->second, e.start_ns);
    });
    out_.events().for_each([&](EventStore::Handle h) {
      out_.stop()();
      const Event e = out_.events()[h];
      if (!trace::is_gpu_work(e.kind) || e.correlation == 0) return;
      for (std::size_t c = 0; c < callers.size(); ++c) {
        const auto call = called.find({static_cast<trace::ProcessNumber>(c), e.correlation});
        if (call != called.end() && call->second <= e.start_ns) ++(*votes_of_lane[e.lane])[c];
      }
    });
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
  for (std::size_t l = 0; l < out_.lanes().size(); ++l) {
    if (votes_of_lane[l] != nullptr) out_.lanes()[l].pid = claimed[{out_.file_process()[l], out_.lanes()[l].device}];
  }
  for (SyncRecord& sync : out_.syncs()) {
    const auto found = claimed.find({sync.pid, sync.device});
    sync.pid = found != claimed.end() ? found->second : caller_number.contains(sync.pid) ? sync.pid : callers.front();
  }
}

std::vector<LaneId> TraceBuilder::make_own_lanes() {
  std::vector<LaneId> ids(head_.lanes.size(), 0);
  for (std::size_t l = 0; l < ids.size(); ++l) {
    if (!head_.lanes[l]) continue;
    if (l >= trace::Trace::kMaxLanes) source_.fail(tr("too many lanes"));
    ids[l] = out_.trace().add_lane(*head_.lanes[l]);
  }
  return ids;
}

// --- chrome read -----------------------------------------------------------------------------------------------------

OpenedTrace read_chrome_trace(ByteSource& source, ReadProgress* progress, const ReadLimits& limits) {
  ReadProgress unused;
  ReadProgress& reported = progress ? *progress : unused;
  source.report_to(reported);
  FileHead head;
  try {
    TraceBuilder builder(head, source, reported, limits);
    parse_chrome_trace(
        source, head, [&](const RawEvent& event) { builder.add(event); }, limits.threads);
    return builder.finish();
  } catch (const std::bad_alloc&) {
    source.fail(base::tr("cannot read: out of memory"));
  }
}

OpenedTrace read_chrome_trace(const std::filesystem::path& path, ReadProgress* progress, const ReadLimits& limits) {
  ByteSource source(path);
  return read_chrome_trace(source, progress, limits);
}

OpenedTrace read_chrome_trace(std::string_view bytes, std::string_view name, ReadProgress* progress,
                              const ReadLimits& limits) {
  ByteSource source(bytes, name);
  return read_chrome_trace(source, progress, limits);
}

}  // namespace lanescope::io
