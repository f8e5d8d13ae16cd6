// A job of thousands of ranks that never ran: what each rank's summary would say, with stragglers planted in it.
//
// Nodes have 8 ranks. Each iteration has four all-reduces within a node, a reduce-scatter among the ranks of one place
// on all nodes of a pod, and an all-reduce among the ranks of one place in all pods. A rank begins what it has to do
// when the collective before has ended; a collective ends for all when the last has come and its transfer is over.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/job_summary.h"
#include "base/random.h"

namespace lanescope::analysis_test {

struct MadeUpJob {
  std::size_t nodes = 64, per_node = 8, nodes_of_pod = 8;
  std::uint64_t iterations = 33;
  std::uint64_t seed = 1;
  int slow_gpu = -1, slow_loader = -1, bad_link = -1;  // ranks
  int late_clock = -1, slow_node = -1;                 // nodes
  std::uint64_t slow_gpu_since = 0;                    // iteration
  double noise = 0.01;                                 // of kernels, in each stretch anew

  static constexpr double kKernelsUs = 900, kGapUs = 100, kTransferUs = 150, kLoaderUs = 3000;
  static constexpr std::size_t kInNode = 4;  // collectives
  static constexpr double kLateClockUs = 8000;

  std::size_t ranks() const { return nodes * per_node; }
  std::vector<analysis::JobSummary> summaries();
};

namespace made_up {

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}
  double uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }
  double gauss() {  // twelve of them are near enough
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }
  /// How much later an end is seen than it is: 1.4 µs, and one in ten 20 µs.
  double end_us() { return std::abs(1.4 * gauss()) + (uniform() < 0.1 ? 20 : 0); }

 private:
  base::Random random_;
};

struct Clock {  // of a node: monotonic = (true + offset) * rate
  double offset_us = 0, rate = 1, time_of_day_us = 0;
  base::Nanoseconds at(double true_us) const { return std::llround((true_us * rate + offset_us) * 1e3); }
};

}  // namespace made_up

