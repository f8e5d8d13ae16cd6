// A device's name as it stands in a trace, and as a person reads it.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::device {

/// Of the CPU beside a GPU that is simulated: "CPU of NVIDIA GeForce RTX 4090".
std::string cpu_name_beside(std::string_view gpu);
/// What in a name is said in words is translated; the rest of it stays.
std::string name_in_words(std::string_view name);

}  // namespace lanescope::device
