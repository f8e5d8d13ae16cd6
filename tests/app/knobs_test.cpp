// `lanescope attach --knobs` and `--try`.
#ifdef LANESCOPE_FAKES
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class KnobsTest : public ProgramTest {
 protected:
  /// Plays its library itself: one of its knobs is 1.25 times as fast, to the nanosecond.
  static std::vector<std::string> program() {
    return {LANESCOPE_PYTHON, std::string(LANESCOPE_SOURCE_DIR) + "/tests/inject/plays_knobs.py"};
  }
  Outcome attach(std::vector<std::string> options, const std::vector<std::string>& command) const {
    options.insert(options.begin(), "attach");
    options.emplace_back("--");
    options.insert(options.end(), command.begin(), command.end());
    return run(options);
  }
};

TEST_F(KnobsTest, TrialsAreMadeOneAfterAnotherAndTheProgramGoesOnAlone) {
  const Outcome outcome = attach({"--try", "list", "--try", "read-late:train.py:58", "--try", "log_interval=100",
                                  "--try", "read-every=10", "--try", "pinned", "--try", "non-blocking:train.py:31"},
                                 program());
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, "goes on alone with knobs 1\n");
  EXPECT_EQ(outcome.err,
            "lanescope: non_blocking:train.py:31\n"
            "lanescope: read-late:train.py:58: The log is one step late.\n"
            "lanescope: read-every=N:train.py:61: cannot be turned. The value decides at train.py:62.\n"
            "lanescope: log_interval=VALUE, now 10\n"
            "lanescope: read-late:train.py:58: 1.25 to 1.25 times as fast, 1,408 iterations; 704 values in the log are "
            "those of the iteration before\n"
            "lanescope: log_interval=100: no difference above 0.1 %, 6,400 iterations\n"
            "lanescope: read-every=10: The value decides at train.py:62.\n"
            "lanescope: pinned: the program has no such knob; it has: non_blocking:train.py:31, read-late:train.py:58, "
            "read-every=N:train.py:61, log_interval=VALUE\n"
            "lanescope: non_blocking:train.py:31: no difference above 0.1 %, 1,408 iterations\n");
}

// With the library and its knobs.py: a backward pass takes 100 us of the GPU's time, a read 50 us. So an iteration
// takes 150 us, and with one read in ten 105 us.
TEST_F(KnobsTest, AProgramIsMeasuredWithItsKnobsTurnedAndIsAsBeforeAfterwards) {
  const std::string fakes = std::string(LANESCOPE_SOURCE_DIR) + "/tests/inject";
  std::ofstream(folder_ / "loop.py") << R"(import os
import fake_gpu as gpu
gpu.init()
import torch

before = dict(vars(torch.Tensor))
log_interval = 1
loss = torch.tensor(0.5, "cuda")

def as_before(): return dict(vars(torch.Tensor)) == before

def train(log):
    number = 0
    while not os.path.exists("enough") or not as_before():
        gpu.memcpy(gpu.H2D, 1 << 16, 10, gpu.STREAM, 0)
        gpu.launch("gemm", 40, gpu.STREAM)
        loss.backward()
        gpu.sync(gpu.STREAM)
        if number % log_interval == 0:
            print(loss.item(), file=log)
        number += 1

with open("log.txt", "w") as log:
    train(log)
print("log_interval", log_interval)
)";
  Surroundings there;
  there.environment["FAKE_GPU_LIBRARIES"] = LANESCOPE_FAKES;
  there.environment["PYTHONPATH"] = fakes + ":" + fakes + "/fake_torch";
  there.environment["LANESCOPE_CUPTI"] = std::string(LANESCOPE_FAKES) + "/libcupti.so.13";
  there.watch = [&](pid_t, const Outcome& so_far) {
    if (so_far.err.find("log_interval=10: ") != std::string::npos) std::ofstream(folder_ / "enough");
  };
  const Outcome outcome = run(
      {"attach", "--try", "read-every=10:loop.py:20", "--try", "log_interval=10", "--", LANESCOPE_PYTHON, "loop.py"},
      there);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "log_interval 1\n");
  EXPECT_THAT(
      outcome.err,
      AllOf(HasSubstr("lanescope: read-every=10:loop.py:20: 1.42 to 1.43 times as fast, "),
            HasSubstr("values in the log are older ones\nlanescope: log_interval=10: 1.42 to 1.43 times as fast, ")));
}

TEST_F(KnobsTest, TrialsCanBeRecorded) {
  std::vector<std::string> command = program();
  command.emplace_back("once");
  const Outcome outcome = attach({"--record", "run.lanescope", "--try", "non_blocking"}, command);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "lanescope: non_blocking: no difference above 0.1 %, 1,408 iterations\n"
            "lanescope: The program ended (exit status 0) without a call to the GPU.\n");
  EXPECT_GT(std::filesystem::file_size(folder_ / "run.lanescope"), 0u);
}

TEST_F(KnobsTest, AProgramThatEndsBeforeItsLoopIsKnownIsNotTried) {
  const Outcome outcome = attach({"--try", "pinned"}, {"sh", "-c", "exit 7"});
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.err, "lanescope: the program ended before its knobs could be tried\n");
}

TEST_F(KnobsTest, WhatCannotBeAskedIsRefused) {
  expect_complaint(attach({"--try", "faster:x"}, {"true"}), 2,
                   {"'faster:x'", "list, non_blocking[:PLACE]", "read-every=N[:PLACE]", "NAME=VALUE"});
  expect_complaint(attach({"--try", "read-every:train.py:58"}, {"true"}), 2, {"'read-every:train.py:58'"});
  expect_complaint(attach({"--knobs", "--record", "run.lanescope"}, {"true"}), 2, {"--knobs", "--try"});
  expect_complaint(attach({"--knobs", "--host", "node"}, {"true"}), 2, {"--knobs", "--host"});
  expect_complaint(attach({"--try", "pinned", "--host", "node"}, {"true"}), 2, {"--try", "--host"});
  expect_complaint(attach({"--try", "pinned", "--theme", "dark"}, {"true"}), 2, {"--try", "--theme"});
  expect_complaint(run({"attach", "--to", "train.py", "--knobs"}), 2, {"--to", "--knobs"});
  expect_complaint(run({"attach", "--to", "train.py", "--try", "pinned"}), 2, {"--to", "--try"});
  expect_complaint(run({"attach", "--try", "pinned"}), 2, {"command"});
}

TEST_F(KnobsTest, TheHelpSaysThatTheProgramIsChanged) {
  EXPECT_THAT(run({"attach", "--help"}).out,
              AllOf(HasSubstr("--knobs"), HasSubstr("changes the program"), HasSubstr("--try KNOB")));
}

}  // namespace
}  // namespace lanescope::app::test
#endif
