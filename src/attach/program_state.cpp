#include "attach/program_state.h"

#include <algorithm>

#include "base/error.h"
#include "base/translate.h"

namespace lanescope::attach {

using base::tr;

std::string why_not() {
#if LANESCOPE_ATTACH
  return {};
#else
  return tr("this build cannot attach to programs: attaching needs Linux; record them there, and open the file here");
#endif
}

wire::Level parse_level(const std::string& text) {
  for (const wire::Level level : {wire::Level::Waits, wire::Level::Acquire, wire::Level::Calls, wire::Level::All}) {
    if (text == to_text(level)) return level;
  }
  throw base::UsageError(tr("'{}' is not a level; allowed: waits, acquire, calls, all", text));
}

const char* to_text(wire::Level level) {
  switch (level) {
    case wire::Level::Off:
      return "off";
    case wire::Level::Waits:
      return "waits";
    case wire::Level::Acquire:
      return "acquire";
    case wire::Level::Calls:
      return "calls";
    case wire::Level::All:
      return "all";
  }
  return "off";
}

const ProcessState* AttachState::first_with_gpu() const {
  const auto first = std::ranges::find_if(processes, &ProcessState::uses_gpu);
  return first == processes.end() ? nullptr : &*first;
}

}  // namespace lanescope::attach
