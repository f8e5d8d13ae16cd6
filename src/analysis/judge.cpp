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

/// "; 1.0 sync per iteration." Without iterations, only the full stop.
std::string how_often(const Basis& basis, const VerdictFigure& figure, const std::string& one,
                      const std::string& many) {
  if (basis.figures.iterations == 0) return tr(".");
  return value_text(figure) == "1.0" ? one : many;  // singular or plural depends on the displayed text
}

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

void gpu_bound(Verdict& v, const Basis& basis, std::int64_t all_syncs) {
  add_share(v, tr("kernels run"), basis.share(basis.figures.kernel_ns));
  v.figures.push_back(syncs(basis));
  // 100 minus the idle share as displayed elsewhere, so that the two add up to 100.
  const int busy = 100 - whole_percent(v.idle);
  if (const double own = basis.idle(CauseGroup::Graph); own >= kIdleMatters) {
    const int waits = std::min(100 - busy, whole_percent(own));
    v.sentence =
        2 * basis.idle(BubbleCause::GpuWait) >= own
            ? tr("The GPU idles {} % of the time, {} % with its next work at hand: another stream or another program "
                 "holds it up, not the CPU.",
                 100 - busy, waits)
            : tr("The GPU idles {} % of the time, {} % with its next work at hand: it sets the pace, not the CPU.",
                 100 - busy, waits);
  } else if (all_syncs == 0) {
    v.sentence = tr("The GPU is busy {} % of the time: it sets the pace, not the CPU.", busy);
  } else if (busy == 100) {
    v.sentence = tr("The GPU is busy {} % of the time; reading less often would gain nothing.", busy);
  } else {
    v.sentence =
        tr("The GPU is busy {} % of the time; reading less often would gain at most the other {} %.", busy, 100 - busy);
  }
}

void sync_bound(Verdict& v, const Basis& basis) {
  const int idle = whole_percent(v.idle);
  const Judged& j = basis.figures;
  const Nanoseconds all = idle_of(j.bubble_by_cause_ns, CauseGroup::AfterSync);
  const bool placed = j.sync_place_ns * 2 >= all && !j.sync_place.empty();
  const bool waits = placed && j.sync_place_kind == trace::RangeKind::Sync;
  const bool reads = j.after_read_ns * 2 >= all, uploads = !waits && !reads && j.after_upload_ns * 2 >= all;
  // For a statement that only waits, the text says "after" instead of "in".
  const bool statement = trace::reads_back(j.sync_place_kind) || j.sync_place_kind == trace::RangeKind::Sync;
  Nanoseconds part = placed ? j.sync_place_ns : all;
  std::string label, after;
  if (uploads) {
    part = j.after_upload_ns;
    label = tr("after a copy");
    after = tr("right after a copy to the GPU that the CPU waited for");
  } else if (placed && statement) {
    label = tr("after {}", j.sync_place);
    after = tr("right after {}", j.sync_place);
  } else if (placed) {
    label = tr("in {}", j.sync_place);
    after = reads ? tr("right after a read in {}", j.sync_place) : tr("right after a wait in {}", j.sync_place);
  } else if (reads) {
    part = j.after_read_ns;
    label = tr("after a read");
    after = tr("right after a read such as loss.item()");
  } else {
    label = tr("after a wait");
    after = tr("right after the CPU waited for it to finish");
  }
  const int share = std::min(idle, add_share(v, std::move(label), basis.share(part)));
  v.figures.push_back(syncs(basis));
  const std::string often = value_text(v.figures.back());
  v.sentence = tr("The GPU idles {} % of the time, {} % {}{}", idle, share, after,
                  how_often(basis, v.figures.back(), tr("; {} sync per iteration.", often),
                            tr("; {} syncs per iteration.", often)));
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
  const std::string often = value_text(v.figures.back());
  const std::string rest = how_often(basis, v.figures.back(), tr("; {} launch per iteration.", often),
                                     tr("; {} launches per iteration.", often));
  if (launch == idle) {
    v.sentence =
        tr("The GPU idles {} % of the time because the CPU issues work too slowly, not because of reads{}", idle, rest);
  } else if (whole_percent(v.after_sync) * 4 <= launch) {
    v.sentence =
        tr("The GPU idles {} % of the time, {} % because the CPU issues work too slowly, not because of reads{}", idle,
           launch, rest);
  } else {
    v.sentence = tr("The GPU idles {} % of the time, {} % because the CPU issues work too slowly; reads come second{}",
                    idle, launch, rest);
  }
}

