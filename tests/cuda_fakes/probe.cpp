// cuda_probe FOLDER: searches this folder for the CUDA back end and prints what load() would remember.
#include <cstdio>

#include "device/cuda/find_backend.h"

int main(int argc, char** argv) {
  const lanescope::device::cuda::LoadResult result =
      lanescope::device::cuda::look_for_backend(argc > 1 ? argv[1] : ".");
  std::printf("%s|%s\n", result.backend != nullptr ? "usable" : "none", result.problem.c_str());
  return 0;
}
