#include "timeline/average.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "timeline/lane_row.h"
#include "timeline/stalls.h"

namespace lanescope::ui {
namespace {

using trace::Event;
using trace::EventIndex;
using trace::LaneId;
using trace::LaneKind;

constexpr int kMostShift = 2;
// With this many events of a row in a window, columns are computed by searches instead of by visiting the events.
constexpr EventIndex kManyEvents = 8192;

// The GPU counts as idle if it is idle in at least this share of the pictures; otherwise show their shades.
constexpr double kIdleShare = 0.9;

bool has_row(LaneKind kind) {
  return trace::is_cpu_lane(kind) || trace::is_gpu_work_lane(kind) || kind == LaneKind::GpuRanges;
}

// An event of one window, in time order, counted from the first of its row and name that starts at the trigger.
struct AlignedEvent {
  Nanoseconds start = 0;
  int ordinal = 0;
  Event event;
  EventIndex index = 0;
};
using Sequences = std::map<std::pair<std::size_t, trace::NameId>, std::vector<AlignedEvent>>;

// Accumulates for how long something was true within each column: whole columns as steps up and down, the ends as
// fractions.
struct Cover {
  std::vector<double> steps, parts;

  void add(double from, double to) {
    const double columns = static_cast<double>(parts.size());
    from = std::max(from, 0.0);
    to = std::min(to, columns);
    if (from >= to) return;
    const auto first = static_cast<std::size_t>(from);
    const auto last = static_cast<std::size_t>(to);
    if (first == last) {
      parts[first] += to - from;
      return;
    }
    parts[first] += static_cast<double>(first + 1) - from;
    steps[first + 1] += 1;
    steps[last] -= 1;
    if (last < parts.size()) parts[last] += to - static_cast<double>(last);
  }
};

// An event that starts near the trigger may be before it in one window and after it in another, which would shift all
// numbers by one. So each window's events are numbered such that they are closest to those of the same name in the
// reference.
int best_shift(const std::vector<AlignedEvent>& seen, const std::vector<AlignedEvent>& reference) {
  int best = 0;
  double least = 0;
  bool known = false;
  for (int step = 0; step <= 2 * kMostShift; ++step) {
    const int shift = step % 2 ? (step + 1) / 2 : -step / 2;  // 0, 1, -1, 2, -2
    double sum = 0;
    std::size_t pairs = 0;
    auto other = reference.begin();
    for (const AlignedEvent& s : seen) {
      while (other != reference.end() && other->ordinal < s.ordinal + shift) ++other;
      if (other == reference.end()) break;
      if (other->ordinal != s.ordinal + shift) continue;
      sum += std::abs(static_cast<double>(s.start - other->start));
      ++pairs;
    }
    // A few pairs may be close by chance.
    if (pairs == 0 || 2 * pairs < std::min(seen.size(), reference.size())) continue;
    const double distance = sum / static_cast<double>(pairs);
    if (known && distance >= least) continue;
    known = true;
    least = distance;
    best = shift;
  }
  return best;
}

}  // namespace

double Spread::sd() const { return count < 2 ? 0 : std::sqrt(sum_of_squares / static_cast<double>(count - 1)); }

std::string mean_sd_text(const Spread& spread) {
  struct Unit {
    double ns;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
  const Unit* unit = std::find_if(std::begin(kUnits), std::end(kUnits) - 1,
                                  [&](const Unit& u) { return std::abs(spread.mean) >= u.ns; });
  const double mean = spread.mean / unit->ns;
  const int digits = unit->ns == 1 || mean >= 100 ? 0 : mean >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} ± {:.{}f} {}", mean, digits, spread.sd() / unit->ns, digits, unit->name);
}

// Accumulates the windows of one lane.
class AveragePicture::Adder {
 public:
  Adder(const trace::Trace& trace, LaneId lane, Nanoseconds before, Nanoseconds after, std::size_t columns)
      : trace_(trace),
        lane_(lane),
        kind_(trace.lane(lane).info().kind),
        before_(before),
        after_(after),
        columns_(columns),
        column_ns_(static_cast<double>(before + after) / static_cast<double>(columns)) {}

