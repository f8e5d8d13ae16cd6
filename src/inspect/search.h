// Searches by name: collects the events that match in the background, for as long as the run grows, and steps through
// them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/event_listing.h"
#include "analysis/query_job.h"
#include "inspect/event_ref.h"

namespace lanescope::ui {

using base::Nanoseconds;

class FoundEvents {
 public:
  FoundEvents() = default;
  explicit FoundEvents(bool markers) : markers_(markers) {}  ///< also finds instants worth showing

  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostFound = 100'000;

  std::vector<EventRef> found;  ///< in time order, the first kMostFound
  std::uint64_t total = 0;      ///< all matches, kept or not

  /// Restarts if the text has changed; an empty text finds nothing.
  void ask(const std::string& text);
  /// Call once per frame: takes new results and continues the search. Returns true if `found` or `total` has changed.
  bool update(const trace::SharedTrace& shared, Clock::time_point now);
  /// Stops the search and clears the query.
  void end();

  bool asked() const { return !query_.names.empty(); }
  /// The trace has not been read to its end yet.
  bool searching() const { return asked() && !reached_end_; }
  /// `found` contains every match.
  bool complete() const { return asked() && reached_end_ && total == found.size(); }
  /// A piece is being searched, or is due.
  bool busy() const { return asked() && (job_.moves() || job_.outdated()); }
  const analysis::NameQuery& names() const { return query_.names; }
  /// The most similar names, if nothing has been found.
  const std::vector<std::string>& near() const { return near_; }

  /// The matches in one sub-row, oldest first. They do not overlap, so a binary search finds those in view.
  struct InRow {
    std::vector<Nanoseconds> starts, ends;
  };
  const std::map<std::pair<trace::LaneId, std::size_t>, InRow>& by_row() const { return by_row_; }

 private:
  struct Piece {
    analysis::Finder::Batch batch;
    std::vector<std::string> near;
  };
  void begin();
  void take(const trace::Trace& trace, Piece piece);
  bool forget_evicted(const trace::Trace& trace, Clock::time_point now);
  void index_from(std::size_t first);

  bool markers_ = false;
  std::string text_;
  analysis::EventQuery query_;
  std::shared_ptr<analysis::Finder> finder_;  // used by the job while it runs
  analysis::QueryJob<Piece> job_{std::chrono::milliseconds(100)};
  bool reached_end_ = false;
  std::uint64_t evicted_ = 0;
  Clock::time_point looked_for_evicted_{};
  std::vector<std::string> near_;
  std::map<std::pair<trace::LaneId, std::size_t>, InRow> by_row_;
};

struct SearchState : FoundEvents {
  SearchState() : FoundEvents(true) {}

  bool open = false;
  bool focus_wanted = false;  ///< the text field takes the keyboard focus in the next frame
  int field_number = 0;       ///< incremented to replace the field's text: a field in use would keep its own text
  bool field_active = false;  ///< the text field has the keyboard focus
  std::string text;
  std::optional<std::size_t> at;    ///< index of the current match
  std::optional<EventRef> shown;    ///< the current match, which stays current if others come before it
  std::optional<EventRef> hovered;  ///< in the list
  bool walk_wanted = false;         ///< go to the first match once there is one
  std::size_t top = 0;              ///< first row of the list
  bool scroll_to_shown = false;
  std::optional<std::chrono::steady_clock::time_point> pulse;  ///< when the current match began to pulse

  /// Of the matches, none is current, and the list begins with the first.
  void forget_place() {
    at.reset();
    shown.reset();
    hovered.reset();
    top = 0;
  }
};

inline constexpr double kPulseSeconds = 0.7;

/// The index in `found` of the next match after a time, or after the current one; wraps around. Empty if there is none.
std::optional<std::size_t> next_found(const SearchState& search, bool forward, Nanoseconds from);

}  // namespace lanescope::ui
