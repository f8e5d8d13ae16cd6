#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/summary.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;

int percent(double fraction) { return static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * 100)); }

template <class... Numbers>
std::string say(const char* translated, Numbers... numbers) {
  return fmt::format(fmt::runtime(translated), numbers...);
}

/// What the window is judged by: the judged stretch, or what remains of the window without its ends.
struct Basis {
  Nanoseconds span_ns = 0;
  Judged figures;
};
Basis basis_of(const Summary& summary) {
  if (summary.judged.to_ns > summary.judged.from_ns)
    return {summary.judged.to_ns - summary.judged.from_ns, summary.judged};
  const auto ends = static_cast<std::size_t>(BubbleCause::StartOrEnd);
  Basis basis{summary.window_ns() - summary.bubble_by_cause_ns[ends], {}};
  basis.figures.busy_ns = summary.gpu_busy_ns;
  basis.figures.kernel_ns = summary.kernel_ns;
  basis.figures.bubble_by_cause_ns = summary.bubble_by_cause_ns;
  return basis;
}

std::string say_gpu_bound(const Verdict& v, std::int64_t syncs) {
  // 100 minus the idle share as it is shown elsewhere, so that the two add up.
  const int busy = 100 - percent(v.idle);
  if (syncs == 0) return say(tr("The GPU is busy {} % of the time: it sets the pace, not the CPU."), busy);
  if (busy == 100) return say(tr("The GPU is busy {} % of the time; reading less often would gain nothing."), busy);
  return say(tr("The GPU is busy {} % of the time; reading less often would gain at most the other {} %."), busy,
             100 - busy);
}

std::string say_sync_bound(const Verdict& v, const Basis& basis) {
  const int idle = percent(v.idle);
  const auto share = [&](Nanoseconds ns) {
    return std::min(idle, percent(static_cast<double>(ns) / static_cast<double>(basis.span_ns)));
  };
  const Nanoseconds all = basis.figures.bubble_by_cause_ns[static_cast<std::size_t>(BubbleCause::AfterSync)];
  const Nanoseconds reads = basis.figures.after_read_ns, uploads = basis.figures.after_upload_ns;
  if (reads * 2 >= all)
    return say(tr("The GPU is idle {} % of the time; {} % is right after a read such as loss.item()."), idle,
               share(reads));
  if (uploads * 2 >= all)
    return say(tr("The GPU is idle {} % of the time; {} % is right after a copy to the GPU that the CPU waited for."),
               idle, share(uploads));
  return say(tr("The GPU is idle {} % of the time; {} % is right after the CPU waited for it to finish."), idle,
             share(all));
}

std::string say_launch_bound(const Verdict& v) {
  const int idle = percent(v.idle), launch = std::min(idle, percent(v.launch));
  if (launch == idle)
    return say(tr("The GPU is idle {} % of the time because the CPU issues work too slowly; reads are not the cause."),
               idle);
  if (percent(v.after_sync) * 4 <= launch)
    return say(
        tr("The GPU is idle {} % of the time, {} % because the CPU issues work too slowly; reads are not the cause."),
        idle, launch);
  return say(tr("The GPU is idle {} % of the time, {} % because the CPU issues work too slowly; reads come second."),
             idle, launch);
}

std::string say_copy_bound(const Verdict& v) {
  const int idle = percent(v.idle);
  if (v.exposed_copy >= v.copy_held) {
    const int alone = std::min(percent(v.exposed_copy), 100 - idle);
    const int held = std::min(idle, percent(v.copy_held));
    if (held == 0)
      return say(
          tr("For {} % of the time the GPU only copies and computes nothing; copies could run beside the kernels."),
          alone);
    return say(
        tr("For {} % of the time the GPU only copies and computes nothing, and for another {} % it is idle while the "
           "CPU is held by copies from pageable memory or by pinning."),
        alone, held);
  }
  return say(
      tr("The GPU is idle {} % of the time; for {} % the CPU is held by copies from pageable memory or by pinning."),
      idle, std::min(idle, percent(v.copy_held)));
}

std::string say_loader_bound(const Verdict& v) {
  const int idle = percent(v.idle);
  return say(tr("The GPU is idle {} % of the time; {} % while the program waits for its data loader."), idle,
             std::min(idle, percent(v.loader)));
}

bool only_the_cpu_works(const Summary& s) {
  return s.iteration.count > 0 && s.cpu_op_count > 0 && s.gpu_op_count == 0 && s.gpu_busy_ns == 0 &&
         s.launch_count == 0;
}

}  // namespace

void judge(Summary& summary) {
  Verdict& v = summary.verdict;
  v = {};
  const Basis basis = basis_of(summary);
  const Judged& figures = basis.figures;
  if (only_the_cpu_works(summary)) {
    v.kind = VerdictKind::CpuOnly;
    v.sentence = say(tr("Nothing runs on the GPU: every operation is computed by the CPU."));
    return;
  }
  if (basis.span_ns <= 0 || figures.busy_ns <= 0) {
    v.sentence = say(tr("Nothing has run on the GPU here."));
    return;
  }
  const auto fraction = [&](Nanoseconds ns) {
    return std::clamp(static_cast<double>(ns) / static_cast<double>(basis.span_ns), 0.0, 1.0);
  };
  const auto gaps = [&](BubbleCause cause) {
    return fraction(figures.bubble_by_cause_ns[static_cast<std::size_t>(cause)]);
  };
  v.idle = fraction(basis.span_ns - figures.busy_ns);
  v.after_sync = gaps(BubbleCause::AfterSync);
  v.launch = gaps(BubbleCause::LaunchTooSlow);
  v.copy_held = gaps(BubbleCause::Copy);
  v.loader = gaps(BubbleCause::Loader);
  v.exposed_copy = fraction(figures.busy_ns - figures.kernel_ns);

  if (v.idle < kIdleMatters) {
    const bool only_copies = v.exposed_copy >= kExposedCopyDominates * (1 - v.idle);
    v.kind = only_copies ? VerdictKind::CopyBound : VerdictKind::GpuBound;
  } else {
    const double copies = v.copy_held + (v.exposed_copy >= kExposedCopyMatters ? v.exposed_copy : 0);
    if (std::max(v.after_sync + v.launch + v.copy_held + v.loader, copies) < kIdleMatters) {
      v.sentence = say(
          tr("The GPU is idle {} % of the time, nearly all of it before the first or after the last operation here: "
             "too short a stretch to tell why."),
          percent(v.idle));
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
  switch (v.kind) {
    case VerdictKind::GpuBound:
      v.sentence = say_gpu_bound(v, summary.sync_count);
      break;
    case VerdictKind::SyncBound:
      v.sentence = say_sync_bound(v, basis);
      break;
    case VerdictKind::LaunchBound:
      v.sentence = say_launch_bound(v);
      break;
    case VerdictKind::LoaderBound:
      v.sentence = say_loader_bound(v);
      break;
    default:
      v.sentence = say_copy_bound(v);
      break;
  }
}

}  // namespace lanescope::analysis
