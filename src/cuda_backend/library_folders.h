// Where users have CUDA's libraries beside the loader's own path.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::cuda_backend {

/// Folders that exist, in this order: the toolkit's (CUDA_HOME, CUDA_PATH, /usr/local/cuda, /usr/local/cuda-*, newest
/// first), then those of Python's nvidia wheels (VIRTUAL_ENV, CONDA_PREFIX, the python3 on the PATH). `wheel` is the
/// folder's name in the wheels of CUDA 12: "cublas".
std::vector<std::filesystem::path> library_folders(const std::string& wheel);

}  // namespace lanescope::cuda_backend
