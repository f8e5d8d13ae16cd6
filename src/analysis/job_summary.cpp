#include "analysis/job_summary.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "analysis/intervals.h"
#include "analysis/job_clock.h"
#include "base/error.h"
#include "base/translate.h"
#include "trace/names.h"

namespace lanescope::analysis {
namespace {

using base::tr;
using trace::GpuNumber;

constexpr std::uint64_t kMostUnits = std::numeric_limits<std::uint32_t>::max();

std::uint32_t units(Nanoseconds ns) {
  return static_cast<std::uint32_t>(
      std::clamp<Nanoseconds>((ns + OwnWork::kUnit / 2) / OwnWork::kUnit, 0, static_cast<Nanoseconds>(kMostUnits)));
}
std::uint32_t saturated(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>(std::min(kMostUnits, a + b));
}

/// The smallest power of 2 with which at most so many of these numbers are left.
template <class Numbers>
std::uint64_t stride_for(const Numbers& numbers, std::size_t most) {
  constexpr std::uint64_t kMostStride = std::uint64_t{1} << 62;
  std::uint64_t stride = 1;
  const auto left = [&] {
    return static_cast<std::size_t>(
        std::ranges::count_if(numbers, [&](const auto& one) { return one.number % stride == 0; }));
  };
  while (stride < kMostStride && left() > most) stride *= 2;
  return stride;
}

}  // namespace

std::string_view own_part_key(OwnPart part) {
  constexpr std::array<std::string_view, kOwnParts> kKeys{"kernels",      "copies", "after_sync", "launch",
                                                          "held_by_copy", "loader", "graph",      "unknown"};
  return kKeys[static_cast<std::size_t>(part)];
}

OwnPart own_part_of(CauseGroup group) {
  switch (group) {
    case CauseGroup::AfterSync:
      return OwnPart::AfterSync;
    case CauseGroup::Launch:
      return OwnPart::Launch;
    case CauseGroup::Copy:
      return OwnPart::HeldByCopy;
    case CauseGroup::Loader:
      return OwnPart::Loader;
    case CauseGroup::Graph:
      return OwnPart::Graph;
    case CauseGroup::StartOrEnd:
      break;
  }
  return OwnPart::Unknown;
}

void OwnWork::add(const OwnWork& more) {
  known = known && more.known;
  kernels = saturated(kernels, more.kernels);
  for (std::size_t i = 0; i < kOwnParts; ++i) parts[i] = saturated(parts[i], more.parts[i]);
}
std::uint64_t OwnWork::sum() const { return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0}); }

void JobSummary::thin(std::uint64_t to_stride) {
  if (to_stride <= stride) return;
  std::optional<OwnWork> waiting;  // of those left out
  std::size_t kept = 0;
  for (JobCollective& one : collectives) {
    if (waiting) one.before.add(*waiting);
    if (one.number % to_stride != 0) {
      waiting = one.before;
      continue;
    }
    waiting.reset();
    collectives[kept++] = one;
  }
  collectives.resize(kept);
  stride = to_stride;
}

std::uint64_t communicator_hash(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  return hash;
}

// --- from a recording ------------------------------------------------------------------------------------------------

namespace {

/// Intervals in which nothing counts twice, to be asked for many stretches.
class Union {
 public:
  explicit Union(std::vector<Interval> intervals) : of_(merged(std::move(intervals))) {
    before_.reserve(of_.size() + 1);
    before_.push_back(0);
    for (const Interval& i : of_) before_.push_back(before_.back() + i.second - i.first);
  }
  Nanoseconds within(Nanoseconds from, Nanoseconds to) const { return to > from ? until(to) - until(from) : 0; }

