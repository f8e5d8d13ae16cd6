// What is known about a run beside its trace: stored in every kind of file, and stated by every source.
#pragma once

#include <map>
#include <string>

#include "base/time.h"
#include "base/version.h"
#include "trace/clock_facts.h"

namespace lanescope::trace {

/// Facts about the run that is stored in its file: workload, settings, device, simulated, version; and
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
  /// Of a trace put together from several files: how well their clocks agree (job_of_ranks.h); 0: it is a single one,
  /// or that is not known.
  base::Nanoseconds clock_error_ns = 0;
  std::string marks;  ///< the user's rulers, bookmarks and notes, as JSON text of the window; may be empty
  ClockFacts clock;   ///< of the machine where it was recorded; of several files, each has its own
  std::string version{base::kVersion};  ///< of the Lanescope that recorded it; empty: recorded by another program

  bool operator==(const RunFacts&) const = default;
};

/// Whether an iteration's work grows with its batch. Not where its model takes the time that a setting says, nor where
/// the data decide how often a loop turns. `setting(key)`: the text of a setting; empty: there is none.
inline bool batch_tells_work(const auto& setting) {
  const bool turns_by_data = setting("network") == "while-loop" && setting("branch") == "data-dependent";
  return !turns_by_data && setting("model_us").empty() && setting("model_ms").empty();
}

}  // namespace lanescope::trace
