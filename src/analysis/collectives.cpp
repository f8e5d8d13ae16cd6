#include "analysis/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "analysis/intervals.h"
#include "analysis/summary.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;
using trace::Event;
using trace::GpuNumber;
using trace::LaneId;

constexpr std::int64_t kFewest = 10;            // collectives, to say anything of them
constexpr double kMostUnmatched = 0.2;          // of the kernels
constexpr double kSkew = 0.6, kTransfer = 0.4;  // of the time: waiting

constexpr std::string_view kGeneric = "Generic";

// "_allgather_base", "reduce_scatter_tensor_coalesced", "all_to_allv"
std::string_view named_by(const trace::CollectiveFacts& says) {
  std::string name = says.name;
  std::erase(name, '_');
  // The longer ones first.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kNames{{{"allreduce", "AllReduce"},
                                                                                 {"allgather", "AllGather"},
                                                                                 {"reducescatter", "ReduceScatter"},
                                                                                 {"alltoall", "AllToAll"},
                                                                                 {"broadcast", "Broadcast"},
                                                                                 {"send", "SendRecv"},
                                                                                 {"recv", "SendRecv"},
                                                                                 {"reduce", "Reduce"},
                                                                                 {"gather", "Gather"}}};
  for (const auto& [part, operation] : kNames) {
    if (name.find(part) != std::string::npos) return operation;
  }
  return kGeneric;
}

// PyTorch's symmetric memory: multimem_one_shot_all_reduce_kernel, two_shot_all_reduce_kernel; vLLM's
// cross_device_reduce_1stage.
std::string_view without_nccl(std::string_view kernel) {
  const auto has = [kernel](std::string_view part) { return kernel.find(part) != std::string_view::npos; };
  if (has("cross_device_reduce")) return "AllReduce";
  if (!has("multimem_") && !has("one_shot_") && !has("two_shot_")) return {};
  return has("all_reduce")       ? "AllReduce"
         : has("all_gather")     ? "AllGather"
         : has("reduce_scatter") ? "ReduceScatter"
                                 : "";
}

/// Whether to stop; looks at it now and then, by the number of what is done.
struct StopAsked {
  const base::Stop* stop = nullptr;
  bool operator()(std::uint64_t number) const {
    constexpr std::uint64_t kEvery = 4096;
    return stop != nullptr && number % kEvery == 0 && *stop;
  }
};

struct Kernel {
  std::string_view operation;
  CollectivePart part;
  std::string group;  // as in CollectiveFacts, or that of others on its GPU
  const trace::CollectiveFacts* says = nullptr;
  bool used = false;
};

bool can_be_one(const Kernel& a, const Kernel& b) {
  if (a.operation != b.operation || a.group != b.group) return false;
  const auto &first = a.says->sequence, &second = b.says->sequence;
  return a.operation == "SendRecv" || !first || !second || *first == *second;
}

// The kernels of one GPU that start in the stretch: its collectives, and the times of the others.
struct OfGpu {
  std::vector<Kernel> collectives;  // by start
  std::vector<Interval> others;
};

// Most traces have none, and need not be read.
bool has_collectives(const trace::Trace& trace) {
  for (base::NameId id = 0; id < trace.names().size(); ++id) {
    if (!collective_operation(trace.names().text(id)).empty()) return true;
  }
  return false;
}

std::map<GpuNumber, OfGpu> read(const trace::Trace& trace, std::span<const TimeSpan> stretches, const StopAsked& stop) {
  std::map<GpuNumber, OfGpu> gpus;
  std::map<base::NameId, std::string_view> operations;
  const trace::Owners owners(trace);
  const trace::Trace::ReadLock lock(trace);
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const auto id = static_cast<LaneId>(l);
    const trace::Lane& lane = trace.lane(id);
    const GpuNumber gpu = owners.gpu_of(id);
    if (lane.info().kind != trace::LaneKind::Kernels || gpu == trace::kNobody) continue;
    for (std::size_t r = 0; r < lane.row_count(); ++r) {
      const trace::Row& row = lane.row(r);
      const trace::EventIndex last = row.last();
      trace::EventIndex i = row.first();
      for (const TimeSpan& stretch : stretches) {
        for (i = row.first_starting_at_or_after(stretch.from, i, last); i < last; ++i) {
          const Event event = row.event(i);
          if (event.start_ns >= stretch.to) break;
          if (stop(i)) return {};
          const auto [known, is_new] = operations.try_emplace(event.name);
          if (is_new) known->second = collective_operation(trace.names().text(event.name));
          if (known->second.empty()) {
            if (event.kind == trace::EventKind::Kernel) gpus[gpu].others.emplace_back(event.start_ns, event.end_ns);
          } else {
            const trace::CollectiveFacts& says = trace.collectives().of(trace::arguments_of(event));
            gpus[gpu].collectives.push_back(
                {known->second == kGeneric ? named_by(says) : known->second,
                 {gpu, {id, static_cast<std::uint16_t>(r), i}, event.start_ns, event.end_ns},
                 says.group,
                 &says});
          }
        }
      }
    }
  }
  std::erase_if(gpus, [](const auto& gpu) { return gpu.second.collectives.empty(); });
  for (auto& [number, gpu] : gpus) {
    std::ranges::stable_sort(gpu.collectives, {}, [](const Kernel& k) { return k.part.start_ns; });
  }
  return gpus;
}

