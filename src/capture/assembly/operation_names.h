// The names and owners of a capture's lanes. The sink returns the same lane for the same description, so all code
// describes lanes through this class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "trace/event.h"
#include "trace/names.h"
#include "trace/sink.h"

namespace lanescope::capture {

/// By default of a capture within this program.
struct LaneNames {
  std::string process = "lanescope";
  std::int64_t pid = 0;
  /// A thread's own name; empty or none: unknown.
  std::function<std::string(std::uint32_t thread)> thread{};
  std::optional<int> rank{};  ///< of the process in a job of several

  /// The API calls of a thread. Those of the main thread are next to the program's own ranges (tid 0).
  trace::LaneInfo calls(std::uint32_t thread, bool is_main) const;
  /// A stream's kernels, or its copies in one direction.
  trace::LaneInfo stream(trace::LaneKind kind, std::uint32_t device, std::uint32_t stream, bool is_default) const;

 private:
  trace::LaneInfo lane(trace::LaneKind kind, std::string name) const;
};

// --- operation names -------------------------------------------------------------------------------------------------
// The names of calls, kernels and copies in the trace, and what CUPTI's numbers for them mean. These numbers are the
// same in all versions of CUPTI (cupti_activity.h: CUpti_ActivityMemcpyKind, CUpti_ActivityMemoryKind).

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
