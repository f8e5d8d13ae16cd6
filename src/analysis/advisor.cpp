#include "analysis/advisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;

constexpr const char* kStopwatch = "stopwatch";  // the name of the program's range

std::string time_text(double ns) { return base::format_duration(static_cast<Nanoseconds>(std::llround(ns))); }

/// Below that, copying is part of the work, see judge().
bool copies_matter(const Evidence& e) {
  return e.share(e.summary.judged.busy_ns - e.summary.judged.kernel_ns) >= kExposedCopyMatters;
}

class Advisor {
 public:
  Advisor(const Evidence& evidence, const base::NameTable& names, const AdviceContext& context)
      : e_(evidence), names_(names), context_(context) {}

  std::vector<Card> run() {
    if (e_.iterations == 0) return {};
    stale_reads();
    stopped_early();
    warm_up_timed();
    gpu_bound();
    for (const CallSite& site : e_.sites) {
      sync(site);
      harmless_wait(site);
      needless_sync(site);
      pinning(site);
    }
    long_launches();
    launches();
    allocations();
    behind_copies();
    for (const CopyGroup& group : e_.copies) {
      pageable_copy(group);
      no_overlap(group);
      slow_link(group);
      many_small_copies(group);
    }
    loader();
    std::erase_if(cards_, [](const Card& card) {
      return card.weight == Weight::Harmless && card.cost_ns > 0 && card.share < limits::kCostShown;
    });
    sort_cards(cards_);
    if (!context_.gpu.empty())
      for (Card& card : cards_) card.title = tr("{}: {}", context_.gpu, card.title);
    return std::move(cards_);
  }

 private:
  Nanoseconds caused(const CallSite& site, BubbleCause cause) const { return idle_of(site.bubble_ns, cause); }
  Nanoseconds caused(BubbleCause cause) const { return idle_of(e_.summary.judged.bubble_by_cause_ns, cause); }
  /// Idle time because the CPU issued work too late or only just in time.
  static Nanoseconds launched_late(const CauseTimes& times) {
    return idle_of(times, BubbleCause::Cpu) + idle_of(times, BubbleCause::LaunchLatency);
  }
  template <class Measure>
  const CallSite& worst_site(Measure measure) const {
    return *std::max_element(e_.sites.begin(), e_.sites.end(),
                             [&](const CallSite& a, const CallSite& b) { return measure(a) < measure(b); });
  }
  double busy_share() const { return e_.share(e_.summary.judged.busy_ns); }

  /// The range ("item()"); without a range, the call.
  std::string where(trace::NameId range, trace::NameId call) const {
    return std::string(range_text(names_.text(range != 0 ? range : call)));
  }

  /// `lost`: an upper bound of the time lost in the whole stretch.
  Card& add(Rule rule, Nanoseconds lost, std::vector<Remedy> remedies) {
    Card& card = cards_.emplace_back();
    card.rule = rule;
    card.cost_ns = e_.time_per_iteration(lost);
    card.share = e_.share(lost);
    card.weight = card.share >= limits::kCostMatters ? Weight::Costs : Weight::Harmless;
    card.confidence = e_.iterations >= 3 ? 1 : 0.7;
    card.remedies = std::move(remedies);
    return card;
  }
  Card& add(Rule rule, Nanoseconds lost, std::vector<Remedy> remedies, const CallSite& site) {
    Card& card = add(rule, lost, std::move(remedies));
    card.range = names_.text(site.range);
    card.call = names_.text(site.call);
    card.per_iteration = e_.per_iteration(site.count);
    card.place = site.example;
    return card;
  }
  Card& add(Rule rule, Nanoseconds lost, std::vector<Remedy> remedies, const CopyGroup& group) {
    Card& card = add(rule, lost, std::move(remedies));
    card.range = names_.text(group.range);
    card.per_iteration = e_.per_iteration(group.count);
    card.place = group.example;
    return card;
  }

  void stale_reads() {
    if (e_.stale_reads == 0) return;
    Card& card = add(Rule::StaleRead, 0, {Remedy::WaitForCopy});
    card.weight = Weight::Wrong;
    card.per_iteration = e_.per_iteration(e_.stale_reads);
    if (e_.stale_read) card.place = *e_.stale_read;
    card.title = tr("Numbers are read before they have arrived");
    card.what =
        tr("{} times the program read host memory before the copy into it had finished, and got the old values.",
           e_.stale_reads);
    card.fix = tr("Synchronise, or wait for an event recorded after the copy, before the memory is read.");
  }

