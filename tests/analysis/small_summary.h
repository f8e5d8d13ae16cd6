// A summary written by hand, for the tests of its bytes and of its file.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "analysis/job_summary.h"

namespace lanescope::analysis_test {

/// Four kernels of so long, and idle for the loader.
inline analysis::OwnWork worked(std::uint32_t kernels_us, std::uint32_t loader_us = 0) {
  using analysis::OwnPart;
  analysis::OwnWork work;
  work.known = true;
  work.kernels = 4;
  work[OwnPart::Kernels] = kernels_us * 10;
  work[OwnPart::Loader] = loader_us * 10;
  return work;
}

/// With everything that a summary can have.
inline analysis::JobSummary small_summary() {
  analysis::JobSummary s;
  s.who = {3, 1, 8, "job 7", "n2", "NVIDIA H200", "train.py", ""};
  s.clock = {
      "boot", 123'456'789'000, {{1'000, 1'700'000'000'000'000'000, 250'000}, {2'000, 1'700'000'000'000'001'001, 0}}};
  s.figures.iterations = 12;
  s.figures.window_ns = 1'000'000;
  s.figures.idle_ns = {1, 2, 3, 4, 5, 6};
  s.causes = {{analysis::OwnPart::Loader, "train.py:41", 5'000, 3}};
  s.iterations = {{4, -500, 1'000, 900, {0, 0, 7, 0, 0, 0}}, {5, 99'500, 1'100, 900, {}}};
  s.communicators = {{0xfedcba9876543210u, {{"AllReduce", 4096}, {"AllGather", 1}}}, {7, {{"AllReduce", 8}}}};
  s.collectives = {
      {10, -100, 2'000, 0, 1, worked(5)}, {2, 3'000, 4'000, 1, 0, {}}, {11, 9'000, 9'500, 0, 0, worked(6, 7)}};
  return s;
}

inline void expect_same(const analysis::JobSummary& a, const analysis::JobSummary& b) {
  EXPECT_EQ(a.who.rank, b.who.rank);
  EXPECT_EQ(a.who.host, b.who.host);
  EXPECT_EQ(a.who.program, b.who.program);
  EXPECT_EQ(a.clock, b.clock);
  EXPECT_EQ(a.figures, b.figures);
  EXPECT_EQ(a.causes, b.causes);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.communicators, b.communicators);
  EXPECT_EQ(a.collectives, b.collectives);
  EXPECT_EQ(a.stride, b.stride);
}

}  // namespace lanescope::analysis_test
