// The search for CUPTI, with its environment as parameters.
#pragma once

#include <functional>
#include <string>

#include "capture/cupti/cupti_table.h"

namespace lanescope::capture::cupti {

struct Surroundings {
  std::function<const char*(const char*)> variable;  ///< like getenv(): null if not set
  std::string usr_local = "/usr/local";              ///< contains toolkits
  std::string system_python = "/usr";                ///< contains lib/python3*
  bool loader_path = true;                           ///< finally try the dynamic loader's path
};
/// find_cupti() uses getenv and the defaults.
CuptiSearch find_cupti(const Surroundings& surroundings);

}  // namespace lanescope::capture::cupti
