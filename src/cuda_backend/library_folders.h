// Where CUDA's libraries may be installed outside the loader's path.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::cuda_backend {

/// Existing folders, in this order: the toolkit's (CUDA_HOME, CUDA_PATH, /usr/local/cuda, /usr/local/cuda-*, newest
/// first), then those of Python's nvidia wheels (VIRTUAL_ENV, CONDA_PREFIX, the python3 on the PATH). `wheel` is the
/// folder's name in CUDA 12's wheels: "cublas".
std::vector<std::filesystem::path> library_folders(const std::string& wheel);

}  // namespace lanescope::cuda_backend
