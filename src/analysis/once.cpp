#include "analysis/once.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/intervals.h"
#include "analysis/lane_facts.h"
#include "analysis/warm_up.h"
#include "base/time.h"
#include "base/translate.h"

namespace lanescope::analysis {

// --- what is rare ----------------------------------------------------------------------------------------------------

namespace {

/// The time from the end of one record to that of the next, which is one iteration unless records were dropped.
class RareStep {
 public:
  RareStep(std::span<const IterationRecord> records, std::size_t i)
      : before_(records[i - 1]),
        now_(records[i]),
        knows_all_(now_.recorded_ns - before_.recorded_ns == now_.end_ns - before_.end_ns) {
    const bool nothing = now_.recorded_ns == before_.recorded_ns;
    const bool followed = nothing && i > 1 && before_.recorded_ns == records[i - 2].recorded_ns;
    knows_pause_ = !records.back().in_parts || knows_all_ || followed;
    // Of an anchor that is always watched: the next iteration begins where one ends.
    follows_ = now_.start_ns - before_.end_ns <= now_.duration();
  }

  std::int64_t iterations() const { return now_.number - before_.number; }
  /// Without a pause of which it is not known whether it was one.
  Nanoseconds took_ns() const { return knows_pause_ ? now_.end_ns - before_.end_ns : now_.duration(); }
  Nanoseconds pause_ns() const { return knows_pause_ ? now_.start_ns - before_.end_ns : 0; }
  Nanoseconds waited_ns() const { return std::clamp<Nanoseconds>(now_.wait_ns - before_.wait_ns, 0, took_ns()); }
  std::int64_t launches() const { return now_.launch_count - before_.launch_count; }

  bool is_rare(Nanoseconds usual_ns, std::int64_t usual_launches) const {
    const Nanoseconds excess = took_ns() - (iterations() - 1) * usual_ns, limit = kRareTimes * usual_ns;
    if (excess <= limit || !(knows_pause_ || follows_)) return false;
    const Nanoseconds busy = now_.busy_ns - before_.busy_ns;  // also where a trace has no calls, and so no waits
    if (excess - waited_ns() > limit && 2 * std::max(waited_ns(), busy) <= excess) return true;
    if (knows_all_) return usual_launches > 0 && launches() > (kRareTimes + iterations() - 1) * usual_launches;
    return pause_ns() > limit;  // outside of a loop whose iterations follow each other
  }

 private:
  const IterationRecord &before_, &now_;
  bool knows_all_, knows_pause_ = false, follows_ = false;
};

}  // namespace

std::vector<TimeSpan> rare_spans(std::span<const IterationRecord> records) {
  constexpr std::int64_t kFewest = 4;  // as for warm-up
  records = steady_records(records, false);
  if (records.size() < kFewest) return {};
  std::vector<Nanoseconds> each;
  std::vector<std::int64_t> launches;
  Nanoseconds all_ns = 0;
  std::int64_t all = 0;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const RareStep step(records, i);
    all += step.iterations();
    all_ns += step.took_ns();
    each.push_back(step.took_ns() / step.iterations());
    launches.push_back(step.launches() / step.iterations());
  }
  const Nanoseconds usual = std::max(median(each), all_ns / all);
  const std::int64_t usual_launches = median(launches);
  std::vector<TimeSpan> rare;
  Nanoseconds rare_ns = 0;
  std::int64_t rare_iterations = 0;
  for (std::size_t i = 1; i < records.size(); ++i) {
    const RareStep step(records, i);
    if (!step.is_rare(usual, usual_launches)) continue;
    rare_iterations += step.iterations();
    const TimeSpan span{records[i - 1].end_ns, records[i].end_ns};
    rare_ns += span.length();
    if (!rare.empty() && rare.back().to == span.from) {
      rare.back().to = span.to;
    } else {
      rare.push_back(span);
    }
  }
  constexpr Nanoseconds kShows = 100;
  const bool shows = all < kFewestForRare ? 2 * rare_ns > all_ns && rare.size() == 1 : kShows * rare_ns >= all_ns;
  return shows && rare_iterations <= std::max<std::int64_t>(1, all / kMostRare) ? rare : std::vector<TimeSpan>{};
}

