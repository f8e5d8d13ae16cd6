// Reads and writes a trace as Chrome Trace Event JSON, with the categories and argument names of the PyTorch profiler,
// so that Perfetto, chrome://tracing and Holistic Trace Analysis can open it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/version.h"
#include "io/read_progress.h"
#include "trace/capture_health.h"
#include "trace/trace.h"

namespace lanescope::io {

class ByteSource;

/// Facts about the run that are stored in the file ("otherData"): workload, settings, device, simulated, version; and
/// the device's properties that figures, cards and predictions need, so that a file gives the same results as the run.
struct RunFacts {
  std::string workload;
  std::string program;     ///< of a program that is not ours: "train.py"; may be empty
  std::string iterations;  ///< what its iterations are counted by, "train.py:41 for batch in loader"; may be empty
  std::string device;      ///< the device's id
  std::string device_name;
  bool simulated = false;
  int sm_count = 0;  ///< streaming multiprocessors; 0: unknown
  /// Peak rates of copies to and from pinned memory, in 1e9 bytes per second; 0: unknown.
  double h2d_peak_gb_per_s = 0, d2h_peak_gb_per_s = 0;
  std::map<std::string, std::string> settings;
  /// Of a trace put together from several files: how well their clocks agree (merge_ranks.h); 0: it is a single one, or
  /// that is not known.
  trace::Nanoseconds clock_error_ns = 0;
  std::string marks;  ///< the user's rulers, bookmarks and notes, as JSON text of the window; may be empty
  std::string version{base::kVersion};  ///< of the Lanescope that recorded it; empty: recorded by another program

  bool operator==(const RunFacts&) const = default;
};

/// Writes to a temporary file beside `path`, then renames it. Compresses if the name ends in ".gz". Throws
/// base::FileError. Writes what has been published; the trace may grow meanwhile.
void write_chrome_trace(const std::filesystem::path& path, const trace::Trace& trace, const RunFacts& facts);

struct OpenedTrace {
  std::unique_ptr<trace::Trace> trace;
  RunFacts facts;
  bool own = false;  ///< written by Lanescope: nothing was lost
  /// Another program's times are shifted so that the earliest event starts at 0. This is the time that it had, on the
  /// file's clock; 0 for own files.
  trace::Nanoseconds time_offset_ns = 0;
  std::uint64_t events_read = 0;     ///< events in the trace
  std::uint64_t events_skipped = 0;  ///< of kinds not shown on the timeline
  /// Events without a valid time, lane or partner. Events of which only the end is invalid are kept as instants and
  /// counted in the trace (TraceCounts::clamped).
  std::uint64_t events_malformed = 0;
  std::map<std::string, std::uint64_t> skipped_by_category;
  std::map<std::string, std::uint64_t> read_by_category;
  std::optional<trace::CaptureHealth> health;  ///< of a session file: what its capture lost
  /// Which rank of its job the file says it is, and of how many; -1 and 0: it does not say.
  int rank = -1, world_size = 0;
  /// What is missing, as one sentence: a session file was cut off or damaged, or Nsight Systems said that it could not
  /// record something. Of several files, also how well their clocks agree. Empty: there is nothing to say.
  std::string incomplete;
};

/// Who reads a file: a thread of its own, while the caller's puts together what it has read, or the caller's alone.
/// The results are the same.
enum class Threads : std::uint8_t { One, Two };

struct ReadLimits {
  std::uint64_t memory_bytes = 0;  ///< for a file's events; 0: half of the machine's memory
  Threads threads = Threads::Two;
};

/// A JSON file that is something else than a trace.
class NotATrace : public base::FileError {
 public:
  using base::FileError::FileError;
};

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