/// The communicator of some kernels, if all of them that say one say the same.
class OnlyCommunicator {
 public:
  void add(const std::string& group) {
    if (group.empty() || group == group_) return;
    several_ = !group_.empty();
    group_ = group;
  }
  const std::string* known() const { return group_.empty() || several_ ? nullptr : &group_; }

 private:
  std::string group_;
  bool several_ = false;
};

// A kernel that was launched before a burst of recording does not say its communicator: it has that of the other
// kernels of its stream, or else the only one of the job.
void name_communicators(std::map<GpuNumber, OfGpu>& gpus) {
  OnlyCommunicator of_all;
  std::map<LaneId, OnlyCommunicator> of_streams;
  for (const auto& [number, gpu] : gpus) {
    for (const Kernel& kernel : gpu.collectives) {
      of_all.add(kernel.group);
      of_streams[kernel.part.place.lane].add(kernel.group);
    }
  }
  for (auto& [number, gpu] : gpus) {
    for (Kernel& kernel : gpu.collectives) {
      if (!kernel.group.empty()) continue;
      const std::string* known = of_streams[kernel.part.place.lane].known();
      if (known == nullptr) known = of_all.known();
      if (known != nullptr) kernel.group = *known;
    }
  }
}

Nanoseconds last_but_one(const Collective& one) {
  Nanoseconds start = std::numeric_limits<Nanoseconds>::min();
  for (std::size_t p = 0; p < one.parts.size(); ++p) {
    if (p != one.last) start = std::max(start, one.parts[p].start_ns);
  }
  return start;
}

using Kernels = std::map<GpuNumber, std::vector<Kernel*>>;  // of each GPU that takes part, by start

// Those of one communicator are matched apart from all others. Where none is known, all GPUs are taken for one.
std::map<std::string, Kernels> by_communicator(std::map<GpuNumber, OfGpu>& gpus) {
  std::map<std::string, Kernels> groups;
  for (auto& [number, gpu] : gpus) {
    for (Kernel& kernel : gpu.collectives) groups[kernel.group][number].push_back(&kernel);
  }
  return groups;
}

// For each kernel of the first GPU, the first on each other one that is not taken yet, can be of the same collective,
// and runs at the same time as all that were found.
void match(Kernels& gpus, Nanoseconds clock_error_ns, const StopAsked& stop, std::vector<Collective>& all) {
  std::map<GpuNumber, std::size_t> from;  // everything before ended before the kernel that is looked at
  for (Kernel* const first_kernel : gpus.begin()->second) {
    if (stop(all.size())) return;
    Kernel& first = *first_kernel;
    Collective found;
    found.operation = first.operation;
    found.parts = {first.part};
    found.last_start_ns = first.part.start_ns;
    std::vector<Kernel*> taken{&first};
    Nanoseconds end = first.part.end_ns;
    for (auto other = std::next(gpus.begin()); other != gpus.end(); ++other) {
      const std::vector<Kernel*>& kernels = other->second;
      std::size_t& begin = from[other->first];
      while (begin < kernels.size() &&
             (kernels[begin]->used || kernels[begin]->part.end_ns + clock_error_ns <= first.part.start_ns))
        ++begin;
      Kernel* partner = nullptr;
      for (std::size_t i = begin; i < kernels.size() && kernels[i]->part.start_ns < end + clock_error_ns; ++i) {
        if (kernels[i]->used || !can_be_one(first, *kernels[i]) ||
            kernels[i]->part.end_ns + clock_error_ns <= found.last_start_ns) {
          continue;
        }
        partner = kernels[i];
        break;
      }
      if (!partner) break;
      taken.push_back(partner);
      found.parts.push_back(partner->part);
      end = std::min(end, partner->part.end_ns);
      if (partner->part.start_ns > found.last_start_ns) {
        found.last_start_ns = partner->part.start_ns;
        found.last = found.parts.size() - 1;
      }
    }
    if (found.parts.size() != gpus.size()) continue;
    found.last_but_one_ns = last_but_one(found);
    for (Kernel* kernel : taken) {
      kernel->used = true;
      if (found.bytes > 0) continue;  // all say the same, or nothing
      found.bytes = bytes_of_collective(*kernel->says, found.operation, found.parts.size());
    }
    all.push_back(std::move(found));
  }
}

