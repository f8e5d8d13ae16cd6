#include "analysis/evidence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/accumulator.h"
#include "analysis/event_merge.h"
#include "analysis/intervals.h"
#include "analysis/lane_facts.h"
#include "analysis/recorded_time.h"
#include "analysis/whole_iterations.h"

namespace lanescope::analysis {
namespace {

using trace::EventKind;
using trace::LaneId;
using trace::LaneKind;
using trace::NameId;

/// The union of intervals that are added in start order. within() returns how much of a stretch it covers.
class Cover {
 public:
  void add(Nanoseconds from, Nanoseconds to) {
    if (!parts_.empty()) from = std::max(from, parts_.back().to);
    if (to <= from) return;
    parts_.push_back({from, to, total()});
  }
  Nanoseconds within(Nanoseconds from, Nanoseconds to) const { return to > from ? before(to) - before(from) : 0; }

 private:
  struct Part {
    Nanoseconds from, to, before;
  };
  Nanoseconds total() const {
    return parts_.empty() ? 0 : parts_.back().before + parts_.back().to - parts_.back().from;
  }
  Nanoseconds before(Nanoseconds t) const {
    const auto after = std::upper_bound(parts_.begin(), parts_.end(), t,
                                        [](Nanoseconds at, const Part& part) { return at < part.from; });
    if (after == parts_.begin()) return 0;
    const Part& part = *(after - 1);
    return part.before + std::min(t, part.to) - part.from;
  }

  std::vector<Part> parts_;
};

/// `gpu` if the trace has several GPUs; otherwise kNobody, for all lanes together.
trace::GpuNumber of_several(const trace::Trace& trace, trace::GpuNumber gpu) {
  const std::size_t count = trace::Owners(trace).gpus().size();
  return count > 1 && gpu < count ? gpu : trace::kNobody;
}

/// From the first to the last iteration that lies completely in the stretch; with `gpu`, of the process that uses it.
std::pair<Nanoseconds, Nanoseconds> complete_iterations(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                                                        trace::GpuNumber gpu) {
  const trace::Owners owners(trace);
  const auto counts = [&](LaneId lane) {
    return gpu == trace::kNobody || owners.process_of(lane) == owners.gpus()[gpu].process;
  };
  const trace::Trace::ReadLock lock(trace);
  Nanoseconds first = to, last = from;
  for (std::size_t id = 0; id < trace.lane_count(); ++id) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(id));
    if (lane.info().kind != LaneKind::Iterations || !counts(static_cast<LaneId>(id))) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      trace::EventIndex i = row.first_starting_at_or_after(from, row.first(), row.last());
      if (i < row.last() && row.end(i) <= to) first = std::min(first, row.start(i));
      i = row.first_ending_after(to, i, row.last());
      if (i > row.first() && row.start(i - 1) >= from) last = std::max(last, row.end(i - 1));
    }
  }
  return {first, last};
}

class Gathering final : Accumulator::Listener {
 public:
  Gathering(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber only,
            std::span<const TimeSpan> rare = {})
      : merge_(trace,
               {LaneKind::Iterations, LaneKind::Phases, LaneKind::Calls, LaneKind::Kernels, LaneKind::CopyH2D,
                LaneKind::CopyD2H, LaneKind::CopyOther},
               only),
        sums_(trace, *this, nullptr, only),
        roles_(trace.names()),
        lanes_(trace),
        only_(only),
        from_(from),
        to_(to),
        rare_(rare.begin(), rare.end()),
        whole_(whole_stretches(trace, from, to, only, rare)) {
    merge_.start_at(from, from - kContextNs);
  }