  void stopped_early() {
    const Stopwatches& timed = e_.stopwatches;
    if (timed.early_count == 0) return;
    Card& card = add(Rule::MeasuringError, 0, {Remedy::SyncToMeasure});
    card.weight = Weight::Wrong;
    card.range = kStopwatch;
    card.per_iteration = e_.per_iteration(timed.early_count);
    card.place = *timed.earliest;
    card.title = tr("The stopwatch stopped before the GPU had finished");
    card.what =
        tr("It shows {}, the time to enqueue the work; the work ran for another {} after the stopwatch had "
           "stopped. This happened {} of {} times.",
           time_text(static_cast<double>(timed.shown_ns)), time_text(static_cast<double>(timed.still_running_ns)),
           timed.early_count, timed.count);
    card.fix = tr("Synchronise before the stopwatch starts and before it stops, or time with CUDA events.");
  }

  void warm_up_timed() {
    const std::optional<Place>& timed = e_.stopwatches.begun_before;
    if (!timed || context_.warm_up_to_ns <= context_.warm_up_from_ns) return;
    if (timed->start_ns > context_.warm_up_from_ns || timed->end_ns < context_.warm_up_to_ns) return;
    const Nanoseconds shown = timed->end_ns - timed->start_ns;
    const double share = static_cast<double>(context_.warm_up_excess_ns) / static_cast<double>(shown);
    if (share < limits::kWarmUpTimed) return;
    Card& card = add(Rule::MeasuringError, 0, {});
    card.weight = Weight::Wrong;
    card.range = kStopwatch;
    card.place = *timed;
    card.title = tr("The stopwatch also times the warm-up");
    card.what =
        tr("Of the {} that it shows, {} ({} %) is extra time of the first iterations, which load code and "
           "allocate memory.",
           time_text(static_cast<double>(shown)), time_text(static_cast<double>(context_.warm_up_excess_ns)),
           whole_percent(share));
    card.fix = tr("Run some iterations before the stopwatch starts.");
  }

  void gpu_bound() {
    const Judged& judged = e_.summary.judged;
    if (const double exchange = e_.share(judged.exchange_ns); exchange >= limits::kBareTransfer) {
      if (e_.gpu != trace::kNobody) return;  // in a job, its collectives say more
      Card& card = add(Rule::BareTransfer, judged.exchange_ns, {});
      card.title = tr("Nothing is computed while the GPUs communicate");
      card.what = tr("Collectives run {} per iteration with no other kernel beside them, {} % of the time.",
                     time_text(card.cost_ns), whole_percent(exchange));
      card.fix = bare_transfer_fix();
      return;
    }
    if (copies_matter(e_)) return;
    const bool full_queue = e_.share(e_.full_queue_ns) >= limits::kFullQueue;
    if (busy_share() <= limits::kGpuBound && !(full_queue && busy_share() > 1 - kIdleMatters)) return;
    Card& card = add(Rule::GpuBound, 0, {});
    card.weight = Weight::Harmless;
    card.title = tr("The GPU sets the pace");
    card.what = tr("It is busy {} % of the time. CPU waits cost nothing here.", whole_percent(busy_share()));
    if (full_queue) {
      card.what += tr(" The launch queue is full: launches wait {} per iteration for a free slot.",
                      time_text(e_.time_per_iteration(e_.full_queue_ns)));
    }
    card.fix = tr("Only less GPU work or faster kernels would shorten an iteration.");
  }

