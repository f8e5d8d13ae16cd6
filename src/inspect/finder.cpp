#include "inspect/finder.h"

#include <algorithm>
#include <limits>

namespace lanescope::ui {
namespace {

using trace::EventIndex;
using trace::LaneId;
using trace::Trace;

constexpr EventIndex kPiece = 16'384;  // events per lock

}  // namespace

bool Finder::match_new_names(const base::NameTable& names) {
  const base::NameId count = names.size();
  for (auto id = static_cast<base::NameId>(matched_.size()); id < count; ++id) {
    matched_.push_back(query_.matches(names.text(id)));
    any_ = any_ || matched_.back();
  }
  return any_;
}

std::vector<Finder::Source> Finder::unread(const Trace& trace) {
  std::vector<Source> sources;
  read_until_.resize(std::max(read_until_.size(), trace.lane_count()));
  for (std::size_t l = 0; l < read_until_.size(); ++l) {
    const trace::Lane& lane = trace.lane(static_cast<LaneId>(l));
    const trace::LaneKind kind = lane.info().kind;
    if (!has_intervals(kind) && !(markers_ && kind == trace::LaneKind::Markers)) continue;
    read_until_[l].resize(std::max(read_until_[l].size(), lane.row_count()));
    for (std::size_t r = 0; r < read_until_[l].size(); ++r) {
      const trace::Row& row = lane.row(r);
      const EventIndex last = row.last();
      const EventIndex from = std::max(read_until_[l][r], row.first());
      if (from < last) {
        sources.push_back({&row, lane.info().kind, static_cast<LaneId>(l), static_cast<std::uint16_t>(r), from, last});
      }
    }
  }
  return sources;
}

Finder::Batch Finder::next(const Trace& trace, std::size_t room, const base::Stop& stop, std::uint64_t slice) {
  Batch batch;
  std::vector<Source> sources;
  {
    const Trace::ReadLock lock(trace);
    sources = unread(trace);
    std::uint64_t left = 0;
    Nanoseconds from = std::numeric_limits<Nanoseconds>::max();
    Nanoseconds to = std::numeric_limits<Nanoseconds>::min();
    for (const Source& s : sources) {
      left += s.last - s.from;
      from = std::min(from, s.row->start(s.from));
      to = std::max(to, s.row->start(s.last - 1) + 1);
    }
    // Slices are by time, not by row, so that results come in order.
    const auto until = [&](const Source& s, Nanoseconds t) {
      return s.row->first_starting_at_or_after(t, s.from, s.last);
    };
    Nanoseconds limit = to;
    if (left > slice) {
      const double share = static_cast<double>(slice) / static_cast<double>(left);
      limit = from + 1 + static_cast<Nanoseconds>(static_cast<double>(to - from) * share);
      const auto events_until = [&](Nanoseconds t) {
        std::uint64_t n = 0;
        for (const Source& s : sources) n += until(s, t) - s.from;
        return n;
      };
      while (limit > from + 1 && events_until(limit) > 2 * slice) limit = from + 1 + (limit - from - 1) / 2;
    }
    batch.more = limit < to;
    if (batch.more) {
      for (Source& s : sources) s.last = until(s, limit);
    }
  }
  std::vector<EventKey> keys;
  if (match_new_names(trace.names())) {
    for (const Source& s : sources) {
      for (EventIndex i = s.from; i < s.last && !stop;) {
        const Trace::ReadLock lock(trace);
        const EventIndex end = std::min(s.last, i + kPiece);
        for (i = std::max(i, s.row->first()); i < end; ++i) {
          const trace::NameId name = s.row->untimed_event(i).name;
          if (name < matched_.size() && matched_[name]) keys.push_back({s.row->start(i), s.kind, s.lane, s.number, i});
        }
        i = std::max(i, end);
      }
    }
  }
  for (const Source& s : sources) read_until_[s.lane][s.number] = s.last;
  batch.count = keys.size();
  if (keys.size() > room) {
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(room), keys.end());
    keys.resize(room);
  }
  std::sort(keys.begin(), keys.end());
  const Trace::ReadLock lock(trace);
  for (const EventKey& key : keys) {
    const trace::Row& row = trace.lane(key.lane).row(key.row);
    if (key.index < row.first()) continue;  // evicted meanwhile
    batch.events.push_back({key.lane, key.row, key.index, row.event(key.index)});
    batch.events.back().event.lane = key.lane;
  }
  return batch;
}

}  // namespace lanescope::ui
