// What the numbers and names in Nsight Systems' exports mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/event.h"

namespace lanescope::io::nsys {

// A globalTid is VM << 48 | process << 24 | thread, and a globalPid the same without a thread.
inline std::int64_t pid_of(std::int64_t global) { return global >> 24 & 0xFFFFFF; }
inline std::int64_t tid_of(std::int64_t global) { return global & 0xFFFFFF; }

/// NVTX_EVENTS.eventType. The second number is that of events imported from a text file.
enum class NvtxKind : std::uint8_t { Mark, PushPop, StartEnd, ThreadName, Other };
NvtxKind nvtx_kind(std::int64_t event_type);

/// Copies have CUPTI's kinds and three more for unified memory; kinds of memory are numbered differently from CUPTI's.
trace::CopyTraits copy_traits(std::int64_t copy_kind, std::int64_t source, std::int64_t destination);
/// "Memcpy DtoH (Device -> Pageable)", as the PyTorch profiler calls it; "Unified memory DtoH".
std::string copy_label(std::int64_t copy_kind, const trace::CopyTraits& traits);
/// "Memset (Device)"
std::string memset_label(std::int64_t memory_kind);

/// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel": the version of CUDA that introduced the function.
std::string_view without_version(std::string_view call);

/// A range of PyTorch's emit_nvtx(): "aten::mul, seq = 7, op_id = 12, sizes = [[8, 3], []]".
struct OperatorRange {
  std::string_view name;  ///< "aten::mul"; all of the text if it is no such range
  bool is_operator = false;
  std::uint32_t id = 0;    ///< of the operator; 0: unknown
  std::string_view sizes;  ///< "[[8, 3], []]"; empty: unknown
};
OperatorRange operator_range(std::string_view text);

/// A range that names an iteration of a loop: "iteration 12", "step_3", "Batch: 7", "ProfilerStep#4". Only these words,
/// with a number and nothing else.
struct IterationName {
  std::string_view word;  ///< as written: "step"
  std::uint32_t number = 0;
};
std::optional<IterationName> iteration_name(std::string_view text);

/// The text as one line of at most 200 characters, without its paths: those say whose machine it was.
std::string without_paths(std::string_view text);

/// The text, cut at a character if it is longer than `most` bytes.
std::string_view cut(std::string_view text, std::size_t most);

}  // namespace lanescope::io::nsys
