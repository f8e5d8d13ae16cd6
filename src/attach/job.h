// A recorder in a job of many processes: which of them it is, as far as its launcher says; the file that is its own;
// and a launcher whose processes are elsewhere.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::attach {

/// Of a process's environment; empty: it is not set.
using Variables = std::function<std::string(const char* name)>;
std::string own_variable(const char* name);

/// The place of a process in a job.
struct JobPlace {
  std::optional<int> rank, local_rank;
  int ranks = 0;           ///< of the job; 0: unknown
  std::string job;         ///< Slurm's number of it, or torchrun's name; empty: neither
  std::string node, host;  ///< the node's name in Slurm, otherwise the host's
  int restarts = 0;        ///< how often torchrun or Slurm has begun it again
  pid_t process = 0;

  bool one_of_many() const { return rank.has_value() && ranks != 1; }
};
/// What torchrun, Open MPI, Slurm or another MPI says of `process`, on this machine.
JobPlace job_place(const Variables& variable, pid_t process);

// --- the recording's name --------------------------------------------------------------------------------------------

struct RecordFile {
  std::filesystem::path path;
  /// Others have names of the same kind: an older file is not replaced. False: a name that somebody has written down.
  bool one_of_many = false;
};
/// `wanted` is a file, perhaps with %r %l %n %j %h %p %%, or a folder: one that is there, or a name with a "/" at its
/// end. In a folder it is rank%r.lanescope, or of a command that starts the ranks itself, or without a rank,
/// node%n.lanescope. `folder`: where a relative name begins; empty: here. Throws base::UsageError.
RecordFile record_file(const std::string& wanted, const JobPlace& place, const std::vector<std::string>& command,
                       const std::filesystem::path& folder = {});

/// A file that only this recorder writes. Of many, it makes the file, which succeeds for one of all that try, on all
/// machines that share the folder (O_EXCL, which NFS has had since its version 3, and Lustre and GPFS have). A file
/// that it may replace is locked, so that a second recorder on this machine finds that out.
class RecordClaim {
 public:
  /// Makes the folder if there is none. Throws base::FileError: the file is somebody else's, or cannot be made.
  explicit RecordClaim(const RecordFile& file);
  /// Until keep(), a file that it made is removed again.
  ~RecordClaim();
  RecordClaim(const RecordClaim&) = delete;
  RecordClaim& operator=(const RecordClaim&) = delete;

  void keep() { made_ = false; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  bool made_ = false;
};

// --- elsewhere -------------------------------------------------------------------------------------------------------

/// No process of this command has reported in: a sentence that says where they are, if it starts them on other
/// machines, and what to write instead. Empty: it does not, as far as its words and the environment say.
std::string started_elsewhere(const std::vector<std::string>& command, const Variables& variable);

}  // namespace lanescope::attach
