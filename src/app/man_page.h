// The page of man(1), written from the command line's own help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lanescope::app {

std::string man_page(const CLI::App& root);

}  // namespace lanescope::app
