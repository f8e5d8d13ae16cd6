// The options of `lanescope sweep`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/picture_arguments.h"
#include "app/requests.h"
#include "app/run_arguments.h"

namespace lanescope::app {

class SweepArguments {
 public:
  void add_to(CLI::App& app);
  SweepRequest request(const CLI::App& app) const;

 private:
  experiment::SweepSpec spec() const;

  SessionArguments session_;
  PictureArguments picture_;
  std::vector<std::string> over_;
  std::string figure_, against_, iterations_, csv_, json_;
};

}  // namespace lanescope::app
