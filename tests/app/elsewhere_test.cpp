// `lanescope attach --host`, over an ssh that only passes commands to a shell here, `--job`, with an squeue and an srun
// that do no more, and `--to`. With the real ones: tests/slurm.
#ifdef LANESCOPE_FAKES
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ElsewhereTest : public ProgramTest {
 protected:
  /// A machine "node" with a home of its own. The first `breaks` connections that copy a recording break after 5,000
  /// bytes.
  Surroundings network(int breaks = 0) const {
    const std::filesystem::path bin = folder_ / "bin", home = folder_ / "there";
    std::filesystem::create_directories(bin);
    std::filesystem::create_directories(home);
    std::ofstream(bin / "ssh") << "#!/bin/sh\n"
                                  "while [ \"$1\" != \"${1#-}\" ]; do [ \"$1\" = -o ] && shift; shift; done\n"
                                  "[ \"$1\" = node ] || { echo \"ssh: no machine $1\" >&2; exit 255; }\n"
                                  "shift\n"
                                  "export HOME=" +
                                      home.string() +
                                      "\n"
                                      "case \"$*\" in *tail*)\n"
                                      "  n=$(ls " +
                                      home.string() +
                                      " | grep -c broken)\n"
                                      "  if [ $n -lt " +
                                      std::to_string(breaks) +
                                      " ]; then touch $HOME/broken.$n; sh -c \"$*\" | head -c 5000; exit 255; fi;;\n"
                                      "esac\n"
                                      "exec sh -c \"$*\"\n";
    std::filesystem::permissions(bin / "ssh", std::filesystem::perms::owner_all);
    Surroundings s;
    s.environment["PATH"] = bin.string() + ":" + ::getenv("PATH");
    s.environment["FAKE_GPU_LIBRARIES"] = LANESCOPE_FAKES;
    s.environment["PYTHONPATH"] = std::string(LANESCOPE_SOURCE_DIR) + "/tests/inject";
    s.environment["LANESCOPE_CUPTI"] = std::string(LANESCOPE_FAKES) + "/libcupti.so.13";
    return s;
  }
  Outcome record_there(const Surroundings& surroundings, std::vector<std::string> command,
                       std::vector<std::string> options = {}, const std::string& host = "node") const {
    std::vector<std::string> arguments{"attach",  "--host", host + ":" + LANESCOPE_BINARY, "--record", "run.lanescope",
                                       "--level", "calls"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), command.begin(), command.end());
    return run(arguments, surroundings);
  }
  std::int64_t kernels_recorded() const {
    const Outcome report = run({"report", "run.lanescope", "--json", "-"});
    EXPECT_EQ(report.status, 0) << report.err;
    const auto json = nlohmann::json::parse(report.out);
    return json.at("source").at("read_by_category").at("kernel");
  }
  std::vector<std::string> kept_there() const {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder_ / "there/.cache/lanescope"))
      names.push_back(file.path().filename());
    return names;
  }
  static std::string train() { return std::string(LANESCOPE_SOURCE_DIR) + "/tests/inject/train.py"; }
};