// Recorded in bursts, ranks do not record at exactly the same times: what is missing then says nothing.
bool others_recorded(const trace::Trace& trace, const trace::Owners& owners, const std::map<GpuNumber, OfGpu>& gpus,
                     const CollectivePart& part) {
  const trace::Trace::ReadLock lock(trace);
  return std::ranges::all_of(gpus, [&](const auto& other) {
    const trace::Coverage& coverage = trace.coverage(owners.processes()[owners.gpus()[other.first].process].pid);
    return other.first == part.gpu || coverage.complete() ||
           coverage.recorded_ns(part.start_ns, part.end_ns) == part.end_ns - part.start_ns;
  });
}

void judge(Collectives& result, Nanoseconds clock_error_ns) {
  Nanoseconds wait = 0, transfer = 0;
  std::int64_t kernels = result.unmatched;
  for (const GpuCollectives& gpu : result.gpus) {
    wait += gpu.wait_ns;
    transfer += gpu.transfer_ns;
    kernels += gpu.count;
  }
  const auto count = static_cast<std::int64_t>(result.all.size());
  if (result.gpus.size() < 2) {
    result.sentence = tr("Only one GPU of these collectives is in the trace, so nobody knows who arrived last.");
    return;
  }
  if (static_cast<double>(result.unmatched) > kMostUnmatched * static_cast<double>(kernels)) {
    result.sentence = tr("{} of {} collective kernels have no counterpart on the other GPUs: that says too little.",
                         base::format_count(result.unmatched), base::format_count(kernels));
    return;
  }
  if (count < kFewest || wait + transfer <= 0) {
    result.sentence = tr("{} collectives are too few to judge.", count);
    return;
  }
  const double share = static_cast<double>(wait) / static_cast<double>(wait + transfer);
  const auto last = std::ranges::max_element(result.gpus, {}, &GpuCollectives::arrived_last);
  Nanoseconds waiting = 0;  // parts: in each collective, all but the last
  for (const Collective& one : result.all) waiting += static_cast<Nanoseconds>(one.parts.size()) - 1;
  const Nanoseconds mean_wait = wait / waiting;
  if (mean_wait > 0 && mean_wait < 2 * clock_error_ns) {
    result.sentence = tr("Their clocks are known to {} only, too little to say who arrived last.",
                         base::format_duration(clock_error_ns));
    return;
  }
  result.verdict = share > kSkew       ? CollectiveVerdict::Skew
                   : share < kTransfer ? CollectiveVerdict::Transfer
                                       : CollectiveVerdict::Mixed;
  const int percent = static_cast<int>(share * 100 + 0.5);
  const int of_last =
      static_cast<int>(100.0 * static_cast<double>(last->arrived_last) / static_cast<double>(count) + 0.5);
  result.sentence =
      result.verdict == CollectiveVerdict::Transfer
          ? tr("Transfer-dominated: {} % of the time in collectives is waiting for the last GPU.", percent)
          : tr("{}: {} % of the time in collectives is waiting for the last GPU, which is {} in {} % of them.",
               result.verdict == CollectiveVerdict::Skew ? tr("Arrival-skew-dominated") : tr("Mixed"), percent,
               last->name, of_last);
}

}  // namespace

std::string_view verdict_key(CollectiveVerdict verdict) {
  constexpr std::array<std::string_view, 4> kKeys{"inconclusive", "transfer-dominated", "arrival-skew-dominated",
                                                  "mixed"};
  return kKeys[static_cast<std::size_t>(verdict)];
}

