// Translates CUPTI's error codes into the capture's state.
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

/// The meaning of an error when starting CUPTI. `incumbent` is the name of the profiler that uses it, possibly empty.
Verdict refusal(const CuptiTable& table, CUptiResult result, const std::string& incumbent = {});
/// "CUPTI_ERROR_NOT_COMPATIBLE".
std::string result_text(const CuptiTable& table, CUptiResult result);
/// "libcupti.so.13 (API 130001)".
std::string library_text(const CuptiTable& table);

}  // namespace lanescope::capture::cupti
