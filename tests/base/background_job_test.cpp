#include "base/background_job.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace lanescope::base {
namespace {

TEST(BackgroundJob, GivesItsResultOnce) {
  BackgroundJob<std::string> job;
  EXPECT_FALSE(job.busy());
  EXPECT_EQ(job.take(), std::nullopt);
  job.start([] { return std::string("done"); });
  EXPECT_TRUE(job.busy());
  job.wait();
  EXPECT_TRUE(job.ready());
  EXPECT_EQ(job.take(), "done");
  EXPECT_FALSE(job.busy());
  EXPECT_EQ(job.take(), std::nullopt);
}

TEST(BackgroundJob, ThrowsWhatTheWorkHasThrown) {
  BackgroundJob<int> job;
  job.start([]() -> int { throw std::runtime_error("no"); });
  job.wait();
  EXPECT_THROW(job.take(), std::runtime_error);
  EXPECT_FALSE(job.busy());
}

TEST(BackgroundJob, ASupersededResultIsDropped) {
  BackgroundJob<int> job;
  const auto until_stopped = [](const Stop& stop) {
    while (!stop) std::this_thread::yield();
    return 1;
  };
  job.start(until_stopped);
  job.supersede();
  job.wait();
  EXPECT_EQ(job.take(), std::nullopt);
  EXPECT_FALSE(job.busy());

  job.start(until_stopped);
  job = {};
  EXPECT_FALSE(job.busy()) << "free at once";
  job.start(until_stopped);
  job.start([] { return 2; });
  job.wait();
  EXPECT_EQ(job.take(), 2) << "the newest counts";
  await_background_works();
}

// What is left is waited for by nobody: it ends when it can, and what it owns goes with it.
TEST(BackgroundJob, WhatIsLeftKeepsWhatItReads) {
  auto read = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = read;
  std::promise<void> gate;
  std::promise<std::pair<int, bool>> saw;
  {
    BackgroundJob<int> job;
    job.start([read = std::move(read), gate = gate.get_future().share(), &saw](const Stop& stop) {
      gate.wait();
      saw.set_value({*read, stop});
      return *read;
    });
    job.leave();
    EXPECT_FALSE(job.busy());
    EXPECT_FALSE(watched.expired());
    job.start([] { return 1; });  // not behind it
    job.wait();
    EXPECT_EQ(job.take(), 1);
  }
  gate.set_value();
  EXPECT_EQ(saw.get_future().get(), std::pair(7, true));
  await_background_works();
  EXPECT_TRUE(watched.expired());
}

// Also where the job is still asked: the thread that takes the result does not free what the work has read.
TEST(BackgroundJob, TheWorkFreesWhatItOwns) {
  const auto read = std::make_shared<int>(7);
  BackgroundJob<int> job;
  job.start([read] { return *read; });
  job.wait();
  EXPECT_EQ(read.use_count(), 1);
  EXPECT_EQ(job.take(), 7);
}

}  // namespace
}  // namespace lanescope::base