  Evidence run(const std::atomic<bool>* stop) {
    if (whole_ && whole_->by_iteration && whole_->iterations < kFewestWhole) return {};
    sums_.look(trace::Coverage::kAlways);
    read_until(from_, stop);
    sums_.open_window(from_);
    read_until(to_, stop);
    if (stop && *stop) return {};
    sums_.close_window(to_);
    merge_.run(std::numeric_limits<Nanoseconds>::max(), kLookAheadEvents, *this);
    evidence_.from_ns = from_;
    evidence_.to_ns = to_;
    evidence_.gpu = only_;
    evidence_.iterations = static_cast<std::int64_t>(durations_.size());
    evidence_.summary = sums_.summary_at(to_);
    evidence_.summary.iteration = duration_stats(durations_);
    sums_.measure_run_ahead(evidence_.summary);
    if (whole_) {
      std::vector<Accumulator::Rare> left_out;
      for (const auto& [after, until] : left_out_) left_out.push_back({&after, &until});
      sums_.leave_out(evidence_.summary, sums_.beginning(), last_, left_out);
      sums_.count_whole(evidence_.summary, sums_.beginning(), last_, watched_, Accumulator::Count::Everything,
                        left_out);
      if (sums_.in_parts()) evidence_.iterations = whole_->iterations;
      if (sums_.in_parts() || !left_out.empty()) evidence_.recorded_ns = evidence_.summary.recorded_ns;
    }
    judge(evidence_.summary);
    blame_bubbles();
    leave_out_others();
    measure_waits();
    measure_copies();
    measure_launches();
    measure_stopwatches();
    note_stale_reads();
    join_threads();
    for (CallSite& site : evidence_.sites) site.aside = !launching_.contains(lanes_.thread_of(site.example.lane));
    sort();
    return std::move(evidence_);
  }

  // For EventMerge.
  void take(const trace::Event& event, const EventMerge::Source& source) {
    if (event.start_ns >= to_) return take_later(event, source.lane, source.kind);
    sums_.take(event, source.lane, source.kind);
    if (source.kind == LaneKind::Phases) {
      take_range(event, source.lane);
    } else if (source.kind == LaneKind::Calls && event.kind == EventKind::Call) {
      take_call(event, source.lane);
    } else if (trace::is_gpu_work_lane(source.kind)) {
      take_operation(event, source.lane, source.kind);
    }
  }
  void lost() { sums_.lose_cause(); }

 private:
  static constexpr std::size_t kSlice = std::size_t{1} << 16;
  static constexpr std::size_t kLookAheadEvents = std::size_t{1} << 14;  // more than is in progress at the end
  static constexpr Nanoseconds kContextNs = 100'000'000;                 // work issued this long before has finished

  struct SiteCall {  ///< a call that belongs to a site
    Nanoseconds start, end;
    LaneId lane;
    std::size_t site;
  };
  struct Launch {
    LaneId lane;
    Nanoseconds duration;
    Nanoseconds queued;  ///< the part spent waiting for space in the launch queue
  };
  struct Filling {  ///< a launch that takes up more than half of the gap that it ends
    Place call;
    NameId range, name;
    Nanoseconds lost;
  };
  struct SiteKey {
    NameId range, call;
    std::size_t thread;

    bool operator==(const SiteKey&) const = default;
  };
  struct SiteHash {
    std::size_t operator()(const SiteKey& key) const {
      return std::hash<std::uint64_t>()(std::uint64_t{key.range} << 32 | key.call) + key.thread;
    }
  };
  struct Interval {
    std::size_t of;  ///< the index of a site or a group
    Nanoseconds start, end;
  };
  struct Timed {  ///< a stopwatch
    Nanoseconds start, end;
    LaneId lane;
    std::size_t thread;
    Nanoseconds gpu_end;  ///< end of the work issued within it
  };

  void iteration_ended(const IterationRecord& record) override {
    const auto rare = std::ranges::lower_bound(rare_, record.end_ns, {}, &TimeSpan::to);
    const bool counts = rare == rare_.end() || record.end_ns <= rare->from;
    if (counts) durations_.push_back(record.duration());
    if (!whole_) return;
    if (counts) {
      watched_.add(record.duration(), record.recorded_ns - last_.recorded_ns);
    } else {
      if (last_.number == 0) last_ = sums_.beginning();
      if (left_out_.empty() || left_out_.back().second.number != last_.number) left_out_.push_back({last_, record});
      left_out_.back().second = record;
    }
    last_ = record;
  }
  void gap_closed(const Bubble& gap) override {
    bubbles_.push_back(gap);
    for_each_after(gap, [&](IterationRecord& record) { record.add_gap(gap, record.end_ns); });
  }
  void place_known(const Bubble& gap) override {
    for_each_after(gap, [&](IterationRecord& record) { record.add_place(gap, record.end_ns); });
  }
  /// The totals of which the gap may be a part.
  template <class Change>
  void for_each_after(const Bubble& gap, Change change) {
    if (!whole_) return;
    change(last_);
    for (auto one = left_out_.rbegin(); one != left_out_.rend() && one->second.end_ns > gap.start_ns; ++one) {
      change(one->first);
      change(one->second);
    }
  }

