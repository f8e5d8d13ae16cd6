#include "timeline/colouring.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/event_query.h"
#include "base/translate.h"
#include "timeline/lane_row.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::Event;
using trace::EventIndex;
using trace::EventKind;
using trace::LaneId;
using trace::LaneKind;
using trace::Trace;

constexpr EventIndex kSample = 4'000;  // events read for the scales

// 1, 3, 10, 30, ...: the largest at or below, or the smallest at or above.
Nanoseconds half_decade(Nanoseconds t, bool below) {
  Nanoseconds power = 1;
  while (power <= t / 10) power *= 10;
  if (below) return t >= 3 * power ? 3 * power : power;
  return t <= power ? power : t <= 3 * power ? 3 * power : 10 * power;
}

bool is_kernel(const Event& event) {
  return event.kind == EventKind::Kernel || trace::range_kind_of(event) == trace::RangeKind::Compute;
}

}  // namespace

std::string_view colour_by_key(ColourBy by) {
  constexpr std::array<std::string_view, kColourings.size()> kKeys{"kind", "name", "duration", "stream", "thread"};
  return kKeys[static_cast<std::size_t>(by)];
}

std::optional<ColourBy> parse_colour_by(std::string_view text) {
  for (const ColourBy by : kColourings) {
    if (text == colour_by_key(by)) return by;
  }
  return std::nullopt;
}

const char* colour_by_title(ColourBy by) {
  switch (by) {
    case ColourBy::Name:
      return tr("by name");
    case ColourBy::Duration:
      return tr("by duration");
    case ColourBy::Stream:
      return tr("by stream");
    case ColourBy::Thread:
      return tr("by thread");
    default:
      return tr("by kind");
  }
}

ColourBy next_colour_by(ColourBy by) { return kColourings[(static_cast<std::size_t>(by) + 1) % kColourings.size()]; }

DurationGroup duration_group(const Event& event) {
  switch (event.kind) {
    case EventKind::Kernel:
      return DurationGroup::Kernels;
    case EventKind::Copy:
    case EventKind::Memset:
      return DurationGroup::Copies;
    case EventKind::Call:
      return DurationGroup::Calls;
    default:
      return DurationGroup::Ranges;
  }
}

const char* duration_group_title(DurationGroup group) {
  switch (group) {
    case DurationGroup::Kernels:
      return tr("kernels");
    case DurationGroup::Copies:
      return tr("copies, memsets");
    case DurationGroup::Calls:
      return tr("CUDA calls");
    default:
      return tr("ranges, operators");
  }
}

std::size_t DurationScale::step(Nanoseconds duration) const {
  if (!known() || duration <= from) return 0;
  const double share = std::log(static_cast<double>(duration) / static_cast<double>(from)) /
                       std::log(static_cast<double>(to) / static_cast<double>(from));
  return std::min(kRampSteps - 1, static_cast<std::size_t>(share * static_cast<double>(kRampSteps)));
}

DurationScales sampled_scales(const Trace& trace) {
  const Trace::ReadLock lock(trace);
  std::vector<analysis::EventSource> sources = analysis::event_sources(trace, {});
  std::erase_if(sources, [](const analysis::EventSource& s) { return s.kind == LaneKind::Iterations; });
  EventIndex all = 0;
  for (const analysis::EventSource& s : sources) all += s.count();
  const EventIndex stride = std::max<EventIndex>(1, all / kSample);
  std::array<std::vector<Nanoseconds>, kDurationGroups> samples;
  for (const analysis::EventSource& s : sources) {
    for (EventIndex i = s.first; i < s.last; i += stride) {
      const Nanoseconds duration = s.row->end(i) - s.row->start(i);
      if (duration > 0) samples[static_cast<std::size_t>(duration_group(s.row->look(i)))].push_back(duration);
    }
  }
  DurationScales scales{};
  for (std::size_t g = 0; g < kDurationGroups; ++g) {
    std::vector<Nanoseconds>& sample = samples[g];
    if (sample.empty()) continue;
    std::sort(sample.begin(), sample.end());
    const std::size_t aside = sample.size() / 100;
    scales[g].from = half_decade(sample[aside], true);
    scales[g].to = std::max(half_decade(sample[sample.size() - 1 - aside], false), 10 * scales[g].from);
  }
  return scales;
}

