#include "analysis/idle_ledger.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/lane_facts.h"
#include "analysis/whole_iterations.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;
using trace::LaneId;
using trace::NameId;

struct PlaceKey {
  NameId file = 0, name = 0;  ///< a line in a file, or a range or call; neither: only the cause is known
  std::uint32_t line = 0;
  CauseGroup group = CauseGroup::StartOrEnd;
  bool own_work = false;
  BubbleCause cause = BubbleCause::Unknown;  ///< only without a place

  bool operator==(const PlaceKey&) const = default;
};
struct PlaceHash {
  std::size_t operator()(const PlaceKey& k) const {
    const std::uint64_t name = std::uint64_t{k.file} << 32 | k.name;
    const std::uint64_t rest = std::uint64_t{k.line} << 12 | static_cast<unsigned>(k.group) << 5 |
                               static_cast<unsigned>(k.cause) << 1 | (k.own_work ? 1u : 0u);
    return std::hash<std::uint64_t>()(name * 0x9E3779B97F4A7C15u ^ rest);
  }
};

struct GapPart {
  PlaceKey key;
  NameId detail = 0;
  Nanoseconds from = 0, to = 0;
};

/// Says whose a gap is. This is the only function that does.
class Places {
 public:
  explicit Places(const trace::Trace& trace) : trace_(trace), ranges_(trace) {}

  /// The parts of a gap, which add up to it. Today a gap is one part: it has one cause.
  template <class Take>
  void divide(const Bubble& gap, Take take) {
    take(whole(gap));
  }

 private:
  GapPart whole(const Bubble& gap) {
    GapPart part{.key = {}, .from = gap.start_ns, .to = gap.end_ns};
    part.key.group = group_of(gap.cause);
    part.key.own_work = is_own_work(gap);
    if (gap.call == 0) {
      part.key.cause = gap.cause;
      return part;
    }
    NameId range = 0;
    if (gap.cause == BubbleCause::Cpu) {
      const Nanoseconds work = gap.start_ns + gap.wake_ns;
      range = ranges_.around(gap.call_lane, work, work + gap.cpu_ns);
    }
    if (range == 0) range = gap.range;
    if (range == 0) range = ranges_.around(gap.call_lane, gap.call_start_ns, gap.call_start_ns);
    const NameId name = range != 0 ? range : gap.call;
    const trace::Frame line = line_of(gap);
    part.key.file = line.file;
    part.key.line = line.line;
    if (line.line == 0) part.key.name = name;
    // That a launch is late says nothing about the launch.
    const bool of_call = part.key.group != CauseGroup::Launch || gap.cause == BubbleCause::Allocation;
    part.detail = line.line != 0 ? name : range != 0 && of_call ? gap.call : 0;
    return part;
  }

  trace::Frame line_of(const Bubble& gap) {
    const std::uint32_t site = trace_.sites().at(gap.call_lane, gap.call_start_ns);
    if (site == 0) return {};
    const auto [known, is_new] = lines_.try_emplace(site);
    if (is_new) {
      const trace::CallSites::Stack stack = trace_.sites().stack(site);
      if (const trace::Frame* own = stack.own_frame()) known->second = *own;
    }
    return known->second;
  }

  const trace::Trace& trace_;
  ThreadRanges ranges_;
  std::unordered_map<std::uint32_t, trace::Frame> lines_;  // by site
};

/// The stretch in slices, for the curves: as many iterations each, or as much time.
class Slices {
 public:
  Slices(const trace::Trace& trace, const IdleLedger& ledger, std::span<const TimeSpan> rare) {
    if (ledger.iterations > 0)
      spans_ = without(recorded_iterations(trace, ledger.from_ns, ledger.to_ns, ledger.gpu).iterations, rare);
    if (spans_.empty()) {
      const Nanoseconds all = ledger.to_ns - ledger.from_ns;
      const auto n = static_cast<Nanoseconds>(kIdleSlices);
      const auto at = [&](Nanoseconds i) { return ledger.from_ns + all / n * i + all % n * i / n; };
      for (Nanoseconds i = 0; i < n; ++i) spans_.push_back({at(i), at(i + 1)});
    }
    count_ = std::min(spans_.size(), kIdleSlices);
    sizes_.resize(count_);
    for (std::size_t i = 0; i < spans_.size(); ++i) sizes_[slice_of(i)] += 1;
  }

