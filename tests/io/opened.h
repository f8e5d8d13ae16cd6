// What tests look up in an opened file.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include "io/reading.h"
#include "traces.h"

namespace lanescope::io {

constexpr std::int64_t kUs = 1'000;

/// The only event with this name and correlation.
inline Event find_event(const OpenedTrace& opened, std::string_view name, std::uint32_t correlation) {
  std::vector<Event> found;
  for (std::size_t l = 0; l < opened.trace->lane_count(); ++l) {
    for (const NamedEvent& e : events_of(*opened.trace, l)) {
      if (e.name == name && e.event.correlation == correlation) found.push_back(e.event);
    }
  }
  EXPECT_EQ(found.size(), 1u) << name << " " << correlation;
  return found.empty() ? Event{} : found.front();
}

inline std::vector<NamedEvent> events_on(const OpenedTrace& opened, LaneKind kind) {
  std::vector<NamedEvent> events;
  for (std::size_t l = 0; l < opened.trace->lane_count(); ++l) {
    if (opened.trace->lane(static_cast<LaneId>(l)).info().kind != kind) continue;
    const auto some = events_of(*opened.trace, l);
    events.insert(events.end(), some.begin(), some.end());
  }
  return events;
}

inline std::string gzip(std::string_view bytes, int level = 6) {
  std::string out(compressBound(bytes.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.erase(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline void expect_parts(const Event& call, std::int64_t own, std::int64_t waiting, std::int64_t copying,
                         std::int64_t returning) {
  ASSERT_TRUE(trace::is_blocking(call));
  const trace::CallParts parts = trace::parts_of(call);
  EXPECT_EQ(parts.own, own * kUs);
  EXPECT_EQ(parts.waiting, waiting * kUs);
  EXPECT_EQ(parts.copying, copying * kUs);
  EXPECT_EQ(parts.returning, returning * kUs);
}

}  // namespace lanescope::io
