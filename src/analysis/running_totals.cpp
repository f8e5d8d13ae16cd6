#include "analysis/running_totals.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lanescope::analysis {

RunningTotals& RunningTotals::assign_difference(const RunningTotals& later, const RunningTotals& earlier) {
  recorded_ns = later.recorded_ns - earlier.recorded_ns;
  busy_ns = later.busy_ns - earlier.busy_ns;
  kernel_ns = later.kernel_ns - earlier.kernel_ns;
  compute_ns = later.compute_ns - earlier.compute_ns;
  wait_ns = later.wait_ns - earlier.wait_ns;
  loader_wait_ns = later.loader_wait_ns - earlier.loader_wait_ns;
  for (std::size_t c = 0; c < kBubbleCauses; ++c) bubble_ns[c] = later.bubble_ns[c] - earlier.bubble_ns[c];
  after_read_ns = later.after_read_ns - earlier.after_read_ns;
  after_upload_ns = later.after_upload_ns - earlier.after_upload_ns;
  own_work_ns = later.own_work_ns - earlier.own_work_ns;
  for (std::size_t p = 0; p < kSyncPlaces; ++p)
    after_sync_at_ns[p] = later.after_sync_at_ns[p] - earlier.after_sync_at_ns[p];
  bubble_count = later.bubble_count - earlier.bubble_count;
  sync_count = later.sync_count - earlier.sync_count;
  launch_count = later.launch_count - earlier.launch_count;
  gpu_op_count = later.gpu_op_count - earlier.gpu_op_count;
  cpu_op_count = later.cpu_op_count - earlier.cpu_op_count;
  stale_reads = later.stale_reads - earlier.stale_reads;
  h2d_bytes = later.h2d_bytes - earlier.h2d_bytes;
  d2h_bytes = later.d2h_bytes - earlier.d2h_bytes;
  h2d_ns = later.h2d_ns - earlier.h2d_ns;
  d2h_ns = later.d2h_ns - earlier.d2h_ns;
  return *this;
}

RunningTotals& RunningTotals::operator+=(const RunningTotals& more) {
  recorded_ns += more.recorded_ns;
  busy_ns += more.busy_ns;
  kernel_ns += more.kernel_ns;
  compute_ns += more.compute_ns;
  wait_ns += more.wait_ns;
  loader_wait_ns += more.loader_wait_ns;
  for (std::size_t c = 0; c < kBubbleCauses; ++c) bubble_ns[c] += more.bubble_ns[c];
  after_read_ns += more.after_read_ns;
  after_upload_ns += more.after_upload_ns;
  own_work_ns += more.own_work_ns;
  for (std::size_t p = 0; p < kSyncPlaces; ++p) after_sync_at_ns[p] += more.after_sync_at_ns[p];
  bubble_count += more.bubble_count;
  sync_count += more.sync_count;
  launch_count += more.launch_count;
  gpu_op_count += more.gpu_op_count;
  cpu_op_count += more.cpu_op_count;
  stale_reads += more.stale_reads;
  h2d_bytes += more.h2d_bytes;
  d2h_bytes += more.d2h_bytes;
  h2d_ns += more.h2d_ns;
  d2h_ns += more.d2h_ns;
  return *this;
}

void RunningTotals::add_part(const Bubble& gap, Nanoseconds at) {
  const Nanoseconds passed = std::min(at, gap.end_ns) - gap.start_ns;
  bubble_ns[static_cast<std::size_t>(gap.cause)] += passed;
  if (gap.cause == BubbleCause::AfterSync) {
    if (gap.last_work == trace::LaneKind::CopyD2H) after_read_ns += passed;
    if (gap.last_work == trace::LaneKind::CopyH2D) after_upload_ns += passed;
    add_place(gap, at);
  }
  if (is_own_work(gap)) own_work_ns += passed;
  if (at >= gap.end_ns && !gap.continues) ++bubble_count;
}

double RunningTotals::take_off(Nanoseconds ns) {
  Nanoseconds slowed = 0;
  for (std::size_t c = 0; c < kBubbleCauses; ++c)
    slowed += grows_with_recording(static_cast<BubbleCause>(c)) ? bubble_ns[c] : 0;
  if (slowed <= 0 || ns <= 0) return 1;
  const double left = 1 - static_cast<double>(std::min(ns, slowed)) / static_cast<double>(slowed);
  keep(left);
  return left;
}

