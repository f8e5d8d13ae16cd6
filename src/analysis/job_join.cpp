#include "analysis/job_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/intervals.h"
#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;

/// Of all ranks together: 72 bytes each.
constexpr std::size_t kMostJoined = 4'000'000;
constexpr std::size_t kFewestJoined = 200;  // of a rank
/// Of a communicator's ranks, so many must have a collective for it to count: one that died early has no later ones.
constexpr double kMostRanks = 0.9;
/// A rank that has clearly more to do fewer times than this has had bad luck.
constexpr std::int64_t kFewestAffected = 3;
/// Fewer values have no quartiles to speak of.
constexpr std::size_t kFewestForQuartiles = 4;
/// As usual for outliers.
constexpr double kFence = 1.5;
/// So many ranks of a node or group must be slow for it to be the node or the group that is.
constexpr double kMostOfScope = 0.75;
constexpr double kSlowLink = 1.25;
constexpr Nanoseconds kLinkMatters = 20 * base::kMicrosecond;
/// A clock that is corrected over a network is less wrong.
constexpr Nanoseconds kWrongClock = base::kMillisecond;

/// Of sums of times that nobody trusts.
Nanoseconds rounded(double ns) {
  constexpr auto kMost = static_cast<double>(base::kMaxTime);
  return std::llround(std::clamp(ns, -kMost, kMost));
}

constexpr float kNoExcess = std::numeric_limits<float>::quiet_NaN();

double quantile(const std::vector<double>& ascending, double share) {
  const double at = share * static_cast<double>(ascending.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, ascending.size() - 1);
  return ascending[low] + (at - static_cast<double>(low)) * (ascending[high] - ascending[low]);
}
/// Above `high` and below `low` are outliers.
struct Fences {
  double low = 0, middle = 0, high = 0;
};
Fences fences_of(std::vector<double> values) {
  std::ranges::sort(values);
  const double q1 = quantile(values, 0.25), q3 = quantile(values, 0.75);
  return {q1 - kFence * (q3 - q1), quantile(values, 0.5), q3 + kFence * (q3 - q1)};
}
struct Member {
  std::size_t rank = 0;
  std::uint16_t communicator = 0;  // its own number for it
};
struct Group {
  std::vector<Member> members;
};

/// How much more a rank has to do than the others.
struct Excess {
  std::int64_t known = 0;
  double ns = 0, own_ns = 0, time_ns = 0;  // time: with its collectives
  std::array<double, kOwnParts> parts{};
  double kernels = 0, usual_kernels = 0;

  double share() const { return time_ns > 0 ? ns / time_ns : 0; }
  void add(const Excess& other) {
    known += other.known;
    ns += other.ns;
    own_ns += other.own_ns;
    time_ns += other.time_ns;
    for (std::size_t i = 0; i < kOwnParts; ++i) parts[i] += other.parts[i];
    kernels += other.kernels;
    usual_kernels += other.usual_kernels;
  }
};

class Joining {
 public:
  explicit Joining(std::vector<JobSummary> summaries) : summaries_(std::move(summaries)) {}

  JobReport report() {
    number_ranks();
    same_stride();
    find_nodes();
    find_groups();
    set_clocks();
    find_roles();
    measure_excess();
    match();
    blame_work();
    blame_links();
    count_losses();
    blame_clocks();
    std::ranges::stable_sort(report_.findings,
                             [](const JobFinding& a, const JobFinding& b) { return a.loss > b.loss; });
    return std::move(report_);
  }
  /// Of what report() returned.
  JobMap map(const JobReport& report) const {
    std::vector<std::size_t> nodes, roles;
    for (const JoinedRank& rank : report.ranks) {
      nodes.push_back(rank.node);
      roles.push_back(rank.role);
    }
    return job_map(summaries_, excess_at_, nodes, roles);
  }

 private:
  // --- who there is -----------------------------------------------------------------------------------

