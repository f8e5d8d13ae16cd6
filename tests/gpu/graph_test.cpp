// CUDA graphs on a GPU: stream capture, replay, and what CUDA refuses meanwhile.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "gpu/rig.h"

namespace lanescope::gpu_test {
namespace {

using device::cuda::GraphExecHandle;
using device::cuda::GraphHandle;
using device::cuda::kSuccess;
using ops::OpKind;

constexpr Status kCaptureUnsupported = 900;  // cudaErrorStreamCaptureUnsupported
constexpr Status kCaptureInvalidated = 901;  // cudaErrorStreamCaptureInvalidated

class GraphsOnGpu : public Gpu {
 protected:
  void increment(const Memory& x, float by, StreamHandle stream) {
    const Api::Arg args[] = {{x.floats(), kCount}};
    OK(api().launch({OpKind::Increment, kCount, 1, 1, by}, args, stream));
  }
  GraphExecHandle ready(GraphHandle captured) {
    GraphExecHandle graph = nullptr;
    OK(api().graph_instantiate(&graph, captured));
    OK(api().graph_destroy(captured));
    return graph;
  }
  std::vector<float> values(const Memory& memory) {
    std::vector<float> back(kCount);
    OK(api().memcpy(back.data(), memory.data(), kCount * sizeof(float)));
    return back;
  }
  static constexpr int kCount = 1000;
};

TEST_F(GraphsOnGpu, CapturedKernelsRunWithEachReplay) {
  const StreamHandle side = new_stream();
  const Memory x(api(), kCount * sizeof(float));
  OK(api().memset_async(x.data(), 0, kCount * sizeof(float), side));
  increment(x, 0, side);  // loads the kernel, which a capture cannot
  OK(api().stream_synchronize(side));
  GraphHandle captured = nullptr;
  OK(api().begin_capture(side));
  increment(x, 1, side);
  increment(x, 2, side);
  OK(api().end_capture(&captured, side));
  const GraphExecHandle graph = ready(captured);
  EXPECT_EQ(values(x), std::vector<float>(kCount, 0)) << "captured, not run";
  for (int i = 0; i < 5; ++i) OK(api().graph_launch(graph, nullptr));
  EXPECT_EQ(values(x), std::vector<float>(kCount, 15));
  OK(api().graph_exec_destroy(graph));
}

// A matrix product through cuBLAS, and a reduction, whose scratch memory belongs to the captured stream: replayed on
// the default stream, they give what they give by themselves.
TEST_F(GraphsOnGpu, ProductsAndReductionsCanBeCaptured) {
  constexpr int kRows = 64, kColumns = 48, kInner = 80;
  const StreamHandle side = new_stream();
  const Memory x(api(), kRows * kInner * 4), w(api(), kColumns * kInner * 4), b(api(), kColumns * 4);
  const Memory out(api(), kRows * kColumns * 4), mean(api(), 4);
  const auto fill = [&](const Memory& memory, int count, float value) {
    const Api::Arg args[] = {{memory.floats(), static_cast<std::size_t>(count)}};
    OK(api().launch({OpKind::Fill, count, 1, 1, value}, args, side));
  };
  fill(x, kRows * kInner, 0.5f);
  fill(w, kColumns * kInner, 0.25f);
  fill(b, kColumns, 2);
  const auto step = [&] {
    const Api::Arg forward[] = {{x.floats(), kRows * kInner},
                                {w.floats(), kColumns * kInner},
                                {b.floats(), kColumns},
                                {out.floats(), kRows * kColumns}};
    OK(api().launch({OpKind::LinearForward, kRows, kColumns, kInner}, forward, side));
    const Api::Arg reduce[] = {{out.floats(), kRows * kColumns}, {mean.floats(), 1}};
    OK(api().launch({OpKind::MeanReduce, kRows, kColumns}, reduce, side));
  };
  step();  // warm-up: cuBLAS allocates its workspace
  OK(api().stream_synchronize(side));
  GraphHandle captured = nullptr;
  OK(api().begin_capture(side));
  step();
  OK(api().end_capture(&captured, side));
  const GraphExecHandle graph = ready(captured);
  fill(x, kRows * kInner, 1.0f);  // a new batch in the static input
  OK(api().stream_synchronize(side));
  for (int i = 0; i < 3; ++i) OK(api().graph_launch(graph, nullptr));
  float value = 0;
  OK(api().memcpy(&value, mean.data(), sizeof value));
  EXPECT_FLOAT_EQ(value, 80 * 1.0f * 0.25f + 2);
  OK(api().graph_exec_destroy(graph));
}

TEST_F(GraphsOnGpu, AWaitDuringACaptureIsRefused) {
  const StreamHandle side = new_stream();
  spin(1, side);
  OK(api().stream_synchronize(side));
  OK(api().begin_capture(side));
  EXPECT_EQ(api().stream_synchronize(side), kCaptureUnsupported);
  EXPECT_STREQ(api().error_text(kCaptureUnsupported), "operation not permitted when stream is capturing");
  GraphHandle captured = nullptr;
  EXPECT_EQ(api().end_capture(&captured, side), kCaptureInvalidated);
  (void)api().take_last_error();
  spin(1, side);  // the stream works again
  OK(api().stream_synchronize(side));
}

TEST_F(GraphsOnGpu, TheDefaultStreamIsNotCaptured) {
  EXPECT_NE(api().begin_capture(nullptr), kSuccess);
  (void)api().take_last_error();
}

}  // namespace
}  // namespace lanescope::gpu_test