  /// It counts: it begins in the stretch, in time that is recorded.
  bool counts(Nanoseconds start) const { return start >= from_ && (!whole_ || whole_->within(start, start + 1) > 0); }

  void read_until(Nanoseconds limit, const std::atomic<bool>* stop) {
    while (!merge_.run(limit, kSlice, *this) && !(stop && *stop)) {
    }
  }

  void take_range(const trace::Event& range, LaneId lane) {
    const std::size_t thread = lanes_.thread_of(lane);
    if (trace::range_kind_of(range) == trace::RangeKind::Timed) {
      timed_.push_back({range.start_ns, range.end_ns, lane, thread, 0});
      return;
    }
    open_.add(thread, range.start_ns, range.end_ns, range.name);
    kinds_[range.name] = trace::range_kind_of(range);
    if (!counts(range.start_ns)) return;
    if (trace::is_stale_read(range)) {
      stale_reads_.push_back({lane, range.start_ns, range.end_ns});
    }
    if (trace::range_kind_of(range) == trace::RangeKind::Pin) add_call(range, lane, range.name, CallRole::Pinning);
    if (!trace::is_host_wait(range)) return;
    if (waits_until_.size() <= thread) waits_until_.resize(thread + 1);
    if (range.end_ns <= waits_until_[thread]) return;  // within another
    waits_until_[thread] = range.end_ns;
    loader_waits_.push_back({lane, range.start_ns, range.end_ns});
    add_call(range, lane, range.name, CallRole::Other);
  }

  /// An operation may start after the stretch that contains its call.
  void take_later(const trace::Event& event, LaneId lane, LaneKind kind) {
    if (trace::is_gpu_work_lane(kind)) time_operation(event, sums_.take_later(event, lane));
  }

  void take_call(const trace::Event& call, LaneId lane) {
    const CallRole role = roles_.role(call.name);
    const NameId range = open_.at(lanes_.thread_of(lane), call.start_ns).name;
    if (trace::is_launch(call)) launching_.insert(lanes_.thread_of(lane));
    const std::size_t site = add_call(call, lane, range, role);
    if (!counts(call.start_ns)) return;
    CallSite& s = evidence_.sites[site];
    const trace::CallParts parts = trace::parts_of(call);
    if (trace::is_sync(call)) {
      ++s.sync_count;
      if (parts.waiting + parts.copying == 0) ++s.needless_count;
    }
    if (trace::is_blocking(call)) waits_.push_back({site, call.start_ns + parts.own, call.end_ns});
    if (role == CallRole::KernelLaunch) {
      launches_.push_back({lane, call.duration(), parts.waiting});
    }
  }

  std::size_t add_call(const trace::Event& event, LaneId lane, NameId range, CallRole role) {
    // Which GPUs a thread launches on is known only at the end; until then, each thread has separate sites.
    const std::size_t thread = only_ == trace::kNobody ? 0 : lanes_.thread_of(lane);
    const auto [known, is_new] = site_of_.try_emplace({range, event.name, thread}, evidence_.sites.size());
    const std::size_t site = known->second;
    if (is_new) {
      evidence_.sites.emplace_back();
      evidence_.sites.back().range = range;
      evidence_.sites.back().call = event.name;
      evidence_.sites.back().role = role;
      const auto kind = kinds_.find(range);
      if (kind != kinds_.end()) evidence_.sites.back().range_kind = kind->second;
    }
    made_.push_back({event.start_ns, event.end_ns, lane, site});
    if (counts(event.start_ns)) {
      CallSite& s = evidence_.sites[site];
      ++s.count;
      s.host_ns += event.duration();
      if (event.duration() > s.example.end_ns - s.example.start_ns) s.example = {lane, event.start_ns, event.end_ns};
    }
    return site;
  }