  void number_ranks() {
    int most = -1;
    for (const JobSummary& summary : summaries_) most = std::max(most, summary.who.rank);
    for (JobSummary& summary : summaries_) {
      if (summary.who.rank < 0) summary.who.rank = ++most;
      report_.ranks_of_job = std::max(report_.ranks_of_job, summary.who.ranks);
      report_.unnumbered += summary.figures.unnumbered;
    }
    std::vector<std::size_t> order(summaries_.size()), added;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return summaries_[i].who.rank; });
    std::vector<JobSummary> unique;
    for (const std::size_t i : order) {
      const int number = summaries_[i].who.rank;
      if (!unique.empty() && unique.back().who.rank == number) {
        if (report_.twice.empty() || report_.twice.back() != number) report_.twice.push_back(number);
        continue;
      }
      unique.push_back(std::move(summaries_[i]));
      added.push_back(i);
    }
    summaries_ = std::move(unique);
    int next = 0;
    const auto miss = [&](int to) {
      if (to >= next) report_.missing.emplace_back(next, to);
    };
    for (const JobSummary& summary : summaries_) {
      miss(summary.who.rank - 1);
      next = summary.who.rank + 1;
      JoinedRank rank;
      rank.who = summary.who;
      rank.added = added[report_.ranks.size()];
      rank.iteration_p50_ns = summary.figures.iteration_p50_ns;
      report_.ranks.push_back(std::move(rank));
    }
    miss(report_.ranks_of_job - 1);
    report_.ranks_of_job = std::max(report_.ranks_of_job, next);
  }

  void same_stride() {
    for (const JobSummary& summary : summaries_) report_.stride = std::max(report_.stride, summary.stride);
    for (JobSummary& summary : summaries_) summary.thin(report_.stride);
  }

  void find_nodes() {
    std::map<std::string, std::size_t> by_clock;
    std::set<std::string> names;
    for (std::size_t r = 0; r < summaries_.size(); ++r) {
      const JobSummary& summary = summaries_[r];
      const std::string unknown = ranks_text(summary.who.rank, summary.who.rank);
      const std::string key = summary.clock.clock.empty() ? '\n' + unknown : summary.clock.clock;
      const auto [node, is_new] = by_clock.try_emplace(key, report_.nodes.size());
      if (is_new) {
        std::string name = summary.who.host.empty() || summary.clock.clock.empty() ? unknown : summary.who.host;
        while (!names.insert(name).second) name += '\'';
        report_.nodes.push_back({std::move(name), 0, {}});
        ranks_of_.emplace_back();
      }
      ++report_.nodes[node->second].ranks;
      report_.ranks[r].node = node->second;
      ranks_of_[node->second].push_back(r);
    }
  }

  void find_groups() {
    std::unordered_map<std::uint64_t, std::size_t> by_hash;
    lists_.resize(summaries_.size());
    group_of_.resize(summaries_.size());
    for (std::size_t r = 0; r < summaries_.size(); ++r) {
      const JobSummary& summary = summaries_[r];
      std::vector<std::vector<std::uint32_t>>& lists = lists_[r];
      lists.resize(summary.communicators.size());
      for (std::size_t i = 0; i < summary.collectives.size(); ++i) {
        lists[summary.collectives[i].communicator].push_back(static_cast<std::uint32_t>(i));
      }
      for (std::size_t c = 0; c < lists.size(); ++c) {
        const auto number = [&](std::uint32_t i) { return summary.collectives[i].number; };
        std::ranges::stable_sort(lists[c], {}, number);
        lists[c].erase(std::ranges::unique(lists[c], {}, number).begin(), lists[c].end());
        const auto [group, is_new] = by_hash.try_emplace(summary.communicators[c].hash, groups_.size());
        if (is_new) groups_.emplace_back();
        group_of_[r].push_back(group->second);
        std::vector<Member>& members = groups_[group->second].members;
        if (members.empty() || members.back().rank != r) members.push_back({r, static_cast<std::uint16_t>(c)});
      }
    }
    report_.communicators = static_cast<std::size_t>(
        std::ranges::count_if(groups_, [](const Group& group) { return group.members.size() > 1; }));
  }

  const JobCollective& collective(const Member& member, std::size_t i) const {
    return summaries_[member.rank].collectives[lists_[member.rank][member.communicator][i]];
  }
  std::size_t count(const Member& member) const { return lists_[member.rank][member.communicator].size(); }

  // --- clocks -----------------------------------------------------------------------------------------

  Nanoseconds monotonic(std::size_t rank, Nanoseconds t) const { return t + summaries_[rank].clock.origin_ns; }

  void set_clocks() {
    if (report_.nodes.size() < 2) {
      for (JoinedNode& node : report_.nodes) node.clock.basis = ClockBasis::Root;
      return;
    }
    std::vector<JobClockFacts> nodes(report_.nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      for (const std::size_t r : ranks_of_[n]) {
        // Of its recordings, the one that has looked at the clock most often.
        if (summaries_[r].clock.pairs.size() > nodes[n].pairs.size()) nodes[n] = summaries_[r].clock;
      }
    }
    std::vector<std::vector<NodeEnds>> communicators;
    for (const Group& group : groups_) {
      std::vector<NodeEnds> ends = ends_of(group);
      if (ends.size() > 1) communicators.push_back(std::move(ends));
    }
    const std::vector<NodeClock> clocks = node_clocks(nodes, report_.ranks.front().node, communicators);
    for (std::size_t n = 0; n < clocks.size(); ++n) {
      report_.nodes[n].clock = clocks[n];
      report_.clock_error_ns = std::max(report_.clock_error_ns, clocks[n].error_ns);
      report_.unknown_clocks += clocks[n].known() ? 0 : 1;
    }
  }

  /// Of each of its nodes: of a collective, the end in the middle of those of the node's ranks.
  std::vector<NodeEnds> ends_of(const Group& group) const {
    std::map<std::size_t, std::vector<NodeEnds::End>> by_node;
    for (const Member& member : group.members) {
      std::vector<NodeEnds::End>& ends = by_node[report_.ranks[member.rank].node];
      for (std::size_t i = 0; i < count(member); ++i) {
        const JobCollective& one = collective(member, i);
        if (leaves_together(exchange_of(member, one).operation)) {
          ends.push_back({one.number, monotonic(member.rank, one.end_ns)});
        }
      }
    }
    std::vector<NodeEnds> nodes;
    for (auto& [node, ends] : by_node) {
      std::ranges::sort(ends, {}, [](const NodeEnds::End& end) { return std::pair(end.number, end.end_ns); });
      NodeEnds& of = nodes.emplace_back();
      of.node = node;
      for (std::size_t i = 0; i < ends.size();) {
        std::size_t next = i;
        while (next < ends.size() && ends[next].number == ends[i].number) ++next;
        of.ends.push_back(ends[i + (next - i) / 2]);
        i = next;
      }
    }
    return nodes;
  }
  const Exchange& exchange_of(const Member& member, const JobCollective& one) const {
    return summaries_[member.rank].communicators[member.communicator].exchanges[one.exchange];
  }

  /// Between two nodes; empty: not known.
  std::optional<Nanoseconds> error_between(std::size_t a, std::size_t b) const {
    if (a == b) return 0;
    const NodeClock &first = report_.nodes[a].clock, &second = report_.nodes[b].clock;
    if (!first.known() || !second.known()) return std::nullopt;
    return std::max(first.error_ns, second.error_ns);
  }

  // --- alike collectives and ranks --------------------------------------------------------------------

  /// Collectives are alike if their operation and bytes are the same, and about so many ranks take part.
  void find_roles() {
    std::map<std::tuple<std::string, std::uint64_t, int>, std::uint32_t> kinds;
    kind_of_.resize(summaries_.size());
    std::map<std::vector<std::uint32_t>, std::size_t> roles;
    for (std::size_t r = 0; r < summaries_.size(); ++r) {
      std::set<std::uint32_t> own;
      for (std::size_t c = 0; c < summaries_[r].communicators.size(); ++c) {
        std::vector<std::uint32_t>& of = kind_of_[r].emplace_back();
        const int size = static_cast<int>(std::bit_width(groups_[group_of_[r][c]].members.size() - 1));
        for (const Exchange& exchange : summaries_[r].communicators[c].exchanges) {
          const auto [kind, is_new] =
              kinds.try_emplace({exchange.operation, exchange.bytes, size}, static_cast<std::uint32_t>(kinds.size()));
          of.push_back(kind->second);
          own.insert(kind->second);
        }
      }
      const auto [role, is_new] = roles.try_emplace({own.begin(), own.end()}, roles.size());
      report_.ranks[r].role = role->second;
    }
    report_.roles = roles.size();
  }

  // --- what each rank does by itself ------------------------------------------------------------------

  struct Slot {
    std::uint64_t number = 0;
    std::uint32_t role = 0, kind = 0, rank = 0, index = 0;
    auto key() const { return std::tuple(role, kind, number); }
  };

  void measure_excess() {
    excess_.resize(summaries_.size());
    excess_at_.resize(summaries_.size());
    std::vector<Slot> slots;
    std::size_t all = 0;
    for (const JobSummary& summary : summaries_) all += summary.collectives.size();
    slots.reserve(all);
    for (std::size_t r = 0; r < summaries_.size(); ++r) {
      const std::vector<JobCollective>& collectives = summaries_[r].collectives;
      excess_at_[r].assign(collectives.size(), kNoExcess);
      for (std::size_t i = 0; i < collectives.size(); ++i) {
        const JobCollective& one = collectives[i];
        if (!one.before.known) continue;
        slots.push_back({one.number, static_cast<std::uint32_t>(report_.ranks[r].role),
                         kind_of_[r][one.communicator][one.exchange], static_cast<std::uint32_t>(r),
                         static_cast<std::uint32_t>(i)});
      }
    }
    std::ranges::sort(slots, {}, &Slot::key);
    for (std::size_t i = 0; i < slots.size();) {
      std::size_t next = i;
      while (next < slots.size() && slots[next].key() == slots[i].key()) ++next;
      if (next - i > 1) compare(std::span(slots).subspan(i, next - i));
      i = next;
    }
    for (std::size_t r = 0; r < summaries_.size(); ++r) {
      const Excess& of = excess_[r];
      if (of.known == 0) continue;
      report_.ranks[r].work_ns = rounded(of.own_ns / static_cast<double>(of.known));
      report_.ranks[r].excess_ns = rounded(of.ns / static_cast<double>(of.known));
    }
  }

  /// The same collective, or those of other groups that are alike.
  void compare(std::span<const Slot> slots) {
    const auto work = [&](const Slot& slot) -> const OwnWork& {
      return summaries_[slot.rank].collectives[slot.index].before;
    };
    sums_.clear();
    for (const Slot& slot : slots) sums_.push_back(work(slot).sum());
    const std::vector<std::uint64_t> sums = sums_;
    const auto usual = static_cast<double>(low_median(sums_));
    std::array<double, kOwnParts> usual_parts{};
    for (std::size_t p = 0; p < kOwnParts; ++p) {
      sums_.clear();
      for (const Slot& slot : slots) sums_.push_back(work(slot).parts[p]);
      usual_parts[p] = static_cast<double>(low_median(sums_));
    }
    sums_.clear();
    for (const Slot& slot : slots) sums_.push_back(work(slot).kernels);
    const auto usual_kernels = static_cast<double>(low_median(sums_));
    constexpr double kUnit = OwnWork::kUnit;
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const Slot& slot = slots[s];
      const JobCollective& one = summaries_[slot.rank].collectives[slot.index];
      Excess& of = excess_[slot.rank];
      const double own = kUnit * static_cast<double>(sums[s]), more = own - kUnit * usual;
      ++of.known;
      of.ns += more;
      of.own_ns += own;
      of.time_ns += own + static_cast<double>(one.end_ns - one.start_ns) * static_cast<double>(report_.stride);
      for (std::size_t p = 0; p < kOwnParts; ++p) of.parts[p] += kUnit * (one.before.parts[p] - usual_parts[p]);
      of.kernels += one.before.kernels;
      of.usual_kernels += usual_kernels;
      excess_at_[slot.rank][slot.index] = static_cast<float>(more);
    }
  }

  // --- who waits for whom -----------------------------------------------------------------------------

  /// The ranks of one collective: when each arrived, on the root's clock.
  struct Arrival {
    std::size_t rank = 0;
    Nanoseconds start_ns = 0, duration_ns = 0;
  };

  /// Calls f(arrivals, first of them) for each collective that most of the group's ranks have.
  template <class Function>
  void for_collectives(const Group& group, Function f) const {
    if (group.members.size() < 2) return;
    const Member& most = *std::ranges::max_element(group.members, {}, [&](const Member& m) { return count(m); });
    const auto needed = std::max<std::size_t>(
        2, static_cast<std::size_t>(std::ceil(kMostRanks * static_cast<double>(group.members.size()))));
    std::vector<std::size_t> at(group.members.size(), 0);
    std::vector<Arrival> arrivals;
    for (std::size_t i = 0; i < count(most); ++i) {
      const JobCollective& base = collective(most, i);
      arrivals.clear();
      for (std::size_t m = 0; m < group.members.size(); ++m) {
        const Member& member = group.members[m];
        const std::vector<std::uint32_t>& list = lists_[member.rank][member.communicator];
        const std::vector<JobCollective>& own = summaries_[member.rank].collectives;
        while (at[m] < list.size() && own[list[at[m]]].number < base.number) ++at[m];
        if (at[m] == list.size() || own[list[at[m]]].number != base.number) continue;
        const JobCollective& one = own[list[at[m]]];
        const NodeClock& clock = report_.nodes[report_.ranks[member.rank].node].clock;
        arrivals.push_back(
            {member.rank, clock.on_root(monotonic(member.rank, one.start_ns)), one.end_ns - one.start_ns});
      }
      if (arrivals.size() >= needed) f(arrivals, kind_of_[most.rank][most.communicator][base.exchange]);
    }
  }
  bool one_clock(const std::vector<Arrival>& arrivals) const {
    const std::size_t first = report_.ranks[arrivals.front().rank].node;
    return std::ranges::all_of(arrivals, [&](const Arrival& arrival) {
      return error_between(first, report_.ranks[arrival.rank].node).has_value();
    });
  }

  void match() {
    transfers_.resize(groups_.size());
    std::vector<Nanoseconds> starts;
    std::vector<double> late(report_.ranks.size(), 0), waits(report_.ranks.size(), 0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::map<std::uint32_t, std::vector<Nanoseconds>> durations;
      for_collectives(groups_[g], [&](const std::vector<Arrival>& arrivals, std::uint32_t kind) {
        ++report_.collectives;
        durations[kind].push_back(std::ranges::min(arrivals, {}, &Arrival::duration_ns).duration_ns);
        const bool known = one_clock(arrivals);
        for (const Arrival& arrival : arrivals) {
          ++report_.ranks[arrival.rank].seen;
          if (!known) ++report_.ranks[arrival.rank].unknown;
        }
        if (!known) return;
        starts.clear();
        for (const Arrival& arrival : arrivals) starts.push_back(arrival.start_ns);
        const Nanoseconds middle = low_median(starts);
        const auto last = std::ranges::max_element(arrivals, {}, &Arrival::start_ns);
        Nanoseconds second = std::numeric_limits<Nanoseconds>::min();
        std::size_t second_node = 0;
        for (auto arrival = arrivals.begin(); arrival != arrivals.end(); ++arrival) {
          if (arrival == last || arrival->start_ns <= second) continue;
          second = arrival->start_ns;
          second_node = report_.ranks[arrival->rank].node;
        }
        const std::size_t last_node = report_.ranks[last->rank].node;
        const bool clear = last->start_ns - second >= 2 * *error_between(last_node, second_node);
        if (clear) ++report_.ranks[last->rank].last;
        for (const Arrival& arrival : arrivals) {
          JoinedRank& rank = report_.ranks[arrival.rank];
          if (!clear) ++rank.unknown;
          const Nanoseconds waited = last->start_ns - arrival.start_ns;
          if (waited >= 2 * *error_between(last_node, rank.node)) waits[arrival.rank] += static_cast<double>(waited);
          late[arrival.rank] += static_cast<double>(arrival.start_ns - middle);
        }
      });
      for (auto& [kind, of] : durations) transfers_[g][kind] = {low_median(of), static_cast<std::int64_t>(of.size())};
    }
    double waiting = 0;
    for (std::size_t r = 0; r < report_.ranks.size(); ++r) {
      JoinedRank& rank = report_.ranks[r];
      rank.waited_ns = rounded(waits[r]);
      if (rank.seen > 0) rank.late_ns = rounded(late[r] / static_cast<double>(rank.seen));
      waiting += share_of_time(r, waits[r] * static_cast<double>(report_.stride));
    }
    if (!report_.ranks.empty()) report_.waiting = std::min(1.0, waiting / static_cast<double>(report_.ranks.size()));
  }
  double share_of_time(std::size_t rank, double ns) const {
    const Nanoseconds time = summaries_[rank].figures.between_collectives_ns;
    return time > 0 ? ns / static_cast<double>(time) : 0;
  }

  // --- findings ---------------------------------------------------------------------------------------

  /// How often, of all that are known.
  std::pair<std::int64_t, double> affected(std::size_t rank) const {
    const Excess& of = excess_[rank];
    const double clearly = std::max(10e3, of.ns / static_cast<double>(std::max<std::int64_t>(1, of.known)) / 2);
    std::int64_t count = 0;
    double sum = 0;
    for (const float more : excess_at_[rank]) {
      if (!(more > clearly)) continue;
      ++count;
      sum += more;
    }
    return {count, sum};
  }
  bool is_slow(std::size_t rank, double share) const {
    return share > limits::kCostMatters && affected(rank).first >= kFewestAffected;
  }

  void blame_work() {
    std::vector<bool> slow(report_.ranks.size(), false);
    std::vector<std::vector<std::size_t>> roles(report_.roles);
    for (std::size_t r = 0; r < report_.ranks.size(); ++r) {
      if (excess_[r].known > 0) roles[report_.ranks[r].role].push_back(r);
    }
    for (const std::vector<std::size_t>& ranks : roles) find_slow(ranks, slow);
    for (std::size_t r = 0; r < slow.size(); ++r) report_.ranks[r].alike = !slow[r];

    const auto slow_of = [&](const std::vector<std::size_t>& ranks) {
      return static_cast<std::size_t>(std::ranges::count_if(ranks, [&](std::size_t r) { return slow[r]; }));
    };
    const auto mostly = [&](const std::vector<std::size_t>& ranks) {
      return ranks.size() > 1 && ranks.size() < report_.ranks.size() &&
             static_cast<double>(slow_of(ranks)) >= kMostOfScope * static_cast<double>(ranks.size()) &&
             slow_of(ranks) > 1;
    };
    const auto take = [&](JobScope scope, const std::vector<std::size_t>& ranks) {
      add_work_finding(scope, ranks);
      for (const std::size_t r : ranks) slow[r] = false;
    };
    std::vector<std::vector<std::size_t>> across, within;
    for (const Group& group : groups_) {
      std::vector<std::size_t> ranks;
      std::set<std::size_t> nodes;
      for (const Member& member : group.members) {
        ranks.push_back(member.rank);
        nodes.insert(report_.ranks[member.rank].node);
      }
      (nodes.size() > 1 ? across : within).push_back(std::move(ranks));
    }
    const auto size = [](const std::vector<std::size_t>& ranks) { return ranks.size(); };
    for (std::vector<std::vector<std::size_t>>* of : {&across, &within}) {
      std::ranges::stable_sort(*of, std::ranges::greater{}, size);
    }
    for (const auto& ranks : across) {
      if (mostly(ranks)) take(JobScope::Group, ranks);
    }
    for (const auto& ranks : ranks_of_) {
      if (mostly(ranks)) take(JobScope::Node, ranks);
    }
    for (const auto& ranks : within) {
      if (mostly(ranks)) take(JobScope::Group, ranks);
    }
    for (std::size_t r = 0; r < slow.size(); ++r) {
      if (slow[r]) take(JobScope::Rank, {r});
    }
  }

  /// Among ranks of one role.
  void find_slow(const std::vector<std::size_t>& ranks, std::vector<bool>& slow) const {
    if (ranks.size() < 2) return;
    std::vector<double> shares;
    for (const std::size_t r : ranks) shares.push_back(excess_[r].share());
    if (ranks.size() >= kFewestForQuartiles) {
      const Fences fences = fences_of(shares);
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (shares[i] > fences.high && is_slow(ranks[i], shares[i] - fences.middle)) slow[ranks[i]] = true;
      }
    } else {  // of two or three, one that is the last in most collectives
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        const JoinedRank& rank = report_.ranks[ranks[i]];
        const bool often = static_cast<double>(rank.last) >= limits::kStraggler * static_cast<double>(rank.seen);
        if (often && is_slow(ranks[i], shares[i] - std::ranges::min(shares))) slow[ranks[i]] = true;
      }
    }
    find_slow_node(ranks, slow);
  }
  /// Of two or three nodes, one that is slow as a whole is no outlier: half of all ranks are on it.
  void find_slow_node(const std::vector<std::size_t>& ranks, std::vector<bool>& slow) const {
    std::map<std::size_t, std::vector<double>> nodes;
    for (const std::size_t r : ranks) nodes[report_.ranks[r].node].push_back(excess_[r].share());
    if (nodes.size() < 2 || nodes.size() >= kFewestForQuartiles) return;
    double fastest = std::numeric_limits<double>::max();
    for (auto& [node, shares] : nodes) fastest = std::min(fastest, low_median(shares));
    for (auto& [node, shares] : nodes) {
      if (shares.size() < 2) continue;
      // All but a quarter of its ranks are slower than usual on the fastest node.
      std::ranges::sort(shares);
      if (quantile(shares, 1 - kMostOfScope) - fastest <= limits::kCostMatters) continue;
      for (const std::size_t r : ranks) {
        if (report_.ranks[r].node == node && is_slow(r, excess_[r].share() - fastest)) slow[r] = true;
      }
    }
  }

  void add_work_finding(JobScope scope, const std::vector<std::size_t>& ranks) {
    JobFinding finding;
    finding.scope = scope;
    finding.ranks = ranks;
    std::ranges::sort(finding.ranks);
    if (scope == JobScope::Node) finding.node = report_.nodes[report_.ranks[ranks.front()].node].name;
    Excess all;
    std::int64_t often = 0;
    double later = 0;
    for (const std::size_t r : ranks) {
      all.add(excess_[r]);
      const auto [count, sum] = affected(r);
      often += count;
      later += sum;
    }
    const auto most = std::ranges::max_element(all.parts);
    const auto part = static_cast<OwnPart>(most - all.parts.begin());
    const double kernels = all.usual_kernels > 0 ? all.kernels / all.usual_kernels : 1;
    finding.reason = reason_of(part, kernels);
    if (finding.reason == JobReason::MoreKernels) finding.more_kernels = kernels;
    finding.later_ns = often > 0 ? rounded(later / static_cast<double>(often)) : 0;
    finding.share_affected = all.known > 0 ? static_cast<double>(often) / static_cast<double>(all.known) : 0;
    const std::size_t worst = *std::ranges::max_element(ranks, {}, [&](std::size_t r) { return excess_[r].ns; });
    finding.place = part == OwnPart::Kernels ? slow_kernel(worst) : place_of(worst, part);
    say_since(finding, worst);
    report_.findings.push_back(std::move(finding));
  }
  static JobReason reason_of(OwnPart part, double kernels) {
    switch (part) {
      case OwnPart::Kernels:
        return kernels > 1.05 ? JobReason::MoreKernels : JobReason::SlowerKernels;
      case OwnPart::Copies:
        return JobReason::Copies;
      case OwnPart::AfterSync:
        return JobReason::Reads;
      case OwnPart::Launch:
        return JobReason::Launch;
      case OwnPart::HeldByCopy:
        return JobReason::HeldByCopies;
      case OwnPart::Loader:
        return JobReason::Loader;
      case OwnPart::Graph:
      case OwnPart::Unknown:
        break;
    }
    return JobReason::Idle;
  }
  std::string place_of(std::size_t rank, OwnPart part) const {
    for (const JobCause& cause : summaries_[rank].causes) {
      if (cause.part == part) return cause.place;
    }
    return {};
  }
  /// The kernel of which most of its extra time is, compared with others of its role.
  std::string slow_kernel(std::size_t rank) const {
    constexpr std::size_t kCompared = 64;
    std::map<std::string_view, std::vector<double>> each;
    std::size_t compared = 0;
    for (std::size_t r = 0; r < summaries_.size() && compared < kCompared; ++r) {
      if (!report_.ranks[r].alike || report_.ranks[r].role != report_.ranks[rank].role) continue;
      ++compared;
      for (const JobCause& cause : summaries_[r].causes) {
        if (cause.part == OwnPart::Kernels && cause.count > 0)
          each[cause.place].push_back(static_cast<double>(cause.ns) / static_cast<double>(cause.count));
      }
    }
    std::string slowest;
    double most = 0;
    for (const JobCause& cause : summaries_[rank].causes) {
      const auto others = each.find(cause.place);
      if (cause.part != OwnPart::Kernels || others == each.end()) continue;
      const double usual = low_median(others->second) * static_cast<double>(cause.count);
      const double more = static_cast<double>(cause.ns) - usual;
      if (more <= most || more < limits::kCostMatters * usual) continue;
      most = more;
      slowest = cause.place;
    }
    return slowest;
  }

  /// Where the mean of what follows differs most from that of what comes before.
  void say_since(JobFinding& finding, std::size_t rank) const {
    constexpr std::size_t kFewestBefore = 10;
    constexpr double kHardlyBefore = 0.25;
    std::vector<std::pair<double, std::size_t>> known;
    for (std::size_t i = 0; i < excess_at_[rank].size(); ++i) {
      if (!std::isnan(excess_at_[rank][i])) known.emplace_back(excess_at_[rank][i], i);
    }
    if (known.size() < 2 * kFewestBefore) return;
    double all = 0;
    for (const auto& [more, i] : known) all += more;
    const auto n = static_cast<double>(known.size());
    double sum = 0, best = 0, best_before = 0, best_after = 0;
    std::size_t at = 0;
    for (std::size_t k = 1; k < known.size(); ++k) {
      sum += known[k - 1].first;
      if (k < kFewestBefore || known.size() - k < kFewestBefore) continue;
      const auto before = static_cast<double>(k);
      const double mean_before = sum / before, mean_after = (all - sum) / (n - before);
      const double weight = (mean_after - mean_before) * std::sqrt(before * (n - before));
      if (weight <= best) continue;
      best = weight;
      at = k;
      best_before = mean_before;
      best_after = mean_after;
    }
    if (at == 0 || best_before > kHardlyBefore * best_after) return;
    const std::vector<JobCollective>& collectives = summaries_[rank].collectives;
    const Nanoseconds from = collectives[known[at].second].start_ns;
    finding.since_ns = from - collectives.front().start_ns;
    for (const JobIteration& iteration : summaries_[rank].iterations) {
      if (iteration.start_ns <= from) finding.since_iteration = iteration.number;
    }
  }

  // --- links ------------------------------------------------------------------------------------------

  struct SlowGroup {
    double times = 1;  // as long as usual
    Nanoseconds more_ns = 0;
    double more_in_all_ns = 0;
  };

  void blame_links() {
    std::map<std::uint32_t, std::vector<std::pair<std::size_t, Nanoseconds>>> kinds;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (const auto& [kind, transfer] : transfers_[g]) kinds[kind].emplace_back(g, transfer.median_ns);
    }
    std::map<std::size_t, SlowGroup> slow;
    std::set<std::size_t> comparable;  // where a slow link would have been seen
    for (const auto& [kind, groups] : kinds) {
      if (groups.size() < kFewestForQuartiles) continue;
      std::vector<double> values;
      for (const auto& [g, ns] : groups) values.push_back(static_cast<double>(ns));
      const Fences fences = fences_of(values);
      bool any = false;
      for (const auto& [g, ns] : groups) {
        const double more = static_cast<double>(ns) - fences.middle;
        if (static_cast<double>(ns) <= fences.high || static_cast<double>(ns) < kSlowLink * fences.middle ||
            more < static_cast<double>(kLinkMatters)) {
          continue;
        }
        any = true;
        SlowGroup& of = slow[g];
        of.more_ns = std::max(of.more_ns, rounded(more));
        of.more_in_all_ns += more * static_cast<double>(transfers_[g].at(kind).count);
      }
      for (const auto& [g, ns] : groups) {
        if (any) comparable.insert(g);
      }
    }
    std::vector<std::set<std::size_t>> of_ranks(report_.ranks.size()), of_nodes(report_.nodes.size());
    for (const std::size_t g : comparable) {
      for (const Member& member : groups_[g].members) {
        of_ranks[member.rank].insert(g);
        of_nodes[report_.ranks[member.rank].node].insert(g);
      }
    }
    while (!slow.empty()) explain_slow(slow, of_ranks, of_nodes);
  }

  /// The rank that all of the most slow groups have in common, or the node; else the groups, one by one.
  void explain_slow(std::map<std::size_t, SlowGroup>& slow, const std::vector<std::set<std::size_t>>& of_ranks,
                    const std::vector<std::set<std::size_t>>& of_nodes) {
    struct Best {
      std::size_t who = 0, groups = 1;
      bool only = false;
    };
    const auto best_of = [&](const std::vector<std::set<std::size_t>>& of, double least) {
      Best best;
      for (std::size_t i = 0; i < of.size(); ++i) {
        const auto hits =
            static_cast<std::size_t>(std::ranges::count_if(of[i], [&](std::size_t g) { return slow.contains(g); }));
        if (hits < best.groups || hits < 2 || static_cast<double>(hits) < least * static_cast<double>(of[i].size()))
          continue;
        best = {i, hits, hits > best.groups};
      }
      return best;
    };
    const Best rank = best_of(of_ranks, 1), node = best_of(of_nodes, kMostOfScope);
    JobFinding finding;
    finding.reason = JobReason::Link;
    finding.share_affected = 1;
    std::set<std::size_t> explained;
    if (node.only && node.groups > rank.groups && report_.nodes[node.who].ranks > 1) {
      finding.scope = JobScope::Node;
      finding.node = report_.nodes[node.who].name;
      finding.ranks = ranks_of_[node.who];
      explained = of_nodes[node.who];
    } else if (rank.only) {
      finding.ranks = {rank.who};
      explained = of_ranks[rank.who];
    } else {
      finding.scope = JobScope::Group;
      explained = {slow.begin()->first};
      for (const Member& member : groups_[slow.begin()->first].members) finding.ranks.push_back(member.rank);
    }
    double in_all = 0;
    for (const std::size_t g : explained) {
      const auto of = slow.find(g);
      if (of == slow.end()) continue;
      finding.later_ns = std::max(finding.later_ns, of->second.more_ns);
      in_all = std::max(in_all, of->second.more_in_all_ns);
      slow.erase(of);
    }
    finding.loss = std::min(1.0, share_of_time(finding.ranks.front(), in_all * static_cast<double>(report_.stride)));
    report_.findings.push_back(std::move(finding));
  }

  // --- what it costs ----------------------------------------------------------------------------------

  /// How much earlier collectives would begin without those of a finding: as far as the last of the others.
  void count_losses() {
    std::vector<std::size_t> finding_of(report_.ranks.size(), report_.findings.size());
    for (std::size_t f = 0; f < report_.findings.size(); ++f) {
      if (report_.findings[f].reason == JobReason::Link) continue;
      for (const std::size_t r : report_.findings[f].ranks) finding_of[r] = f;
    }
    std::vector<double> gains(report_.findings.size(), 0);
    std::vector<std::size_t> here;
    for (const Group& group : groups_) {
      here.clear();
      for (const Member& member : group.members) {
        if (finding_of[member.rank] < report_.findings.size()) here.push_back(finding_of[member.rank]);
      }
      std::ranges::sort(here);
      here.erase(std::ranges::unique(here).begin(), here.end());
      if (here.empty()) continue;
      for_collectives(group, [&](const std::vector<Arrival>& arrivals, std::uint32_t) {
        if (!one_clock(arrivals)) return;
        for (const std::size_t f : here) {
          const Arrival *of = nullptr, *other = nullptr;  // the last of each
          for (const Arrival& arrival : arrivals) {
            const Arrival*& latest = finding_of[arrival.rank] == f ? of : other;
            if (latest == nullptr || arrival.start_ns > latest->start_ns) latest = &arrival;
          }
          if (of == nullptr || other == nullptr || of->start_ns <= other->start_ns) continue;
          const Nanoseconds gain = of->start_ns - other->start_ns;
          const std::size_t node = report_.ranks[of->rank].node, other_node = report_.ranks[other->rank].node;
          if (gain >= 2 * *error_between(node, other_node)) gains[f] += static_cast<double>(gain);
        }
      });
    }
    for (std::size_t f = 0; f < report_.findings.size(); ++f) {
      JobFinding& finding = report_.findings[f];
      if (finding.reason == JobReason::Link) continue;
      // No more than what they have more to do themselves.
      double more = 0;
      for (const std::size_t r : finding.ranks) more = std::max(more, excess_[r].share());
      finding.loss =
          std::min(more, share_of_time(finding.ranks.front(), gains[f] * static_cast<double>(report_.stride)));
    }
  }

  /// A time of day that is far from those of most others. It has cost nothing here.
  void blame_clocks() {
    std::vector<double> ahead;
    for (const JoinedNode& node : report_.nodes) {
      if (node.clock.time_of_day_ns) ahead.push_back(static_cast<double>(*node.clock.time_of_day_ns));
    }
    if (ahead.size() < kFewestForQuartiles) return;
    const Fences fences = fences_of(ahead);
    for (std::size_t n = 0; n < report_.nodes.size(); ++n) {
      const JoinedNode& node = report_.nodes[n];
      if (!node.clock.time_of_day_ns) continue;
      const auto own = static_cast<double>(*node.clock.time_of_day_ns), off = own - fences.middle;
      if ((own <= fences.high && own >= fences.low) ||
          std::abs(off) < static_cast<double>(std::max(kWrongClock, 2 * node.clock.error_ns))) {
        continue;
      }
      JobFinding finding;
      finding.scope = ranks_of_[n].size() > 1 ? JobScope::Node : JobScope::Rank;
      finding.reason = JobReason::Clock;
      finding.node = node.name;
      finding.ranks = ranks_of_[n];
      finding.later_ns = rounded(off);
      report_.findings.push_back(std::move(finding));
    }
  }

  struct Transfer {
    Nanoseconds median_ns = 0;
    std::int64_t count = 0;
  };

  std::vector<JobSummary> summaries_;  // by rank; the same indices as in JobReport::ranks
  std::vector<Group> groups_;
  std::vector<std::vector<std::vector<std::uint32_t>>> lists_;    // rank, communicator: collectives by number
  std::vector<std::vector<std::size_t>> group_of_;                // rank, communicator
  std::vector<std::vector<std::vector<std::uint32_t>>> kind_of_;  // rank, communicator, exchange
  std::vector<std::vector<std::size_t>> ranks_of_;                // node
  std::vector<Excess> excess_;                                    // rank
  std::vector<std::vector<float>> excess_at_;                     // rank, collective
  std::vector<std::map<std::uint32_t, Transfer>> transfers_;      // group, kind
  std::vector<std::uint64_t> sums_;                               // keeps its memory
  JobReport report_;
};

}  // namespace

JobJoin::JobJoin(std::size_t ranks)
    : most_collectives_(std::max(kFewestJoined, kMostJoined / std::max<std::size_t>(1, ranks))) {}

void JobJoin::add(JobSummary summary) {
  if (summaries_.size() == kMostJobRanks) {
    throw base::FileError(tr("more than {} ranks; so many are joined at once", kMostJobRanks));
  }
  while (summary.collectives.size() > most_collectives_ && summary.stride < std::uint64_t{1} << 62) {
    summary.thin(summary.stride * 2);
  }
  summary.collectives.shrink_to_fit();
  summaries_.push_back(std::move(summary));
}

JobReport JobJoin::report(JobMap* map) {
  if (summaries_.empty()) return {};
  Joining joining(std::move(summaries_));
  JobReport report = joining.report();
  if (map) *map = joining.map(report);
  return report;
}

}  // namespace lanescope::analysis
