// Libraries that are opened at run time. They stay open until the program ends.
#pragma once

#include <string>

namespace lanescope::base {

/// Null, and why, if there is none of this name or path.
void* open_library(const std::string& name, std::string& why);
/// Null: it has no such function.
void* find_symbol(void* library, const char* name);
template <typename Function>
Function find_function(void* library, const char* name) {
  return reinterpret_cast<Function>(find_symbol(library, name));
}

}  // namespace lanescope::base