  void sync(const CallSite& site) {
    const Nanoseconds lost = caused(site, BubbleCause::AfterSync);
    if (site.bubble_count == 0 || e_.share(lost) < limits::kCostMatters) return;
    // The calls that wait: a copy of the same name that only enqueues does not.
    const double times = e_.per_iteration(site.sync_count > 0 ? site.sync_count : site.count);
    const std::string place = where(site.range, site.call);
    const double followed = e_.per_iteration(site.quickly_followed);
    // Without a range around it, a synchronisation may wait for anything.
    if ((site.range != 0 || site.role == CallRole::MemoryCopy) && only_uploads(site.range)) {
      const bool pinned = copies_from_pinned(site.range);
      const std::vector<Remedy> remedies =
          pinned ? std::vector{Remedy::NonBlocking} : std::vector{Remedy::PinMemory, Remedy::NonBlocking};
      Card& card = add(Rule::SyncBubble, lost, remedies, site);
      card.title = tr("{} waits for its own copy", place);
      card.what =
          tr("{:.1f} times per iteration the CPU waits for a copy to the GPU to finish, and the GPU then "
             "idles until the next launch: {} per iteration, {} % of its time.",
             times, time_text(card.cost_ns), whole_percent(card.share));
      card.fix = pinned ? tr("The memory is pinned: with non_blocking=True the call only enqueues the copy.")
                        : tr("Copy from pinned memory with non_blocking=True: the call then only enqueues the copy.");
    } else if (site.range_kind == trace::RangeKind::Sync) {
      // It reads nothing, so neither reading less often nor reading once would change anything.
      Card& card = add(times >= limits::kRepeated ? Rule::RepeatedSync : Rule::SyncBubble, lost, {}, site);
      card.title = times >= limits::kRepeated ? tr("{} drains the GPU {:.1f} times per iteration", place, times)
                                              : tr("{} drains the GPU", place);
      card.what = tr("After {} the GPU idles until the next launch: {} per iteration, {} % of its time.",
                     names_.text(site.call), time_text(card.cost_ns), whole_percent(card.share));
      card.fix =
          tr("Synchronise only where a time is taken or a result is used: operations on one stream run in order "
             "without it.");
    } else if (followed >= limits::kDependent && site.range_kind != trace::RangeKind::Print) {
      Card& card = add(Rule::DependentSync, lost, {Remedy::DecideOnGpu, Remedy::ReadLessOften}, site);
      card.confidence *= 0.8;  // the dependence is inferred from how soon the launch follows the read
      card.title = tr("{} decides on the CPU what the GPU does next", place);
      card.what =
          tr("{:.1f} times per iteration the GPU runs dry while the CPU reads a value and launches right "
             "after: {} per iteration, {} % of its time.",
             followed, time_text(card.cost_ns), whole_percent(card.share));
      card.fix = tr("Let the GPU decide (torch.where), use a fixed count, or test every few steps.");
    } else if (times >= limits::kRepeated) {
      const auto saved = static_cast<Nanoseconds>(static_cast<double>(lost) * (times - 1) / times);
      Card& card = add(Rule::RepeatedSync, saved, {Remedy::ReadOnce, Remedy::ReadLessOften}, site);
      card.title = tr("{} drains the GPU {:.1f} times per iteration", place, times);
      card.what = tr("Each read waits separately; all but one of them cost {} per iteration, {} % of its time.",
                     time_text(card.cost_ns), whole_percent(card.share));
      card.fix = site.range_kind == trace::RangeKind::Print
                     ? tr("Printing a tensor reads it piece by piece: print its item() instead, and less often.")
                     : tr("Put the values together on the GPU (torch.stack) and read them once.");
    } else {
      Card& card = add(Rule::SyncBubble, lost, {Remedy::ReadLessOften, Remedy::LessCpuWork}, site);
      card.title = tr("{} drains the GPU", place);
      card.what = tr("After {} the GPU idles until the next launch: {} per iteration, {} % of its time.",
                     names_.text(site.call), time_text(card.cost_ns), whole_percent(card.share));
      card.fix = tr("Read less often, later, or without blocking; then the CPU can issue work ahead of the GPU.");
    }
  }

  /// True if the program copies to the GPU in this range and reads nothing back.
  bool only_uploads(trace::NameId range) const {
    bool uploads = false;
    for (const CopyGroup& group : e_.copies) {
      if (group.range != range) continue;
      if (group.direction != trace::CopyDirection::HostToDevice) return false;
      uploads = true;
    }
    return uploads;
  }

  bool copies_from_pinned(trace::NameId range) const {
    return std::ranges::all_of(e_.copies, [range](const CopyGroup& group) {
      return group.range != range || group.memory == trace::MemoryKind::Pinned;
    });
  }

