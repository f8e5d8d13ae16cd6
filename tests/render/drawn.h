// What the tests of rows and of the timeline share: small contexts, and finding things in a batch.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace_builder.h"
#include "ui/rows/row.h"

namespace lanescope::ui {

using analysis_test::TraceBuilder;
using trace::EventIndex;
using trace::LaneId;
using trace::LaneKind;

inline constexpr Nanoseconds kAllKnown = Nanoseconds{1} << 60;  ///< later than any test has events

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

/// The first label that contains `part`; a test failure and an empty one without.
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

/// Left and right edges, to be compared as a whole.
inline std::vector<std::pair<float, float>> edges(const std::vector<Span>& spans) {
  std::vector<std::pair<float, float>> result;
  for (const Span& span : spans) result.emplace_back(span.x0, span.x1);
  return result;
}

}  // namespace lanescope::ui
