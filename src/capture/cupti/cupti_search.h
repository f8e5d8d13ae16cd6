// Where CUPTI is looked for, with the surroundings as parameters.
#pragma once

#include <functional>
#include <string>

#include "capture/cupti/cupti_table.h"

namespace lanescope::capture::cupti {

struct Surroundings {
  std::function<const char*(const char*)> variable;  ///< as getenv(): null if it is not set
  std::string usr_local = "/usr/local";              ///< toolkits are here
  std::string system_python = "/usr";                ///< lib/python3* is here
  bool loader_path = true;                           ///< ask the loader at last
};
/// find_cupti() with getenv and the defaults.
CuptiSearch find_cupti(const Surroundings& surroundings);

}  // namespace lanescope::capture::cupti
