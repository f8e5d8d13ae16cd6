// A trace file with everything that the window needs to know about it, computed on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/account.h"
#include "analysis/live_analysis.h"
#include "io/reading.h"
#include "model/source/recorded.h"
#include "model/source/source.h"

namespace lanescope::ui {

/// The progress. Setting `reading.cancelled` cancels all of the work.
struct FileProgress {
  io::ReadProgress reading;
  std::atomic<bool> analysing{false};
  std::atomic<float> analysed{0};  ///< share of the trace, 0 to 1
};

/// A finished source, with its analysis.
struct ReadFile {
  std::unique_ptr<Source> source;
  std::unique_ptr<analysis::LiveAnalysis> analysis;  ///< of source->trace(), finished
  analysis::Summary whole;                           ///< the account of the whole trace (analysis/account.h)
  std::optional<analysis::Once> once;                ///< the same
  std::int64_t stale_reads = 0;                      ///< in the whole trace
};

/// Throws base::FileError if a file is missing, empty or not readable, or if they do not go together: the errors that
/// can be found at once. Consumes nothing from a pipe.
void check_readable(const std::vector<std::filesystem::path>& files);

/// Several files become one trace, see io::read_traces(). Throws base::FileError, or io::Cancelled if `progress` was
/// cancelled.
ReadFile read_files(const std::vector<std::filesystem::path>& files, FileProgress* progress = nullptr);
/// The same for a run included in the program.
ReadFile read_recorded(const RecordedCapture& capture, FileProgress* progress = nullptr);
/// The same for a trace that has already been read. Throws io::Cancelled.
ReadFile analysed(std::unique_ptr<Source> source, FileProgress* progress = nullptr);

/// Counts the reads in [from, to) of memory into which a copy had not ended.
std::int64_t count_stale_reads(const trace::Trace& trace, base::Nanoseconds from, base::Nanoseconds to);

}  // namespace lanescope::ui