// --- where -----------------------------------------------------------------------------------------------------------

namespace {

using base::tr;
using trace::Frame;
using trace::LaneId;
using trace::LaneKind;
using trace::NameId;

struct FoundPlace {
  Frame line;       ///< line 0: unknown
  NameId name = 0;  ///< what is called there, or the range or call that is the place
};

class Finder {
 public:
  Finder(const trace::Trace& trace, trace::GpuNumber gpu) : trace_(trace), ranges_(trace) {
    const trace::Owners owners(trace);
    const auto counts = [&](LaneId lane) {
      return gpu >= owners.gpus().size() || owners.process_of(lane) == owners.gpus()[gpu].process;
    };
    const auto lanes = static_cast<LaneId>(trace.lane_count());
    LaneFacts facts(trace);
    std::set<std::size_t> threads;  // that have iterations
    for (LaneId lane = 0; lane < lanes; ++lane) {
      if (trace.lane(lane).info().kind != LaneKind::Iterations || !counts(lane)) continue;
      threads.insert(facts.thread_of(lane));
      loops_.push_back(lane);
    }
    for (LaneId lane = 0; lane < lanes; ++lane) {
      if (trace.lane(lane).info().kind == LaneKind::Calls && threads.contains(facts.thread_of(lane)))
        calls_.push_back(lane);
    }
  }

  /// `usual`: an iteration before it.
  FoundPlace find(const TimeSpan& span, const TimeSpan& usual) {
    FoundPlace place = line_of(span, usual);
    for (std::size_t i = 0; place.line.line == 0 && place.name == 0 && i < loops_.size(); ++i)
      place.name = ranges_.around(loops_[i], span.from, span.to, 2 * span.length());
    if (place.line.line == 0 && place.name == 0) place.name = longest_wait(span);
    return place;
  }

 private:
  using Line = std::tuple<NameId, NameId, std::uint32_t>;  // file, function, line

  static Line key_of(const Frame& frame) { return {frame.file, frame.function, frame.line}; }

  const trace::CallSites::Stack& stack(std::uint32_t site) {
    const auto [known, is_new] = stacks_.try_emplace(site);
    if (is_new) known->second = trace_.sites().stack(site);
    return known->second;
  }

  /// Of the user's lines in which calls are made, the outermost that usual iterations do not come through, if half of
  /// the time or more lies before its calls end and the next is made.
  FoundPlace line_of(const TimeSpan& span, const TimeSpan& usual) {
    std::set<Line> usually;
    for (const LaneId lane : calls_) {
      for (const auto& call : trace_.sites().between(lane, usual.from, usual.to)) {
        for (const Frame& frame : stack(call.site).frames) usually.insert(key_of(frame));
      }
    }
    struct Time {
      Nanoseconds ns = 0;
      NameId called = 0;
    };
    std::map<Line, Time> times;
    for (const LaneId lane : calls_) {
      const auto calls = trace_.sites().between(lane, span.from, span.to);
      for (std::size_t i = 0; i < calls.size(); ++i) {
        const Nanoseconds from = i == 0 ? span.from : calls[i].start_ns;
        const Nanoseconds to = i + 1 < calls.size() ? calls[i + 1].start_ns : span.to;
        const trace::CallSites::Stack& stack = this->stack(calls[i].site);
        for (std::size_t f = stack.frames.size(); f-- > stack.own;) {
          const Frame& frame = stack.frames[f];
          if (frame.line == 0 || usually.contains(key_of(frame))) continue;
          if (trace::is_library_file(trace_.names().text(frame.file))) continue;
          Time& time = times[key_of(frame)];
          time.ns += to - from;
          if (f > 0) time.called = stack.frames[f - 1].function;
          break;
        }
      }
    }
    const auto most = std::ranges::max_element(times, {}, [](const auto& one) { return one.second.ns; });
    if (most == times.end() || 2 * most->second.ns < span.length()) return {};
    const auto& [file, function, line] = most->first;
    return {{file, function, line}, most->second.called};
  }