  // The first window becomes the reference.
  void add(Nanoseconds trigger) {
    const trace::Trace::ReadLock lock(trace_);
    const trace::Lane& lane = trace_.lane(lane_);
    const std::size_t rows = lane.row_count();
    if (rows_.size() < rows) rows_.resize(rows);
    std::vector<std::pair<EventIndex, EventIndex>> windows;
    EventIndex count = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      const trace::Row& row = lane.row(r);
      const EventIndex last = row.last();
      const EventIndex begin = row.first_ending_after(trigger - before_, row.first(), last);
      const EventIndex end = row.first_starting_at_or_after(trigger + after_, begin, last);
      windows.emplace_back(begin, end);
      count += end - begin;
    }
    dense_ = dense_ || count > kMostEvents;
    Sequences sequences;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto [begin, end] = windows[r];
      if (begin == end) continue;
      note_look(lane.row(r), begin, rows_[r]);
      if (end - begin > kManyEvents) {
        add_by_search(lane.row(r), begin, end, trigger, rows_[r]);
      } else {
        for (EventIndex i = begin; i < end; ++i) add_event(r, lane.row(r).event(i), i, trigger, sequences);
      }
    }
    if (!dense_) match(std::move(sequences));
  }

  LaneAverage finish(std::size_t windows) {
    LaneAverage result;
    result.thread = owner_of(trace_.lane(lane_).info());
    result.known = true;
    result.occupancy_only = dense_;
    const auto n = static_cast<double>(windows);
    for (Sums& sums : rows_) {
      RowAverage& row = result.rows.emplace_back();
      row.colour = sums.colour;
      row.hatched = sums.hatched;
      if (!sums.looked) continue;
      row.columns.resize(columns_);
      double busy = 0;
      double waiting = 0;
      for (std::size_t c = 0; c < columns_; ++c) {
        busy += sums.busy.steps[c];
        waiting += sums.waiting.steps[c];
        row.columns[c].busy = static_cast<float>(std::min(1.0, (busy + sums.busy.parts[c]) / n));
        row.columns[c].waiting = static_cast<float>(std::min(1.0, (waiting + sums.waiting.parts[c]) / n));
      }
    }
    if (!dense_) {
      for (auto& [key, event] : events_) result.events.push_back(std::move(event));
    }
    std::sort(result.events.begin(), result.events.end(), [](const AverageEvent& a, const AverageEvent& b) {
      return std::pair(a.row, a.start.mean) < std::pair(b.row, b.start.mean);
    });
    return result;
  }

 private:
  struct Sums {
    bool looked = false, hatched = false;
    Colour colour = Colour::Phase;
    Cover busy, waiting;
  };

  void note_look(const trace::Row& row, EventIndex i, Sums& sums) {
    if (sums.looked) return;
    const Event one = row.event(i);
    sums.looked = true;
    sums.colour = kind_ == LaneKind::Calls ? Colour::Launch : event_colour(kind_, one);
    sums.hatched = trace::is_host_wait(one);
    if (sums.hatched) sums.colour = Colour::LoaderWaitGround;
    for (Cover* cover : {&sums.busy, &sums.waiting}) {
      cover->steps.resize(columns_ + 1);
      cover->parts.resize(columns_);
    }
  }

  double column_of(Nanoseconds t, Nanoseconds trigger) const {
    return static_cast<double>(t - trigger + before_) / column_ns_;
  }

  void add_event(std::size_t r, const Event& event, EventIndex i, Nanoseconds trigger, Sequences& sequences) {
    rows_[r].busy.add(column_of(event.start_ns, trigger), column_of(event.end_ns, trigger));
    if (trace::is_blocking(event)) {
      const trace::CallParts parts = trace::parts_of(event);
      const Nanoseconds from = event.start_ns + parts.own;
      rows_[r].waiting.add(column_of(from, trigger), column_of(from + parts.waiting, trigger));
    }
    if (!dense_) sequences[{r, event.name}].push_back({event.start_ns - trigger, 0, event, i});
  }

  // The row keeps the sum of busy time up to each column's end; waits are known per column.
  void add_by_search(const trace::Row& row, EventIndex begin, EventIndex end, Nanoseconds trigger, Sums& sums) {
    struct At {
      EventIndex next;    // the first event that ends later
      Nanoseconds of_it;  // the part of it that lies before
    };
    const auto look = [&](Nanoseconds t, EventIndex from) {
      const EventIndex i = row.first_ending_after(t, from, end);
      return At{i, i < end ? std::max<Nanoseconds>(0, t - row.start(i)) : 0};
    };
    At before = look(trigger - before_, begin);
    for (std::size_t c = 0; c < columns_; ++c) {
      const auto t =
          static_cast<Nanoseconds>(std::llround(static_cast<double>(c + 1) * column_ns_)) + trigger - before_;
      const At after = look(t, before.next);
      const Nanoseconds busy = row.busy_ns(before.next, after.next) - before.of_it + after.of_it;
      const double share = std::clamp(static_cast<double>(busy) / column_ns_, 0.0, 1.0);
      sums.busy.parts[c] += share;
      const Nanoseconds waiting = kind_ == LaneKind::Calls ? row.wait_ns(before.next, after.next) : 0;
      sums.waiting.parts[c] += std::clamp(static_cast<double>(waiting) / column_ns_, 0.0, share);
      before = after;
    }
  }

  void match(Sequences sequences) {
    for (auto& [key, seen] : sequences) {
      const auto at_trigger =
          std::find_if(seen.begin(), seen.end(), [](const AlignedEvent& s) { return s.start >= 0; });
      for (auto s = seen.begin(); s != seen.end(); ++s) s->ordinal = static_cast<int>(s - at_trigger);
      const auto reference = reference_.find(key);
      const int shift = reference == reference_.end() ? 0 : best_shift(seen, reference->second);
      for (AlignedEvent& s : seen) {
        s.ordinal += shift;
        add_matched(key.first, s);
      }
      if (reference == reference_.end()) reference_.emplace(key, std::move(seen));
    }
  }

  void add_matched(std::size_t r, const AlignedEvent& seen) {
    const Event& e = seen.event;
    AverageEvent& sum = events_[{r, e.name, seen.ordinal}];
    const Nanoseconds duration = e.duration();
    if (sum.duration.count == 0) {  // the newest of these events
      sum.event = e;
      sum.index = seen.index;
      sum.row = r;
      sum.ordinal = seen.ordinal;
      sum.shortest = sum.longest = duration;
      const std::string_view name = trace_.names().text(e.name);
      sum.colour = event_colour(kind_, e);
      sum.label = kind_ == LaneKind::Iterations ? std::string(name) : event_label(trace_, kind_, e);
    }
    sum.start.add(static_cast<double>(seen.start));
    sum.end.add(static_cast<double>(seen.start + duration));
    sum.duration.add(static_cast<double>(duration));
    sum.shortest = std::min(sum.shortest, duration);
    sum.longest = std::max(sum.longest, duration);
    if (!trace::is_blocking(e)) return;
    const trace::CallParts parts = trace::parts_of(e);
    sum.own.add(static_cast<double>(parts.own));
    sum.waiting.add(static_cast<double>(parts.waiting));
    sum.block.add(static_cast<double>(duration - parts.own));
  }

  const trace::Trace& trace_;
  LaneId lane_;
  LaneKind kind_;
  Nanoseconds before_, after_;
  std::size_t columns_;
  double column_ns_;
  bool dense_ = false;
  std::vector<Sums> rows_;
  Sequences reference_;
  std::map<std::tuple<std::size_t, trace::NameId, int>, AverageEvent> events_;
};

