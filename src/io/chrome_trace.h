// The trace as Chrome Trace Event JSON, with the categories and argument names of the PyTorch profiler, so that Perfetto,
// chrome://tracing and Holistic Trace Analysis open it; and back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "trace/trace.h"

namespace lanescope::io {

/// Facts about the run that travel in the file ("otherData"): workload, settings, device, simulated, version.
struct RunFacts {
  std::string workload;
  std::string device;        ///< id
  std::string device_name;
  bool simulated = false;
  std::map<std::string, std::string> settings;
};

/// Writes to a temporary file beside `path`, then renames. Compressed when the name ends in ".gz". Throws base::FileError.
void write_chrome_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts);

struct OpenedTrace {
  std::unique_ptr<trace::Trace> trace;
  RunFacts facts;
  bool own = false;                  ///< written by Lanescope: nothing was lost
  std::uint64_t events_read = 0;     ///< that became events of the trace
  std::uint64_t events_skipped = 0;  ///< of kinds that the timeline does not show
  std::map<std::string, std::uint64_t> skipped_by_category;
  std::map<std::string, std::uint64_t> read_by_category;
};

/// Reads a .json or .json.gz. Throws base::FileError: path and why. Never crashes on a truncated or hostile file.
OpenedTrace read_chrome_trace(const std::filesystem::path& path);

}  // namespace lanescope::io
