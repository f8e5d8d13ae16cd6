#include "trace/copy_trace.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lanescope::trace {
namespace {

constexpr EventIndex kPiece = 8192;  // events per lock: a fraction of a millisecond

class Copier {
 public:
  Copier(const Trace& source, Trace& into, const CopyOptions& options)
      : source_(source), into_(into), options_(options) {}

  void copy() {
    for (std::size_t l = 0; l < source_.lane_count(); ++l) {
      const auto id = static_cast<LaneId>(l);
      const Lane& lane = source_.lane(id);
      LaneInfo info = lane.info();
      if (options_.change_lane) options_.change_lane(info);
      const LaneId to = into_.add_lane(info);
      for (std::size_t r = 0; r < lane.row_count(); ++r) copy(lane.row(r), r, to);
      for (const CallSites::NotedCall& noted : source_.sites().between(id, options_.from, options_.to)) {
        into_.sites().note(to, noted.start_ns + options_.shift, site(noted.site));
      }
    }
    into_.copy_recording(source_, options_.from, options_.to, options_.shift);
    into_.publish();
  }

 private:
  void copy(const Row& row, std::size_t number, LaneId to) {
    EventIndex next = 0, end = 0;
    for (bool begun = false; !begun || next < end; begun = true) {
      const Trace::ReadLock lock(source_);
      const EventIndex first = row.first();
      if (!begun) {
        end = row.first_starting_at_or_after(options_.to, first, row.last());
        next = row.first_ending_after(options_.from, first, end);
      }
      next = std::max(next, first);  // older ones may have been evicted
      const EventIndex until = std::min(end, next + kPiece);
      for (; next < until; ++next) copy(row.event(next), number, to);
      into_.publish();
    }
  }
  void copy(Event e, std::size_t row, LaneId to) {
    e.lane = to;
    e.start_ns += options_.shift;
    e.end_ns += options_.shift;
    e.name = name(e.name);
    if (e.correlation != 0) e.correlation += options_.correlation_shift;
    if (is_setting_change(e)) {
      const SettingChange change = change_of(e);
      set_change(e, {change.version, name(change.key), name(change.before), name(change.now)});
    } else if (const base::NameId arguments = arguments_of(e); arguments != 0) {
      set_arguments(e, mapped(arguments_, arguments, source_.arguments(), into_.arguments()));
    }
    if (const std::uint32_t launch = launch_of(e); launch != 0) {
      const auto [known, is_new] = launches_.try_emplace(launch);
      const auto shape = is_new ? source_.launches().find(launch) : std::nullopt;
      if (shape) known->second = into_.launches().intern(*shape);
      set_launch(e, known->second);
    }
    if (!into_.append_in_row(row, e)) into_.append(e);
  }
  base::NameId name(base::NameId id) { return mapped(names_, id, source_.names(), into_.names()); }
  static base::NameId mapped(std::map<base::NameId, base::NameId>& known, base::NameId id, const base::NameTable& from,
                             base::NameTable& to) {
    if (id == 0 || id == base::NameTable::kOverflow) return id;
    const auto [at, is_new] = known.try_emplace(id);
    if (is_new) at->second = to.intern(from.text(id));
    return at->second;
  }
  std::uint32_t site(std::uint32_t number) {
    const auto [known, is_new] = sites_.try_emplace(number);
    if (is_new) {
      CallSites::Stack stack = source_.sites().stack(number);
      for (Frame& frame : stack.frames) {
        frame.file = name(frame.file);
        frame.function = name(frame.function);
      }
      known->second = into_.sites().intern(stack.frames, stack.own);
    }
    return known->second;
  }

  const Trace& source_;
  Trace& into_;
  const CopyOptions& options_;
  std::map<base::NameId, base::NameId> names_, arguments_;
  std::map<std::uint32_t, std::uint32_t> launches_, sites_;
};

}  // namespace

void copy_trace(const Trace& source, Trace& into, const CopyOptions& options) { Copier(source, into, options).copy(); }

}  // namespace lanescope::trace
