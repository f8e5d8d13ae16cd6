#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/summary.h"
#include "analysis/whole_iterations.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;

/// What the verdict is based on: the judged stretch, or the window without its StartOrEnd parts.
struct Basis {
  Nanoseconds span_ns = 0;
  Judged figures;

  double share(Nanoseconds ns) const {
    return span_ns > 0 ? std::clamp(static_cast<double>(ns) / static_cast<double>(span_ns), 0.0, 1.0) : 0;
  }
  double idle(CauseGroup group) const { return share(idle_of(figures.bubble_by_cause_ns, group)); }
  double idle(BubbleCause cause) const { return share(idle_of(figures.bubble_by_cause_ns, cause)); }
  double each(std::int64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(std::max<std::int64_t>(1, figures.iterations));
  }
};
Basis basis_of(const Summary& summary) {
  if (summary.judged.to_ns > summary.judged.from_ns) return {summary.judged.span_ns(), summary.judged};
  Basis basis{summary.gpu_window_ns() - idle_of(summary.bubble_by_cause_ns, BubbleCause::StartOrEnd), {}};
  basis.figures.busy_ns = summary.gpu_busy_ns;
  basis.figures.kernel_ns = summary.kernel_ns;
  basis.figures.bubble_by_cause_ns = summary.bubble_by_cause_ns;
  basis.figures.sync_count = summary.sync_count;
  basis.figures.launch_count = summary.launch_count;
  basis.figures.copied_bytes = summary.h2d_bytes + summary.d2h_bytes;
  basis.figures.loader_wait_ns = summary.loader_wait_ns;
  return basis;
}

/// Per iteration; without iterations, in total.
VerdictFigure rate(const Basis& basis, std::string label, double value, const char* unit = "") {
  VerdictFigure figure;
  figure.label = std::move(label);
  figure.value = value;
  figure.measure = unit;
  figure.per = basis.figures.iterations > 0 ? tr("per iteration") : tr("in all");
  figure.unit = figure.measure.empty() ? figure.per : fmt::format("{} {}", figure.measure, figure.per);
  return figure;
}
VerdictFigure time_rate(const Basis& basis, std::string label, std::int64_t ns) {
  constexpr double kMillisecond = 1e6, kMicrosecond = 1e3;
  const double each = basis.each(ns);
  return each >= kMillisecond ? rate(basis, std::move(label), each / kMillisecond, "ms")
                              : rate(basis, std::move(label), each / kMicrosecond, "µs");
}
VerdictFigure bytes_rate(const Basis& basis, std::string label, std::int64_t bytes) {
  constexpr double kGigabyte = 1e9, kMegabyte = 1e6, kKilobyte = 1e3;
  const double each = basis.each(bytes);
  if (each >= kGigabyte) return rate(basis, std::move(label), each / kGigabyte, "GB");
  return each >= kMegabyte ? rate(basis, std::move(label), each / kMegabyte, "MB")
                           : rate(basis, std::move(label), each / kKilobyte, "kB");
}
VerdictFigure syncs(const Basis& basis) { return rate(basis, tr("syncs"), basis.each(basis.figures.sync_count)); }

/// Adds the figure of a share. Returns the share in percent.
int add_share(Verdict& v, std::string label, double share) {
  v.figures.push_back({.label = std::move(label),
                       .value = share * 100,
                       .unit = "%",
                       .is_share = true,
                       .measure = "%",
                       .per = tr("of the time")});
  return whole_percent(share);
}

