#include "analysis/collective_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/time.h"
#include "base/translate.h"

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

}  // namespace lanescope::analysis