 private:
  Nanoseconds until(Nanoseconds t) const {
    const auto next = std::ranges::upper_bound(of_, t, {}, &Interval::first);
    if (next == of_.begin()) return 0;
    const auto i = static_cast<std::size_t>(next - of_.begin()) - 1;
    return before_[i] + std::min(t, of_[i].second) - of_[i].first;
  }
  std::vector<Interval> of_;
  std::vector<Nanoseconds> before_;
};

struct CollectiveKernel {
  Nanoseconds start_ns = 0, end_ns = 0;
  std::string_view operation;
  const trace::CollectiveFacts* says = nullptr;
  std::optional<std::int64_t> number;  // in its communicator
};
struct KernelsOfName {
  Nanoseconds ns = 0;
  std::uint64_t count = 0;
};

/// All that one GPU did.
struct GpuWork {
  std::vector<CollectiveKernel> collectives;  // by start
  std::vector<Interval> kernels, all;
  std::vector<Nanoseconds> kernel_starts;  // ascending
  std::map<base::NameId, KernelsOfName> by_name;
};

std::map<GpuNumber, GpuWork> read_work(const trace::Trace& trace, const trace::Owners& owners) {
  std::map<GpuNumber, GpuWork> gpus;
  std::map<base::NameId, std::string_view> operations;
  const trace::Trace::ReadLock lock(trace);
  trace::for_rows(trace, trace::is_gpu_work_lane, [&](trace::LaneId lane, std::size_t, const trace::Row& row) {
    const GpuNumber gpu = owners.gpu_of(lane);
    if (gpu == trace::kNobody) return;
    GpuWork& work = gpus[gpu];
    for (auto i = row.first(); i < row.last(); ++i) {
      const trace::Event event = row.event(i);
      if (event.kind == trace::EventKind::Kernel) {
        const auto [known, is_new] = operations.try_emplace(event.name);
        if (is_new) known->second = collective_operation(trace.names().text(event.name));
        if (!known->second.empty()) {
          const trace::CollectiveFacts& says = trace.collectives().of(trace::arguments_of(event));
          work.collectives.push_back({event.start_ns, event.end_ns,
                                      collective_operation(trace.names().text(event.name), says), &says,
                                      trace::collective_number(says, trace::external_id_of(event))});
          continue;
        }
        work.kernels.emplace_back(event.start_ns, event.end_ns);
        work.kernel_starts.push_back(event.start_ns);
        KernelsOfName& of = work.by_name[event.name];
        of.ns += event.duration();
        ++of.count;
      }
      work.all.emplace_back(event.start_ns, event.end_ns);
    }
  });
  for (auto& [gpu, work] : gpus) {
    std::ranges::stable_sort(work.collectives, {}, &CollectiveKernel::start_ns);
    std::ranges::sort(work.kernel_starts);
  }
  return gpus;
}

/// All who take part wait for the last one, and leave together or nearly so.
bool waits_for_all(std::string_view operation) { return leaves_together(operation) || operation == "AllToAll"; }

class Reduction {
 public:
  Reduction(const trace::Trace& trace, const LiveAnalysis& analysis, const trace::Owners& owners, GpuNumber gpu,
            GpuWork work)
      : trace_(trace),
        coverage_(trace.coverage(owners.processes()[owners.gpus()[gpu].process].pid)),
        collectives_(std::move(work.collectives)),
        kernel_starts_(std::move(work.kernel_starts)),
        kernels_(std::move(work.kernels)),
        all_(std::move(work.all)) {
    for (std::size_t i = 0; i < analysis.bubbles(gpu).size(); ++i) bubbles_.push_back(analysis.bubbles(gpu)[i]);
  }

  void fill(JobSummary& summary) {
    const trace::Trace::ReadLock lock(trace_);
    name_communicators();
    std::map<std::string, std::uint16_t> numbers;
    std::map<std::string, std::uint64_t> counted;
    std::optional<Nanoseconds> ended;  // the last of those before
    std::optional<OwnWork> left_out;   // before collectives that cannot be joined
    for (const CollectiveKernel& kernel : collectives_) {
      ++summary.figures.collectives;
      OwnWork before = work_before(ended, kernel.start_ns);
      ended = std::max(ended.value_or(kernel.end_ns), kernel.end_ns);
      if (left_out) before.add(*left_out);
      left_out = before;
      if (!waits_for_all(kernel.operation)) continue;
      const std::string& group = kernel.says->group.empty() ? only_group_ : kernel.says->group;
      const std::uint64_t count = counted[group]++;
      const bool says = kernel.number && *kernel.number >= 0;
      if (!says && !coverage_.complete()) {
        ++summary.figures.unnumbered;
        continue;
      }
      const auto [number, is_new] =
          numbers.try_emplace(group, static_cast<std::uint16_t>(summary.communicators.size()));
      if (is_new) {
        if (summary.communicators.size() == kMostCommunicators) {
          numbers.erase(number);
          continue;
        }
        summary.communicators.push_back({communicator_hash(group), {}});
      }
      const std::optional<std::uint16_t> exchange = exchange_of(summary.communicators[number->second], kernel);
      if (!exchange) continue;
      left_out.reset();
      summary.collectives.push_back({says ? static_cast<std::uint64_t>(*kernel.number) : count, kernel.start_ns,
                                     kernel.end_ns, number->second, *exchange, before});
    }
    if (!collectives_.empty()) {
      const Nanoseconds from = collectives_.front().start_ns;
      summary.figures.between_collectives_ns =
          coverage_.complete() ? *ended - from : coverage_.recorded_ns(from, *ended);
    }
    summary.thin(stride_for(summary.collectives, kMostJobCollectives));
  }

