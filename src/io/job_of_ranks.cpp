#include "io/job_of_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "analysis/collectives.h"
#include "analysis/job_clock.h"
#include "base/error.h"
#include "base/translate.h"
#include "io/trace_file.h"
#include "trace/copy_trace.h"
#include "trace/owners.h"

namespace lanescope::io {
namespace {

using base::Nanoseconds;
using base::tr;
using trace::LaneId;

/// Times of day in files of one job are not further apart.
constexpr Nanoseconds kOneJob = 24 * 3600 * base::kSecond;

/// The ends of the collectives of one operation and process group, by number, which is the same on all ranks.
struct CollectiveEnds {
  std::map<std::int64_t, Nanoseconds> of;
  bool numbered = true;  ///< otherwise counted from the beginning of the file
};
using EndsByOperation = std::map<std::string, CollectiveEnds, std::less<>>;

/// Of the trace's first GPU that has any.
EndsByOperation ends_of(const trace::Trace& trace) {
  struct End {
    Nanoseconds end_ns = 0;
    std::optional<std::int64_t> number;
  };
  std::map<std::string, std::vector<End>, std::less<>> found;
  const trace::Owners owners(trace);
  trace::GpuNumber gpu = trace::kNobody;
  const trace::Trace::ReadLock lock(trace);
  trace::for_rows(
      trace, [](trace::LaneKind kind) { return kind == trace::LaneKind::Kernels; },
      [&](LaneId lane, std::size_t, const trace::Row& row) {
        for (auto i = row.first(); i < row.last(); ++i) {
          const std::string_view name = trace.names().text(row.look(i).name);
          if (analysis::collective_operation(name).empty()) continue;
          const trace::Event event = row.event(i);
          const trace::CollectiveFacts& says = trace.collectives().of(trace::arguments_of(event));
          const std::string_view operation = analysis::collective_operation(name, says);
          if (!analysis::leaves_together(operation)) continue;
          if (gpu == trace::kNobody) gpu = owners.gpu_of(lane);
          if (owners.gpu_of(lane) != gpu) continue;
          found[fmt::format("{} {}", operation, says.group)].push_back(
              {event.end_ns, trace::collective_number(says, trace::external_id_of(event))});
        }
      });
  EndsByOperation ends;
  for (auto& [operation, all] : found) {
    CollectiveEnds& into = ends[operation];
    into.numbered = std::ranges::all_of(all, [](const End& end) { return end.number.value_or(-1) >= 0; });
    std::ranges::sort(all, {}, &End::end_ns);
    for (std::size_t k = 0; k < all.size(); ++k)
      into.of[into.numbered ? *all[k].number : static_cast<std::int64_t>(k)] = all[k].end_ns;
  }
  return ends;
}

/// The first of the files whose clock is the same one, for each.
std::vector<std::size_t> clocks_of(const std::vector<RankTrace>& ranks) {
  std::vector<std::size_t> clocks;
  for (const RankTrace& rank : ranks) {
    const auto same = std::ranges::find_if(ranks, [&](const RankTrace& other) {
      return &other == &rank || rank.opened.facts.clock.same_clock(other.opened.facts.clock);
    });
    clocks.push_back(static_cast<std::size_t>(same - ranks.begin()));
  }
  return clocks;
}

Nanoseconds percentile(std::vector<Nanoseconds> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

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

struct Label {
  std::string text;
  std::optional<int> rank;  ///< if no other file is of the same
};

/// Of each, and no two the same: two files of one rank are told apart by their names.
std::vector<Label> labels_of(const std::vector<RankTrace>& ranks) {
  std::vector<Label> labels;
  std::map<std::string, int> uses;
  for (const RankTrace& rank : ranks) ++uses[label_of(rank)];
  std::set<std::string> taken;
  for (const RankTrace& rank : ranks) {
    std::string label = label_of(rank);
    std::optional<int> only = rank_of(rank);
    if (uses[label] > 1) {
      label += fmt::format(" ({})", rank.name);
      only.reset();
    }
    while (!taken.insert(label).second) label += '\'';
    labels.push_back({std::move(label), only});
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
    const auto number = rank_of(rank);
    if (!number) return "";
    here.insert(*number);
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

/// Why they may not be of one job.
std::vector<std::string> doubts_of(const std::vector<RankTrace>& ranks) {
  std::set<int> worlds;
  std::set<std::string> models;
  std::vector<Nanoseconds> begins;
  for (const RankTrace& rank : ranks) {
    if (rank.opened.world_size > 0) worlds.insert(rank.opened.world_size);
    if (!rank.opened.facts.device_name.empty()) models.insert(rank.opened.facts.device_name);
    if (!rank.opened.own) begins.push_back(rank.opened.time_offset_ns);
  }
  std::vector<std::string> doubts;
  if (worlds.size() > 1) {
    doubts.emplace_back(
        tr("These files are of different jobs: one of {} ranks, another of {}.", *worlds.begin(), *worlds.rbegin()));
  }
  if (!begins.empty() && std::ranges::max(begins) - std::ranges::min(begins) >= kOneJob) {
    doubts.emplace_back(tr("They were recorded more than a day apart, or with different clocks."));
  }
  if (models.size() > 1) doubts.emplace_back(tr("Their GPUs are of different models."));
  return doubts;
}

/// What the facts of all files have in common. Runs with different settings are no longer one that could be predicted.
RunFacts common_facts(const std::vector<RankTrace>& ranks) {
  RunFacts facts = ranks.front().opened.facts;
  facts.marks.clear();
  facts.device_name.clear();
  std::set<std::string> models;
  for (const RankTrace& rank : ranks) {
    const RunFacts& other = rank.opened.facts;
    const bool same = facts.workload == other.workload && facts.settings == other.settings;
    if (!same) facts.workload.clear();
    std::erase_if(facts.settings, [&](const auto& setting) {
      const auto found = other.settings.find(setting.first);
      return found == other.settings.end() || found->second != setting.second;
    });
    if (!other.device_name.empty() && models.insert(other.device_name).second) {
      facts.device_name += facts.device_name.empty() ? other.device_name : ", " + other.device_name;
    }
    if (facts.program != other.program) facts.program.clear();
    if (facts.iterations != other.iterations) facts.iterations.clear();
  }
  if (models.size() > 1) facts.sm_count = 0;
  return facts;
}

// --- recordings of one worker ----------------------------------------------------------------------------------------

/// "host_4711" of "host_4711.1700000000000.pt.trace.json", the PyTorch profiler's name of a worker; empty if there is
/// none.
std::string_view worker_in_name(std::string_view name) {
  name.remove_prefix(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  const std::size_t ending = name.find(".pt.trace.json");
  if (ending == std::string_view::npos) return {};
  const std::string_view stem = name.substr(0, ending);
  const std::size_t dot = stem.rfind('.');
  const bool numbered = dot != std::string_view::npos && dot + 1 < stem.size() &&
                        stem.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return numbered ? stem.substr(0, dot) : std::string_view();
}

/// The processes that make calls or have iterations, by host; and the GPUs, with the process that uses each.
struct Workers {
  std::set<std::pair<std::string, std::int64_t>> processes;
  std::set<std::tuple<std::string, std::int64_t, std::int32_t>> gpus;
};
Workers workers_of(const trace::Trace& trace) {
  Workers workers;
  for (std::size_t l = 0; l < trace.lane_count(); ++l) {
    const trace::LaneInfo& lane = trace.lane(static_cast<LaneId>(l)).info();
    if (lane.kind == trace::LaneKind::Calls || lane.kind == trace::LaneKind::Iterations)
      workers.processes.emplace(lane.host, lane.pid);
    if (trace::is_gpu_work_lane(lane.kind)) workers.gpus.emplace(lane.host, lane.pid, lane.device);
  }
  return workers;
}

/// When a file's events are, on the clock that its times of day are on.
std::pair<Nanoseconds, Nanoseconds> time_of(const RankTrace& rank) {
  const auto [from, to] = rank.opened.trace->extent();
  return {from + rank.opened.time_offset_ns, to + rank.opened.time_offset_ns};
}

/// The later one is another recording of the same worker: the same process on the same GPUs, at another time.
bool same_worker(const RankTrace& earlier, const RankTrace& later) {
  if (earlier.opened.own || later.opened.own || rank_of(earlier) != rank_of(later)) return false;
  const std::string_view worker = worker_in_name(earlier.name), other = worker_in_name(later.name);
  if (!worker.empty() && !other.empty() && worker != other) return false;
  const auto [from, to] = time_of(earlier);
  const auto [from_later, to_later] = time_of(later);
  if (from_later < to || to_later - from > base::kLongestTrace) return false;
  const Workers a = workers_of(*earlier.opened.trace), b = workers_of(*later.opened.trace);
  return !a.processes.empty() && a.processes == b.processes && (a.gpus.empty() || b.gpus.empty() || a.gpus == b.gpus);
}

/// The largest number by which calls and operations are matched, and by which later ones are moved to differ.
std::uint32_t most_correlation(const trace::Trace& trace) {
  std::uint32_t most = 0;
  const trace::Trace::ReadLock lock(trace);
  trace::for_rows(
      trace, [](trace::LaneKind) { return true; },
      [&](LaneId, std::size_t, const trace::Row& row) {
        for (auto i = row.first(); i < row.last(); ++i) most = std::max(most, row.correlation(i));
      });
  return most;
}

/// What both recorded, with nothing known of the time between them.
void add_recording(OpenedTrace& opened, OpenedTrace later) {
  trace::Trace& into = *opened.trace;
  const Nanoseconds shift = later.time_offset_ns - opened.time_offset_ns;
  const auto take = [&](const trace::Trace& trace, Nanoseconds by) {
    const auto [from, to] = trace.extent();
    for (const auto& [host, pid] : workers_of(trace).processes) {
      if (!trace.coverage(pid).complete()) continue;  // it says so itself
      into.begin_recorded(pid, from + by);
      into.end_recorded(pid, to + by);
    }
  };
  take(into, 0);
  const std::uint32_t most = most_correlation(into);
  trace::copy_trace(*later.trace, into, {.shift = shift, .correlation_shift = most});
  take(*later.trace, shift);
  opened.events_read += later.events_read;
  opened.events_skipped += later.events_skipped;
  opened.events_malformed += later.events_malformed;
  for (const auto& [category, n] : later.read_by_category) opened.read_by_category[category] += n;
  for (const auto& [category, n] : later.skipped_by_category) opened.skipped_by_category[category] += n;
  if (later.incomplete != opened.incomplete) add_sentence(opened.incomplete, later.incomplete);
  into.set_complete_until(into.extent().second);
}

/// A profiler that is switched on again and again writes a file each time.
void join_recordings(std::vector<RankTrace>& ranks) {
  std::ranges::stable_sort(ranks, {}, [](const RankTrace& rank) { return time_of(rank).first; });
  std::vector<RankTrace> joined;
  std::vector<int> files;
  for (RankTrace& rank : ranks) {
    std::size_t to = 0;
    while (to < joined.size() && !same_worker(joined[to], rank)) ++to;
    if (to == joined.size()) {
      joined.push_back(std::move(rank));
      files.push_back(1);
    } else {
      add_recording(joined[to].opened, std::move(rank.opened));
      ++files[to];
    }
  }
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (files[i] < 2) continue;
    add_sentence(joined[i].opened.incomplete,
                 tr("{} recordings of one worker: nothing is known of the time between.", files[i]));
  }
  ranks = std::move(joined);
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

  const std::vector<std::size_t> clocks = clocks_of(ranks);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto origin = [&](std::size_t of) { return ranks[of].opened.facts.clock.origin_ns; };
    if (clocks[r] != r) alignment.shift_ns[r] = alignment.shift_ns[clocks[r]] + origin(r) - origin(clocks[r]);
  }
  const Nanoseconds first_shift = std::ranges::min(alignment.shift_ns);
  for (Nanoseconds& shift : alignment.shift_ns) shift -= first_shift;

  // Counted, a collective has the same number on all ranks only if all have as many.
  std::vector<EndsByOperation> ends;
  for (const RankTrace& rank : ranks) ends.push_back(ends_of(*rank.opened.trace));
  std::vector<std::vector<Nanoseconds>> apart(ranks.size());  // from the first rank's end to each other's
  for (const auto& [operation, first] : ends.front()) {
    std::vector<const CollectiveEnds*> all;
    for (const EndsByOperation& of : ends) {
      const auto found = of.find(operation);
      if (found != of.end()) all.push_back(&found->second);
    }
    const bool numbered = std::ranges::all_of(all, &CollectiveEnds::numbered);
    const auto as_many = [&](const CollectiveEnds* of) { return !of->numbered && of->of.size() == first.of.size(); };
    if (all.size() < ranks.size() || (!numbered && !std::ranges::all_of(all, as_many))) continue;
    for (const auto& [number, end] : first.of) {
      if (!std::ranges::all_of(all, [n = number](const CollectiveEnds* of) { return of->of.contains(n); })) continue;
      ++alignment.collectives;
      for (std::size_t r = 1; r < ranks.size(); ++r)
        apart[r].push_back(all[r]->of.at(number) + alignment.shift_ns[r] - end - alignment.shift_ns[0]);
    }
  }
  if (alignment.collectives < static_cast<std::int64_t>(analysis::kFewestEnds)) {
    alignment.collectives = 0;
    return alignment;
  }
  std::vector<Nanoseconds> move(ranks.size(), 0), error(ranks.size(), 0), error_if_moved(ranks.size(), 0);
  for (std::size_t r = 1; r < ranks.size(); ++r) {  // a clock is moved as a whole: that of the first file, not at all
    std::vector<Nanoseconds> of_clock;
    for (std::size_t other = 1; other < ranks.size(); ++other) {
      if (clocks[other] == clocks[r]) of_clock.insert(of_clock.end(), apart[other].begin(), apart[other].end());
    }
    if (clocks[r] != 0) move[r] = percentile(std::move(of_clock), 0.5);
    std::vector<Nanoseconds> now, moved;
    for (const Nanoseconds ns : apart[r]) {
      now.push_back(std::abs(ns));
      moved.push_back(std::abs(ns - move[r]));
    }
    error[r] = percentile(std::move(now), 0.9);
    error_if_moved[r] = percentile(std::move(moved), 0.9);
  }
  const bool one_clock = std::ranges::all_of(move, [](Nanoseconds ns) { return std::abs(ns) < analysis::kEndsError; });
  alignment.by_collectives = !one_clock;
  alignment.error_ns = std::max<Nanoseconds>(1, std::ranges::max(one_clock ? error : error_if_moved));
  if (one_clock) return alignment;
  for (std::size_t r = 1; r < ranks.size(); ++r) alignment.shift_ns[r] -= move[r];
  const Nanoseconds earliest = std::ranges::min(alignment.shift_ns);
  for (Nanoseconds& shift : alignment.shift_ns) shift -= earliest;
  return alignment;
}

OpenedTrace merge_ranks(std::vector<RankTrace> ranks) {
  if (ranks.size() > 1) join_recordings(ranks);
  if (ranks.size() == 1) {
    OpenedTrace& one = ranks.front().opened;
    const std::string missing = missing_text(ranks);
    if (!missing.empty() && !one.incomplete.empty()) one.incomplete += ' ';
    one.incomplete += missing;
    return std::move(one);
  }
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
  const std::vector<Label> labels = labels_of(ranks);
  std::vector<std::string> remarks = doubts_of(ranks);
  if (std::string missing = missing_text(ranks); !missing.empty()) remarks.push_back(std::move(missing));
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    OpenedTrace& opened = ranks[r].opened;
    const Label& label = labels[r];
    const auto name_lane = [&](trace::LaneInfo& lane) {
      // A recording of a job names the ranks itself.
      if (!lane.rank) {
        lane.process = lane.process.empty() ? label.text : fmt::format("{} · {}", label.text, lane.process);
        lane.rank = label.rank;
      }
      if (!one_host) lane.host = lane.host.empty() ? label.text : fmt::format("{} · {}", label.text, lane.host);
    };
    copy_trace(*opened.trace, *merged.trace, {.shift = alignment.shift_ns[r], .change_lane = name_lane});
    merged.events_read += opened.events_read;
    merged.events_skipped += opened.events_skipped;
    merged.events_malformed += opened.events_malformed;
    for (const auto& [category, n] : opened.read_by_category) merged.read_by_category[category] += n;
    for (const auto& [category, n] : opened.skipped_by_category) merged.skipped_by_category[category] += n;
    if (!opened.incomplete.empty()) merged.incomplete += fmt::format("{}: {} ", ranks[r].name, opened.incomplete);
    opened = {};  // gives its memory back
  }
  for (const std::string& remark : remarks) merged.incomplete += remark + ' ';
  merged.incomplete += clock_text(alignment);
  merged.facts.clock_error_ns = alignment.error_ns;
  merged.trace->set_complete_until(merged.trace->extent().second);
  return merged;
}

// --- rank files ------------------------------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kReportEvery{20};

/// One file while it is read.
struct Part {
  fs::path path;
  std::uint64_t bytes = 0;
  ReadProgress progress;
  OpenedTrace opened;
  std::exception_ptr error;
  bool no_trace = false;
};

class Reading {
 public:
  Reading(const std::vector<fs::path>& files, const ReadLimits& limits, bool leave_out)
      : limits_(limits), leave_out_(leave_out) {
    for (const fs::path& file : files) {
      parts_.push_back(std::make_unique<Part>());
      parts_.back()->path = file;
      std::error_code unknown;
      const std::uintmax_t bytes = fs::file_size(file, unknown);
      if (!unknown) parts_.back()->bytes = bytes;
    }
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t wanted = std::min(parts_.size(), cores);
    running_ = wanted;  // from here on the threads count it down
    try {
      while (threads_.size() < wanted) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // there are too many, or this build has none
      {
        const std::lock_guard lock(mutex_);
        running_ -= wanted - threads_.size() - 1;
      }
      work();
    }
  }
  ~Reading() {
    cancel_after(0);
    for (std::thread& thread : threads_) thread.join();
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  void wait(ReadProgress* progress) {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kReportEvery, [&] { return running_ == 0; })) {
      if (!progress) continue;
      if (progress->cancelled) cancel_after(0);
      report(*progress);
    }
    if (progress && progress->cancelled) throw Cancelled("");
    const bool any = std::ranges::any_of(parts_, [](const auto& part) { return !part->no_trace; });
    for (const auto& part : parts_) {
      if (part->error && !(part->no_trace && any)) std::rethrow_exception(part->error);
    }
  }

  std::vector<std::unique_ptr<Part>>& parts() { return parts_; }

 private:
  void work() {
    for (std::size_t i = next_++; i < parts_.size(); i = next_++) {
      Part& part = *parts_[i];
      try {
        StopCheck(part.progress).now();
        part.opened = read_file(part.path, &part.progress, limits_);
      } catch (const NotATrace&) {
        part.error = std::current_exception();
        part.no_trace = leave_out_;
        if (!leave_out_) cancel_after(i + 1);
      } catch (...) {
        part.error = std::current_exception();
        cancel_after(i + 1);  // those before it may still fail, and are named first
      }
    }
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) ended_.notify_all();
  }
  void cancel_after(std::size_t first) {
    for (std::size_t i = first; i < parts_.size(); ++i) parts_[i]->progress.cancelled = true;
  }
  // Bytes, until all files have been read.
  void report(ReadProgress& progress) const {
    std::uint64_t bytes_read = 0, bytes = 0, arranged = 0, to_arrange = 0, events = 0;
    bool reading = false;
    for (const auto& part : parts_) {
      const ReadProgress& own = part->progress;
      const bool being_read = own.stage == ReadStage::Reading;
      reading |= being_read;
      bytes += part->bytes;
      bytes_read += being_read ? std::min<std::uint64_t>(own.done, part->bytes) : part->bytes;
      if (!being_read) arranged += own.done;
      if (!being_read) to_arrange += own.total;
      events += own.events;
    }
    progress.events = events;
    progress.done = reading ? bytes_read : arranged;
    progress.total = reading ? bytes : to_arrange;
    progress.stage = reading ? ReadStage::Reading : ReadStage::Arranging;
    if (!progress.picture.asked()) return;
    std::vector<FirstPicture::Snapshot> looks;
    for (const auto& part : parts_) looks.push_back(part->progress.picture.look());
    progress.picture.show(std::move(looks));
  }

