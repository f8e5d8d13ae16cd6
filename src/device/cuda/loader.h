// Finds the loadable CUDA library, or explains in one line why no GPU can be used.
#pragma once

#include <string>

#include "device/cuda/backend.h"

namespace lanescope::device::cuda {

struct LoadResult {
  Backend* backend = nullptr;  ///< lives until the process ends; null: see problem
  /// Why no GPU can be used and recorded, in one line; empty if one can. If both backend and problem are set, a GPU can
  /// be used but not recorded.
  std::string problem;
};

/// Searches once per process, in this order: LANESCOPE_CUDA=off; the library beside the program (or the file that
/// LANESCOPE_CUDA names); the driver library libcuda.so.1; its devices; its version; CUPTI. Thread-safe; never throws.
const LoadResult& load();
/// The problem again, in the current language.
std::string problem_again();

/// The same search in `directory`, not cached; for tests.
LoadResult look_for_backend(const std::string& directory);

}  // namespace lanescope::device::cuda
