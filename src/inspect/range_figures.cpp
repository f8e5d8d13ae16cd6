#include "inspect/range_figures.h"

namespace lanescope::ui {
namespace {

// A stretch with at most this many events is analysed at once; a larger one in the background.
constexpr std::int64_t kAtOnce = 8'000;
constexpr std::chrono::milliseconds kFiguresBetween{100};
// While an edge is dragged, show the current result even though the edge has moved since, unless it takes long.
constexpr std::chrono::milliseconds kPatience{400};

RangeResult work_out(const trace::Trace& trace, std::pair<Nanoseconds, Nanoseconds> range,
                     std::vector<trace::LaneId> lanes, std::int64_t events, const base::Stop* stop) {
  RangeResult result{range, std::move(lanes), events, {}, {}};
  result.statistics = range_statistics(trace, range.first, range.second, result.lanes, stop);
  if (!stop || !*stop) result.summary = analysis::analyse(trace, range.first, range.second, stop);
  return result;
}

}  // namespace

void RangeFigures::take(RangeResult result) {
  range = result.range;
  lanes = std::move(result.lanes);
  events_ = result.events;
  summary = std::move(result.summary);
  judge(*summary);  // in the current language
  statistics = std::move(result.statistics);
  ++number;
}

void RangeFigures::update(const trace::SharedTrace& trace,
                          const std::optional<std::pair<Nanoseconds, Nanoseconds>>& wanted_range,
                          const std::vector<trace::LaneId>& wanted_lanes, Clock::time_point now) {
  if (auto result = job_.take()) take(std::move(*result));
  due_ = false;
  if (!wanted_range) {
    job_.supersede();
    summary.reset();
    range = {};
    return;
  }
  const bool moved = !summary || range != *wanted_range || lanes != wanted_lanes;
  if (job_.busy()) {
    const bool other = asked_range_ != *wanted_range || asked_lanes_ != wanted_lanes;
    if (other && (asked_lanes_ != wanted_lanes || now - started_ > kPatience)) job_.supersede();
    return;
  }
  // A stretch that extends to the live edge grows, and one at the memory cap shrinks: detect both by the event count.
  if (!moved && now - started_ < kFiguresBetween) return;
  const std::int64_t events = count_starting(*trace, wanted_range->first, wanted_range->second, {});
  if (!moved && events == events_) {
    started_ = now;
    return;
  }
  if (events <= kAtOnce) {
    started_ = now;
    return take(work_out(*trace, *wanted_range, wanted_lanes, events, nullptr));
  }
  if (now - started_ < kFiguresBetween) {
    due_ = true;
    return;
  }
  started_ = now;
  asked_range_ = *wanted_range;
  asked_lanes_ = wanted_lanes;
  job_.start([trace, range = asked_range_, lanes = asked_lanes_, events](const base::Stop& stop) {
    return work_out(*trace, range, lanes, events, &stop);
  });
}

}  // namespace lanescope::ui
