// The events whose names a text asks for, collected beside the drawing for as long as the run grows.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/find/finder.h"

namespace lanescope::ui {

class FoundEvents {
 public:
  FoundEvents() = default;
  explicit FoundEvents(bool markers) : markers_(markers) {}  ///< see Finder

  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostFound = 100'000;

  std::vector<EventRef> found;  ///< in time order, the first kMostFound
  std::uint64_t total = 0;      ///< how many there are, kept or not

  /// Starts again when the text changes; an empty text finds nothing.
  void ask(const std::string& text);
  /// Once per frame: takes what was found and lets the search go on. True when `found` or `total` has changed.
  bool update(const trace::Trace& trace, Clock::time_point now);
  /// Nothing is under way afterwards, and nothing is asked for: before the trace goes.
  void end();

  bool asked() const { return finder_ != nullptr; }
  /// The trace has not been read to its end once.
  bool searching() const { return asked() && !reached_end_; }
  /// `found` has every event there is.
  bool complete() const { return asked() && reached_end_ && total == found.size(); }
  /// A piece is being worked out, or wanted at once.
  bool busy() const { return job_.busy() || (asked() && more_); }
  const NameQuery& query() const { return query_; }
  /// The names nearest to the text, when nothing has been found.
  const std::vector<std::string>& near() const { return near_; }

  /// What was found in one sub-row, oldest first: since these do not overlap, a search over them finds what is in view.
  struct InRow {
    std::vector<Nanoseconds> starts, ends;
  };
  const std::map<std::pair<trace::LaneId, std::size_t>, InRow>& by_row() const { return by_row_; }

 private:
  struct Piece {
    Finder::Batch batch;
    std::vector<std::string> near;
  };
  void begin();
  bool take(const trace::Trace& trace, Piece piece);
  bool forget_evicted(const trace::Trace& trace, Clock::time_point now);
  void index_from(std::size_t first);

  bool markers_ = false;
  std::string text_;
  NameQuery query_;
  std::shared_ptr<Finder> finder_;  // the job's while it is under way
  BackgroundJob<Piece> job_;
  bool more_ = false, reached_end_ = false;
  std::uint64_t recorded_ = 0, evicted_ = 0;
  Clock::time_point started_{}, looked_for_evicted_{};
  std::vector<std::string> near_;
  std::map<std::pair<trace::LaneId, std::size_t>, InRow> by_row_;
};

}  // namespace lanescope::ui
