#include "inspect/trace_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "base/translate.h"
#include "inspect/duration_sample.h"
#include "inspect/event_order.h"
#include "inspect/name_query.h"

namespace lanescope::ui {
namespace {

using base::tr;
using trace::Event;
using trace::EventIndex;
using trace::EventKind;
using trace::LaneId;
using trace::NameId;
using trace::Trace;

constexpr EventIndex kStatisticsPiece = 16'384;  // events per lock
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
// Fewer events are counted at once, without a moment in which there is nothing to show.
constexpr std::int64_t kStatisticsAtOnce = 8'000;
constexpr std::chrono::seconds kStatisticsBetween{1};  // more often, the numbers could not be read
constexpr int kPause = 4;  // a computation is followed by this many times its duration without one

// As PyTorch's profiler names Python functions.
bool is_python(std::string_view name) {
  return name.find(".py(") != std::string_view::npos || name.starts_with("<built-in ") ||
         name.starts_with("nn.Module: ");
}

class Reader {
 public:
  Reader(const Trace& trace, std::size_t exact_durations) : trace_(trace), most_exact_(exact_durations) {}

  void read(LaneId id, const trace::Row& row, EventIndex first, EventIndex last, const base::Stop* stop,
            const auto& told) {
    for (EventIndex i = first; i < last && !(stop && *stop);) {
      const EventIndex begin = i;
      {
        const Trace::ReadLock lock(trace_);
        const EventIndex piece = std::min(last, i + kStatisticsPiece);
        for (i = std::max(i, row.first()); i < piece; ++i) take(id, row, i);
        i = std::max(i, piece);
      }
      told(i - begin);
    }
  }

  TraceStatistics result() {
    TraceStatistics all;
    all.exact = exact_;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      StatisticsLine& line = all.lines.emplace_back(lines_[i]);
      line.sum_ns = samples_[i].sum;
      line.durations = samples_[i].stats(exact_);
      samples_[i] = {};
      if (line.kind != StatisticsKind::Waits || line.example.kind != EventKind::Call) {
        all.events += line.durations.count;  // the wait of a call is no event of its own
      }
    }
    return all;
  }

 private:
  void take(LaneId lane, const trace::Row& row, EventIndex i) {
    const Event look = row.look(i);
    const Nanoseconds duration = row.end(i) - row.start(i);
    add(lane, row, i, look, kind_of(look), duration);
    if (!trace::is_blocking(look)) return;
    const Nanoseconds waiting = trace::parts_of(row.event(i)).waiting;
    if (waiting > 0) add(lane, row, i, look, StatisticsKind::Waits, waiting);
  }

  StatisticsKind kind_of(const Event& event) {
    switch (event.kind) {
      case EventKind::Kernel:
        return StatisticsKind::Kernels;
      case EventKind::Copy:
      case EventKind::Memset:
        return StatisticsKind::Copies;
      case EventKind::Call:
        return StatisticsKind::Calls;
      default:
        break;
    }
    if (trace::is_host_wait(event)) return StatisticsKind::Waits;
    if (trace::range_kind_of(event) == trace::RangeKind::Operator) return StatisticsKind::Python;
    if (event.name >= python_.size()) python_.resize(std::size_t{event.name} + 1, 2);
    char& known = python_[event.name];
    if (known == 2) known = is_python(trace_.names().text(event.name)) ? 1 : 0;
    return known ? StatisticsKind::Python : StatisticsKind::Ranges;
  }

  void add(LaneId lane, const trace::Row& row, EventIndex i, const Event& event, StatisticsKind kind,
           Nanoseconds duration) {
    const std::size_t key = std::size_t{event.name} * kStatisticsKinds + static_cast<std::size_t>(kind);
    if (key >= places_.size()) places_.resize((std::size_t{event.name} + 1) * kStatisticsKinds, kNone);
    std::uint32_t& place = places_[key];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(samples_.size());
      samples_.emplace_back();
      lines_.push_back({event.name, kind, lane, row.event(i), 0, {}});
    }
    if (exact_ && ++kept_ > most_exact_) {
      exact_ = false;
      for (DurationSample& sample : samples_) sample.coarsen();
    }
    samples_[place].add(duration, exact_);
  }

