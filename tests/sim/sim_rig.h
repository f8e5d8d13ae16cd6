// Common code of the simulated device's tests: a sink that keeps events, a profile of round numbers, and a device with
// that profile.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "device/sim/sim_device.h"

namespace lanescope::device::sim {

constexpr Nanoseconds us(double microseconds) { return base::from_us(microseconds); }

class CollectingSink final : public trace::EventSink {
 public:
  trace::LaneId lane(const trace::LaneInfo& info) override;
  trace::NameId name(std::string_view text) override { return names.intern(text); }
  std::unique_ptr<trace::EventWriter> open_writer() override;

  base::NameTable names;
  std::vector<trace::LaneInfo> lanes;
  std::vector<trace::Event> events;
  std::vector<Nanoseconds> complete;        ///< every complete_until()
  std::vector<std::size_t> complete_after;  ///< and how many events had been written before each
};

/// Keys of the round profile with replacement values: {"cpu.launch_us", "20"}.
using Replaced = std::map<std::string, std::string>;

/// The numbers behind the hand-calculated timelines.
///
///   launch 10, memcpy 20, memset 10, record, query and wait 1, synchronise 5, idle return 3, wake-up 50 us
///   launch latency 5, copy latency 10, kernel 100 us + 0.01 ns per byte, queue depth 8
///   graph: launch 20 us and 1 per node, instantiate 30 per node, 2 us between nodes
///   link 0.1 ns per byte (pinned), 0.2 (pageable), 2 us per copy; staging: 4 slots of 100,000 bytes
std::string round_profile_text(const Replaced& replaced = {});

class Rig {
 public:
  explicit Rig(const Replaced& replaced = {}, std::uint64_t seed = 1);
  explicit Rig(const DeviceProfile& profile, std::uint64_t seed = 1);

  SimDevice& operator*() { return *device; }
  SimDevice* operator->() { return device.get(); }

  /// Launches a kernel of this duration (100 us or more) that touches no values.
  void kernel(double duration_us, Stream stream = Stream::Default);
  /// A host buffer and a device buffer of this size; their calls are behind `start`.
  void make_buffers(MemoryKind host_kind, std::size_t bytes);
  /// Decides everything outstanding by closing the device.
  void close() { device.reset(); }

  // Times are relative to `start`, which make_buffers() moves to the device's current time.
  std::vector<trace::Event> calls(std::string_view name) const { return select(name, trace::EventKind::Call); }
  std::vector<trace::Event> kernels() const { return select({}, trace::EventKind::Kernel); }
  std::vector<trace::Event> copies() const { return select({}, trace::EventKind::Copy); }
  std::string_view text(trace::NameId id) const { return sink.names.text(id); }

  CollectingSink sink;
  std::unique_ptr<SimDevice> device;
  Nanoseconds start = 0;
  Buffer host = Buffer::None, gpu = Buffer::None;

 private:
  std::vector<trace::Event> select(std::string_view name, trace::EventKind kind) const;
};

/// [start, end) of an event, in microseconds.
struct Span {
  double start_us, end_us;
  bool operator==(const Span&) const = default;
};
inline Span span_of(const trace::Event& e) { return {base::to_us(e.start_ns), base::to_us(e.end_ns)}; }
inline void PrintTo(const Span& s, std::ostream* out) { *out << "[" << s.start_us << ", " << s.end_us << ")"; }

/// The parts of a call in microseconds: own, waiting, copying, returning.
struct Parts {
  double own, waiting, copying, returning;
  bool operator==(const Parts&) const = default;
};
inline Parts parts_in_us(const trace::Event& e) {
  const trace::CallParts p = trace::parts_of(e);
  return {base::to_us(p.own), base::to_us(p.waiting), base::to_us(p.copying), base::to_us(p.returning)};
}
inline void PrintTo(const Parts& p, std::ostream* out) {
  *out << "own " << p.own << " waiting " << p.waiting << " copying " << p.copying << " returning " << p.returning;
}

inline constexpr std::uint8_t kAllCallFlags = trace::kBlockingFlag | trace::kSyncFlag | trace::kLaunchFlag;

}  // namespace lanescope::device::sim
