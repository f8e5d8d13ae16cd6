#include "attach/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/error.h"
#include "refusal.h"

namespace lanescope::attach {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Environment = std::map<std::string, std::string>;

Variables in(const Environment& environment) {
  return [environment](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
}

// As `srun -n4 -N2` gave them to rank 3, and sbatch to its script.
const Environment kTask{{"SLURM_JOB_ID", "7"},         {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "3"},
                        {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_LOCALID", "0"}, {"SLURM_NTASKS", "4"},
                        {"SLURMD_NODENAME", "n2"},     {"SLURM_NODEID", "1"}};
const Environment kScript{{"SLURM_JOB_ID", "7"},
                          {"SLURM_PROCID", "0"},
                          {"SLURM_LOCALID", "0"},
                          {"SLURM_NTASKS", "4"},
                          {"SLURMD_NODENAME", "n1"}};
const Environment kTorchrun{{"RANK", "11"},        {"WORLD_SIZE", "16"},          {"LOCAL_RANK", "3"},
                            {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"TORCHELASTIC_RUN_ID", "night"}};
const std::vector<std::string> kPython{"python", "train.py"};

Environment with(Environment environment, const std::string& name, const std::string& value) {
  environment[name] = value;
  return environment;
}

TEST(JobPlaceTest, IsWhatTheLauncherSays) {
  const JobPlace task = job_place(in(kTask), 40);
  EXPECT_EQ(task.rank, 3);
  EXPECT_EQ(task.ranks, 4);
  EXPECT_EQ(task.local_rank, 0);
  EXPECT_EQ(task.job, "7");
  EXPECT_EQ(task.node, "n2");
  EXPECT_EQ(task.process, 40);
  EXPECT_TRUE(task.one_of_many());
  const JobPlace worker = job_place(in(kTorchrun), 40);
  EXPECT_EQ(worker.rank, 11) << "not the node's number, which Slurm says";
  EXPECT_EQ(worker.local_rank, 3);
  EXPECT_EQ(worker.job, "night");
  const JobPlace mpi = job_place(
      in({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}}), 40);
  EXPECT_EQ(mpi.rank, 2);
  EXPECT_EQ(mpi.local_rank, 1);
  EXPECT_EQ(job_place(in({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), 40).rank, 1);
}

TEST(JobPlaceTest, AScriptIsNoRankAndASingleTaskIsNotOneOfMany) {
  EXPECT_EQ(job_place(in(kScript), 40).rank, std::nullopt);
  EXPECT_FALSE(job_place(in({}), 40).one_of_many());
  EXPECT_FALSE(job_place(in({{"RANK", "0"}, {"WORLD_SIZE", "1"}}), 40).one_of_many());
  EXPECT_TRUE(job_place(in({{"RANK", "0"}}), 40).one_of_many()) << "of how many is not known";
  EXPECT_EQ(job_place(in({{"RANK", "4"}, {"WORLD_SIZE", "4"}}), 40).rank, std::nullopt);
  EXPECT_EQ(job_place(in({{"RANK", "-1"}}), 40).rank, std::nullopt);
  EXPECT_EQ(job_place(in({}), 40).node, job_place(in({}), 40).host);
}

/// A folder that is empty, and is gone with the test.
class RecordFileTest : public testing::Test {
 protected:
  RecordFileTest() {
    std::string pattern = (fs::temp_directory_path() / "lanescope-job-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~RecordFileTest() override { fs::remove_all(folder_); }

  /// As it stands below the test's folder.
  std::string named(const std::string& wanted, const Environment& environment,
                    const std::vector<std::string>& command = kPython) const {
    JobPlace place = job_place(in(environment), 40);
    place.host = "host";
    if (!environment.contains("SLURMD_NODENAME")) place.node = "host";
    return record_file(wanted, place, command, folder_).path.lexically_relative(folder_).string();
  }
  std::string refused(const std::string& wanted, const Environment& environment) const {
    return refusal<base::UsageError>([&] { named(wanted, environment); });
  }
  RecordFile one_of_many(const std::string& name) const { return {folder_ / name, true}; }
  RecordFile single(const std::string& name) const { return {folder_ / name, false}; }
  static std::string refused_claim(const RecordFile& file) {
    return refusal<base::FileError>([&] { const RecordClaim claim(file); });
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(RecordFileTest, APatternIsFilledIn) {
  EXPECT_EQ(named("%j-%r-%l-%n-%h-%p-100%%.json", kTask), "7-3-0-n2-host-40-100%.json");
  EXPECT_EQ(named("%j/rank%r.lanescope", kTask), "7/rank3.lanescope");
  EXPECT_EQ(named("run-%h.lanescope", {}), "run-host.lanescope");
  EXPECT_EQ(named("run.lanescope", kTask), "run.lanescope");
  EXPECT_EQ(named("/elsewhere/%r.lanescope", kTask), fs::path("/elsewhere/3.lanescope").lexically_relative(folder_));
  EXPECT_EQ(named("%j.lanescope", with(kTorchrun, "TORCHELASTIC_RUN_ID", "../a/b")), ".._a_b.lanescope");
}

// In the order of ls: of 16 ranks the second is 01.
TEST_F(RecordFileTest, RanksHaveTheDigitsOfTheLast) {
  EXPECT_EQ(named("job/", {{"RANK", "1"}, {"WORLD_SIZE", "16"}}), "job/rank01.lanescope");
  EXPECT_EQ(named("job/", {{"RANK", "1"}, {"WORLD_SIZE", "10"}}), "job/rank1.lanescope");
  EXPECT_EQ(named("job/", {{"RANK", "4095"}, {"WORLD_SIZE", "4096"}}), "job/rank4095.lanescope");
  EXPECT_EQ(named("job/", {{"RANK", "12"}}), "job/rank12.lanescope");
}

TEST_F(RecordFileTest, InAFolderItIsNamedByRankOrByNode) {
  EXPECT_EQ(named("job/", kTask), "job/rank3.lanescope");
  EXPECT_EQ(named("job/", kScript), "job/noden1.lanescope");
  EXPECT_EQ(named("job/", {}), "job/nodehost.lanescope");
  EXPECT_EQ(named("job", kTask), "job") << "that is a file";
  fs::create_directory(folder_ / "job");
  EXPECT_EQ(named("job", kTask), "job/rank3.lanescope");
}

// Slurm has numbered the nodes, and the ranks are those of torchrun's children.
TEST_F(RecordFileTest, ARecorderAroundALauncherIsNamedByNode) {
  EXPECT_EQ(named("job/", kTask, {"torchrun", "--nnodes=2", "train.py"}), "job/noden2.lanescope");
  EXPECT_EQ(named("job/", kTask, {"/opt/bin/torchrun", "train.py"}), "job/noden2.lanescope");
  EXPECT_EQ(named("job/", kTask, {"python3", "-m", "torch.distributed.run", "train.py"}), "job/noden2.lanescope");
  EXPECT_EQ(named("job/", kTask, {"python3", "-m", "train"}), "job/rank3.lanescope");
}

TEST_F(RecordFileTest, AnotherStartIsAnotherFile) {
  const Environment again = with(kTorchrun, "TORCHELASTIC_RESTART_COUNT", "2");
  EXPECT_EQ(named("job/", again), "job/rank11.restart2.lanescope");
  EXPECT_EQ(named("run.v1.json.gz", again), "run.v1.restart2.json.gz");
  EXPECT_EQ(named("trace", again), "trace.restart2");
  EXPECT_EQ(named("job/", with(kTorchrun, "TORCHELASTIC_RESTART_COUNT", "0")), "job/rank11.lanescope");
  EXPECT_EQ(named("job/", with(kTask, "SLURM_RESTART_COUNT", "1")), "job/rank3.restart1.lanescope") << "requeued";
}

TEST_F(RecordFileTest, WhatIsNotKnownIsSaid) {
  EXPECT_THAT(refused("rank%r.lanescope", {}), AllOf(HasSubstr("'rank%r.lanescope'"), HasSubstr("what %r is")));
  EXPECT_THAT(refused("%j.lanescope", {}), HasSubstr("what %j is"));
  EXPECT_THAT(refused("%l.lanescope", {{"PMI_RANK", "1"}}), HasSubstr("what %l is"));
  EXPECT_THAT(refused("%t.lanescope", kTask), AllOf(HasSubstr("%t is no part"), HasSubstr("%r rank")));
  EXPECT_THAT(refused("all%", kTask), HasSubstr("'all%': % is no part"));
}

// Two recorders, as on two nodes, that want one name at the same moment: one has it.
TEST_F(RecordFileTest, OfTwoRecordersOneHasTheFile) {
  constexpr int kRecorders = 8;
  int begin[2];
  ASSERT_EQ(::pipe(begin), 0);
  for (int i = 0; i < kRecorders; ++i) {
    const pid_t recorder = ::fork();
    ASSERT_GE(recorder, 0);
    if (recorder != 0) continue;
    ::close(begin[1]);
    char byte = 0;
    [[maybe_unused]] const ssize_t told = ::read(begin[0], &byte, 1);  // until the writing end is closed
    try {
      RecordClaim claim(one_of_many("job/rank3.lanescope"));
      claim.keep();
      ::_exit(0);
    } catch (const base::FileError&) {
      ::_exit(1);
    }
  }
  ::close(begin[0]);
  ::close(begin[1]);
  int had = 0, refused = 0;
  for (int i = 0; i < kRecorders; ++i) {
    int status = 0;
    ASSERT_GT(::wait(&status), 0);
    had += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
    refused += WIFEXITED(status) && WEXITSTATUS(status) == 1 ? 1 : 0;
  }
  EXPECT_EQ(had, 1);
  EXPECT_EQ(refused, kRecorders - 1);
  EXPECT_TRUE(fs::exists(folder_ / "job/rank3.lanescope"));
}

TEST_F(RecordFileTest, WhatIsThereIsNotOverwritten) {
  std::ofstream(folder_ / "rank3.lanescope") << "yesterday's";
  const std::string why = refused_claim(one_of_many("rank3.lanescope"));
  EXPECT_THAT(why, AllOf(HasSubstr("rank3.lanescope is there already"), HasSubstr("remove it"), HasSubstr("%r")));
  EXPECT_THAT(why, Not(HasSubstr("\n")));
  EXPECT_EQ(fs::file_size(folder_ / "rank3.lanescope"), 11u);
}

// A name that one person has written down is replaced by the next run, as ever, but not while the last one writes.
TEST_F(RecordFileTest, ASingleFileIsReplacedUnlessItIsBeingWritten) {
  std::ofstream(folder_ / "run.lanescope") << "yesterday's";
  {
    const RecordClaim claim(single("run.lanescope"));
    EXPECT_THAT(refused_claim(single("run.lanescope")), HasSubstr("written by another recorder"));
  }
  EXPECT_EQ(fs::file_size(folder_ / "run.lanescope"), 11u) << "whoever records empties it";
  EXPECT_EQ(refused_claim(single("run.lanescope")), "");
}

TEST_F(RecordFileTest, NothingStaysOfARecorderThatDoesNotBegin) {
  { const RecordClaim claim(one_of_many("rank3.lanescope")); }
  { const RecordClaim claim(single("run.lanescope")); }
  EXPECT_EQ(files(), 0);
  std::ofstream(folder_ / "run.lanescope") << "yesterday's";
  { const RecordClaim claim(single("run.lanescope")); }
  EXPECT_EQ(files(), 1) << "it was there before";
}

TEST(StartedElsewhereTest, ALauncherOverSeveralMachinesIsToldWhatToWrite) {
  const auto text = [](const std::vector<std::string>& command, const Environment& environment) {
    return started_elsewhere(command, in(environment));
  };
  const Environment two{{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NUM_NODES", "2"}, {"SLURM_JOB_NODELIST", "n[1-2]"}};
  const Environment one{{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NUM_NODES", "1"}, {"SLURM_JOB_NODELIST", "n1"}};
  EXPECT_EQ(text({"srun", "-n4", "python", "train.py"}, two),
            "srun started its processes on n[1-2], where nobody could report in here. Put lanescope behind it: "
            "srun ... lanescope attach --record DIR/ -- COMMAND");
  EXPECT_THAT(text({"/usr/bin/srun", "--nodes=2", "true"}, one), HasSubstr("on other machines"));
  EXPECT_THAT(text({"srun", "true"}, {}), HasSubstr("srun ... lanescope attach")) << "it is given machines";
  EXPECT_EQ(text({"srun", "true"}, one), "");
  EXPECT_THAT(text({"mpirun", "-np", "4", "true"}, two), HasSubstr("mpirun started its processes on n[1-2]"));
  EXPECT_THAT(text({"mpirun", "--hostfile", "hosts", "true"}, {}), HasSubstr("mpirun ... lanescope attach"));
  EXPECT_THAT(text({"mpiexec", "-H", "a,b", "true"}, {}), HasSubstr("mpiexec ... lanescope attach"));
  EXPECT_EQ(text({"mpirun", "-np", "4", "true"}, {}), "");
  EXPECT_THAT(text({"sbatch", "job.sh"}, {}), HasSubstr("In the script"));
  EXPECT_EQ(text({"python", "train.py"}, two), "");
  EXPECT_EQ(text({}, two), "");
}

}  // namespace
}  // namespace lanescope::attach
