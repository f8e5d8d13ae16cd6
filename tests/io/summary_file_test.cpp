// The files of summaries: how large they are, and that nothing in them is trusted.
#include "io/summary_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "analysis/small_summary.h"
#include "base/error.h"
#include "base/random.h"

namespace lanescope::io_test {
namespace {

using analysis::JobCollective;
using analysis::JobSummary;
using analysis::OwnPart;
using analysis_test::small_summary;
using base::Nanoseconds;
using testing::HasSubstr;

TEST(SummaryFile, ComesBack) {
  const JobSummary summary = small_summary();
  analysis_test::expect_same(io::unpacked_summary(io::packed_summary(summary), "x"), summary);
}

// 2,000 collectives with all that can be said of them, 500 iterations, 10 places with the longest names.
TEST(SummaryFile, FitsIntoFortyKilobytes) {
  base::Random random(1);
  JobSummary summary = small_summary();
  summary.collectives.clear();
  summary.iterations.clear();
  for (int i = 0; i < 20; ++i)
    summary.causes.push_back({OwnPart::Kernels, std::string(256, static_cast<char>('a' + i)), 1, 1});
  summary.causes.resize(20);
  Nanoseconds at = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto some = [&](std::uint64_t most) { return static_cast<std::uint32_t>(random.next() % most); };
    JobCollective one{i, at += some(40'000'000), 0, static_cast<std::uint16_t>(i % 2), 0, {}};
    one.end_ns = at += some(40'000'000);
    one.before.kernels = some(3000);
    for (std::uint32_t& part : one.before.parts) part = some(300'000);
    summary.collectives.push_back(one);
    if (i % 4 == 0)
      summary.iterations.push_back({i, at, some(2'000'000), some(2'000'000), {some(9999), some(9999), 1, 1, 1, 1}});
  }
  const std::string bytes = io::packed_summary(summary);
  EXPECT_LE(bytes.size(), analysis::kMostSummaryBytes);
  EXPECT_GE(bytes.size(), analysis::kMostSummaryBytes / 4);  // as much as fits is kept
  EXPECT_GE(io::unpacked_summary(bytes, "x").collectives.size(), 500u);
}

TEST(SummaryFile, TrustsNothingInItsFile) {
  const std::string good = io::packed_summary(small_summary());
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_THROW(io::unpacked_summary(good.substr(0, i), "x"), base::FileError) << i;
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    EXPECT_THROW(io::unpacked_summary(bad, "x"), base::FileError) << i;
  }
  std::string claims = good;
  claims[12] = claims[13] = claims[14] = claims[15] = '\x7f';  // bytes unpacked
  try {
    io::unpacked_summary(claims, "rank3.summary");
    FAIL();
  } catch (const base::FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank3.summary: it claims"));
  }
}

TEST(SummaryFile, HasItsPlaceBesideTheRecording) {
  EXPECT_EQ(io::summary_path("job/rank0017.lanescope"), "job/rank0017.summary");
  EXPECT_EQ(io::summary_path("rank3.json.gz"), "rank3.summary");
  EXPECT_EQ(io::summary_path("job/node1.lanescope", "rank8"), "job/node1-rank8.summary");
}

}  // namespace
}  // namespace lanescope::io_test
