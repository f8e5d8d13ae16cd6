// Variables of the environment, and where things are: programs, what came with this one, fonts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

/// The folder of the program itself; empty where the system does not say.
std::filesystem::path program_folder();
/// A library that is opened at run time: beside the program, as it is built, or in ../lib/lanescope, as it is
/// installed. Where it is in neither, the place beside the program.
std::filesystem::path own_library(const char* name);

/// Where fonts are: those that come with the program, the user's own, and those of the system. They need not exist.
std::vector<std::filesystem::path> font_folders();

}  // namespace lanescope::base
