// Common code of the tests of rows and of the timeline: small contexts, and searches in a batch.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/builders.h"
#include "timeline/lane_row.h"
#include "timeline/theme.h"

namespace lanescope::ui {

using analysis_test::Finished;
using analysis_test::TraceBuilder;
using trace::EventIndex;
using trace::LaneId;
using trace::LaneKind;

inline constexpr Nanoseconds kAllKnown = Nanoseconds{1} << 60;  ///< later than any test has events

/// Of what is drawn of a trace.
class DrawnTrace : public testing::Test {
 protected:
  trace::Trace trace;
  TraceBuilder build{trace};
  const Theme& colours = theme(ThemeName::Dark);
};

inline trace::LaneInfo cpu(LaneKind kind, std::string name, std::int64_t tid, std::int64_t pid = 5,
                           std::string process = "python3") {
  trace::LaneInfo info;
  info.kind = kind;
  info.name = std::move(name);
  info.process = std::move(process);
  info.pid = pid;
  info.tid = tid;
  return info;
}

inline trace::LaneInfo gpu(LaneKind kind, std::string name, std::int32_t device, std::int32_t stream) {
  trace::LaneInfo info;
  info.kind = kind;
  info.name = std::move(name);
  info.process = "python3";
  info.device = device;
  info.stream = stream;
  return info;
}

/// The share of [first, last) of a row of calls, in time, that is waiting, copying or returning.
inline double wait_share(const trace::Row& row, EventIndex first, EventIndex last) {
  const Nanoseconds span = row.end(last - 1) - row.start(first);
  return span > 0 ? static_cast<double>(row.wait_ns(first, last)) / static_cast<double>(span) : 0;
}

inline std::vector<Span> spans_of(const SpanBatch& batch, SpanStyle style) {
  std::vector<Span> found;
  for (const Span& span : batch.spans) {
    if (span.style == style) found.push_back(span);
  }
  return found;
}

inline std::vector<Span> spans_filled(const SpanBatch& batch, std::uint32_t colour) {
  std::vector<Span> found;
  for (const Span& span : batch.spans) {
    if (span.style == SpanStyle::Solid && span.colour == colour) found.push_back(span);
  }
  return found;
}

inline std::vector<std::string> texts(const SpanBatch& batch) {
  std::vector<std::string> found;
  for (const Label& label : batch.labels) found.push_back(label.text);
  return found;
}

/// The first label that contains `part`; without one, a test failure and an empty label.
inline Label label_with(const SpanBatch& batch, std::string_view part) {
  for (const Label& label : batch.labels) {
    if (label.text.find(part) != std::string::npos) return label;
  }
  ADD_FAILURE() << "no label with '" << part << "'";
  return {};
}

inline bool has_label(const SpanBatch& batch, std::string_view part) {
  for (const Label& label : batch.labels) {
    if (label.text.find(part) != std::string::npos) return true;
  }
  return false;
}

inline std::vector<std::uint32_t> colours_of(const std::vector<Span>& spans) {
  std::vector<std::uint32_t> found;
  for (const Span& span : spans) found.push_back(span.colour);
  return found;
}

/// The left and right edges, for comparing them together.
inline std::vector<std::pair<float, float>> edges(const std::vector<Span>& spans) {
  std::vector<std::pair<float, float>> result;
  for (const Span& span : spans) result.emplace_back(span.x0, span.x1);
  return result;
}

}  // namespace lanescope::ui
