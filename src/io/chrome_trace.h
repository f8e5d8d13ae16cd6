// Reads and writes a trace as Chrome Trace Event JSON, with the categories and argument names of the PyTorch profiler,
// so that Perfetto, chrome://tracing and Holistic Trace Analysis can open it.
#pragma once

#include <filesystem>
#include <string_view>

#include "io/reading.h"

namespace lanescope::io {

/// Writes to a temporary file beside `path`, then renames it. Compresses if the name ends in ".gz". Throws
/// base::FileError. Writes what has been published; the trace may grow meanwhile.
void write_chrome_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts);

/// Reads a .json or .json.gz, which are distinguished by content. Throws base::FileError with the path and the reason,
/// NotATrace without "traceEvents". Never crashes on a truncated or hostile file, and never returns part of one.
/// Updates `progress`, and throws io::Cancelled if it requests a stop.
OpenedTrace read_chrome_trace(const std::filesystem::path& path, ReadProgress* progress = nullptr,
                              const ReadLimits& limits = {});
OpenedTrace read_chrome_trace(ByteSource& source, ReadProgress* progress = nullptr, const ReadLimits& limits = {});
/// The same for a file's bytes in memory; `name` replaces the path in messages.
OpenedTrace read_chrome_trace(std::string_view bytes, std::string_view name, ReadProgress* progress = nullptr,
                              const ReadLimits& limits = {});

}  // namespace lanescope::io
