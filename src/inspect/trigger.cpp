#include "inspect/trigger.h"

#include <algorithm>
#include <set>

#include "analysis/event_query.h"
#include "base/translate.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::EventIndex;
using trace::LaneId;
using trace::LaneKind;

constexpr Nanoseconds kEver = std::numeric_limits<Nanoseconds>::min();
constexpr std::size_t kLeastPerRow = 1000;  // minimum part of the limit for each row

bool has_names(LaneKind kind) {
  return trace::is_cpu_lane(kind) || kind == LaneKind::Kernels || kind == LaneKind::GpuRanges;
}

bool may_fire(LaneKind kind, TriggerSource source) {
  switch (source) {
    case TriggerSource::Iteration:
      return kind == LaneKind::Iterations;
    case TriggerSource::Name:
      return has_names(kind);
    case TriggerSource::LongWait:
      return kind == LaneKind::Calls || kind == LaneKind::Phases;
  }
  return false;
}

const trace::Coverage* bursts_of(const trace::Trace& trace, std::int64_t pid) {
  const trace::Coverage& coverage = trace.coverage(pid);
  return coverage.bursts().period_ns > 0 ? &coverage : nullptr;
}

// The candidates of one row, newest first.
class Candidates {
 public:
  /// `bursts`: of the row's process; null if it is not recorded in bursts.
  Candidates(const trace::Row& row, LaneKind kind, const trace::Coverage* bursts, const TriggerSettings& settings,
             trace::NameId name, Nanoseconds from, Nanoseconds to, std::size_t limit)
      : row_(&row),
        kind_(kind),
        bursts_(bursts),
        settings_(&settings),
        name_(name),
        from_(from),
        left_(limit),
        first_(row.first()) {
    const EventIndex last = row.last();
    at_ = first_ == last ? last : row.first_starting_at_or_after(to == kAlways ? to : to + 1, first_, last);
    next();
  }
  /// The current candidate; empty if the row has no more.
  const std::optional<Nanoseconds>& instant() const { return instant_; }
  /// Events older than the last candidate have not been examined.
  bool gave_up() const { return gave_up_ && found_; }

  void next() {
    instant_.reset();
    while (at_ > first_) {
      if (left_ == 0) {
        gave_up_ = true;
        return;
      }
      --left_;
      if (skip()) continue;
      --at_;
      const Nanoseconds start = row_->start(at_);
      if (start < from_) {
        at_ = first_;
        return;
      }
      if (!fires(start)) continue;
      instant_ = start;
      found_ = true;
      return;
    }
  }

 private:
  static constexpr Nanoseconds kAlways = std::numeric_limits<Nanoseconds>::max();

  // The sums of a row show for many events at once that none of them waits long.
  bool skip() {
    if (settings_->source != TriggerSource::LongWait) return false;
    for (const EventIndex many : {EventIndex{trace::kBlockEvents}, EventIndex{trace::kBusyStep}}) {
      if (at_ % many != 0 || at_ - first_ < many) continue;
      const Nanoseconds sum =
          kind_ == LaneKind::Calls ? row_->wait_ns(at_ - many, at_) : row_->busy_ns(at_ - many, at_);
      if (sum > settings_->wait_over_ns) continue;
      at_ -= many;
      return true;
    }
    return false;
  }

  bool fires(Nanoseconds start) const {
    switch (settings_->source) {
      case TriggerSource::Iteration:
        return !bursts_ || bursts_->recorded(start);
      case TriggerSource::Name:
        return row_->untimed_event(at_).name == name_;
      case TriggerSource::LongWait:
        if (row_->end(at_) - start <= settings_->wait_over_ns) return false;
        const trace::Event event = row_->event(at_);
        return trace::is_host_wait(event) || trace::parts_of(event).waiting > settings_->wait_over_ns;
    }
    return false;
  }

  const trace::Row* row_;
  LaneKind kind_;
  const trace::Coverage* bursts_;
  const TriggerSettings* settings_;
  trace::NameId name_;
  Nanoseconds from_;
  std::size_t left_;
  EventIndex first_, at_ = 0;  // candidates are before at_
  std::optional<Nanoseconds> instant_;
  bool gave_up_ = false, found_ = false;
};

