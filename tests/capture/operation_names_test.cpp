#include "capture/assembly/operation_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "trace/names.h"

namespace lanescope::capture {
namespace {

TEST(PlainApiName, CutsWhatTheVersionAdds) {
  const std::pair<const char*, const char*> names[] = {{"cudaLaunchKernel_v7000", "cudaLaunchKernel"},
                                                       {"cudaMemcpyAsync_ptsz_v7000", "cudaMemcpyAsync"},
                                                       {"cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyHtoDAsync"},
                                                       {"cudaMemcpy_ptds", "cudaMemcpy"},
                                                       {"cuCtxCreate", "cuCtxCreate"},
                                                       {"_v2", "_v2"},
                                                       {"", ""}};
  for (const auto& [name, plain] : names) EXPECT_EQ(trace::plain_api_name(name), plain) << name;
}

TEST(KernelName, IsForAPerson) {
  EXPECT_EQ(kernel_name("vector_add"), "vector_add");
  EXPECT_EQ(kernel_name("_Z10vector_addPKfS0_Pfi"), "vector_add");
  // void scale<int, 4>(int*)
  EXPECT_EQ(kernel_name("_Z5scaleIiLi4EEvPT_"), "scale<int, 4>");
  EXPECT_EQ(kernel_name("_ZN2at6native4copyIfEEvPT_S3_"), "at::native::copy<float>");
  EXPECT_EQ(kernel_name("_Zbroken"), "_Zbroken");
  EXPECT_EQ(kernel_name("void k<(int)3>(float*)"), "k<(int)3>");
  EXPECT_EQ(kernel_name("k<(int)3>"), "k<(int)3>");
  EXPECT_EQ(kernel_name("f(int) [clone .kd]"), "f");
  EXPECT_EQ(kernel_name(""), "");
  EXPECT_EQ(kernel_name("()"), "()");
  EXPECT_EQ(kernel_name("))(("), "))((");
  const std::string cut = kernel_name(std::string(500, 'x'));
  EXPECT_EQ(cut, std::string(117, 'x') + "...");
}

}  // namespace
}  // namespace lanescope::capture
