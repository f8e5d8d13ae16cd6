// The kernels themselves, run on the host: every op against its reference, with the threads of a block in several
// orders, and with fewer blocks than usual, so that the stride loops are used.
#include "gpu/host/emulated_cuda.h"
//
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

#include "cuda_backend/dispatch.h"
#include "gpu/op_case.h"

namespace lanescope::cuda_backend {
namespace {

using device::cuda::Api;
using emulated::Order;
using gpu_test::OpCase;
using gpu_test::Values;

struct HostLauncher {
  unsigned max_blocks;
  Order order;

  template <class... Parameters, class... Arguments>
  int operator()(void (*kernel)(Parameters...), const Grid& grid, const Arguments&... arguments) const {
    const std::tuple<Parameters...> values{static_cast<Parameters>(arguments)...};
    const auto body = [&] { std::apply(kernel, values); };
    const bool done =
        emulated::run({std::min(grid.blocks, max_blocks), 1}, {grid.threads_x, grid.threads_y}, order, body);
    return done ? 0 : 719;  // cudaErrorLaunchFailure
  }
};

struct Way {
  unsigned max_blocks;
  Order order;
  unsigned mean_slot;
};

std::string result_of(const OpCase& c, const Way& way) {
  std::vector<Values> after = c.before;
  std::vector<Api::Arg> args;
  for (Values& values : after) args.push_back({values.data(), values.size()});
  const int status = dispatch(c.op, args, way.mean_slot, HostLauncher{way.max_blocks, way.order});
  if (status != 0) return gpu_test::describe(c.op) + ": status " + std::to_string(status);
  return gpu_test::disagreement(c, after);
}

class Kernels : public testing::TestWithParam<int> {};

TEST_P(Kernels, AgreeWithTheReference) {
  const Way ways[] = {{1u << 30, Order::Forward, 3},
                      {1u << 30, Order::Backward, 63},
                      {2, Order::Shuffled, 0},
                      {1, Order::Forward, kNoMeanSlot}};
  int cases = 0;
  for (const ops::Op& op : gpu_test::shapes_to_test(200'000)) {
    if (op.kind != static_cast<ops::OpKind>(GetParam())) continue;
    const OpCase c = gpu_test::make_case(op, static_cast<std::uint32_t>(++cases));
    for (const Way& way : ways) ASSERT_EQ(result_of(c, way), "");
  }
  EXPECT_GE(cases, 10);
}

INSTANTIATE_TEST_SUITE_P(OfEveryOp, Kernels, testing::Range(0, static_cast<int>(ops::OpKind::Spin)),
                         [](const auto& kind) {
                           return std::string(ops::kernel_name(static_cast<ops::OpKind>(kind.param)));
                         });

TEST(Kernel, OfSgdStepUpdatesUpToFourPairs) {
  for (const std::vector<std::size_t>& pairs :
       {std::vector<std::size_t>{1}, {3, 1}, {256, 1, 255}, {100, 1, 3000, 7}, {1, 1, 1, 1}}) {
    const auto total = std::accumulate(pairs.begin(), pairs.end(), std::size_t{0});
    const OpCase c = gpu_test::make_case({ops::OpKind::SgdStep, static_cast<int>(total), 1, 1, 0.1f}, 5, pairs);
    EXPECT_EQ(result_of(c, {1u << 30, Order::Forward, 0}), "");
    EXPECT_EQ(result_of(c, {1, Order::Forward, 0}), "");
  }
}

// The slot must be left unchanged, or the second mean would never be finished; its value must not depend on which block
// comes last.
TEST(Kernel, OfMeanReduceLeavesItsSlotClean) {
  for (const ops::OpKind kind : {ops::OpKind::MeanReduce, ops::OpKind::SumReduce}) {
    const OpCase c = gpu_test::make_case({kind, 100, 1000}, 9);
    Values results;
    for (const Order order : {Order::Forward, Order::Backward, Order::Shuffled, Order::Shuffled}) {
      Values x = c.before[0], result{0};
      const std::vector<Api::Arg> args{{x.data(), x.size()}, {result.data(), 1}};
      ASSERT_GT(grid_of_mean(100'000, 7).blocks, 1u);
      ASSERT_EQ(dispatch(c.op, args, 7, HostLauncher{1u << 30, order}), 0);
      EXPECT_EQ(mean_slots[7].done, 0u);
      results.push_back(result[0]);
    }
    EXPECT_EQ(results, Values(4, results[0]));
  }
}

TEST(Kernel, OfScaleWorksInPlace) {
  Values x{1, -2, 3, NAN};
  const std::vector<Api::Arg> args{{x.data(), 4}, {x.data(), 4}};
  ASSERT_EQ(dispatch({ops::OpKind::Scale, 4, 1, 1, 0.5f}, args, 0, HostLauncher{1, Order::Forward}), 0);
  EXPECT_EQ(Values(x.begin(), x.end() - 1), (Values{0.5f, -1, 1.5f}));
  EXPECT_TRUE(std::isnan(x[3]));
  Values greater(4, 9);  // NaN is greater than nothing
  const std::vector<Api::Arg> compared{{x.data(), 4}, {greater.data(), 4}};
  ASSERT_EQ(dispatch({ops::OpKind::CompareGreater, 4, 1, 1, 0.5f}, compared, 0, HostLauncher{1, Order::Forward}), 0);
  EXPECT_EQ(greater, (Values{0, 0, 1, 0}));
}

TEST(Kernel, OfReluKeepsNotANumber) {
  Values x{NAN, -1, -0.0f, 2}, out(4);
  const std::vector<Api::Arg> args{{x.data(), 4}, {out.data(), 4}};
  ASSERT_EQ(dispatch({ops::OpKind::ReluForward, 4}, args, 0, HostLauncher{1, Order::Forward}), 0);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[3], 2);
}

// An invalid target causes no out-of-range read: the loss is NaN, the gradient of that row zero.
TEST(Kernel, OfNllLossShowsATargetThatIsNoClass) {
  for (const float bad : {3.0f, -1.0f, 0.5f, NAN, 1e30f}) {
    Values x{1, 2, 3, 4, 5, 6}, target{1, bad}, loss{0}, dx(6, 9);
    const std::vector<Api::Arg> forward{{x.data(), 6}, {target.data(), 2}, {loss.data(), 1}};
    ASSERT_EQ(dispatch({ops::OpKind::NllLossForward, 2, 3}, forward, 0, HostLauncher{1, Order::Forward}), 0);
    EXPECT_TRUE(std::isnan(loss[0]));
    loss[0] = 1;
    const std::vector<Api::Arg> backward{{loss.data(), 1}, {target.data(), 2}, {dx.data(), 6}};
    ASSERT_EQ(dispatch({ops::OpKind::NllLossBackward, 2, 3}, backward, 0, HostLauncher{1, Order::Forward}), 0);
    EXPECT_EQ(dx, (Values{0, -0.5f, 0, 0, 0, 0}));
  }
}

TEST(Dispatch, RefusesTooFewArguments) {
  for (int kind = 0; kind <= static_cast<int>(ops::OpKind::Spin); ++kind) {
    EXPECT_EQ(dispatch({static_cast<ops::OpKind>(kind)}, {}, 0, HostLauncher{1, Order::Forward}), kInvalidValue);
  }
}

// The limits of a GPU: 1,024 threads per block and 2^31 - 1 blocks.
TEST(Grid, IsLegalForTheLargestShapes) {
  const Index largest = 0x7fff'ffff;
  for (const Grid& grid :
       {grid_of_elements(largest * largest), grid_of_rows(largest, largest), grid_of_rows(largest, 1),
        grid_of_columns(largest), grid_of_tiles(largest, largest), grid_of_mean(largest, 0)}) {
    EXPECT_GE(grid.blocks, 1u);
    EXPECT_LE(grid.blocks, 0x7fff'ffffu);
    EXPECT_LE(grid.threads_x * grid.threads_y, 1024u);
  }
  EXPECT_LE(grid_of_mean(largest * 2, 0).blocks, kMeanBlocks);
  EXPECT_EQ(grid_of_mean(largest, kNoMeanSlot).blocks, 1u);
}

// The emulation itself: deadlocks are detected.
TEST(EmulatedCuda, FindsABarrierThatNotAllReach) {
  EXPECT_FALSE(emulated::run({1, 1}, {64, 1}, Order::Forward, [] {
    if (threadIdx.x < 40) __syncthreads();
  }));
  EXPECT_FALSE(emulated::run({1, 1}, {32, 1}, Order::Forward, [] {
    if (threadIdx.x != 7) __shfl_xor_sync(~0u, 1.0f, 1);
  }));
}

}  // namespace
}  // namespace lanescope::cuda_backend
