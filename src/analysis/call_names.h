// Classifies API calls by their names, with one lookup per name.
#pragma once

#include <cstdint>
#include <vector>

#include "base/name_table.h"

namespace lanescope::analysis {

enum class CallRole : std::uint8_t {
  Other,
  KernelLaunch,  ///< cudaLaunchKernel and related calls
  MemoryCopy,    ///< cudaMemcpy, cudaMemcpyAsync and related calls
  Pinning,       ///< allocates page-locked memory, and blocks the CPU meanwhile
  Allocation,    ///< allocates or frees device memory: blocks the CPU, and may wait for the GPU
};

class CallNames {
 public:
  explicit CallNames(const base::NameTable& names) : names_(names) {}
  CallRole role(base::NameId name) {
    if (name >= roles_.size()) learn(name);
    return roles_[name];
  }

 private:
  void learn(base::NameId up_to);

  const base::NameTable& names_;
  std::vector<CallRole> roles_;
};

}  // namespace lanescope::analysis
