// Promise: a query over events reads 1 GB/s. Of 10,000,000 events of a training loop, the launches and kernels but
// those with a 2 in their name are grouped by name and kind, and ordered by their 99th percentile: two thirds of all.
//
// What counts as read: of an event that the filter leaves out, the 20 bytes of its packed form, which holds its name
// (trace::PackedEvent: each of its cache lines is read); of one that passes, also the 16 bytes of its start and end.
// Not what is written: the durations that are kept.
#include <benchmark/benchmark.h>

#include <stdexcept>

#include "analysis/event_groups.h"
#include "promise.h"
#include "synthetic_loop.h"

namespace lanescope::bench {
namespace {

constexpr std::uint64_t kEvents = 10'000'000;

void query(benchmark::State& state) {
  for (auto _ : state) {
    const SyntheticTrace trace(kEvents);
    const analysis::EventQuery question{.names = analysis::NameQuery("ernel -2"),
                                        .group = analysis::GroupBy::NameAndKind,
                                        .order = {analysis::GroupColumn::P99},
                                        .limit = 20};
    std::vector<double> times;
    analysis::EventGroups answer;
    for (int i = 0; i < 5; ++i) {
      const double begin = worked_s();
      answer = event_groups(trace.trace(), question);
      times.push_back(worked_s() - begin);
    }
    if (answer.events == 0 || answer.groups.empty()) throw std::runtime_error("nothing was found");
    const double bytes = sizeof(trace::PackedEvent) * static_cast<double>(kEvents) +
                         2 * sizeof(trace::Nanoseconds) * static_cast<double>(answer.events);
    state.counters["passed"] = static_cast<double>(answer.events);
    state.counters["ns_per_event"] = median(times) * 1e9 / static_cast<double>(kEvents);
    at_least(state, bytes / median(times) * 1e-9, 1);
  }
}
BENCHMARK(query)
    ->Name("a query over 10,000,000 events (filter, group, order): GB/s of event bytes read per second of one core")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