std::string_view collective_operation(std::string_view kernel) {
  // ncclDevKernel_AllReduce_Sum_f32_RING_LL, ncclKernel_AllGather_RING_LL_Sum_int8_t, ncclAllReduceRingLLKernel_sum_f32
  const std::size_t at = kernel.find("nccl");  // RCCL's, too
  if (at == std::string_view::npos || kernel.find("ernel", at) == std::string_view::npos) return without_nccl(kernel);
  // The longer ones first.
  constexpr std::array<std::string_view, 9> kOperations{
      "AllReduce", "AllGather", "ReduceScatter", "AllToAll", "SendRecv", "Broadcast", "Reduce", kGeneric, "Gather"};
  for (const std::string_view operation : kOperations) {
    if (kernel.find(operation, at) != std::string_view::npos) return operation;
  }
  return {};
}

std::string_view collective_operation(std::string_view kernel, const trace::CollectiveFacts& says) {
  const std::string_view operation = collective_operation(kernel);
  return operation == kGeneric ? named_by(says) : operation;
}

Collectives collectives(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, Nanoseconds clock_error_ns,
                        const base::Stop* stop) {
  const TimeSpan all{from, to};
  return collectives(trace, {&all, 1}, clock_error_ns, stop);
}

Collectives collectives(const trace::Trace& trace, std::span<const TimeSpan> stretches, Nanoseconds clock_error_ns,
                        const base::Stop* stop) {
  Collectives result;
  result.clock_error_ns = clock_error_ns;
  if (!has_collectives(trace)) return result;
  const StopAsked asked{stop};
  std::map<GpuNumber, OfGpu> gpus = read(trace, stretches, asked);
  if (gpus.empty()) return result;
  name_communicators(gpus);
  for (auto& [group, kernels] : by_communicator(gpus)) {
    if (kernels.size() > 1) match(kernels, clock_error_ns, asked, result.all);
  }
  if (asked(0)) return {};
  std::ranges::stable_sort(result.all, {}, [](const Collective& c) { return c.parts.front().start_ns; });
  std::map<GpuNumber, GpuCollectives> sums;
  std::map<GpuNumber, std::vector<Interval>> transfers;
  for (const Collective& one : result.all) {
    for (std::size_t p = 0; p < one.parts.size(); ++p) {
      const CollectivePart& part = one.parts[p];
      GpuCollectives& sum = sums[part.gpu];
      ++sum.count;
      sum.wait_ns += one.waited_ns(part);
      sum.transfer_ns += std::max<Nanoseconds>(0, one.transfer_ns(part));
      transfers[part.gpu].emplace_back(one.last_start_ns, part.end_ns);
      if (p != one.last) continue;
      ++sum.arrived_last;
      sum.delays_ns += one.last_start_ns - one.last_but_one_ns;
    }
  }
  const trace::Owners owners(trace);
  for (auto& [number, gpu] : gpus) {
    GpuCollectives& sum = sums[number];
    sum.gpu = number;
    std::vector<Interval> own;
    for (const Kernel& kernel : gpu.collectives) {
      own.emplace_back(kernel.part.start_ns, kernel.part.end_ns);
      if (!kernel.used && others_recorded(trace, owners, gpus, kernel.part)) ++result.unmatched;
    }
    const std::vector<Interval> others = merged(std::move(gpu.others));
    const auto alone = [&](const std::vector<Interval>& which) { return length(which) - overlap(which, others); };
    own = merged(std::move(own));
    sum.communication_ns = length(own);
    sum.exposed_ns = alone(own);
    sum.exposed_transfer_ns = alone(merged(std::move(transfers[number])));
  }
  for (auto& [number, sum] : sums) {
    sum.name = gpu_name(owners, number);
    result.gpus.push_back(std::move(sum));
  }
  std::ranges::stable_sort(result.gpus, {}, [&](const GpuCollectives& gpu) {
    return owners.rank_of(owners.gpus()[gpu.gpu].process).value_or(std::numeric_limits<int>::max());
  });
  judge(result, clock_error_ns);
  return result;
}

std::uint64_t bytes_of_collective(const trace::CollectiveFacts& says, std::string_view operation, std::size_t gpus) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;  // more than any GPU has
  std::uint64_t bytes = 0;
  if (says.bytes) {
    // NCCL says of these what one GPU has of the whole.
    const bool of_one = operation == "AllGather" || operation == "ReduceScatter";
    bytes = std::min(*says.bytes, kMostBytes) * (of_one ? gpus : 1);
  } else {
    bytes = std::min(says.elements, kMostBytes) * says.element_bytes;
  }
  return bytes <= kMostBytes ? bytes : 0;
}

}  // namespace lanescope::analysis
