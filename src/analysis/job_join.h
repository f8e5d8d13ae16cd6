// The summaries of a job's ranks, joined: who is late, how often, since when, by how much and why, and what the job
// loses by it.
//
// Who arrives last is seen by the clock, and says little of why: a rank is late, too, because it waited before for
// another one. So what a rank is blamed for is its own work: what it did between two collectives, compared with what
// the others did before the same ones. No clock is needed for that.
//
//   rank 0   ]=====     [--------      rank 1 has more to do before the first collective, and is blamed.
//   rank 1   ]==========[--------      Rank 2 comes late to the second one, because it waited in the first
//   rank 2   ]=====     [--------|     for rank 1: it is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/job_clock.h"
#include "analysis/job_map.h"
#include "analysis/job_summary.h"

namespace lanescope::analysis {

inline constexpr std::size_t kMostJobRanks = 10'000;

enum class JobScope : std::uint8_t { Rank, Node, Group };  ///< Group: a communicator's ranks
enum class JobReason : std::uint8_t {
  SlowerKernels,
  MoreKernels,
  Copies,
  Reads,  ///< idle after synchronisations
  Launch,
  HeldByCopies,
  Loader,
  Idle,  ///< idle for another or an unknown reason
  Link,  ///< what it takes part in transfers for longer
  Clock  ///< its time of day is wrong; costs nothing
};
inline constexpr std::size_t kJobReasons = 10;
std::string_view job_scope_key(JobScope scope);     ///< "rank", "node", "group"
std::string_view job_reason_key(JobReason reason);  ///< "slower-kernels", ...

struct JobFinding {
  JobScope scope = JobScope::Rank;
  JobReason reason = JobReason::Idle;
  std::vector<std::size_t> ranks;  ///< numbers in JobReport::ranks, ascending
  std::string node;                ///< Node: its name
  /// How much more it takes before a collective than the others do, mean of those that it has; of a link, how much
  /// longer a transfer takes; of a clock, by how much its time of day is ahead.
  Nanoseconds later_ns = 0;
  double more_kernels = 0;    ///< MoreKernels: how many times as many as the others
  double share_affected = 0;  ///< of its collectives, how many are clearly later
  std::string place;          ///< where most of it is idle, "train.py:41"; or the kernel; empty: not known
  /// The rest waits so long for it: a share of the job's time.
  double loss = 0;
  /// From then on, since the first collective; empty: from the beginning.
  std::optional<Nanoseconds> since_ns;
  std::optional<std::uint64_t> since_iteration;
};

/// One rank, as joined.
struct JoinedRank {
  JobRank who;
  std::size_t added = 0;      ///< so many summaries were added before its own
  std::size_t node = 0;       ///< of JobReport::nodes
  std::size_t role = 0;       ///< those with one number take part in alike collectives
  std::uint64_t seen = 0;     ///< collectives that all of its ranks have
  std::uint64_t last = 0;     ///< of those, in how many it was the last, clearly
  std::uint64_t unknown = 0;  ///< of those, where the clocks are too far apart to say who was
  Nanoseconds waited_ns = 0;  ///< for the last one
  Nanoseconds late_ns = 0;    ///< after the median of all; the mean
  Nanoseconds work_ns = 0;    ///< its own before a collective; the mean
  Nanoseconds excess_ns = 0;  ///< how much more that is than that of the others
  Nanoseconds iteration_p50_ns = 0;
  bool alike = true;  ///< not an outlier among those of its role
};
struct JoinedNode {
  std::string name;  ///< its host, or "rank 3" where nobody knows
  std::size_t ranks = 0;
  NodeClock clock;
};

struct JobReport {
  std::vector<JoinedRank> ranks;  ///< by rank
  std::vector<JoinedNode> nodes;
  std::vector<JobFinding> findings;  ///< what costs most comes first
  std::size_t roles = 0;
  std::size_t communicators = 0;             ///< with at least two of the ranks
  std::uint64_t collectives = 0;             ///< that all of its ranks have
  std::uint64_t unnumbered = 0;              ///< of all ranks: without a number
  std::uint64_t stride = 1;                  ///< each so many-th was joined
  double waiting = 0;                        ///< share of the ranks' time in which they wait for the last one
  Nanoseconds clock_error_ns = 0;            ///< the largest of a node; 0: one node
  std::size_t unknown_clocks = 0;            ///< nodes that could not be put on the clock of the others
  int ranks_of_job = 0;                      ///< as they say
  std::vector<std::pair<int, int>> missing;  ///< ranks without a summary, from and to
  std::vector<int> twice;                    ///< ranks with several; the first counts
};

class JobJoin {
 public:
  /// Of about so many ranks: with many, each of them keeps less, the same on all.
  explicit JobJoin(std::size_t ranks);
  void add(JobSummary summary);
  /// Once. With `map`, its iterations, too.
  JobReport report(JobMap* map = nullptr);

 private:
  std::size_t most_collectives_;
  std::vector<JobSummary> summaries_;
};

/// "ranks 512 to 519", "rank 3".
std::string ranks_text(int from, int to);
/// "rank 1234 (node n154)"; `rank` is a number in JobReport::ranks.
std::string rank_text(const JobReport& report, std::size_t rank);
/// The same, "node n154 (ranks 8 to 15)"; translated.
std::string who_text(const JobReport& report, const JobFinding& finding);
/// What is found of it, in one or two sentences; translated.
std::string finding_text(const JobReport& report, const JobFinding& finding);
/// What speaks against the whole: ranks that are missing, clocks that are not known. One sentence each; translated.
std::vector<std::string> remarks_of(const JobReport& report);
/// The job in one sentence; translated.
std::string job_text(const JobReport& report);

}  // namespace lanescope::analysis
