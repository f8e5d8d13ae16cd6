#include "inspect/locate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

namespace lanescope::ui {
namespace {

using trace::LaneKind;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

bool is_transfer(const trace::Event& call, const base::NameTable& names) {
  if (call.kind != trace::EventKind::Call) return false;
  const std::string_view name = names.text(call.name);
  return trace::is_sync(call) || name.starts_with("cudaMemcpy") || name.starts_with("cuMemcpy") ||
         name.starts_with("hipMemcpy");
}

bool CodeLocator::program_lane(trace::LaneId lane) const {
  const trace::LaneInfo& info = trace_.lane(lane).info();
  for (std::size_t l = 0; l < trace_.lane_count(); ++l) {
    const trace::LaneInfo& other = trace_.lane(static_cast<trace::LaneId>(l)).info();
    if (other.kind == LaneKind::Iterations && other.pid == info.pid && other.tid == info.tid) return true;
  }
  return false;
}

Nanoseconds CodeLocator::iteration_begin(Nanoseconds t) const {
  Nanoseconds begin = std::numeric_limits<Nanoseconds>::min();
  for_rows(
      trace_, [](LaneKind kind) { return kind == LaneKind::Iterations; },
      [&](trace::LaneId, std::size_t, const trace::Row& row) {
        const trace::EventIndex first = row.first(), last = row.last();
        const trace::EventIndex i = row.first_ending_after(t, first, last);
        if (i < last && row.start(i) <= t) {
          begin = std::max(begin, row.start(i));
        } else if (i > first) {
          begin = std::max(begin, row.end(i - 1));  // an event still in progress is not known before it ends
        }
      });
  return begin;
}

std::optional<std::size_t> CodeLocator::turn_of(std::string_view name, trace::NameId id, Nanoseconds start,
                                                bool transfer) const {
  const auto first = workload::statement_of(code_, name, 0, transfer);
  if (!first || first == workload::statement_of(code_, name, 1, transfer)) return first;
  const Nanoseconds from = iteration_begin(start);
  std::size_t before = 0;
  for (std::size_t l = 0; l < trace_.lane_count(); ++l) {
    const trace::Lane& lane = trace_.lane(static_cast<trace::LaneId>(l));
    if (lane.info().kind != LaneKind::Phases || !program_lane(static_cast<trace::LaneId>(l))) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const trace::EventIndex last = row.last();
      for (auto i = row.first_starting_at_or_after(from, row.first(), last); i < last && row.start(i) < start; ++i) {
        if (row.look(i).name == id) ++before;
      }
    }
  }
  return workload::statement_of(code_, name, before, transfer);
}

// Calls f(row, index) for the event that lasts at t on each row of the program's lanes of one kind.
template <typename F>
void CodeLocator::lasting_at(Nanoseconds t, LaneKind kind, F f) const {
  for (std::size_t l = 0; l < trace_.lane_count(); ++l) {
    const trace::Lane& lane = trace_.lane(static_cast<trace::LaneId>(l));
    if (lane.info().kind != kind || !program_lane(static_cast<trace::LaneId>(l))) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const trace::EventIndex last = row.last();
      const trace::EventIndex i = row.first_ending_after(t, row.first(), last);
      if (i < last && row.start(i) <= t) f(row, i);
    }
  }
}

bool CodeLocator::transfer_at(Nanoseconds t) const {
  bool found = false;
  lasting_at(t, LaneKind::Calls, [&](const trace::Row& row, trace::EventIndex i) {
    found = found || is_transfer(row.event(i), trace_.names());
  });
  return found;
}

std::optional<std::size_t> CodeLocator::around(Nanoseconds t, bool transfer) const {
  std::optional<std::size_t> found;
  Nanoseconds start = 0, end = 0;
  bool timed = false;
  lasting_at(t, LaneKind::Phases, [&](const trace::Row& row, trace::EventIndex i) {
    // A stopwatch is around what it times, even if both begin and end together.
    const bool alike = found && row.start(i) == start && row.end(i) == end;
    const bool inner =
        !found || row.start(i) > start || (row.start(i) == start && row.end(i) < end) || (alike && timed);
    if (!inner) return;
    const trace::NameId id = row.look(i).name;
    const auto statement = turn_of(trace_.names().text(id), id, row.start(i), transfer);
    if (!statement) return;
    found = statement;
    start = row.start(i);
    end = row.end(i);
    timed = trace::range_kind_of(row.event(i)) == trace::RangeKind::Timed;
  });
  return found;
}

std::optional<std::size_t> CodeLocator::at(Nanoseconds t) const {
  const trace::Trace::ReadLock lock(trace_);
  return around(t, transfer_at(t));
}

std::optional<std::size_t> CodeLocator::newest(Nanoseconds t) const {
  const trace::Trace::ReadLock lock(trace_);
  Nanoseconds newest = std::numeric_limits<Nanoseconds>::min();
  for (std::size_t l = 0; l < trace_.lane_count(); ++l) {
    const trace::Lane& lane = trace_.lane(static_cast<trace::LaneId>(l));
    if (lane.info().kind != LaneKind::Phases || !program_lane(static_cast<trace::LaneId>(l))) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const trace::EventIndex i = row.first_ending_after(t, row.first(), row.last());
      if (i > row.first()) newest = std::max(newest, row.end(i - 1));
    }
  }
  return newest == std::numeric_limits<Nanoseconds>::min() ? std::nullopt : around(newest - 1, transfer_at(newest - 1));
}

