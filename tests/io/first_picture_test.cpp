#include "io/reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/trace_file.h"

namespace lanescope::io {
namespace {

using base::Nanoseconds;

trace::LaneInfo named(const char* name) {
  trace::LaneInfo info;
  info.name = name;
  return info;
}

FirstPicture::Snapshot look_at(FirstPicture& picture) {
  picture.look();  // asks
  picture.show();
  return picture.look();
}

/// The time in the lane, by its bins.
double busy_ns(const FirstPicture::Lane& lane) {
  double sum = 0;
  for (const float share : lane.busy) sum += static_cast<double>(share) * static_cast<double>(lane.bin_ns);
  return sum;
}

TEST(FirstPicture, NothingIsShownUnasked) {
  FirstPicture picture;
  picture.add(0, {}, 0, 100);
  picture.show();
  EXPECT_TRUE(picture.look().lanes.empty());
  picture.show();
  EXPECT_EQ(picture.look().lanes.size(), 1u);
}

// 1024 bins of 1024 ns reach to 1,048,576. One event of 4096 from 512 on covers half of the first bin, all of the next
// three and half of the fifth. Then one at 2,000,000 doubles the bins: 1536 of the first 2048, all of the second, and
// 512 of the third.
TEST(FirstPicture, BinsGrowWithTheFile) {
  FirstPicture picture;
  picture.add(0, named("kernels"), 512, 4608);
  FirstPicture::Snapshot look = look_at(picture);
  ASSERT_EQ(look.lanes.size(), 1u);
  EXPECT_EQ(look.lanes[0].info.name, "kernels");
  EXPECT_EQ(look.from_ns, 512);
  EXPECT_EQ(look.to_ns, 4608);
  EXPECT_EQ(look.lanes[0].bin_ns, 1024);
  EXPECT_EQ(look.lanes[0].from_ns, 0);
  const auto first = [&] { return std::vector(look.lanes[0].busy.begin(), look.lanes[0].busy.begin() + 6); };
  EXPECT_THAT(first(), testing::ElementsAre(0.5f, 1, 1, 1, 0.5f, 0));
  picture.add(0, {}, 2'000'000, 2'000'001);
  look = look_at(picture);
  EXPECT_EQ(look.lanes[0].bin_ns, 2048);
  EXPECT_THAT(first(), testing::ElementsAre(0.75f, 1, 0.25f, 0, 0, 0));
  EXPECT_EQ(look.lanes[0].events, 2u);
  EXPECT_NEAR(busy_ns(look.lanes[0]), 4097, 1e-3);
}

// Events of an earlier time come later: 100 of each 1000, from 3 s back to 0. What they are busy stays 10 %, in every
// stretch.
TEST(FirstPicture, EarlierEventsMakeRoomToTheLeft) {
  FirstPicture picture;
  constexpr Nanoseconds kEvery = 1000;
  for (Nanoseconds t = 3 * base::kSecond; t > 0; t -= kEvery) picture.add(2, {}, t - kEvery, t - kEvery + 100);
  const FirstPicture::Snapshot look = look_at(picture);
  ASSERT_EQ(look.lanes.size(), 1u) << "lanes without events are not there";
  EXPECT_EQ(look.from_ns, 0);
  EXPECT_NEAR(busy_ns(look.lanes[0]), 0.3 * base::kSecond, 1000);
  const auto bins = static_cast<std::size_t>(2 * base::kSecond / look.lanes[0].bin_ns);
  for (std::size_t i = 1; i < bins; ++i) ASSERT_NEAR(look.lanes[0].busy[i], 0.1, 0.001) << i;
}

// A range of the whole file, with two others in it: the lane is busy all the time, and not more.
TEST(FirstPicture, NestedRangesAreBusyOnce) {
  FirstPicture picture;
  picture.add(0, {}, 0, 1'000'000);
  picture.add(0, {}, 100'000, 900'000);
  picture.add(0, {}, 200'000, 300'000);
  const FirstPicture::Snapshot look = look_at(picture);
  for (std::size_t i = 0; i < 976; ++i) ASSERT_EQ(look.lanes[0].busy[i], 1) << i;  // 976 * 1024 = 999,424
  EXPECT_NEAR(busy_ns(look.lanes[0]), 1'000'000, 1);
}

TEST(FirstPicture, HostileTimesAndLanesAreLeftOut) {
  FirstPicture picture;
  picture.add(0, {}, std::numeric_limits<Nanoseconds>::min(), std::numeric_limits<Nanoseconds>::max());
  picture.add(FirstPicture::kMostLanes, {}, 0, 1);
  picture.add(1, {}, -(Nanoseconds{1} << 59), Nanoseconds{1} << 61);
  for (int i = 0; i < 100; ++i) picture.add(1, {}, 0, Nanoseconds{1} << 61);
  picture.add(1, {}, 500, 400);
  const FirstPicture::Snapshot look = look_at(picture);
  ASSERT_EQ(look.lanes.size(), 1u);
  EXPECT_EQ(look.lanes[0].events, 102u);
  for (const float share : look.lanes[0].busy) ASSERT_TRUE(share >= 0 && share <= 1);
}

TEST(FirstPicture, SeveralFilesAreShownTogether) {
  FirstPicture a, b, both;
  a.add(0, named("of a"), 1000, 2000);
  b.add(0, named("of b"), 5000, 9000);
  std::vector<FirstPicture::Snapshot> looks;
  looks.push_back(look_at(a));
  looks.emplace_back();  // nothing of it has been read yet
  looks.push_back(look_at(b));
  both.show(std::move(looks));
  const FirstPicture::Snapshot look = both.look();
  ASSERT_EQ(look.lanes.size(), 2u);
  EXPECT_EQ(look.lanes[0].info.name, "of a");
  EXPECT_EQ(look.lanes[1].info.name, "of b");
  EXPECT_EQ(look.from_ns, 1000);
  EXPECT_EQ(look.to_ns, 9000);
}

// A reader fills it: two lanes, of the thread and of the stream.
TEST(FirstPicture, IsOfTheFileThatIsRead) {
  constexpr std::string_view kFile = R"({"traceEvents": [
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 0, "dur": 5,
     "args": {"correlation": 7}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 90,
     "args": {"correlation": 7, "device": 0, "stream": 7}}]})";
  ReadProgress progress;
  progress.picture.look();
  read_chrome_trace(kFile, "small", &progress);
  const FirstPicture::Snapshot look = progress.picture.look();
  ASSERT_EQ(look.lanes.size(), 2u);
  EXPECT_EQ(look.lanes[0].info.kind, trace::LaneKind::Calls);
  EXPECT_EQ(look.lanes[1].info.kind, trace::LaneKind::Kernels);
  EXPECT_NEAR(busy_ns(look.lanes[1]), 90'000, 1);
  EXPECT_EQ(look.to_ns - look.from_ns, 100'000);
}

}  // namespace
}  // namespace lanescope::io