inline std::vector<analysis::JobSummary> MadeUpJob::summaries() {
  using analysis::OwnPart;
  made_up::Noise random(seed);
  std::vector<made_up::Clock> clocks(nodes);
  for (std::size_t n = 0; n < nodes; ++n) {
    clocks[n].offset_us = std::floor(random.uniform() * 1e11);  // a day
    clocks[n].rate = 1 + 1e-6 * random.gauss();
    clocks[n].time_of_day_us = 100 * random.gauss();
    if (static_cast<int>(n) == late_clock) clocks[n].time_of_day_us -= kLateClockUs;
  }
  std::vector<analysis::JobSummary> all(ranks());
  const auto node_of = [&](std::size_t r) { return r / per_node; };
  const std::size_t pods = nodes / nodes_of_pod;
  for (std::size_t r = 0; r < all.size(); ++r) {
    analysis::JobSummary& s = all[r];
    const std::size_t n = node_of(r);
    s.who.rank = static_cast<int>(r);
    s.who.ranks = static_cast<int>(all.size());
    s.who.host = "n" + std::to_string(n);
    s.clock.clock = "boot " + std::to_string(n);
    s.clock.origin_ns = std::llround(clocks[n].offset_us * 1e3);
    for (const double at : {0.0, 1e6}) {
      s.clock.pairs.push_back(
          {clocks[n].at(at), std::llround((1.7e15 + at + clocks[n].time_of_day_us) * 1e3), 500'000});
    }
    s.causes = {{OwnPart::Loader, "train.py:41", 1'000'000, 10}, {OwnPart::Kernels, "gemm", 900'000'000, 1000}};
    if (static_cast<int>(r) == slow_gpu || static_cast<int>(n) == slow_node) s.causes[1].ns = 1'100'000'000;
    // Of this node, of this place in the pod, of this place in all pods.
    s.communicators = {
        {analysis::communicator_hash("node " + std::to_string(n)), {{"AllReduce", 4096}}},
        {analysis::communicator_hash("pod " + std::to_string(n / nodes_of_pod) + " place " +
                                     std::to_string(r % per_node)),
         {{"ReduceScatter", 1 << 20}}},
        {analysis::communicator_hash("places " + std::to_string(n % nodes_of_pod) + " " + std::to_string(r % per_node)),
         {{"AllReduce", 1 << 22}}}};
  }

  std::vector<double> free_us(all.size(), 0), start_us(all.size(), 0);
  std::vector<analysis::OwnWork> work(all.size());
  const auto begin = [&](std::uint64_t iteration, std::size_t step) {
    for (std::size_t r = 0; r < all.size(); ++r) {
      double kernels = kKernelsUs * (1 + random.gauss() * noise), loader = 0;
      if (static_cast<int>(r) == slow_gpu && iteration >= slow_gpu_since) kernels *= 1.15;
      if (static_cast<int>(node_of(r)) == slow_node) kernels *= 1.10;
      if (static_cast<int>(r) == slow_loader && step == 0 && iteration % 2 == 1) loader = kLoaderUs;
      start_us[r] = free_us[r] + kernels + kGapUs + loader;
      work[r] = {};
      work[r].known = true;
      work[r].kernels = 40;
      work[r][OwnPart::Kernels] = static_cast<std::uint32_t>(kernels * 10);
      work[r][OwnPart::Launch] = static_cast<std::uint32_t>(kGapUs * 10);
      work[r][OwnPart::Loader] = static_cast<std::uint32_t>(loader * 10);
    }
  };
  const auto exchange = [&](std::uint16_t communicator, std::uint64_t number, const std::vector<std::size_t>& members) {
    double last = 0;
    bool bad = false;
    for (const std::size_t r : members) {
      last = std::max(last, start_us[r]);
      bad |= static_cast<int>(r) == bad_link;
    }
    const double end = last + kTransferUs * (bad && communicator > 0 ? 3 : 1) * (1 + 0.02 * random.gauss());
    for (const std::size_t r : members) {
      const made_up::Clock& clock = clocks[node_of(r)];
      const double seen = end + random.end_us();
      const base::Nanoseconds origin = all[r].clock.origin_ns;
      all[r].collectives.push_back(
          {number, clock.at(start_us[r]) - origin, clock.at(seen) - origin, communicator, 0, work[r]});
      free_us[r] = seen;
    }
  };
  std::vector<std::size_t> members;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    const double iteration_us = free_us[0];
    for (std::size_t step = 0; step < kInNode; ++step) {
      begin(i, step);
      for (std::size_t n = 0; n < nodes; ++n) {
        members.clear();
        for (std::size_t k = 0; k < per_node; ++k) members.push_back(n * per_node + k);
        exchange(0, i * kInNode + step, members);
      }
    }
    begin(i, kInNode);
    for (std::size_t pod = 0; pod < pods; ++pod) {
      for (std::size_t k = 0; k < per_node; ++k) {
        members.clear();
        for (std::size_t n = 0; n < nodes_of_pod; ++n) members.push_back((pod * nodes_of_pod + n) * per_node + k);
        exchange(1, i, members);
      }
    }
    begin(i, kInNode + 1);
    for (std::size_t n = 0; n < nodes_of_pod; ++n) {
      for (std::size_t k = 0; k < per_node; ++k) {
        members.clear();
        for (std::size_t pod = 0; pod < pods; ++pod) members.push_back((pod * nodes_of_pod + n) * per_node + k);
        exchange(2, i, members);
      }
    }
    for (analysis::JobSummary& s : all) {
      s.iterations.push_back({i,
                              std::llround(iteration_us * 1e3),
                              static_cast<std::uint32_t>((free_us[0] - iteration_us) * 10),
                              static_cast<std::uint32_t>(kKernelsUs * 60),
                              {}});
    }
  }
  for (analysis::JobSummary& s : all) {
    s.figures.iterations = iterations;
    s.figures.collectives = s.collectives.size();
    s.figures.between_collectives_ns = s.collectives.back().end_ns - s.collectives.front().start_ns;
    s.figures.iteration_p50_ns = s.figures.between_collectives_ns / static_cast<base::Nanoseconds>(iterations);
  }
  return all;
}

}  // namespace lanescope::analysis_test
