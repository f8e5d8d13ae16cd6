#include "analysis/stragglers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "analysis/intervals.h"
#include "base/time.h"
#include "base/translate.h"
#include "trace/names.h"

namespace lanescope::analysis {
namespace {

using base::tr;

constexpr Nanoseconds kOfClockError = 10;

Nanoseconds mean_transfer(const Collective& one) {
  Nanoseconds sum = 0;
  for (const CollectivePart& part : one.parts) sum += std::max<Nanoseconds>(0, one.transfer_ns(part));
  return one.parts.empty() ? 0 : sum / static_cast<Nanoseconds>(one.parts.size());
}

}  // namespace

double bus_bytes(const Collective& one) {
  const auto gpus = static_cast<double>(one.parts.size());
  if (gpus < 2) return 0;
  const auto bytes = static_cast<double>(one.bytes);
  if (one.operation == "AllReduce") return bytes * 2 * (gpus - 1) / gpus;
  if (one.operation == "AllGather" || one.operation == "ReduceScatter") return bytes * (gpus - 1) / gpus;
  return one.operation == "Broadcast" || one.operation == "Reduce" ? bytes : 0;
}

double bus_rate(const Collective& one) {
  const Nanoseconds transfer = mean_transfer(one);
  return transfer > 0 ? bus_bytes(one) / static_cast<double>(transfer) * 1e9 : 0;
}

std::vector<GroupRate> group_rates(const Collectives& collectives, std::uint64_t least_bytes) {
  struct Sum {
    std::vector<double> rates;
    Nanoseconds transfer_ns = 0;
  };
  std::map<std::vector<trace::GpuNumber>, Sum> groups;
  for (const Collective& one : collectives.all) {
    const Nanoseconds transfer = mean_transfer(one);
    const double rate = bus_rate(one);
    if (one.bytes < least_bytes || rate <= 0 || transfer < kOfClockError * collectives.clock_error_ns) continue;
    std::vector<trace::GpuNumber> gpus;
    for (const CollectivePart& part : one.parts) gpus.push_back(part.gpu);
    Sum& sum = groups[std::move(gpus)];
    sum.rates.push_back(rate);
    sum.transfer_ns += transfer;
  }
  std::vector<GroupRate> found;
  for (auto& [gpus, sum] : groups) {
    const auto middle = sum.rates.begin() + static_cast<std::ptrdiff_t>(sum.rates.size() / 2);
    std::ranges::nth_element(sum.rates, middle);
    found.push_back({gpus, static_cast<std::int64_t>(sum.rates.size()), *middle, sum.transfer_ns});
  }
  return found;
}

std::string rate_text(double bytes_per_s) { return fmt::format("{:.1f} GB/s", bytes_per_s / 1e9); }

std::string group_text(const Collectives& collectives, const GroupRate& group) {
  constexpr std::size_t kNamed = 4;
  if (group.gpus.size() > kNamed) return tr("{} GPUs", group.gpus.size());
  std::string names;
  for (const trace::GpuNumber gpu : group.gpus) {
    const auto of = std::ranges::find(collectives.gpus, gpu, &GpuCollectives::gpu);
    if (of == collectives.gpus.end()) continue;
    names += (names.empty() ? "" : ", ") + of->name;
  }
  return names;
}

std::vector<std::string> rate_sentences(const Collectives& collectives) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> sentences;
  const std::vector<GroupRate> groups = group_rates(collectives);
  for (const GroupRate& group : groups) {
    if (sentences.size() == kMost) break;
    const std::string rate = rate_text(group.bytes_per_s), count = base::format_count(group.collectives);
    const std::string least = base::format_bytes(static_cast<std::int64_t>(limits::kLargeExchange));
    sentences.push_back(
        groups.size() == 1
            ? tr("Each link carries {} (bus bandwidth, median of {} collectives of {} or more).", rate, count, least)
            : tr("Between {} each link carries {} (bus bandwidth, median of {} collectives of {} or more).",
                 group_text(collectives, group), rate, count, least));
  }
  return sentences;
}

// --- stragglers ------------------------------------------------------------------------------------------------------

namespace {

using trace::EventIndex;
using trace::GpuNumber;
using trace::LaneId;

struct OfName {
  Nanoseconds ns = 0;
  std::int64_t count = 0;
  Place longest;
};

// What one GPU did in one stretch.
struct Stretch {
  std::array<Nanoseconds, kLateBy> part_ns{};
  std::map<base::NameId, OfName> kernels;
  Place longest_copy, longest_gap;
};

Nanoseconds duration(const Place& place) { return place.end_ns - place.start_ns; }
void keep_longer(Place& longest, const Place& other) {
  if (duration(other) > duration(longest)) longest = other;
}

class Reader {
 public:
  explicit Reader(const trace::Trace& trace) : trace_(trace), owners_(trace) {
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const auto lane = static_cast<LaneId>(l);
      const GpuNumber gpu = owners_.gpu_of(lane);
      if (gpu != trace::kNobody) lanes_[gpu].push_back(lane);
    }
  }

