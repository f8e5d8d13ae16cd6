#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "io/atomic_file.h"
#include "io/chrome_vocabulary.h"
#include "io/trace_file.h"
#include "trace/links.h"

namespace lanescope::io {
namespace {

using base::Nanoseconds;
using trace::Event;
using trace::EventIndex;
using trace::EventKind;
using trace::LaneId;
using trace::LaneInfo;
using trace::LaneKind;

constexpr std::size_t kFlushBytes = 256 * 1024;
constexpr EventIndex kEventsPerLock = 2048;  // a ReadLock must be held only briefly
// The profilers' number for the default stream. Tools take stream 0 for "no stream".
constexpr std::int32_t kDefaultStream = 7;
constexpr std::int64_t kProcessShift = 1000;
constexpr std::int64_t kGpuSortIndex = 1 << 24;  // the PyTorch profiler also sorts GPUs below all processes

/// True for a settings marker whose names are in the table: its arguments describe it completely.
bool describes_change(const Event& e, const base::NameTable& names) {
  if (!trace::is_setting_change(e)) return false;
  const trace::SettingChange change = trace::change_of(e);
  Event again = e;
  trace::set_change(again, change);
  return again == e && change.key < names.size() && change.before < names.size() && change.now < names.size();
}

/// True if what is known of the event beyond its own words is in the tables, or nothing is.
bool describes_details(const Event& e, const trace::Trace& trace) {
  const trace::NameId arguments = trace::arguments_of(e);
  const bool kept = arguments == base::NameTable::kEmpty ||
                    (arguments != base::NameTable::kOverflow && arguments < trace.arguments().size());
  const std::uint32_t launch = trace::launch_of(e);
  return kept && (launch == trace::LaunchTable::kNone || trace.launches().find(launch));
}

/// True if the event's fields contain more than its arguments, so that "raw" must store them.
bool needs_raw(const Event& e, const trace::Trace& trace) {
  switch (e.kind) {
    case EventKind::Range:
    case EventKind::Kernel:
      return !describes_details(e, trace);
    case EventKind::Call:
      return !trace::is_blocking(e) && (e.a != 0 || e.b != 0 || e.c != 0);
    case EventKind::Marker:
      if (describes_change(e, trace.names())) return false;
      return e.a != 0 || e.b != 0 || e.c != 0;
    case EventKind::Copy:
    case EventKind::Memset:
      return !describes_details(e, trace) || trace::bytes_of(e) > std::numeric_limits<std::int64_t>::max();
    case EventKind::Counter: {
      const double value = trace::value_of(e);
      return e.c != 0 || e.flags != 0 || !std::isfinite(value) || (value == 0 && std::signbit(value));
    }
  }
  return true;
}

std::string to_hex(std::string_view bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kHex[byte >> 4];
    hex += kHex[byte & 15];
  }
  return hex;
}

class ChromeWriter {
 public:
  ChromeWriter(ByteSink& sink, const trace::Trace& trace, const RunFacts& facts)
      : sink_(sink), trace_(trace), facts_(facts) {}

  void write() {
    scan_lanes();
    find_flows();
    write_head();
    write_metadata();
    for (const LaneId l : order_) {
      for_each_event(l, [&](const Event& e) { write_event(e, l); });
    }
    out_ += "\n]}\n";
    sink_.write(out_);
  }

 private:
  struct Lane {
    LaneInfo info;
    bool gpu = false;
    std::int64_t pid = 0, tid = 0;  // as written to the file
    std::vector<EventIndex> rows;   // one past the last event to write
    std::string place;              // ,"pid":..,"tid":..
    std::string number;             // ,"lane":..
  };
  struct Name {
    std::string json;
    bool valid = true;
  };
  struct Flow {
    static constexpr Nanoseconds kNone = std::numeric_limits<Nanoseconds>::max();
    Nanoseconds call_start = kNone, op_start = kNone;
    LaneId call_lane = 0, op_lane = 0;
  };

