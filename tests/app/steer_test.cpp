// `lanescope attach --steer`: how much is recorded is changed while a real recorder records a real program.
#ifdef LANESCOPE_FAKES
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/program.h"

namespace lanescope::app::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SteerTest : public ProgramTest {
 protected:
  SteerTest() {
    // The recorder's socket has a place of its own.
    std::filesystem::create_directories(folder_ / "runtime");
    there_.environment["XDG_RUNTIME_DIR"] = (folder_ / "runtime").string();
    there_.environment["FAKE_GPU_LIBRARIES"] = LANESCOPE_FAKES;
    there_.environment["PYTHONPATH"] = std::string(LANESCOPE_SOURCE_DIR) + "/tests/inject";
    there_.environment["LANESCOPE_CUPTI"] = std::string(LANESCOPE_FAKES) + "/libcupti.so.13";
  }
  Outcome steer(pid_t recorder, std::vector<std::string> options = {}) const {
    std::vector<std::string> arguments{"attach", "--steer", std::to_string(recorder)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run(arguments);
  }
  /// Of a program that goes on until it is ended.
  Outcome record(const std::vector<std::string>& options) const {
    std::vector<std::string> arguments{"attach", "--record", "run.lanescope"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    for (const std::string& word :
         {std::string("--"), std::string(LANESCOPE_PYTHON),
          std::string(LANESCOPE_SOURCE_DIR) + "/tests/inject/train.py", std::string("--iterations"),
          std::string("1000000"), std::string("--loader-us"), std::string("500")}) {
      arguments.push_back(word);
    }
    return run(arguments, there_);
  }

  Surroundings there_;
};

TEST_F(SteerTest, WhatIsRecordedIsChangedAndSaid) {
  std::string before, loop, chosen, by_itself, share, longer, after;
  there_.watch = [&](pid_t recorder, const Outcome&) {
    if (!after.empty()) return;
    if (before.empty()) {
      const Outcome state = steer(recorder);
      if (state.status == 0 && state.out.find("iterations by train.py:") != std::string::npos) before = state.out;
      return;  // until its loop has been found
    }
    const std::size_t at = before.find("train.py:", before.find("iterations by"));
    loop = before.substr(at, before.find(' ', at) - at);
    chosen = steer(recorder, {"--loop", loop}).out;
    by_itself = steer(recorder, {"--loop", "auto"}).out;
    share = steer(recorder, {"--level", "acquire", "--share", "25", "--no-launch-lines"}).out;
    longer = steer(recorder, {"--record-for", "100"}).out;
    after = steer(recorder, {"--level", "calls", "--launch-lines"}).out;
    ::kill(recorder, SIGTERM);
  };
  const Outcome outcome = record({"--level", "acquire", "--share", "1"});
  EXPECT_EQ(outcome.status, 128 + SIGTERM) << outcome.err;
  EXPECT_THAT(before, AllOf(HasSubstr("train.py"), HasSubstr("): acquire, 1 % of the time"), Not(HasSubstr("chosen"))));
  EXPECT_THAT(chosen, HasSubstr(loop + " "));
  EXPECT_THAT(chosen, HasSubstr("as chosen"));
  EXPECT_THAT(by_itself, Not(HasSubstr("chosen")));
  EXPECT_THAT(share, AllOf(HasSubstr("acquire, 25 % of the time"), HasSubstr("no lines for launches")));
  EXPECT_THAT(longer, HasSubstr("everything for another 100 s"));
  EXPECT_THAT(after,
              AllOf(HasSubstr("): calls; iterations by"), Not(HasSubstr("no lines")), Not(HasSubstr("another"))));
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 1);
}

// With `waits` no kernel is recorded, before or after.
TEST_F(SteerTest, AnotherLevelRecordsWhatWasNotRecorded) {
  bool changed = false, ended = false;
  there_.watch = [&](pid_t recorder, const Outcome&) {
    if (ended) return;
    if (!changed) {
      changed = steer(recorder, {"--level", "all"}).status == 0;
      return;
    }
    // Its loop is found among recorded calls.
    ended = steer(recorder).out.find("iterations by") != std::string::npos;
    if (ended) ::kill(recorder, SIGTERM);
  };
  EXPECT_EQ(record({"--level", "waits"}).status, 128 + SIGTERM);
  const Outcome report = run({"report", "run.lanescope", "--json", "-"});
  ASSERT_EQ(report.status, 0) << report.err;
  EXPECT_GT(nlohmann::json::parse(report.out).at("source").at("read_by_category").at("kernel"), 0);
}

TEST_F(SteerTest, MistakesAreOneLine) {
  bool there = false;
  there_.watch = [&](pid_t recorder, const Outcome&) {
    if (there) return;
    there = steer(recorder).out.find("iterations by") != std::string::npos;
    if (!there) return;
    const std::string number = std::to_string(recorder);
    expect_complaint(steer(recorder, {"--loop", "other.py:1"}), 2, {"other.py:1", "auto", "train.py:"});
    expect_complaint(steer(recorder, {"--share", "5"}), 2, {"--share", "--level acquire"});
    expect_complaint(steer(recorder, {"--record-for", "5"}), 2, {"--record-for", "--level acquire"});
    expect_complaint(run({"attach", "--steer", "no-such-program"}), 2,
                     {"--steer 'no-such-program' is not being recorded", number});
    ::kill(recorder, SIGTERM);
  };
  const Outcome outcome = record({"--level", "calls"});
  EXPECT_TRUE(there);
  EXPECT_EQ(outcome.status, 128 + SIGTERM) << outcome.err;

  expect_complaint(run({"attach", "--steer", "no-such-program"}), 2, {"--steer 'no-such-program'"});
  expect_complaint(run({"attach", "--steer", "x", "--level", "some"}), 2, {"some", "waits, acquire, calls, all"});
  expect_complaint(run({"attach", "--steer", "x", "--level", "waits", "--share", "5"}), 2, {"--share", "acquire"});
  expect_complaint(run({"attach", "--steer", "x", "--share", "101"}), 2, {"--share", "101"});
  expect_complaint(run({"attach", "--steer", "x", "--record-for", "3601"}), 2, {"--record-for", "3601"});
  expect_complaint(run({"attach", "--steer", "x", "--record-for", "-1"}), 2, {"--record-for", "-1"});
  expect_complaint(run({"attach", "--steer", "x", "--loop", ""}), 2, {"--loop"});
  expect_complaint(run({"attach", "--steer", "x", "--launch-lines", "--no-launch-lines"}), 2,
                   {"--launch-lines", "--no-launch-lines"});
  expect_complaint(run({"attach", "--steer", "x", "--relay", "--level", "all"}), 2, {"--relay", "--level"});
  expect_complaint(run({"attach", "--steer", "x", "--to", "x"}), 2, {"--steer", "--to"});
  expect_complaint(run({"attach", "--steer", "x", "--", "true"}), 2, {"--steer", "command"});
  expect_complaint(run({"attach", "--record-for", "5", "--", "true"}), 2, {"--record-for", "--steer"});
  expect_complaint(run({"attach", "--loop", "auto", "--to", "x"}), 2, {"--loop", "--steer"});
}

// What a window on another machine starts over ssh: messages go both ways, and its end is the end of its input.
TEST_F(SteerTest, WithoutARecorderTheRelayAnswersAndEndsWithItsInput) {
  const Outcome outcome = run({"attach", "--steer", "no-such-program", "--relay"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace lanescope::app::test
#endif