  void take_operation(const trace::Event& operation, LaneId lane, LaneKind kind) {
    if (sums_.elsewhere(lane)) return;
    busy_.add(operation.start_ns, operation.end_ns);
    time_operation(operation, sums_.issuer());
    if (kind == LaneKind::Kernels) {
      kernel_streams_.insert(lanes_.stream_of(lane));
      kernels_.add(operation.start_ns, operation.end_ns);
      if (counts(operation.start_ns)) take_kernel(operation);
    } else if (operation.kind == EventKind::Copy && counts(operation.start_ns)) {
      take_copy(operation, lanes_.stream_of(lane));
    }
  }

  void take_kernel(const trace::Event& kernel) {
    kernel_durations_.push_back(kernel.duration());
    const trace::CallKey issuer = sums_.issuer() ? sums_.issuer()->key : trace::CallKey{};
    const bool same = issuer.correlation != 0 && issuer == last_issuer_;
    if (same) {
      work_durations_.back() += kernel.duration();
    } else {
      work_durations_.push_back(kernel.duration());
    }
    last_issuer_ = issuer;
  }

  /// Notes the operation's end in the stopwatches that were running on the issuing call's thread when the call was
  /// made.
  void time_operation(const trace::Event& operation, const IssuingCall* issuer) {
    if (timed_.empty() || !issuer) return;
    const Nanoseconds made = issuer->start_ns;
    const std::size_t thread = lanes_.thread_of(issuer->lane);
    constexpr std::size_t kLookBack = 16;  // more never run at the same time
    const auto after = std::upper_bound(timed_.begin(), timed_.end(), made,
                                        [](Nanoseconds t, const Timed& timed) { return t < timed.start; });
    for (auto timed = after; timed != timed_.begin() && after - timed < static_cast<std::ptrdiff_t>(kLookBack);) {
      --timed;
      if (timed->thread == thread && made < timed->end) timed->gpu_end = std::max(timed->gpu_end, operation.end_ns);
    }
  }

  /// The recorded call that matches `issuer`, or null. Usually one of the newest.
  const SiteCall* made_by(const IssuingCall* issuer) const {
    if (!issuer) return nullptr;
    const auto after = std::upper_bound(made_.begin(), made_.end(), issuer->start_ns,
                                        [](Nanoseconds t, const SiteCall& made) { return t < made.start; });
    for (auto made = after; made != made_.begin() && (--made)->start == issuer->start_ns;)
      if (made->lane == issuer->lane && made->end == issuer->end_ns) return &*made;
    return nullptr;
  }

  void take_copy(const trace::Event& copy, std::int64_t stream) {
    const trace::CopyTraits traits = trace::copy_traits_of(copy);
    const bool upload = traits.direction == trace::CopyDirection::HostToDevice;
    const SiteCall* call = made_by(sums_.issuer());
    const NameId range = call ? evidence_.sites[call->site].range : 0;
    const trace::MemoryKind memory = upload ? traits.source : traits.destination;
    const auto same = [&](const CopyGroup& g) {
      return g.range == range && g.direction == traits.direction && g.memory == memory &&
             g.asynchronous == traits.asynchronous;
    };
    const auto known = std::find_if(evidence_.copies.begin(), evidence_.copies.end(), same);
    const auto number = static_cast<std::size_t>(known - evidence_.copies.begin());
    if (known == evidence_.copies.end()) {
      evidence_.copies.emplace_back();
      evidence_.copies.back().range = range;
      evidence_.copies.back().direction = traits.direction;
      evidence_.copies.back().memory = memory;
      evidence_.copies.back().asynchronous = traits.asynchronous;
    }
    CopyGroup& group = evidence_.copies[number];
    const std::int64_t bytes = copied_bytes(copy);
    ++group.count;
    if (bytes <= kSmallCopyBytes) ++group.small_count;
    group.bytes += bytes;
    copying_.push_back({number, copy.start_ns, copy.end_ns});
    copy_streams_.push_back(stream);
    if (!call) return;
    group.host_ns += call->end - call->start;
    held_.push_back({number, call->start, call->end});
    if (call->end - call->start > group.example.end_ns - group.example.start_ns)
      group.example = {call->lane, call->start, call->end};
  }