DurationScales joined(const DurationScales& a, const DurationScales& b) {
  DurationScales all = a;
  for (std::size_t g = 0; g < kDurationGroups; ++g) {
    if (!b[g].known()) continue;
    all[g] = a[g].known() ? DurationScale{std::min(a[g].from, b[g].from), std::max(a[g].to, b[g].to)} : b[g];
  }
  return all;
}

std::string colouring_text(const Colouring& colouring) {
  if (colouring.by == ColourBy::Kind) return "";
  std::string text = std::string(tr("colours")) + " " + colour_by_title(colouring.by);
  for (std::size_t g = 0; colouring.by == ColourBy::Duration && g < kDurationGroups; ++g) {
    const DurationScale& scale = colouring.scales[g];
    if (!scale.known()) continue;
    text += std::string(text.find('(') == std::string::npos ? " (" : ", ") +
            duration_group_title(static_cast<DurationGroup>(g)) + " " + base::format_duration(scale.from) + " – " +
            base::format_duration(scale.to);
  }
  return text.find('(') == std::string::npos ? text : text + ")";
}

// FNV-1a, which is the same on every machine.
std::size_t category_of_name(std::string_view name) {
  const std::size_t number = name.find_last_not_of("0123456789");
  if (number != std::string_view::npos && name[number] == '#') name = name.substr(0, number);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<std::size_t>((hash ^ hash >> 32) % kCategories);
}

Colour colour_of(analysis::VerdictKind verdict) {
  switch (verdict) {
    case analysis::VerdictKind::SyncBound:
      return Colour::Wait;
    case analysis::VerdictKind::LaunchBound:
      return Colour::Launch;
    case analysis::VerdictKind::CopyBound:
      return Colour::CopyH2D;
    case analysis::VerdictKind::LoaderBound:
      return Colour::LoaderWait;
    case analysis::VerdictKind::GpuBound:
      return Colour::Good;
    default:
      return Colour::Muted;
  }
}

Colour colour_of(analysis::CauseGroup causes) {
  switch (causes) {
    case analysis::CauseGroup::AfterSync:
      return Colour::Wait;
    case analysis::CauseGroup::Launch:
      return Colour::Launch;
    case analysis::CauseGroup::Copy:
      return Colour::CopyH2D;
    case analysis::CauseGroup::Loader:
      return Colour::LoaderWait;
    case analysis::CauseGroup::Graph:
      return Colour::Kernel;
    default:
      return Colour::Muted;
  }
}

Paint kind_paint(const Theme& theme, LaneKind lane, const Event& event) {
  const Colour colour = event_colour(lane, event);
  return {theme[colour], theme.ink_on(colour)};
}

void EventColours::begin(const Trace& trace, const Theme& theme, const Colouring& colouring) {
  if (trace_ != &trace) clear();
  trace_ = &trace;
  theme_ = &theme;
  colouring_ = colouring;
  drawn_.swap(drawing_);
  std::fill(drawing_.begin(), drawing_.end(), 0.0f);
  const bool owned = by() == ColourBy::Stream || by() == ColourBy::Thread;
  if (owned && (owners_by_ != by() || by_lane_.size() != trace.lane_count())) find_owners();
}

// In the order of their first lanes, which does not change when a further one appears.
void EventColours::find_owners() {
  using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Key, std::size_t> known;
  owners_by_ = by();
  owners_.clear();
  by_lane_.assign(trace_->lane_count(), static_cast<std::uint8_t>(kNone));
  for (std::size_t l = 0; l < by_lane_.size(); ++l) {
    const auto id = static_cast<LaneId>(l);
    const trace::LaneInfo& info = trace_->lane(id).info();
    const bool stream = by() == ColourBy::Stream;
    if (stream ? !trace::is_gpu_lane(info.kind) : !trace::is_cpu_lane(info.kind)) continue;
    const Key key = stream ? Key{info.host, info.pid, info.device, info.stream} : Key{info.host, info.pid, info.tid, 0};
    const auto [place, is_new] = known.try_emplace(key, owners_.size() % kCategories);
    if (is_new) owners_.push_back({id, place->second});
    by_lane_[l] = static_cast<std::uint8_t>(place->second);
  }
}

