// What a call that must fail says.
#pragma once

#include <string>

#include "base/error.h"

namespace lanescope {

/// The message of the error of this kind that `action` throws; "" if it throws none.
template <typename Error = base::Error, typename Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace lanescope
