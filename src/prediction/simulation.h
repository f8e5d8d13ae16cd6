// Runs a workload on a fitted machine: in memory, in virtual time, on the calling thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/sim/profile.h"
#include "device/sim/sim_options.h"
#include "prediction/recording.h"
#include "workload/settings.h"

namespace lanescope::prediction {

struct Machine {
  device::sim::DeviceProfile profile;
  std::vector<device::sim::KnownOp> ops;
  /// The program's own CPU time before each call, by kind (of launches, by op), and at the end of an iteration.
  std::array<Nanoseconds, device::kCudaCalls> before_call{};
  std::array<Nanoseconds, device::sim::kOpKinds> before_launch{};
  Nanoseconds after_iteration = 0;
};

/// The same machine with a CPU, or a GPU with its link, that takes `factor` times as long for everything.
Machine with_cpu_times(Machine machine, double factor);
Machine with_gpu_times(Machine machine, double factor);
/// The same for copies between the host and the GPU alone.
Machine with_copy_times(Machine machine, double factor);

/// A request of a program to its device: one call, and what the program did since the previous call.
struct Issue {
  std::size_t api = kOtherApi;  ///< kOtherApi: the end of an iteration
  ops::Op op;                   ///< LaunchKernel
  std::size_t bytes = 0;        ///< HostAlloc, FreeHost
  std::size_t fresh_download = 0, download = 0;
  std::size_t host_bytes = 0, host_fresh = 0;
  bool waited = false;  ///< the program waited for a task of a host thread
};

struct IssuedTask {
  std::string name;
  Nanoseconds busy = 0;
  std::size_t bytes = 0;
};

struct SimulationRequest {
  std::string workload;
  workload::Settings settings;
  std::uint64_t first = 0;  ///< number of the first iteration
  std::size_t iterations = 0;
  bool jitter = true;
  std::chrono::milliseconds budget{1000};  ///< wall time after which no further iteration starts
};

struct Simulation {
  std::unique_ptr<trace::Trace> trace;
  std::vector<Issue> issues;
  std::vector<std::size_t> begins;  ///< start of each iteration's issues, and one past the last; set-up comes before
                                    ///< the first
  std::vector<IssuedTask> tasks;
  std::vector<std::uint64_t> shapes;  ///< one per iteration; equal numbers mean equal work
  std::size_t lead_in = 1;            ///< the first iterations may do more than the others
  Nanoseconds from = 0, to = 0;       ///< time range of the iterations

  std::size_t iterations() const { return begins.empty() ? 0 : begins.size() - 1; }
};

/// Throws base::Error if the workload needs more memory than allowed. Ends early when `stop` becomes true.
Simulation simulate(const Machine& machine, const SimulationRequest& request, const std::atomic<bool>* stop = nullptr);

/// After how many iterations the work repeats; 1 if it is always the same, or no repetition is found.
std::size_t period_of(const Simulation& simulation);

}  // namespace lanescope::prediction