  void harmless_wait(const CallSite& site) {
    if (e_.share(site.wait_ns) < limits::kWaitMatters || e_.share(site.bubbles_ns()) >= limits::kCostMatters) return;
    const double busy = static_cast<double>(site.wait_busy_ns) / static_cast<double>(site.wait_ns);
    if (busy < limits::kBusyMeanwhile) return;
    const std::string place = where(site.range, site.call);
    const std::string call(names_.text(site.call));
    // Where the CPU sets the pace, its waits cost as much as the GPU idles for its launches, at most.
    const Nanoseconds late = std::min(site.wait_ns, launched_late(e_.summary.judged.bubble_by_cause_ns));
    if (e_.share(late) >= limits::kCostMatters && site.role != CallRole::Allocation) {
      waits_hold_launches_ = true;
      Card& card = add(Rule::SyncBubble, late, {Remedy::ReadLessOften}, site);
      card.title = tr("{} holds the launches up", place);
      card.what =
          tr("The CPU waits {} per iteration in {} while the GPU works. Then its launches come late, and the GPU "
             "idles for them: up to {} % of the time for this wait.",
             time_text(e_.time_per_iteration(site.wait_ns)), call, whole_percent(card.share));
      card.fix = tr("Read less often, later, or without blocking; then the CPU can issue work ahead of the GPU.");
      return;
    }
    Card& card = add(Rule::HarmlessWait, 0, {}, site);
    card.title = tr("{} waits, but nothing is lost", place);
    card.what = tr("The CPU waits {} per iteration in {}; the GPU is busy for {} % of it.",
                   time_text(e_.time_per_iteration(site.wait_ns)), call, whole_percent(busy));
    card.fix = tr("Removing this wait would gain nothing: the CPU would wait at the next blocking call instead.");
  }

  void needless_sync(const CallSite& site) {
    // Without records of the GPU nobody knows what it had done; and memory is freed for its own sake.
    if (e_.summary.gpu_op_count == 0 || site.role == CallRole::Allocation) return;
    if (site.needless_count < 2 ||
        static_cast<double>(site.needless_count) < limits::kNeedless * static_cast<double>(site.sync_count)) {
      return;
    }
    // A statement that waits in another of its calls, such as a read whose copy blocks, needs no second word.
    const bool waits_elsewhere = std::ranges::any_of(e_.sites, [&](const CallSite& other) {
      return &other != &site && site.range != 0 && other.range == site.range && other.wait_ns > 0;
    });
    if (waits_elsewhere) return;
    Card& card = add(Rule::NeedlessSync, 0, {}, site);
    card.title = tr("{} has nothing to wait for", where(site.range, site.call));
    card.what = tr("{} of {} times the GPU had finished before {} was called.", site.needless_count, site.sync_count,
                   names_.text(site.call));
    card.fix = tr("Harmless; it can be removed.");
  }

  void pinning(const CallSite& site) {
    if (site.role != CallRole::Pinning || site.aside || e_.share(site.host_ns) < limits::kPinning) return;
    Card& card = add(Rule::PinningChurn, site.bubbles_ns(), {Remedy::PinAhead}, site);
    card.title = tr("{} pins memory repeatedly", where(site.range, site.call));
    card.what = tr("{} takes {} of CPU time per iteration.", names_.text(site.call),
                   time_text(e_.time_per_iteration(site.host_ns)));
    card.fix = tr("Pin once and reuse the memory, or let the loader's pin_memory thread do it ahead of time.");
  }

  // Neither a larger batch nor fewer launches would shorten these.
  void long_launches() {
    const LongLaunches& all = e_.long_launches;
    if (e_.share(all.idle_ns) < limits::kCostMatters) return;
    long_launches_told_ = true;
    Card& card = add(Rule::StarvedByCpu, all.idle_ns, {});
    card.range = names_.text(all.range);
    card.call = names_.text(all.call);
    card.per_iteration = e_.per_iteration(all.count);
    card.place = all.longest;
    const std::string longest = base::format_duration(all.longest.end_ns - all.longest.start_ns);
    card.title = all.count == 1 ? tr("One launch took {}", longest)
                                : tr("{} launches took up to {}", base::format_count(all.count), longest);
    card.what = tr("Half of the launches take {} or less. The GPU idles {} per iteration meanwhile, {} % of the time.",
                   base::format_duration(e_.median_launch_ns), time_text(card.cost_ns), whole_percent(card.share));
    const bool always = 2 * all.count >= e_.iterations && e_.iterations >= 4;
    card.fix =
        always ? tr("It comes again and again, so it loads no code: look at what the driver or a profiler does in it.")
               : tr("The first launch of a kernel often loads its code: run a few iterations before you measure.");
  }