  void scan_lanes() {
    const std::size_t count = trace_.lane_count();
    std::set<std::int64_t> devices;
    for (std::size_t l = 0; l < count; ++l) {
      Lane lane;
      lane.info = trace_.lane(static_cast<LaneId>(l)).info();
      lane.gpu = trace::is_gpu_work_lane(lane.info.kind) || lane.info.kind == LaneKind::GpuRanges;
      const trace::Lane& source = trace_.lane(static_cast<LaneId>(l));
      for (std::size_t r = 0; r < source.row_count(); ++r) lane.rows.push_back(source.row(r).last());
      if (lane.gpu) devices.insert(lane.info.device);
      if (lane.gpu && lane.info.stream == 0) stream_shift_ = kDefaultStream;
      lanes_.push_back(std::move(lane));
    }
    // A viewer identifies a GPU by its number in place of a process id, so a process with that number must be
    // renumbered.
    std::int64_t shift = 0;
    const auto collides = [&](const Lane& lane) { return !lane.gpu && devices.contains(lane.info.pid + shift); };
    while (std::any_of(lanes_.begin(), lanes_.end(), collides)) shift += kProcessShift;
    for (std::size_t l = 0; l < count; ++l) {
      Lane& lane = lanes_[l];
      lane.pid = lane.gpu ? lane.info.device : lane.info.pid + shift;
      lane.tid = lane.gpu ? std::int64_t{lane.info.stream} + stream_shift_ : lane.info.tid + shift;
      lane.place = ",\"pid\":" + std::to_string(lane.pid) + ",\"tid\":" + std::to_string(lane.tid);
      lane.number = ",\"lane\":" + std::to_string(l);
      order_.push_back(static_cast<LaneId>(l));
    }
    // Of two events that start together, viewers take the first in the file as the outer one.
    const auto place = [&](LaneId l) {
      const Lane& lane = lanes_[l];
      const bool ranges_first = lane.info.kind != LaneKind::GpuRanges;
      return std::tuple(lane.gpu, lane.pid, lane.tid, lane.gpu && ranges_first, lane.info.kind, l);
    };
    std::sort(order_.begin(), order_.end(), [&](LaneId a, LaneId b) { return place(a) < place(b); });
  }

  template <typename Function>
  void for_each_event(LaneId l, const Function& function) {
    std::vector<Event> some;
    for (std::size_t r = 0; r < lanes_[l].rows.size(); ++r) {
      const trace::Row& row = trace_.lane(l).row(r);
      const EventIndex last = lanes_[l].rows[r];
      for (EventIndex i = 0; i < last;) {
        some.clear();
        {
          const trace::Trace::ReadLock lock(trace_);
          i = std::max(i, row.first());
          const EventIndex until = std::min(last, i + kEventsPerLock);
          for (; i < until; ++i) some.push_back(row.event(i));
        }
        for (const Event& e : some) function(e);
      }
    }
  }

  /// A flow connects the first call and the first operation of a correlation; one without the other gets no arrow.
  void find_flows() {
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      const auto lane = static_cast<LaneId>(l);
      for_each_event(lane, [&](const Event& e) {
        if (e.correlation == 0) return;
        if (e.kind == EventKind::Call) {
          Flow& flow = flows_[{owners_.process_of(lane), e.correlation}];
          if (e.start_ns < flow.call_start) std::tie(flow.call_start, flow.call_lane) = std::pair(e.start_ns, lane);
        } else if (trace::is_gpu_work(e.kind)) {
          Flow& flow = flows_[{owners_.process_of(lane), e.correlation}];
          if (e.start_ns < flow.op_start) flow.op_start = e.start_ns, flow.op_lane = lane;
        }
      });
    }
  }

  // --- text ----------------------------------------------------------------------------------------------------------

  void text(std::string_view piece) { out_ += piece; }
  template <typename Number>
  void number(std::string_view key, Number value) {
    out_ += key;
    base::append_number(out_, value);
  }
  void string(std::string_view key, std::string_view value) {
    out_ += key;
    base::append_json_string(out_, value);
  }
  void time(std::string_view key, Nanoseconds ns) {
    out_ += key;
    base::append_microseconds(out_, ns);
  }
  void next_event() {
    if (out_.size() >= kFlushBytes) {
      sink_.write(out_);
      out_.clear();
    }
    out_ += first_event_ ? "\n" : ",\n";
    first_event_ = false;
  }

