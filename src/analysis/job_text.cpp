// What a join has found, in words: those of the command line, of the page and of the window.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "analysis/intervals.h"
#include "analysis/job_join.h"
#include "base/time.h"
#include "base/translate.h"

namespace lanescope::analysis {

using base::tr;

std::string_view job_scope_key(JobScope scope) {
  constexpr std::array<std::string_view, 3> kKeys{"rank", "node", "group"};
  return kKeys[static_cast<std::size_t>(scope)];
}
std::string_view job_reason_key(JobReason reason) {
  constexpr std::array<std::string_view, kJobReasons> kKeys{"slower-kernels", "more-kernels",   "copies", "reads",
                                                            "launch",         "held-by-copies", "loader", "idle",
                                                            "link",           "clock"};
  return kKeys[static_cast<std::size_t>(reason)];
}

std::string ranks_text(int from, int to) { return from == to ? tr("rank {}", from) : tr("ranks {} to {}", from, to); }

namespace {

/// "ranks 8 to 15"; "ranks 3, 7, 11 and 13 more".
std::string ranks_of_text(const JobReport& report, const std::vector<std::size_t>& ranks) {
  constexpr std::size_t kNamed = 4;
  const auto number = [&](std::size_t i) { return report.ranks[ranks[i]].who.rank; };
  if (static_cast<std::size_t>(number(ranks.size() - 1) - number(0)) == ranks.size() - 1) {
    return ranks_text(number(0), number(ranks.size() - 1));
  }
  std::string named;
  for (std::size_t i = 0; i < std::min(kNamed, ranks.size()); ++i) {
    named += (named.empty() ? "" : ", ") + std::to_string(number(i));
  }
  return ranks.size() > kNamed ? tr("ranks {} and {} more", named, ranks.size() - kNamed) : tr("ranks {}", named);
}

std::string because_text(const JobFinding& finding) {
  switch (finding.reason) {
    case JobReason::SlowerKernels:
      return tr("its kernels are slower");
    case JobReason::MoreKernels:
      return tr("it runs {:.2f} times as many kernels", finding.more_kernels);
    case JobReason::Copies:
      return tr("it copies for longer");
    case JobReason::Reads:
      return tr("it is idle after reads and other synchronisations");
    case JobReason::Launch:
      return tr("its CPU launches too late");
    case JobReason::HeldByCopies:
      return tr("copies hold it up");
    case JobReason::Loader:
      return tr("it waits for its data loader");
    case JobReason::Idle:
    case JobReason::Link:
    case JobReason::Clock:
      break;
  }
  return tr("it is idle, and nothing recorded says why");
}

}  // namespace

std::string rank_text(const JobReport& report, std::size_t rank) {
  const JoinedRank& of = report.ranks[rank];
  const std::string name = ranks_text(of.who.rank, of.who.rank);
  const std::string& node = report.nodes[of.node].name;
  return node == name ? name : tr("{} (node {})", name, node);
}

std::string who_text(const JobReport& report, const JobFinding& finding) {
  if (finding.scope == JobScope::Rank) return rank_text(report, finding.ranks.front());
  const std::string ranks = ranks_of_text(report, finding.ranks);
  return finding.scope == JobScope::Node ? tr("node {} ({})", finding.node, ranks) : tr("the group of {}", ranks);
}

std::string finding_text(const JobReport& report, const JobFinding& finding) {
  const std::string who = who_text(report, finding), by = base::format_duration(std::abs(finding.later_ns));
  if (finding.reason == JobReason::Clock) {
    return finding.later_ns > 0 ? tr("{}: its time of day is {} ahead of that of the others.", who, by)
                                : tr("{}: its time of day is {} behind that of the others.", who, by);
  }
  const int percent = whole_percent(finding.loss);
  if (finding.reason == JobReason::Link) {
    return tr("{}: what it takes part in transfers for {} longer than elsewhere: {} % of the job's time.", who, by,
              percent);
  }
  std::string because = because_text(finding);
  if (!finding.place.empty()) because += fmt::format(" ({})", finding.place);
  std::string text =
      tr("{}: {}. In {} % of its collectives it comes {} later than the others do; the job waits {} % of "
         "its time for it.",
         who, because, whole_percent(finding.share_affected), by, percent);
  if (finding.since_iteration) {
    text += ' ' + tr("It has been so since iteration {}.", *finding.since_iteration);
  } else if (finding.since_ns) {
    text += ' ' + tr("It has been so since {} after its first collective.", base::format_duration(*finding.since_ns));
  }
  return text;
}

std::vector<std::string> remarks_of(const JobReport& report) {
  constexpr std::size_t kNamed = 8;
  std::vector<std::string> remarks;
  if (!report.missing.empty()) {
    std::string named;
    for (std::size_t i = 0; i < std::min(kNamed, report.missing.size()); ++i) {
      named += (named.empty() ? "" : ", ") + ranks_text(report.missing[i].first, report.missing[i].second);
    }
    if (report.missing.size() > kNamed) named += ", …";
    remarks.push_back(tr("No summary: {}.", named));
  }
  for (const int rank : report.twice) {
    remarks.push_back(tr("Rank {} has several summaries; only the first one counts.", rank));
    if (remarks.size() > kNamed) break;
  }
  if (report.unnumbered > 0) {
    remarks.push_back(tr("{} collectives have no number in their communicator, so which belong together is not known.",
                         base::format_count(static_cast<std::int64_t>(report.unnumbered))));
  }
  if (report.unknown_clocks > 0) {
    remarks.push_back(
        tr("{} of {} nodes have too few collectives in common with the others for one clock: who arrives "
           "last there is not known.",
           report.unknown_clocks, report.nodes.size()));
  }
  for (const JoinedNode& node : report.nodes) {
    if (!node.clock.contradicts) continue;
    remarks.push_back(
        tr("The ends of collectives contradict what the kernel of {} says of its time of day.", node.name));
    if (remarks.size() > 2 * kNamed) break;
  }
  if (report.stride > 1) remarks.push_back(tr("Only one in {} collectives was looked at.", report.stride));
  return remarks;
}

std::string job_text(const JobReport& report) {
  // Without hosts, each recording counts as a node.
  const bool several = report.nodes.size() > 1 &&
                       std::ranges::any_of(report.ranks, [](const JoinedRank& r) { return !r.who.host.empty(); });
  const std::string nodes =
      several ? tr(" on {} nodes", base::format_count(static_cast<std::int64_t>(report.nodes.size()))) : std::string();
  std::string text =
      tr("{} of {} ranks{}, {} collectives: {} % of the time is waiting for the last rank.",
         base::format_count(static_cast<std::int64_t>(report.ranks.size())), base::format_count(report.ranks_of_job),
         nodes, base::format_count(static_cast<std::int64_t>(report.collectives)), whole_percent(report.waiting));
  const bool any = std::ranges::any_of(report.findings,
                                       [](const JobFinding& finding) { return finding.reason != JobReason::Clock; });
  if (report.collectives == 0) {
    text += ' ' + std::string(tr("No two ranks have a collective in common."));
  } else if (!any) {
    text +=
        ' ' + std::string(tr("Nobody in particular: no rank has more to do than the others, and no link is slower."));
  }
  if (report.clock_error_ns > 0) {
    text += ' ' + tr("The clocks agree to {}; less than twice that is not known.",
                     base::format_duration(report.clock_error_ns));
  }
  return text;
}

}  // namespace lanescope::analysis
