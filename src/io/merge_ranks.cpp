#include "io/merge_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/collectives.h"
#include "analysis/communicator.h"
#include "base/translate.h"
#include "trace/rank_name.h"

namespace lanescope::io {
namespace {

using base::Nanoseconds;
using base::tr;
using trace::Event;
using trace::LaneId;

/// Times of day in files of one job are not further apart.
constexpr Nanoseconds kOneJob = 24 * 3600 * base::kSecond;
/// Fewer collectives tell nothing of clocks.
constexpr std::size_t kFewest = 5;
/// The ends of one collective on one clock are a few microseconds apart.
constexpr Nanoseconds kSameClock = 20 * base::kMicrosecond;

bool leaves_together(std::string_view operation) {
  return operation == "AllReduce" || operation == "AllGather" || operation == "ReduceScatter";
}

/// The ends of the collectives of the trace's first GPU that has any, in time order, by operation and process group.
std::map<std::string, std::vector<Nanoseconds>, std::less<>> ends_of(const trace::Trace& trace) {
  std::map<std::string, std::vector<Nanoseconds>, std::less<>> ends;
  const trace::Owners owners(trace);
  trace::GpuNumber gpu = trace::kNobody;
  const trace::Trace::ReadLock lock(trace);
  trace::for_rows(
      trace, [](trace::LaneKind kind) { return kind == trace::LaneKind::Kernels; },
      [&](LaneId lane, std::size_t, const trace::Row& row) {
        for (auto i = row.first(); i < row.last(); ++i) {
          const std::string_view name = trace.names().text(row.look(i).name);
          const std::string_view operation = analysis::collective_operation(name);
          if (!leaves_together(operation)) continue;
          if (gpu == trace::kNobody) gpu = owners.gpu_of(lane);
          if (owners.gpu_of(lane) != gpu) continue;
          const std::string_view arguments = trace.arguments().text(trace::arguments_of(row.event(i)));
          ends[fmt::format("{} {}", operation, analysis::communicator_of(arguments).group)].push_back(row.end(i));
        }
      });
  for (auto& [operation, of] : ends) std::ranges::sort(of);
  return ends;
}

Nanoseconds percentile(std::vector<Nanoseconds> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

/// Copies one trace into another, with its names, stacks and everything else that events refer to by number.
class Copier {
 public:
  Copier(const trace::Trace& from, trace::Trace& to, Nanoseconds shift) : from_(from), to_(to), shift_(shift) {}

  template <typename Rename>
  void copy(Rename rename) {
    const trace::Trace::ReadLock lock(from_);
    for (std::size_t l = 0; l < from_.lane_count(); ++l) {
      const auto id = static_cast<LaneId>(l);
      const trace::Lane& lane = from_.lane(id);
      trace::LaneInfo info = lane.info();
      rename(info);
      const LaneId to = to_.add_lane(info);
      for (std::size_t r = 0; r < lane.row_count(); ++r) copy(lane.row(r), r, to);
      for (const trace::CallSites::Noted& noted : from_.sites().between(id, kFirst, kLast)) {
        to_.sites().note(to, noted.start_ns + shift_, site(noted.site));
      }
    }
    copy_recording();
  }

 private:
  static constexpr Nanoseconds kFirst = std::numeric_limits<Nanoseconds>::min(),
                               kLast = std::numeric_limits<Nanoseconds>::max();

  void copy(const trace::Row& row, std::size_t number, LaneId to) {
    for (auto i = row.first(); i < row.last(); ++i) {
      Event e = row.event(i);
      e.lane = to;
      e.start_ns += shift_;
      e.end_ns += shift_;
      e.name = name(e.name);
      if (trace::is_setting_change(e)) {
        const trace::SettingChange change = trace::change_of(e);
        trace::set_change(e, {change.version, name(change.key), name(change.before), name(change.now)});
      } else if (const base::NameId arguments = trace::arguments_of(e); arguments != 0) {
        trace::set_arguments(e, mapped(arguments_, arguments, from_.arguments(), to_.arguments()));
      }
      if (const std::uint32_t launch = trace::launch_of(e); launch != 0) {
        const auto [known, is_new] = launches_.try_emplace(launch);
        const auto shape = is_new ? from_.launches().find(launch) : std::nullopt;
        if (shape) known->second = to_.launches().intern(*shape);
        trace::set_launch(e, known->second);
      }
      to_.append_in_row(number, e);
    }
    to_.publish();
  }
  base::NameId name(base::NameId id) { return mapped(names_, id, from_.names(), to_.names()); }
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
      trace::CallSites::Stack stack = from_.sites().stack(number);
      for (trace::Frame& frame : stack.frames) {
        frame.file = name(frame.file);
        frame.function = name(frame.function);
      }
      known->second = to_.sites().intern(stack.frames, stack.own);
    }
    return known->second;
  }
  void copy_recording() {
    using Act = trace::RecordingChange::Act;
    for (std::size_t c = 0; c < from_.coverage_count(); ++c) {
      const std::int64_t pid = from_.covered_pid(c);
      const trace::Coverage& coverage = from_.coverage(pid);
      const trace::Bursts bursts = coverage.bursts();
      to_.change_recording({Act::Bursts, pid, bursts.burst_ns, bursts.period_ns});
      if (coverage.complete()) continue;
      to_.change_recording({Act::Nothing, pid, 0, 0});
      for (auto i = coverage.first(); i < coverage.last(); ++i) {
        const trace::Coverage::Interval interval = coverage.interval(i);
        to_.begin_recorded(pid, interval.begin + shift_, interval.calls_from + shift_);
        if (interval.end != trace::Coverage::kNever) to_.end_recorded(pid, interval.end + shift_);
      }
    }
  }