std::vector<Nanoseconds> recorded_whole(const trace::Trace& trace, std::span<const Nanoseconds> triggers,
                                        Nanoseconds before, Nanoseconds after) {
  std::vector<Nanoseconds> whole(triggers.begin(), triggers.end());
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t c = 0; c < trace.coverage_count(); ++c) {
    const trace::Coverage& coverage = trace.coverage(trace.covered_pid(c));
    std::erase_if(whole, [&](Nanoseconds t) { return coverage.recorded_ns(t - before, t + after) < before + after; });
  }
  return whole;
}

bool AveragePicture::compute(const trace::Trace& trace, std::span<const Nanoseconds> triggers, Nanoseconds before,
                             Nanoseconds after, std::size_t columns, const base::Stop* stop) {
  clear();
  if (triggers.empty() || before + after <= 0 || columns == 0) return true;
  before_ = before;
  after_ = after;
  columns_ = columns;
  lanes_.resize(trace.lane_count());
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    const auto lane = static_cast<LaneId>(l);
    if (!has_row(trace.lane(lane).info().kind)) continue;
    {
      // Premature reads are instants with their own flag, and are not averaged.
      const trace::Trace::ReadLock lock(trace);
      if (trace.lane(lane).row_count() == 0) continue;
      const trace::Row& row = trace.lane(lane).row(0);
      if (row.first() < row.last() && trace::is_stale_read(row.untimed_event(row.first()))) continue;
    }
    Adder adder(trace, lane, before, after, columns);
    for (std::size_t i = triggers.size(); i-- > 0;) {  // newest first
      if (stop && *stop) return false;
      adder.add(triggers[i]);
    }
    lanes_[l] = adder.finish(triggers.size());
  }
  count_ = triggers.size();
  return true;
}

