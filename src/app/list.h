// `lanescope list`: workloads, devices, settings and experiments.
#pragma once

#include <string>

#include "app/requests.h"

namespace lanescope::app {

std::string list_text(const ListRequest& request);

}  // namespace lanescope::app