  std::string device_title() const {
    return facts_.device_name + (facts_.simulated ? (facts_.device_name.empty() ? "simulated" : " (simulated)") : "");
  }

  void write_head() {
    text("{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\"distributedInfo\":{\"rank\":0},\n\"deviceProperties\":[");
    std::set<std::int64_t> devices;
    for (const Lane& lane : lanes_) {
      if (!lane.gpu || !devices.insert(lane.pid).second) continue;
      if (devices.size() > 1) text(",");
      number("{\"id\":", lane.pid);
      string(",\"name\":", device_title());
      text("}");
    }
    string("],\n\"otherData\":{\"lanescope\":", facts_.version);
    number(",\"format\":", kFileFormat);
    string(",\"workload\":", facts_.workload);
    if (!facts_.program.empty()) string(",\"program\":", facts_.program);
    if (!facts_.iterations.empty()) string(",\"iterations\":", facts_.iterations);
    string(",\"device\":", facts_.device);
    string(",\"device_name\":", facts_.device_name);
    text(facts_.simulated ? ",\"simulated\":true" : ",\"simulated\":false");
    text(",\"detailed\":true");
    if (facts_.sm_count > 0) number(",\"sm_count\":", facts_.sm_count);
    if (facts_.h2d_peak_gb_per_s > 0) number(",\"h2d_peak_gb_per_s\":", facts_.h2d_peak_gb_per_s);
    if (facts_.d2h_peak_gb_per_s > 0) number(",\"d2h_peak_gb_per_s\":", facts_.d2h_peak_gb_per_s);
    if (facts_.clock_error_ns > 0) number(",\"clock_error_ns\":", facts_.clock_error_ns);
    text(",\"settings\":{");
    bool first = true;
    for (const auto& [key, value] : facts_.settings) {
      string(std::exchange(first, false) ? "" : ",", key);
      string(":", value);
    }
    const trace::TraceCounts counts = trace_.counts();
    number("},\n\"events\":{\"recorded\":", counts.recorded);
    number(",\"evicted\":", counts.evicted);
    number(",\"dropped\":", counts.dropped);
    number(",\"late\":", counts.late);
    number(",\"clamped\":", counts.clamped);
    text("}");
    const Nanoseconds complete = trace_.complete_until();
    if (complete != std::numeric_limits<Nanoseconds>::min()) number(",\"complete_until_ns\":", complete);
    write_coverage();
    if (!facts_.marks.empty()) string(",\n\"marks\":", facts_.marks);  // a text whose meaning only the window knows
    text(",\n\"lanes\":[");
    first = true;
    for (const Lane& lane : lanes_) {
      string(std::exchange(first, false) ? "\n{\"kind\":" : ",\n{\"kind\":", lane_kind_key(lane.info.kind));
      string(",\"role\":", lane_role_key(lane.info.role));
      string(",\"name\":", lane.info.name);
      string(",\"process\":", lane.info.process);
      number(",\"pid\":", lane.info.pid);
      number(",\"tid\":", lane.info.tid);
      number(",\"device\":", lane.info.device);
      number(",\"stream\":", lane.info.stream);
      number(",\"reorder_window\":", lane.info.reorder_window);
      if (!lane.info.host.empty()) string(",\"host\":", lane.info.host);
      if (!lane.info.thread.empty()) string(",\"thread\":", lane.info.thread);
      text("}");
    }
    text("]},\n\"traceEvents\":[");
  }