// Waits, reads that came too early and iterations keep theirs. By name, only kernels and what stands for them on a CPU
// device: what the other lanes show is known by its place.
bool EventColours::keeps_kind(LaneId lane, const Event& event) const {
  if (by() == ColourBy::Kind || trace_->lane(lane).info().kind == LaneKind::Iterations) return true;
  if (by() == ColourBy::Name) return !is_kernel(event);
  return trace::is_host_wait(event) || trace::is_stale_read(event);
}

Paint EventColours::category(std::size_t place) const {
  return {theme_->categories[place], theme_->category_inks[place]};
}

std::size_t EventColours::category_of(trace::NameId name) {
  if (name >= by_name_.size()) by_name_.resize(std::size_t{name} + 1, static_cast<std::uint8_t>(kNone));
  std::uint8_t& place = by_name_[name];
  if (place == kNone) place = static_cast<std::uint8_t>(category_of_name(trace_->names().text(name)));
  return place;
}

Paint EventColours::paint(LaneId lane, const Event& event) {
  return own_paint(lane, event).value_or(kind_paint(*theme_, trace_->lane(lane).info().kind, event));
}

std::optional<Paint> EventColours::own_paint(LaneId lane, const Event& event) {
  if (keeps_kind(lane, event)) return std::nullopt;
  switch (by()) {
    case ColourBy::Name:
      if (event.name >= drawing_.size()) drawing_.resize(std::size_t{event.name} + 1);
      drawing_[event.name] += static_cast<float>(event.duration());
      return category(category_of(event.name));
    case ColourBy::Duration: {
      const std::size_t step =
          colouring_.scales[static_cast<std::size_t>(duration_group(event))].step(event.duration());
      return Paint{theme_->ramp[step], theme_->ramp_inks[step]};
    }
    default:
      if (lane >= by_lane_.size() || by_lane_[lane] == kNone) return std::nullopt;
      return category(by_lane_[lane]);
  }
}

Paint EventColours::paint_fold(LaneId lane, const trace::Row& row, EventIndex first, const trace::Fold& fold) {
  const LaneKind kind = trace_->lane(lane).info().kind;
  Event one = row.look(first);
  const auto neutral = [&]() -> Paint {
    if (kind == LaneKind::Calls) return {(*theme_)[Colour::Launch], theme_->ink_on(Colour::Launch)};
    const Colour colour = event_colour(kind, one);
    return {(*theme_)[colour], theme_->ink_on(colour)};
  };
  const EventIndex count = fold.last - first;
  if (by() == ColourBy::Kind || kind == LaneKind::Iterations || trace::is_stale_read(one)) return neutral();
  if (by() != ColourBy::Name) {
    one.flags = 0;  // what the first of them is besides does not matter
    one.start_ns = fold.start;
    one.end_ns = fold.start + fold.busy_ns / static_cast<Nanoseconds>(count);
    const std::optional<Paint> own = own_paint(lane, one);
    return own ? *own : neutral();
  }
  if (count > kMostRead || !is_kernel(one)) return neutral();
  std::array<std::pair<trace::NameId, Nanoseconds>, kMostRead> sums{};
  std::size_t names = 0;
  for (EventIndex i = first; i < fold.last; ++i) {
    const trace::NameId name = row.look(i).name;
    const auto end = sums.begin() + static_cast<std::ptrdiff_t>(names);
    const auto place = std::find_if(sums.begin(), end, [&](const auto& s) { return s.first == name; });
    if (place == end) sums[names++] = {name, 0};
    place->second += row.end(i) - row.start(i);
  }
  const auto most = std::max_element(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(names),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return category(category_of(most->first));
}

std::vector<trace::NameId> EventColours::names_drawn(std::size_t most) const {
  std::vector<trace::NameId> names;
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    if (drawn_[i] > 0) names.push_back(static_cast<trace::NameId>(i));
  }
  const auto more = [&](trace::NameId a, trace::NameId b) {
    return drawn_[a] != drawn_[b] ? drawn_[a] > drawn_[b] : a < b;
  };
  std::sort(names.begin(), names.end(), more);
  names.resize(std::min(most, names.size()));
  std::sort(names.begin(), names.end(),
            [&](trace::NameId a, trace::NameId b) { return trace_->names().text(a) < trace_->names().text(b); });
  return names;
}

}  // namespace lanescope::ui
