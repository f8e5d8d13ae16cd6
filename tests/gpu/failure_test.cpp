// A kernel that writes to unmapped memory: the GPU's context is lost for good, until it is reset.
#include <gtest/gtest.h>

#include "cuda_backend/checks.h"
#include "gpu/rig.h"

namespace lanescope::gpu_test {
namespace {

constexpr Status kIllegalAddress = 700, kDevicesUnavailable = 46;

class FailureOnGpu : public Gpu {
 protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped()) return;
    fault_ = reinterpret_cast<cuda_backend::FaultFunction>(exported(cuda_backend::kFaultSymbol));
    ASSERT_NE(fault_, nullptr);
  }
  cuda_backend::FaultFunction fault_ = nullptr;
};

TEST_F(FailureOnGpu, ResetOfAHealthyDeviceKeepsItUsable) {
  EXPECT_EQ(result_of(api(), make_case({ops::OpKind::LinearForward, 16, 10, 4}, 1)), "");
  OK(api().reset());
  EXPECT_EQ(result_of(api(), make_case({ops::OpKind::LinearForward, 16, 10, 4}, 1)), "");
}

// The process may not get the GPU back afterwards, so no other test can run in it.
TEST_F(FailureOnGpu, IsStickyUntilTheDeviceIsReset) {
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 1)
    GTEST_SKIP() << "runs alone: --gtest_filter=FailureOnGpu.IsStickyUntilTheDeviceIsReset";
  for (int round = 0; round < 2; ++round) {
    // With a cuBLAS handle, streams and memory, which are all lost by the failure.
    EXPECT_EQ(result_of(api(), make_case({ops::OpKind::LinearForward, 16, 10, 4}, 1)), "") << round;
    EXPECT_EQ(result_of(api(), make_case({ops::OpKind::MeanReduce, 1000, 100}, 1)), "") << round;
    const std::string provider = api().gemm_provider();
    void* memory = nullptr;
    OK(api().malloc(&memory, 1024));
    StreamHandle stream = nullptr;
    OK(api().stream_create(&stream, true));

    EXPECT_EQ(fault_(), 0) << "the launch itself succeeds";
    const Status status = api().device_synchronize();
    EXPECT_EQ(status, kIllegalAddress);
    EXPECT_STREQ(api().error_name(status), "cudaErrorIllegalAddress");
    EXPECT_STREQ(api().error_text(status), "an illegal memory access was encountered");

    // Reading the error does not repair it.
    api().take_last_error();
    EXPECT_EQ(api().stream_synchronize(stream), kIllegalAddress);
    void* more = nullptr;
    EXPECT_EQ(api().malloc(&more, 1024), kIllegalAddress);
    EXPECT_EQ(api().free(memory), kIllegalAddress);
    float out = 0;
    EXPECT_EQ(api().memcpy(&out, memory, 4), kIllegalAddress);
    EXPECT_EQ(api().launch({ops::OpKind::Spin, 1, 1, 1, 1}, {}, nullptr), kIllegalAddress);
    float* f = static_cast<float*>(memory);
    const Api::Arg args[] = {{f, 1}, {f, 1}, {f, 1}, {f, 1}};
    EXPECT_EQ(api().launch({ops::OpKind::LinearForward}, args, nullptr), kIllegalAddress);
    EXPECT_EQ(api().gemm_provider(), provider) << "cuBLAS is not blamed";

    // Some drivers make the GPU usable again for the process, others never do; CudaDevice says so and suggests what to
    // do.
    if (const Status after = api().reset(); after != 0) {
      EXPECT_EQ(after, kDevicesUnavailable);
      lost_for_good();
      GTEST_SKIP() << "this driver does not give the GPU back: " << api().error_text(after);
    }
    EXPECT_EQ(api().take_last_error(), 0);
    OK(api().device_synchronize());
  }
  EXPECT_EQ(result_of(api(), make_case({ops::OpKind::ReluForward, 1000}, 1)), "");
  EXPECT_EQ(result_of(api(), make_case({ops::OpKind::LinearForward, 128, 100, 100}, 1)), "");
  EXPECT_EQ(result_of(api(), make_case({ops::OpKind::MeanReduce, 1000, 100}, 1)), "");
}

}  // namespace
}  // namespace lanescope::gpu_test
