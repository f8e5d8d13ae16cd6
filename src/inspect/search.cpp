#include "inspect/search.h"

#include <algorithm>
#include <iterator>

namespace lanescope::ui {

void FoundEvents::begin() {
  job_.supersede();
  job_.go_on();
  found.clear();
  by_row_.clear();
  near_.clear();
  total = 0;
  reached_end_ = false;
  query_ = {.markers = markers_, .names = analysis::NameQuery(text_)};
  finder_ = std::make_shared<analysis::Finder>(query_);
}

void FoundEvents::ask(const std::string& text) {
  if (text == text_) return;
  text_ = text;
  begin();
}

void FoundEvents::end() {
  job_.end();
  text_.clear();
  begin();
}

bool FoundEvents::update(const trace::SharedTrace& shared, Clock::time_point now) {
  const trace::Trace& trace = *shared;
  for (bool changed = false;; changed = true) {
    if (asked() && !job_.busy()) changed = forget_evicted(trace, now) || changed;
    const std::size_t room = kMostFound - std::min(found.size(), kMostFound);
    const bool ask_near = total == 0 && near_.empty();
    const auto search = [room, ask_near, finder = finder_, text = text_](
                            const trace::Trace& all, const analysis::EventQuery&, const analysis::Watch& watch) {
      Piece piece{finder->next(all, room, watch), {}};
      if (ask_near && piece.batch.count == 0 && !piece.batch.more) {
        piece.near = analysis::near_names(all.names(), text, analysis::names_of_changes(all));
      }
      return piece;
    };
    if (!job_.update(shared, asked() ? std::optional(query_) : std::nullopt, now, search)) return changed;
    take(trace, std::move(*job_.answer));
  }
}

void FoundEvents::take(const trace::Trace& trace, Piece piece) {
  if (piece.batch.more) job_.go_on();
  reached_end_ = reached_end_ || !piece.batch.more;
  total += piece.batch.count;
  near_ = total == 0 ? std::move(piece.near) : std::vector<std::string>();
  std::vector<EventRef>& events = piece.batch.events;
  if (events.empty()) return;
  const auto before = [&](const EventRef& a, const EventRef& b) {
    return analysis::key_of(trace, a) < analysis::key_of(trace, b);
  };
  // Usually all of them are later than the existing ones, but a long range is reported late.
  const auto at = std::upper_bound(found.begin(), found.end(), events.front(), before);
  const auto first = at - found.begin();
  const bool late = at != found.end();
  const auto middle = static_cast<std::ptrdiff_t>(found.size());
  found.insert(found.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
  if (late) std::inplace_merge(found.begin() + first, found.begin() + middle, found.end(), before);
  if (late) by_row_.clear();
  index_from(late ? 0 : static_cast<std::size_t>(middle));
}

// Evicted events can no longer be visited.
bool FoundEvents::forget_evicted(const trace::Trace& trace, Clock::time_point now) {
  constexpr std::chrono::seconds kBetween{1};
  const std::uint64_t evicted = trace.counts().evicted;
  if (found.empty() || evicted == evicted_ || now - looked_for_evicted_ < kBetween) return false;
  evicted_ = evicted;
  looked_for_evicted_ = now;
  const auto gone =
      std::erase_if(found, [&](const EventRef& e) { return e.index < trace.lane(e.lane).row(e.row).first(); });
  if (gone == 0) return false;
  const bool some_not_kept = total > found.size() + gone;
  total -= gone;
  by_row_.clear();
  index_from(0);
  // More than half of the kept ones are gone, and there are others that were not kept: search again.
  if (some_not_kept && found.size() < kMostFound / 2) begin();
  return true;
}

void FoundEvents::index_from(std::size_t first) {
  for (std::size_t i = first; i < found.size(); ++i) {
    InRow& row = by_row_[{found[i].lane, found[i].row}];
    row.starts.push_back(found[i].event.start_ns);
    row.ends.push_back(found[i].event.end_ns);
  }
}

std::optional<std::size_t> next_found(const SearchState& search, bool forward, Nanoseconds from) {
  const std::size_t n = search.found.size();
  if (n == 0) return std::nullopt;
  if (search.at && *search.at < n) return forward ? (*search.at + 1) % n : (*search.at + n - 1) % n;
  const auto first =
      static_cast<std::size_t>(std::lower_bound(search.found.begin(), search.found.end(), from,
                                                [](const EventRef& e, Nanoseconds t) { return e.event.start_ns < t; }) -
                               search.found.begin());
  return forward ? first % n : (first + n - 1) % n;
}

}  // namespace lanescope::ui
