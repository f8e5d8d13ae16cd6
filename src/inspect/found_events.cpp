#include "inspect/found_events.h"

#include <algorithm>
#include <iterator>

namespace lanescope::ui {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};  // interval of the search for new events of a run in progress

}  // namespace

void FoundEvents::begin() {
  job_.supersede();
  found.clear();
  by_row_.clear();
  near_.clear();
  total = 0;
  reached_end_ = false;
  query_ = NameQuery(text_);
  finder_ = query_.empty() ? nullptr : std::make_shared<Finder>(query_, markers_);
  more_ = finder_ != nullptr;
}

void FoundEvents::ask(const std::string& text) {
  if (text == text_) return;
  text_ = text;
  begin();
}

void FoundEvents::end() {
  job_.leave();
  text_.clear();
  begin();
}

bool FoundEvents::update(const trace::SharedTrace& trace, Clock::time_point now) {
  bool changed = false;
  if (auto piece = job_.take()) changed = take(*trace, std::move(*piece));
  if (!asked() || job_.busy()) return changed;
  changed = forget_evicted(*trace, now) || changed;
  const std::uint64_t recorded = trace->counts().recorded;
  if (!more_ && (recorded == recorded_ || now - started_ < kBetweenLooks)) return changed;
  more_ = false;
  recorded_ = recorded;
  started_ = now;
  const std::size_t room = kMostFound - std::min(found.size(), kMostFound);
  const bool ask_near = total == 0 && near_.empty();
  job_.start([trace, room, ask_near, finder = finder_, text = text_](const base::Stop& stop) {
    Piece piece{finder->next(*trace, room, stop), {}};
    if (ask_near && piece.batch.count == 0 && !piece.batch.more) {
      piece.near = near_names(trace->names(), text, names_of_changes(*trace));
    }
    return piece;
  });
  return changed;
}

bool FoundEvents::take(const trace::Trace& trace, Piece piece) {
  more_ = piece.batch.more;
  reached_end_ = reached_end_ || !more_;
  total += piece.batch.count;
  near_ = total == 0 ? std::move(piece.near) : std::vector<std::string>();
  std::vector<EventRef>& events = piece.batch.events;
  if (events.empty()) return true;
  const auto before = [&](const EventRef& a, const EventRef& b) { return key_of(trace, a) < key_of(trace, b); };
  // Usually all of them are later than the existing ones, but a long range is reported late.
  const auto at = std::upper_bound(found.begin(), found.end(), events.front(), before);
  const auto first = at - found.begin();
  const bool late = at != found.end();
  const auto middle = static_cast<std::ptrdiff_t>(found.size());
  found.insert(found.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
  if (late) std::inplace_merge(found.begin() + first, found.begin() + middle, found.end(), before);
  if (late) by_row_.clear();
  index_from(late ? 0 : static_cast<std::size_t>(middle));
  return true;
}

// Evicted events can no longer be visited.
bool FoundEvents::forget_evicted(const trace::Trace& trace, Clock::time_point now) {
  const std::uint64_t evicted = trace.counts().evicted;
  if (found.empty() || evicted == evicted_ || now - looked_for_evicted_ < 10 * kBetweenLooks) return false;
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

}  // namespace lanescope::ui
