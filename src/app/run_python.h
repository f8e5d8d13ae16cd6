// Runs a program in Python.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::app {

/// What `python` prints when it runs `program`; its errors go to ours. Throws base::Error if it cannot be started or
/// fails.
std::string run_python(const std::string& python, std::string_view program);

}  // namespace lanescope::app
