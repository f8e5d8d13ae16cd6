// The back end without a GPU: it reports that, and never throws.
#include <gtest/gtest.h>

#include "device/cuda/backend.h"
#include "trace/sink.h"

extern "C" lanescope::device::cuda::Backend* lanescope_cuda_backend(int abi);

namespace lanescope::device::cuda {
namespace {

class NoWriter final : public trace::EventWriter {
  void write(const trace::Event&) noexcept override {}
  void complete_until(trace::Nanoseconds) noexcept override {}
};
class NoSink final : public trace::EventSink {
  trace::LaneId lane(const trace::LaneInfo&) override { return 0; }
  trace::NameId name(std::string_view) override { return 0; }
  std::unique_ptr<trace::EventWriter> open_writer() override { return std::make_unique<NoWriter>(); }
};

TEST(BackendFunction, RefusesAnotherAbi) {
  EXPECT_NE(lanescope_cuda_backend(kBackendAbi), nullptr);
  EXPECT_EQ(lanescope_cuda_backend(kBackendAbi), lanescope_cuda_backend(kBackendAbi));
  EXPECT_EQ(lanescope_cuda_backend(kBackendAbi + 1), nullptr);
  EXPECT_EQ(lanescope_cuda_backend(0), nullptr);
}

class WithoutGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_.gpus().empty()) GTEST_SKIP() << "there is a GPU";
  }
  Backend& backend_ = *lanescope_cuda_backend(kBackendAbi);
};

TEST_F(WithoutGpu, NoneIsOpened) {
  for (const int gpu : {-1, 0, 1, 1000}) EXPECT_EQ(backend_.open(gpu), nullptr);
}

TEST_F(WithoutGpu, NothingIsCaptured) {
  EXPECT_NE(backend_.capture_problem(), "");
  NoSink sink;
  const auto capture = backend_.capture({&sink, 0, trace::CaptureLevel::All});
  ASSERT_NE(capture, nullptr);
  EXPECT_EQ(capture->health().state, trace::CaptureState::Unavailable);
  EXPECT_NE(capture->health().reason, "");
  EXPECT_TRUE(capture->open_calls().empty());
  capture->flush();
}

TEST_F(WithoutGpu, ACaptureThatIsNotAskedForIsOff) {
  NoSink sink;
  const auto capture = backend_.capture({&sink, 0, trace::CaptureLevel::None});
  EXPECT_EQ(capture->health().state, trace::CaptureState::Off);
  EXPECT_EQ(capture->health().reason, "");
}

TEST_F(WithoutGpu, ACaptureNeedsSomewhereToWriteTo) {
  EXPECT_EQ(backend_.capture({})->health().state, trace::CaptureState::Unavailable);
}

}  // namespace
}  // namespace lanescope::device::cuda