  const trace::Trace& from_;
  trace::Trace& to_;
  const Nanoseconds shift_;
  std::map<base::NameId, base::NameId> names_, arguments_;
  std::map<std::uint32_t, std::uint32_t> launches_, sites_;
};

std::set<std::int64_t> pids_of(const trace::Trace& trace) {
  std::set<std::int64_t> pids;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) pids.insert(trace.lane(static_cast<LaneId>(l)).info().pid);
  return pids;
}

std::optional<int> rank_of(const RankTrace& rank) {
  return rank.opened.rank >= 0 ? rank.opened.rank : rank_in_name(rank.name);
}

std::string label_of(const RankTrace& rank) {
  const auto number = rank_of(rank);
  if (!number) return rank.name.substr(0, rank.name.find('.', rank.name.rfind('/') + 1));
  return trace::rank_name(*number, {});
}

/// Of each, and no two the same: two files of one rank are told apart by their names.
std::vector<std::string> labels_of(const std::vector<RankTrace>& ranks) {
  std::vector<std::string> labels;
  std::map<std::string, int> uses;
  for (const RankTrace& rank : ranks) ++uses[label_of(rank)];
  std::set<std::string> taken;
  for (const RankTrace& rank : ranks) {
    std::string label = label_of(rank);
    if (uses[label] > 1) label += fmt::format(" ({})", rank.name);
    while (!taken.insert(label).second) label += '\'';
    labels.push_back(std::move(label));
  }
  return labels;
}

/// Which ranks of the job have no file, if all that know the job's size agree.
std::string missing_text(const std::vector<RankTrace>& ranks) {
  constexpr std::size_t kMostNamed = 6;
  int world = 0;
  std::set<int> here;
  for (const RankTrace& rank : ranks) {
    const int of = rank.opened.world_size;
    if (of > 0 && world > 0 && of != world) return "";
    world = std::max(world, of);
    if (const auto number = rank_of(rank)) here.insert(*number);
  }
  std::vector<int> missing;
  for (int rank = 0; rank < world; ++rank) {
    if (!here.contains(rank)) missing.push_back(rank);
  }
  if (missing.empty()) return "";
  if (missing.size() == 1) return tr("Rank {} of {} is not here.", missing.front(), world);
  if (missing.size() > kMostNamed) return tr("{} of {} ranks are not here.", missing.size(), world);
  std::string named = std::to_string(missing.front());
  for (std::size_t i = 1; i + 1 < missing.size(); ++i) named += fmt::format(", {}", missing[i]);
  return tr("Ranks {} and {} of {} are not here.", named, missing.back(), world);
}

