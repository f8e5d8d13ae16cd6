// A trace file with all that the window needs to know of it, worked out on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "analysis/live_analysis.h"
#include "io/chrome_trace.h"
#include "model/recorded.h"
#include "model/source.h"

namespace lanescope::ui {

/// How far it has come. The reading's own `cancelled` stops all of it.
struct FileProgress {
  io::ReadProgress reading;
  std::atomic<bool> analysing{false};
  std::atomic<float> analysed{0};  ///< of the trace, 0 to 1
};

/// A source that has ended, with its analysis.
struct ReadFile {
  std::unique_ptr<Source> source;
  std::unique_ptr<analysis::LiveAnalysis> analysis;  ///< of source->trace(), finished
  analysis::Summary whole;                           ///< the account of all of it (analysis/account.h)
  std::int64_t stale_reads = 0;                      ///< in all of it
};

/// Throws base::FileError where the file is missing, a directory, empty or may not be read: what can be known at once.
/// Of a pipe nothing is taken.
void check_readable(const std::filesystem::path& path);

/// Throws base::FileError, or io::Cancelled when `progress` was told to stop.
ReadFile read_file(const std::filesystem::path& path, FileProgress* progress = nullptr);
/// The same with a run that travels with the program.
ReadFile read_recorded(const RecordedCapture& capture, FileProgress* progress = nullptr);
/// The same with a trace that has been read already. Throws io::Cancelled.
ReadFile analysed(std::unique_ptr<Source> source, FileProgress* progress = nullptr);

/// The reads in [from, to) of memory into which a copy had not ended.
std::int64_t count_stale_reads(const trace::Trace& trace, base::Nanoseconds from, base::Nanoseconds to);

}  // namespace lanescope::ui