  // Both under a ReadLock.
  bool recorded(GpuNumber gpu, Nanoseconds from, Nanoseconds to) const {
    const trace::Coverage& coverage = trace_.coverage(owners_.processes()[owners_.gpus()[gpu].process].pid);
    return to <= from || coverage.complete() || coverage.recorded_ns(from, to) == to - from;
  }
  Stretch read(GpuNumber gpu, LaneId lane_of_gaps, Nanoseconds from, Nanoseconds to) const {
    Stretch stretch;
    if (to <= from) return stretch;
    std::vector<Interval> kernels, all;
    const auto lanes = lanes_.find(gpu);
    if (lanes == lanes_.end()) return stretch;
    for (const LaneId lane : lanes->second) {
      const bool copies = trace_.lane(lane).info().kind != trace::LaneKind::Kernels;
      for_events(lane, from, to, [&](const trace::Row& row, EventIndex i) {
        const Place place{lane, row.start(i), row.end(i)};
        const Interval inside{std::max(from, place.start_ns), std::min(to, place.end_ns)};
        all.push_back(inside);
        if (copies) {
          keep_longer(stretch.longest_copy, place);
          return;
        }
        kernels.push_back(inside);
        OfName& of = stretch.kernels[row.look(i).name];
        of.ns += inside.second - inside.first;
        ++of.count;
        keep_longer(of.longest, place);
      });
    }
    all = merged(std::move(all));
    const Nanoseconds busy = length(all), computing = length(merged(std::move(kernels)));
    stretch.part_ns = {computing, busy - computing, to - from - busy};
    Nanoseconds at = from;
    for (const Interval& i : all) {
      keep_longer(stretch.longest_gap, {lane_of_gaps, at, i.first});
      at = i.second;
    }
    keep_longer(stretch.longest_gap, {lane_of_gaps, at, to});
    return stretch;
  }

 private:
  template <class Visit>
  void for_events(LaneId lane_id, Nanoseconds from, Nanoseconds to, Visit visit) const {
    const trace::Lane& lane = trace_.lane(lane_id);
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const EventIndex last = row.last();
      for (auto i = row.first_ending_after(from, row.first(), last); i < last && row.start(i) < to; ++i) visit(row, i);
    }
  }

  const trace::Trace& trace_;
  trace::Owners owners_;
  std::map<GpuNumber, std::vector<LaneId>> lanes_;
};

// Adds up what one GPU did, and what the others did on average.
class Sums {
 public:
  Sums(const trace::Trace& trace, GpuNumber gpu) : reader_(trace), gpu_(gpu) {}

  // `since`: the end of the last collective of each part's GPU.
  void add(const Collective& one, const std::vector<Nanoseconds>& since) {
    // From one burst to the next, nobody knows what they did.
    for (std::size_t p = 0; p < one.parts.size(); ++p) {
      if (!reader_.recorded(one.parts[p].gpu, since[p], one.parts[p].start_ns)) return;
    }
    const double share = 1 / static_cast<double>(one.parts.size() - 1);
    for (std::size_t p = 0; p < one.parts.size(); ++p) {
      const CollectivePart& part = one.parts[p];
      const bool own = p == one.last;
      const Stretch stretch = reader_.read(part.gpu, part.place.lane, since[p], part.start_ns);
      for (std::size_t i = 0; i < kLateBy; ++i) {
        excess_[i] += (own ? 1 : -share) * static_cast<double>(stretch.part_ns[i]);
      }
      for (const auto& [name, of] : stretch.kernels) {
        Kernel& kernel = kernels_[name];
        kernel.excess += (own ? 1 : -share) * static_cast<double>(of.ns);
        (own ? kernel.launches : kernel.elsewhere) += (own ? 1 : share) * static_cast<double>(of.count);
        if (own) keep_longer(kernel.longest, of.longest);
      }
      if (!own) continue;
      keep_longer(longest_copy_, stretch.longest_copy);
      keep_longer(longest_gap_, stretch.longest_gap);
    }
    ++count_;
  }

  Lateness result() const {
    Lateness lateness;
    lateness.gpu = gpu_;
    lateness.collectives = count_;
    if (count_ == 0) return lateness;
    for (std::size_t i = 0; i < kLateBy; ++i) {
      lateness.part_ns[i] = std::llround(excess_[i]);
      lateness.late_ns += lateness.part_ns[i];
    }
    lateness.by = static_cast<LateBy>(std::ranges::max_element(lateness.part_ns) - lateness.part_ns.begin());
    const auto most = std::ranges::max_element(kernels_, {}, [](const auto& k) { return k.second.excess; });
    if (most != kernels_.end() && most->second.excess > 0) {
      lateness.kernel = most->first;
      lateness.kernel_ns = std::llround(most->second.excess);
      lateness.launches = most->second.launches;
      lateness.launches_elsewhere = most->second.elsewhere;
    }
    switch (lateness.by) {
      case LateBy::Kernels:
        if (lateness.kernel != 0) lateness.place = most->second.longest;
        break;
      case LateBy::Copies:
        lateness.place = longest_copy_;
        break;
      case LateBy::Idle:
        lateness.place = longest_gap_;
        break;
    }
    return lateness;
  }

