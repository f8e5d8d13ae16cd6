// CUPTI's answers as the state that a person is shown.
#pragma once

#include <cupti.h>

#include <string>

#include "capture/cupti/cupti_table.h"
#include "trace/capture_health.h"

namespace lanescope::capture::cupti {

struct Verdict {
  trace::CaptureState state = trace::CaptureState::Running;
  std::string reason;  ///< one line
};

/// What it means that CUPTI refuses to be used. `incumbent`: the name of who holds it, may be empty.
Verdict refusal(const CuptiTable& table, CUptiResult result, const std::string& incumbent = {});
/// "CUPTI_ERROR_NOT_COMPATIBLE".
std::string result_text(const CuptiTable& table, CUptiResult result);
/// "libcupti.so.13 (API 130001)".
std::string library_text(const CuptiTable& table);

}  // namespace lanescope::capture::cupti
