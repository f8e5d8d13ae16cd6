// The vocabulary of a trace file, in both directions: categories, names and lane kinds, as written by the PyTorch
// profiler if it has a word for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/sink.h"

namespace lanescope::io {

/// The format of Lanescope's own files; files with a higher number are rejected.
inline constexpr std::int64_t kFileFormat = 1;

// Arguments of the PyTorch profiler's kernels, and of ours.
inline constexpr std::string_view kExternalId = "External id", kContext = "context", kGrid = "grid", kBlock = "block",
                                  kRegisters = "registers per thread", kSharedMemory = "shared memory",
                                  kStaticShared = "static shared memory", kDynamicShared = "dynamic shared memory",
                                  kBlocksPerSm = "blocks per SM", kWarpsPerSm = "warps per SM",
                                  kOccupancy = "est. achieved occupancy %", kBandwidth = "memory bandwidth (GB/s)";

/// The category of an event in Lanescope's own files, and back.
std::string_view category_of(trace::EventKind kind, trace::LaneKind lane);
std::optional<trace::EventKind> kind_of_category(std::string_view category);

std::string_view lane_kind_key(trace::LaneKind kind);
std::optional<trace::LaneKind> lane_kind_from_key(std::string_view key);

std::string_view lane_role_key(trace::LaneRole role);
std::optional<trace::LaneRole> lane_role_from_key(std::string_view key);
/// "read"; Other has none.
std::string_view range_kind_key(trace::RangeKind kind);
std::optional<trace::RangeKind> range_kind_from_key(std::string_view key);
/// "setting"; Note has none.
std::string_view marker_kind_key(trace::MarkerKind kind);
std::optional<trace::MarkerKind> marker_kind_from_key(std::string_view key);

// For files that do not state what a lane or a range is, so that names must decide: other programs' files, and those of
// earlier Lanescope versions. No other code relies on such names.
trace::LaneRole role_of_unmarked(const trace::LaneInfo& lane);
trace::RangeKind kind_of_unmarked(const trace::LaneInfo& lane, std::string_view range);
/// In it the thread asks for its next batch, as the names of PyTorch's, TensorFlow's, Ray's and DALI's loaders and what
/// people write say. An operator's name says less than one that a person chose.
bool asks_for_data(std::string_view name, bool of_operator);
/// For a range of another program on a thread.
trace::RangeKind kind_of_foreign_range(std::string_view category, std::string_view name);
bool names_a_setting_change(std::string_view unmarked);

/// The meaning of a category in another program's file. An unlisted category is a named range of the program.
enum class Meaning : std::uint8_t { Call, Kernel, Copy, Memset, Range, GpuRange, Sync, Nothing };
Meaning meaning_of_category(std::string_view category);
/// AMD's runtime copies and fills memory with kernels of its own, too, which are listed as kernels.
Meaning meaning_of_kernel(std::string_view name);

/// "Memcpy DtoH (Device -> Pageable)", and back, without `asynchronous`.
std::string copy_name(const trace::CopyTraits& traits);
trace::CopyTraits traits_of_copy_name(std::string_view name);

/// Pages of unified memory, as the names of their kinds say: "Memcpy HtoD (Unified -> Device)".
bool moves_pages(std::string_view copy);

/// "ProfilerStep#12", by which Holistic Trace Analysis finds iterations; and back: empty for any other name.
std::string step_name(std::uint32_t number);
std::optional<std::uint32_t> step_number(std::string_view name);

/// The number of a function in CUPTI's list of the runtime API ("cbid"); 0 if unknown.
int callback_id(std::string_view name);

}  // namespace lanescope::io