 private:
  struct Kernel {
    double excess = 0, launches = 0, elsewhere = 0;
    Place longest;
  };

  Reader reader_;
  GpuNumber gpu_;
  std::int64_t count_ = 0;
  std::array<double, kLateBy> excess_{};
  std::map<base::NameId, Kernel> kernels_;
  Place longest_copy_, longest_gap_;
};

// The ends of the last collectives that these GPUs took part in before `number`; empty if one of them had none.
std::optional<std::vector<Nanoseconds>> ends_before(const Collectives& collectives, std::size_t number) {
  const Collective& one = collectives.all[number];
  std::vector<Nanoseconds> ends(one.parts.size(), 0);
  std::size_t missing = one.parts.size();
  std::vector<bool> found(one.parts.size(), false);
  for (std::size_t k = number; k-- > 0 && missing > 0;) {
    for (const CollectivePart& part : collectives.all[k].parts) {
      const auto same = std::ranges::find(one.parts, part.gpu, &CollectivePart::gpu);
      if (same == one.parts.end()) continue;
      const auto p = static_cast<std::size_t>(same - one.parts.begin());
      if (found[p]) continue;
      found[p] = true;
      --missing;
      ends[p] = part.end_ns;
    }
  }
  if (missing > 0) return std::nullopt;
  return ends;
}

}  // namespace

std::string_view late_by_key(LateBy by) {
  constexpr std::array<std::string_view, kLateBy> kKeys{"kernels", "copies", "idle"};
  return kKeys[static_cast<std::size_t>(by)];
}

Lateness lateness_of(const trace::Trace& trace, const Collectives& collectives, std::size_t number) {
  const Collective& one = collectives.all[number];
  Sums sums(trace, one.parts[one.last].gpu);
  const trace::Trace::ReadLock lock(trace);
  if (const auto ends = ends_before(collectives, number)) sums.add(one, *ends);
  return sums.result();
}

Lateness lateness_of_gpu(const trace::Trace& trace, const Collectives& collectives, GpuNumber gpu, std::size_t most) {
  Sums sums(trace, gpu);
  const trace::Trace::ReadLock lock(trace);
  std::size_t looked = 0;
  for (std::size_t k = collectives.all.size(); k-- > 0 && looked < most;) {
    const Collective& one = collectives.all[k];
    if (one.parts[one.last].gpu != gpu) continue;
    ++looked;
    if (const auto ends = ends_before(collectives, k)) sums.add(one, *ends);
  }
  return sums.result();
}

std::optional<GpuNumber> most_often_last(const Collectives& collectives) {
  if (collectives.verdict == CollectiveVerdict::Inconclusive) return std::nullopt;
  return std::ranges::max_element(collectives.gpus, {}, &GpuCollectives::arrived_last)->gpu;
}

std::optional<Lateness> lateness_of_worst(const trace::Trace& trace, const Collectives& collectives) {
  const std::optional<GpuNumber> last = most_often_last(collectives);
  if (!last) return std::nullopt;
  const Lateness lateness = lateness_of_gpu(trace, collectives, *last);
  return lateness.collectives > 0 ? std::optional(lateness) : std::nullopt;
}

std::string collectives_text(const trace::Trace& trace, const Collectives& collectives,
                             const std::optional<Lateness>& worst) {
  std::string text = collectives.sentence;
  const bool waiting =
      collectives.verdict == CollectiveVerdict::Skew || collectives.verdict == CollectiveVerdict::Mixed;
  if (!worst || !waiting) return text;
  const std::string because = lateness_text(trace, *worst);
  if (!because.empty()) text += ' ' + tr("Between two collectives {}.", because);
  return text;
}

std::string lateness_text(const trace::Trace& trace, const Lateness& lateness) {
  if (lateness.collectives == 0 || lateness.part(lateness.by) <= 0) return {};
  const auto each = [&](Nanoseconds ns) { return base::format_duration(ns / lateness.collectives); };
  const std::string longer = each(lateness.part(lateness.by));
  switch (lateness.by) {
    case LateBy::Copies:
      return tr("it copies for {} longer than the others", longer);
    case LateBy::Idle:
      return tr("it is idle for {} longer than the others", longer);
    case LateBy::Kernels:
      break;
  }
  if (lateness.kernel == 0) return tr("its kernels take {} longer than those of the others", longer);
  const auto n = static_cast<double>(lateness.collectives);
  const std::string name = trace::short_kernel_name(trace.names().text(lateness.kernel));
  if (!lateness.more_launches()) {
    return tr("its kernels take {} longer than those of the others, {} of it in {}", longer, each(lateness.kernel_ns),
              name);
  }
  return tr("its kernels take {} longer than those of the others: {:.1f} launches of {} instead of {:.1f}", longer,
            lateness.launches / n, name, lateness.launches_elsewhere / n);
}

}  // namespace lanescope::analysis