  void add(std::vector<double>& curve, Nanoseconds from, Nanoseconds to) const {
    if (curve.empty()) curve.resize(count_);
    auto at = std::ranges::upper_bound(spans_, from, {}, &TimeSpan::to);
    for (; at != spans_.end() && at->from < to; ++at) {
      const std::size_t slice = slice_of(static_cast<std::size_t>(at - spans_.begin()));
      curve[slice] += static_cast<double>(std::min(to, at->to) - std::max(from, at->from)) / sizes_[slice];
    }
  }

 private:
  std::size_t slice_of(std::size_t span) const { return span * count_ / spans_.size(); }

  std::vector<TimeSpan> spans_;
  std::size_t count_ = 0;
  std::vector<double> sizes_;
};

struct Tally {
  IdleRow row;
  PlaceKey key;
  CauseTimes causes{};
  NameId detail = 0;
  Nanoseconds detail_ns = 0;  ///< of its longest gap
};

class Ledger {
 public:
  Ledger(const trace::Trace& trace, const Summary& summary) : trace_(trace), summary_(summary), places_(trace) {
    const Judged& judged = summary.judged;
    ledger_.from_ns = judged.from_ns;
    ledger_.to_ns = judged.to_ns;
    ledger_.span_ns = judged.span_ns();
    ledger_.idle_ns = judged.span_ns() - judged.busy_ns;
    ledger_.iterations = judged.iterations;
    ledger_.gpu = summary.verdict_gpu;
    ledger_.gpu_name = summary.verdict_gpu_name;
    if (judged.iterations > 0) {
      ledger_.iteration_ns = summary.in_parts
                                 ? summary.iteration.mean_ns
                                 : static_cast<double>(judged.span_ns()) / static_cast<double>(judged.iterations);
    }
    if (summary.in_parts || !judged.rare.empty())
      whole_ = whole_stretches(trace, ledger_.from_ns, ledger_.to_ns, ledger_.gpu, judged.rare);
    slices_.emplace(trace, ledger_, judged.rare);
  }

  template <class Gaps>
  IdleLedger run(const Gaps& gaps, const std::atomic<bool>* stop) {
    constexpr std::size_t kAtOnce = 4096;  // a lock lasts so long
    auto gap = std::ranges::upper_bound(gaps, ledger_.from_ns, {}, &Bubble::end_ns);
    while (gap != gaps.end() && gap->start_ns < ledger_.to_ns) {
      if (stop && *stop) return {};
      const trace::Trace::ReadLock lock(trace_);
      for (std::size_t i = 0; i < kAtOnce && gap != gaps.end() && gap->start_ns < ledger_.to_ns; ++i, ++gap) {
        places_.divide(*gap, [&](const GapPart& part) { add(*gap, part); });
      }
    }
    constexpr Nanoseconds kRounding = 8;  // of what is left of gaps that grow with recording
    const Nanoseconds rest = ledger_.idle_ns - known_ns_;
    if (summary_.idle_kept < 1 && std::abs(rest) <= kRounding && !tallies_.empty()) {
      std::ranges::max_element(tallies_, {}, [](const Tally& t) { return t.row.idle_ns; })->row.idle_ns += rest;
    } else if (rest > 0) {
      tally(PlaceKey{}).row.idle_ns += rest;
    }
    sort();
    return std::move(ledger_);
  }

 private:
  Tally& tally(const PlaceKey& key) {
    const auto [known, is_new] = numbers_.try_emplace(key, tallies_.size());
    if (is_new) {
      tallies_.emplace_back();
      tallies_.back().key = key;
    }
    return tallies_[known->second];
  }

  void add(const Bubble& gap, const GapPart& part) {
    const Nanoseconds from = std::max(part.from, ledger_.from_ns), to = std::min(part.to, ledger_.to_ns);
    const Nanoseconds recorded = whole_ ? whole_->within(from, to) : to - from;
    const double left = summary_.kept(gap.cause, recorded) + (grows_with_recording(gap.cause) ? rounded_ : 0);
    const Nanoseconds ns = std::llround(left);
    if (grows_with_recording(gap.cause)) rounded_ = left - static_cast<double>(ns);
    if (ns <= 0) return;
    known_ns_ += ns;
    Tally& all = tally(part.key);
    all.row.idle_ns += ns;
    all.causes[static_cast<std::size_t>(gap.cause)] += ns;
    all.row.starts.push_back(gap.start_ns);
    slices_->add(all.row.over_time, from, to);
    if (ns <= all.row.longest_ns) return;
    all.row.longest_ns = ns;
    all.row.longest = gap;
    all.detail = part.detail;
  }