  const ReadLimits limits_;
  const bool leave_out_;  // files that are no traces
  std::vector<std::unique_ptr<Part>> parts_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_ = 0;  // of the threads
  std::vector<std::thread> threads_;
};

/// Their names; with the folder, where files of several folders have one name.
std::vector<std::string> names_of(const std::vector<fs::path>& files) {
  std::map<fs::path, int> with_name;
  for (const fs::path& file : files) ++with_name[file.filename()];
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    const fs::path folder = fs::absolute(file).lexically_normal().parent_path().filename();
    names.push_back(with_name[file.filename()] == 1 ? file.filename().string() : (folder / file.filename()).string());
  }
  return names;
}

}  // namespace

void check_files(const std::vector<fs::path>& files) {
  if (files.size() > kMostFiles) {
    throw base::FileError(tr("{} traces; at most {} are opened at once", files.size(), kMostFiles));
  }
  std::map<fs::path, std::size_t> known;  // links followed
  for (std::size_t i = 0; files.size() > 1 && i < files.size(); ++i) {
    std::error_code unknown;
    if (fs::is_directory(files[i], unknown)) {
      throw base::FileError(tr("{}: a folder among several files; give one folder, or only files", files[i].string()));
    }
    fs::path real = fs::canonical(files[i], unknown);
    if (unknown) continue;  // reading it says why
    if (!known.try_emplace(std::move(real), i).second) {
      throw base::FileError(tr("{}: the same file is given twice", files[i].string()));
    }
  }
}

std::vector<RankTrace> read_ranks(const std::vector<fs::path>& files, ReadProgress* progress, const ReadLimits& limits,
                                  std::vector<std::string>* others) {
  Reading reading(files, limits, others != nullptr);
  reading.wait(progress);
  const std::vector<std::string> names = names_of(files);
  std::vector<RankTrace> ranks;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Part& part = *reading.parts()[i];
    if (part.no_trace) {
      others->push_back(names[i]);
    } else {
      ranks.push_back({names[i], std::move(part.opened)});
    }
  }
  return ranks;
}

}  // namespace lanescope::io
