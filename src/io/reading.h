// What the readers of all formats take and give: trace JSON, session files, exports of Nsight Systems.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "trace/capture_health.h"
#include "trace/run_facts.h"
#include "trace/sink.h"
#include "trace/trace.h"

namespace lanescope::io {

// --- first picture ---------------------------------------------------------------------------------------------------
// What has been read of a file so far, coarsely: how busy each lane is over time. A large file has a picture with it
// while it is read. The reading thread adds; any other may look, and gets what there was a moment ago.

class FirstPicture {
 public:
  static constexpr std::size_t kBins = 1024;
  static constexpr std::size_t kMostLanes = 256;  ///< those that come later are left out

  struct Lane {
    trace::LaneInfo info;
    std::uint64_t events = 0;
    base::Nanoseconds from_ns = 0, bin_ns = 1;
    std::vector<float> busy;  ///< kBins shares, 0 to 1, from from_ns on
  };
  struct Snapshot {
    std::vector<Lane> lanes;                   ///< in the order of the file
    base::Nanoseconds from_ns = 0, to_ns = 0;  ///< of all events; equal: there are none yet
  };

  /// Lanes are numbered by the caller. An event that ends before it starts counts as one without length; one that is
  /// decades away from all others is left out.
  void add(std::size_t lane, const trace::LaneInfo& info, base::Nanoseconds start_ns, base::Nanoseconds end_ns) {
    if (end_ns < start_ns) end_ns = start_ns;
    if (lane >= kMostLanes || start_ns < kEarliest || end_ns > kLatest) return;
    if (lane >= lanes_.size() || lanes_[lane].depth.empty()) begin_lane(lane, info);
    if (start_ns < from_ || end_ns >= until_) make_room(start_ns, end_ns);
    earliest_ = start_ns < earliest_ ? start_ns : earliest_;
    latest_ = end_ns > latest_ ? end_ns : latest_;
    Adding& to = lanes_[lane];
    ++to.events;
    const auto first = static_cast<std::size_t>((start_ns - from_) >> shift_);
    const auto last = static_cast<std::size_t>((end_ns - from_) >> shift_);
    if (first == last) {
      to.part[first] += static_cast<double>(end_ns - start_ns);
      return;
    }
    to.part[first] += static_cast<double>(begin_of(first + 1) - start_ns);
    to.part[last] += static_cast<double>(end_ns - begin_of(last));
    ++to.depth[first + 1];
    --to.depth[last];
  }
  /// The reading thread, now and then: what has been added since can be looked at, if somebody has asked.
  void show() {
    if (asked()) copy();
  }
  /// Somebody wants to look; without that, nothing need be shown.
  bool asked() const { return asked_.load(std::memory_order_relaxed); }
  /// The pictures of several files that are read at once, one below the other.
  void show(std::vector<Snapshot> files);

  /// Any thread: the last picture that was shown; asks for the next.
  Snapshot look() const;

 private:
  struct Adding {
    trace::LaneInfo info;
    std::uint64_t events = 0;
    // By bin: the time in it of events that begin or end there; and how many more others go through it than through the
    // one before. Not whole numbers, which a file made for it could bring to overflow.
    std::vector<double> part, depth;
  };

  base::Nanoseconds begin_of(std::size_t bin) const { return from_ + (static_cast<base::Nanoseconds>(bin) << shift_); }
  void begin_lane(std::size_t lane, const trace::LaneInfo& info);
  void make_room(base::Nanoseconds start_ns, base::Nanoseconds end_ns);
  std::vector<double> busy_of(const Adding& lane) const;
  void copy();

  // From the epoch to the year 2043 in nanoseconds, and clocks that begin anywhere before.
  static constexpr base::Nanoseconds kLatest = base::Nanoseconds{1} << 61, kEarliest = -(base::Nanoseconds{1} << 59);

  // Of the reading thread. Bins are 1 << shift_ ns long, and begin at multiples of that.
  std::vector<Adding> lanes_;
  int shift_ = 10;
  base::Nanoseconds from_ = 0, until_ = 0;
  base::Nanoseconds earliest_ = std::numeric_limits<base::Nanoseconds>::max(),
                    latest_ = std::numeric_limits<base::Nanoseconds>::min();

  mutable std::atomic<bool> asked_{false};
  mutable std::mutex mutex_;
  Snapshot shown_;
};

// --- reading ---------------------------------------------------------------------------------------------------------

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

/// Puts a sentence after others, in OpenedTrace::incomplete.
void add_sentence(std::string& text, std::string_view sentence);

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

/// The file ends too early, or what follows is damaged; what was read of it before is whole.
class Damaged : public base::FileError {
 public:
  Damaged(const std::string& message, std::string remark, bool cut_off, std::uint64_t byte = 0)
      : FileError(message), remark_(std::move(remark)), cut_off_(cut_off), byte_(byte) {}
  const std::string& remark() const { return remark_; }  ///< for those who can use what was read: one sentence
  bool cut_off() const { return cut_off_; }              ///< it ends too early
  std::uint64_t byte() const { return byte_; }  ///< of the text, counted from 1; 0: its compression is at fault

 private:
  std::string remark_;
  bool cut_off_;
  std::uint64_t byte_;
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
