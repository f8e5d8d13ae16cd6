// The trace as Chrome Trace Event JSON, with the categories and argument names of the PyTorch profiler, so that
// Perfetto, chrome://tracing and Holistic Trace Analysis open it; and back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/version.h"
#include "io/read_progress.h"
#include "trace/trace.h"

namespace lanescope::io {

/// Facts about the run that travel in the file ("otherData"): workload, settings, device, simulated, version.
struct RunFacts {
  std::string workload;
  std::string device;  ///< id
  std::string device_name;
  bool simulated = false;
  std::map<std::string, std::string> settings;
  std::string
      marks;  ///< what a person left on the trace (rulers, bookmarks, notes): JSON text of the window's; or empty
  std::string version{base::kVersion};  ///< of the Lanescope that recorded it; empty: another program did

  bool operator==(const RunFacts&) const = default;
};

/// Writes to a temporary file beside `path`, then renames. Compressed when the name ends in ".gz". Throws
/// base::FileError. Writes what has been published; the trace may grow meanwhile.
void write_chrome_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts);

struct OpenedTrace {
  std::unique_ptr<trace::Trace> trace;
  RunFacts facts;
  bool own = false;  ///< written by Lanescope: nothing was lost
  /// Another program's times are moved so that the earliest event starts at 0; this much was taken off. Own files: 0.
  trace::Nanoseconds time_offset_ns = 0;
  std::uint64_t events_read = 0;     ///< that became events of the trace
  std::uint64_t events_skipped = 0;  ///< of kinds that the timeline does not show
  std::uint64_t events_malformed =
      0;  ///< without a usable time, lane or partner; events whose end alone was impossible
          ///< are kept as instants and counted in the trace (TraceCounts::clamped)
  std::map<std::string, std::uint64_t> skipped_by_category;
  std::map<std::string, std::uint64_t> read_by_category;
};

struct ReadLimits {
  std::uint64_t memory_bytes = 0;  ///< for a file's events; 0: half of what the machine has
};

/// Reads a .json or .json.gz (told apart by content). Throws base::FileError: path and why. Never crashes on a
/// truncated or hostile file, and never shows half of one. `progress` is kept up to date, and can stop it: then
/// io::Cancelled is thrown.
OpenedTrace read_chrome_trace(const std::filesystem::path& path, ReadProgress* progress = nullptr,
                              const ReadLimits& limits = {});
/// The same from a file's bytes in memory; `name` stands for the path in messages.
OpenedTrace read_chrome_trace(std::string_view bytes, std::string_view name, ReadProgress* progress = nullptr,
                              const ReadLimits& limits = {});

}  // namespace lanescope::io