 private:
  OwnWork work_before(std::optional<Nanoseconds> from, Nanoseconds to) const {
    OwnWork work;
    if (!from) return work;
    work.known = to <= *from || coverage_.complete() || coverage_.recorded_ns(*from, to) == to - *from;
    if (to <= *from) return work;
    const Nanoseconds kernels = kernels_.within(*from, to), busy = all_.within(*from, to);
    work.kernels = saturated(static_cast<std::uint64_t>(std::ranges::lower_bound(kernel_starts_, to) -
                                                        std::ranges::lower_bound(kernel_starts_, *from)),
                             0);
    work[OwnPart::Kernels] = units(kernels);
    work[OwnPart::Copies] = units(busy - kernels);
    std::array<Nanoseconds, kOwnParts> idle{};
    Nanoseconds rest = to - *from - busy;
    for (auto gap = std::ranges::upper_bound(bubbles_, *from, {}, &Bubble::end_ns);
         gap != bubbles_.end() && gap->start_ns < to; ++gap) {
      const Nanoseconds part = std::min({std::min(to, gap->end_ns) - std::max(*from, gap->start_ns), rest});
      if (part <= 0) continue;
      idle[static_cast<std::size_t>(own_part_of(group_of(gap->cause)))] += part;
      rest -= part;
    }
    idle[static_cast<std::size_t>(OwnPart::Unknown)] += rest;
    for (std::size_t i = static_cast<std::size_t>(OwnPart::AfterSync); i < kOwnParts; ++i)
      work.parts[i] = units(idle[i]);
    return work;
  }

  /// Kernels that do not say their communicator have the only one that there is.
  void name_communicators() {
    for (const CollectiveKernel& kernel : collectives_) {
      const std::string& group = kernel.says->group;
      if (group.empty() || group == only_group_) continue;
      if (!only_group_.empty()) {
        only_group_.clear();
        return;
      }
      only_group_ = group;
    }
  }

  static std::optional<std::uint16_t> exchange_of(JobCommunicator& communicator, const CollectiveKernel& kernel) {
    constexpr std::size_t kMostExchanges = 1'000;
    Exchange exchange{std::string(kernel.operation), bytes_of_collective(*kernel.says, kernel.operation, 1)};
    const auto found = std::ranges::find(communicator.exchanges, exchange);
    if (found != communicator.exchanges.end()) {
      return static_cast<std::uint16_t>(found - communicator.exchanges.begin());
    }
    if (communicator.exchanges.size() == kMostExchanges) return std::nullopt;
    communicator.exchanges.push_back(std::move(exchange));
    return static_cast<std::uint16_t>(communicator.exchanges.size() - 1);
  }

