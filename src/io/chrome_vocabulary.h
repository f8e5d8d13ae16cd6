// The words of a trace file, in both directions: categories, names and lane kinds, as the PyTorch profiler writes them
// where it has a word for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/sink.h"

namespace lanescope::io {

/// The layout of Lanescope's own files; a file with a higher number is refused.
inline constexpr std::int64_t kFileFormat = 1;

/// Of an event in Lanescope's own files, and back.
std::string_view category_of(trace::EventKind kind, trace::LaneKind lane);
std::optional<trace::EventKind> kind_of_category(std::string_view category);

std::string_view lane_kind_key(trace::LaneKind kind);
std::optional<trace::LaneKind> lane_kind_from_key(std::string_view key);

/// What a category of another program's file stands for. What stands in no list is a named range of the program.
enum class Meaning : std::uint8_t { Call, Kernel, Copy, Memset, Range, GpuRange, Sync, Nothing };
Meaning meaning_of_category(std::string_view category);

/// "Memcpy DtoH (Device -> Pageable)", and back. `asynchronous` is not part of it.
std::string copy_name(const trace::CopyTraits& traits);
trace::CopyTraits traits_of_copy_name(std::string_view name);

/// "ProfilerStep#12", by which Holistic Trace Analysis finds iterations; back: empty for any other name.
std::string step_name(std::uint32_t number);
std::optional<std::uint32_t> step_number(std::string_view name);

/// The number of an API function in CUPTI's list of the runtime API ("cbid"); 0 if it is not known here.
int callback_id(std::string_view name);

}  // namespace lanescope::io