std::optional<std::size_t> CodeLocator::of(const EventRef& ref) const {
  const trace::Event& event = ref.event;
  if (trace::is_gpu_work(event.kind)) {
    const auto call = links_ != nullptr ? links_->call_of(ref) : std::nullopt;
    return call ? of(*call) : std::nullopt;
  }
  const LaneKind kind = trace_.lane(ref.lane).info().kind;
  const trace::Trace::ReadLock lock(trace_);
  if (kind == LaneKind::Calls) {
    return program_lane(ref.lane) ? around(event.start_ns, is_transfer(event, trace_.names())) : std::nullopt;
  }
  if (kind != LaneKind::Phases) return std::nullopt;
  const std::string_view name = trace_.names().text(event.name);
  if (!program_lane(ref.lane)) return workload::statement_of(code_, name);
  if (const auto own = turn_of(name, event.name, event.start_ns, false)) return own;
  return around(event.start_ns, false);
}

std::vector<CodeChange> changes(std::span<const Statement> before, std::span<const Statement> after) {
  std::vector<CodeChange> found;
  if (before.empty()) return found;
  std::vector<bool> taken(before.size(), false);
  std::vector<std::size_t> odd;
  const auto same = [](const Statement& a, const Statement& b) { return a.text == b.text && a.indent == b.indent; };
  for (std::size_t i = 0; i < after.size(); ++i) {
    std::size_t j = 0;
    while (j < before.size() && (taken[j] || !same(before[j], after[i]))) ++j;
    if (j < before.size()) {
      taken[j] = true;
    } else {
      odd.push_back(i);
    }
  }
  for (const std::size_t i : odd) {
    const std::string& now = after[i].text;
    CodeChange change{i, 0, now.size()};
    std::size_t longest = 0;
    for (std::size_t j = 0; j < before.size(); ++j) {
      if (taken[j] || before[j].ranges != after[i].ranges || before[j].indent != after[i].indent) continue;
      const std::string& old = before[j].text;
      const std::size_t most = std::min(now.size(), old.size());
      std::size_t front = 0, back = 0;
      while (front < most && now[front] == old[front]) ++front;
      while (back < most - front && now[now.size() - 1 - back] == old[old.size() - 1 - back]) ++back;
      if (2 * (front + back) < most || front + back <= longest) continue;  // a different line altogether
      longest = front + back;
      // Extend to whole words and numbers: a change from 10 to 100 is more than an added 0.
      while (front > 0 && is_word(now[front - 1]) && is_word(front < now.size() ? now[front] : ' ')) --front;
      while (front > 0 && is_word(now[front - 1]) && front + back >= now.size()) --front;
      while (back > 0 && is_word(now[now.size() - back]) && is_word(now[now.size() - back - 1])) --back;
      change.begin = front;
      change.length = std::max<std::size_t>(now.size() - back > front ? now.size() - back - front : 0, 1);
    }
    found.push_back(change);
  }
  return found;
}

std::string statement_key(std::span<const Statement> code, std::size_t line) {
  const Statement& s = code[line];
  if (s.ranges.empty()) return {};
  std::size_t nth = 0;
  for (std::size_t i = 0; i < line; ++i) {
    if (code[i].ranges == s.ranges && code[i].transfers == s.transfers) ++nth;
  }
  return s.ranges.front() + (s.transfers ? "\nreads" : "") + "\n" + std::to_string(nth);
}

std::vector<CodeToken> tokens(const Statement& statement) {
  static constexpr std::array<std::string_view, 32> kKeywords{
      "for",  "in",    "if",    "while", "def",   "return",   "with", "range", "else",   "elif",    "import",
      "from", "as",    "class", "try",   "not",   "except",   "and",  "or",    "is",     "finally", "lambda",
      "del",  "yield", "async", "await", "break", "continue", "pass", "raise", "assert", "global"};
  const std::string& text = statement.text;
  const std::size_t end = std::min(text.find("# "), text.size());
  std::vector<CodeToken> all;
  const auto add = [&](CodeToken::Kind kind, std::size_t begin, std::size_t length) {
    if (length == 0) return;
    if (!all.empty() && all.back().kind == kind) {
      all.back().length += length;
    } else {
      all.push_back({kind, begin, length});
    }
  };
  for (std::size_t i = 0; i < end;) {
    const auto knob = std::find_if(statement.knobs.begin(), statement.knobs.end(),
                                   [&](const Statement::KnobText& k) { return k.begin == i && k.length > 0; });
    if (knob != statement.knobs.end()) {
      add(CodeToken::Kind::Knob, i, knob->length);
      i += knob->length;
      continue;
    }
    std::size_t next = i + 1;
    if (is_word(text[i])) {
      while (next < end && is_word(text[next])) ++next;
    }
    const std::string_view word(text.data() + i, next - i);
    const bool keyword = std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
    add(keyword ? CodeToken::Kind::Keyword : CodeToken::Kind::Plain, i, next - i);
    i = next;
  }
  add(CodeToken::Kind::Comment, end, text.size() - end);
  return all;
}

}  // namespace lanescope::ui
