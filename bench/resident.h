// Memory of this process, as the kernel counts it.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>

namespace lanescope::bench {

inline std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  if (!(statm >> size >> resident)) throw std::runtime_error("/proc/self/statm cannot be read");
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// How much more was resident at most, since it was made.
class PeakMemory {
 public:
  PeakMemory() {
    malloc_trim(0);
    before_ = resident_bytes();
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
  }
  double bytes() const {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      double kilobytes = 0;
      if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024 - static_cast<double>(before_);
    }
    throw std::runtime_error("/proc/self/status has no peak");
  }

 private:
  std::size_t before_ = 0;
};

}  // namespace lanescope::bench
