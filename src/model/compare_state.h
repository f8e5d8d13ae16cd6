// A run that was pinned as A, and what runs now as B.
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

/// When what runs now becomes B: calmly, once after each change, and only when its figures have settled.
class FollowB {
 public:
  using Clock = std::chrono::steady_clock;
  /// A live run is measured for this long before it is shown.
  static constexpr std::chrono::milliseconds kCalm{1000};
  /// So long after it was taken its figures are taken once more: of a loop that reads rarely the first second may have
  /// had no read.
  static constexpr std::chrono::milliseconds kOnceMore{2500};
  static constexpr std::int64_t kFewest = 3;  ///< iterations

  struct Sight {
    std::uint64_t generation = 0;
    std::map<std::string, std::string> settings;
    bool live = true;
    bool current = false;  ///< the figures are of these settings
    std::int64_t iterations = 0;
    bool paced = true;  ///< they say what an iteration takes
  };

  /// This has become A, or B: it is not wanted again until something changes.
  void taken(const Sight& sight);
  /// The run of now is not what was taken last.
  bool changed(const Sight& sight) const;
  /// It is to be taken now. Call every frame.
  bool wants(const Sight& sight, Clock::time_point now);
  /// Its figures are to be taken once more, now. `shown_at`: when it was taken.
  bool wants_figures(const Sight& sight, Clock::time_point shown_at, Clock::time_point now);
  void reset() { *this = {}; }

 private:
  std::uint64_t generation_ = 0;
  std::map<std::string, std::string> settings_;
  std::optional<Sight> waiting_for_;
  bool once_more_ = false;  // its figures are still to be taken once more
  Clock::time_point since_{};
};

class Model;

class CompareState {
 public:
  using Clock = std::chrono::steady_clock;

  bool pinned() const { return a_ != nullptr; }
  const SharedSnapshot& a() const { return a_; }
  const SharedSnapshot& b() const { return b_; }

  /// What runs now, or the opened file, becomes A, as soon as it has figures; there is no B then.
  void pin() { wanted_ = Wanted::A; }
  void unpin();
  /// What runs now becomes B, changed or not.
  void renew() {
    if (wanted_ == Wanted::None) wanted_ = Wanted::B;
  }
  /// These two, wherever they are from; B may be missing.
  void put(SharedSnapshot a, SharedSnapshot b);
  /// Once per frame.
  void update(const Model& model, Clock::time_point now);
  /// Nothing reads the model's trace afterwards: call it before that goes. What is being copied is kept.
  void finish_reading();
  /// A copy is under way, or is waited for.
  bool busy() const { return job_.busy() || wanted_ != Wanted::None; }
  bool waits_for_a() const { return wanted_ == Wanted::A || (job_.busy() && job_is_a_); }
  /// What runs now is not B, and will be as soon as it has settled.
  bool measuring() const { return measuring_; }
  /// Changes whenever A or B does.
  std::uint64_t version() const { return version_; }
  /// A was pinned since this was asked last.
  bool just_pinned() { return std::exchange(just_pinned_, false); }
  /// What was asked for cannot be had, since this was asked last: nothing has been measured, and nothing runs.
  bool just_refused() { return std::exchange(just_refused_, false); }

  bool open = false;  ///< the view of both
  CompareAlign align = CompareAlign::Iteration;

 private:
  enum class Wanted : std::uint8_t { None, A, B };
  void start(SnapshotPlan plan, bool is_a, const FollowB::Sight& sight);
  void take(SharedSnapshot snapshot, Clock::time_point now);

  SharedSnapshot a_, b_;
  FollowB follow_;
  Wanted wanted_ = Wanted::None;
  base::BackgroundJob<SharedSnapshot> job_;
  Clock::time_point b_since_{};
  bool job_is_a_ = false, measuring_ = false, just_pinned_ = false, just_refused_ = false;
  std::uint64_t version_ = 0;
};

}  // namespace lanescope::ui
