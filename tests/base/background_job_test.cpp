#include "base/background_job.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

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
  job.end();
  EXPECT_FALSE(job.busy());

  job.start(until_stopped);
  job = BackgroundJob<int>();  // ends what is under way
  EXPECT_FALSE(job.busy());
}

}  // namespace
}  // namespace lanescope::base
