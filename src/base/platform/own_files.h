// Files that came with this program, wherever somebody put it.
#pragma once

#include <filesystem>

namespace lanescope::base {

/// The folder of the program itself; empty where the system does not say.
std::filesystem::path program_folder();
/// A library that is opened at run time: beside the program, as it is built, or in ../lib/lanescope, as it is
/// installed. Where it is in neither, the place beside the program.
std::filesystem::path own_library(const char* name);

}  // namespace lanescope::base