  void blame_bubbles() {
    std::sort(made_.begin(), made_.end(), [](const SiteCall& a, const SiteCall& b) {
      return std::pair(a.start, a.lane) < std::pair(b.start, b.lane);
    });
    for (const Bubble& gap : bubbles_) {
      const auto call = std::lower_bound(
          made_.begin(), made_.end(), std::pair(gap.call_start_ns, gap.call_lane),
          [](const SiteCall& made, const auto& wanted) { return std::pair(made.start, made.lane) < wanted; });
      if (gap.call == 0 || call == made_.end() || call->start != gap.call_start_ns || call->lane != gap.call_lane)
        continue;
      const Nanoseconds recorded = whole_ ? whole_->within(gap.start_ns, gap.end_ns) : gap.duration();
      if (recorded == 0) continue;
      const Nanoseconds lost = std::llround(evidence_.summary.kept(gap.cause, recorded));
      CallSite& site = evidence_.sites[call->site];
      site.bubble_ns[static_cast<std::size_t>(gap.cause)] += lost;
      ++site.bubble_count;
      const Nanoseconds covered = std::min(call->end, gap.end_ns) - std::max(call->start, gap.start_ns);
      if (gap.cause == BubbleCause::LaunchLatency && 2 * covered > gap.duration()) {
        filling_.push_back({{call->lane, call->start, call->end}, site.range, site.call, lost});
      }
      if (gap.cause == BubbleCause::AfterSync && gap.cpu_ns <= kQuicklyNs) ++site.quickly_followed;
      if (gap.duration() > site.longest_bubble_ns) {
        site.longest_bubble_ns = gap.duration();
        site.example = {call->lane, call->start, call->end};
      }
    }
  }

  /// Leaves out what belongs to threads that launch only on other GPUs, except call sites that caused a bubble.
  void leave_out_others() {
    const auto of_others = [this](const auto& x) { return sums_.serves_others(x.lane); };
    for (CallSite& site : evidence_.sites)
      if (site.bubble_count == 0 && site.count > 0 && sums_.serves_others(site.example.lane)) site.count = 0;
    std::erase_if(launches_, of_others);
    std::erase_if(loader_waits_, of_others);
    std::erase_if(timed_, of_others);
    std::erase_if(stale_reads_, of_others);
  }

  void measure_waits() {
    // Where copies run alone for much of the time, a wait for one is not harmless because the GPU copies meanwhile.
    const Judged& judged = evidence_.summary.judged;
    const bool copies_matter = evidence_.share(judged.busy_ns - judged.kernel_ns) >= kExposedCopyMatters;
    for (const Interval& wait : waits_) {
      CallSite& site = evidence_.sites[wait.of];
      site.wait_ns += std::max<Nanoseconds>(0, wait.end - wait.start);
      site.wait_busy_ns += (copies_matter ? kernels_ : busy_).within(wait.start, wait.end);
    }
    std::vector<Nanoseconds> waits;
    Nanoseconds within = 0;
    for (const Place& wait : loader_waits_) {
      waits.push_back(wait.end_ns - wait.start_ns);
      within += std::min(wait.end_ns, to_) - wait.start_ns;
      evidence_.longest_loader_wait_ns = std::max(evidence_.longest_loader_wait_ns, waits.back());
    }
    // The summary's total covers all threads of the process, and includes waits that began before the stretch.
    evidence_.loader_wait_ns = only_ == trace::kNobody && !whole_ ? evidence_.summary.loader_wait_ns : within;
    // An iteration that finds its batch ready does not wait.
    if (waits.size() < static_cast<std::size_t>(evidence_.iterations))
      waits.resize(static_cast<std::size_t>(evidence_.iterations));
    const auto usual = static_cast<double>(median(waits));
    for (const Nanoseconds wait : waits) {
      if (static_cast<double>(wait) <= kFarLonger * usual || wait < evidence_.longest_loader_wait_ns / 10) continue;
      ++evidence_.long_loader_waits;
      evidence_.long_loader_excess_ns += wait - static_cast<Nanoseconds>(usual);
    }
  }