// The candidates of all rows, merged newest first with a heap.
class MergedCandidates {
 public:
  MergedCandidates(const trace::Trace& trace, const TriggerSettings& settings, Nanoseconds from, Nanoseconds to,
                   std::size_t limit) {
    const trace::NameId name = trace.names().find(settings.name);
    if (settings.source == TriggerSource::Name && name == base::NameTable::kEmpty) return;
    std::vector<std::pair<const trace::Row*, const trace::LaneInfo*>> rows;
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
      if (!may_fire(lane.info().kind, settings.source)) continue;
      for (std::size_t r = 0; r < lane.row_count(); ++r) rows.emplace_back(&lane.row(r), &lane.info());
    }
    const std::size_t each = std::max(std::min(limit, kLeastPerRow), limit / std::max<std::size_t>(1, rows.size()));
    for (const auto& [row, lane] : rows) {
      keep({*row, lane->kind, bursts_of(trace, lane->pid), settings, name, from, to, each});
    }
  }

  std::optional<Nanoseconds> next() {
    if (heap_.empty()) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), older);
    Candidates newest = heap_.back();
    heap_.pop_back();
    const Nanoseconds instant = *newest.instant();
    newest.next();
    // A row that has not been searched further may have fired before this: what follows would not be the newest.
    if (!newest.instant() && newest.gave_up()) {
      heap_.clear();
    } else {
      keep(newest);
    }
    return instant;
  }

 private:
  static bool older(const Candidates& a, const Candidates& b) { return *a.instant() < *b.instant(); }
  void keep(const Candidates& candidates) {
    if (!candidates.instant()) return;
    heap_.push_back(candidates);
    std::push_heap(heap_.begin(), heap_.end(), older);
  }

  std::vector<Candidates> heap_;
};

LaneKind shown_kind(LaneKind kind) {
  return kind == LaneKind::Calls || kind == LaneKind::Kernels ? kind : LaneKind::Phases;
}

int place_of(LaneKind kind) { return kind == LaneKind::Calls ? 0 : kind == LaneKind::Phases ? 1 : 2; }

}  // namespace

std::vector<Nanoseconds> newest_triggers(const trace::Trace& trace, const TriggerSettings& settings, Nanoseconds from,
                                         Nanoseconds to, std::size_t most, std::size_t limit) {
  const trace::Trace::ReadLock lock(trace);
  MergedCandidates candidates(trace, settings, from, to, limit);
  std::vector<Nanoseconds> found;  // newest first, like everything here
  // Candidates each less than a hold-off after the one before. Before such a burst the trigger is ready in any case, so
  // each burst can be resolved by itself.
  std::vector<Nanoseconds> burst;
  std::vector<Nanoseconds> fired;
  const auto settle = [&] {
    fired.clear();
    for (auto t = burst.rbegin(); t != burst.rend(); ++t) {
      if (fired.empty() || *t - fired.back() >= settings.hold_off_ns) fired.push_back(*t);
    }
    found.insert(found.end(), fired.rbegin(), fired.rend());
    burst.clear();
  };
  while (const auto t = candidates.next()) {
    if (!burst.empty()) {
      if (*t == burst.back()) continue;
      if (burst.back() - *t >= settings.hold_off_ns) {
        settle();
        if (found.size() >= most) break;
      }
    }
    burst.push_back(*t);
  }
  if (found.size() < most) settle();
  if (found.size() > most) found.resize(most);
  std::reverse(found.begin(), found.end());
  return found;
}

Nanoseconds burst_period(const trace::Trace& trace) {
  Nanoseconds longest = 0;
  for (std::size_t c = 0; c < trace.coverage_count(); ++c) {
    longest = std::max(longest, trace.coverage(trace.covered_pid(c)).bursts().period_ns);
  }
  return longest;
}

