// The names of calls, kernels and copies in the trace, and what CUPTI's numbers for them mean. These numbers are the
// same in all versions of CUPTI (cupti_activity.h: CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/event.h"
#include "trace/names.h"

namespace lanescope::capture {

/// A kernel's display name: demangled, without return type and parameters, at most 120 characters.
std::string kernel_name(std::string_view raw);

struct ApiFacts {
  std::string_view name;  ///< a part of the given one
  trace::CallNature nature = trace::CallNature::Other;
  std::uint8_t traits = 0;  ///< as in Record
};
ApiFacts api_facts(std::string_view raw, bool driver);

inline constexpr std::size_t kCopyKinds = 11, kMemoryKinds = 8;
/// "Memcpy HtoD (Pinned -> Device)". Unknown numbers have the name "Unknown".
std::string copy_name(unsigned copy_kind, unsigned from, unsigned to);
std::string memset_name(unsigned memory_kind);
trace::MemoryKind memory_kind(unsigned kind);
trace::CopyDirection copy_direction(unsigned copy_kind);
/// What Record::copy_flags holds.
std::uint8_t copy_flags(const trace::CopyTraits& traits);

}  // namespace lanescope::capture