  void name(Tally& all) const {
    const base::NameTable& names = trace_.names();
    IdleRow& row = all.row;
    const auto most = std::ranges::max_element(all.causes);
    row.cause = *most > 0 ? static_cast<BubbleCause>(most - all.causes.begin()) : all.key.cause;
    row.own_work = all.key.own_work;
    row.line = all.key.line;
    if (row.line != 0) {
      row.file = names.text(all.key.file);
      row.place = fmt::format("{}:{}", without_folders(row.file), row.line);
    } else {
      row.place = without_folders(range_text(names.text(all.key.name)));
    }
    row.detail = without_folders(range_text(names.text(all.detail)));
    if (row.detail == row.place) row.detail.clear();
  }

  void sort() {
    for (Tally& one : tallies_) name(one);
    std::ranges::sort(tallies_, [](const Tally& a, const Tally& b) {
      if (a.row.idle_ns != b.row.idle_ns) return a.row.idle_ns > b.row.idle_ns;
      return std::tie(a.row.place, a.row.cause) < std::tie(b.row.place, b.row.cause);
    });
    const std::size_t shown = std::min(tallies_.size(), kIdleRows);
    for (std::size_t i = 0; i < shown; ++i) ledger_.rows.push_back(std::move(tallies_[i].row));
    if (shown < tallies_.size()) ledger_.largest_other_ns = tallies_[shown].row.idle_ns;
    ledger_.other_places = static_cast<std::int64_t>(tallies_.size() - shown);
    CauseTimes causes{};
    for (std::size_t i = shown; i < tallies_.size(); ++i) {
      const Tally& one = tallies_[i];
      IdleRow& other = ledger_.other;
      other.idle_ns += one.row.idle_ns;
      other.starts.insert(other.starts.end(), one.row.starts.begin(), one.row.starts.end());
      other.over_time.resize(std::max(other.over_time.size(), one.row.over_time.size()));
      for (std::size_t k = 0; k < one.row.over_time.size(); ++k) other.over_time[k] += one.row.over_time[k];
      for (std::size_t k = 0; k < kBubbleCauses; ++k) causes[k] += one.causes[k];
      if (one.row.longest_ns <= other.longest_ns) continue;
      other.longest_ns = one.row.longest_ns;
      other.longest = one.row.longest;
    }
    std::ranges::sort(ledger_.other.starts);
    ledger_.other.cause = static_cast<BubbleCause>(std::ranges::max_element(causes) - causes.begin());
  }

  const trace::Trace& trace_;
  const Summary& summary_;
  Places places_;
  IdleLedger ledger_;
  std::optional<WholeStretches> whole_;  // if not everything was recorded, or counts
  std::optional<Slices> slices_;
  double rounded_ = 0;  // carried over, so that the parts add up
  Nanoseconds known_ns_ = 0;
  std::unordered_map<PlaceKey, std::size_t, PlaceHash> numbers_;
  std::vector<Tally> tallies_;
};

bool can_tell(const Summary& s) {
  const bool too_few = s.in_parts && s.iteration.count > 0 && s.recorded_iterations < kFewestWhole;
  return s.judged.to_ns > s.judged.from_ns && s.judged.busy_ns > 0 && !too_few;
}

}  // namespace

IdleLedger idle_ledger(const trace::Trace& trace, std::span<const Bubble> bubbles, const Summary& summary,
                       const std::atomic<bool>* stop) {
  return can_tell(summary) ? Ledger(trace, summary).run(bubbles, stop) : IdleLedger{};
}

IdleLedger idle_ledger(const trace::Trace& trace, const LiveAnalysis& analysis, const Summary& summary,
                       const std::atomic<bool>* stop) {
  return can_tell(summary) ? Ledger(trace, summary).run(analysis.bubbles(summary.verdict_gpu), stop) : IdleLedger{};
}

std::vector<Bubble> bubbles_of(const LiveAnalysis& analysis, const Summary& summary) {
  const Bubbles& all = analysis.bubbles(summary.verdict_gpu);
  const auto first = std::ranges::upper_bound(all, summary.judged.from_ns, {}, &Bubble::end_ns);
  const auto last = std::ranges::lower_bound(all, summary.judged.to_ns, {}, &Bubble::start_ns);
  return first < last ? std::vector<Bubble>(first, last) : std::vector<Bubble>{};
}

std::string place_text(const IdleRow& row) {
  if (!row.place.empty()) return row.place;
  return row.cause == BubbleCause::StartOrEnd ? tr("start or end") : tr("not known");
}

std::string idle_text(const IdleRow& row) {
  if (row.cause == BubbleCause::Cpu && row.own_work) return tr("other CPU work");
  if (row.cause == BubbleCause::Cpu || row.cause == BubbleCause::LaunchLatency) return tr("launched too slowly");
  return std::string(cause_name(row.cause));
}

}  // namespace lanescope::analysis