  const trace::Trace& trace_;
  const trace::Coverage& coverage_;
  std::vector<CollectiveKernel> collectives_;
  std::vector<Nanoseconds> kernel_starts_;
  Union kernels_, all_;
  std::vector<Bubble> bubbles_;
  std::string only_group_;
};

std::array<Nanoseconds, kCauseGroups> idle_by_group(const CauseTimes& times) {
  std::array<Nanoseconds, kCauseGroups> idle{};
  for (std::size_t g = 0; g < kCauseGroups; ++g) idle[g] = idle_of(times, static_cast<CauseGroup>(g));
  return idle;
}

void fill_figures(JobFigures& figures, const Summary& summary, const trace::TraceCounts& events) {
  figures.iterations = static_cast<std::uint64_t>(std::max<std::int64_t>(0, summary.iteration.count));
  figures.lost_events = events.dropped + events.evicted;
  figures.iteration_p50_ns = summary.iteration.p50_ns;
  figures.iteration_p99_ns = summary.iteration.p99_ns;
  figures.window_ns = summary.window_ns();
  figures.recorded_ns = summary.gpu_window_ns();
  figures.busy_ns = summary.gpu_busy_ns;
  figures.exposed_copy_ns = summary.exposed_copy_ns;
  figures.idle_ns = idle_by_group(summary.bubble_by_cause_ns);
}

void fill_iterations(JobSummary& summary, std::span<const IterationRecord> records) {
  for (std::size_t i = 1; i < records.size(); ++i) {
    const IterationRecord &one = records[i], &before = records[i - 1];
    if (one.number != before.number + 1 || one.number < 0) continue;  // some were dropped
    const Nanoseconds took = one.end_ns - before.end_ns;
    if (one.in_parts && one.recorded_since(before) < took) continue;
    JobIteration iteration{static_cast<std::uint64_t>(one.number) + 1,
                           before.end_ns,
                           units(took),
                           units(one.busy_ns - before.busy_ns),
                           {}};
    CauseTimes idle{};
    for (std::size_t c = 0; c < kBubbleCauses; ++c) idle[c] = one.bubble_ns[c] - before.bubble_ns[c];
    const auto groups = idle_by_group(idle);
    for (std::size_t g = 0; g < kCauseGroups; ++g) iteration.idle[g] = units(groups[g]);
    summary.iterations.push_back(iteration);
  }
  summary.iteration_stride = stride_for(summary.iterations, kMostJobIterations);
  std::erase_if(summary.iterations,
                [&](const JobIteration& one) { return one.number % summary.iteration_stride != 0; });
}

void fill_causes(JobSummary& summary, const trace::Trace& trace, const RunFigures& figures, GpuNumber gpu,
                 const std::map<base::NameId, KernelsOfName>& kernels) {
  if (figures.idle && (figures.idle->gpu == gpu || figures.idle->gpu == trace::kNobody)) {
    for (const IdleRow& row : figures.idle->rows) {
      if (row.place.empty() || summary.causes.size() == kMostJobCauses) continue;
      summary.causes.push_back({own_part_of(group_of(row.cause)), row.place, row.idle_ns,
                                static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.gaps()))});
    }
  }
  std::vector<std::pair<base::NameId, KernelsOfName>> most(kernels.begin(), kernels.end());
  std::ranges::stable_sort(most, std::ranges::greater{}, [](const auto& of) { return of.second.ns; });
  if (most.size() > kMostJobCauses) most.resize(kMostJobCauses);
  for (const auto& [name, of] : most) {
    summary.causes.push_back(
        {OwnPart::Kernels, std::string(trace::short_kernel_name(trace.names().text(name))), of.ns, of.count});
  }
}

}  // namespace

std::vector<JobSummary> summaries_of(const trace::Trace& trace, const LiveAnalysis& analysis, const RunFigures& figures,
                                     const JobRank& who, const JobClockFacts& clock) {
  const trace::Owners owners(trace);
  std::map<GpuNumber, GpuWork> gpus = read_work(trace, owners);
  const bool any = std::ranges::any_of(gpus, [](const auto& gpu) { return !gpu.second.collectives.empty(); });
  std::vector<JobSummary> summaries;
  for (auto& [gpu, work] : gpus) {
    if (any ? work.collectives.empty() : !summaries.empty()) continue;
    JobSummary& summary = summaries.emplace_back();
    summary.who = who;
    summary.clock = clock;
    if (const auto rank = owners.rank_of(owners.gpus()[gpu].process)) summary.who.rank = *rank;
    fill_figures(
        summary.figures,
        gpus.size() > 1 ? analysis.window(gpu, figures.summary.from_ns, figures.summary.to_ns) : figures.summary,
        figures.events);
    fill_causes(summary, trace, figures, gpu, work.by_name);
    fill_iterations(summary, analysis.records(gpu));
    Reduction(trace, analysis, owners, gpu, std::move(work)).fill(summary);
  }
  std::ranges::stable_sort(summaries, {}, [](const JobSummary& summary) { return summary.who.rank; });
  return summaries;
}

