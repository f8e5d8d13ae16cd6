// The names and numbers in Nsight Systems' exports.
#include "io/nsys_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace lanescope::io {
namespace {

TEST(NsysVocabulary, NamesOfIterations) {
  for (const char* text : {"iteration12", "Step: 12", "train_step_12", "ITER #12", "batch 12", "ProfilerStep#12"}) {
    const auto iteration = nsys::iteration_name(text);
    ASSERT_TRUE(iteration) << text;
    EXPECT_EQ(iteration->number, 12u) << text;
  }
  for (const char* text :
       {"", "12", "step", "step 12 forward", "layer 12", "step 99999999999", "first step 12", "#12"}) {
    EXPECT_FALSE(nsys::iteration_name(text)) << text;
  }
}

TEST(NsysVocabulary, OperatorsOfPyTorch) {
  const auto named = [](std::string_view text) { return std::string(nsys::operator_range(text).name); };
  EXPECT_EQ(named("aten::view, op_id = 314290"), "aten::view");
  EXPECT_EQ(nsys::operator_range("aten::view, op_id = 314290").id, 314'290u);
  EXPECT_EQ(named("autograd::engine::evaluate_function: MulBackward0, op_id = 5"),
            "autograd::engine::evaluate_function: MulBackward0");
  EXPECT_EQ(nsys::operator_range("a, op_id = 1, sizes = [[1]], input_op_ids = [(2,0)]").sizes, "[[1]]");
  EXPECT_EQ(named("load, seq = first"), "load, seq = first") << "a name that only looks like one";
  EXPECT_FALSE(nsys::operator_range("load").is_operator);
}

TEST(NsysVocabulary, NamesAndNumbers) {
  EXPECT_EQ(nsys::without_version("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(nsys::without_version("cudaStreamGetCaptureInfo_v2_v11030"), "cudaStreamGetCaptureInfo_v2");
  EXPECT_EQ(nsys::without_version("cuLaunchKernelEx"), "cuLaunchKernelEx");
  EXPECT_EQ(nsys::without_version("_v"), "_v");
  EXPECT_EQ(nsys::without_version(""), "");
  EXPECT_EQ(nsys::pid_of(0x100006F00006F), 111);
  EXPECT_EQ(nsys::tid_of(0x100006F000071), 113);
  EXPECT_EQ(nsys::without_paths("Loaded /home/ann/lib/libcupti.so\n twice"), "Loaded … twice");
  EXPECT_EQ(nsys::without_paths("a\x1b[1m \x7f\xff\xfe"), "a [1m \xEF\xBF\xBD\xEF\xBF\xBD")
      << "it is shown: one line of UTF-8";
  EXPECT_EQ(nsys::cut("aé", 2), "a") << "not through a character";
}

}  // namespace
}  // namespace lanescope::io