/// `reads`: something is read back in the judged stretch, and blocks the CPU.
void gpu_bound(Verdict& v, const Basis& basis, bool reads) {
  add_share(v, tr("kernels run"), basis.share(basis.figures.kernel_ns));
  v.figures.push_back(syncs(basis));
  if (v.exchange >= kExposedCopyMatters) {
    v.title = tr("Communication-bound");
    v.figures.insert(v.figures.begin() + 1, {.label = tr("only exchanging"),
                                             .value = v.exchange * 100,
                                             .unit = "%",
                                             .is_share = true,
                                             .measure = "%",
                                             .per = tr("of the time")});
    v.figures.resize(3);
    v.sentence = tr("For {} % of the time the GPU only communicates: collectives run, and no other kernel beside them.",
                    whole_percent(v.exchange));
    return;
  }
  // 100 minus the idle share as displayed elsewhere, so that the two add up to 100.
  const int busy = 100 - whole_percent(v.idle);
  if (const double own = basis.idle(CauseGroup::Graph); own >= kIdleMatters) {
    const int waits = std::min(100 - busy, whole_percent(own));
    v.sentence =
        2 * basis.idle(BubbleCause::GpuWait) >= own
            ? tr("The GPU idles {} % of the time, {} % although its next work was launched: another program holds it "
                 "up, or what ran then is not in the trace.",
                 100 - busy, waits)
            : tr("The GPU idles {} % of the time, {} % with its next work at hand: it sets the pace, not the CPU.",
                 100 - busy, waits);
  } else if (reads && busy == 100) {
    v.sentence = tr("The GPU is busy {} % of the time; reading less often would gain nothing.", busy);
  } else if (reads && 4 * basis.share(basis.figures.after_read_ns) >= v.idle) {
    v.sentence =
        tr("The GPU is busy {} % of the time; reading less often would gain at most the other {} %.", busy, 100 - busy);
  } else {
    v.sentence = tr("The GPU is busy {} % of the time: it sets the pace, not the CPU.", busy);
  }
}

void sync_bound(Verdict& v, const Basis& basis) {
  const int idle = whole_percent(v.idle);
  const Judged& j = basis.figures;
  const Nanoseconds all = idle_of(j.bubble_by_cause_ns, CauseGroup::AfterSync);
  const bool placed = j.sync_place_ns * 2 >= all && !j.sync_place.empty();
  const bool waits = placed && j.sync_place_kind == trace::RangeKind::Sync;
  const bool reads = j.after_read_ns * 2 >= all, uploads = !waits && !reads && j.after_upload_ns * 2 >= all;
  const std::string_view place = range_text(j.sync_place);
  const bool statement =
      trace::reads_back(j.sync_place_kind) || j.sync_place_kind == trace::RangeKind::Sync || place != j.sync_place;
  Nanoseconds part = placed ? j.sync_place_ns : all;
  std::string label, because;
  if (uploads) {
    part = j.after_upload_ns;
    label = tr("after a copy");
    because = tr("because the CPU waits for a copy to the GPU");
  } else if (placed && statement) {
    label = tr("after {}", place);
    because = tr("because of {}", place);
  } else if (placed) {
    label = tr("in {}", place);
    because = reads ? tr("because of a read in {}", place) : tr("because of a wait in {}", place);
  } else if (reads) {
    part = j.after_read_ns;
    label = tr("after a read");
    because = tr("because of a read such as loss.item()");
  } else {
    label = tr("after a wait");
    because = tr("because the CPU waits for it to finish");
  }
  const int share = std::min(idle, add_share(v, std::move(label), basis.share(part)));
  v.figures.push_back(syncs(basis));
  v.sentence = share == idle ? tr("The GPU idles {} % of the time {}.", idle, because)
                             : tr("The GPU idles {} % of the time, {} % {}.", idle, share, because);
}

/// One cause has half of the idle time of its group or more, so that the group is called by its name.
bool mostly(const Basis& basis, BubbleCause cause) {
  const CauseTimes& times = basis.figures.bubble_by_cause_ns;
  return idle_of(times, cause) * 2 >= idle_of(times, group_of(cause)) && idle_of(times, cause) > 0;
}

void launch_bound(Verdict& v, const Basis& basis) {
  const int idle = whole_percent(v.idle);
  if (mostly(basis, BubbleCause::Allocation)) {
    const double allocating = basis.share(idle_of(basis.figures.bubble_by_cause_ns, BubbleCause::Allocation));
    const int share = std::min(idle, add_share(v, tr("allocating"), allocating));
    v.figures.push_back(rate(basis, tr("launches"), basis.each(basis.figures.launch_count)));
    v.sentence = tr("The GPU idles {} % of the time, {} % while the CPU allocates or frees memory.", idle, share);
    return;
  }
  const int launch = std::min(idle, add_share(v, tr("slow launch"), v.launch));
  v.figures.push_back(rate(basis, tr("launches"), basis.each(basis.figures.launch_count)));
  v.sentence = launch == idle
                   ? tr("The GPU idles {} % of the time because the CPU launches work too slowly.", idle)
                   : tr("The GPU idles {} % of the time, {} % because the CPU launches work too slowly.", idle, launch);
  if (whole_percent(v.after_sync) * 4 > launch) {
    v.sentence += ' ';
    const Judged& j = basis.figures;
    const Nanoseconds waits = idle_of(j.bubble_by_cause_ns, CauseGroup::AfterSync);
    v.sentence += 2 * j.after_upload_ns >= waits ? tr("Waits for copies to the GPU come second.")
                  : 2 * j.after_read_ns >= waits ? tr("Reads come second.")
                                                 : tr("Waits come second.");
  }
}