  // A3 and A4: work that the CPU issued too late, but not because of a wait. Never attributed to a read.
  void launches() {
    const Nanoseconds lost =
        launched_late(e_.summary.judged.bubble_by_cause_ns) - (long_launches_told_ ? e_.long_launches.idle_ns : 0);
    if (e_.share(lost) < limits::kCostMatters || e_.sites.empty()) return;
    const CallSite* worst = &worst_site([](const CallSite& site) { return launched_late(site.bubble_ns); });
    const double idle = 1 - busy_share();
    const bool short_kernels = e_.median_work_ns < e_.median_launch_ns;
    const Nanoseconds usual = e_.launches_ns - (long_launches_told_ ? e_.long_launches.calls_ns : 0);
    const bool all_launches = e_.share(usual) > limits::kLaunchCalls && idle > limits::kLaunchIdle;
    const bool launch_bound = e_.median_launch_ns > 0 && (short_kernels || all_launches);
    Card& card = launch_bound ? add(Rule::LaunchBound, lost, {Remedy::FewerLaunches}, *worst)
                              : add(Rule::StarvedByCpu, lost, {Remedy::LessCpuWork, Remedy::FewerLaunches}, *worst);
    card.per_iteration = e_.per_iteration(e_.launches);
    if (launch_bound) {
      card.title =
          short_kernels ? tr("Launching takes longer than the kernels run") : tr("The CPU cannot launch fast enough");
      card.what =
          tr("A kernel runs for {} and its launch takes {} of CPU time (medians), {:.0f} times per iteration: the "
             "GPU idles {}, {} % of the time.",
             time_text(static_cast<double>(e_.median_work_ns)), time_text(static_cast<double>(e_.median_launch_ns)),
             card.per_iteration, time_text(card.cost_ns), whole_percent(card.share));
      if (!waits_hold_launches_) card.what += tr(" Reads are not the cause.");
      card.fix = tr("Use a larger batch, fused operations or a CUDA graph.");
    } else if (const Nanoseconds cpu = caused(BubbleCause::Cpu); lost - cpu > cpu) {
      card.title = tr("Work is launched only just in time");
      card.what =
          tr("The GPU has run dry by the time a launch takes effect, and idles {} per iteration, {} % of "
             "the time: the latency of a launch.",
             time_text(card.cost_ns), whole_percent(card.share));
      card.fix = tr("Launch further ahead of the GPU: fewer waits, fewer and larger operations or a CUDA graph.");
    } else {
      card.title = tr("The CPU issues work too late");
      card.what = tr("Between launches the CPU does other work: the GPU idles {} per iteration, {} % of the time.",
                     time_text(card.cost_ns), whole_percent(card.share));
      if (!waits_hold_launches_) card.what += tr(" No wait is the cause.");
      card.fix = tr("Do less on this thread between launches, or give the GPU more to do at once.");
    }
  }

  void allocations() {
    const Nanoseconds lost = caused(BubbleCause::Allocation);
    if (e_.share(lost) < limits::kCostMatters || e_.sites.empty()) return;
    const CallSite& worst = worst_site([this](const CallSite& site) { return caused(site, BubbleCause::Allocation); });
    Card& card = add(Rule::StarvedByCpu, lost, {}, worst);
    card.title = tr("{} blocks the CPU while the GPU idles", where(worst.range, worst.call));
    card.what = tr("{} allocates or frees memory, and the GPU idles {} per iteration meanwhile, {} % of the time.",
                   names_.text(worst.call), time_text(card.cost_ns), whole_percent(card.share));
    card.fix = tr("Allocate once and reuse the memory, as a caching allocator does.");
  }

  // The delay is on the GPU: the CPU had launched long before.
  void behind_copies() {
    const Nanoseconds lost = caused(BubbleCause::Dependency);
    if (e_.share(lost) < limits::kCostMatters || e_.sites.empty()) return;
    const CallSite& worst = worst_site([this](const CallSite& site) { return caused(site, BubbleCause::Dependency); });
    Card& card = add(Rule::NoOverlap, lost, {Remedy::CopyStream}, worst);
    card.title = tr("Work is held up behind a copy");
    card.what =
        tr("It was launched in time, but started only after a copy on another stream had finished: the GPU "
           "idles {} per iteration in between, {} % of the time.",
           time_text(card.cost_ns), whole_percent(card.share));
    card.fix = tr("Copy one batch ahead, so that the copy has finished before its data is needed.");
  }