/// What the facts of all files have in common. Runs with different settings are no longer one that could be predicted.
RunFacts common_facts(const std::vector<RankTrace>& ranks) {
  RunFacts facts = ranks.front().opened.facts;
  facts.marks.clear();
  for (const RankTrace& rank : ranks) {
    const RunFacts& other = rank.opened.facts;
    const bool same = facts.workload == other.workload && facts.settings == other.settings;
    if (!same) facts.workload.clear();
    std::erase_if(facts.settings, [&](const auto& setting) {
      const auto found = other.settings.find(setting.first);
      return found == other.settings.end() || found->second != setting.second;
    });
    if (facts.program != other.program) facts.program.clear();
    if (facts.iterations != other.iterations) facts.iterations.clear();
  }
  return facts;
}

std::string clock_text(const Alignment& alignment) {
  if (alignment.by_collectives) {
    return tr("The clocks of these files were set by the ends of {} collectives; they agree to {}.",
              alignment.collectives, base::format_duration(alignment.error_ns));
  }
  if (alignment.error_ns > 0) {
    return tr("These files have one clock: the ends of {} collectives agree to {}.", alignment.collectives,
              base::format_duration(alignment.error_ns));
  }
  return tr("How well the clocks of these files agree is not known: they have too few collectives in common.");
}

}  // namespace

std::optional<int> rank_in_name(std::string_view name) {
  constexpr std::string_view kRank = "rank";
  constexpr std::size_t kMostDigits = 6;
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (std::size_t at = lower.find(kRank); at != std::string::npos; at = lower.find(kRank, at + 1)) {
    std::size_t digit = at + kRank.size();
    if (digit < lower.size() && (lower[digit] == '_' || lower[digit] == '-' || lower[digit] == '.')) ++digit;
    int number = 0;
    std::size_t digits = 0;
    for (; digit < lower.size() && std::isdigit(static_cast<unsigned char>(lower[digit])) && digits < kMostDigits;
         ++digit, ++digits) {
      number = number * 10 + (lower[digit] - '0');
    }
    if (digits > 0) return number;
  }
  return std::nullopt;
}