// --- as bytes --------------------------------------------------------------------------------------------------------
// A varint has seven bits per byte, the lowest first; the highest bit says that more follow. Signed numbers are zigzag.
//
//   version; who; clock; figures; causes; iterations; communicators; collectives
//
// Texts have a length before them, lists a count. A time is written as the difference to the one before it. Of the
// parts of a work, a byte says which are not 0.

namespace {

constexpr std::size_t kMostText = 256, kMostPairs = 1'000;
/// Of all times but the time of day, which is farther: nine years. Sums of a few of them fit into Nanoseconds.
constexpr Nanoseconds kFarthestTime = Nanoseconds{1} << 58;

class SummaryWriter {
 public:
  void number(std::uint64_t value) {
    for (; value >= 128; value >>= 7) out_ += static_cast<char>(value | 128);
    out_ += static_cast<char>(value);
  }
  void integer(std::int64_t value) {
    number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(std::string_view text) {
    text = text.substr(0, kMostText);
    number(text.size());
    out_ += text;
  }
  template <std::size_t kCount>
  void parts(const std::array<std::uint32_t, kCount>& parts) {
    static_assert(kCount <= 8);
    unsigned which = 0;
    for (std::size_t i = 0; i < kCount; ++i) which |= (parts[i] > 0 ? 1u : 0u) << i;
    out_ += static_cast<char>(which);
    for (const std::uint32_t part : parts) {
      if (part > 0) number(part);
    }
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class SummaryReader {
 public:
  explicit SummaryReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto next = byte();
      if (shift == 63 && next > 1) fail(tr("a number in it is too large"));
      value |= std::uint64_t{next & 127u} << shift;
      if (next < 128) return value;
    }
  }
  std::uint64_t number(std::uint64_t most) {
    const std::uint64_t value = number();
    if (value > most) fail(tr("a number in it is too large"));
    return value;
  }
  std::uint32_t small() { return static_cast<std::uint32_t>(number(kMostUnits)); }
  std::int64_t integer() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  Nanoseconds time() { return allowed(integer()); }
  /// So long after the other one.
  Nanoseconds time_after(Nanoseconds other, Nanoseconds most = kFarthestTime) {
    const Nanoseconds difference = allowed(integer(), base::kFarthest);
    return allowed(other + difference, most);  // the sum does not overflow
  }
  Nanoseconds duration() { return static_cast<Nanoseconds>(number(static_cast<std::uint64_t>(kFarthestTime))); }
  std::string text() {
    const std::size_t size = number(kMostText);
    if (size > left_.size()) fail(tr("it ends too early"));
    std::string text(left_.substr(0, size));
    left_.remove_prefix(size);
    return text;
  }
  /// How many follow; each takes at least so many bytes, so that nothing is reserved for what is not there.
  std::size_t count(std::size_t most, std::size_t least_bytes) {
    const std::size_t count = number(most);
    if (count * least_bytes > left_.size()) fail(tr("it ends too early"));
    return count;
  }
  template <std::size_t kCount>
  void parts(std::array<std::uint32_t, kCount>& parts) {
    const unsigned which = byte();
    if (kCount < 8 && which >> kCount != 0) fail(tr("a number in it is too large"));
    for (std::size_t i = 0; i < kCount; ++i) parts[i] = (which >> i & 1) != 0 ? small() : 0;
  }
  bool at_end() const { return left_.empty(); }
  [[noreturn]] static void fail(const std::string& why) { throw base::Error(why); }

 private:
  static Nanoseconds allowed(Nanoseconds t) { return allowed(t, kFarthestTime); }
  static Nanoseconds allowed(Nanoseconds t, Nanoseconds most) {
    if (t < -most || t > most) fail(tr("it has a time that is not allowed"));
    return t;
  }
  unsigned byte() {
    if (left_.empty()) fail(tr("it ends too early"));
    const auto next = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return next;
  }
  std::string_view left_;
};

std::array<std::uint64_t*, 4> numbers_of(JobFigures& f) {
  return {&f.iterations, &f.lost_events, &f.collectives, &f.unnumbered};
}
std::array<Nanoseconds*, 7> times_of(JobFigures& f) {
  return {&f.iteration_p50_ns, &f.iteration_p99_ns,      &f.window_ns, &f.recorded_ns, &f.busy_ns,
          &f.exposed_copy_ns,  &f.between_collectives_ns};
}
std::array<std::string*, 5> texts_of(JobRank& who) { return {&who.job, &who.host, &who.gpu, &who.program, &who.ended}; }

void read_collectives(SummaryReader& in, JobSummary& summary) {
  summary.stride = in.number(std::uint64_t{1} << 62);
  if (summary.stride == 0 || (summary.stride & (summary.stride - 1)) != 0)
    SummaryReader::fail(tr("its parts do not fit"));
  summary.communicators.resize(in.count(kMostCommunicators, 2));
  for (JobCommunicator& communicator : summary.communicators) {
    communicator.hash = in.number();
    communicator.exchanges.resize(in.count(std::numeric_limits<std::uint16_t>::max(), 2));
    for (Exchange& exchange : communicator.exchanges) {
      exchange.operation = in.text();
      exchange.bytes = in.number();
    }
  }
  std::vector<std::uint64_t> last(summary.communicators.size(), 0);
  summary.collectives.resize(in.count(kMostJobCollectives, 7));
  Nanoseconds at = 0;
  for (JobCollective& one : summary.collectives) {
    const std::uint64_t communicator = in.number();
    if (communicator >= last.size()) SummaryReader::fail(tr("its parts do not fit"));
    one.communicator = static_cast<std::uint16_t>(communicator);
    const std::uint64_t exchange = in.number();
    if (exchange >= summary.communicators[one.communicator].exchanges.size())
      SummaryReader::fail(tr("its parts do not fit"));
    one.exchange = static_cast<std::uint16_t>(exchange);
    one.number = last[one.communicator] += static_cast<std::uint64_t>(in.integer()) * summary.stride;
    one.start_ns = in.time_after(at);
    one.end_ns = in.time_after(one.start_ns);
    if (one.end_ns < one.start_ns) SummaryReader::fail(tr("its parts do not fit"));
    at = one.end_ns;
    const std::uint64_t kernels = in.number((kMostUnits << 1) + 1);
    one.before.known = (kernels & 1) != 0;
    one.before.kernels = static_cast<std::uint32_t>(kernels >> 1);
    in.parts(one.before.parts);
  }
  if (!std::ranges::is_sorted(summary.collectives, {}, &JobCollective::start_ns))
    SummaryReader::fail(tr("its parts do not fit"));
}

}  // namespace

std::string encoded(const JobSummary& given) {
  JobSummary s = given;  // its members are named once for both directions
  SummaryWriter out;
  out.number(kSummaryVersion);
  for (const int n : {s.who.rank, s.who.local_rank, s.who.ranks}) out.integer(n);
  for (const std::string* text : texts_of(s.who)) out.text(*text);
  out.text(s.clock.clock);
  out.integer(s.clock.origin_ns);
  const std::size_t pairs = std::min(s.clock.pairs.size(), kMostPairs);
  out.number(pairs);
  ClockPair last;
  for (const ClockPair& pair : std::span(s.clock.pairs).first(pairs)) {
    out.integer(pair.monotonic_ns - last.monotonic_ns);
    out.integer(pair.real_ns - last.real_ns);
    out.number(static_cast<std::uint64_t>(std::max<Nanoseconds>(0, pair.most_error_ns)));
    last = pair;
  }
  for (const std::uint64_t* n : numbers_of(s.figures)) out.number(*n);
  for (const Nanoseconds* t : times_of(s.figures)) out.integer(*t);
  for (const Nanoseconds t : s.figures.idle_ns) out.integer(t);
  out.number(s.causes.size());
  for (const JobCause& cause : s.causes) {
    out.number(static_cast<std::uint64_t>(cause.part));
    out.text(cause.place);
    out.integer(cause.ns);
    out.number(cause.count);
  }
  out.number(s.iteration_stride);
  out.number(s.iterations.size());
  std::uint64_t number = 0;
  Nanoseconds at = 0;
  for (const JobIteration& one : s.iterations) {
    out.number(one.number - number);
    out.integer(one.start_ns - at);
    out.number(one.duration);
    out.number(one.busy);
    out.parts(one.idle);
    number = one.number;
    at = one.start_ns + Nanoseconds{one.duration} * OwnWork::kUnit;
  }
  out.number(s.stride);
  out.number(s.communicators.size());
  for (const JobCommunicator& communicator : s.communicators) {
    out.number(communicator.hash);
    out.number(communicator.exchanges.size());
    for (const Exchange& exchange : communicator.exchanges) {
      out.text(exchange.operation);
      out.number(exchange.bytes);
    }
  }
  std::vector<std::uint64_t> numbers(s.communicators.size(), 0);
  out.number(s.collectives.size());
  at = 0;
  for (const JobCollective& one : s.collectives) {
    out.number(one.communicator);
    out.number(one.exchange);
    out.integer(static_cast<std::int64_t>(one.number / s.stride) -
                static_cast<std::int64_t>(numbers[one.communicator] / s.stride));
    out.integer(one.start_ns - at);
    out.integer(one.end_ns - one.start_ns);
    out.number(std::uint64_t{one.before.kernels} << 1 | (one.before.known ? 1u : 0u));
    out.parts(one.before.parts);
    numbers[one.communicator] = one.number;
    at = one.end_ns;
  }
  return out.take();
}

JobSummary decoded_summary(std::string_view bytes) {
  constexpr std::int64_t kMostRank = 100'000'000;
  SummaryReader in(bytes);
  JobSummary s;
  if (in.number() != kSummaryVersion) SummaryReader::fail(tr("written by a newer Lanescope; this one cannot read it"));
  for (int* n : {&s.who.rank, &s.who.local_rank, &s.who.ranks}) {
    const std::int64_t value = in.integer();
    if (value < -1 || value > kMostRank) SummaryReader::fail(tr("a number in it is too large"));
    *n = static_cast<int>(value);
  }
  for (std::string* text : texts_of(s.who)) *text = in.text();
  s.clock.clock = in.text();
  s.clock.origin_ns = in.time();
  s.clock.pairs.resize(in.count(kMostPairs, 3));
  ClockPair last;
  for (ClockPair& pair : s.clock.pairs) {
    pair.monotonic_ns = in.time_after(last.monotonic_ns);
    pair.real_ns = in.time_after(last.real_ns, base::kFarthest);
    pair.most_error_ns = in.duration();
    last = pair;
  }
  if (!std::ranges::is_sorted(s.clock.pairs, {}, &ClockPair::monotonic_ns))
    SummaryReader::fail(tr("its parts do not fit"));
  for (std::uint64_t* n : numbers_of(s.figures)) *n = in.number();
  for (Nanoseconds* t : times_of(s.figures)) *t = in.time();
  for (Nanoseconds& t : s.figures.idle_ns) t = in.time();
  s.causes.resize(in.count(2 * kMostJobCauses, 4));
  for (JobCause& cause : s.causes) {
    cause.part = static_cast<OwnPart>(in.number(kOwnParts - 1));
    cause.place = in.text();
    cause.ns = in.time();
    cause.count = in.number();
  }
  s.iteration_stride = in.number();
  s.iterations.resize(in.count(kMostJobIterations, 5));
  std::uint64_t number = 0;
  Nanoseconds at = 0;
  for (JobIteration& one : s.iterations) {
    one.number = number += in.number();
    one.start_ns = in.time_after(at);
    one.duration = in.small();
    one.busy = in.small();
    in.parts(one.idle);
    at = std::min(kFarthestTime, one.start_ns + Nanoseconds{one.duration} * OwnWork::kUnit);
  }
  read_collectives(in, s);
  if (!in.at_end()) SummaryReader::fail(tr("its parts do not fit"));
  return s;
}

}  // namespace lanescope::analysis
