// What an export says of threads outside CUDA: NVTX ranges and marks, calls of the operating system. And metrics of
// GPUs.
#include <fmt/format.h>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "io/chrome_vocabulary.h"
#include "io/nsys_reader.h"

namespace lanescope::io::nsys {
namespace {

using sqlite::Rows;
using trace::Event;
using trace::EventKind;
using trace::LaneKind;

constexpr std::size_t kMaxSizesBytes = 2000;
constexpr std::size_t kMaxMetrics = 100'000;  // against hostile files

/// Ranges that are named like iterations, by the word. Loops nest ("step 3" in "iteration 1"): the iterations of the
/// trace are those of the outermost, which last longest together.
struct Loops {
  struct Range {
    Event event;
    std::int64_t thread = 0;
  };
  std::map<std::string, std::vector<Range>, std::less<>> by_word;

  void add(std::string_view word, const Range& range) {
    const auto known = by_word.find(word);
    (known != by_word.end() ? known->second : by_word[std::string(word)]).push_back(range);
  }
  std::string outermost() const {
    std::string longest;
    double most = -1;
    for (const auto& [word, ranges] : by_word) {
      double ns = 0;
      for (const Range& range : ranges) ns += static_cast<double>(range.event.duration());
      if (ns <= most) continue;
      most = ns;
      longest = word;
    }
    return longest;
  }
};

}  // namespace

void Reader::read_ranges() {
  enum Column : int { kStart, kEnd, kType, kTid, kText, kTextId };
  sqlite::RowsAhead rows(ahead_, "NVTX_EVENTS",
                         {"start", "end", "eventType", "globalTid", {"text", sqlite::As::Text}, "textId"}, threads_);
  // Ranges that need not nest would be drawn among those that do, and be taken for part of their hierarchy.
  const trace::NameId start_end = intern("start/end ranges");
  Loops loops;
  std::uint64_t ranges = 0, marks = 0, others = 0;
  std::string arguments;
  while (rows.next()) {
    passed_row();
    const NvtxKind kind = nvtx_kind(rows.integer(kType));
    const std::int64_t thread = rows.integer(kTid);
    const std::string_view text =
        rows.is_null(kText) ? out_.trace().names().text(name(rows.integer(kTextId))) : rows.text(kText);
    if (kind == NvtxKind::ThreadName) out_.name_thread(pid_of(thread), tid_of(thread), cut(text, 200));
    if (kind == NvtxKind::ThreadName || kind == NvtxKind::Other) {
      ++others;
      continue;
    }
    Event event;
    if (kind == NvtxKind::Mark) {
      event.kind = EventKind::Marker;
      const bool valid = rows.is_integer(kStart);
      const std::int64_t at = valid ? rows.integer(kStart) : std::numeric_limits<std::int64_t>::min();
      if (!out_.take_times(at, at, event) || !take_thread_lane(LaneKind::Markers, thread, 0, event)) continue;
      event.name = intern(text);
      out_.keep(event);
      ++marks;
      continue;
    }
    if (!take_times(rows, event)) continue;  // a range that never ended has no end
    if (const auto iteration = iteration_name(text)) {
      event.name = intern(text);
      event.a = iteration->number;
      loops.add(iteration->word, {event, thread});
      continue;
    }
    const OperatorRange range = operator_range(text);
    trace::set_range_kind(event,
                          range.is_operator ? trace::RangeKind::Operator : kind_of_foreign_range("", range.name));
    if (!take_thread_lane(LaneKind::Phases, thread, kind == NvtxKind::StartEnd ? start_end : 0, event)) continue;
    event.name = intern(range.name);
    trace::set_external_id(event, range.id);
    if (!range.sizes.empty()) {
      arguments = "\"sizes\":";
      base::append_json_string(arguments, cut(range.sizes, kMaxSizesBytes));
      trace::set_arguments(event, out_.number_of_arguments(arguments));
    }
    out_.keep(event);
    ++ranges;
  }
  const std::string outermost = loops.outermost();
  for (const auto& [word, found] : loops.by_word) {
    for (auto [event, thread] : found) {
      const bool iteration = word == outermost;
      trace::set_range_kind(event, iteration ? trace::RangeKind::Iteration : trace::RangeKind::Other);
      if (!iteration) event.a = 0;
      if (!take_thread_lane(iteration ? LaneKind::Iterations : LaneKind::Phases, thread, 0, event)) continue;
      out_.keep(event);
      ++ranges;
    }
  }
  count_read("nvtx_range", ranges);
  count_read("nvtx_mark", marks);
  count_skipped("nvtx_other", others);
}

void Reader::read_os_calls() {
  sqlite::RowsAhead rows(ahead_, "OSRT_API", {"start", "end", "globalTid", "nameId"}, threads_);
  const trace::NameId label = intern("OS calls");
  std::uint64_t calls = 0;
  while (rows.next()) {
    passed_row();
    Event event;
    if (!take_times(rows, event) || !take_thread_lane(LaneKind::Phases, rows.integer(2), label, event)) continue;
    event.name = name(rows.integer(3));
    out_.keep(event);
    ++calls;
  }
  count_read("os_runtime", calls);
}

void Reader::read_metrics() {
  enum Column : int { kTime, kType, kMetric, kValue };
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> titles;
  Rows infos(database_, "TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"});
  while (infos.next() && titles.size() < kMaxMetrics) {
    const std::int64_t gpu = infos.integer(0) & 0xFF;
    titles[{infos.integer(0), infos.integer(1)}] = fmt::format("GPU {}: {}", gpu, cut(infos.text(2), 200));
  }
  std::map<std::pair<std::int64_t, std::int64_t>, trace::NameId> labels;
  sqlite::RowsAhead rows(ahead_, "GPU_METRICS", {"timestamp", "typeId", "metricId", {"value", sqlite::As::Real}},
                         threads_);
  std::uint64_t samples = 0;
  while (rows.next()) {
    passed_row();
    const std::pair metric(rows.integer(kType), rows.integer(kMetric));
    const auto [label, added] = labels.try_emplace(metric, 0);
    if (added) {
      const auto title = titles.find(metric);
      label->second =
          intern(title != titles.end() ? title->second : fmt::format("GPU {}: {}", metric.first & 0xFF, metric.second));
    }
    Event event;
    event.kind = EventKind::Counter;
    const std::int64_t at = rows.is_integer(kTime) ? rows.integer(kTime) : std::numeric_limits<std::int64_t>::min();
    if (!out_.take_times(at, at, event)) continue;
    if (!out_.take_lane({LaneKind::Counter, metric.first & 0xFF, 0, 0, label->second}, event)) continue;
    event.name = label->second;
    trace::set_value(event, rows.real(kValue));
    out_.keep(event);
    ++samples;
  }
  count_read("gpu_metric", samples);
}

}  // namespace lanescope::io::nsys
