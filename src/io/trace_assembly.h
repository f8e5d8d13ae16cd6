// The events of another program's file become a trace: kept within limits, their lanes named and ordered, what calls
// waited for inferred. The readers of all formats share it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/name_table.h"
#include "io/byte_source.h"
#include "io/event_store.h"
#include "io/python_stacks.h"
#include "io/reading.h"

namespace lanescope::io {

class TextCache {
 public:
  explicit TextCache(base::NameTable& table) : table_(table), slots_(kSlots) {}

  base::NameId intern(std::string_view text) {
    return find_or(text, [&] { return table_.intern(text); });
  }
  /// The same, where `number` decides on its number in the table.
  template <class Number>
  base::NameId find_or(std::string_view text, Number&& number) {
    Slot& slot = slots_[place(text)];
    if (slot.text == text) return slot.id;
    const base::NameId id = number();
    if (id != base::NameTable::kOverflow) slot = {table_.text(id), id};
    return id;
  }

 private:
  struct Slot {
    std::string_view text;  // the table's; at first "", whose number is kEmpty
    base::NameId id = base::NameTable::kEmpty;
  };
  static constexpr std::size_t kSlots = 4096;

  static std::uint64_t eight_at(const char* p) {
    std::uint64_t x = 0;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  static std::size_t place(std::string_view text) {
    std::uint64_t hash = text.size();
    const auto mix = [&](std::uint64_t x) {
      hash = (hash ^ x) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    };
    const char* const p = text.data();
    if (text.size() >= 8) {
      // Long names are those of templates, which often differ only somewhere in the middle.
      for (const std::size_t eighths : {0u, 2u, 4u, 6u, 8u}) mix(eight_at(p + (text.size() - 8) * eighths / 8));
    } else {
      std::uint64_t x = 0;
      for (const char c : text) x = x << 8 | static_cast<unsigned char>(c);
      mix(x);
    }
    return hash % kSlots;
  }

  base::NameTable& table_;
  std::vector<Slot> slots_;
};

// --- trace assembly --------------------------------------------------------------------------------------------------
// The events of another program's file become a trace: kept within limits, their lanes named and ordered, what calls
// waited for inferred. The readers of all formats share it.

struct LaneKey {
  trace::LaneKind kind = trace::LaneKind::Phases;
  std::int64_t owner = 0, part = 0;  ///< process and thread, or device and stream
  std::int64_t process = 0;          ///< of a GPU lane: the file's, which may be just the device's number
  trace::NameId label = 0;           ///< tells apart lanes of one kind and owner; 0: named by its kind
  bool operator==(const LaneKey&) const = default;
};

class TraceAssembly {
 public:
  /// `source` is used only for error messages. `progress` receives the number of events and, during arrange() and
  /// fill(), of events put into the trace.
  TraceAssembly(const ByteSource& source, ReadProgress& progress, const ReadLimits& limits);

  OpenedTrace& opened() { return opened_; }
  trace::Trace& trace() { return *opened_.trace; }
  EventStore& events() { return events_; }  ///< their lane: an index into lanes(), or into the file's own
  std::vector<trace::LaneInfo>& lanes() { return lanes_; }
  /// The process in the file, of each of lanes().
  const std::vector<std::int64_t>& file_process() const { return file_process_; }
  std::vector<SyncRecord>& syncs() { return syncs_; }
  StopCheck& stop() { return stop_; }

  /// False, and counted, unless both are valid times. An end before the start is kept; the trace counts it.
  bool take_times(base::Nanoseconds start, base::Nanoseconds end, trace::Event& event);
  /// False, and counted, if there are too many lanes.
  bool take_lane(const LaneKey& key, trace::Event& event);
  /// Throws base::FileError if there are too many events.
  void keep(const trace::Event& event) { keep(event, lanes_[event.lane]); }
  /// The same for an event in a lane of the file's own.
  void keep(const trace::Event& event, const trace::LaneInfo& lane);
  void keep_sync(const SyncRecord& sync);
  /// The profiler says that it ran then, on the file's clock.
  void keep_window(const Recorded& window);
  /// A number in the trace's names().
  trace::NameId number_of_name(std::string_view name) { return name_cache_.intern(name); }
  /// Its number in the trace's launches().
  std::uint32_t number_of_launch(const trace::LaunchShape& shape);
  /// A number in the trace's arguments().
  trace::NameId number_of_arguments(std::string_view arguments);
  void name_process(std::int64_t pid, std::string_view name);
  void name_thread(std::int64_t pid, std::int64_t tid, std::string_view name);
  /// The names given so far; empty: none.
  std::string_view process_name(std::int64_t pid) const;
  std::string_view thread_name(std::int64_t pid, std::int64_t tid) const;

  /// From now on, progress counts the events put into the trace.
  void begin_arranging();
  /// Infers what calls waited for, shifts times to begin at 0 and fills the trace.
  void arrange();
  /// Fills the trace; `lane_ids`: where the events of each lane go.
  void fill(const std::vector<trace::LaneId>& lane_ids);

 private:
  struct LaneKeyHash {
    std::size_t operator()(const LaneKey& key) const;
  };

  void leave_out_zeros();
  void leave_out_strays();
  void leave_out_empty_step();
  void say(const std::string& remark);
  void take_faults(const RecordFaults& faults);
  void take_recordings();
  void name_lanes();
  void note_stacks(const std::vector<trace::LaneId>& ids);
  std::vector<trace::LaneId> add_lanes();
  void put_in_order(std::size_t lane);

  const ByteSource& source_;
  ReadProgress& progress_;
  const std::uint64_t memory_bytes_;  // limit for events
  const bool half_of_the_machine_;    // whether that limit is half of the machine's memory
  std::size_t repeated_ = 0;          // operations
  const std::size_t most_events_;
  StopCheck stop_;
  OpenedTrace opened_;
  EventStore events_;
  base::Nanoseconds earliest_ = std::numeric_limits<base::Nanoseconds>::max();  // of their starts
  base::Nanoseconds latest_ = std::numeric_limits<base::Nanoseconds>::min();    // of their ends
  std::vector<trace::LaneInfo> lanes_;
  std::vector<std::int64_t> file_process_;
  std::unordered_map<LaneKey, trace::LaneId, LaneKeyHash> lane_of_;
  std::vector<SyncRecord> syncs_;
  std::vector<Recorded> windows_;
  std::size_t timeless_ = 0;  // operations of the GPU that were left out, because their time is not known
  std::unordered_map<std::int64_t, std::string> process_names_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> thread_names_;
  std::uint64_t argument_bytes_ = 0;
  TextCache name_cache_, argument_cache_;
  PythonFrames frames_;
  struct KnownLaunch {
    trace::LaunchShape shape;
    std::uint32_t number = trace::LaunchTable::kNone;
  };
  std::vector<KnownLaunch> known_launches_;
  struct KnownLane {
    LaneKey key;
    trace::LaneId lane = 0;
    bool used = false;
  };
  std::array<KnownLane, 16> known_lanes_;  // by their kind
};

}  // namespace lanescope::io
