// How much memory the events may take up: the choices that the window offers.
#pragma once

#include <cstddef>
#include <vector>

namespace lanescope::ui {

/// 0: automatic. Of a machine whose memory is not known, that is 1 GiB.
inline constexpr double kAutomaticMemory = 0;
inline constexpr double kLeastMemoryGb = 0.016, kMostMemoryGb = 1'000;

/// A quarter of the machine's memory, so that it stays usable; 1 to 16 GiB. Of 16 GiB that is 4 GiB: 110 million
/// events.
std::size_t automatic_memory_cap(std::size_t machine_bytes);
/// What is chosen in gigabytes (10^9 bytes), or automatic.
std::size_t memory_cap_of(double gb, std::size_t machine_bytes);
/// Whole gigabytes, each twice the one before, up to half of the machine's memory.
std::vector<double> memory_choices_gb(std::size_t machine_bytes);

}  // namespace lanescope::ui