  void pageable_copy(const CopyGroup& group) {
    const std::int64_t large = group.count - group.small_count;
    if (!group.asynchronous || group.memory != trace::MemoryKind::Pageable || large == 0) return;
    const bool long_each = group.host_ns / group.count > limits::kHeldNs;
    const bool most_of_copy =
        static_cast<double>(group.host_ns) > limits::kHeldOfCopy * static_cast<double>(group.gpu_ns);
    if ((!long_each && !most_of_copy) || e_.share(group.host_ns) < limits::kCostMatters) return;
    const Nanoseconds alone = copies_matter(e_) ? group.exposed_ns : 0;
    Card& card = add(Rule::PageableCopy, group.held_idle_ns + alone, {Remedy::PinMemory, Remedy::NonBlocking}, group);
    card.title = tr("Copies from pageable memory block the CPU in {}", copy_place(group));
    card.what =
        tr("Although the call is asynchronous, a copy blocks the CPU for {}: it is staged through a pinned buffer. "
           "Meanwhile the GPU computes nothing for {} % of the time.",
           time_text(static_cast<double>(group.host_ns) / static_cast<double>(group.count)), whole_percent(card.share));
    card.fix = tr("Pin the memory once and reuse it; pinning for every copy costs more than it saves.");
  }

  void no_overlap(const CopyGroup& group) {
    if (group.memory != trace::MemoryKind::Pinned || e_.share(group.gpu_ns) < limits::kCopiesMatter) return;
    if (e_.summary.kernel_ns == 0) return;  // nothing to overlap with
    const auto beside = static_cast<double>(group.gpu_ns - group.exposed_ns);
    if (beside >= limits::kOverlapped * static_cast<double>(group.gpu_ns)) return;
    Card& card = add(Rule::NoOverlap, group.exposed_ns, {Remedy::CopyStream}, group);
    card.confidence *= 0.8;  // the kernels may need these bytes
    const bool apart = group.apart_count == group.count;
    card.title =
        apart ? tr("Despite a second stream, copies do not overlap kernels") : tr("Copies do not overlap kernels");
    card.what = tr("The copies in {} take {} per iteration, and for {} of it no kernel runs.", copy_place(group),
                   time_text(e_.time_per_iteration(group.gpu_ns)), time_text(card.cost_ns));
    card.fix = apart ? tr("Copy one batch ahead, and create the stream as non-blocking: any other stream and the "
                          "legacy default stream wait for each other.")
                     : tr("Copy the next batch on a second stream while this one is computed.");
  }

  void slow_link(const CopyGroup& group) {
    const bool upload = group.direction == trace::CopyDirection::HostToDevice;
    const bool download = group.direction == trace::CopyDirection::DeviceToHost;
    const double peak = upload ? context_.h2d_peak_gb_per_s : download ? context_.d2h_peak_gb_per_s : 0;
    if (peak <= 0 || group.bytes < limits::kLargeCopy * group.count) return;
    const double reached = group.gb_per_s() / peak;
    if (reached >= limits::kOfPeak) return;
    const auto lost = static_cast<Nanoseconds>(static_cast<double>(group.exposed_ns) * (1 - reached));
    Card& card = add(Rule::SlowLink, lost, {Remedy::PinMemory}, group);
    card.title = tr("Large copies in {} are slow", copy_place(group));
    card.what = tr("{:.1f} GB/s; with pinned memory this link reaches {:.1f} GB/s.", group.gb_per_s(), peak);
    card.fix = group.memory == trace::MemoryKind::Pageable
                   ? tr("Pin the memory once and reuse it.")
                   : tr("Look for other traffic on the link, or for a slot with fewer PCIe lanes.");
  }

  void many_small_copies(const CopyGroup& group) {
    const double small = e_.per_iteration(group.small_count);
    const std::string range(names_.text(group.range));
    const bool told = std::any_of(cards_.begin(), cards_.end(), [&](const Card& card) {
      return (card.rule == Rule::DependentSync || card.rule == Rule::RepeatedSync) && card.range == range;
    });
    // Those of reads already have a card; those without a known call took none of the CPU's time.
    if (small < limits::kChatty || told || group.host_ns == 0) return;
    const auto lost = static_cast<Nanoseconds>(static_cast<double>(group.held_idle_ns) * (small - 1) / small);
    Card& card = add(Rule::ManySmallCopies, lost, {Remedy::PackCopies}, group);
    card.title = tr("Many small copies in {}", copy_place(group));
    card.what = tr("{:.0f} copies of 64 KB or less per iteration take {} of the CPU's time.", small,
                   time_text(e_.time_per_iteration(group.host_ns)));
    card.fix = tr("Pack them into one tensor and copy once.");
  }

