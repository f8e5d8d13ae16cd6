// What is kept of one rank's recording to join it with those of thousands of others: at most 40 kB, made where the
// recording is. Of its collectives it has the number in the communicator, arrival and end, and what was done before.
//
//   chosen by number    0    .    .    .    4    .    .    .    8      every 4th: the same ones on all ranks
//   work before it      |====|=================>|=================>    all of it since the last chosen one, so that
//                                                                      sums lose nothing
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/run_figures.h"

namespace lanescope::analysis {

inline constexpr std::size_t kMostSummaryBytes = 40'000;  ///< of the file
inline constexpr std::size_t kMostJobCollectives = 2'000, kMostJobIterations = 500, kMostJobCauses = 10;
inline constexpr std::size_t kMostCommunicators = 1'000;

/// Who recorded what; empty and negative: not known.
struct JobRank {
  int rank = -1, local_rank = -1, ranks = 0;
  std::string job, host, gpu, program, ended;
};

/// One moment on both clocks of a machine, and how wrong its time of day may be.
struct ClockPair {
  Nanoseconds monotonic_ns = 0, real_ns = 0;
  Nanoseconds most_error_ns = 0;  ///< a bound; 0: nothing corrects the clock, so nobody knows

  bool operator==(const ClockPair&) const = default;
};
/// Recordings with one `clock` have one monotonic clock.
struct JobClockFacts {
  std::string clock;          ///< the boot id, and the time namespace; empty: not known
  Nanoseconds origin_ns = 0;  ///< the monotonic clock's time where the recording's is 0
  std::vector<ClockPair> pairs;

  bool operator==(const JobClockFacts&) const = default;
};

/// What a GPU does between two collectives: kernels, copies while no kernel ran, and idle by the group of its cause.
enum class OwnPart : std::uint8_t { Kernels, Copies, AfterSync, Launch, HeldByCopy, Loader, Graph, Unknown };
inline constexpr std::size_t kOwnParts = 8;
std::string_view own_part_key(OwnPart part);  ///< "kernels", "copies", "after_sync", ...
OwnPart own_part_of(CauseGroup group);

struct OwnWork {
  static constexpr Nanoseconds kUnit = 100;
  bool known = false;         ///< all of it was recorded
  std::uint32_t kernels = 0;  ///< how many began
  std::array<std::uint32_t, kOwnParts> parts{};

  void add(const OwnWork& more);  ///< of what came before it; saturates
  std::uint32_t& operator[](OwnPart part) { return parts[static_cast<std::size_t>(part)]; }
  std::uint32_t operator[](OwnPart part) const { return parts[static_cast<std::size_t>(part)]; }
  std::uint64_t sum() const;
  bool operator==(const OwnWork&) const = default;
};

/// In recording's time.
struct JobCollective {
  std::uint64_t number = 0;  ///< in its communicator
  Nanoseconds start_ns = 0, end_ns = 0;
  std::uint16_t communicator = 0, exchange = 0;  ///< of JobSummary::communicators, and of its exchanges
  OwnWork before;

  bool operator==(const JobCollective&) const = default;
};
struct Exchange {
  std::string operation;  ///< "AllReduce"
  std::uint64_t bytes = 0;

  bool operator==(const Exchange&) const = default;
};
struct JobCommunicator {
  std::uint64_t hash = 0;  ///< of its name, which is the same on all of its ranks
  std::vector<Exchange> exchanges;

  bool operator==(const JobCommunicator&) const = default;
};

/// Times in 100 ns.
struct JobIteration {
  std::uint64_t number = 0;  ///< from 1 on, as the window counts them
  Nanoseconds start_ns = 0;
  std::uint32_t duration = 0, busy = 0;
  std::array<std::uint32_t, kCauseGroups> idle{};

  bool operator==(const JobIteration&) const = default;
};

struct JobFigures {
  std::uint64_t iterations = 0, lost_events = 0;
  Nanoseconds iteration_p50_ns = 0, iteration_p99_ns = 0;
  Nanoseconds window_ns = 0, recorded_ns = 0;    ///< of the figures; and how much of it was recorded
  Nanoseconds busy_ns = 0, exposed_copy_ns = 0;  ///< of recorded_ns
  std::array<Nanoseconds, kCauseGroups> idle_ns{};
  /// Of the time from the first collective to the end of the last, how much was recorded.
  Nanoseconds between_collectives_ns = 0;
  std::uint64_t collectives = 0;  ///< of which some were chosen
  std::uint64_t unnumbered = 0;   ///< nobody knows their number, so they have no counterpart

  bool operator==(const JobFigures&) const = default;
};
/// Where the GPU idles, and which kernels take most of the time.
struct JobCause {
  OwnPart part = OwnPart::Unknown;
  std::string place;  ///< "train.py:41"; of kernels, the name
  Nanoseconds ns = 0;
  std::uint64_t count = 0;

  bool operator==(const JobCause&) const = default;
};

struct JobSummary {
  JobRank who;
  JobClockFacts clock;
  JobFigures figures;
  std::vector<JobCause> causes;          ///< the costliest first: places, then kernels
  std::uint64_t iteration_stride = 1;    ///< each so many-th, by number
  std::vector<JobIteration> iterations;  ///< ascending
  std::uint64_t stride = 1;              ///< of the collectives: a power of 2
  std::vector<JobCommunicator> communicators;
  std::vector<JobCollective> collectives;  ///< by start

  /// Leaves each so many-th collective by number; what was done before the others is added to the next one that stays.
  void thin(std::uint64_t to_stride);
};

/// A summary for each GPU of the recording that has collectives, by rank; for one without, a single one of its figures.
/// `who` and `clock`: what is known of the recording; the ranks of several are those of their lanes.
std::vector<JobSummary> summaries_of(const trace::Trace& trace, const LiveAnalysis& analysis, const RunFigures& figures,
                                     const JobRank& who, const JobClockFacts& clock);

/// Little-endian varints, see job_summary.cpp. The file around them is io/summary_file.h's.
inline constexpr std::uint32_t kSummaryVersion = 1;
std::string encoded(const JobSummary& summary);
/// Trusts nothing in the bytes. Throws base::Error with what is wrong with them.
JobSummary decoded_summary(std::string_view bytes);

/// The same on every machine.
std::uint64_t communicator_hash(std::string_view name);

}  // namespace lanescope::analysis