void cpu_bound(Verdict& v, const Basis& basis) {
  const int idle = whole_percent(v.idle);
  const int working = std::min(idle, add_share(v, tr("other CPU work"), v.own_work));
  v.figures.push_back(rate(basis, tr("launches"), basis.each(basis.figures.launch_count)));
  v.sentence = working == idle
                   ? tr("The GPU idles {} % of the time while the CPU does other work.", idle)
                   : tr("The GPU idles {} % of the time, {} % while the CPU does other work.", idle, working);
}

void copy_bound(Verdict& v, const Basis& basis) {
  const int idle = whole_percent(v.idle);
  const int held = std::min(idle, whole_percent(v.copy_held)),
            alone = std::min(whole_percent(v.exposed_copy), 100 - idle);
  const bool mostly_alone = v.exposed_copy >= v.copy_held;
  const bool pins = mostly(basis, BubbleCause::Pinning), migrates = mostly(basis, BubbleCause::Migration);
  if (mostly_alone) {
    add_share(v, tr("only copying"), v.exposed_copy);
  } else {
    add_share(v, migrates ? tr("page migrations") : pins ? tr("pinning") : tr("held by copy"), v.copy_held);
  }
  v.figures.push_back(bytes_rate(basis, tr("copied"), basis.figures.copied_bytes));
  if (!mostly_alone && migrates) {
    v.sentence = tr("The GPU idles {} % of the time, {} % before pages of unified memory migrate.", idle, held);
  } else if (!mostly_alone && pins) {
    v.sentence = tr("The GPU idles {} % of the time, {} % while the CPU pins memory.", idle, held);
  } else if (!mostly_alone) {
    v.sentence = tr("The GPU idles {} % of the time, {} % while copies from pageable memory or pinning block the CPU.",
                    idle, held);
  } else if (basis.figures.kernel_ns == 0) {
    v.sentence = tr("For {} % of the time the GPU copies; nothing is computed here that could overlap.", alone);
  } else {
    const int kernels = std::min(100 - idle - alone, whole_percent(basis.share(basis.figures.kernel_ns)));
    v.sentence = tr("Kernels run {} % of the time, and for {} % the GPU only copies.", kernels, alone);
    if (v.copy_held >= kIdleMatters) {
      v.sentence += ' ';
      v.sentence += tr("For another {} % it idles while copies from pageable memory or pinning block the CPU.", held);
    }
  }
}

void loader_bound(Verdict& v, const Basis& basis) {
  const int idle = whole_percent(v.idle), waiting = std::min(idle, add_share(v, tr("no data"), v.loader));
  v.figures.push_back(time_rate(basis, tr("waited"), basis.figures.loader_wait_ns));
  v.sentence = waiting == idle ? tr("The GPU idles {} % of the time while the program waits for its data loader.", idle)
                               : tr("The GPU idles {} % of the time, {} % while the program waits for its data loader.",
                                    idle, waiting);
}

void rank_bound(Verdict& v, const Basis& basis) {
  const Judged& j = basis.figures;
  const int waiting = add_share(v, tr("waiting for a rank"), v.rank_wait);
  v.figures.push_back(syncs(basis));
  if (j.rank_late.empty()) {
    v.sentence = tr("In collectives, {} waits {} % of the time for the GPU that comes last; none always does.",
                    j.rank_waits, waiting);
    return;
  }
  v.title = tr("Waits for {}", j.rank_late);
  v.sentence = tr("In collectives, {} waits {} % of the time for {}.", j.rank_waits, waiting, j.rank_late);
}

