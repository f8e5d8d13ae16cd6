// The recordings of a job, one for each rank, in a folder.
#pragma once

#include <filesystem>
#include <string>

#include "analysis/gpu_job.h"
#include "io/trace_file.h"

namespace lanescope::analysis_test {

/// "rank0.lanescope", ...: iterations of a millisecond. Rank `late` computes for 600 µs, the others for 400 with so
/// many kernels, and all reduce until 700.
inline void write_ranks(const std::filesystem::path& folder, int ranks, int late, int iterations = 40,
                        int kernels = 2) {
  std::filesystem::create_directories(folder);
  for (int rank = 0; rank < ranks; ++rank) {
    trace::Trace trace;
    GpuJob job(1, trace);
    trace::LaneInfo lane;
    lane.kind = trace::LaneKind::Iterations;
    lane.name = "iterations";
    lane.pid = 100;
    const trace::LaneId loop = trace.add_lane(lane);
    const int each = (rank == late ? 600 : 400) / kernels;
    for (int i = 0; i < iterations; ++i) {
      const base::Nanoseconds t = 1000 * i;
      trace.append({.start_ns = t * 1000,
                    .end_ns = (t + 1000) * 1000,
                    .name = trace.names().intern("iteration"),
                    .a = static_cast<std::uint32_t>(i),
                    .lane = loop,
                    .kind = trace::EventKind::Range});
      for (int k = 0; k < kernels; ++k) job.kernel(0, "gemm", t + k * each, t + (k + 1) * each);
      job.kernel(0, kAllReduce, t + kernels * each, t + 700);
    }
    trace.publish();
    io::write_trace(folder / ("rank" + std::to_string(rank) + ".lanescope"), trace, {});
  }
}

}  // namespace lanescope::analysis_test
