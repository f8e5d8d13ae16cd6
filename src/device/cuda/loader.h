// Finds the loadable CUDA library, and says in one line why there is no GPU to use.
#pragma once

#include <string>

#include "device/cuda/backend.h"

namespace lanescope::device::cuda {

struct LoadResult {
  Backend* backend = nullptr;  ///< lives as long as the process; null: see problem
  /// Why no GPU can be used and recorded, in one line; empty when one can. With a backend and a problem a GPU can be
  /// used, but not recorded.
  std::string problem;
};

/// Looks once per process, in this order: LANESCOPE_CUDA=off; the library beside the program (or the file that
/// LANESCOPE_CUDA names); the driver library libcuda.so.1; its devices; its version; CUPTI. Thread-safe, never throws.
const LoadResult& load();
/// Why there is none, said anew in the language that is set now.
std::string problem_again();

/// The same without remembering, for tests: `directory` instead of the program's.
LoadResult look_for_backend(const std::string& directory);

}  // namespace lanescope::device::cuda
