// Traces for tests, and traces in a form that can be compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "trace/trace.h"

namespace lanescope::io {

using trace::Event;
using trace::EventKind;
using trace::LaneId;
using trace::LaneInfo;
using trace::LaneKind;

/// An event with what it refers to, because the numbers of names, launches and arguments differ between traces.
struct NamedEvent {
  Event event;
  std::string name;
  std::optional<trace::LaunchShape> launch;
  std::string arguments;
  auto key() const {
    const Event& e = event;
    return std::tuple(e.start_ns, -e.end_ns, e.kind, e.correlation, e.a, e.b, e.c, e.flags, name, arguments,
                      launch ? trace::hash_of(*launch) : 0);
  }
  bool operator==(const NamedEvent& other) const { return key() == other.key() && launch == other.launch; }
  bool operator<(const NamedEvent& other) const { return key() < other.key(); }
};

inline void PrintTo(const NamedEvent& e, std::ostream* out) {
  *out << e.name << " [" << e.event.start_ns << ", " << e.event.end_ns << ") kind " << int(e.event.kind) << " a "
       << e.event.a << " b " << e.event.b << " c " << e.event.c << " flags " << int(e.event.flags) << " correlation "
       << e.event.correlation << " arguments " << e.arguments << (e.launch ? " with a launch" : "");
}

inline std::vector<NamedEvent> events_of(const trace::Trace& trace, std::size_t lane) {
  std::vector<NamedEvent> events;
  const trace::Lane& source = trace.lane(static_cast<LaneId>(lane));
  for (std::size_t r = 0; r < source.row_count(); ++r) {
    const trace::Row& row = source.row(r);
    for (trace::EventIndex i = row.first(); i < row.last(); ++i) {
      Event e = row.event(i);
      std::string name(trace.names().text(e.name));
      if (trace::is_setting_change(e)) {
        const trace::SettingChange change = trace::change_of(e);
        for (const trace::NameId id : {change.key, change.before, change.now}) {
          name += " | " + std::string(trace.names().text(id));
        }
        trace::set_change(e, {change.version, 0, 0, 0});
      }
      e.name = 0;
      NamedEvent named{e, name, trace.launches().find(trace::launch_of(e)), {}};
      if (named.launch) trace::set_launch(named.event, 0);
      const trace::NameId arguments = trace::arguments_of(e);
      if (arguments != base::NameTable::kOverflow && arguments < trace.arguments().size()) {
        named.arguments = trace.arguments().text(arguments);
        if (!named.arguments.empty()) trace::set_arguments(named.event, 0);
      }
      events.push_back(std::move(named));
    }
  }
  std::sort(events.begin(), events.end());
  return events;
}

inline std::vector<LaneInfo> lanes_of(const trace::Trace& trace) {
  std::vector<LaneInfo> lanes;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) lanes.push_back(trace.lane(static_cast<LaneId>(l)).info());
  return lanes;
}

inline LaneInfo cpu_lane(LaneKind kind, std::string name, std::int64_t pid = 0, std::int64_t tid = 0) {
  LaneInfo info;
  info.kind = kind;
  info.name = std::move(name);
  info.process = "lanescope";
  info.pid = pid;
  info.tid = tid;
  return info;
}

inline LaneInfo gpu_lane(LaneKind kind, std::string name, std::int32_t device = 0, std::int32_t stream = 7) {
  LaneInfo info;
  info.kind = kind;
  info.name = std::move(name);
  info.device = device;
  info.stream = stream;
  return info;
}

inline Event make_event(trace::Trace& trace, LaneId lane, EventKind kind, const std::string& name, std::int64_t start,
                        std::int64_t end, std::uint32_t correlation = 0) {
  return {.start_ns = start,
          .end_ns = end,
          .name = trace.names().intern(name),
          .correlation = correlation,
          .lane = lane,
          .kind = kind};
}

/// Every kind of event with random values in every field, on every kind of lane; names of arbitrary bytes.
inline void fill_randomly(trace::Trace& trace, std::uint32_t seed, int events_per_lane) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const std::vector<std::string> names = {"",
                                          "cudaLaunchKernel",
                                          "cudaStreamSynchronize",
                                          "iteration",
                                          "ProfilerStep#3",
                                          "Memcpy DtoH (Device -> Pageable)",
                                          "relu \"quoted\" \\ \n",
                                          "1 → 100 µs",
                                          "broken \xff\xc0 bytes",
                                          std::string("zero\0byte", 9),
                                          "linear_forward"};
  for (int kind = 0; kind <= static_cast<int>(LaneKind::Counter); ++kind) {
    for (int copy = 0; copy < 2; ++copy) {
      LaneInfo info = cpu_lane(static_cast<LaneKind>(kind), "lane " + std::to_string(kind), copy * 5, copy);
      info.device = copy;
      info.stream = static_cast<std::int32_t>(below(3));
      info.reorder_window = static_cast<std::uint32_t>(below(100));
      const LaneId lane = trace.add_lane(info);
      std::int64_t start = static_cast<std::int64_t>(below(1'000'000)) - 500'000;
      for (int i = 0; i < events_per_lane; ++i) {
        start += static_cast<std::int64_t>(below(3'000));
        Event e = make_event(trace, lane, static_cast<EventKind>(below(7)), names[below(names.size())], start,
                             start + static_cast<std::int64_t>(below(4) == 0 ? 0 : below(5'000)));
        if (below(2)) e.correlation = static_cast<std::uint32_t>(random());
        if (below(2)) e.a = static_cast<std::uint32_t>(random());
        if (below(2)) e.b = static_cast<std::uint32_t>(random());
        if (below(4) == 0) e.c = static_cast<std::uint32_t>(random());
        if (below(2)) e.flags = static_cast<std::uint8_t>(random());
        if (trace::is_setting_change(e)) {  // three names of the table
          const auto name = [&] { return trace.names().intern(names[1 + below(7)]); };
          trace::set_change(e, {static_cast<std::uint32_t>(random()), name(), name(), name()});
        }
        trace.append(e);
      }
    }
  }
  trace.publish();
}

}  // namespace lanescope::io