void copy_bound(Verdict& v, const Basis& basis) {
  const int idle = whole_percent(v.idle);
  const int held = std::min(idle, whole_percent(v.copy_held)),
            alone = std::min(whole_percent(v.exposed_copy), 100 - idle);
  const bool mostly_alone = v.exposed_copy >= v.copy_held;
  const bool pins = mostly(basis, BubbleCause::Pinning);
  if (mostly_alone) {
    add_share(v, tr("only copying"), v.exposed_copy);
  } else {
    add_share(v, pins ? tr("pinning") : tr("held by copy"), v.copy_held);
  }
  v.figures.push_back(bytes_rate(basis, tr("copied"), basis.figures.copied_bytes));
  if (!mostly_alone && pins) {
    v.sentence = tr("The GPU idles {} % of the time, {} % while the CPU pins memory.", idle, held);
  } else if (!mostly_alone) {
    v.sentence = tr("The GPU idles {} % of the time, {} % while copies from pageable memory or pinning block the CPU.",
                    idle, held);
  } else if (basis.figures.kernel_ns == 0) {
    v.sentence = tr("For {} % of the time the GPU copies; nothing is computed here that could overlap.", alone);
  } else if (held == 0) {
    v.sentence =
        tr("For {} % of the time the GPU only copies and computes nothing; copies could overlap the kernels.", alone);
  } else {
    v.sentence =
        tr("For {} % of the time the GPU only copies and computes nothing, and for another {} % it is "
           "idle while copies from pageable memory or pinning block the CPU.",
           alone, held);
  }
}

void loader_bound(Verdict& v, const Basis& basis) {
  const int idle = whole_percent(v.idle), waiting = std::min(idle, add_share(v, tr("no data"), v.loader));
  v.figures.push_back(time_rate(basis, tr("waited"), basis.figures.loader_wait_ns));
  const bool known = basis.figures.iterations > 0;
  const auto each = static_cast<Nanoseconds>(std::llround(basis.each(basis.figures.loader_wait_ns)));
  v.sentence = tr("The GPU idles {} % of the time, {} % while the program waits for its data loader{}", idle, waiting,
                  known ? tr("; {} per iteration.", base::format_duration(each)) : std::string(tr(".")));
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
  return s.iteration.count > 0 && s.cpu_op_count > 0 && s.gpu_op_count == 0 && s.gpu_busy_ns == 0 &&
         s.launch_count == 0;
}

/// What the figures leave out.
std::string note_of(const Summary& summary, const Judged& figures) {
  std::string note;
  if (figures.warm_up_ns > 0) {
    note = tr("The first iteration took {} and is left out as warm-up.", base::format_duration(figures.warm_up_ns));
  }
  if (summary.in_parts) {
    note += note.empty() ? "" : " ";
    note += figures.iterations > 0 ? tr("From {} iterations that were recorded whole, {} % of the time.",
                                        base::format_count(figures.iterations), recorded_percent(summary))
                                   : tr("From the {} % of the time that were recorded.", recorded_percent(summary));
  }
  return note;
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
  v.idle = basis.share(basis.span_ns - figures.busy_ns);
  v.after_sync = basis.idle(CauseGroup::AfterSync);
  v.launch = basis.idle(CauseGroup::Launch);
  v.copy_held = basis.idle(CauseGroup::Copy);
  v.loader = basis.idle(CauseGroup::Loader);
  v.exposed_copy = basis.share(figures.busy_ns - figures.kernel_ns);

  const double own = basis.idle(CauseGroup::Graph), unknown = basis.idle(BubbleCause::Unknown);
  const double copies = v.copy_held + (v.exposed_copy >= kExposedCopyMatters ? v.exposed_copy : 0);
  const bool known = std::max(v.after_sync + v.launch + v.copy_held + v.loader, copies) >= kIdleMatters;
  // Between the nodes of a graph, and where it had its next work, the GPU needs neither the CPU nor a copy: that time
  // is its own.
  const bool mostly_own = own >= std::max({kIdleMatters, unknown, v.after_sync, v.launch, v.loader, copies});
  if (v.idle - own < kIdleMatters || mostly_own) {
    const bool only_copies = v.exposed_copy >= kExposedCopyDominates * (1 - v.idle);
    v.kind = only_copies ? VerdictKind::CopyBound : VerdictKind::GpuBound;
  } else {
    if (unknown >= kIdleMatters && unknown > std::max({v.after_sync, v.launch, v.loader, copies})) {
      v.sentence =
          tr("The GPU idles {} % of the time, {} % of it before work whose launch is not in the trace: nobody knows "
             "why.",
             whole_percent(v.idle), whole_percent(unknown / v.idle));
      return;
    }
    if (!known) {
      v.sentence =
          tr("The GPU is idle {} % of the time, nearly all of it before the first or after the last operation here: "
             "too short a stretch to tell why.",
             whole_percent(v.idle));
      return;
    }
    if (copies > std::max({v.after_sync, v.launch, v.loader})) {
      v.kind = VerdictKind::CopyBound;
    } else if (v.loader > std::max(v.after_sync, v.launch)) {
      v.kind = VerdictKind::LoaderBound;
    } else {
      v.kind = v.after_sync >= v.launch ? VerdictKind::SyncBound : VerdictKind::LaunchBound;
    }
  }
  add_share(v, tr("idle"), v.idle);
  v.note = note_of(summary, figures);
  switch (v.kind) {
    case VerdictKind::GpuBound:
      return gpu_bound(v, basis, summary.sync_count);
    case VerdictKind::SyncBound:
      return sync_bound(v, basis);
    case VerdictKind::LaunchBound:
      return launch_bound(v, basis);
    case VerdictKind::LoaderBound:
      return loader_bound(v, basis);
    default:
      return copy_bound(v, basis);
  }
}

void judge(Summary& summary) {
  judge_one(summary);
  say_whose(summary);
}

}  // namespace lanescope::analysis
