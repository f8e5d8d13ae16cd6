// Promise: 4,096 ranks with 200 collectives each are joined in at most 2 s and 500 MB. The summaries are unpacked from
// the bytes of their files, as `lanescope join` does; reading them from a disk is not measured.
#include <benchmark/benchmark.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/job_join.h"
#include "analysis/made_up_job.h"
#include "io/summary_file.h"
#include "promise.h"
#include "resident.h"

namespace lanescope::bench {
namespace {

std::vector<std::string> files() {
  analysis_test::MadeUpJob job{.nodes = 512, .nodes_of_pod = 16, .slow_gpu = 1234};
  std::vector<std::string> files;
  for (analysis::JobSummary& summary : job.summaries()) files.push_back(io::packed_summary(std::move(summary)));
  return files;
}

analysis::JobReport joined(const std::vector<std::string>& files) {
  analysis::JobJoin join(files.size());
  for (const std::string& file : files) join.add(io::unpacked_summary(file, "rank"));
  analysis::JobReport report = join.report();
  if (report.findings.size() != 1) throw std::runtime_error("the slow rank was not found");
  return report;
}

void join_time(benchmark::State& state) {
  const std::vector<std::string> all = files();
  for (auto _ : state) {
    std::vector<double> times;
    for (int i = 0; i < 3; ++i) {
      const double begin = worked_s();
      joined(all);
      times.push_back(worked_s() - begin);
    }
    at_most(state, median(times), 2);
  }
}
BENCHMARK(join_time)->Name("4,096 ranks with 198 collectives joined: s")->Iterations(1)->Unit(benchmark::kSecond);

void join_memory(benchmark::State& state) {
  const std::vector<std::string> all = files();
  for (auto _ : state) {
    const PeakMemory peak;
    joined(all);
    at_most(state, peak.bytes() * 1e-6, 500);
  }
}
BENCHMARK(join_memory)->Name("4,096 ranks with 198 collectives joined: MB")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace lanescope::bench
