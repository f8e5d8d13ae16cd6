#include "model/source/memory_cap.h"

#include <algorithm>

namespace lanescope::ui {

std::size_t automatic_memory_cap(std::size_t machine_bytes) {
  constexpr std::size_t kGib = std::size_t{1} << 30;
  return std::clamp(machine_bytes / 4, kGib, 16 * kGib);
}

std::size_t memory_cap_of(double gb, std::size_t machine_bytes) {
  return gb > 0 ? static_cast<std::size_t>(gb * 1e9) : automatic_memory_cap(machine_bytes);
}

std::vector<double> memory_choices_gb(std::size_t machine_bytes) {
  constexpr double kFirst = 1, kLast = 64;
  std::vector<double> choices;
  for (double gb = kFirst; gb <= kLast && (gb == kFirst || gb * 1e9 <= static_cast<double>(machine_bytes) / 2); gb *= 2)
    choices.push_back(gb);
  return choices;
}

}  // namespace lanescope::ui
