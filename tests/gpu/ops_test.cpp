// Every op on the GPU against its host reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/rig.h"
#include "gpu/scratch.h"

namespace lanescope::gpu_test {
namespace {

using ops::OpKind;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double kMostWork = 2e8;

class OpOnGpu : public Gpu, public testing::WithParamInterface<int> {
 protected:
  void expect_all_shapes_agree(Api& on) {
    std::uint32_t seed = 0;
    for (const ops::Op& op : shapes_to_test(kMostWork)) {
      if (op.kind != static_cast<OpKind>(GetParam())) continue;
      EXPECT_EQ(result_of(on, make_case(op, ++seed)), "") << on.gemm_provider();
    }
    EXPECT_GE(seed, 15u);
  }
};
std::string name_of(const testing::TestParamInfo<int>& kind) {
  return std::string(ops::kernel_name(static_cast<OpKind>(kind.param)));
}

TEST_P(OpOnGpu, AgreesWithTheReference) { expect_all_shapes_agree(api()); }
INSTANTIATE_TEST_SUITE_P(All, OpOnGpu, testing::Range(0, static_cast<int>(OpKind::Spin)), name_of);

class ProductOnGpu : public OpOnGpu {};

TEST_P(ProductOnGpu, AgreesWithoutCublas) {
  const Variable off("LANESCOPE_CUBLAS", "off");
  const auto own = open_again();
  ASSERT_NE(own, nullptr);
  expect_all_shapes_agree(*own);
  EXPECT_STREQ(own->gemm_provider(), "own kernel (LANESCOPE_CUBLAS is off)");
}
INSTANTIATE_TEST_SUITE_P(All, ProductOnGpu, testing::Range(0, 3), name_of);

class OpsOnGpu : public Gpu {};

TEST_F(OpsOnGpu, SgdStepUpdatesUpToFourPairs) {
  for (const std::vector<std::size_t>& pairs :
       {std::vector<std::size_t>{1}, {3, 1}, {256, 1, 255}, {100, 1, 300'000, 7}, {1'000'000, 1000, 1, 1}}) {
    const auto total = std::accumulate(pairs.begin(), pairs.end(), std::size_t{0});
    EXPECT_EQ(result_of(api(), make_case({OpKind::SgdStep, static_cast<int>(total), 1, 1, 0.1f}, 5, pairs)), "");
  }
}

// Matrix products on streams in turn: cuBLAS is given the stream and a workspace of its own for each.
TEST_F(OpsOnGpu, RunOnTheStreamThatIsNamed) {
  const StreamHandle streams[] = {new_stream(), new_stream(false), nullptr, new_stream()};
  for (int round = 0; round < 3; ++round) {
    for (StreamHandle stream : streams) {
      for (const ops::Op& op : {ops::Op{OpKind::LinearForward, 70, 33, 129}, ops::Op{OpKind::MeanReduce, 300, 1000}}) {
        EXPECT_EQ(result_of(api(), make_case(op, 3), stream), "");
      }
    }
  }
}

TEST_F(OpsOnGpu, SayWhatMultipliesMatrices) {
  const std::string provider = api().gemm_provider();
  EXPECT_THAT(provider, testing::AnyOf(testing::MatchesRegex("cuBLAS 1[0-9]\\.[0-9]+"), StartsWith("own kernel (")));
  RecordProperty("gemm_provider", provider);
  EXPECT_EQ(result_of(api(), make_case({OpKind::LinearForward, 128, 1000, 1000}, 1)), "");
  EXPECT_EQ(api().gemm_provider(), provider) << "cuBLAS was found, but failed";

  const Variable missing("LANESCOPE_CUBLAS", "/no/such/libcublas.so.13");
  const auto own = open_again();
  EXPECT_THAT(own->gemm_provider(), HasSubstr("/no/such/libcublas.so.13: the file does not exist"));
  EXPECT_EQ(result_of(*own, make_case({OpKind::LinearForward, 3, 4, 5}, 1)), "");
}

// Means that run at the same time on several streams do not disturb one another, and are the same to the last bit; each
// goes to a place of its own, as the losses of a window do.
TEST_F(OpsOnGpu, MeansOfSeveralStreamsAtOnce) {
  constexpr int kStreams = 8, kRounds = 50;
  const OpCase c = make_case({OpKind::MeanReduce, 1000, 1000}, 11);
  const Memory x(api(), c.before[0].size() * 4), means(api(), kStreams * kRounds * 4);
  OK(api().memcpy(x.data(), c.before[0].data(), c.before[0].size() * 4));
  std::vector<StreamHandle> streams;
  for (int i = 0; i < kStreams; ++i) streams.push_back(new_stream());
  ops::Op op = c.op;
  for (int i = 0; i < kStreams * kRounds; ++i) {
    const Api::Arg args[] = {{x.floats(), c.before[0].size()}, {means.floats(), kStreams * kRounds}};
    op.k = i + 1;
    OK(api().launch(op, args, streams[static_cast<std::size_t>(i % kStreams)]));
  }
  OK(api().device_synchronize());
  Values got(kStreams * kRounds);
  OK(api().memcpy(got.data(), means.data(), got.size() * 4));
  EXPECT_EQ(got, Values(got.size(), got[0]));
  EXPECT_EQ(disagreement(c, {c.before[0], {got[0]}}), "");
}

// `x = x / 2` of the while loop, in place.
TEST_F(OpsOnGpu, ScaleInPlace) {
  const Memory x(api(), 100'000 * 4);
  const Api::Arg args[] = {{x.floats(), 100'000}, {x.floats(), 100'000}};
  OK(api().launch({OpKind::Fill, 100, 1000, 1, 3.0f}, args, nullptr));
  for (int i = 0; i < 3; ++i) OK(api().launch({OpKind::Scale, 100, 1000, 1, 0.5f}, args, nullptr));
  Values got(100'000);
  OK(api().memcpy(got.data(), x.data(), got.size() * 4));
  EXPECT_EQ(got, Values(got.size(), 0.375f));
}

// 2^31 elements and some: 32 bits would not count them.
TEST_F(OpsOnGpu, CountBeyond31Bits) {
  const std::int32_t m = 65'536, n = 32'769;
  const std::size_t count = std::size_t{65'536} * 32'769;
  if (library().backend->gpus()[0].memory_bytes < count * 4 + (std::size_t{2} << 30)) {
    GTEST_SKIP() << "the GPU has too little memory";
  }
  const Memory x(api(), count * 4), mean(api(), 4);
  ASSERT_NE(x.data(), nullptr);
  const Api::Arg args[] = {{x.floats(), count}, {mean.floats(), 1}};
  OK(api().launch({OpKind::Fill, m, n, 1, 0.5f}, args, nullptr));
  OK(api().launch({OpKind::MeanReduce, m, n}, args, nullptr));
  float result = 0;
  OK(api().memcpy(&result, mean.data(), 4));
  EXPECT_EQ(result, 0.5f);
  Values tail(70'000);
  OK(api().memcpy(tail.data(), x.floats() + count - tail.size(), tail.size() * 4));
  EXPECT_EQ(tail, Values(tail.size(), 0.5f));
}

TEST_F(OpsOnGpu, SpinLastsAtLeastWhatIsAsked) {
  spin(1, nullptr);  // loads the kernel
  OK(api().device_synchronize());
  for (const float us : {0.0f, 100.0f, 2000.0f, 20'000.0f}) {
    const std::int64_t before = now_ns();
    spin(us, nullptr);
    OK(api().stream_synchronize(nullptr));
    const double lasted_us = static_cast<double>(now_ns() - before) / 1e3;
    EXPECT_GE(lasted_us, us);
    EXPECT_LE(lasted_us, us + 20'000) << "far more than was asked";
  }
}

TEST_F(OpsOnGpu, RefuseTooFewArguments) {
  EXPECT_EQ(api().launch({OpKind::ReluForward, 4}, {}, nullptr), 1);  // cudaErrorInvalidValue
  EXPECT_STREQ(api().error_name(1), "cudaErrorInvalidValue");
  EXPECT_EQ(api().launch({OpKind::LinearForward, 4}, {}, nullptr), 1);
}

}  // namespace
}  // namespace lanescope::gpu_test
