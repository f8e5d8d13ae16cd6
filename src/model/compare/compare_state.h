// A run pinned as A, and the current run as B.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/background_job.h"
#include "inspect/alignment.h"
#include "inspect/run_snapshot.h"
#include "timeline/time_axis.h"

namespace lanescope::ui {

/// Decides when the current run becomes B: once after each change, and only when its figures have settled.
class FollowB {
 public:
  using Clock = std::chrono::steady_clock;
  /// A live run is measured for this long before it is shown.
  static constexpr std::chrono::milliseconds kCalm{1000};
  /// B's figures are taken again this long after it was taken: a loop that reads rarely may have had no read in the
  /// first second.
  static constexpr std::chrono::milliseconds kOnceMore{2500};
  static constexpr std::int64_t kFewest = 3;  ///< iterations

  struct Sight {
    std::uint64_t generation = 0;
    std::map<std::string, std::string> settings;
    bool live = true;
    bool current = false;  ///< the figures belong to these settings
    std::int64_t iterations = 0;
    bool paced = true;  ///< the figures give the time per iteration
  };

  /// The run has become A or B: it is not taken again until something changes.
  void taken(const Sight& sight);
  /// The current run differs from the one taken last.
  bool changed(const Sight& sight) const;
  /// The current run should be taken now. Call every frame.
  bool wants(const Sight& sight, Clock::time_point now);
  /// The figures should be taken again now. `shown_at`: when the run was taken.
  bool wants_figures(const Sight& sight, Clock::time_point shown_at, Clock::time_point now);
  void reset() { *this = {}; }

 private:
  std::uint64_t generation_ = 0;
  std::map<std::string, std::string> settings_;
  std::optional<Sight> waiting_for_;
  bool once_more_ = false;  // the figures must still be taken again
  Clock::time_point since_{};
};

class Model;

class CompareState {
 public:
  using Clock = std::chrono::steady_clock;

  bool pinned() const { return a_ != nullptr; }
  const SharedSnapshot& a() const { return a_; }
  const SharedSnapshot& b() const { return b_; }

  /// The current run or opened file becomes A as soon as it has figures; B is cleared.
  void pin() { wanted_ = Wanted::A; }
  void unpin();
  /// The current run becomes B, whether it has changed or not.
  void renew() {
    if (wanted_ == Wanted::None) wanted_ = Wanted::B;
  }
  /// Sets both, from any source; B may be null.
  void put(SharedSnapshot a, SharedSnapshot b);
  /// Once per frame.
  void update(const Model& model, Clock::time_point now);
  /// Something else is shown: forgets a request for a copy. One in progress is completed and kept.
  void forget_request() { wanted_ = Wanted::None; }
  /// A copy is in progress or requested.
  bool busy() const { return job_.busy(); }
  bool waits_for_a() const { return wanted_ == Wanted::A || (job_.busy() && job_is_a_); }
  /// The current run is not B yet, and will be as soon as it has settled.
  bool measuring() const { return measuring_; }
  /// Changes whenever A or B does.
  std::uint64_t version() const { return version_; }
  /// Whether A was pinned since the last call.
  bool just_pinned() { return std::exchange(just_pinned_, false); }
  /// Whether a request failed since the last call: nothing has been measured, and nothing is running.
  bool just_refused() { return std::exchange(just_refused_, false); }

  bool open = false;  ///< the comparison view is open
  CompareAlign align = CompareAlign::Iteration;

 private:
  enum class Wanted : std::uint8_t { None, A, B };
  void start(trace::SharedTrace trace, SnapshotPlan plan, bool is_a, const FollowB::Sight& sight);
  void take(SharedSnapshot snapshot, Clock::time_point now);

  SharedSnapshot a_, b_;
  FollowB follow_;
  Wanted wanted_ = Wanted::None;
  base::BackgroundJob<SharedSnapshot> job_;
  Clock::time_point b_since_{};
  bool job_is_a_ = false, measuring_ = false, just_pinned_ = false, just_refused_ = false;
  std::uint64_t version_ = 0;
};

// Copies a stretch of the run that the window shows.

class Model;

/// Plans a copy of the newest iterations with the current settings; for an opened trace, its newest iterations without
/// the warm-up, and the figures of the whole trace. Empty: no iteration has ended since the last turn of a knob, or
/// nothing is shown.
std::optional<SnapshotPlan> plan_snapshot(const Model& model, std::int64_t most_events = kMostSnapshotEvents);

}  // namespace lanescope::ui
