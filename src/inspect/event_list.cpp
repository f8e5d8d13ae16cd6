#include "inspect/event_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanescope::ui {
namespace {

// The requested events that match the filter. If the search kept all matches, uses them; otherwise searches on the spot
// (there are many then, so the next ones are near).
class Listed {
 public:
  Listed(const EventListState& list, const trace::Trace& trace, const ListWish& wish)
      : trace_(trace),
        wish_(wish),
        matches_(list.matches),
        filtered_(matches_.asked()),
        rows_(trace, wish.lanes, wish.from, wish.to, filtered_ ? wanted() : EventRows::Wanted{}) {
    if (filtered_ && matches_.complete()) collect();
  }

  bool counts_filtered() const { return !filtered_ || matches_.complete(); }
  std::uint64_t count() const { return filtered_ && matches_.complete() ? found_.size() : rows_.count(); }
  EventKey key(const EventRef& ref) const { return key_of(trace_, ref); }

  std::vector<EventRef> from(const EventKey& at, std::size_t n, bool* cut) const {
    if (!filtered_ || !matches_.complete()) return rows_.from(at, n, cut);
    std::vector<EventRef> events;
    for (auto e = place(at); e != found_.end() && events.size() < n; ++e) events.push_back(**e);
    return events;
  }
  std::vector<EventRef> before(const EventKey& at, std::size_t n) const {
    if (!filtered_ || !matches_.complete()) return rows_.before(at, n);
    std::vector<EventRef> events;
    for (auto e = place(at); e != found_.begin() && events.size() < n;) events.push_back(**--e);
    return events;
  }

 private:
  EventRows::Wanted wanted() const {
    const base::NameTable& names = trace_.names();
    return [&names, this](trace::NameId id) {
      if (id >= known_.size()) known_.resize(id + 1, 0);
      if (known_[id] == 0) known_[id] = matches_.query().matches(names.text(id)) ? 2 : 1;
      return known_[id] == 2;
    };
  }
  void collect() {
    for (const EventRef& e : matches_.found) {
      if (e.event.start_ns >= wish_.to) break;
      const bool in_time = e.event.end_ns > wish_.from || (e.event.start_ns >= wish_.from);
      const bool on_lane =
          wish_.lanes.empty() || std::find(wish_.lanes.begin(), wish_.lanes.end(), e.lane) != wish_.lanes.end();
      if (in_time && on_lane) found_.push_back(&e);
    }
  }
  std::vector<const EventRef*>::const_iterator place(const EventKey& at) const {
    return std::lower_bound(found_.begin(), found_.end(), at,
                            [&](const EventRef* e, const EventKey& k) { return key_of(trace_, *e) < k; });
  }

  const trace::Trace& trace_;
  const ListWish& wish_;
  const FoundEvents& matches_;
  const bool filtered_;
  mutable std::vector<char> known_;  // by name: 0 not looked up yet, 1 no, 2 yes
  EventRows rows_;
  std::vector<const EventRef*> found_;  // the matches in scope
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
    if (!above.empty()) list.top = listed.key(list.shown.front());
  }
}

void scroll_event_list(EventListState& list, const trace::Trace& trace, const ListWish& wish, int rows) {
  const trace::Trace::ReadLock lock(trace);
  const Listed listed(list, trace, wish);
  if (rows < 0) {
    const auto above = listed.before(list.top, static_cast<std::size_t>(-rows));
    if (!above.empty()) list.top = listed.key(above.back());
  } else {
    const auto below = listed.from(list.top, static_cast<std::size_t>(rows) + 1, nullptr);
    if (!below.empty()) list.top = listed.key(below.back());
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