void race(Verdict& v, const Basis& basis) {
  const std::int64_t count = basis.figures.stale_reads;
  add_share(v, tr("kernels run"), basis.share(basis.figures.kernel_ns));
  v.figures.push_back(rate(basis, tr("early reads"), basis.each(count)));
  v.sentence =
      count == 1 ? tr("One read came before the copy had finished: its value is wrong.")
                 : tr("{} reads came before the copy had finished: their values are wrong.", base::format_count(count));
}

std::string too_few_whole(const Summary& s) {
  const std::string takes = base::format_duration(static_cast<Nanoseconds>(std::llround(s.iteration.mean_ns)));
  if (s.recorded_iterations == 0) {
    return tr("No whole iteration was recorded yet (one takes {}): too little to tell what limits the loop.", takes);
  }
  if (s.recorded_iterations == 1) {
    return tr("Only one whole iteration was recorded yet: too little to tell what limits the loop.");
  }
  return tr("Only {} whole iterations were recorded yet: too little to tell what limits the loop.",
            s.recorded_iterations);
}

bool only_the_cpu_works(const Summary& s) {
  return s.cpu_op_count > 0 && s.gpu_op_count == 0 && s.gpu_busy_ns == 0 && s.launch_count == 0;
}

/// What the figures leave out.
std::string note_of(const Summary& summary, const Judged& figures) {
  std::string note;
  if (figures.warm_up_ns > 0) {
    const std::string took = base::format_duration(figures.warm_up_ns);
    note = figures.warm_up == 1
               ? tr("The first iteration took {} and is left out as warm-up.", took)
               : tr("The first {} iterations took {} and are left out as warm-up.", figures.warm_up, took);
  }
  if (!figures.rare.empty()) {
    const std::int64_t steady = summary.in_parts ? summary.iteration.count : figures.iterations;
    const Nanoseconds all_ns = figures.to_ns - figures.from_ns;
    Nanoseconds steady_ns = all_ns;
    for (const TimeSpan& span : figures.rare) steady_ns -= span.length();
    note += note.empty() ? "" : " ";
    note += tr("From the steady part: {} of {} iterations, {} of {}.", base::format_count(steady),
               base::format_count(steady + figures.rare_iterations), base::format_duration(steady_ns),
               base::format_duration(all_ns));
  }
  if (summary.in_parts) {
    note += note.empty() ? "" : " ";
    note += figures.iterations > 0 ? tr("From {} iterations that were recorded whole, {} % of the time.",
                                        base::format_count(figures.iterations), recorded_percent(summary))
                                   : tr("From the {} % of the time that were recorded.", recorded_percent(summary));
    if (summary.recording_adds_ns > 0) {
      note += ' ';
      note += tr("Recording adds {} to an iteration, which is taken off.",
                 base::format_duration(summary.recording_adds_ns));
    }
  }
  return note;
}

/// Unknown: with the sentence that says so.
VerdictKind kind_of(Verdict& v, const Basis& basis) {
  if (basis.figures.stale_reads > 0) return VerdictKind::Race;
  const double own = basis.idle(CauseGroup::Graph), unknown = basis.idle(BubbleCause::Unknown);
  const double copies = v.copy_held + (v.exposed_copy >= kExposedCopyMatters ? v.exposed_copy : 0);
  const double most = std::max({v.after_sync, v.launch, v.loader, copies});
  if (v.rank_wait >= kIdleMatters && v.rank_wait > std::max(most, unknown)) return VerdictKind::RankBound;
  const bool known = std::max(v.after_sync + v.launch + v.copy_held + v.loader, copies) >= kIdleMatters;
  // Between the nodes of a graph, and where it had its next work, the GPU needs neither the CPU nor a copy: that time
  // is its own.
  const bool mostly_own = own >= std::max({kIdleMatters, unknown, most});
  if (v.idle - own < kIdleMatters || mostly_own) {
    return v.exposed_copy >= kExposedCopyMatters ? VerdictKind::CopyBound : VerdictKind::GpuBound;
  }
  if (unknown >= kIdleMatters && 2 * unknown > most) {
    v.sentence =
        tr("The GPU idles {} % of the time, {} % before work whose launch is not in the trace: why is not known.",
           whole_percent(v.idle), whole_percent(unknown));
    return VerdictKind::Unknown;
  }
  if (!known) {
    const double ends = basis.idle(BubbleCause::StartOrEnd);
    if (ends < kIdleMatters && v.idle - own - ends < kIdleMatters) return VerdictKind::GpuBound;
    v.sentence = 2 * ends > v.idle
                     ? tr("The GPU is idle {} % of the time, nearly all of it before the first or after the last "
                          "operation here: too short a stretch to tell why.",
                          whole_percent(v.idle))
                     : tr("The GPU idles {} % of the time: why is not known.", whole_percent(v.idle));
    return VerdictKind::Unknown;
  }
  if (copies > std::max({v.after_sync, v.launch, v.loader})) return VerdictKind::CopyBound;
  if (v.loader > std::max(v.after_sync, v.launch)) return VerdictKind::LoaderBound;
  if (v.after_sync >= v.launch) return VerdictKind::SyncBound;
  return 2 * v.own_work > v.launch ? VerdictKind::CpuBound : VerdictKind::LaunchBound;
}

}  // namespace

