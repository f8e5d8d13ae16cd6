// A file with a job of several GPUs, one of which is late.
#pragma once

#include "analysis/gpu_job.h"
#include "analysis/rank_recordings.h"
#include "desk/desk.h"
#include "io/trace_file.h"

namespace lanescope::ui_test {

/// 40 times a millisecond: GPU `late` computes for 600 µs, the others for 400, and all reduce until 700.
inline std::filesystem::path write_job(Desk& desk, int gpus, int late) {
  trace::Trace trace;
  analysis_test::GpuJob job(gpus, trace);
  for (int i = 0; i < 40; ++i) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const base::Nanoseconds t = 1000 * i, until = t + (gpu == late ? 600 : 400);
      job.kernel(gpu, "gemm", t, t + 200);
      job.kernel(gpu, "softmax", t + 200, until);
      job.kernel(gpu, analysis_test::kAllReduce, until, t + 700);
    }
  }
  trace.publish();
  const std::filesystem::path path = desk.home() / "job.json";
  io::write_chrome_trace(path, trace, {});
  return path;
}

/// Opens it, and waits for its bands.
inline bool open_job(Desk& desk, int gpus, int late) {
  desk.state().requests.files = {write_job(desk, gpus, late)};
  return desk.until([&] {
    return !desk.state().model.live() && !desk.state().job.collectives().all.empty() && desk.has_place("job");
  });
}

/// A folder of recordings, opened as a map.
inline bool open_ranks(Desk& desk, int ranks, int late) {
  const std::filesystem::path folder = desk.home() / "ranks";
  analysis_test::write_ranks(folder, ranks, late);
  desk.state().requests.files = {folder};
  return desk.until([&] { return desk.state().job_folder.on() && !desk.state().job_folder.reading(); }) &&
         desk.until([&] { return desk.has_place("job_map"); });
}

}  // namespace lanescope::ui_test
