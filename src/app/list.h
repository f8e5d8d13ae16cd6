// `lanescope list`: what the other commands accept.
#pragma once

#include <string>

#include "app/requests.h"

namespace lanescope::app {

std::string list_text(const ListRequest& request);

}  // namespace lanescope::app