  const Trace& trace_;
  const std::size_t most_exact_;
  bool exact_ = true;
  std::size_t kept_ = 0;
  std::vector<std::uint32_t> places_;  // by name and kind
  std::vector<DurationSample> samples_;
  std::vector<StatisticsLine> lines_;  // without their figures
  std::vector<char> python_;           // by name; 2: not looked at yet
};

double value_of(const StatisticsLine& line, LineColumn column) {
  const analysis::DurationStats& d = line.durations;
  switch (column) {
    case LineColumn::Count:
      return static_cast<double>(d.count);
    case LineColumn::Mean:
      return d.mean_ns;
    case LineColumn::P50:
      return static_cast<double>(d.p50_ns);
    case LineColumn::P99:
      return static_cast<double>(d.p99_ns);
    case LineColumn::Max:
      return static_cast<double>(d.max_ns);
    default:
      return static_cast<double>(line.sum_ns);
  }
}

bool is_text(LineColumn column) { return column == LineColumn::Name || column == LineColumn::Kind; }

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

}  // namespace

const char* statistics_kind_title(StatisticsKind kind) {
  switch (kind) {
    case StatisticsKind::Kernels:
      return tr("kernels");
    case StatisticsKind::Copies:
      return tr("copies");
    case StatisticsKind::Calls:
      return tr("API calls");
    case StatisticsKind::Waits:
      return tr("waits");
    case StatisticsKind::Ranges:
      return tr("ranges");
    default:
      return tr("Python");
  }
}

std::string_view statistics_kind_key(StatisticsKind kind) {
  constexpr std::array<std::string_view, kStatisticsKinds> kKeys{"kernel", "copy", "call", "wait", "range", "python"};
  return kKeys[static_cast<std::size_t>(kind)];
}

TraceStatistics trace_statistics(const Trace& trace, Nanoseconds from, Nanoseconds to, const std::vector<LaneId>& lanes,
                                 const base::Stop* stop, std::atomic<float>* progress, std::size_t exact_durations) {
  struct Part {
    LaneId lane;
    const trace::Row* row;
    EventIndex first, last;
  };
  std::vector<Part> parts;
  EventIndex all = 0;
  {
    const Trace::ReadLock lock(trace);
    for (std::size_t l = 0; l < trace.lane_count(); ++l) {
      const auto id = static_cast<LaneId>(l);
      const trace::Lane& lane = trace.lane(id);
      const bool wanted = lanes.empty() || std::find(lanes.begin(), lanes.end(), id) != lanes.end();
      if (!wanted || !has_intervals(lane.info().kind)) continue;
      for (std::size_t r = 0; r < lane.row_count(); ++r) {
        const trace::Row& row = lane.row(r);
        const EventIndex end = row.last();
        const EventIndex first = row.first_starting_at_or_after(from, row.first(), end);
        const EventIndex last = row.first_starting_at_or_after(to, first, end);
        if (last > first) parts.push_back({id, &row, first, last});
        all += last - first;
      }
    }
  }
  Reader reader(trace, exact_durations);
  EventIndex done = 0;
  for (const Part& part : parts) {
    reader.read(part.lane, *part.row, part.first, part.last, stop, [&](EventIndex more) {
      done += more;
      if (progress) *progress = static_cast<float>(done) / static_cast<float>(std::max<EventIndex>(1, all));
    });
  }
  if (stop && *stop) return {};
  TraceStatistics result = reader.result();
  result.range = {from, to};
  result.lanes = lanes;
  return result;
}

