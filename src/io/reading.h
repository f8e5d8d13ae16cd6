// What the readers of all formats take and give: trace JSON, session files, exports of Nsight Systems.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "io/first_picture.h"
#include "trace/capture_health.h"
#include "trace/run_facts.h"
#include "trace/trace.h"

namespace lanescope::io {

using trace::RunFacts;

class ByteSource;

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

/// A file that is something else than a trace.
class NotATrace : public base::FileError {
 public:
  using base::FileError::FileError;
};

// The progress of reading: written by the reading thread, readable by any other, which can also stop it.

enum class ReadStage : std::uint8_t {
  Reading,    ///< `done` and `total` are bytes of the file on disk
  Arranging,  ///< events are put into the trace: `done` and `total` are events
};

struct ReadProgress {
  std::atomic<ReadStage> stage{ReadStage::Reading};
  std::atomic<std::uint64_t> done{0}, total{0};  ///< of the stage; total 0: unknown (a pipe)
  std::atomic<std::uint64_t> events{0};          ///< found so far
  FirstPicture picture;
  std::atomic<bool> cancelled{false};  ///< set it to stop: reading soon throws Cancelled
};

/// Thrown when reading was stopped.
class Cancelled : public base::Error {
 public:
  using base::Error::Error;
};

/// For long loops and the comparisons of a sort: throws Cancelled soon after a stop was requested. For one thread.
class StopCheck {
 public:
  explicit StopCheck(const ReadProgress& progress) : progress_(progress) {}
  void operator()() {
    if (++calls_ % kEvery == 0) now();
  }
  void now() const {
    if (progress_.cancelled.load(std::memory_order_relaxed)) throw Cancelled("");
  }

 private:
  static constexpr std::uint32_t kEvery = 16'384;  // well under a millisecond
  const ReadProgress& progress_;
  std::uint32_t calls_ = 0;
};

}  // namespace lanescope::io