  NameId longest_wait(const TimeSpan& span) const {
    NameId name = 0;
    Nanoseconds longest = span.length() / 2;
    const trace::Trace::ReadLock lock(trace_);
    for (const LaneId lane : calls_) {
      for (std::size_t r = 0; r < trace_.lane(lane).row_count(); ++r) {
        const trace::Row& row = trace_.lane(lane).row(r);
        for (auto i = row.first_ending_after(span.from, row.first(), row.last());
             i < row.last() && row.start(i) < span.to; ++i) {
          const trace::Event call = row.event(i);
          const Nanoseconds within = std::min(call.end_ns, span.to) - std::max(call.start_ns, span.from);
          if (within < longest) continue;
          longest = within;
          name = call.name;
        }
      }
    }
    return name;
  }

  const trace::Trace& trace_;
  ThreadRanges ranges_;
  std::vector<LaneId> loops_, calls_;
  std::map<std::uint32_t, trace::CallSites::Stack> stacks_;
};

bool lies_between(std::span<const IterationRecord> records, const TimeSpan& span) {
  const auto next = std::ranges::upper_bound(records, span.from, {}, &IterationRecord::end_ns);
  return next != records.end() && 2 * (next->start_ns - span.from) > span.length();
}

TimeSpan iteration_before(std::span<const IterationRecord> records, Nanoseconds t) {
  const auto next = std::ranges::upper_bound(records, t, {}, &IterationRecord::end_ns);
  return next == records.begin() ? TimeSpan{} : TimeSpan{next[-1].start_ns, next[-1].end_ns};
}

std::vector<RareRow> rows_of(const trace::Trace& trace, std::span<const IterationRecord> records,
                             const Summary& summary) {
  Finder finder(trace, summary.verdict_gpu);
  std::vector<RareRow> rows;
  const base::NameTable& names = trace.names();
  for (const TimeSpan& span : summary.judged.rare) {
    const FoundPlace found = finder.find(span, iteration_before(records, span.from));
    RareRow one;
    one.between = lies_between(records, span);
    one.line = found.line.line;
    if (one.line > 0) {
      one.file = names.text(found.line.file);
      one.place = fmt::format("{}:{}", without_folders(one.file), one.line);
      one.detail = names.text(found.name);
    } else {
      one.place = without_folders(names.text(found.name));
    }
    const auto same = [&](const RareRow& row) {
      return row.file == one.file && row.place == one.place && (!row.place.empty() || row.between == one.between);
    };
    auto row = std::ranges::find_if(rows, same);
    if (row == rows.end()) row = rows.insert(rows.end(), std::move(one));
    row->spans.push_back(span);
    row->total_ns += span.length();
    if (span.length() > row->longest.length()) row->longest = span;
  }
  std::ranges::stable_sort(rows, std::greater{}, &RareRow::total_ns);
  return rows;
}

}  // namespace

Once once_of(const trace::Trace& trace, std::span<const IterationRecord> records, const Summary& summary) {
  Once once;
  const auto [begin, end] = trace.extent();
  const Judged& judged = summary.judged;
  const Nanoseconds first = std::clamp(records.front().start_ns, begin, end);
  const Nanoseconds from = std::clamp(judged.warm_up_ns > 0 ? judged.from_ns : first, first, end);
  const Nanoseconds last = std::clamp(records.back().end_ns, from, end);
  for (const TimeSpan& span : judged.rare) once.rare_ns += span.length();
  once.set_up_ns = first - begin;
  once.warm_up_ns = from - first;
  once.steady_ns = last - from - once.rare_ns;
  once.end_ns = end - last;
  const auto after = std::ranges::upper_bound(records, from, {}, &IterationRecord::end_ns);
  once.iterations = records.back().number - (after == records.begin() ? 0 : after[-1].number);
  once.steady_iterations = once.iterations - judged.rare_iterations;
  if (!judged.rare.empty()) once.rows = rows_of(trace, records, summary);
  return once;
}

std::string rare_text(const RareRow& row) {
  if (row.line > 0 && !row.detail.empty()) return tr("{} in {}", row.detail, row.place);
  if (!row.place.empty()) return row.place;
  return row.between ? tr("between iterations") : tr("long iterations");
}

std::string how_often(const RareRow& row) {
  const std::string each = base::format_duration(row.mean_ns());
  return row.count() == 1 ? tr("once, {}", each) : tr("{} times, {} each", base::format_count(row.count()), each);
}

}  // namespace lanescope::analysis