std::span<const AverageIdle> AveragePicture::idle(trace::GpuNumber gpu) const {
  return gpu < idle_.size() ? std::span<const AverageIdle>(idle_[gpu]) : std::span<const AverageIdle>();
}

void AveragePicture::add_bubbles(const analysis::Bubbles& bubbles, std::span<const Nanoseconds> triggers,
                                 trace::GpuNumber gpu) {
  if (idle_.size() <= gpu) idle_.resize(gpu + std::size_t{1});
  idle_[gpu].clear();
  if (triggers.empty() || columns_ == 0) return;
  const double column_ns = static_cast<double>(before_ + after_) / static_cast<double>(columns_);
  const Nanoseconds least = std::max<Nanoseconds>(1, static_cast<Nanoseconds>(column_ns));
  Cover cover;
  cover.steps.resize(columns_ + 1);
  cover.parts.resize(columns_);
  const auto ends_after = [&](auto from, Nanoseconds t) {
    return std::upper_bound(from, bubbles.end(), t,
                            [](Nanoseconds at, const analysis::Bubble& b) { return at < b.end_ns; });
  };
  for (const Nanoseconds trigger : triggers) {
    const Nanoseconds begin = trigger - before_;
    for (auto b = ends_after(bubbles.begin(), begin); b != bubbles.end() && b->start_ns < trigger + after_;) {
      if (b->cause != analysis::BubbleCause::StartOrEnd) {
        cover.add(static_cast<double>(b->start_ns - begin) / column_ns,
                  static_cast<double>(b->end_ns - begin) / column_ns);
      }
      if (is_stall(b->cause)) add_stall(*b, trigger, 1 / static_cast<double>(triggers.size()));
      // However many bubbles there are, a window costs no more than its columns.
      b = b->duration() < least ? ends_after(std::next(b), b->start_ns + least) : std::next(b);
    }
  }
  const auto time_of = [&](std::size_t c) {
    return static_cast<Nanoseconds>(std::llround(static_cast<double>(c) * column_ns)) - before_;
  };
  double whole = 0, sum = 0;
  std::size_t from = columns_;  // start of the stretch; columns_: none
  for (std::size_t c = 0; c <= columns_; ++c) {
    double share = 0;
    if (c < columns_) {
      whole += cover.steps[c];
      share = std::min(1.0, (whole + cover.parts[c]) / static_cast<double>(triggers.size()));
    }
    const bool idle = share >= kIdleShare;
    if (idle && from == columns_) {
      from = c;
      sum = 0;
    }
    if (idle) sum += share;
    if (!idle && from < columns_) {
      // Where nearly all are idle is shorter than their gaps, which do not begin and end together.
      auto gap = mean_gap(bubbles, triggers, (time_of(from) + time_of(c)) / 2);
      if (gap && (idle_[gpu].empty() || gap->from >= idle_[gpu].back().to)) {
        gap->share = sum / static_cast<double>(c - from);
        idle_[gpu].push_back(*gap);
      }
      from = columns_;
    }
  }
}