  void loader() {
    const auto site = std::find_if(e_.sites.begin(), e_.sites.end(), [](const CallSite& s) {
      return s.range == s.call && s.range != 0 && s.role != CallRole::Pinning;
    });
    if (site == e_.sites.end()) return;
    // Few waits far longer than the others, and most of the waiting: more workers would wait as long at an epoch's
    // start.
    const Nanoseconds idle = caused(BubbleCause::Loader);
    const Nanoseconds rarely = std::min(e_.long_loader_excess_ns, idle);
    const bool restarted =
        !context_.workers_kept && e_.iterations >= 4 && e_.share(rarely) >= limits::kCostMatters &&
        static_cast<double>(e_.long_loader_waits) <= limits::kFewWaits * static_cast<double>(e_.iterations);
    const Nanoseconds always = e_.loader_wait_ns - (restarted ? rarely : 0);
    if (e_.share(always) > limits::kLoaderWait) {
      Card& card = add(Rule::LoaderWait, idle - (restarted ? rarely : 0), {Remedy::MoreWorkers}, *site);
      card.title = tr("The program waits for its data loader");
      card.what =
          tr("It waits {} per iteration, {} % of the time; the GPU idles for {} % because of it.",
             time_text(e_.time_per_iteration(always)), whole_percent(e_.share(always)), whole_percent(card.share));
      card.fix = tr("Use more workers, prefetch, or do less work per sample.");
    }
    if (restarted) {
      Card& card = add(Rule::FirstBatch, rarely, {Remedy::KeepWorkers}, *site);
      card.confidence *= 0.8;  // inferred: it may not be the first of an epoch
      card.title = tr("Now and then the program waits long for data");
      card.what =
          tr("In {} of {} iterations the program waits far longer for data, up to {}. Workers that are restarted every "
             "epoch cause such waits.",
             e_.long_loader_waits, e_.iterations, time_text(static_cast<double>(e_.longest_loader_wait_ns)));
      card.fix = tr("Keep the workers alive (persistent_workers=True).");
    }
  }

  std::string copy_place(const CopyGroup& group) const {
    if (group.range != 0) return std::string(range_text(names_.text(group.range)));
    return group.direction == trace::CopyDirection::HostToDevice     ? tr("uploads")
           : group.direction == trace::CopyDirection::DeviceToHost   ? tr("downloads")
           : group.direction == trace::CopyDirection::DeviceToDevice ? tr("device-to-device copies")
                                                                     : tr("other copies");
  }

  const Evidence& e_;
  const base::NameTable& names_;
  const AdviceContext& context_;
  bool long_launches_told_ = false, waits_hold_launches_ = false;
  std::vector<Card> cards_;
};

}  // namespace

std::string bare_transfer_fix() {
  return tr(
      "Start them while the backward pass goes on: DistributedDataParallel does, in buckets (bucket_cap_mb), and "
      "FSDP by prefetching.");
}

std::string_view rule_key(Rule rule) {
  static constexpr std::array<std::string_view, kRules> kKeys{
      "harmless-wait",  "sync-bubble",   "starved-by-cpu", "launch-bound", "gpu-bound",       "pageable-copy",
      "pinning-churn",  "no-overlap",    "slow-link",      "small-copies", "needless-sync",   "repeated-sync",
      "dependent-sync", "loader-wait",   "first-batch",    "stale-read",   "measuring-error", "straggler",
      "uneven-work",    "bare-transfer", "slow-exchange"};
  return kKeys[static_cast<std::size_t>(rule)];
}

std::string_view weight_key(Weight weight) {
  static constexpr std::array<std::string_view, 3> kKeys{"wrong", "costs", "harmless"};
  return kKeys[static_cast<std::size_t>(weight)];
}

void sort_cards(std::vector<Card>& cards) {
  std::ranges::stable_sort(cards, [](const Card& a, const Card& b) {
    return a.weight != b.weight ? a.weight < b.weight : a.cost_ns > b.cost_ns;
  });
}

std::vector<Card> advise(const Evidence& evidence, const base::NameTable& names, const AdviceContext& context) {
  return Advisor(evidence, names, context).run();
}

}  // namespace lanescope::analysis
