#include "inspect/event_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace lanescope::ui {
namespace {

using analysis::EventKey;
using analysis::key_of;

// The requested events that match the filter. If the search kept all matches, uses them; otherwise searches on the spot
// (there are many then, so the next ones are near).
class Listed {
 public:
  Listed(const EventListState& list, const trace::Trace& trace, const ListWish& wish)
      : trace_(trace),
        known_(list.matches.complete()),
        filtered_(list.matches.asked()),
        rows_(trace, {.from = wish.from,
                      .to = wish.to,
                      .overlapping = true,
                      .lanes = wish.lanes,
                      .names = list.matches.names()}) {
    if (!known_) return;
    for (const EventRef& e : list.matches.found) {
      if (e.event.start_ns >= wish.to) break;
      const bool in_time = e.event.end_ns > wish.from || e.event.start_ns >= wish.from;
      const bool on_lane = wish.lanes.empty() || std::ranges::find(wish.lanes, e.lane) != wish.lanes.end();
      if (in_time && on_lane) found_.push_back(&e);
    }
  }

  bool counts_filtered() const { return !filtered_ || known_; }
  std::uint64_t count() const { return known_ ? found_.size() : rows_.count(); }

  std::vector<EventRef> from(const EventKey& at, std::size_t n, bool* cut = nullptr) const {
    return known_ ? some(place(at), found_.end(), n) : rows_.from(at, n, cut);
  }
  std::vector<EventRef> before(const EventKey& at, std::size_t n) const {
    return known_ ? some(std::reverse_iterator(place(at)), found_.rend(), n) : rows_.before(at, n);
  }

 private:
  using Found = std::vector<const EventRef*>;
  Found::const_iterator place(const EventKey& at) const {
    return std::ranges::lower_bound(found_, at, {}, [&](const EventRef* e) { return key_of(trace_, *e); });
  }
  template <class Iterator>
  static std::vector<EventRef> some(Iterator at, Iterator end, std::size_t n) {
    std::vector<EventRef> events;
    for (; at != end && events.size() < n; ++at) events.push_back(**at);
    return events;
  }

  const trace::Trace& trace_;
  const bool known_, filtered_;  // all matches are known; there is a filter
  const analysis::EventRows rows_;
  Found found_;  // the matches in scope
};

}  // namespace

void read_event_list(EventListState& list, const trace::Trace& trace, const ListWish& wish) {
  const trace::Trace::ReadLock lock(trace);
  const Listed listed(list, trace, wish);
  list.count = listed.count();
  list.counts_filtered = listed.counts_filtered();
  list.cut = false;
  list.shown = listed.from(list.top, wish.rows, &list.cut);
  if (list.shown.size() < wish.rows && !list.cut) {
    // The end of the list: fill the page with earlier events.
    std::vector<EventRef> above = listed.before(list.top, wish.rows - list.shown.size());
    list.shown.insert(list.shown.begin(), above.rbegin(), above.rend());
    if (!above.empty()) list.top = key_of(trace, list.shown.front());
  }
}

void scroll_event_list(EventListState& list, const trace::Trace& trace, const ListWish& wish, int rows) {
  const trace::Trace::ReadLock lock(trace);
  const Listed listed(list, trace, wish);
  if (rows < 0) {
    const auto above = listed.before(list.top, static_cast<std::size_t>(-rows));
    if (!above.empty()) list.top = key_of(trace, above.back());
  } else {
    const auto below = listed.from(list.top, static_cast<std::size_t>(rows) + 1);
    if (!below.empty()) list.top = key_of(trace, below.back());
  }
}

void show_in_event_list(EventListState& list, const trace::Trace& trace, const ListWish& wish, const EventRef& event) {
  const trace::Trace::ReadLock lock(trace);
  list.top = key_of(trace, event);
  const auto above = Listed(list, trace, wish).before(list.top, wish.rows / 3);
  if (!above.empty()) list.top = key_of(trace, above.back());
}

std::string full_time(Nanoseconds t) {
  const auto n = static_cast<std::uint64_t>(t < 0 ? -t : t);
  return fmt::format("{}{}.{:03} {:03} {:03}", t < 0 ? "−" : "", n / 1'000'000'000, n / 1'000'000 % 1000,
                     n / 1000 % 1000, n % 1000);
}

}  // namespace lanescope::ui