Alignment align_ranks(const std::vector<RankTrace>& ranks) {
  Alignment alignment;
  alignment.shift_ns.assign(ranks.size(), 0);
  std::vector<Nanoseconds> begins;
  for (const RankTrace& rank : ranks) begins.push_back(rank.opened.time_offset_ns);
  const auto [first_begin, last_begin] = std::ranges::minmax(begins);
  if (last_begin - first_begin < kOneJob) {
    for (std::size_t r = 0; r < ranks.size(); ++r) alignment.shift_ns[r] = begins[r] - first_begin;
  }

  // A collective's number among those of its operation is the same on all ranks, if all have as many.
  std::vector<std::map<std::string, std::vector<Nanoseconds>, std::less<>>> ends;
  for (const RankTrace& rank : ranks) ends.push_back(ends_of(*rank.opened.trace));
  std::vector<std::vector<Nanoseconds>> apart(ranks.size());  // from the first rank's end to each other's
  for (const auto& [operation, first] : ends.front()) {
    const auto same = [&](const auto& of) {
      const auto found = of.find(operation);
      return found != of.end() && found->second.size() == first.size();
    };
    if (!std::ranges::all_of(ends, same)) continue;
    alignment.collectives += static_cast<std::int64_t>(first.size());
    for (std::size_t r = 1; r < ranks.size(); ++r) {
      const std::vector<Nanoseconds>& others = ends[r].at(operation);
      for (std::size_t k = 0; k < first.size(); ++k) {
        apart[r].push_back(others[k] + alignment.shift_ns[r] - first[k] - alignment.shift_ns[0]);
      }
    }
  }
  if (alignment.collectives < static_cast<std::int64_t>(kFewest)) {
    alignment.collectives = 0;
    return alignment;
  }
  std::vector<Nanoseconds> move(ranks.size(), 0), error(ranks.size(), 0), error_if_moved(ranks.size(), 0);
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    move[r] = percentile(apart[r], 0.5);
    std::vector<Nanoseconds> now, moved;
    for (const Nanoseconds ns : apart[r]) {
      now.push_back(std::abs(ns));
      moved.push_back(std::abs(ns - move[r]));
    }
    error[r] = percentile(std::move(now), 0.9);
    error_if_moved[r] = percentile(std::move(moved), 0.9);
  }
  const bool one_clock = std::ranges::all_of(move, [](Nanoseconds ns) { return std::abs(ns) < kSameClock; });
  alignment.by_collectives = !one_clock;
  alignment.error_ns = std::max<Nanoseconds>(1, std::ranges::max(one_clock ? error : error_if_moved));
  if (one_clock) return alignment;
  for (std::size_t r = 1; r < ranks.size(); ++r) alignment.shift_ns[r] -= move[r];
  const Nanoseconds earliest = std::ranges::min(alignment.shift_ns);
  for (Nanoseconds& shift : alignment.shift_ns) shift -= earliest;
  return alignment;
}

OpenedTrace merge_ranks(std::vector<RankTrace> ranks) {
  if (ranks.size() == 1) return std::move(ranks.front().opened);
  std::ranges::stable_sort(ranks, {}, [](const RankTrace& r) {
    return std::pair(rank_of(r).value_or(std::numeric_limits<int>::max()), r.name);
  });
  const Alignment alignment = align_ranks(ranks);
  std::map<std::int64_t, int> files_with_pid;
  for (const RankTrace& rank : ranks) {
    for (const std::int64_t pid : pids_of(*rank.opened.trace)) ++files_with_pid[pid];
  }
  const bool one_host = std::ranges::all_of(files_with_pid, [](const auto& pid) { return pid.second == 1; });

  OpenedTrace merged;
  std::size_t cap = 0;
  for (const RankTrace& rank : ranks) cap = std::max(cap, rank.opened.trace->memory_cap_bytes());
  merged.trace = std::make_unique<trace::Trace>(cap);
  merged.facts = common_facts(ranks);
  const std::vector<std::string> labels = labels_of(ranks);
  const std::string missing = missing_text(ranks);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    OpenedTrace& opened = ranks[r].opened;
    const std::string& label = labels[r];
    Copier(*opened.trace, *merged.trace, alignment.shift_ns[r]).copy([&](trace::LaneInfo& lane) {
      // A recording of a job names the ranks itself.
      if (!trace::rank_in(lane.process)) {
        lane.process = lane.process.empty() ? label : fmt::format("{} · {}", label, lane.process);
      }
      if (!one_host) lane.host = lane.host.empty() ? label : fmt::format("{} · {}", label, lane.host);
    });
    merged.events_read += opened.events_read;
    merged.events_skipped += opened.events_skipped;
    merged.events_malformed += opened.events_malformed;
    for (const auto& [category, n] : opened.read_by_category) merged.read_by_category[category] += n;
    for (const auto& [category, n] : opened.skipped_by_category) merged.skipped_by_category[category] += n;
    if (!opened.incomplete.empty()) merged.incomplete += fmt::format("{}: {} ", ranks[r].name, opened.incomplete);
    opened = {};  // gives its memory back
  }
  if (!missing.empty()) merged.incomplete += missing + ' ';
  merged.incomplete += clock_text(alignment);
  merged.facts.clock_error_ns = alignment.error_ns;
  merged.trace->set_complete_until(merged.trace->extent().second);
  return merged;
}

}  // namespace lanescope::io