void TriggerWatch::look(const trace::Trace& trace, const TriggerSettings& settings, Nanoseconds to) {
  if (!fired_.empty() && to <= fired_.back()) {
    if (to >= fired_.front()) return;
    fired_.clear();
  }
  // The last trigger is found again, because the hold-off counts from it.
  const Nanoseconds from = fired_.empty() ? kEver : fired_.back();
  for (const Nanoseconds t : newest_triggers(trace, settings, from, to, kKept)) {
    if (fired_.empty() || t > fired_.back()) fired_.push_back(t);
  }
  if (fired_.size() > kKept) fired_.erase(fired_.begin(), fired_.end() - kKept);
}

std::optional<Nanoseconds> TriggerWatch::newest_until(Nanoseconds t) const {
  const auto after = std::upper_bound(fired_.begin(), fired_.end(), t);
  return after == fired_.begin() ? std::nullopt : std::optional(*std::prev(after));
}

std::optional<Nanoseconds> TriggerWatch::newest_until(Nanoseconds t, const trace::Trace& trace,
                                                      Nanoseconds recorded_for) const {
  constexpr std::ptrdiff_t kLookedAt = 64;
  const std::optional<Nanoseconds> newest = newest_until(t);
  if (!newest || !trace.recorded_in_parts()) return newest;
  const trace::Trace::ReadLock lock(trace);
  const auto all_recorded = [&](Nanoseconds from) {
    for (std::size_t c = 0; c < trace.coverage_count(); ++c) {
      const trace::Coverage* bursts = bursts_of(trace, trace.covered_pid(c));
      if (bursts && bursts->recorded_ns(from, from + recorded_for) < recorded_for) return false;
    }
    return true;
  };
  const auto after = std::upper_bound(fired_.begin(), fired_.end(), t);
  const auto oldest = after - std::min(kLookedAt, after - fired_.begin());
  for (auto at = after; at != oldest;) {
    if (all_recorded(*--at)) return *at;
  }
  return newest;
}

std::vector<TriggerName> trigger_names(const trace::Trace& trace, std::size_t per_row) {
  const trace::Trace::ReadLock lock(trace);
  std::set<std::pair<int, trace::NameId>> seen;
  for (const auto& [row, first, last, kind, lane, number] : analysis::event_sources(trace, {})) {
    if (!has_names(kind) || kind == LaneKind::Iterations) continue;
    const int place = place_of(shown_kind(kind));
    const EventIndex begin = last - first > per_row ? last - per_row : first;
    for (EventIndex i = begin; i < last; ++i) seen.emplace(place, row->untimed_event(i).name);
    // An odd stride, so that the samples do not all hit the same place in a loop's body.
    const EventIndex stride = std::max<EventIndex>(1, (begin - first) / std::max<std::size_t>(1, per_row)) | 1;
    for (EventIndex i = first; i < begin; i += stride) seen.emplace(place, row->untimed_event(i).name);
  }
  constexpr LaneKind kKinds[] = {LaneKind::Calls, LaneKind::Phases, LaneKind::Kernels};
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [place, name] : seen) sorted.emplace_back(place, trace.names().text(name));
  std::sort(sorted.begin(), sorted.end());
  std::vector<TriggerName> names;
  for (auto& [place, name] : sorted) names.push_back({kKinds[place], std::move(name)});
  return names;
}

std::string trigger_text(const TriggerSettings& settings) {
  switch (settings.source) {
    case TriggerSource::Name:
      return settings.name.empty() ? tr("choose a name") : settings.name;
    case TriggerSource::LongWait:
      return tr("wait > {}", base::format_duration(settings.wait_over_ns));
    default:
      return tr("iteration start");
  }
}

std::string no_trigger_text(const TriggerSettings& settings) {
  switch (settings.source) {
    case TriggerSource::Name:
      if (settings.name.empty()) return tr("no name is chosen");
      return tr("no {}", settings.name);
    case TriggerSource::LongWait:
      return tr("no wait longer than {}", base::format_duration(settings.wait_over_ns));
    default:
      return tr("no iteration");
  }
}

std::vector<Nanoseconds> time_steps(Nanoseconds least, Nanoseconds most) {
  std::vector<Nanoseconds> steps;
  for (Nanoseconds power = 1; power <= most; power *= 10) {
    for (const Nanoseconds times : {1, 2, 5}) {
      if (times * power >= least && times * power <= most) steps.push_back(times * power);
    }
  }
  return steps;
}

}  // namespace lanescope::ui
