// A decoder with a constant clock and a sink that keeps everything.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_table.h"
#include "buffer_builder.h"
#include "capture/cupti/decoder.h"
#include "trace/sink.h"

namespace lanescope::capture::cupti::test {

inline constexpr Nanoseconds kUs = base::kMicrosecond;
inline constexpr Nanoseconds kMs = base::kMillisecond;
inline constexpr Nanoseconds kForever = std::numeric_limits<Nanoseconds>::max();

class KeepingSink final : public trace::EventSink {
 public:
  trace::LaneId lane(const trace::LaneInfo& info) override {
    const auto known = std::find(lanes.begin(), lanes.end(), info);
    if (known != lanes.end()) return static_cast<trace::LaneId>(known - lanes.begin());
    if (lanes.size() >= most_lanes) throw std::runtime_error("no more lanes");
    lanes.push_back(info);
    events.emplace_back();
    return static_cast<trace::LaneId>(lanes.size() - 1);
  }
  trace::NameId name(std::string_view text) override {
    if (names_throw) throw std::runtime_error("no more names");
    return names.intern(text);
  }
  std::uint32_t launch(const trace::LaunchShape& shape) override {
    ++launches_asked;
    return launches.intern(shape);
  }
  std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<Writer>(*this); }

  std::vector<trace::LaneInfo> lanes;
  std::vector<std::vector<trace::Event>> events;  // by lane
  base::NameTable names;
  trace::LaunchTable launches;
  int launches_asked = 0;
  std::size_t most_lanes = 4096;
  bool names_throw = false;
  Nanoseconds complete = std::numeric_limits<Nanoseconds>::min();
  // Events that arrived although the trace had been reported complete there.
  int broken_promises = 0;
  trace::Event first_broken;

 private:
  class Writer final : public trace::EventWriter {
   public:
    explicit Writer(KeepingSink& sink) : sink_(sink) {}
    void write(const trace::Event& event) noexcept override {
      sink_.events[event.lane].push_back(event);
      if (event.start_ns >= sink_.complete) return;
      if (sink_.broken_promises++ == 0) sink_.first_broken = event;
    }
    void complete_until(Nanoseconds t) noexcept override { sink_.complete = t; }

   private:
    KeepingSink& sink_;
  };
};

class DecoderRig {
 public:
  DecoderRig()
      : decoder(reading_table(), sink,
                ClockMap({.cupti_ns = [this] { return ahead + static_cast<std::uint64_t>(now); },
                          .trace_ns = [this] { return now; }}),
                counts) {
    decoder.set_main_thread(kThread);
  }

  void take(Buffer& buffer) { decoder.take(buffer.data(), buffer.size()); }
  void take(Buffer&& buffer) { take(buffer); }
  void advance(Nanoseconds asked, std::vector<std::uint32_t> threads_with_buffers = {},
               Nanoseconds oldest_open_call = kForever) {
    now = std::max(now, asked);
    decoder.advance({asked, std::move(threads_with_buffers), oldest_open_call});
  }

  /// The events of the lane with this name.
  std::vector<trace::Event> on(std::string_view lane) const {
    for (std::size_t i = 0; i < sink.lanes.size(); ++i) {
      if (sink.lanes[i].name == lane) return sink.events[i];
    }
    return {};
  }
  std::vector<trace::Event> calls() const { return on("CUDA calls"); }
  std::string text(const trace::Event& event) const { return std::string(sink.names.text(event.name)); }
  std::vector<std::string> lane_names() const {
    std::vector<std::string> names;
    for (const trace::LaneInfo& lane : sink.lanes) names.push_back(lane.name);
    return names;
  }
  /// received = written + every loss + what is held back; `others` are records that are not events.
  bool accounts(std::uint64_t others = 0) const {
    return counts.received == counts.calls + counts.operations + counts.pending + counts.untimed + counts.far_off +
                                  counts.duplicates + counts.dropped + others;
  }

  Nanoseconds now = 10 * kMs;
  std::uint64_t ahead = kAhead;
  Counts counts;
  KeepingSink sink;
  Decoder decoder;
};

}  // namespace lanescope::capture::cupti::test
