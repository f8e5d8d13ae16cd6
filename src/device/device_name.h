// Device names as stored in a trace and as displayed.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::device {

/// The name of the CPU of a simulated GPU's machine: "CPU of NVIDIA GeForce RTX 4090".
std::string cpu_name_beside(std::string_view gpu);
/// Translates the English words in a device's name and keeps the rest.
std::string name_in_words(std::string_view name);

}  // namespace lanescope::device
