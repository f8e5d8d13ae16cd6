// A session file that is followed while it is written: nothing is seen before it is whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "io/session_file.h"
#include "scratch.h"
#include "sessions.h"
#include "traces.h"

namespace lanescope::io {
namespace {

using testing::HasSubstr;

struct FollowedSession : Scratch {};

// What a follower has after each step is what the writer's trace has.
TEST_F(FollowedSession, IsFollowedWhileItGrows) {
  trace::Trace trace;
  SessionWriter writer(file("live.lanescope"), trace);
  SessionFollower follower(file("live.lanescope"), std::size_t{1} << 30);
  EXPECT_FALSE(follower.read()) << "it has only its head";
  const trace::CaptureHealth health = some_health();
  for (std::uint32_t step = 1; step < 8; ++step) {
    fill_randomly(trace, step, 4);
    if (step == 1) note_some_sites(trace);  // notes ascend in time
    if (step == 2) trace.begin_recorded(5, trace.extent().second);
    trace.set_complete_until(trace.extent().second);
    if (step == 3) trace.count_dropped(10);
    if (step == 5) trace.count_dropped(7);
    writer.append(full_facts(), &health);
    EXPECT_FALSE(follower.ended());
    EXPECT_TRUE(follower.read());
    EXPECT_FALSE(follower.read()) << "nothing has been added";
    expect_same_rows(trace, follower.trace());
    expect_same_sites(trace, follower.trace());
    EXPECT_EQ(follower.trace().complete_until(), trace.complete_until());
    EXPECT_EQ(follower.trace().counts().dropped, trace.counts().dropped);
    EXPECT_EQ(intervals_of(trace, 5), intervals_of(follower.trace(), 5));
  }
  writer.finish(full_facts());
  EXPECT_TRUE(follower.read());
  EXPECT_TRUE(follower.ended());
  EXPECT_EQ(follower.facts(), full_facts());
  ASSERT_TRUE(follower.health());
  EXPECT_EQ(follower.health()->reason, "no records of graphs");
}

// A copy of the file arrives in pieces of any size, as over a network.
TEST_F(FollowedSession, IsFollowedHoweverItArrives) {
  trace::Trace trace;
  SessionWriter writer(file("whole.lanescope"), trace);
  for (std::uint32_t step = 1; step < 5; ++step) {
    fill_randomly(trace, step, 4);
    writer.append(full_facts());
  }
  writer.finish(full_facts());
  const std::string bytes = read_bytes(file("whole.lanescope"));
  std::mt19937 random(3);
  std::ofstream copy(file("copy.lanescope"), std::ios::binary);
  SessionFollower follower(file("copy.lanescope"), std::size_t{1} << 30);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t some = std::min<std::size_t>(bytes.size() - at, 1 + random() % 300);
    copy.write(bytes.data() + at, static_cast<std::streamsize>(some)).flush();
    at += some;
    EXPECT_EQ(follower.ended(), false);
    follower.read();
  }
  EXPECT_TRUE(follower.ended());
  expect_same_rows(trace, follower.trace());
}

TEST_F(FollowedSession, AFollowerStopsWhereTheFileIsDamaged) {
  std::string bytes = small_file(file("small.lanescope"));
  bytes[bytes.size() / 2] ^= 0x10;
  std::ofstream(file("damaged.lanescope"), std::ios::binary) << bytes;
  SessionFollower follower(file("damaged.lanescope"), std::size_t{1} << 30);
  EXPECT_THAT(error_of([&] { follower.read(); }), HasSubstr("damaged.lanescope: damaged: chunk "));
  EXPECT_GT(follower.trace().counts().recorded, 0u);
  EXPECT_THAT(error_of([&] { SessionFollower(file("none.lanescope"), 0); }), HasSubstr("none.lanescope: cannot read"));
}

}  // namespace
}  // namespace lanescope::io
