// The figures of a selected stretch of time.
#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/event_groups.h"
#include "analysis/query_job.h"
#include "analysis/summary.h"

namespace lanescope::ui {

struct RangeAnswer {
  analysis::EventGroups events;  ///< on the selected lanes
  analysis::Summary summary;     ///< of all lanes
};

struct RangeFigures {
  using Clock = std::chrono::steady_clock;

  analysis::QueryJob<RangeAnswer> job{std::chrono::milliseconds(100)};
  analysis::GroupOrder order;               ///< of the names, as chosen by the user
  std::vector<analysis::EventGroup> names;  ///< of job.answer, in that order
  // The bin last highlighted, and since when.
  std::optional<std::size_t> lit_bin;
  std::optional<Clock::time_point> lit_since;

  /// Call once per frame with the selection, if any.
  void update(const trace::SharedTrace& trace,
              const std::optional<std::pair<base::Nanoseconds, base::Nanoseconds>>& range,
              const std::vector<trace::LaneId>& lanes, Clock::time_point now) {
    std::optional<analysis::EventQuery> wanted;
    if (range) {
      wanted = {
          .from = range->first, .to = range->second, .lanes = lanes, .detail = analysis::GroupDetail::Distribution};
    }
    const auto work = [](const trace::Trace& whole, const analysis::EventQuery& query, const analysis::Watch& watch) {
      RangeAnswer answer{analysis::event_groups(whole, query, watch), {}};
      if (!watch.stopped()) answer.summary = analysis::analyse(whole, query.from, query.to, watch.stop);
      return answer;
    };
    const bool fresh = job.update(trace, wanted, now, work);
    if (fresh) judge(job.answer->summary);  // in the current language
    if (!fresh && arranged_by_ == order) return;
    arranged_by_ = order;
    names.clear();
    if (job.answer) names = arranged(job.answer->events.groups, trace->names(), {.order = order});
  }
  /// The answer is of this stretch.
  bool shows(const std::pair<base::Nanoseconds, base::Nanoseconds>& range) const {
    return job.answer && std::pair(job.of.from, job.of.to) == range;
  }

 private:
  analysis::GroupOrder arranged_by_;
};

}  // namespace lanescope::ui