void judge_one(Summary& summary) {
  Verdict& v = summary.verdict = {};
  const Basis basis = basis_of(summary);
  const Judged& figures = basis.figures;
  if (only_the_cpu_works(summary)) {
    v.kind = VerdictKind::CpuOnly;
    v.sentence = tr("Nothing runs on the GPU: every operation is computed by the CPU.");
    return;
  }
  if (summary.in_parts && summary.recorded_ns == 0 && summary.host_wait_ns > 0) {
    v.sentence =
        tr("What the GPU does is not recorded here; the CPU waits for it {} % of the time.",
           whole_percent(static_cast<double>(summary.host_wait_ns) / static_cast<double>(summary.window_ns())));
    return;
  }
  if (summary.in_parts && summary.iteration.count > 0 && summary.recorded_iterations < kFewestWhole) {
    v.sentence = too_few_whole(summary);
    return;
  }
  if (basis.span_ns <= 0 || figures.busy_ns <= 0) {
    v.sentence = summary.launch_count > 0
                     ? tr("{} kernels were launched here, but the trace does not contain their work on the GPU.",
                          base::format_count(summary.launch_count))
                     : std::string(tr("Nothing has run on the GPU here."));
    return;
  }
  constexpr Nanoseconds kTooLittle = 100;  // of the window: its share
  if (figures.iterations == 0 && !summary.in_parts && basis.span_ns < summary.window_ns() / kTooLittle) {
    v.sentence = tr("From its first to its last operation the GPU works for {}, of {} in all: too little to tell.",
                    base::format_duration(figures.busy_ns), base::format_duration(summary.window_ns()));
    return;
  }
  v.idle = basis.share(basis.span_ns - figures.busy_ns);
  v.after_sync = basis.idle(CauseGroup::AfterSync);
  v.launch = basis.idle(CauseGroup::Launch);
  v.copy_held = basis.idle(CauseGroup::Copy);
  v.loader = basis.idle(CauseGroup::Loader);
  v.exposed_copy = basis.share(figures.busy_ns - figures.kernel_ns);
  v.exchange = basis.share(figures.exchange_ns);
  v.own_work = basis.share(figures.own_work_ns);
  v.rank_wait = basis.share(figures.rank_wait_ns);
  v.kind = kind_of(v, basis);
  if (v.kind == VerdictKind::Unknown) return;
  add_share(v, tr("idle"), v.idle);
  v.note = note_of(summary, figures);
  switch (v.kind) {
    case VerdictKind::GpuBound:
      return gpu_bound(v, basis, summary.d2h_bytes > 0 && figures.sync_count > 0);
    case VerdictKind::SyncBound:
      return sync_bound(v, basis);
    case VerdictKind::LaunchBound:
      return launch_bound(v, basis);
    case VerdictKind::CpuBound:
      return cpu_bound(v, basis);
    case VerdictKind::LoaderBound:
      return loader_bound(v, basis);
    case VerdictKind::RankBound:
      return rank_bound(v, basis);
    case VerdictKind::Race:
      return race(v, basis);
    default:
      return copy_bound(v, basis);
  }
}

void judge(Summary& summary) {
  judge_one(summary);
  say_whose(summary);
}

}  // namespace lanescope::analysis
