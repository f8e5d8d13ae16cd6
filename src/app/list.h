// `lanescope list`: what there is to run, to run on and to turn.
#pragma once

#include <string>

#include "app/requests.h"

namespace lanescope::app {

std::string list_text(const ListRequest& request);

}  // namespace lanescope::app
