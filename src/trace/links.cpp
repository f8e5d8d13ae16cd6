#include "trace/links.h"

#include <algorithm>
#include <unordered_set>

namespace lanescope::trace {

// --- one row ---------------------------------------------------------------------------------------------------------

void Links::RowSpans::add(EventIndex i, std::uint32_t correlation) {
  const auto grow = [&](std::vector<Span>& spans, EventIndex step) -> Span& {
    const std::size_t place = (i - base) / step;
    if (place >= spans.size()) spans.resize(place + 1);
    return spans[place];
  };
  Span& one = grow(fine, kFine);
  Span& more = grow(middle, kMiddle);
  Span& most = grow(coarse, kCoarse);
  if (correlation == 0) return;
  one.add(correlation);
  more.add(correlation);
  most.add(correlation);
}

// Done only now and then, so that the cost of moving the rest stays below that of what is removed.
void Links::RowSpans::forget(EventIndex before) {
  if (before >= base + coarse.size() * kCoarse) {
    fine = middle = coarse = {};
    base = before / kCoarse * kCoarse;
    return;
  }
  const EventIndex gone = (before - base) / kCoarse;
  if (gone == 0 || gone * 2 < coarse.size()) return;
  const auto drop = [gone](std::vector<Span>& spans, EventIndex each) {
    const auto count = std::min<EventIndex>(gone * each, spans.size());
    spans.erase(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(count));
    spans.shrink_to_fit();
  };
  drop(coarse, 1);
  drop(middle, kCoarse / kMiddle);
  drop(fine, kCoarse / kFine);
  base += gone * kCoarse;
}

EventIndex Links::RowSpans::first() const { return std::min(read, std::max(base, row->first())); }

/// Calls visit(index) for events with this correlation, starting at `from`, until it returns false. Reads at most
/// `limit` events.
template <class Visit>
void Links::RowSpans::forward(EventIndex from, std::uint32_t correlation, std::size_t limit, Visit visit) const {
  const auto skips = [&](const Span& span) { return !span.may_hold(correlation, correlation); };
  for (EventIndex i = std::max(from, first()); i < read;) {
    if (i % kCoarse == 0 && skips(coarse_at(i))) {
      i += kCoarse;
    } else if (i % kMiddle == 0 && skips(middle_at(i))) {
      i += kMiddle;
    } else if (skips(fine_at(i))) {
      i = (i / kFine + 1) * kFine;
    } else {
      const EventIndex end = std::min(read, (i / kFine + 1) * kFine);
      for (; i < end; ++i) {
        if (limit-- == 0) return;
        if (row->correlation(i) == correlation && !visit(i)) return;
      }
    }
  }
}

/// The last event before `before` with this correlation.
std::optional<EventIndex> Links::RowSpans::backward(EventIndex before, std::uint32_t correlation,
                                                    std::size_t limit) const {
  const auto skips = [&](const Span& span) { return !span.may_hold(correlation, correlation); };
  const EventIndex least = first();
  for (EventIndex i = std::min(before, read); i > least;) {
    if (i % kCoarse == 0 && skips(coarse_at(i - 1))) {
      i -= kCoarse;
    } else if (i % kMiddle == 0 && skips(middle_at(i - 1))) {
      i -= kMiddle;
    } else if (skips(fine_at(i - 1))) {
      i = (i - 1) / kFine * kFine;
    } else {
      const EventIndex begin = std::max(least, (i - 1) / kFine * kFine);
      while (i > begin) {
        if (limit-- == 0) return std::nullopt;
        if (row->correlation(--i) == correlation) return i;
      }
    }
  }
  return std::nullopt;
}

// --- all rows --------------------------------------------------------------------------------------------------------

Links::Links(const Trace& trace) : trace_(trace), owners_(trace) {}

void Links::find_rows() {
  owners_.refresh();
  const std::size_t count = trace_.lane_count();
  rows_seen_.resize(count);
  for (std::size_t l = 0; l < count; ++l) {
    const auto id = static_cast<LaneId>(l);
    const Lane& lane = trace_.lane(id);
    const bool calls = lane.info().kind == LaneKind::Calls;
    if (!calls && !is_gpu_work_lane(lane.info().kind)) continue;
    for (const std::size_t rows = lane.row_count(); rows_seen_[l] < rows; ++rows_seen_[l]) {
      RowSpans spans;
      spans.row = &lane.row(rows_seen_[l]);
      spans.lane = id;
      spans.number = rows_seen_[l];
      spans.base = spans.row->first() / kCoarse * kCoarse;
      (calls ? calls_ : operations_).push_back(std::move(spans));
    }
  }
}

bool Links::update(std::size_t most) {
  find_rows();
  bool all = true;
  for (std::vector<RowSpans>* rows : {&calls_, &operations_}) {
    for (RowSpans& spans : *rows) {
      const Trace::ReadLock lock(trace_);
      const EventIndex first = spans.row->first(), last = spans.row->last();
      if (first > spans.base) spans.forget(first);
      const EventIndex begin = std::max(spans.read, first);
      const EventIndex end = begin + std::min<EventIndex>(last - std::min(begin, last), most);
      for (EventIndex i = begin; i < end; ++i) spans.add(i, spans.row->correlation(i));
      most -= end - begin;
      spans.read = end;
      all = all && end == last;
    }
  }
  return all;
}

template <class F>
void Links::for_calls_of(ProcessNumber process, F f) const {
  for (const RowSpans& spans : calls_)
    if (owners_.process_of(spans.lane) == process) f(spans);
}

template <class F>
void Links::for_operations_of(ProcessNumber process, F f) const {
  for (const RowSpans& spans : operations_)
    if (owners_.process_of(spans.lane) == process) f(spans);
}

std::optional<EventRef> Links::call_of(LaneId lane, const Event& operation, std::size_t limit) const {
  if (operation.correlation == 0) return std::nullopt;
  const Trace::ReadLock lock(trace_);
  std::optional<EventRef> found;
  for_calls_of(owners_.process_of(lane), [&](const RowSpans& spans) {
    const Row& row = *spans.row;
    EventIndex before = row.first_starting_at_or_after(operation.end_ns, spans.first(), spans.read);
    while (const auto i = spans.backward(before, operation.correlation, limit)) {
      before = *i;
      const EventRef call = event_ref(spans.lane, spans.number, row, *i);
      if (call.event.kind != EventKind::Call) continue;
      const bool newer = found && call.event.start_ns >= found->event.end_ns;
      const bool around =
          found && call.event.start_ns <= found->event.start_ns && call.event.end_ns >= found->event.end_ns;
      if (!found || newer || around) found = call;
      return;
    }
  });
  return found;
}

/// When the correlation number is reused after this call.
Nanoseconds Links::next_use(LaneId lane, const Event& call, std::size_t limit) const {
  Nanoseconds next = std::numeric_limits<Nanoseconds>::max();
  for_calls_of(owners_.process_of(lane), [&](const RowSpans& spans) {
    const Row& row = *spans.row;
    const Nanoseconds from = std::max(call.end_ns, call.start_ns + 1);
    spans.forward(row.first_starting_at_or_after(from, spans.first(), spans.read), call.correlation, limit,
                  [&](EventIndex i) {
                    if (row.untimed_event(i).kind != EventKind::Call) return true;
                    next = std::min(next, row.start(i));
                    return false;
                  });
  });
  return next;
}

std::vector<EventRef> Links::operations_of(LaneId lane, const Event& call, std::size_t most, std::size_t limit) const {
  std::vector<EventRef> found;
  if (call.correlation == 0) return found;
  const Trace::ReadLock lock(trace_);
  const Nanoseconds next = next_use(lane, call, limit);
  for_operations_of(owners_.process_of(lane), [&](const RowSpans& spans) {
    const Row& row = *spans.row;
    std::size_t count = 0;
    // An operation cannot end before its call began.
    spans.forward(row.first_ending_after(call.start_ns, spans.first(), spans.read), call.correlation, limit,
                  [&](EventIndex i) {
                    if (row.start(i) >= next) return false;
                    found.push_back(event_ref(spans.lane, spans.number, row, i));
                    return ++count < most;
                  });
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const EventRef& a, const EventRef& b) { return a.event.start_ns < b.event.start_ns; });
  if (found.size() > most) found.resize(most);
  return found;
}

std::optional<EventRef> Links::operation_of(LaneId lane, const Event& call, std::size_t limit) const {
  const std::vector<EventRef> first = operations_of(lane, call, 1, limit);
  return first.empty() ? std::nullopt : std::optional(first.front());
}

std::optional<EventRef> Links::waited_for(LaneId lane, const Event& call) const {
  if (!is_blocking(call)) return std::nullopt;
  const Trace::ReadLock lock(trace_);
  const Nanoseconds wait_end = call.end_ns - parts_of(call).returning;
  std::optional<EventRef> found;
  for_operations_of(owners_.process_of(lane), [&](const RowSpans& spans) {
    const Row& row = *spans.row;
    const EventIndex first = spans.first();
    const EventIndex after = row.first_ending_after(wait_end, first, spans.read);
    if (after == first || row.end(after - 1) <= call.start_ns) return;
    if (found && found->event.end_ns >= row.end(after - 1)) return;
    found = event_ref(spans.lane, spans.number, row, after - 1);
  });
  return found;
}

std::vector<EventRun> Links::issued_in(LaneId lane, Nanoseconds from, Nanoseconds to) const {
  constexpr std::size_t kMostExact = 16'384;
  const Trace::ReadLock lock(trace_);
  const LaneInfo& owner = trace_.lane(lane).info();
  Span numbers;
  std::unordered_set<std::uint32_t> exactly;
  bool exact = true;
  for_calls_of(owners_.process_of(lane), [&](const RowSpans& spans) {
    if (trace_.lane(spans.lane).info().tid != owner.tid) return;
    EventIndex i = spans.row->first_starting_at_or_after(from, spans.first(), spans.read);
    const EventIndex end = spans.row->first_starting_at_or_after(to, i, spans.read);
    exact = exact && exactly.size() + (end - i) <= kMostExact;
    const auto take = [&](const Span& span) {
      if (span.least <= span.most) numbers.add(span.least), numbers.add(span.most);
    };
    while (i < end) {
      if (!exact && i % kCoarse == 0 && i + kCoarse <= end) {
        take(spans.coarse_at(i));
        i += kCoarse;
      } else if (!exact && i % kFine == 0 && i + kFine <= end) {
        take(spans.fine_at(i));
        i += kFine;
      } else if (const std::uint32_t correlation = spans.row->correlation(i++); correlation != 0) {
        numbers.add(correlation);
        if (exact) exactly.insert(correlation);
      }
    }
  });
  std::vector<EventRun> runs;
  if (numbers.least > numbers.most) return runs;
  for_operations_of(owners_.process_of(lane), [&](const RowSpans& spans) {
    const auto light = [&](EventIndex begin, EventIndex end) {
      const bool joins = !runs.empty() && runs.back().lane == spans.lane && runs.back().row == spans.number &&
                         runs.back().last == begin;
      if (joins) {
        runs.back().last = end;
      } else {
        runs.push_back({spans.lane, spans.number, begin, end});
      }
    };
    const auto skips = [&](const Span& span) { return !span.may_hold(numbers.least, numbers.most); };
    const auto whole = [&](const Span& span) { return !exact && span.within(numbers.least, numbers.most); };
    // Skips evicted events and stops at the last event read.
    const auto take = [&](EventIndex& i, EventIndex step, const Span& span) {
      const EventIndex end = std::min(spans.read, (i / step + 1) * step);
      if (whole(span)) {
        light(i, end);
      } else if (!skips(span)) {
        return false;
      }
      i = end;
      return true;
    };
    for (EventIndex i = spans.row->first_ending_after(from, spans.first(), spans.read); i < spans.read;) {
      if (i % kCoarse == 0 && take(i, kCoarse, spans.coarse_at(i))) continue;
      if (i % kMiddle == 0 && take(i, kMiddle, spans.middle_at(i))) continue;
      if (take(i, kFine, spans.fine_at(i))) continue;
      const EventIndex end = std::min(spans.read, (i / kFine + 1) * kFine);
      for (; i < end; ++i) {
        const std::uint32_t correlation = spans.row->correlation(i);
        const bool lit =
            exact ? exactly.contains(correlation) : correlation >= numbers.least && correlation <= numbers.most;
        if (lit) light(i, i + 1);
      }
    }
  });
  return runs;
}

std::size_t Links::memory_bytes() const {
  std::size_t bytes = 0;
  for (const std::vector<RowSpans>* rows : {&calls_, &operations_}) {
    for (const RowSpans& spans : *rows)
      bytes +=
          sizeof(RowSpans) + (spans.fine.capacity() + spans.middle.capacity() + spans.coarse.capacity()) * sizeof(Span);
  }
  return bytes;
}

}  // namespace lanescope::trace