  /// What was recorded, if not everything: for each process the numbers calls_from, begin, end of its intervals; the
  /// last one may still be open, without an end.
  void write_coverage() {
    if (!trace_.recorded_in_parts()) return;
    const trace::Trace::ReadLock lock(trace_);
    text(",\n\"recorded\":[");
    bool first = true;
    for (std::size_t c = 0; c < trace_.coverage_count(); ++c) {
      const std::int64_t pid = trace_.covered_pid(c);
      const trace::Coverage& coverage = trace_.coverage(pid);
      if (coverage.complete()) continue;
      number(std::exchange(first, false) ? "\n{\"pid\":" : ",\n{\"pid\":", pid);
      const trace::Bursts bursts = coverage.bursts();
      if (bursts != trace::Bursts{}) {
        number(",\"burst_ns\":", bursts.burst_ns);
        number(",\"period_ns\":", bursts.period_ns);
      }
      text(",\"intervals_ns\":[");
      const trace::Coverage::Index begin = coverage.first(), end = coverage.last();
      for (trace::Coverage::Index i = begin; i < end; ++i) {
        const trace::Coverage::Interval interval = coverage.interval(i);
        number(i == begin ? "" : ",", interval.calls_from);
        number(",", interval.begin);
        if (interval.end != trace::Coverage::kNever) number(",", interval.end);
      }
      text("]}");
    }
    text("]");
  }

  /// Names and order of processes and threads: the program first, then GPUs, with each stream as a thread of its GPU.
  void write_metadata() {
    struct Thread {
      std::string name;
      std::int64_t sort_index = 0;
    };
    std::map<std::int64_t, std::map<std::int64_t, Thread>> processes;
    std::map<std::int64_t, const Lane*> owners;
    for (const LaneId l : order_) {
      const Lane& lane = lanes_[l];
      owners.try_emplace(lane.pid, &lane);
      auto& threads = processes[lane.pid];
      const auto [it, added] = threads.try_emplace(lane.tid);
      Thread& thread = it->second;
      if (lane.gpu) {
        thread = {"stream " + std::to_string(lane.tid), lane.tid};
      } else if (added) {
        thread = {lane.info.name, static_cast<std::int64_t>(threads.size())};
      } else if (lane.info.kind != LaneKind::Counter) {
        thread.name += ", " + lane.info.name;
      }
    }
    for (const auto& [pid, threads] : processes) {
      const Lane& owner = *owners.at(pid);
      std::string name = owner.info.process;
      std::string labels = "CPU";
      if (owner.gpu) {
        labels = "GPU " + std::to_string(pid) + (facts_.simulated ? ", simulated" : "");
        const std::string title = device_title();
        name = "GPU " + std::to_string(pid) + (title.empty() ? "" : ": " + title);
      }
      write_metadata_event("process_name", pid, 0, "name", name);
      write_metadata_event("process_labels", pid, 0, "labels", labels);
      write_metadata_event("process_sort_index", pid, 0, owner.gpu ? kGpuSortIndex + pid : 0);
      for (const auto& [tid, thread] : threads) {
        write_metadata_event("thread_name", pid, tid, "name", thread.name);
        write_metadata_event("thread_sort_index", pid, tid, thread.sort_index);
      }
    }
  }

  void begin_metadata_event(std::string_view what, std::int64_t pid, std::int64_t tid) {
    next_event();
    string("{\"ph\":\"M\",\"name\":", what);
    number(",\"pid\":", pid);
    number(",\"tid\":", tid);
    text(",\"args\":{");
  }
  void write_metadata_event(std::string_view what, std::int64_t pid, std::int64_t tid, std::string_view key,
                            std::string_view value) {
    begin_metadata_event(what, pid, tid);
    base::append_json_string(out_, key);
    string(":", value);
    text("}}");
  }
  void write_metadata_event(std::string_view what, std::int64_t pid, std::int64_t tid, std::int64_t sort_index) {
    begin_metadata_event(what, pid, tid);
    number("\"sort_index\":", sort_index);
    text("}}");
  }

  const Name& name_of(base::NameId id) {
    if (id >= names_.size()) names_.resize(std::max<std::size_t>(id + 1, trace_.names().size()));
    Name& name = names_[id];
    if (name.json.empty()) name.valid = base::append_json_string(name.json, trace_.names().text(id));
    return name;
  }

