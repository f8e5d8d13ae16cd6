#include <windows.h>

#include "base/platform/machine_memory.h"

namespace lanescope::base {

std::uint64_t machine_memory_bytes() {
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  return ::GlobalMemoryStatusEx(&memory) != 0 ? memory.ullTotalPhys : 0;
}

}  // namespace lanescope::base
