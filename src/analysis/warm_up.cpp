#include "analysis/warm_up.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace lanescope::analysis {

bool distorts_verdict(Nanoseconds first_ns, std::int64_t others, Nanoseconds others_ns) {
  constexpr std::int64_t kFewestOthers = 3, kTimes = 2;
  return others >= kFewestOthers && first_ns * others > kTimes * others_ns;
}

bool loaded_code(Nanoseconds first_ns, std::int64_t iterations, Nanoseconds median_ns) {
  constexpr std::int64_t kFewest = 10, kTimes = 5;
  return iterations >= kFewest && first_ns >= kTimes * median_ns;
}

std::size_t warm_up_count(std::span<const IterationRecord> records, bool from_the_start) {
  constexpr std::size_t kFewest = 4, kMost = 1000;
  if (records.size() < kFewest) return 0;
  records = records.first(std::min(records.size(), kMost));
  std::vector<Nanoseconds> durations;
  for (const IterationRecord& record : records) durations.push_back(record.duration());
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  const Nanoseconds usual = *middle;
  std::size_t count = from_the_start ? 1 : 0;
  while (count < records.size() / 4 && records[count].duration() > 2 * usual) ++count;
  return count;
}

std::span<const IterationRecord> steady_records(std::span<const IterationRecord> records, bool from_the_start) {
  if (records.empty() || records.front().number != 1) return records;
  return records.subspan(warm_up_count(records, from_the_start));
}

Settled settled_from(std::span<const IterationRecord> records, std::optional<Nanoseconds> changed_ns) {
  constexpr std::ptrdiff_t kFewest = 3;
  const Nanoseconds changed = changed_ns.value_or(records.front().start_ns);
  auto first = std::partition_point(records.begin(), records.end(),
                                    [&](const IterationRecord& r) { return r.start_ns < changed; });
  if (changed_ns && first != records.begin()) {
    const IterationRecord& last = *std::prev(first);
    first = std::partition_point(first, records.end(), [&](const IterationRecord& r) {
      return r.gpu_op_count - last.gpu_op_count < last.in_flight;
    });
  }
  if (records.end() - first < kFewest) return {changed, false};
  return {std::next(first)->start_ns, true};
}

}  // namespace lanescope::analysis