  /// Writes the name that other tools look for. If that is not the event's own, the own name follows as "label".
  void write_name(const Event& e, const Lane& lane) {
    const std::string_view own = trace_.names().text(e.name);
    std::string shown;
    if (e.kind == EventKind::Range && lane.info.kind == LaneKind::Iterations) {
      shown = step_name(trace::index_of(e));
    } else if (e.kind == EventKind::Copy && !own.starts_with("Memcpy")) {
      shown = copy_name(trace::copy_traits_of(e));
    } else if (e.kind == EventKind::Memset && !own.starts_with("Memset")) {
      shown = "Memset (Device)";
    }
    const Name& name = name_of(e.name);
    if (shown.empty() || shown == own) {
      out_ += name.json;
    } else {
      base::append_json_string(out_, shown);
      if (name.valid) {
        text(",\"label\":");
        text(name.json);
      }
    }
    if (!name.valid) string(",\"label_hex\":", to_hex(own));
  }

  void write_event(const Event& e, LaneId l) {
    const Lane& lane = lanes_[l];
    const bool counter = e.kind == EventKind::Counter;
    const bool marker = e.kind == EventKind::Marker;
    next_event();
    text(counter  ? "{\"ph\":\"C\",\"cat\":\""
         : marker ? "{\"ph\":\"i\",\"s\":\"p\",\"cat\":\""
                  : "{\"ph\":\"X\",\"cat\":\"");
    text(category_of(e.kind, lane.info.kind));
    text("\",\"name\":");
    write_name(e, lane);
    text(lane.place);
    time(",\"ts\":", e.start_ns);
    if ((!counter && !marker) || e.end_ns != e.start_ns) time(",\"dur\":", e.end_ns - e.start_ns);
    text(lane.number);
    const bool raw = needs_raw(e, trace_);
    if (raw) write_raw(e);
    // Every argument of a counter is drawn as its own curve.
    if (counter && e.correlation != 0) number(",\"correlation\":", e.correlation);
    text(",\"args\":{");
    arguments_begin_ = true;
    if (counter) {
      const double value = trace::value_of(e);
      argument("value");
      base::append_number(out_, std::isfinite(value) ? value : 0.0);
    } else {
      write_arguments(e, lane);
      if (!raw) write_details(e);
    }
    text("}}");
    write_flow(e, l);
  }

  void write_raw(const Event& e) {
    text(",\"raw\":\"");
    for (const std::uint32_t field : {e.a, e.b, e.c, std::uint32_t{e.flags}}) {
      char digits[8];
      out_.append(digits, std::to_chars(digits, digits + sizeof digits, field, 16).ptr);
      out_ += ',';
    }
    out_.back() = '"';
  }

  void argument(std::string_view key) {
    out_ += std::exchange(arguments_begin_, false) ? "\"" : ",\"";
    out_ += key;
    out_ += "\":";
  }
  template <typename Number>
  void argument(std::string_view key, Number value) {
    argument(key);
    base::append_number(out_, value);
  }

  void write_arguments(const Event& e, const Lane& lane) {
    const std::uint32_t external = trace::external_id_of(e);
    if (external != 0 || e.correlation != 0) argument(kExternalId, external != 0 ? external : e.correlation);
    if (lane.gpu) {
      argument("device", lane.info.device);
      argument("stream", lane.tid);
    }
    if (e.correlation != 0) argument("correlation", e.correlation);
    if (e.kind == EventKind::Call) {
      if (const int id = callback_id(trace_.names().text(e.name))) argument("cbid", id);
      if (trace::is_blocking(e)) {
        const trace::CallParts parts = trace::parts_of(e);
        argument("own_ns", e.a);
        argument("waiting_ns", parts.waiting);
        argument("copying_ns", e.b);
        argument("returning_ns", e.c);
      }
    } else if (e.kind == EventKind::Copy || e.kind == EventKind::Memset) {
      const std::uint64_t bytes = trace::bytes_of(e);
      argument("bytes", bytes);
      if (e.duration() > 0) {
        argument(kBandwidth, static_cast<double>(bytes) / static_cast<double>(e.duration()));
      }
    } else if (e.kind == EventKind::Range && e.a != 0) {
      argument("index", e.a);
    }
    if (const std::uint8_t flags = write_facts(e); flags != 0) argument("flags", std::uint32_t{flags});
  }

