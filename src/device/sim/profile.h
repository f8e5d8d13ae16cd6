// The numbers of one machine that a simulated device runs on, and where each number is from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::device::sim {

/// Every number in a profile file is written with its source:  launch_us = { value = 2.5, source = "assumed: ..." }.
/// A source begins with "measured", "published" (by whom), "fitted" (to what) or "assumed". A number that comes from
/// one of the numbers which the tutorials published names it, too:  from = ["P20.h2d_pinned"]  (experiment and name).
struct DeviceProfile {
  /// What the calling thread spends.
  struct Cpu {
    double dispatch_us = 0;       ///< the framework's own cost per op that is usual on this machine
    double launch_us = 0;         ///< cudaLaunchKernel
    double memcpy_us = 0;         ///< cudaMemcpyAsync, cudaMemcpy: own cost, without moving bytes
    double memset_us = 0;         ///< cudaMemsetAsync
    double event_record_us = 0;   ///< cudaEventRecord
    double event_query_us = 0;    ///< cudaEventQuery
    double stream_wait_us = 0;    ///< cudaStreamWaitEvent
    double sync_us = 0;           ///< cuda*Synchronize: own cost before it waits
    double idle_return_us = 0;    ///< return of a synchronisation that found nothing to wait for
    double wake_us = 0;           ///< from the end of what was waited for until the call is back
    double stream_create_us = 0;  ///< cudaStreamCreateWithFlags
    double event_create_us = 0;   ///< cudaEventCreateWithFlags
    double malloc_us = 0;         ///< cudaMalloc
    double free_us = 0;           ///< cudaFree, without waiting
    double host_alloc_us = 0;     ///< cudaHostAlloc, per call
    double host_alloc_us_per_mib = 0;
    double host_free_us = 0;  ///< cudaFreeHost, per call, without waiting
    double host_free_us_per_mib = 0;
    double memory_gb_per_s = 0;  ///< one thread's memory bandwidth, for the program's own CPU work
    // Optional in a file; these are the values of one that does not have them.
    double page_fault_us_per_mib = 100;  ///< first touch of fresh pageable memory: 256 faults of 4 KiB pages
    double cores = 8;                    ///< more threads at work than this slow each other down
    double fp32_gflops = 100;            ///< what all cores reach together in a matrix product
    double op_us = 1;                    ///< what a CPU op costs beside its work and the framework's dispatch
  };
  struct Gpu {
    double launch_latency_us = 0;  ///< from the end of the call until a kernel, memset or event can start
    double copy_latency_us = 0;    ///< the same for a copy
    double kernel_floor_us = 0;    ///< what every kernel costs beside its work
    double fp32_tflops = 0;
    double memory_gb_per_s = 0;
    double reached_fraction = 0;  ///< share of the two peaks above that kernels reach
    double sm_count = 0;
    double gemm_tile_rows = 0;  ///< a matrix product's result is cut into tiles, one per SM at a time
    double gemm_tile_columns = 0;
    double launch_queue_depth = 0;  ///< operations of one stream that may be issued and not finished
  };
  struct Link {
    double h2d_pinned_gb_per_s = 0;
    double d2h_pinned_gb_per_s = 0;
    double h2d_pageable_gb_per_s = 0;  ///< end to end: the rate at which the CPU feeds the driver's staging buffer
    double d2h_pageable_gb_per_s = 0;
    double copy_fixed_us = 0;       ///< what every copy costs beside its bytes
    double inline_limit_bytes = 0;  ///< pageable H2D up to this size rides in the command queue
    double staging_chunk_bytes = 0;
    double staging_slots = 0;
  };
  /// A number of the file and where it is from.
  struct Number {
    std::string key;  ///< "link.h2d_pinned_gb_per_s"
    double value = 0;
    std::string source;
    std::vector<std::string> from{};  ///< published numbers that it was taken from or fitted to: "P20.h2d_pinned"
  };

  std::string id;       ///< the file's name without ".toml": "rtx4090"
  std::string name;     ///< for a person: "NVIDIA GeForce RTX 4090"
  std::string summary;  ///< one sentence
  Cpu cpu;
  Gpu gpu;
  Link link;
  double jitter_spread = 0;  ///< every cost varies by up to this share, up or down; triangular
  std::vector<Number> numbers;
};

/// `origin` is the file as a person named it; it begins every error. Throws base::FileError: file, line, key.
DeviceProfile parse_profile(std::string_view text, std::string_view origin);
/// The file that parse_profile() reads: the name, the summary and `numbers`, which are all there is of the values, in
/// the order of the format. `comment` stands above, line by line.
std::string profile_text(const DeviceProfile& profile, std::string_view comment);
/// Throws base::FileError when it cannot be read.
DeviceProfile load_profile(const std::string& path);

/// The ids of the profiles in the program, sorted.
std::vector<std::string> embedded_profiles();
/// An id of embedded_profiles(); throws base::UsageError else.
DeviceProfile embedded_profile(std::string_view id);

}  // namespace lanescope::device::sim