  void note_stale_reads() {
    evidence_.stale_reads = static_cast<std::int64_t>(stale_reads_.size());
    if (!stale_reads_.empty()) evidence_.stale_read = stale_reads_.front();
  }

  /// Joins sites that differ only in their threads.
  void join_threads() {
    if (only_ == trace::kNobody) return;
    std::map<std::pair<NameId, NameId>, std::size_t> known;
    std::vector<CallSite> joined;
    for (const CallSite& site : evidence_.sites) {
      if (site.count == 0 && site.bubble_count == 0) continue;
      const auto [at, is_new] = known.try_emplace({site.range, site.call}, joined.size());
      if (is_new) {
        joined.push_back(site);
        continue;
      }
      CallSite& sum = joined[at->second];
      const auto weight = [](const CallSite& s) {
        return std::pair(s.longest_bubble_ns, s.example.end_ns - s.example.start_ns);
      };
      if (weight(site) > weight(sum)) sum.example = site.example;
      sum.longest_bubble_ns = std::max(sum.longest_bubble_ns, site.longest_bubble_ns);
      sum.count += site.count;
      sum.sync_count += site.sync_count;
      sum.needless_count += site.needless_count;
      sum.host_ns += site.host_ns;
      sum.wait_ns += site.wait_ns;
      sum.wait_busy_ns += site.wait_busy_ns;
      for (std::size_t c = 0; c < kBubbleCauses; ++c) sum.bubble_ns[c] += site.bubble_ns[c];
      sum.bubble_count += site.bubble_count;
      sum.quickly_followed += site.quickly_followed;
    }
    evidence_.sites = std::move(joined);
  }

  void measure_copies() {
    const std::size_t groups = evidence_.copies.size();
    for (const Interval& copy : unions(copying_, groups)) {
      CopyGroup& group = evidence_.copies[copy.of];
      group.gpu_ns += copy.end - copy.start;
      group.exposed_ns += copy.end - copy.start - kernels_.within(copy.start, copy.end);
    }
    for (std::size_t i = 0; i < copying_.size(); ++i) {
      if (!kernel_streams_.contains(copy_streams_[i])) ++evidence_.copies[copying_[i].of].apart_count;
    }
    std::stable_sort(held_.begin(), held_.end(),
                     [](const Interval& x, const Interval& y) { return x.start < y.start; });
    for (const Interval& call : unions(held_, groups)) {
      evidence_.copies[call.of].held_idle_ns += call.end - call.start - busy_.within(call.start, call.end);
    }
  }

  /// Cuts each interval to the part that no earlier interval of its group covers. The intervals must be in start order.
  static std::vector<Interval> unions(std::vector<Interval> intervals, std::size_t groups) {
    std::vector<Nanoseconds> ends(groups, std::numeric_limits<Nanoseconds>::min());
    for (Interval& i : intervals) {
      i.start = std::min(i.end, std::max(i.start, ends[i.of]));
      ends[i.of] = std::max(ends[i.of], i.end);
    }
    return intervals;
  }

  void measure_stopwatches() {
    Stopwatches& all = evidence_.stopwatches;
    Nanoseconds longest = 0;
    for (const Timed& timed : timed_) {
      const Nanoseconds shown = timed.end - timed.start, rest = timed.gpu_end - timed.end;
      const Place place{timed.lane, timed.start, timed.end};
      ++all.count;
      if (timed.start < from_ && shown > longest) {
        longest = shown;
        all.begun_before = place;
      }
      if (rest <= kStoppedEarlyNs || static_cast<double>(rest) <= kStoppedEarly * static_cast<double>(shown)) continue;
      ++all.early_count;
      if (rest <= all.still_running_ns) continue;
      all.still_running_ns = rest;
      all.shown_ns = shown;
      all.earliest = place;
    }
  }

  void measure_launches() {
    std::vector<Nanoseconds> durations;
    for (const Launch& launch : launches_) {
      durations.push_back(launch.duration);
      evidence_.launches_ns += launch.duration;
      evidence_.full_queue_ns += launch.queued;
    }
    evidence_.launches = static_cast<std::int64_t>(launches_.size());
    evidence_.median_launch_ns = median(durations);
    note_long_launches();
    evidence_.median_kernel_ns = median(kernel_durations_);
    evidence_.median_work_ns = median(work_durations_);
  }