  /// How a kernel was launched, and the arguments that were read with the event.
  void write_details(const Event& e) {
    if (const auto launch = trace_.launches().find(trace::launch_of(e))) write_launch(*launch);
    const std::string_view arguments = trace_.arguments().text(trace::arguments_of(e));
    if (arguments.empty()) return;
    if (!std::exchange(arguments_begin_, false)) text(",");
    text(arguments);
  }
  void write_launch(const trace::LaunchShape& launch) {
    const auto count = [&](std::string_view key, std::uint32_t value) {
      if (value != trace::LaunchShape::kUnknown) argument(key, value);
    };
    const auto size = [&](std::string_view key, const std::array<std::uint32_t, 3>& value) {
      if (value == std::array<std::uint32_t, 3>{}) return;
      argument(key);
      for (std::size_t i = 0; i < value.size(); ++i) number(i == 0 ? "[" : ",", value[i]);
      text("]");
    };
    const auto share = [&](std::string_view key, double value) {
      if (value >= 0) argument(key, value);
    };
    count(kContext, launch.context);
    size(kGrid, launch.grid);
    size(kBlock, launch.block);
    count(kRegisters, launch.registers_per_thread);
    count(kSharedMemory, launch.shared_bytes);
    count(kStaticShared, launch.static_shared_bytes);
    count(kDynamicShared, launch.dynamic_shared_bytes);
    share(kBlocksPerSm, launch.blocks_per_sm);
    share(kWarpsPerSm, launch.warps_per_sm);
    share(kOccupancy, launch.occupancy_percent);
  }

  /// Writes what a range or a marker stands for. Returns the flags not covered by that.
  std::uint8_t write_facts(const Event& e) {
    if (e.kind == EventKind::Range) {
      const std::string_view kind = range_kind_key(trace::range_kind_of(e));
      if (kind.empty()) return e.flags;
      fact("range", kind);
      return e.flags & ~trace::kRangeKindMask;
    }
    if (e.kind != EventKind::Marker) return e.flags;
    const std::string_view kind = marker_kind_key(trace::marker_kind_of(e));
    const bool changes = describes_change(e, trace_.names());
    if (kind.empty() || (trace::is_setting_change(e) && !changes)) return e.flags;
    fact("marker", kind);
    if (changes) {
      const trace::SettingChange change = trace::change_of(e);
      argument("version", change.version);
      fact("key", trace_.names().text(change.key));
      fact("before", trace_.names().text(change.before));
      fact("now", trace_.names().text(change.now));
    }
    return 0;
  }
  void fact(std::string_view key, std::string_view value) {
    argument(key);
    base::append_json_string(out_, value);
  }

  void write_flow(const Event& e, LaneId l) {
    if (e.correlation == 0) return;
    const auto found = flows_.find({owners_.process_of(l), e.correlation});
    if (found == flows_.end()) return;
    const Flow& flow = found->second;
    if (flow.call_start == Flow::kNone || flow.op_start == Flow::kNone) return;
    const bool begins = e.kind == EventKind::Call && e.start_ns == flow.call_start && l == flow.call_lane;
    const bool ends = trace::is_gpu_work(e.kind) && e.start_ns == flow.op_start && l == flow.op_lane;
    if (!begins && !ends) return;
    next_event();
    text(begins ? "{\"ph\":\"s\"" : "{\"ph\":\"f\",\"bp\":\"e\"");
    // A viewer matches flows by id only.
    number(",\"id\":", std::uint64_t{owners_.process_of(l)} << 32 | e.correlation);
    text(",\"cat\":\"ac2g\",\"name\":\"ac2g\"");
    text(lanes_[l].place);
    time(",\"ts\":", e.start_ns);
    text("}");
  }

  ByteSink& sink_;
  const trace::Trace& trace_;
  const RunFacts& facts_;
  std::vector<Lane> lanes_;
  std::vector<LaneId> order_;
  std::int32_t stream_shift_ = 0;
  trace::Owners owners_{trace_};
  trace::CallMap<Flow> flows_;
  std::vector<Name> names_;
  std::string out_;
  bool first_event_ = true;
  bool arguments_begin_ = true;
};

}  // namespace

void write_chrome_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts) {
  ByteSink sink(path, path.extension() == ".gz");
  ChromeWriter(sink, trace, facts).write();
  sink.commit();
}

}  // namespace lanescope::io