void RunningTotals::keep(double share) {
  if (share >= 1) return;
  const auto part = [share](Nanoseconds ns) { return std::llround(share * static_cast<double>(ns)); };
  for (std::size_t c = 0; c < kBubbleCauses; ++c) {
    if (!grows_with_recording(static_cast<BubbleCause>(c))) continue;
    recorded_ns -= bubble_ns[c] - part(bubble_ns[c]);
    bubble_ns[c] = part(bubble_ns[c]);
  }
  for (Nanoseconds* ns : {&after_read_ns, &after_upload_ns, &own_work_ns}) *ns = part(*ns);
  for (Nanoseconds& ns : after_sync_at_ns) ns = part(ns);
}

void RunningTotals::add_place(const Bubble& gap, Nanoseconds at) {
  if (gap.place < kSyncPlaces && at > gap.start_ns)
    after_sync_at_ns[gap.place] += std::min(at, gap.end_ns) - gap.start_ns;
}

void fill(Summary& summary, const RunningTotals& totals) {
  fill_recorded(summary, totals);
  summary.host_wait_ns = totals.wait_ns;
  summary.loader_wait_ns = totals.loader_wait_ns;
  summary.sync_count = totals.sync_count;
  summary.cpu_op_count = totals.cpu_op_count;
}

void fill_recorded(Summary& summary, const RunningTotals& totals) {
  summary.recorded_ns = totals.recorded_ns;
  summary.gpu_busy_ns = totals.busy_ns;
  summary.kernel_ns = totals.kernel_ns;
  summary.exposed_copy_ns = totals.busy_ns - totals.kernel_ns;
  summary.launch_count = totals.launch_count;
  summary.gpu_op_count = totals.gpu_op_count;
  summary.bubble_by_cause_ns = totals.bubble_ns;
  summary.bubble_ns = std::accumulate(totals.bubble_ns.begin(), totals.bubble_ns.end(), Nanoseconds{0});
  summary.bubble_count = totals.bubble_count;
  summary.h2d_bytes = totals.h2d_bytes;
  summary.d2h_bytes = totals.d2h_bytes;
  summary.h2d_ns = totals.h2d_ns;
  summary.d2h_ns = totals.d2h_ns;
}

std::uint8_t SyncPlaces::number(trace::NameId range) {
  for (std::size_t p = 0; range != 0 && p < kSyncPlaces; ++p) {
    if (ranges_[p] == 0) ranges_[p] = range;
    if (ranges_[p] == range) return static_cast<std::uint8_t>(p);
  }
  return Bubble::kNoPlace;
}

void set_judged(Summary& summary, Nanoseconds from, Nanoseconds to, const RunningTotals& totals,
                std::int64_t iterations, const SyncPlaces& places) {
  Judged& j = summary.judged;
  j = {};
  j.from_ns = from;
  j.to_ns = to;
  j.recorded_ns = totals.recorded_ns;
  j.busy_ns = totals.busy_ns;
  j.kernel_ns = totals.kernel_ns;
  j.exchange_ns = totals.kernel_ns - totals.compute_ns;
  j.bubble_by_cause_ns = totals.bubble_ns;
  j.after_read_ns = totals.after_read_ns;
  j.after_upload_ns = totals.after_upload_ns;
  j.iterations = iterations;
  j.sync_count = totals.sync_count;
  j.launch_count = totals.launch_count;
  j.copied_bytes = totals.h2d_bytes + totals.d2h_bytes;
  j.loader_wait_ns = totals.loader_wait_ns;
  j.host_wait_ns = totals.wait_ns;
  j.own_work_ns = totals.own_work_ns;
  j.stale_reads = totals.stale_reads;
  const auto most = std::max_element(totals.after_sync_at_ns.begin(), totals.after_sync_at_ns.end());
  j.sync_place_ns = *most;
  if (*most == 0) return;
  const auto place = static_cast<std::size_t>(most - totals.after_sync_at_ns.begin());
  j.sync_place = places.text(place);
  j.sync_place_kind = places.kind(place);
}

}  // namespace lanescope::analysis
