// What the name of an API call says about it, looked up once per name.
#pragma once

#include <cstdint>
#include <vector>

#include "base/name_table.h"

namespace lanescope::analysis {

enum class CallRole : std::uint8_t {
  Other,
  KernelLaunch,  ///< cudaLaunchKernel and related calls
  MemoryCopy,    ///< cudaMemcpy, cudaMemcpyAsync and related calls
  Pinning,       ///< makes page-locked memory, and holds the CPU while it does
  Allocation,    ///< makes device memory, or gives memory back: it holds the CPU, and may wait for the GPU
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
