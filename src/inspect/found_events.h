// Collects the events whose names match a query, in the background, for as long as the run grows.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inspect/finder.h"

namespace lanescope::ui {

class FoundEvents {
 public:
  FoundEvents() = default;
  explicit FoundEvents(bool markers) : markers_(markers) {}  ///< see Finder

  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostFound = 100'000;

  std::vector<EventRef> found;  ///< in time order, the first kMostFound
  std::uint64_t total = 0;      ///< all matches, kept or not

  /// Restarts if the text has changed; an empty text finds nothing.
  void ask(const std::string& text);
  /// Call once per frame: takes new results and continues the search. Returns true if `found` or `total` has changed.
  bool update(const trace::SharedTrace& trace, Clock::time_point now);
  /// Stops the search and clears the query.
  void end();

  bool asked() const { return finder_ != nullptr; }
  /// The trace has not been read to its end yet.
  bool searching() const { return asked() && !reached_end_; }
  /// `found` contains every match.
  bool complete() const { return asked() && reached_end_ && total == found.size(); }
  /// A piece is being searched, or is due at once.
  bool busy() const { return job_.busy() || (asked() && more_); }
  const NameQuery& query() const { return query_; }
  /// The most similar names, if nothing has been found.
  const std::vector<std::string>& near() const { return near_; }

  /// The matches in one sub-row, oldest first. They do not overlap, so a binary search finds those in view.
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
  std::shared_ptr<Finder> finder_;  // used by the job while it runs
  base::BackgroundJob<Piece> job_;
  bool more_ = false, reached_end_ = false;
  std::uint64_t recorded_ = 0, evicted_ = 0;
  Clock::time_point started_{}, looked_for_evicted_{};
  std::vector<std::string> near_;
  std::map<std::pair<trace::LaneId, std::size_t>, InRow> by_row_;
};

}  // namespace lanescope::ui