std::vector<std::size_t> arranged_lines(const TraceStatistics& statistics, const base::NameTable& names,
                                        const LineWish& wish, const std::vector<StatisticsLine>& before) {
  constexpr double kOvertaken = 1.05;
  constexpr std::size_t kMostSteady = 2'000;
  const std::vector<StatisticsLine>& lines = statistics.lines;
  const NameQuery query(wish.name);
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (wish.kind && lines[i].kind != *wish.kind) continue;
    if (!query.empty() && !query.matches(names.text(lines[i].name))) continue;
    wanted.push_back(i);
  }
  const auto by_name = [&](std::size_t a, std::size_t b) {
    return std::pair(names.text(lines[a].name), lines[a].kind) < std::pair(names.text(lines[b].name), lines[b].kind);
  };
  const auto [column, ascending] = wish.order;
  std::sort(wanted.begin(), wanted.end(), [&](std::size_t a, std::size_t b) {
    if (column == LineColumn::Name) return ascending ? by_name(b, a) : by_name(a, b);
    const double x = column == LineColumn::Kind ? -static_cast<double>(lines[a].kind) : value_of(lines[a], column);
    const double y = column == LineColumn::Kind ? -static_cast<double>(lines[b].kind) : value_of(lines[b], column);
    return x != y ? (ascending ? x < y : x > y) : by_name(a, b);
  });
  if (before.empty() || is_text(column) || wanted.size() > kMostSteady) return wanted;
  std::map<std::pair<NameId, StatisticsKind>, std::size_t> place_before;
  for (std::size_t i = 0; i < before.size(); ++i) place_before.emplace(std::pair(before[i].name, before[i].kind), i);
  const auto old_place = [&](std::size_t i) {
    const auto found = place_before.find({lines[i].name, lines[i].kind});
    return found == place_before.end() ? before.size() : found->second;
  };
  std::stable_sort(wanted.begin(), wanted.end(),
                   [&](std::size_t a, std::size_t b) { return old_place(a) < old_place(b); });
  // By insertion: not every pair can be put into one order.
  const auto overtakes = [&](std::size_t a, std::size_t b) {
    const double x = value_of(lines[a], column), y = value_of(lines[b], column);
    const bool known = old_place(a) < before.size() && old_place(b) < before.size();
    const double least = known ? kOvertaken : 1;
    return ascending ? x * least < y : x > y * least;
  };
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    for (std::size_t j = i; j > 0 && overtakes(wanted[j], wanted[j - 1]); --j) std::swap(wanted[j], wanted[j - 1]);
  }
  return wanted;
}

std::string statistics_csv(const TraceStatistics& statistics, const base::NameTable& names,
                           const std::vector<std::size_t>& lines) {
  std::string csv = "name,kind,count,sum_ns,mean_ns,p50_ns,p99_ns,max_ns,min_ns,share\r\n";
  const auto elapsed = static_cast<double>(std::max<Nanoseconds>(1, statistics.elapsed_ns()));
  for (const std::size_t i : lines) {
    const StatisticsLine& line = statistics.lines[i];
    const analysis::DurationStats& d = line.durations;
    csv += fmt::format("{},{},{},{},{:.1f},{},{},{},{},{:.6f}\r\n", quoted(names.text(line.name)),
                       statistics_kind_key(line.kind), d.count, line.sum_ns, d.mean_ns, d.p50_ns, d.p99_ns, d.max_ns,
                       d.min_ns, static_cast<double>(line.sum_ns) / elapsed);
  }
  return csv;
}

void StatisticsJob::update(const trace::SharedTrace& trace,
                           const std::optional<std::pair<Nanoseconds, Nanoseconds>>& range,
                           const std::vector<LaneId>& lanes, Clock::time_point now) {
  const Asked wanted{range, lanes};
  const bool other = !begun_ || asked_ != wanted;
  if (other) outdated_ = true;
  if (job_.busy() && other) job_.supersede();
  if (job_.ready()) {
    due_ = now + std::max<Clock::duration>(kStatisticsBetween, kPause * (now - started_));
    if (auto done = job_.take()) {
      result = std::move(*done);
      outdated_ = other;
      ++number;
    }
  }
  if (job_.busy()) return;
  const trace::TraceCounts counts = trace->counts();
  const bool grown = counts.recorded != recorded_ || counts.evicted != evicted_;
  if (!other && (!grown || now < due_)) return;
  begun_ = true;
  asked_ = wanted;
  recorded_ = counts.recorded;
  evicted_ = counts.evicted;
  started_ = now;
  *progress_ = 0;
  const auto extent = trace->extent();
  const auto [from, to] = range.value_or(std::pair(extent.first, extent.second + 1));
  if (count_starting(*trace, from, to, {}) <= kStatisticsAtOnce) {
    result = trace_statistics(*trace, from, to, lanes);
    outdated_ = false;
    due_ = now + kStatisticsBetween;
    ++number;
    return;
  }
  job_.start([trace, from = from, to = to, lanes, progress = progress_](const base::Stop& stop) {
    return trace_statistics(*trace, from, to, lanes, &stop, progress.get());
  });
}

void StatisticsJob::end() { *this = {}; }

}  // namespace lanescope::ui
