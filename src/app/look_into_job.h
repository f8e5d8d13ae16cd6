// `lanescope attach --job`: a rank of a running job of Slurm's.
#pragma once

#include <string>

#include "attach/program_state.h"

namespace lanescope::app {

struct JobRank {
  std::string job;  ///< Slurm's number: "1234", or of an array's element "1234_5"
  int rank = 0;
  std::string lanescope;  ///< the program on its nodes; empty: where this one is
};
/// Where the rank is, and unless `options` have a pid, the recording that is being made of it. Asks Slurm, which takes
/// about a second. Throws base::Error or base::UsageError: says why not.
attach::RemoteOptions find_rank(const JobRank& job, attach::RemoteOptions options);

/// On a node, in a step of the job: its processes here, a line of JSON for each.
void print_ranks_here();

}  // namespace lanescope::app