// 300 iterations of 13 kernels: forward 3 x 2 + 1, backward 3, step 3.
TEST_F(ElsewhereTest, TheProgramRunsThereAndItsRecordingIsHere) {
  const Outcome outcome = record_there(network(), {LANESCOPE_PYTHON, train(), "--iterations", "300"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "epoch 0 done\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(kernels_recorded(), 300 * 13);
  EXPECT_THAT(kept_there(), IsEmpty());
}

TEST_F(ElsewhereTest, ABrokenConnectionIsMadeAgainAndNothingIsMissing) {
  const Outcome outcome = record_there(network(2), {LANESCOPE_PYTHON, train(), "--iterations", "300"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "there/broken.1"));
  EXPECT_EQ(kernels_recorded(), 300 * 13);
}

TEST_F(ElsewhereTest, WordsVariablesFolderAndStatusArriveAsTheyAre) {
  const Outcome outcome = record_there(
      network(), {"sh", "-c", "printf '%s|' \"$@\" \"$V\" \"$PWD\"; exit 7", "x", "two words", "it's", "$HOME;", ""},
      {"--env", "V=a 'b' $c", "--folder", "/usr"});
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.out, "two words|it's|$HOME;||a 'b' $c|/usr|");
}

TEST_F(ElsewhereTest, MistakesAreOneLine) {
  Surroundings s = network();
  expect_complaint(run({"attach", "--host", "-oProxyCommand=x", "--record", "r.lanescope", "--", "true"}, s), 2,
                   {"-oProxyCommand=x", "user@node"});
  expect_complaint(run({"attach", "--host", "node", "--record", "r.json", "--", "true"}, s), 2,
                   {"r.json", ".lanescope"});
  expect_complaint(run({"attach", "--host", "node", "--record", "r.lanescope"}, s), 2, {"command"});
  expect_complaint(run({"attach", "--bandwidth", "5", "--record", "r.lanescope", "--", "true"}, s), 2,
                   {"--bandwidth", "--host"});
  expect_complaint(run({"attach", "--to", "x", "--record", "r.lanescope"}, s), 2, {"--to", "--record"});
  expect_complaint(run({"attach", "--to", "x", "--", "true"}, s), 2, {"--to", "command"});
  s.environment["PATH"] = "/nowhere";
  expect_complaint(run({"attach", "--host", "node", "--record", "r.lanescope", "--", "true"}, s), 1, {"ssh"});
}

/// A job of Slurm's whose only node is this machine: what squeue says of it, and an srun that takes the options away.
class JobTest : public ElsewhereTest {
 protected:
  Surroundings slurm(const std::string& squeue_says, int squeue_status = 0) const {
    Surroundings s = network();
    const std::filesystem::path bin = folder_ / "bin";
    std::ofstream(bin / "squeue") << "#!/bin/sh\nprintf '%s' '" << squeue_says << "'\nexit " << squeue_status << "\n";
    std::ofstream(bin / "srun") << "#!/bin/sh\nwhile [ \"$1\" != \"${1#-}\" ]; do shift; done\nSLURM_JOB_ID="
                                << number() << " SLURMD_NODENAME=n1 exec \"$@\"\n";
    for (const char* name : {"squeue", "srun"})
      std::filesystem::permissions(bin / name, std::filesystem::perms::owner_all);
    return s;
  }
  std::string running() const { return number() + " " + number() + " 1 RUNNING None\n"; }
  static std::string number() { return std::to_string(::getpid()); }  // of no other test's
  /// `command` as rank 1 of 2, until the file "go" is there; meanwhile `meanwhile` once it has said "ready".
  Outcome with_rank_1(std::vector<std::string> command, const std::function<void(pid_t)>& meanwhile) const {
    Surroundings s = network();
    s.environment["SLURM_JOB_ID"] = number();
    s.environment["SLURM_PROCID"] = "1";
    s.environment["SLURM_STEP_NUM_TASKS"] = "2";
    bool asked = false;
    s.watch = [&](pid_t recorder, const Outcome& so_far) {
      if (std::exchange(asked, asked || so_far.out.find("ready") != std::string::npos) || !asked) return;
      meanwhile(recorder);
      std::ofstream(folder_ / "go");
    };
    return run(std::move(command), s);
  }
  static constexpr const char* kUntilGo = "echo ready; for i in $(seq 600); do [ -e go ] && exit; sleep 0.05; done";
};

TEST_F(JobTest, ARanksRecordingIsCopiedAndStaysWhereItIs) {
  Outcome look, other;
  std::thread looking;  // it ends with the recording
  const Outcome outcome =
      with_rank_1({"attach", "--record", "there.lanescope", "--", "sh", "-c", kUntilGo}, [&](pid_t) {
        other = run({"attach", "--job", number() + ".5:" + LANESCOPE_BINARY}, slurm(running()));
        looking = std::thread([&] {
          look = run({"attach", "--job", number() + ".1", "--record", "here.lanescope"}, slurm(running()));
        });
        for (int i = 0; i < 600 && !std::filesystem::exists(folder_ / "here.lanescope"); ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
      });
  looking.join();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(look.status, 0) << look.err;
  expect_complaint(other, 2, {".5", "ranks 0 to 1"});
  EXPECT_EQ(text_of(folder_ / "here.lanescope"), text_of(folder_ / "there.lanescope"));
}

TEST_F(JobTest, ARankThatIsNotRecordedIsToldHowItCanBe) {
  Outcome look;
  with_rank_1({"attach", "--record", "there.json", "--", "sh", "-c", kUntilGo}, [&](pid_t) {
    look = run({"attach", "--job", number() + ".1", "--record", "here.lanescope"}, slurm(running()));
  });
  expect_complaint(look, 1, {"rank 1", "not being recorded", "--pid", "srun lanescope attach --record DIR/"});
}

TEST_F(JobTest, MistakesAreOneLine) {
  const auto looked = [&](const std::string& job, const Surroundings& s) {
    return run({"attach", "--job", job, "--record", "r.lanescope"}, s);
  };
  for (const char* wrong : {"x", "1234.", "1234.x", "1234.-1", ".3", "12;34", ""})
    expect_complaint(looked(wrong, slurm("")), 2, {"--job"});
  expect_complaint(looked("99", slurm("slurm_load_jobs error: Invalid job id specified\n", 1)), 1,
                   {"--job 99", "Invalid job id"});
  expect_complaint(looked("99", slurm("")), 1, {"no such job"});
  expect_complaint(looked("99", slurm("99 99 2 PENDING Resources\n")), 1, {"PENDING", "Resources"});
  expect_complaint(looked("99", slurm("99_1 100 1 RUNNING None\n99_2 101 1 RUNNING None\n")), 2, {"99_1, 99_2"});
  expect_complaint(looked("99.1", slurm("99 99 1 RUNNING None\n")), 2, {"no such rank", "0 to 0"});
  expect_complaint(looked("99.1:/no/lanescope", slurm("99 99 1 RUNNING None\n")), 1, {"cannot enter", "/no/lanescope"});
  expect_complaint(run({"attach", "--job", "99", "--", "true"}, slurm("")), 2, {"--job", "command"});
  expect_complaint(run({"attach", "--job", "99", "--level", "all"}, slurm("")), 2, {"--job", "--level"});
  expect_complaint(run({"attach", "--job", "99", "--record", "r.json"}, slurm("")), 2, {"--job", ".lanescope"});
  Surroundings s = slurm("99 99 1 RUNNING None\n");
  std::filesystem::remove(folder_ / "bin/srun");
  std::ofstream(folder_ / "bin/srun") << "#!/bin/sh\necho 'srun: error: Access denied' >&2\nexit 1\n";
  std::filesystem::permissions(folder_ / "bin/srun", std::filesystem::perms::owner_all);
  expect_complaint(looked("99", s), 1, {"cannot enter", "Access denied"});
  s.environment["PATH"] = "/nowhere";
  expect_complaint(looked("99", s), 1, {"squeue"});
}

// While a program is being recorded, it is found by its name, its number and its recorder's number; what is not there
// is answered with what there is.
TEST_F(ElsewhereTest, WhatIsBeingRecordedIsFound) {
  Surroundings s = network();
  std::string answer, other;
  s.watch = [&](pid_t recorder, const Outcome& so_far) {
    if (!answer.empty() || so_far.out.find("ready") == std::string::npos) return;
    answer = run({"attach", "--to", "no-such-program"}, network()).err;
    other = run({"attach", "--to", std::to_string(recorder)}, network()).err;
    std::ofstream(folder_ / "go");
  };
  const Outcome outcome =
      run({"attach", "--record", "run.lanescope", "--", "sh", "-c",
           "echo ready; for i in $(seq 600); do [ -e go ] && exit; sleep 0.05; done", "marked-word"},
          s);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(answer, AllOf(HasSubstr("'no-such-program' is not being recorded"), HasSubstr("marked-word")));
  EXPECT_THAT(other, AllOf(Not(HasSubstr("is not being recorded")), HasSubstr("DISPLAY")));
  // Other tests may be recording at the same time: then those are named instead.
  expect_complaint(run({"attach", "--to", "marked-word"}, s), 2, {"marked-word", "record"});
}

}  // namespace
}  // namespace lanescope::app::test
#endif