// The mean start and end of the gap that the pictures have at this time, relative to their triggers.
std::optional<AverageIdle> AveragePicture::mean_gap(const analysis::Bubbles& bubbles,
                                                    std::span<const Nanoseconds> triggers, Nanoseconds at) const {
  Spread start, end;
  for (const Nanoseconds trigger : triggers) {
    const auto b = std::upper_bound(bubbles.begin(), bubbles.end(), trigger + at,
                                    [](Nanoseconds t, const analysis::Bubble& bubble) { return t < bubble.end_ns; });
    if (b == bubbles.end() || b->start_ns > trigger + at || b->cause == analysis::BubbleCause::StartOrEnd) continue;
    start.add(static_cast<double>(std::max(b->start_ns - trigger, -before_)));
    end.add(static_cast<double>(std::min(b->end_ns - trigger, after_)));
  }
  if (start.count == 0) return std::nullopt;
  return AverageIdle{std::llround(start.mean), std::llround(end.mean)};
}

// Of the averaged calls of its lane, the gap belongs to the one that starts when its call does. The statement around it
// is known by its time, too.
void AveragePicture::add_stall(const analysis::Bubble& gap, Nanoseconds trigger, double part) {
  if (gap.call_lane >= lanes_.size() || !lanes_[gap.call_lane].known) return;
  const auto at = static_cast<double>(gap.call_start_ns - trigger);
  AverageEvent* call = nullptr;
  for (AverageEvent& e : lanes_[gap.call_lane].events) {
    if (!trace::is_blocking(e.event)) continue;
    if (!call || std::abs(e.start.mean - at) < std::abs(call->start.mean - at)) call = &e;
  }
  const auto idle = static_cast<double>(gap.duration());
  if (!call || at < call->start.mean - call->duration.mean || at > call->end.mean ||
      idle < Stalls::kHarmless * call->block.mean) {
    return;
  }
  call->lost = std::min(call->block.mean, call->lost + part * std::min(idle, call->block.mean));
  for (LaneAverage& lane : lanes_) {
    if (!lane.known || lane.thread != lanes_[gap.call_lane].thread) continue;
    for (AverageEvent& e : lane.events) {
      const bool around = e.start.mean <= call->start.mean && e.end.mean >= call->end.mean - 1;
      if (around && waits_by_nature(e.event)) e.colour = Colour::WaitGround;
    }
  }
}

std::span<const AverageEvent> AveragePicture::events(LaneId lane) const {
  const LaneAverage* average = of(lane);
  return average ? std::span<const AverageEvent>(average->events) : std::span<const AverageEvent>();
}

bool AveragePicture::occupancy_only(LaneId lane) const {
  const LaneAverage* average = of(lane);
  return average && average->occupancy_only;
}

double AveragePicture::occupancy(LaneId lane, std::size_t row, Nanoseconds t) const {
  const LaneAverage* average = of(lane);
  if (!average || row >= average->rows.size() || t < -before_ || t >= after_) return 0;
  const auto& columns = average->rows[row].columns;
  if (columns.empty()) return 0;
  const double share = static_cast<double>(t + before_) / static_cast<double>(before_ + after_);
  const auto column = static_cast<std::size_t>(share * static_cast<double>(columns.size()));
  return static_cast<double>(columns[std::min(column, columns.size() - 1)].busy);
}

}  // namespace lanescope::ui
