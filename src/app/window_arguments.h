// The options of the window.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/requests.h"
#include "app/run_arguments.h"

namespace lanescope::app {

class WindowArguments {
 public:
  void add_to(CLI::App& app);
  Request request(const CLI::App& app) const;

 private:
  WindowRequest window_request(const CLI::App& app) const;

  SessionArguments session_;
  std::vector<std::string> open_;
  std::string memory_mb_, theme_, side_, lesson_, student_;
};

}  // namespace lanescope::app
