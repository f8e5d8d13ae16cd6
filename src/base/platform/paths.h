// Variables of the environment, and where programs are.
#pragma once

#include <filesystem>
#include <string>

namespace lanescope::base {

/// A variable of the environment; empty: there is none, or it is empty.
std::string environment(const char* name);
/// The file of the program itself.
std::filesystem::path this_program();
/// Where a program of this name is, in the folders of PATH that are absolute: relative ones lead wherever this program
/// was started. Empty: nowhere.
std::filesystem::path find_program(const char* name);
/// A file that can be run.
bool is_program(const std::filesystem::path& path);

}  // namespace lanescope::base
