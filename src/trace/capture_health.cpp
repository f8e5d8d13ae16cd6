#include "trace/capture_health.h"

#include "base/translate.h"

namespace lanescope::trace {

const char* to_text(CaptureState state) {
  using base::tr;
  switch (state) {
    case CaptureState::None:
      return tr("not needed");
    case CaptureState::Off:
      return tr("off");
    case CaptureState::Unavailable:
      return tr("unavailable");
    case CaptureState::Busy:
      return tr("busy");
    case CaptureState::Denied:
      return tr("denied");
    case CaptureState::Unsupported:
      return tr("unsupported");
    case CaptureState::Running:
      return tr("running");
    case CaptureState::Degraded:
      return tr("degraded");
    case CaptureState::Lost:
      return tr("lost");
  }
  return "";
}

}  // namespace lanescope::trace
