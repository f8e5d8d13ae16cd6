#include "trace/names.h"

#include <gtest/gtest.h>

namespace lanescope::trace {
namespace {

TEST(CallNature, OfRuntimeDriverAndHipNames) {
  struct Case {
    const char* name;
    CallNature nature;
  };
  for (const auto& [name, nature] : {
           Case{"cudaLaunchKernel", CallNature::Launch},
           {"cudaLaunchKernelExC_v11060", CallNature::Launch},
           {"cuLaunchKernel_ptsz", CallNature::Launch},
           {"hipModuleLaunchKernel", CallNature::Launch},
           {"cudaGraphLaunch_v10000", CallNature::Launch},
           {"cudaMemsetAsync", CallNature::Launch},
           {"cuMemsetD8_v2", CallNature::Launch},
           {"cudaMemcpyPeer", CallNature::Launch},
           {"cudaMemcpy", CallNature::BlockingCopy},
           {"cuMemcpyHtoD_v2", CallNature::BlockingCopy},
           {"hipMemcpyDtoH", CallNature::BlockingCopy},
           {"cudaMemcpyAsync_ptsz", CallNature::AsyncCopy},
           {"cuMemcpyDtoHAsync_v2_ptsz", CallNature::AsyncCopy},
           {"cudaMemcpyPeerAsync", CallNature::AsyncCopy},
           {"cudaStreamSynchronize_v3020", CallNature::Sync},
           {"cuCtxSynchronize", CallNature::Sync},
           {"hipDeviceSynchronize", CallNature::Sync},
           {"cudaEventSynchronize", CallNature::Sync},
           {"cudaFree", CallNature::Sync},
           {"cuMemFree_v2", CallNature::Sync},
           {"cudaFreeHost", CallNature::Sync},
           {"cudaMalloc", CallNature::Other},
           {"cudaFreeAsync", CallNature::Other},
           {"cudaStreamWaitEvent", CallNature::Other},
           {"cudaEventRecord", CallNature::Other},
           {"cudaHostAlloc", CallNature::Other},
           {"Memcpy", CallNature::Other},
           {"", CallNature::Other},
       }) {
    EXPECT_EQ(call_nature(name), nature) << name;
  }
}

}  // namespace
}  // namespace lanescope::trace
