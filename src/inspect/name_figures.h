// The statistics of one name over the whole trace, computed in the background, and again while the trace grows.
#pragma once

#include <chrono>
#include <optional>

#include "base/background_job.h"
#include "inspect/range_statistics.h"

namespace lanescope::ui {

class NameFigures {
 public:
  using Clock = std::chrono::steady_clock;
  /// A name on lanes of one kind: a call and a range of the same name are different things.
  struct Subject {
    trace::NameId name = 0;
    trace::LaneKind kind = trace::LaneKind::Phases;
    bool operator==(const Subject&) const = default;
  };

  bool open = false;  ///< wanted by the user

  /// Call once per frame with the subject, if any. A new subject has no figures until they are ready.
  void update(const trace::SharedTrace& trace, const std::optional<Subject>& wanted, Clock::time_point now);
  /// Stops the computation and forgets the figures.
  void end();
  bool busy() const { return job_.busy() || due_; }

  const std::optional<Subject>& subject() const { return subject_; }
  /// Empty while there is nothing to show yet.
  const std::optional<NameStatistics>& figures() const { return figures_; }
  bool exact() const { return exact_; }

 private:
  struct Result {
    Subject subject;
    NameStatistics figures;
    bool exact = true;
  };
  base::BackgroundJob<Result> job_;
  std::optional<Subject> subject_;
  std::optional<NameStatistics> figures_;
  std::uint64_t recorded_ = 0;
  bool exact_ = true, due_ = false;
  Clock::time_point started_{};
};

}  // namespace lanescope::ui
