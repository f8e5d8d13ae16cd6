// What a collective's kernel says about itself: the arguments that the PyTorch profiler writes, or those that are
// recorded of NCCL's ranges in a program that is attached to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::analysis {

struct Communicator {
  /// Of those that take part: the process group's name and its ranks, as written, or NCCL's communicator, which is the
  /// same number on all ranks. Empty: not known.
  std::string group;
  /// Of the collective in that group. Sends and receives are counted by each rank on its own, so theirs say nothing.
  std::optional<std::int64_t> sequence;
};
/// The PyTorch profiler's name of the collective: "allreduce", "_allgather_base"; empty if it says none.
std::string_view collective_name_in(std::string_view arguments);
/// `arguments`: as in Trace::arguments().
Communicator communicator_of(std::string_view arguments);
/// What is exchanged, as NCCL's tests count it: the array that is reduced or sent, or the one that is gathered or
/// scattered, whole. 0: not known. `operation`: "AllGather"; `gpus`: how many take part.
std::uint64_t bytes_of_collective(std::string_view arguments, std::string_view operation, std::size_t gpus);

}  // namespace lanescope::analysis
