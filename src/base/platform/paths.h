// Names of files, variables and words of the command line, which are UTF-8 everywhere above.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::base {

/// The path that UTF-8 names. Windows would take a std::string for letters of its own code page. (The way back is
/// path.string(), which gives UTF-8 with all our compilers.)
std::filesystem::path path_of(std::string_view text);
/// A variable of the environment; empty: there is none, or it is empty.
std::string environment(const char* name);
/// The words that the program was started with.
std::vector<std::string> command_words(int argc, const char* const* argv);
/// The file of the program itself.
std::filesystem::path this_program();
/// Where a program of this name is, in the folders of PATH that are absolute: relative ones lead wherever this program
/// was started. Empty: nowhere.
std::filesystem::path find_program(const char* name);
/// A file that can be run.
bool is_program(const std::filesystem::path& path);

}  // namespace lanescope::base
