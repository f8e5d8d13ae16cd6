// The numbers of the machine that a simulated device models, and the source of each number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/framework_costs.h"

namespace lanescope::device::sim {

/// Every number in a profile file has a source:  launch_us = { value = 2.5, source = "assumed: ..." }. A source begins
/// with "measured", "published" (by whom), "fitted" (to what) or "assumed". A number derived from a published number of
/// the tutorials also names it, by experiment and name:  from = ["P20.h2d_pinned"].
struct DeviceProfile {
  /// The costs of the calling thread.
  struct Cpu {
    double dispatch_us = 0;       ///< the framework's typical cost per op on this machine
    double launch_us = 0;         ///< cudaLaunchKernel
    double memcpy_us = 0;         ///< cudaMemcpyAsync, cudaMemcpy: own cost, excluding the bytes
    double memset_us = 0;         ///< cudaMemsetAsync
    double event_record_us = 0;   ///< cudaEventRecord
    double event_query_us = 0;    ///< cudaEventQuery
    double stream_wait_us = 0;    ///< cudaStreamWaitEvent
    double sync_us = 0;           ///< cuda*Synchronize: own cost before it waits
    double idle_return_us = 0;    ///< return of a synchronisation that has nothing to wait for
    double wake_us = 0;           ///< from the end of the awaited work until the call returns
    double stream_create_us = 0;  ///< cudaStreamCreateWithFlags
    double event_create_us = 0;   ///< cudaEventCreateWithFlags
    double malloc_us = 0;         ///< cudaMalloc
    double free_us = 0;           ///< cudaFree, excluding its wait
    double host_alloc_us = 0;     ///< cudaHostAlloc, per call
    double host_alloc_us_per_mib = 0;
    double host_free_us = 0;  ///< cudaFreeHost, per call, excluding its wait
    double host_free_us_per_mib = 0;
    double memory_gb_per_s = 0;  ///< one thread's memory bandwidth, for the program's own CPU work
    // Optional in a file; these are the defaults.
    double page_fault_us_per_mib = 100;  ///< first touch of fresh pageable memory: 256 faults of 4 KiB pages
    double cores = 8;                    ///< busy threads in excess of this slow each other down
    double fp32_gflops = 100;            ///< of all cores together, in a matrix product
    double op_us = 1;                    ///< fixed cost of a CPU op, excluding its work and the framework's dispatch
    double graph_launch_us = 2.5;        ///< cudaGraphLaunch, in addition to its nodes
    double graph_node_us = 0.001;        ///< the same, for each node
    double graph_instantiate_us = 20;    ///< cudaGraphInstantiate, for each node
    double copy_gb_per_s = 0;            ///< one thread copies from memory to memory; 0: as memory_gb_per_s
    double linear_us = 0;                ///< this program's call for a linear layer's forward pass, beside one launch
    double linear_grad_us = 0;           ///< the same for a gradient of its weight or input
  };
  /// The rate at which a thread copies.
  static double copy_rate(const Cpu& cpu) { return cpu.copy_gb_per_s > 0 ? cpu.copy_gb_per_s : cpu.memory_gb_per_s; }
  struct Gpu {
    double launch_latency_us = 0;  ///< from the return of the call until a kernel, memset or event can start
    double copy_latency_us = 0;    ///< the same for a copy
    double kernel_floor_us = 0;    ///< fixed cost of every kernel
    double fp32_tflops = 0;
    double memory_gb_per_s = 0;
    double reached_fraction = 0;  ///< the share of the two peaks above that kernels achieve
    double sm_count = 0;
    double gemm_tile_rows = 0;  ///< a matrix product is cut into tiles of this size, one per SM at a time
    double gemm_tile_columns = 0;
    double launch_queue_depth = 0;  ///< maximum of issued, unfinished operations per stream
    double graph_gap_us = 0.5;      ///< between two nodes of a graph, beyond kernel_floor_us; optional in a file
  };
  struct Link {
    double h2d_pinned_gb_per_s = 0;
    double d2h_pinned_gb_per_s = 0;
    double h2d_pageable_gb_per_s = 0;  ///< end to end: the rate at which the CPU fills the driver's staging buffer
    double d2h_pageable_gb_per_s = 0;
    double h2d_cached_gb_per_s = 10;  ///< instead of h2d_pageable_gb_per_s: the bytes are in the CPU's cache. Optional
    double cached_copy_bytes = 0;     ///< up to this size; optional
    double copy_fixed_us = 0;         ///< fixed cost of every copy
    double inline_limit_bytes = 0;    ///< pageable H2D up to this size travels in the command queue
    double staging_chunk_bytes = 0;
    double staging_slots = 0;
  };
  /// A number of the file and its source.
  struct Number {
    std::string key;  ///< "link.h2d_pinned_gb_per_s"
    double value = 0;
    std::string source;
    std::vector<std::string> from{};  ///< published numbers that it was taken from or fitted to: "P20.h2d_pinned"
  };

  std::string id;       ///< the file's name without ".toml": "rtx4090"
  std::string name;     ///< display name: "NVIDIA GeForce RTX 4090"
  std::string summary;  ///< one sentence
  Cpu cpu;
  Gpu gpu;
  Link link;
  FrameworkCosts pytorch, pytorch_cpu;  ///< with tensors on the GPU and on the CPU; not known if the file lacks them
  /// Of what the GPU does: kernels, copies. Negative: as jitter_spread.
  double jitter_gpu_spread = -1;
  double jitter_spread = 0;  ///< every cost varies by up to this share in both directions; triangular distribution
  std::vector<Number> numbers;
};

/// `origin` is the file's name as given by the user; every error begins with it. Throws base::FileError with file, line
/// and key.
DeviceProfile parse_profile(std::string_view text, std::string_view origin);
/// Writes a file for parse_profile(): the name, the summary and `numbers`, in the format's order. Values that are not
/// in `numbers` are not written. `comment` goes on top, line by line.
std::string profile_text(const DeviceProfile& profile, std::string_view comment);
/// Throws base::FileError if the file cannot be read or parsed.
DeviceProfile load_profile(const std::string& path);

/// Takes the calls of the matrix library out of PyTorch's costs, for loops on a real GPU: those make them themselves.
/// Of the three kernels of a linear layer's backward pass, which all have the same cost, two are the library's.
void leave_out_library(FrameworkCosts& costs, const DeviceProfile::Cpu& cpu);

/// What PyTorch's statements cost beside their CUDA calls is assumed: the table [pytorch] (`table`) or dispatch_us,
/// where that is no measurement of PyTorch and not fitted to one. Not so of a machine that is invented as a whole.
bool assumes_pytorch(const DeviceProfile& profile, std::string_view table = "pytorch");

/// The ids of the built-in profiles, sorted.
std::vector<std::string> embedded_profiles();
/// Loads one of embedded_profiles(). Throws base::UsageError for any other id.
DeviceProfile embedded_profile(std::string_view id);

}  // namespace lanescope::device::sim