  void note_long_launches() {
    LongLaunches& all = evidence_.long_launches;
    for (const Filling& one : filling_) {
      const Nanoseconds took = one.call.end_ns - one.call.start_ns;
      if (took <= kLongLaunchNs || took <= kLongLaunchMedians * evidence_.median_launch_ns) continue;
      ++all.count;
      all.calls_ns += took;
      all.idle_ns += one.lost;
      if (took <= all.longest.end_ns - all.longest.start_ns) continue;
      all.longest = one.call;
      all.range = one.range;
      all.call = one.name;
    }
  }

  void sort() {
    std::erase_if(evidence_.sites, [](const CallSite& site) { return site.count == 0 && site.bubble_count == 0; });
    const auto cost = [](const CallSite& s) { return std::pair(s.bubbles_ns(), s.wait_ns); };
    std::stable_sort(evidence_.sites.begin(), evidence_.sites.end(),
                     [&](const CallSite& a, const CallSite& b) { return cost(a) > cost(b); });
    std::stable_sort(evidence_.copies.begin(), evidence_.copies.end(),
                     [](const CopyGroup& a, const CopyGroup& b) { return a.gpu_ns > b.gpu_ns; });
  }

  EventMerge merge_;
  Accumulator sums_;
  CallNames roles_;
  LaneFacts lanes_;
  const trace::GpuNumber only_;
  const Nanoseconds from_, to_;
  const std::vector<TimeSpan> rare_;
  std::vector<std::pair<IterationRecord, IterationRecord>> left_out_;  // the totals before and after what is rare
  const std::optional<WholeStretches> whole_;                          // if not everything was recorded, or counts
  IterationRecord last_;
  WatchedPace watched_;

  Evidence evidence_;
  OpenRanges open_;
  std::unordered_map<NameId, trace::RangeKind> kinds_;  // of the ranges, by name
  std::unordered_map<SiteKey, std::size_t, SiteHash> site_of_;
  std::vector<SiteCall> made_;  // by start, then lane
  std::vector<Bubble> bubbles_;
  std::vector<Interval> waits_, copying_, held_;
  std::vector<std::int64_t> copy_streams_;     // of each element of copying_
  std::unordered_set<std::size_t> launching_;  // threads that put work on a stream
  std::unordered_set<std::int64_t> kernel_streams_;
  std::vector<Timed> timed_;  // by start
  Cover busy_, kernels_;
  std::vector<Launch> launches_;
  std::vector<Filling> filling_;
  std::vector<Place> loader_waits_, stale_reads_;
  std::vector<Nanoseconds> waits_until_;  // by thread
  std::vector<Nanoseconds> durations_, kernel_durations_, work_durations_;
  trace::CallKey last_issuer_;  // of the newest kernel
};

std::span<const TimeSpan> rare_within(std::span<const TimeSpan> rare, Nanoseconds from, Nanoseconds to) {
  const auto first = std::ranges::upper_bound(rare, from, {}, &TimeSpan::to);
  const auto last = std::ranges::lower_bound(rare, to, {}, &TimeSpan::from);
  return first < last ? std::span(first, last) : std::span<const TimeSpan>{};
}

}  // namespace

Evidence gather(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, const std::atomic<bool>* stop,
                trace::GpuNumber gpu, std::span<const TimeSpan> rare) {
  gpu = of_several(trace, gpu);
  const KeptRange kept = kept_range(trace);
  if (kept.empty) return {};
  from = std::max(from, kept.from);
  to = std::min(to, std::min(kept.to, trace.complete_until()));
  if (to <= from) return {};
  const auto [first, last] = complete_iterations(trace, from, to, gpu);
  return first < last ? Gathering(trace, first, last, gpu, rare_within(rare, first, last)).run(stop) : Evidence{};
}

Evidence gather_stretch(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, const std::atomic<bool>* stop,
                        trace::GpuNumber gpu) {
  return from < to ? Gathering(trace, from, to, of_several(trace, gpu)).run(stop) : Evidence{};
}

}  // namespace lanescope::analysis
